"""The words of one sitting: what is on screen, what an answer did, how far along it is, why it ended."""

from __future__ import annotations

from bisect import insort
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from content.cards import Card, Topic
from content.events import Kind
from content.queue import DayQueue, Waiting
from content.today import LEARN_AHEAD_MS
from grading.memory import Memory, Phase, Rating

if TYPE_CHECKING:
    from content.drilling import DrillAsk, Graded
    from content.oral import OralAsk
    from content.tables_recall import TableAsk, TableGraded

SKIP_MS = 60_000
"""A skipped step card comes back after this time; any other after the rest of the queue."""


class DayTurned(Exception):
    """The study day changed after the answer was shown: nothing was stored, the intervals are new; draw them again."""


class NotNow(Exception):
    """The key does not apply to what is on screen (a rating before the answer is shown, any card key on a lesson)."""


@dataclass(frozen=True, slots=True)
class CardItem:
    """A card on screen and what the learner's record says of it; for a drill also the problem that is asked, for a table
    the cells that are blank."""

    card: Card
    card_key: int
    rev: str
    memory: Memory
    is_new: bool
    flag: int = 0
    note: str | None = None
    ask: DrillAsk | None = None
    table: TableAsk | None = None

    @property
    def in_steps(self) -> bool:
        """Whether the card comes from its learning or relearning steps."""
        return self.memory.phase in (Phase.LEARNING, Phase.RELEARNING)


@dataclass(frozen=True, slots=True)
class LessonItem:
    """A topic's lesson, shown once before the topic's first new card."""

    topic: Topic


