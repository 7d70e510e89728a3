"""Any selection of cards to go through: practice leaves the schedule alone, review ahead moves it.

A selection is made once, at the start of the sitting: what is answered in it does not change what is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from content.events import Queue
from content.queue import DayQueue, Waiting, rows_of
from grading.days import Instant, study_day
from grading.memory import Rating

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record

What = Literal["topic", "flagged", "missed", "leeches", "new", "ahead", "cards"]
WHATS: tuple[What, ...] = ("topic", "flagged", "missed", "leeches", "new", "ahead", "cards")
AHEAD_DAYS = 7
"""Reviewing ahead takes what comes due within so many days, unless told otherwise."""
MOST = 200

_SELECT = f"""
SELECT m.card_key, m.queue FROM memory m JOIN card c ON c.card_key = m.card_key
WHERE m.learner = :learner AND m.queue >= {Queue.NEW:d} AND (:topic = -1 OR c.topic_key = :topic)
"""  # noqa: S608  constants only
# Each condition names the index it walks word for word, so that the cost follows what is selected.
_ENDS: dict[str, str] = {
    "topic": "ORDER BY c.position, c.card_key LIMIT :limit",
    "flagged": "AND m.flag > 0 ORDER BY m.card_key LIMIT :limit",
    "leeches": "AND m.leech > 0 ORDER BY m.card_key LIMIT :limit",
    "new": f"AND m.queue = {Queue.NEW:d} ORDER BY m.position, m.card_key LIMIT :limit",
    "ahead": (
        f"AND m.queue = {Queue.REVIEW:d} AND m.due_day > :day AND m.due_day <= :until "
        "AND (m.last_day IS NULL OR m.last_day < :day) ORDER BY m.due_day, m.card_key LIMIT :limit"
    ),
}
_ONE = f"""
SELECT m.card_key, m.queue FROM memory m WHERE m.learner = :learner AND m.card_key = :key AND m.queue >= {Queue.NEW:d}
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cards: of a topic (all of them where none is named), flagged, missed today, leeches, new, due within `days`
    ("ahead"), or these `keys` ("cards", in this order). Misses come again within the sitting where it `repeats`."""

    what: What = "topic"
    limit: int = MOST
    days: int = AHEAD_DAYS
    keys: tuple[int, ...] = ()
    repeats: bool = True


def selected(
    record: Record, settings: Settings, now: Instant, selection: Selection, topic_key: int | None = None
) -> tuple[Waiting, ...]:
    """The cards of a selection, at most its limit; suspended and absent ones are left out."""
    rows = rows_of(record)
    day = study_day(now, settings.rollover_hour)
    if selection.what in ("cards", "missed"):
        keys: Iterable[int] = selection.keys if selection.what == "cards" else missed_today(record, day)
        found = [row for key in keys for row in rows(_ONE, {"learner": settings.learner, "key": key})]
        if selection.what == "missed" and topic_key is not None:
            found = [row for row in found if _topic_key(record, row[0]) == topic_key]
        return _waiting(found[: selection.limit])
    values: dict[str, Any] = {
        "learner": settings.learner,
        "topic": -1 if topic_key is None else topic_key,
        "limit": max(0, selection.limit),
    }
    if selection.what == "ahead":
        values |= {"day": day, "until": day + max(0, selection.days)}
    return _waiting(rows(_SELECT + _ENDS[selection.what], values))


def missed_today(record: Record, day: int) -> list[int]:
    """The keys of the cards rated Again on a study day, in the order of their first miss; practice counts as well."""
    return list(
        dict.fromkeys(e.card_key for e in record.attempts_on(day) if _is_miss(e.rating) and e.card_key is not None)
    )


def count_of(record: Record, settings: Settings, now: Instant, selection: Selection) -> int:
    """How many cards a selection holds, counted no further than its limit."""
    return len(selected(record, settings, now, selection))


def selection_queue(settings: Settings, now: Instant, cards: Sequence[Waiting]) -> DayQueue:
    """A queue of just these cards."""
    return DayQueue(study_day(now, settings.rollover_hour), tuple(cards), {})


def _waiting(rows: Iterable[Sequence[Any]]) -> tuple[Waiting, ...]:
    return tuple(Waiting(card_key, queue == Queue.NEW) for card_key, queue in rows)


def _is_miss(rating: int | None) -> bool:
    return rating == Rating.AGAIN


def _topic_key(record: Record, card_key: int) -> int | None:
    found = record.named_rows("SELECT topic_key FROM card WHERE card_key = :card_key", {"card_key": card_key})
    return int(found[0][0]) if found else None


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many reviews are due, counted up to `CAP`, and how many of them the day's limit lets through."""

    due: int
    today: int

    @property
    def is_one(self) -> bool:
        """Whether there is more than a day's worth."""
        return self.due > self.today


CAP = 9_999


def backlog(record: Record, settings: Settings, now: Instant) -> Backlog:
    """ "N due, M today": what a break has left, and what of it comes today; the rest waits and is not lost."""
    from content import stats, today

    day = study_day(now, settings.rollover_hour)
    due = stats.due_by(record, settings, day, CAP)
    room = max(0, settings.reviews_per_day - today.done_today(rows_of(record), settings.learner, day).reviewed)
    return Backlog(due, min(due, room))


__all__ = [
    "AHEAD_DAYS",
    "WHATS",
    "Backlog",
    "Selection",
    "What",
    "backlog",
    "count_of",
    "missed_today",
    "selected",
    "selection_queue",
]
