"""Phase, interval and memory against the `anki` package itself, on every answer of random card lives.

How time passes: Anki reads the system clock and cannot be told another. A card's own dates are moved into the past
instead (`due` and the time of its last review, by whole days), which is what waiting does to it. The collection's day
is made to start twelve hours away from the moment of the test, so that no run crosses it. `ANKI_TEST_MODE` turns
Anki's fuzz off.

Anki stores stability to 4 and difficulty to 3 decimals and computes in single precision. So after each answer our
memory is rounded in the same way, and the four outcomes of the next one are compared with Anki's four before *their*
rounding: phase, steps left, interval and lapses equal, stability and difficulty to 3e-5. Where an interval of many
years lies on the half day, closer than single precision can tell, the two may round it differently: seen four times
in 58,000 outcomes, never below ten years with the shipped settings. `SINGLE_PRECISION` allows a day there only.

A second answer on one study day outside the steps moves Anki's schedule and is practice here: the four outcomes are
compared there too, but neither side is moved on.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

os.environ["ANKI_TEST_MODE"] = "1"  # before Anki first looks at it
pytest.importorskip("anki", reason="the `peers` extra is not installed")

from anki import scheduler_pb2
from anki.collection import Collection

from grading.days import Instant
from grading.fsrs import interval_days
from grading.schedule import Memory, Outcome, Phase, Plan, Rating, after, outcomes

pytestmark = pytest.mark.peers

DAY_MS = 86_400_000
START = Instant(20_000 * DAY_MS + 10 * 3_600_000, 0)
TOLERANCE = 3e-5
SINGLE_PRECISION = 2e-6
OTHER_WEIGHTS = (
    *(0.35, 1.1, 3.9, 12.5, 6.9, 0.71, 2.6, 0.012, 1.55, 0.21, 1.02),
    *(1.7, 0.09, 0.31, 1.9, 0.45, 2.4, 0.62, 0.17, 0.12, 0.21),
)
PLANS = {
    "as shipped": Plan(fuzz=False),
    "no steps": Plan(fuzz=False, learning_steps_s=(), relearning_steps_s=()),
    "own weights and steps": Plan(
        weights=OTHER_WEIGHTS,
        fuzz=False,
        desired_retention=0.85,
        learning_steps_s=(60, 900, 7200),
        relearning_steps_s=(300, 3600),
        maximum_interval_days=400,
        leech_lapses=3,
    ),
}


class AnkiCards:
    """An Anki collection that follows a plan, answered through the calls its own reviewer makes."""

    def __init__(self, path: Path, plan: Plan) -> None:
        self.col = Collection(str(path))
        self.col.set_config("fsrs", True)
        self.col.set_config("rollover", (time.localtime().tm_hour + 12) % 24)
        preset = self.col.decks.get_config(1)
        preset["fsrsParams6"] = list(plan.weights)
        preset["desiredRetention"] = plan.desired_retention
        preset["rev"]["maxIvl"] = plan.maximum_interval_days
        preset["new"]["delays"] = [s / 60 for s in plan.learning_steps_s]
        preset["lapse"]["delays"] = [s / 60 for s in plan.relearning_steps_s]
        preset["lapse"]["leechFails"] = plan.leech_lapses
        self.col.decks.update_config(preset)
        self.col.close()
        self.col = Collection(str(path))  # the new start of the day counts from the next opening

    def add(self) -> int:
        note = self.col.new_note(self.col.models.by_name("Basic"))
        note["Front"] = note["Back"] = "x"
        self.col.add_note(note, 1)
        return int(note.card_ids()[0])

    def states(self, card: int) -> Any:
        return self.col._backend.get_scheduling_states(card)

    def answer(self, card: int, states: Any, rating: Rating) -> None:
        self.col._backend.answer_card(
            scheduler_pb2.CardAnswer(
                card_id=card,
                current_state=states.current,
                new_state=_chosen(states, rating),
                rating=rating - 1,
                answered_at_millis=int(time.time() * 1000),
                milliseconds_taken=1000,
            )
        )

    def wait(self, card: int, days: int) -> None:
        """Let whole days pass for one card."""
        queue, due, data = self.col.db.first("select queue, due, data from cards where id = ?", card)
        fields = json.loads(data)
        fields["lrt"] -= days * 86_400
        due -= days * 86_400 if queue == 1 else days
        self.col.db.execute("update cards set due = ?, data = ? where id = ?", due, json.dumps(fields), card)

    def stored(self, card: int) -> tuple[float, float, int, int]:
        """Stability, difficulty, interval in days and lapses as the card has them."""
        data, interval, lapses = self.col.db.first("select data, ivl, lapses from cards where id = ?", card)
        fields = json.loads(data)
        return fields["s"], fields["d"], interval, lapses


@pytest.fixture(params=PLANS.values(), ids=PLANS.keys())
def plan(request: pytest.FixtureRequest) -> Plan:
    chosen: Plan = request.param
    return chosen


@pytest.fixture
def anki_cards(tmp_path: Path, plan: Plan) -> Iterator[AnkiCards]:
    cards = AnkiCards(tmp_path / "collection.anki2", plan)
    yield cards
    cards.col.close()


def test_every_answer_of_random_lives_is_ankis(anki_cards: AnkiCards, plan: Plan) -> None:
    rng = random.Random(2026)
    phases_seen: set[Phase] = set()
    for _ in range(200):
        card = anki_cards.add()
        memory, now = Memory(), START
        for _ in range(rng.randint(6, 18)):
            ours, theirs = outcomes(memory, now, plan, f"card {card}"), anki_cards.states(card)
            for rating in Rating:
                _same(ours.of(rating), _chosen(theirs, rating), memory, plan)
            if ours.on_schedule:
                rating = Rating(rng.choices(tuple(Rating), (25, 15, 45, 15))[0])
                anki_cards.answer(card, theirs, rating)
                memory = _as_anki_stores(after(memory, ours.of(rating), now, plan), anki_cards.stored(card))
                phases_seen.add(memory.phase)
            days = _pause(rng, memory)
            anki_cards.wait(card, days)
            now = Instant(now.at_ms + days * DAY_MS, now.utc_offset_min)
    assert phases_seen == {Phase.LEARNING, Phase.REVIEW, Phase.RELEARNING}


def test_leeches_are_marked_on_the_lapses_anki_marks_them(anki_cards: AnkiCards, plan: Plan) -> None:
    card, memory, now = anki_cards.add(), Memory(), START
    for _ in range(60):
        ours, theirs = outcomes(memory, now, plan, "leech"), anki_cards.states(card)
        rating = Rating.AGAIN if memory.phase is Phase.REVIEW else Rating.EASY
        leeched = anki_cards.col._backend.state_is_leech(_chosen(theirs, rating))
        assert ours.of(rating).leech_now == leeched, f"after {memory.lapses} lapses"
        anki_cards.answer(card, theirs, rating)
        memory = _as_anki_stores(after(memory, ours.of(rating), now, plan), anki_cards.stored(card))
        anki_cards.wait(card, 1)
        now = Instant(now.at_ms + DAY_MS, 0)
    assert memory.leech


def _pause(rng: random.Random, memory: Memory) -> int:
    """Days until the next answer: often none, mostly about the interval, now and then very long."""
    kind = rng.random()
    if kind < (0.7 if memory.step else 0.1):
        return 0
    if kind < 0.9:
        return max(round(memory.scheduled_days * rng.uniform(0.6, 1.8)), 1)
    return rng.choice((1, 2, 14, 90, 400, 2000))


def _chosen(states: Any, rating: Rating) -> Any:
    return (states.again, states.hard, states.good, states.easy)[rating - 1]


def _same(ours: Outcome, theirs: Any, before: Memory, plan: Plan) -> None:
    """Hold one outcome of ours against Anki's state."""
    kind = theirs.normal.WhichOneof("kind")
    state = getattr(theirs.normal, kind)
    steps = state.learning if kind == "relearning" else state
    assert ours.phase is Phase[kind.upper()], before
    if kind == "review":
        assert ours.delay_s is None, before
        assert _same_days(ours, state.scheduled_days, plan), (ours, state, before)
    else:
        assert ours.interval_days is None, before
        assert ours.step == steps.remaining_steps, before
        assert ours.delay_s == pytest.approx(steps.scheduled_secs, rel=TOLERANCE), before
    if kind == "relearning" or before.phase in (Phase.REVIEW, Phase.RELEARNING):
        assert ours.lapses == (state.review.lapses if kind == "relearning" else state.lapses), before
    assert ours.stability == pytest.approx(steps.memory_state.stability, rel=TOLERANCE), before
    assert ours.difficulty == pytest.approx(steps.memory_state.difficulty, rel=TOLERANCE), before


def _same_days(ours: Outcome, theirs: int, plan: Plan) -> bool:
    if ours.interval_days == theirs:
        return True
    interval = interval_days(plan.weights, ours.stability, plan.desired_retention)
    on_the_half = abs(interval % 1 - 0.5) < SINGLE_PRECISION * interval
    return on_the_half and abs((ours.interval_days or 0) - theirs) == 1


def _as_anki_stores(memory: Memory, stored: tuple[float, float, int, int]) -> Memory:
    """Our memory rounded as Anki's file has it, after checking that it is the same memory."""
    stability, difficulty, interval, lapses = stored
    assert memory.stability is not None
    assert memory.difficulty is not None
    assert round(memory.stability, 4) == pytest.approx(stability, rel=TOLERANCE, abs=1.01e-4)
    assert round(memory.difficulty, 3) == pytest.approx(difficulty, rel=TOLERANCE, abs=1.01e-3)
    assert memory.lapses == lapses
    assert memory.scheduled_days == interval or memory.phase is Phase.REVIEW  # those were compared as outcomes
    return replace(memory, stability=stability, difficulty=difficulty, scheduled_days=interval)
