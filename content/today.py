"""Which cards today holds, worked out from the indexes alone; the queue and the glance share it, so they cannot differ.

Every query has a LIMIT that follows from the day's limits, never from the number of cards, and walks one index of
`memory` or one day of `event`. Whoever calls hands in a `Rows` function; nothing here imports a database library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from content.events import SCHEDULING, Kind, Queue
from grading.days import Instant, day_start_ms, study_day
from grading.memory import Phase

if TYPE_CHECKING:
    from content.settings import Settings

REVIEW_S = 12.0
"""Seconds one review takes, its relearning included, until the learner's own times say otherwise."""
NEW_S = 35.0
"""Seconds a new card takes on its first day, its learning steps included, until then."""
DRILL_S = 60.0
"""Seconds one drill takes, new or due, until then."""
COUNTED_MS = 300_000
"""An answer counts for at most five minutes of the day: a coffee break is not study."""
LEARN_AHEAD_MS = 20 * 60_000
"""With nothing else left, a step due within this time is offered at once instead of ending the sitting."""
MORE_REVIEWS, MORE_NEW, MORE_DRILLS = 50, 10, 5
"""What going on past the day's limits brings at a time."""
DRILL = "drill"
RECENT_EVENTS = 400
STEPS_LIMIT = 1000
REORDER_WINDOW = 1000
"""With an order other than by date, this many of the oldest due cards are put in order; sorting all would grow with
the collection."""

_GIVES = "CASE WHEN r.body LIKE '%\"gives_away\":%' THEN r.body END"
_CARD = "JOIN card c ON c.card_key = m.card_key JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev"
_RELATES = """CASE WHEN r.body LIKE '%"gives_away":%' OR r.body LIKE '%"contrast":%' THEN r.body END"""
_CANDIDATE = "m.card_key, c.card_id, c.sibling, c.topic_key, c.kind, m.stability, m.last_day"
_NOT_BURIED = "(m.buried_day IS NULL OR m.buried_day <> :day)"
_IN_TOPIC = "AND (:topic = -1 OR c.topic_key = :topic)"

# S608: only the constants above are put together, never a value.
DUE = f"""
SELECT {_CANDIDATE}, m.due_day, {_GIVES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.REVIEW:d} AND m.due_day <= :day
  AND (m.due_day, m.card_key) > (:after, :after_key)
  AND {_NOT_BURIED} AND (m.last_day IS NULL OR m.last_day < :day OR m.last_day > :day + 1) {_IN_TOPIC}
ORDER BY m.due_day, m.card_key LIMIT :page
"""  # noqa: S608
NEW = f"""
SELECT {_CANDIDATE}, m.position, {_RELATES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.NEW:d}
  AND (m.position, m.card_key) > (:after, :after_key) AND c.kind <> 'drill'
  AND {_NOT_BURIED} {_IN_TOPIC}
ORDER BY m.position, m.card_key LIMIT :page
"""  # noqa: S608
NEW_DRILLS = f"""
SELECT {_CANDIDATE}, m.position, r.body FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.NEW:d}
  AND (m.position, m.card_key) > (:after, :after_key) AND c.kind = 'drill'
  AND {_NOT_BURIED} {_IN_TOPIC}
  AND EXISTS (SELECT 1 FROM card tc JOIN memory tm ON tm.card_key = tc.card_key AND tm.learner = :learner
    WHERE tc.topic_key = c.topic_key AND tm.queue > {Queue.NEW:d})
ORDER BY m.position, m.card_key LIMIT :page
"""  # noqa: S608
IS_NEW = f"""
SELECT 1 FROM card c JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.card_id = :card_id AND m.queue = {Queue.NEW:d}
"""  # noqa: S608
STEPS = f"""
SELECT {_CANDIDATE}, m.due_ms, {_GIVES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.STEPS:d} AND m.due_ms < :ends AND {_NOT_BURIED} {_IN_TOPIC}
ORDER BY m.due_ms, m.card_key LIMIT {STEPS_LIMIT}
"""  # noqa: S608
DONE = f"""
SELECT e.event_id, e.kind, e.target_id, e.purpose, e.phase_before, e.took_ms, e.card_key, c.card_id, c.sibling, c.kind, {_GIVES}
FROM event e LEFT JOIN card c ON c.card_key = e.card_key
  LEFT JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
WHERE e.learner = :learner AND e.day = :day AND e.kind IN ('attempt', 'retract', 'restore')
"""  # noqa: S608
RECENT = f"""
SELECT e.kind, e.purpose, e.phase_before, e.took_ms, c.kind FROM event e LEFT JOIN card c ON c.card_key = e.card_key
WHERE e.learner = :learner ORDER BY e.event_id DESC LIMIT {RECENT_EVENTS}
"""  # noqa: S608
STUDIED = "SELECT 1 FROM event WHERE learner = :learner AND day = :day AND kind = 'attempt' LIMIT 1"
ANY_IN_QUEUE = "SELECT 1 FROM memory WHERE learner = :learner AND queue = :queue LIMIT 1"
NEXT_DUE_DAY = f"""
SELECT due_day FROM memory WHERE learner = :learner AND queue = {Queue.REVIEW:d} AND due_day > :day
ORDER BY due_day LIMIT 1
"""  # noqa: S608
DUE_BY = f"""
SELECT COUNT(*) FROM (SELECT 1 FROM memory WHERE learner = :learner AND queue = {Queue.REVIEW:d}
  AND due_day <= :day LIMIT :cap) AS due
"""  # noqa: S608


