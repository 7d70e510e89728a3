"""Which cards today holds, worked out from the indexes alone; the queue and the glance share it, so they cannot differ.

Every query has a LIMIT that follows from the day's limits, never from the number of cards, and walks one index of
`memory` or one day of `event`. Whoever calls hands in a `Rows` function; nothing here imports a database library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from content.apart import Apart
from content.day_sql import DONE, DUE, DUE_OF_KIND, IS_NEW, NEW, NEW_OF_KIND, RECENT, STEPS, STUDIED
from content.kinds import SCHEDULING, Kind
from grading.days import Instant, day_start_ms, study_day
from grading.phases import Phase

if TYPE_CHECKING:
    from content.settings import Settings

REVIEW_S = 12.0
"""Seconds one review takes, its relearning included, until the learner's own times say otherwise."""
NEW_S = 35.0
"""Seconds a new card takes on its first day, its learning steps included, until then."""
DRILL_S = 60.0
"""Seconds one drill takes, new or due, until then."""
TABLE_S = 90.0
"""The same for a table."""
ORAL_S = 150.0
"""The same for an oral question: a skeleton of 90 seconds and its marks."""
COUNTED_MS = 300_000
"""An answer counts for at most five minutes of the day: a coffee break is not study."""
LEARN_AHEAD_MS = 20 * 60_000
"""With nothing else left, a step due within this time is offered at once instead of ending the sitting."""
MORE_REVIEWS, MORE_NEW, MORE_DRILLS = 50, 10, 5
"""What going on past the day's limits brings at a time."""
DRILL, TABLE, ORAL = "drill", "table", "oral"
TYPED = (ORAL, TABLE)
"""Kinds of which only so many a day come, due and new together."""
REORDER_WINDOW = 1000
"""With an order other than by date, this many of the oldest due cards are put in order; sorting all would grow with
the collection."""


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
    requires: tuple[str, ...] = ()  # of those with a contrast, and of new drills, tables and oral questions

    @property
    def is_drill(self) -> bool:
        return self.kind == DRILL


@dataclass(frozen=True, slots=True)
class Pace:
    """What one card costs this learner, in seconds, with the steps that follow it on the same day."""

    review_s: float = REVIEW_S
    new_s: float = NEW_S
    drill_s: float = DRILL_S
    table_s: float = TABLE_S
    oral_s: float = ORAL_S

    def kind_s(self, kind: str, card_s: float) -> float:
        """Seconds of one card of a kind, `card_s` for what is only read."""
        return {DRILL: self.drill_s, TABLE: self.table_s, ORAL: self.oral_s}.get(kind, card_s)

    def of(self, cards: Sequence[Candidate], card_s: float) -> float:
        """Seconds for these cards, at `card_s` for those that are only read."""
        return sum(self.kind_s(card.kind, card_s) for card in cards)


@dataclass(slots=True)
class Done:
    """What was done today already, retracted attempts left out. `spent_ms` counts scheduled answers only.

    `introduced` counts new cards, `new_drills` new drills, `typed` tables and oral questions by kind, due or new; of the
    `reviewed`, `drills` were drills and `typed_reviewed` tables or oral questions.
    """

    attempts: int = 0
    reviewed: int = 0
    drills: int = 0
    introduced: int = 0
    new_drills: int = 0
    typed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TYPED, 0))
    typed_reviewed: int = 0
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
        return self.of_kind(DRILL)

    def of_kind(self, kind: str) -> int:
        """How many of the reviews and new cards are of a kind."""
        return sum(card.kind == kind for card in (*self.reviews, *self.new))


def choose(
    rows: Rows, settings: Settings, now: Instant, topic_key: int | None = None, *, beyond: bool = False
) -> Today:
    """Today's cards: steps due today, reviews and new cards up to the day's limits, siblings kept apart.

    A limit counts what is shown: when a sibling is left out, the next card takes its place. Oral questions and tables have
    limits of their own and come first, since one of them trains what many cards hold. New cards are as many as fit the
    day's minutes beside the reviews, at most `new_per_day`, less those introduced today; new drills fill what minutes are
    left, at most `drill_per_day`. `beyond` gives a learner who asked to go on another helping of all.
    """
    return _Chooser(rows, settings, now, topic_key, beyond).today()


