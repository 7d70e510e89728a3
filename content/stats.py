"""Numbers about the record that may take a moment: topic strength, forecast, retention. Called from a worker.

Practice and retracted attempts are left out of everything that speaks of memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from content import today
from content.cards import Text, topic_from_json
from content.day_sql import DUE_BY
from content.events import SCHEDULING, Kind, Queue
from content.queue import rows_of
from grading import fsrs
from grading.memory import Phase, Rating

if TYPE_CHECKING:
    from collections.abc import Iterable

    from content.settings import Settings
    from content.store import Record

CHUNK = 20_000
FORECAST_CAP = 9_999

DUE_ON = f"""
SELECT COUNT(*) FROM (SELECT 1 FROM memory WHERE learner = :learner AND queue = {Queue.REVIEW:d}
  AND due_day = :day LIMIT {FORECAST_CAP}) AS due
"""  # noqa: S608  constants only
ANSWERS = """
SELECT event_id, kind, target_id, card_key, day, rating, purpose, phase_before, took_ms FROM event
WHERE learner = :learner AND day BETWEEN :since AND :day AND kind IN ('attempt', 'retract', 'restore')
"""
OF_CARD = """
SELECT event_id, kind, target_id, card_key, day, rating, purpose, phase_before, took_ms FROM event
WHERE learner = :learner AND card_key = :card_key AND kind IN ('attempt', 'retract', 'restore')
"""
STUDIED = f"""
SELECT m.card_key, c.topic_key, m.stability, m.last_day FROM memory m JOIN card c ON c.card_key = m.card_key
WHERE m.learner = :learner AND m.queue IN ({Queue.STEPS:d}, {Queue.REVIEW:d})
  AND m.stability > 0 AND m.last_day IS NOT NULL AND m.card_key > :after
ORDER BY m.card_key LIMIT {CHUNK}
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class TopicStrength:
    """How well one topic is remembered: the mean chance of recall now over its studied cards, None without any."""

    topic_id: str
    title: Text
    strength: float | None
    studied: int
    new: int
    suspended: int


@dataclass(frozen=True, slots=True)
class Retention:
    """Of the reviews that were due, how many were remembered: the first answer of a card on a day decides."""

    reviews: int
    remembered: int

    @property
    def share(self) -> float | None:
        """Remembered share, 0 to 1; None without reviews."""
        return self.remembered / self.reviews if self.reviews else None


@dataclass(frozen=True, slots=True)
class CardSummary:
    """One card's past in numbers; `attempts` are scheduled ones, `practice` the others, `mean_took_ms` over both."""

    attempts: int
    practice: int
    again: int
    first_day: int | None
    last_day: int | None
    mean_took_ms: float | None


@dataclass(frozen=True, slots=True)
class Answer:
    """One attempt that was not retracted."""

    event_id: str
    card_key: int
    day: int
    rating: int
    purpose: str
    phase_before: int
    took_ms: int

    @property
    def scheduled(self) -> bool:
        """Whether the attempt moved the card's schedule."""
        return self.purpose in SCHEDULING


def topic_strength(record: Record, settings: Settings, day: int) -> tuple[TopicStrength, ...]:
    """Every present topic in its pack's order. Reads all of memory, a chunk at a time."""
    topics = record.topics()
    place = {topic.topic_key: index for index, topic in enumerate(topics)}
    sums, studied = _recall_sums(record, settings, day, place)
    counts = record.topic_counts()
    found = []
    for index, topic in enumerate(topics):
        strength = sums[index] / studied[index] if studied[index] else None
        of_topic = counts.get(topic.topic_id, {})
        new, suspended = (of_topic.get(queue, 0) for queue in (Queue.NEW, Queue.SUSPENDED))
        title = topic_from_json(topic.topic_id, topic.body).title
        found.append(TopicStrength(topic.topic_id, title, strength, studied[index], new, suspended))
    return tuple(found)