class Rows(Protocol):
    """Runs one of the queries above with named values and yields its rows."""

    def __call__(self, sql: str, values: dict[str, Any], /) -> Sequence[Sequence[Any]]: ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """A card that may be asked today. `order` is its due day, its position, or the instant its step is due (ms)."""

    card_key: int
    card_id: str
    sibling: str
    topic_key: int
    kind: str = ""
    stability: float | None = None
    last_day: int | None = None
    order: int = 0
    gives_away: tuple[str, ...] = ()
    contrast: tuple[str, ...] = ()  # of new cards only
    requires: tuple[str, ...] = ()  # of those with a contrast, and of new drills

    @property
    def is_drill(self) -> bool:
        return self.kind == DRILL


@dataclass(frozen=True, slots=True)
class Pace:
    """What one card costs this learner, in seconds, with the steps that follow it on the same day."""

    review_s: float = REVIEW_S
    new_s: float = NEW_S
    drill_s: float = DRILL_S

    def of(self, cards: Sequence[Candidate], card_s: float) -> float:
        """Seconds for these cards, at `card_s` for what is no drill."""
        return sum(self.drill_s if card.is_drill else card_s for card in cards)


@dataclass(slots=True)
class Done:
    """What was done today already, retracted attempts left out. `spent_ms` counts scheduled answers only.

    `introduced` counts new cards, `new_drills` new drills; of the `reviewed`, `drills` were drills.
    """

    attempts: int = 0
    reviewed: int = 0
    drills: int = 0
    introduced: int = 0
    new_drills: int = 0
    spent_ms: int = 0
    cards: list[Candidate] = field(default_factory=list)


@dataclass(slots=True)
class Today:
    """The day's cards, chosen but not yet mixed."""

    day: int
    steps: list[Candidate]
    reviews: list[Candidate]
    new: list[Candidate]
    hidden_siblings: int
    more_due: bool  # reviews are held back by the day's limit
    more_new: bool  # new cards are held back by the day's limit or minutes
    done: Done
    pace: Pace

    @property
    def expected_minutes(self) -> float:
        """Minutes the rest of the day will take at the learner's pace."""
        due = self.pace.of([*self.reviews, *self.steps], self.pace.review_s)
        return (due + self.pace.of(self.new, self.pace.new_s)) / 60

    @property
    def drills(self) -> int:
        """How many of the reviews and new cards are drills."""
        return sum(card.is_drill for card in (*self.reviews, *self.new))


class Apart:
    """Tells which cards would give one another away on the same day: siblings, and `gives_away` in either direction."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._siblings: dict[str, int] = {}
        self._ids: set[str] = set()
        self._given: set[str] = set()

    def add(self, card: Candidate) -> None:
        """Count this card as one of the day's."""
        self._siblings.setdefault(card.sibling, card.card_key)
        self._ids.update(_names(card.card_id))
        self._given.update(card.gives_away)

    def clashes(self, card: Candidate) -> bool:
        """Whether the day already has another card that this one must be kept apart from."""
        if not self._enabled:
            return False
        sibling = self._siblings.get(card.sibling, card.card_key) != card.card_key
        given = not self._given.isdisjoint(_names(card.card_id))
        return sibling or given or not self._ids.isdisjoint(card.gives_away)