class _Chooser:
    """Chooses one day's cards. Each step takes candidates along an index until its room is filled."""

    def __init__(self, rows: Rows, settings: Settings, now: Instant, topic_key: int | None, beyond: bool) -> None:
        self.rows, self.settings, self.beyond = rows, settings, beyond
        self.day = study_day(now, settings.rollover_hour)
        ends_ms = day_start_ms(self.day + 1, now.utc_offset_min, settings.rollover_hour) + LEARN_AHEAD_MS
        topic = -1 if topic_key is None else topic_key
        self.where = {"learner": settings.learner, "day": self.day, "ends": ends_ms, "topic": topic}
        self.done = done_today(rows, settings.learner, self.day)
        self.pace = recent_pace(rows, settings.learner)
        self.apart = Apart(settings.siblings_apart)
        self.hidden = 0

    def today(self) -> Today:
        settings, done, pace = self.settings, self.done, self.pace
        steps = [_candidate(row) for row in self.rows(STEPS, self.where)]
        for card in (*done.cards, *steps):
            self.apart.add(card)
        room = max(0, settings.reviews_per_day - done.reviewed) + (MORE_REVIEWS if self.beyond else 0)
        typed = [card for kind in TYPED for card in self._typed_due(kind, room)]
        due = _in_order(_walk(self.rows, DUE, self.where, room), settings, self.day)
        reviews, more_due = self._take(due, max(0, room - len(typed)))
        reviews += typed
        free_s = _free_s(settings, done, reviews, pace)
        new_typed: list[Candidate] = []
        for kind in TYPED:
            had = sum(card.kind == kind for card in reviews)
            found = self._typed_new(kind, had, free_s)
            new_typed += found
            free_s -= pace.of(found, 0.0)
        new_room = _room(settings.new_per_day, free_s / pace.new_s, done.introduced)
        if self.beyond:
            new_room = max(new_room, MORE_NEW)
        new, more_new = self._take(_walk(self.rows, NEW, self.where, new_room), new_room)
        left_s = free_s - (done.introduced + len(new)) * pace.new_s
        drill_room = _room(settings.drill_per_day, left_s / pace.drill_s, done.new_drills)
        if self.beyond:
            drill_room = max(drill_room, MORE_DRILLS)
        drills, more_drills = self._take(self._new_of_kind(DRILL, drill_room), drill_room)
        new += [*drills, *new_typed]
        more_new = more_new or more_drills
        return Today(self.day, steps, reviews, new, self.hidden, more_due, more_new, done, pace)

    def _limit(self, kind: str) -> int:
        """How many of a kind still come today."""
        limit = self.settings.oral_per_day if kind == ORAL else self.settings.table_per_day
        return max(0, limit - self.done.typed[kind])

    def _typed_due(self, kind: str, room: int) -> list[Candidate]:
        room = min(self._limit(kind), room)
        return self._take(_walk(self.rows, DUE_OF_KIND, {**self.where, "kind": kind}, room), room)[0] if room else []

    def _typed_new(self, kind: str, had: int, free_s: float) -> list[Candidate]:
        room = min(self._limit(kind) - had, int(max(0.0, free_s) / self.pace.kind_s(kind, 1.0)))
        return self._take(self._new_of_kind(kind, room), room)[0] if room > 0 else []

    def _new_of_kind(self, kind: str, room: int) -> Iterator[Candidate]:
        found = _walk(self.rows, NEW_OF_KIND, {**self.where, "kind": kind}, room)
        return _ready(self.rows, self.settings.learner, found, but=DRILL if kind == ORAL else "")

    def _take(self, candidates: Iterator[Candidate], room: int) -> tuple[list[Candidate], bool]:
        taken, hidden, more = _take(candidates, room, self.apart)
        self.hidden += hidden
        return taken, more


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
        is_review, is_new = phase_before == Phase.REVIEW, phase_before == Phase.NEW
        done.reviewed += is_review
        done.drills += is_review and kind == DRILL
        done.new_drills += is_new and kind == DRILL
        done.introduced += is_new and kind not in (DRILL, *TYPED)
        if kind in TYPED:
            done.typed[kind] += is_review or is_new
            done.typed_reviewed += is_review
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
    typed: dict[tuple[str, bool], list[float]] = {}  # by kind and by whether it came from its steps
    for kind, purpose, phase_before, took_ms, card_kind in rows(RECENT, {"learner": learner}):
        if kind == Kind.ATTEMPT and purpose in SCHEDULING and took_ms and phase_before is not None:
            in_steps = phase_before in (Phase.LEARNING, Phase.RELEARNING)
            is_typed = card_kind in (DRILL, *TYPED)
            found = typed.setdefault((card_kind, in_steps), []) if is_typed else times[phase_before]
            found.append(counted_ms(took_ms) / 1000)

    def of_kind(kind: str, enough: int, default: float) -> float:
        return _cost_s(typed.get((kind, False), []), typed.get((kind, True), []), enough, default)

    return Pace(
        _cost_s(times[Phase.REVIEW], times[Phase.RELEARNING], 20, REVIEW_S),
        _cost_s(times[Phase.NEW], times[Phase.LEARNING], 10, NEW_S),
        of_kind(DRILL, 10, DRILL_S),
        of_kind(TABLE, 5, TABLE_S),
        of_kind(ORAL, 5, ORAL_S),
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
    done_s = (done.reviewed - done.drills - done.typed_reviewed) * pace.review_s + done.drills * pace.drill_s
    done_s += sum(count * pace.kind_s(kind, 0.0) for kind, count in done.typed.items())
    return settings.minutes_per_day * 60 - done_s - pace.of(reviews, pace.review_s)


def _room(limit: int, fit: float, had: int) -> int:
    """How many new ones still come today: as many as fit, at most the limit, less those that came already."""
    return max(0, min(limit, int(max(0.0, fit))) - had)


def _ready(rows: Rows, learner: str, found: Iterator[Candidate], *, but: str = "") -> Iterator[Candidate]:
    """The new ones whose required cards were all introduced, those of the kind `but` apart: a drill, a table or an oral
    question is the use of what was learnt."""
    new: dict[str, bool] = {}
    for card in found:
        for card_id in card.requires:
            if card_id not in new:
                new[card_id] = bool(rows(IS_NEW, {"learner": learner, "card_id": card_id, "but": but}))
        if not any(new[card_id] for card_id in card.requires):
            yield card


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
    found = [list(relations.get(key, ())) for key in ("gives_away", "contrast", "requires")]
    found[2] += [card_id for point in relations.get("rubric", ()) for card_id in point.get("cards", ())]
    return Candidate(*plain, *map(tuple, found))
