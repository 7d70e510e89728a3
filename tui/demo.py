"""A throw-away record with ninety days of history, made by the same scheduler that real answers go through."""

from __future__ import annotations

import heapq
import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

from grading import fsrs, schedule
from grading.days import Instant, day_start_ms, study_day
from grading.schedule import Memory, Phase, Rating

if TYPE_CHECKING:
    from content.actions import Actions
    from content.events import NewEvent
    from content.rows import CardState
    from content.settings import Settings
    from tui.clock import Clock
    from tui.paths import Places

DAYS = 90
NEW_PER_DAY = 2
OFF_DAYS = 0.15
"""Share of days on which the simulated learner did nothing."""

SEED = 20261130


class Learner:
    """Answers as the memory model predicts, with some luck; every press writes an event."""

    def __init__(self, actions: Actions, states: list[CardState]) -> None:
        self.actions = actions
        self.plan = actions.plan
        self.luck = random.Random(SEED)  # noqa: S311 - a simulation
        self.new = list(reversed(states))
        self.known: dict[int, CardState] = {}
        self.events: list[NewEvent] = []
        self._topics: set[str] = set()

    def study(self, day: int, offset_min: int) -> None:
        """One day: what is due, then a few new cards; misses come back within the sitting."""
        at_ms = day_start_ms(day, offset_min, self.plan.rollover_hour) + self.luck.randrange(4, 14) * 3_600_000
        waiting = [(0, key) for key, state in sorted(self.known.items()) if self._is_due(state, day)]
        for _number in range(min(NEW_PER_DAY, len(self.new))):
            state = self.new.pop()
            self._read_lesson(state, Instant(at_ms, offset_min))
            self.known[state.card.card_key] = state
            waiting.append((0, state.card.card_key))
        heapq.heapify(waiting)
        while waiting:
            ready_ms, key = heapq.heappop(waiting)
            took_ms = self.luck.randrange(4_000, 26_000)
            at_ms = max(at_ms, ready_ms) + took_ms
            due_ms = self._answer(key, Instant(at_ms, offset_min), took_ms)
            if due_ms is not None:
                heapq.heappush(waiting, (due_ms, key))

    def _is_due(self, state: CardState, day: int) -> bool:
        memory = state.row.memory
        return memory.due_ms is not None or (memory.due_day is not None and memory.due_day <= day)

    def _read_lesson(self, state: CardState, now: Instant) -> None:
        from content.events import Kind

        topic = state.card.topic_id
        if topic not in self._topics:
            self._topics.add(topic)
            self.events.append(self.actions.event(Kind.LESSON, now, response=json.dumps({"v": 1, "topic": topic})))

    def _answer(self, key: int, now: Instant, took_ms: int) -> int | None:
        """Answer a card; the instant at which it comes back on the same day, if it does."""
        from content.events import Kind, Purpose

        state = self.known[key]
        outcomes = schedule.outcomes(state.row.memory, now, self.plan, state.card.card_id)
        rating = self._rating(state.row.memory, outcomes.day)
        row = replace(state.row, memory=schedule.after(state.row.memory, outcomes.of(rating), now, self.plan))
        self.events.append(
            self.actions.event(
                Kind.ATTEMPT,
                now,
                state=state,
                rating=int(rating),
                took_ms=took_ms,
                purpose=Purpose.REVIEW,
                response='{"v":1}',
                **self.actions.moved(state.row, row),
            )
        )
        self.known[key] = replace(state, row=row)
        return row.memory.due_ms

    def _rating(self, memory: Memory, day: int) -> Rating:
        recalled = 0.75
        if memory.phase is Phase.REVIEW and memory.stability is not None and memory.last_day is not None:
            recalled = float(fsrs.retrievability(self.plan.weights, float(day - memory.last_day), memory.stability))
        if self.luck.random() > recalled:
            return Rating.AGAIN
        return self.luck.choices((Rating.HARD, Rating.GOOD, Rating.EASY), (1, 7, 1))[0]


def make_demo(places: Places, settings: Settings, clock: Clock) -> None:
    """Write a record into the empty folder of `places`, ending the day before `clock`'s now."""
    from content.actions import Actions
    from content.reading import CardFilter
    from content.store import Record
    from tui.clock import EventIds
    from tui.opening import sync_packs

    now = clock.now()
    with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
        sync_packs(record, places, clock)
        states = list(record.cards(CardFilter(), limit=10_000).cards)
        learner = Learner(Actions(record, settings, EventIds()), states)
        today = study_day(now, settings.rollover_hour)
        for day in range(today - DAYS, today):
            if day >= today - 2 or learner.luck.random() > OFF_DAYS:
                learner.study(day, now.utc_offset_min)
        record.write(learner.events, [state.row for state in learner.known.values()])