def choose(
    rows: Rows, settings: Settings, now: Instant, topic_key: int | None = None, *, beyond: bool = False
) -> Today:
    """Today's cards: steps due today, reviews and new cards up to the day's limits, siblings kept apart.

    A limit counts what is shown: when a sibling is left out, the next card takes its place. New cards are as many as
    fit the day's minutes beside the reviews, at most `new_per_day`, less those introduced today; new drills fill what
    minutes are left, at most `drill_per_day`. `beyond` gives a learner who asked to go on another helping of all.
    """
    day = study_day(now, settings.rollover_hour)
    ends_ms = day_start_ms(day + 1, now.utc_offset_min, settings.rollover_hour) + LEARN_AHEAD_MS
    where = {"learner": settings.learner, "day": day, "ends": ends_ms, "topic": -1 if topic_key is None else topic_key}
    done = done_today(rows, settings.learner, day)
    steps = [_candidate(row) for row in rows(STEPS, where)]
    apart = Apart(settings.siblings_apart)
    for card in (*done.cards, *steps):
        apart.add(card)
    review_room = max(0, settings.reviews_per_day - done.reviewed)
    if beyond:
        review_room += MORE_REVIEWS
    due = _in_order(_walk(rows, DUE, where, review_room), settings, day)
    reviews, hidden, more_due = _take(due, review_room, apart)
    pace = recent_pace(rows, settings.learner)
    free_s = _free_s(settings, done, reviews, pace)
    new_room = _room(settings.new_per_day, free_s / pace.new_s, done.introduced)
    if beyond:
        new_room = max(new_room, MORE_NEW)
    new, hidden_new, more_new = _take(_walk(rows, NEW, where, new_room), new_room, apart)
    left_s = free_s - (done.introduced + len(new)) * pace.new_s
    drill_room = _room(settings.drill_per_day, left_s / pace.drill_s, done.new_drills)
    if beyond:
        drill_room = max(drill_room, MORE_DRILLS)
    ready = _ready(rows, settings.learner, _walk(rows, NEW_DRILLS, where, drill_room))
    drills, hidden_drills, more_drills = _take(ready, drill_room, apart)
    hidden += hidden_new + hidden_drills
    return Today(day, steps, reviews, [*new, *drills], hidden, more_due, more_new or more_drills, done, pace)


def done_today(rows: Rows, learner: str, day: int) -> Done:
    """What the log says of this study day; for each attempt the latest retraction or restoration decides."""
    attempts = []
    gone: dict[str, tuple[str, bool]] = {}
    for row in rows(DONE, {"learner": learner, "day": day}):
        if row[1] == Kind.ATTEMPT:
            attempts.append(row)
        else:
            gone[row[2]] = max(gone.get(row[2], ("", False)), (row[0], row[1] == Kind.RETRACT))
    done = Done()
    for event_id, _, _, purpose, phase_before, took_ms, card_key, card_id, sibling, kind, body in attempts:
        if gone.get(event_id, ("", False))[1]:
            continue
        done.attempts += 1
        if purpose not in SCHEDULING:
            continue
        is_drill = kind == DRILL
        done.reviewed += phase_before == Phase.REVIEW
        done.drills += is_drill and phase_before == Phase.REVIEW
        done.introduced += not is_drill and phase_before == Phase.NEW
        done.new_drills += is_drill and phase_before == Phase.NEW
        done.spent_ms += counted_ms(took_ms or 0)
        if card_id is not None:
            done.cards.append(_candidate((card_key, card_id, sibling, 0, kind, None, None, 0, body)))
    return done


def counted_ms(took_ms: int) -> int:
    """How much of an answer's time counts as study."""
    return min(max(took_ms, 0), COUNTED_MS)


