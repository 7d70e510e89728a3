"""Today's queue: the chosen cards in the order the learner asked for, as a list of keys; cards are read when shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from content import today
from content.events import Queue
from grading.days import Instant, study_day

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record
    from content.today import Candidate

PRACTICE = """
SELECT m.card_key, m.queue FROM memory m JOIN card c ON c.card_key = m.card_key
WHERE m.learner = :learner AND m.queue = {queue:d} AND (:topic = -1 OR c.topic_key = :topic)
ORDER BY {order}, m.card_key LIMIT :limit
"""
DRILLS = """
SELECT m.card_key FROM card c JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.kind = 'drill' AND m.queue >= 0 AND (:topic = -1 OR c.topic_key = :topic) AND (:only = '' OR c.card_id = :only)
ORDER BY c.position, c.card_key
"""
BY_TOPIC = """
SELECT c.topic_key, COUNT(*) FROM card c JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.kind = 'drill' AND m.queue >= 0 GROUP BY c.topic_key
"""
KINDS_TYPED = (today.DRILL, today.TABLE, today.ORAL)
_PRACTICE_ORDER = {Queue.STEPS: "m.due_ms", Queue.REVIEW: "m.due_day", Queue.NEW: "m.position"}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A card's place in the queue."""

    card_key: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class DrillRun:
    """Free practice of drills: `count` problems, of one drill (`card_id`) or of all. A `seed` fixes the problems.

    `unlike` has the numbers of problems just seen, by card id: the first ones asked differ from them.
    """

    count: int = 10
    seed: int | None = None
    card_id: str | None = None
    unlike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DayQueue:
    """One study day's queue. `main` holds reviews and new cards in order; `steps` maps a card in its (re)learning steps
    to the instant (ms) it is due. `hidden_siblings` were left for another day; `more_due` and `more_new` say what the
    daily limits or the day's minutes hold back. The last fields tell what the day held before this queue was made."""

    day: int
    main: tuple[Waiting, ...]
    steps: dict[int, int]
    hidden_siblings: int = 0
    more_due: bool = False
    more_new: bool = False
    spent_ms: int = 0
    done_today: int = 0
    reviewed: int = 0
    introduced: int = 0
    expected_minutes: float = 0.0
    has_drills: bool = False  # so that what draws and grades them can be loaded before one comes up


def rows_of(record: Record) -> today.Rows:
    """Run the day's queries on an open record."""

    def rows(sql: str, values: dict[str, Any]) -> Sequence[Sequence[Any]]:
        return record.named_rows(sql, values)

    return rows


def build_queue(
    record: Record, settings: Settings, now: Instant, topic_key: int | None = None, *, beyond: bool = False
) -> DayQueue:
    """Today's queue, at a cost that follows the day's limits and not the collection; see `today.choose`."""
    chosen = today.choose(rows_of(record), settings, now, topic_key, beyond=beyond)
    return DayQueue(
        day=chosen.day,
        main=tuple(_mixed(chosen, settings.order)),
        steps={card.card_key: card.order for card in chosen.steps},
        hidden_siblings=chosen.hidden_siblings,
        more_due=chosen.more_due,
        more_new=chosen.more_new,
        spent_ms=chosen.done.spent_ms,
        done_today=chosen.done.attempts,
        reviewed=chosen.done.reviewed,
        introduced=chosen.done.introduced,
        expected_minutes=chosen.expected_minutes,
        has_drills=any(card.kind == today.DRILL for card in (*chosen.steps, *chosen.reviews, *chosen.new)),
    )


def _mixed(chosen: today.Today, order: str) -> list[Waiting]:
    """The day in the order asked for, with its drills, tables and oral questions spread evenly among the cards."""

    def waiting(cards: Sequence[Candidate], *kinds: str, is_new: bool) -> list[Waiting]:
        return [Waiting(card.card_key, is_new) for card in cards if card.kind in kinds]

    read = [card for card in chosen.new if card.kind not in KINDS_TYPED]
    firsts = [Waiting(card.card_key, True) for card in contrasts_together(read)]
    reviews = [Waiting(card.card_key, False) for card in chosen.reviews if card.kind not in KINDS_TYPED]
    typed_due = [waiting(chosen.reviews, kind, is_new=False) for kind in KINDS_TYPED]
    typed_new = [waiting(chosen.new, kind, is_new=True) for kind in KINDS_TYPED]
    if order == "mixed":
        spread = in_order(reviews, firsts, order)
        for due, new in zip(typed_due, typed_new, strict=True):
            spread = in_order(spread, in_order(due, new, order), order)
        return spread
    for due, new in zip(typed_due, typed_new, strict=True):
        reviews, firsts = in_order(reviews, due, "mixed"), in_order(firsts, new, "mixed")
    return in_order(reviews, firsts, order)