@dataclass(frozen=True, slots=True)
class Answered:
    """What one answer did. `first_try` marks the miss of a card never seen before: not a lapse.

    Due is after `delay_s` seconds or `interval_days` days; both are None for practice, which moves nothing. `made_due` are
    cards that are due today because of it (those of the points that an oral answer missed).
    """

    card_id: str
    rating: Rating
    phase: Phase
    delay_s: int | None
    interval_days: int | None
    leech_now: bool = False
    suspended_by_leech: bool = False
    first_try: bool = False
    practice: bool = False
    made_due: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """Which step was taken back or done again. `card` is its card with the text that now holds (an edit's own undo)."""

    kind: Kind | None  # None for a skip, which the log does not hold
    card_id: str | None
    rating: Rating | None = None
    card: Card | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far along the sitting is; the card on screen counts as left. `budget_ms` is 0 where no minutes are set."""

    done: int
    new_left: int
    steps_left: int
    reviews_left: int
    hidden_siblings: int
    spent_ms: int
    budget_ms: int

    @property
    def total(self) -> int:
        """Answers given plus cards left."""
        return self.done + self.new_left + self.steps_left + self.reviews_left


@dataclass(frozen=True, slots=True)
class Finish:
    """Why nothing is on screen, and what comes when.

    reason: "enough" (the day's minutes are spent and every miss was recalled), "all-done", "limit" (the daily limit
    holds due reviews back), "no-cards", "all-suspended", "practice" (a run of drills or a selection is over). `missed`
    are the cards rated Again in this sitting, in order. `more_due` and `more_new` say what `Session.go_on` would bring.
    """

    reason: str
    answered: int
    missed: tuple[str, ...]
    again_count: int
    spent_ms: int
    next_due_ms: int | None = None
    next_due_day: int | None = None
    tomorrow_count: int = 0
    more_due: bool = False
    more_new: bool = False


class Shown(StrEnum):
    """What the card on screen counts as among those left."""

    NEW = "new"
    REVIEW = "review"
    STEP = "step"


@dataclass(slots=True)
class Place:
    """Where a sitting stands. Copied before each step, so that undo gives back just what was there.

    A copy costs as much as there are cards in steps, never as much as the queue: that is shared, with a position in it.
    """

    queue: DayQueue
    steps: list[tuple[int, int]]  # (due ms, card key), soonest first
    left: dict[Shown, int]  # the card on screen included; steps in `steps` are not counted here
    position: int = 0  # of the next card in queue.main
    later: list[Waiting] = field(default_factory=list)  # skipped, and misses of practice
    unrecalled: set[int] = field(default_factory=set)  # missed in this sitting and not recalled since
    missed: tuple[str, ...] = ()
    done: int = 0
    again_count: int = 0
    spent_ms: int = 0  # of this study day, earlier sittings included
    beyond: bool = False  # the learner goes on past the day's minutes
    passed_topics: frozenset[str] = frozenset()  # lessons read or passed over
    waiting: Waiting | None = None  # the card on screen, or behind the lesson on screen
    shown: Shown = Shown.REVIEW  # what it counts as
    ask: DrillAsk | None = None  # the problem of the drill on screen: undo shows the same one again
    graded: Graded | None = None  # what was answered to it
    table: TableAsk | None = None  # the blanks of the table on screen
    table_graded: TableGraded | None = None
    oral: OralAsk | None = None  # the answer to the oral question on screen

    @classmethod
    def start(cls, queue: DayQueue) -> Place:
        """The beginning of a day's queue."""
        new = sum(waiting.is_new for waiting in queue.main)
        left = {Shown.NEW: new, Shown.REVIEW: len(queue.main) - new, Shown.STEP: 0}
        steps = sorted((due_ms, card_key) for card_key, due_ms in queue.steps.items())
        return cls(queue, steps, left, spent_ms=queue.spent_ms)

    def copy(self) -> Place:
        """The same place, unaffected by later steps."""
        same = replace(self)
        same.steps, same.later, same.unrecalled = list(self.steps), list(self.later), set(self.unrecalled)
        same.left = dict(self.left)
        return same

    def on_queue(self, queue: DayQueue) -> Place:
        """Another queue with this sitting's counts; what is on screen stays and is taken out of the queue."""
        key = None if self.waiting is None else self.waiting.card_key
        main = tuple(waiting for waiting in queue.main if waiting.card_key != key)
        place = Place.start(replace(queue, main=main, steps={k: due for k, due in queue.steps.items() if k != key}))
        place.unrecalled, place.missed = set(self.unrecalled), self.missed
        place.done, place.again_count = self.done, self.again_count
        place.passed_topics = self.passed_topics
        place.waiting, place.shown = self.waiting, self.shown
        place.ask, place.graded = self.ask, self.graded
        place.table, place.table_graded, place.oral = self.table, self.table_graded, self.oral
        if self.waiting is not None:
            place.left[self.shown] += 1
        return place

    def next_card(self, now_ms: int, over: bool) -> bool:
        """Put the next card on screen; False when there is none. With the day's minutes `over`, only misses count.

        A step whose time has come goes first, then the queue, then what was skipped, then steps due soon.
        """
        if over:
            return self._take_step(now_ms + LEARN_AHEAD_MS, self.unrecalled)
        if self._take_step(now_ms):
            return True
        if self.position < len(self.queue.main):
            self.waiting = self.queue.main[self.position]
            self.position += 1
        elif self.later:
            self.waiting = self.later.pop(0)
        else:
            return self._take_step(now_ms + LEARN_AHEAD_MS)
        self.shown = Shown.NEW if self.waiting.is_new else Shown.REVIEW
        return True

    def answer(self, card_id: str, rating: Rating, spent_ms: int) -> Waiting:
        """Count an answer to the card on screen; returns the place it had."""
        assert self.waiting is not None
        waiting = self.waiting
        self.done += 1
        self.spent_ms += spent_ms
        if rating is Rating.AGAIN:
            self.again_count += 1
            self.unrecalled.add(waiting.card_key)
            if card_id not in self.missed:
                self.missed += (card_id,)
        else:
            self.unrecalled.discard(waiting.card_key)
        self.consume()
        return waiting

    def come_later(self, waiting: Waiting) -> None:
        """Let a card come again after the rest of the queue."""
        self.later.append(waiting)
        self.left[Shown.NEW if waiting.is_new else Shown.REVIEW] += 1

    def keep_graded(self, graded: Graded | TableGraded | None) -> None:
        """Keep what was answered to the drill or table on screen."""
        if self.table is not None:
            self.table_graded = graded  # type: ignore[assignment]  # the table's own, since a table is on screen
        else:
            self.graded = graded  # type: ignore[assignment]

    def consume(self) -> None:
        """The card on screen is dealt with."""
        self.left[self.shown] -= 1
        self.waiting = self.ask = self.graded = None
        self.table = self.table_graded = self.oral = None

    def count_as(self, shown: Shown) -> None:
        """The card on screen now is of another kind (it was reset, or given a date)."""
        assert self.waiting is not None
        self.left[self.shown] -= 1
        self.left[shown] += 1
        self.shown = shown
        self.waiting = Waiting(self.waiting.card_key, shown is Shown.NEW)

    def put_in_steps(self, due_ms: int, card_key: int) -> None:
        """Let a card wait for an instant."""
        insort(self.steps, (due_ms, card_key))

    def _take_step(self, until_ms: int, among: set[int] | None = None) -> bool:
        for index, (due_ms, card_key) in enumerate(self.steps):
            if due_ms > until_ms:
                break
            if among is None or card_key in among:
                del self.steps[index]
                self.waiting, self.shown = Waiting(card_key, is_new=False), Shown.STEP
                self.left[Shown.STEP] += 1
                return True
        return False
