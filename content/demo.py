"""A simulated history: a learner who answers as the memory model predicts, with some luck, day after day.

Every answer is an event made and folded as a real one is; only the writing is done in one transaction at the end.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from content.actions import Actions, response_text
from content.events import Kind, Purpose
from content.reading import CardFilter
from grading import schedule
from grading.days import Instant, day_start_ms, study_day
from grading.memory import Memory, Phase, Rating

if TYPE_CHECKING:
    from content.events import NewEvent
    from content.rows import CardState
    from content.settings import Settings
    from content.store import Record

SEED = 20_261_130
MOST_CARDS = 2_000
LEARNT_SHARE = 0.85
"""Of all cards; the rest is still new at the end, so that today has some of each."""
OFF_SHARE = 0.15
"""Of all days: those on which the learner did nothing."""
FIRST_RECALL = 0.75
"""Chance to know a card that is not in review yet."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What was written."""

    days: int
    attempts: int
    cards: int


def build_demo(record: Record, settings: Settings, now: Instant, *, days: int = 90, seed: int = SEED) -> Demo:
    """Write a history of this many study days, up to yesterday, into a record that has cards but no history.

    The same record, settings, moment and seed give the same history. Raises ValueError when something was answered
    already: a simulation must not be mixed into a learner's own log.
    """
    if record.named_rows("SELECT 1 FROM event WHERE learner = :learner LIMIT 1", {"learner": record.learner}):
        raise ValueError("This record has a history of its own; make the demonstration in an empty folder.")
    luck = random.Random(seed)  # noqa: S311  a simulation
    actions = Actions(record, settings, lambda at_ms: f"{at_ms:012x}{luck.getrandbits(80):020x}")
    learner = _Learner(actions, list(record.cards(CardFilter(), limit=MOST_CARDS).cards), luck)
    today = study_day(now, settings.rollover_hour)
    studied = [day for day in range(today - days, today) if day >= today - 2 or luck.random() > OFF_SHARE]
    for number, day in enumerate(studied, start=1):
        learner.study(day, now.utc_offset_min, known=round(LEARNT_SHARE * learner.cards * number / len(studied)))
    record.write(learner.events, [state.row for state in learner.known.values()])
    attempts = sum(event.kind is Kind.ATTEMPT for event in learner.events)
    return Demo(len(studied), attempts, len(learner.known))


class _Learner:
    def __init__(self, actions: Actions, states: list[CardState], luck: random.Random) -> None:
        self.actions = actions
        self.plan = actions.plan
        self.luck = luck
        self.cards = len(states)
        self.new = list(reversed(states))
        self.known: dict[int, CardState] = {}
        self.events: list[NewEvent] = []
        self._lessons: set[str] = set()

    def study(self, day: int, utc_offset_min: int, *, known: int) -> None:
        """One sitting: what is due, then new cards until `known` were begun; misses come back within it."""
        start_ms = day_start_ms(day, utc_offset_min, self.plan.rollover_hour)
        at_ms = start_ms + self.luck.randrange(3 * 60, 15 * 60) * 60_000
        waiting = [(0, key) for key, state in sorted(self.known.items()) if _is_due(state.row.memory, day)]
        while self.new and len(self.known) < known:
            state = self.new.pop()
            self._read_lesson(state.card.topic_id, Instant(at_ms, utc_offset_min))
            self.known[state.card.card_key] = state
            waiting.append((0, state.card.card_key))
        heapq.heapify(waiting)
        while waiting:
            ready_ms, card_key = heapq.heappop(waiting)
            took_ms = self.luck.randrange(4_000, 26_000)
            at_ms = max(at_ms, ready_ms) + took_ms
            due_ms = self._answer(card_key, Instant(at_ms, utc_offset_min), took_ms)
            if due_ms is not None and due_ms < start_ms + 86_400_000:
                heapq.heappush(waiting, (due_ms, card_key))

    def _read_lesson(self, topic_id: str, now: Instant) -> None:
        if topic_id not in self._lessons:
            self._lessons.add(topic_id)
            self.events.append(self.actions.event(Kind.LESSON, now, response=response_text({"topic": topic_id})))

    def _answer(self, card_key: int, now: Instant, took_ms: int) -> int | None:
        """Answer a card; the instant at which its next step is due, if it has one."""
        state = self.known[card_key]
        outcomes = schedule.outcomes(state.row.memory, now, self.plan, state.card.card_id)
        rating = self._rating(state.row.memory, outcomes.day)
        row = replace(state.row, memory=schedule.after(state.row.memory, outcomes.of(rating), now, self.plan))
        event = self.actions.event(
            Kind.ATTEMPT,
            now,
            state=state,
            rating=int(rating),
            took_ms=took_ms,
            purpose=Purpose.REVIEW,
            **self.actions.moved(state.row, row),
        )
        self.events.append(event)
        self.known[card_key] = replace(state, row=row)
        return row.memory.due_ms

    def _rating(self, memory: Memory, day: int) -> Rating:
        recall = schedule.retrievability(memory, day, self.plan) if memory.phase is Phase.REVIEW else None
        if self.luck.random() > (FIRST_RECALL if recall is None else recall):
            return Rating.AGAIN
        return self.luck.choices((Rating.HARD, Rating.GOOD, Rating.EASY), (1, 7, 1))[0]


def _is_due(memory: Memory, day: int) -> bool:
    return memory.due_ms is not None or (memory.due_day is not None and memory.due_day <= day)
