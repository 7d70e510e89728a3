"""What holds for every life a card can have, whatever the learner presses and sets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.days import Instant, study_day
from grading.fold import RESET, fold_memory_states
from grading.fsrs import WEIGHT_RANGES, interval_days
from grading.fuzz import fuzz_bounds
from grading.schedule import Memory, Phase, Plan, Rating, after, outcomes, reset, retrievability, set_due

DAY = 86_400_000
START = Instant(20_000 * DAY + 10 * 3_600_000, 60)

steps = st.lists(st.integers(1, 5 * 86_400), max_size=4).map(tuple)
plans = st.builds(
    Plan,
    weights=st.tuples(*(st.floats(low, high) for low, high in WEIGHT_RANGES)) | st.just(Plan().weights),
    desired_retention=st.floats(0.5, 0.99),
    learning_steps_s=steps | st.just((60, 600)),
    relearning_steps_s=steps | st.just((600,)),
    maximum_interval_days=st.integers(1, 36_500),
    first_interval_cap_days=st.integers(1, 36_500),
    leech_lapses=st.integers(0, 10),
    fuzz=st.booleans(),
    rollover_hour=st.integers(0, 23),
)


@dataclass(frozen=True)
class Press:
    """One thing done to a card, after a pause. `rating` 0 resets it, 5 sets it due by hand."""

    pause_s: int
    rating: int
    offset_min: int


pauses = st.one_of(st.just(0), st.integers(1, 3600), st.integers(-3 * 86_400, 40 * 86_400), st.integers(0, 10**9))
presses = st.builds(Press, pauses, st.sampled_from([1, 2, 3, 3, 3, 4, 0, 5]), st.sampled_from([60, 60, 60, 480, -480]))
lives = st.lists(presses, max_size=15)


def lived(life: list[Press], plan: Plan) -> list[tuple[Memory, Instant]]:
    """Every memory a card passes through, with the instant of the next press."""
    memory, now, seen = Memory(), START, []
    for press in life:
        now = Instant(now.at_ms + press.pause_s * 1000, press.offset_min)
        seen.append((memory, now))
        if press.rating == 0:
            memory = reset(memory)
        elif press.rating == 5:
            memory = set_due(memory, press.pause_s % 100, now, plan)
        else:
            memory = after(memory, outcomes(memory, now, plan, "c").of(Rating(press.rating)), now, plan)
    return [*seen, (memory, now)]


@given(life=lives, plan=plans)
def test_answers_never_fail_and_their_waits_are_in_order(life: list[Press], plan: Plan) -> None:
    for memory, now in lived(life, plan):
        offered = outcomes(memory, now, plan, "c")
        waits = [offered.of(rating).wait_s for rating in Rating]
        assert waits == sorted(waits)
        for rating in Rating:
            outcome = offered.of(rating)
            in_steps = outcome.phase in (Phase.LEARNING, Phase.RELEARNING)
            assert (outcome.delay_s is not None) == in_steps == (outcome.interval_days is None)
            assert outcome.wait_s > 0
            assert outcome.stability > 0
            assert 1 <= outcome.difficulty <= 10


@given(life=lives, plan=plans)
def test_an_answer_moves_a_card_into_the_future_or_not_at_all(life: list[Press], plan: Plan) -> None:
    for memory, now in lived(life, plan):
        offered = outcomes(memory, now, plan, "c")
        for rating in Rating:
            answered = after(memory, offered.of(rating), now, plan)
            if not offered.on_schedule:
                assert answered == memory
            elif answered.phase is Phase.REVIEW:
                assert (answered.due_day or 0) > study_day(now, plan.rollover_hour)
                assert answered.due_ms is None
            else:
                assert (answered.due_ms or 0) > now.at_ms
                assert answered.due_day is None


@given(life=lives, plan=plans)
def test_the_same_question_gives_the_same_answer(life: list[Press], plan: Plan) -> None:
    memory, now = lived(life, plan)[-1]
    assert outcomes(memory, now, plan, "c") == outcomes(memory, now, plan, "c")


@given(life=lives, plan=plans)
def test_recall_never_rises_by_waiting(life: list[Press], plan: Plan) -> None:
    memory, now = lived(life, plan)[-1]
    today = study_day(now, plan.rollover_hour)
    curve = [retrievability(memory, today + days, plan) for days in (0, 1, 2, 10, 100, 10_000)]
    if memory.stability is None:
        assert curve == [None] * 6
    else:
        values = [r for r in curve if r is not None]
        assert values == sorted(values, reverse=True)
        assert all(0 < r <= 1 for r in values)


@given(life=lives, plan=plans, card=st.text(max_size=8))
def test_fuzz_moves_a_review_only_within_its_range(life: list[Press], plan: Plan, card: str) -> None:
    """The range is that of the interval, or of the last interval where that is the floor."""
    plan = replace(plan, fuzz=True, relearning_steps_s=(600,))
    memory, now = lived(life, plan)[-1]
    if memory.phase is not Phase.REVIEW:
        return
    hard = outcomes(memory, now, plan, card).hard
    interval = interval_days(plan.weights, hard.stability, plan.desired_retention)
    lower, upper = fuzz_bounds(interval, 1, plan.maximum_interval_days)
    if memory.scheduled_days <= upper:
        upper = fuzz_bounds(max(interval, memory.scheduled_days + 1), 1, plan.maximum_interval_days)[1]
    assert hard.interval_days is not None
    assert lower <= hard.interval_days <= upper + 1, "a day more where the range would be a single day"


@settings(max_examples=40)
@given(many=st.lists(lives, min_size=1, max_size=40), plan=plans)
def test_folding_a_history_equals_answering_it(many: list[list[Press]], plan: Plan) -> None:
    cards, ratings, days, expected = [], [], [], []
    for card, life in enumerate(many):
        seen = lived(life, plan)
        for press, (memory, now), (answered, _) in zip(life, seen, seen[1:], strict=False):
            if press.rating == 0 or answered.attempts > memory.attempts:
                cards.append(card)
                ratings.append(RESET if press.rating == 0 else press.rating)
                days.append(study_day(now, plan.rollover_hour))
        expected.append(seen[-1][0])
    stability, difficulty = fold_memory_states(cards, ratings, days, cards=len(many), weights=plan.weights)
    nan = float("nan")
    np.testing.assert_allclose(stability, [nan if m.stability is None else m.stability for m in expected], rtol=1e-9)
    np.testing.assert_allclose(difficulty, [nan if m.difficulty is None else m.difficulty for m in expected], rtol=1e-9)


def test_a_long_shared_history_folds_in_arrays_and_a_longer_one_alone() -> None:
    """60 cards answered 30 times go through arrays; one of them, answered 500 times, is finished by itself."""
    plan, rng = Plan(fuzz=False), np.random.default_rng(4)
    rows, expected = [], []
    for card in range(60):
        memory, now = Memory(), START
        for _ in range(500 if card == 7 else 30):
            rating = Rating(int(rng.choice([1, 2, 3, 4], p=[0.2, 0.1, 0.6, 0.1])))
            answered = after(memory, outcomes(memory, now, plan, "c").of(rating), now, plan)
            if answered is not memory:
                rows.append((now.at_ms, card, int(rating), study_day(now)))
            memory, now = answered, Instant(now.at_ms + int(rng.integers(0, 30)) * DAY + 60_000, 60)
        expected.append(memory)
    rows.sort()  # the order of the log: all cards through each other
    _, cards, ratings, days = zip(*rows, strict=True)
    stability, difficulty = fold_memory_states(cards, ratings, days, cards=61)
    np.testing.assert_allclose(stability[:60], [m.stability for m in expected], rtol=1e-9)
    np.testing.assert_allclose(difficulty[:60], [m.difficulty for m in expected], rtol=1e-9)
    assert np.isnan(stability[60])


def test_an_empty_history_folds_to_nothing() -> None:
    stability, difficulty = fold_memory_states([], [], [], cards=3)
    assert np.isnan(stability).all()
    assert np.isnan(difficulty).all()


@pytest.mark.parametrize(
    ("cards", "ratings", "days", "says"),
    [
        ([0, 1], [3], [1, 1], "as many"),
        ([0, 5], [3, 3], [1, 1], "from 0 to 1"),
        ([0, 1], [3, 5], [1, 1], "1, 2, 3 or 4"),
    ],
)
def test_a_history_that_cannot_be_is_refused(cards: list[int], ratings: list[int], days: list[int], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fold_memory_states(cards, ratings, days, cards=2)