def recent_pace(rows: Rows, learner: str) -> Pace:
    """The learner's pace by the median of their latest answers; the defaults until there are enough of them."""
    times: dict[int, list[float]] = {phase: [] for phase in Phase}
    drills: dict[bool, list[float]] = {True: [], False: []}  # by whether it came from its steps
    for kind, purpose, phase_before, took_ms, card_kind in rows(RECENT, {"learner": learner}):
        if kind == Kind.ATTEMPT and purpose in SCHEDULING and took_ms and phase_before is not None:
            in_steps = phase_before in (Phase.LEARNING, Phase.RELEARNING)
            found = drills[in_steps] if card_kind == DRILL else times[phase_before]
            found.append(counted_ms(took_ms) / 1000)
    return Pace(
        _cost_s(times[Phase.REVIEW], times[Phase.RELEARNING], 20, REVIEW_S),
        _cost_s(times[Phase.NEW], times[Phase.LEARNING], 10, NEW_S),
        _cost_s(drills[False], drills[True], 10, DRILL_S),
    )


def days_studied(rows: Rows, learner: str, day: int, of_last: int = 7) -> int:
    """On how many of the last days, today included, there was at least one answer."""
    return sum(any(True for _ in rows(STUDIED, {"learner": learner, "day": day - back})) for back in range(of_last))


def _cost_s(first: list[float], steps: list[float], enough: int, default: float) -> float:
    if len(first) < enough:
        return default
    return _median(first) + (_median(steps) * len(steps) / len(first) if steps else 0.0)


def _median(values: list[float]) -> float:
    """The middle value; `statistics` would cost the start-up 10 ms for it."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _free_s(settings: Settings, done: Done, reviews: Sequence[Candidate], pace: Pace) -> float:
    """What the day's minutes leave for new cards: the same at any hour, since reviews done count like those still due."""
    done_s = (done.reviewed - done.drills) * pace.review_s + done.drills * pace.drill_s
    return settings.minutes_per_day * 60 - done_s - pace.of(reviews, pace.review_s)


def _room(limit: int, fit: float, had: int) -> int:
    """How many new ones still come today: as many as fit, at most the limit, less those that came already."""
    return max(0, min(limit, int(max(0.0, fit))) - had)


def _ready(rows: Rows, learner: str, drills: Iterator[Candidate]) -> Iterator[Candidate]:
    """The new drills whose required cards were all introduced; a drill is the use of what was learnt."""
    new: dict[str, bool] = {}
    for drill in drills:
        for card_id in drill.requires:
            if card_id not in new:
                new[card_id] = bool(rows(IS_NEW, {"learner": learner, "card_id": card_id}))
        if not any(new[card_id] for card_id in drill.requires):
            yield drill


def _walk(rows: Rows, sql: str, where: dict[str, Any], room: int) -> Iterator[Candidate]:
    """Candidates along an index, page by page, so that leaving some out never makes the day shorter."""
    after, after_key, page = -(2**62), -1, room + 20
    while True:
        found = [_candidate(row) for row in rows(sql, {**where, "after": after, "after_key": after_key, "page": page})]
        yield from found
        if len(found) < page:
            return
        after, after_key = found[-1].order, found[-1].card_key


def _take(candidates: Iterator[Candidate], room: int, apart: Apart) -> tuple[list[Candidate], int, bool]:
    """The first `room` candidates that clash with nothing; how many clashed; whether one more would have qualified."""
    taken: list[Candidate] = []
    hidden = 0
    for card in candidates:
        if apart.clashes(card):
            hidden += 1
        elif len(taken) == room:
            return taken, hidden, True
        else:
            taken.append(card)
            apart.add(card)
    return taken, hidden, False


def _in_order(due: Iterator[Candidate], settings: Settings, day: int) -> Iterator[Candidate]:
    """Due cards by date, as they come, or the oldest of them by how likely they are to be remembered."""
    if settings.review_order != "easiest":
        return due
    from itertools import chain, islice

    from grading.schedule import Memory, retrievability

    plan = settings.plan()

    def recall(card: Candidate) -> float:
        memory = Memory(phase=Phase.REVIEW, stability=card.stability, last_day=card.last_day)
        return retrievability(memory, day, plan) or 0.0

    window = sorted(islice(due, REORDER_WINDOW), key=lambda card: (-recall(card), card.order, card.card_key))
    return chain(window, due)


def _candidate(row: Sequence[Any]) -> Candidate:
    *plain, body = row
    if not body:
        return Candidate(*plain)
    relations = json.loads(body)
    return Candidate(*plain, *(tuple(relations.get(key, ())) for key in ("gives_away", "contrast", "requires")))


def _names(card_id: str) -> tuple[str, str]:
    """The names a relation may use for a card: its own, and for a cloze that of the whole note."""
    return card_id, card_id.partition("#")[0]