def forecast(record: Record, settings: Settings, day: int, days: int = 7) -> tuple[tuple[int, int], ...]:
    """(study day, cards due on it) for the days after `day`; each count stops at FORECAST_CAP."""
    rows = rows_of(record)
    return tuple(
        (ahead, _one(rows(DUE_ON, {"learner": settings.learner, "day": ahead})))
        for ahead in range(day + 1, day + 1 + days)
    )


def due_by(record: Record, settings: Settings, day: int, cap: int) -> int:
    """How many reviews are due on or before a day, counted no further than `cap`."""
    return _one(rows_of(record)(DUE_BY, {"learner": settings.learner, "day": day, "cap": cap}))


def days_studied(record: Record, settings: Settings, day: int, of_last: int = 7) -> int:
    """On how many of the last days, today included, there was at least one answer."""
    return today.days_studied(rows_of(record), settings.learner, day, of_last)


def retention(record: Record, settings: Settings, day: int, days: int = 30) -> Retention:
    """Retention over the last `days` study days, today included."""
    first: dict[tuple[int, int], int] = {}
    values = {"learner": settings.learner, "since": day - days + 1, "day": day}
    for answer in _answers(rows_of(record)(ANSWERS, values)):
        if answer.scheduled and answer.phase_before == Phase.REVIEW:
            first.setdefault((answer.card_key, answer.day), answer.rating)
    return Retention(len(first), sum(rating > Rating.AGAIN for rating in first.values()))


def card_summary(record: Record, card_key: int) -> CardSummary:
    """One card's past in numbers."""
    values = {"learner": record.learner, "card_key": card_key}
    answers = _answers(rows_of(record)(OF_CARD, values))
    scheduled = [answer for answer in answers if answer.scheduled]
    return CardSummary(
        attempts=len(scheduled),
        practice=len(answers) - len(scheduled),
        again=sum(answer.rating == Rating.AGAIN for answer in scheduled),
        first_day=scheduled[0].day if scheduled else None,
        last_day=scheduled[-1].day if scheduled else None,
        mean_took_ms=sum(answer.took_ms for answer in answers) / len(answers) if answers else None,
    )


def _answers(rows: Iterable[Sequence[Any]]) -> list[Answer]:
    """Attempts in the order they were made, without those whose latest retraction or restoration says they are gone."""
    attempts: list[Answer] = []
    gone: dict[str, tuple[str, bool]] = {}
    for event_id, kind, target_id, card_key, day, rating, purpose, phase_before, took_ms in rows:
        if kind == Kind.ATTEMPT:
            attempts.append(Answer(event_id, card_key, day, rating, purpose, phase_before or 0, took_ms or 0))
        else:
            gone[target_id] = max(gone.get(target_id, ("", False)), (event_id, kind == Kind.RETRACT))
    attempts.sort(key=lambda answer: answer.event_id)
    return [answer for answer in attempts if not gone.get(answer.event_id, ("", False))[1]]


def _recall_sums(record: Record, settings: Settings, day: int, place: dict[int, int]) -> tuple[list[float], list[int]]:
    """Per topic the sum of recall over its studied cards, and their number."""
    import numpy as np

    weights = settings.plan().weights
    sums, studied = np.zeros(len(place)), np.zeros(len(place), dtype=np.int64)
    rows, after = rows_of(record), -1
    while chunk := rows(STUDIED, {"learner": settings.learner, "after": after}):
        after = chunk[-1][0]
        known = [(place[topic], stability, last_day) for _, topic, stability, last_day in chunk if topic in place]
        if not known:
            continue
        index, stability, last_day = (np.array(column) for column in zip(*known, strict=True))
        elapsed = np.maximum(day - last_day, 0).astype(np.float64)
        recall = fsrs.retrievability(weights, elapsed, stability.astype(np.float64))
        sums += np.bincount(index, recall, minlength=len(place))
        studied += np.bincount(index, minlength=len(place))
    return sums.tolist(), studied.tolist()


def _one(rows: Iterable[Sequence[Any]]) -> int:
    return int(next(iter(rows))[0])