def practice_queue(record: Record, settings: Settings, now: Instant, topic_key: int | None = None) -> DayQueue:
    """Cards to go through without touching their schedule, at most as many as a day's reviews: those in steps, then by
    due date, then new ones."""
    rows = rows_of(record)
    main: list[Waiting] = []
    for queue, order in _PRACTICE_ORDER.items():
        values = {"learner": settings.learner, "queue": int(queue), "topic": -1 if topic_key is None else topic_key}
        found = rows(
            PRACTICE.format(queue=queue, order=order), {**values, "limit": settings.reviews_per_day - len(main)}
        )
        main += [Waiting(card_key, kind == Queue.NEW) for card_key, kind in found]
    return DayQueue(study_day(now, settings.rollover_hour), tuple(main), {})


def drill_queue(
    record: Record, settings: Settings, now: Instant, run: DrillRun, topic_key: int | None = None
) -> tuple[DayQueue, list[int]]:
    """The drills of a run, mixed anew in each round, and (with a seed) the seeds of their problems, last one first."""
    where = {
        "learner": settings.learner,
        "topic": -1 if topic_key is None else topic_key,
        "only": run.card_id or "",
    }
    keys = [card_key for (card_key,) in rows_of(record)(DRILLS, where)]
    seed = run.seed if run.seed is not None else now.at_ms
    count = max(0, run.count) if keys else 0
    order = mixed_rounds(keys, count, seed)
    queue = DayQueue(study_day(now, settings.rollover_hour), tuple(Waiting(key, False) for key in order), {})
    if run.seed is None or not count:
        return queue, []
    from grading.drill import seeds_from

    return queue, seeds_from(run.seed, count)[::-1]


def drills_by_topic(record: Record) -> dict[int, int]:
    """How many drills can be practised, by the key of their topic."""
    rows = rows_of(record)(BY_TOPIC, {"learner": record.learner})
    return {int(topic_key): int(count) for topic_key, count in rows}


def mixed_rounds(keys: Sequence[int], count: int, seed: int) -> list[int]:
    """`count` of the keys in rounds, each round in an order of its own; none twice running where there are several."""
    if not keys or not count:
        return []
    from grading.drill import seeds_from

    order: list[int] = []
    numbers = iter(seeds_from(seed ^ 0x5EED, count + len(keys)))
    while len(order) < count:
        left = list(keys)
        while left and len(order) < count:
            at = next(numbers) % len(left)
            if len(left) > 1 and order and left[at] == order[-1]:
                at = (at + 1) % len(left)
            order.append(left.pop(at))
    return order


def in_order(reviews: Sequence[Waiting], new: Sequence[Waiting], order: str) -> list[Waiting]:
    """Put new cards after, before, or evenly among the reviews; neither kind changes its own order."""
    if order == "reviews-first":
        return [*reviews, *new]
    if order == "new-first":
        return [*new, *reviews]
    mixed: list[Waiting] = []
    taken = 0
    for index, card in enumerate(new):
        until = -(-(index + 1) * len(reviews) // (len(new) + 1))  # rounded up: a day starts with a review
        mixed += [*reviews[taken:until], card]
        taken = until
    return [*mixed, *reviews[taken:]]


def contrasts_together(new: Sequence[Candidate]) -> list[Candidate]:
    """Bring a new card's contrast partner right after it, unless the partner needs a card in between first."""
    left = list(new)
    together: list[Candidate] = []
    while left:
        card = left.pop(0)
        together.append(card)
        for other in [other for other in left if other.card_id in card.contrast]:
            if not any({between.card_id, between.sibling} & set(other.requires) for between in left):
                left.remove(other)
                together.append(other)
    return together
