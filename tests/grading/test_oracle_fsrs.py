"""Stability and difficulty against other implementations: the `fsrs` package, and as a peer the Rust one."""

from __future__ import annotations

import datetime as dt
import random

import fsrs as package
import pytest

from grading import fsrs
from grading.days import Instant
from grading.fold import fold_memory_states
from grading.schedule import Memory, Phase, Plan, Rating, after, outcomes

DAY = 86_400_000
START = Instant(20_000 * DAY + 10 * 3_600_000, 0)  # 10:00 UTC
PLAN = Plan(fuzz=False)


def clock(now: Instant) -> dt.datetime:
    return dt.datetime.fromtimestamp(now.at_ms / 1000, dt.UTC)


def scheduler() -> package.Scheduler:
    return package.Scheduler(enable_fuzzing=False)


def test_weights_and_their_ranges_are_the_same() -> None:
    from fsrs import scheduler as module

    assert package.Scheduler().parameters == fsrs.DEFAULT_WEIGHTS
    assert tuple(zip(module.LOWER_BOUNDS_PARAMETERS, module.UPPER_BOUNDS_PARAMETERS, strict=True)) == fsrs.WEIGHT_RANGES


def test_stability_and_difficulty_agree_where_both_count_the_same_days() -> None:
    """Answers at one hour of the day, so that 24-hour periods and study days are the same number.

    The packages differ elsewhere, each difference shown by a test below: `fsrs` counts elapsed time in whole 24-hour
    periods, we in study days; it returns a due time at the hour of the answer, we a study day; it reschedules a card
    however often it is answered in a day, which is practice here. It also has no upper limit on stability, where we stop
    at 36,500 days.
    """
    rng = random.Random(11)
    for _ in range(300):
        card, memory, now = package.Card(), Memory(), START
        for _ in range(rng.randint(1, 15)):
            rating = Rating(rng.choices(tuple(Rating), (25, 15, 45, 15))[0])
            offered = outcomes(memory, now, PLAN, "c")
            if offered.on_schedule:
                card, _ = scheduler().review_card(card, package.Rating(int(rating)), clock(now))
                memory = after(memory, offered.of(rating), now, PLAN)
                assert memory.difficulty == pytest.approx(card.difficulty, rel=1e-12)
                if card.stability is not None and card.stability > fsrs.STABILITY_MAX:
                    break
                assert memory.stability == pytest.approx(card.stability, rel=1e-12)
            pause = 0 if memory.step and rng.random() < 0.7 else rng.choice([1, 1, 3, 10, 60, 400])
            now = Instant(now.at_ms + pause * DAY, 0)


def test_it_counts_a_night_as_the_same_day_where_we_count_a_new_one() -> None:
    """22:00 and 08:00 the next morning: ten hours there, one study day here."""
    evening = Instant(START.at_ms + 12 * 3_600_000, 0)
    morning = Instant(evening.at_ms + 10 * 3_600_000, 0)
    card, _ = scheduler().review_card(package.Card(), package.Rating.Good, clock(evening))
    memory = after(Memory(), outcomes(Memory(), evening, PLAN, "c").good, evening, PLAN)
    assert memory.stability == pytest.approx(card.stability)
    card, _ = scheduler().review_card(card, package.Rating.Good, clock(morning))
    assert card.stability is not None
    assert outcomes(memory, morning, PLAN, "c").good.stability > 1.1 * card.stability


def test_it_is_due_at_the_hour_of_the_answer_where_we_are_due_all_day() -> None:
    card, _ = scheduler().review_card(package.Card(), package.Rating.Easy, clock(START))
    memory = after(Memory(), outcomes(Memory(), START, PLAN, "c").easy, START, PLAN)
    assert (card.due - clock(START)).days == memory.scheduled_days == 8
    assert card.due.hour == 10
    assert memory.due_ms is None


def test_it_reschedules_ten_easies_in_ten_minutes_where_we_practise() -> None:
    card, memory, now = package.Card(), Memory(), START
    for _ in range(10):
        card, _ = scheduler().review_card(card, package.Rating.Easy, clock(now))
        memory = after(memory, outcomes(memory, now, PLAN, "c").easy, now, PLAN)
        now = Instant(now.at_ms + 60_000, 0)
    assert (card.due - clock(now)).days > 100
    assert (memory.phase, memory.scheduled_days) == (Phase.REVIEW, 8)


@pytest.mark.peers
def test_the_rust_implementation_agrees_on_whole_histories() -> None:
    rust = pytest.importorskip("fsrs_rs_python", reason="the `peers` extra is not installed")
    rng, model = random.Random(5), rust.FSRS(parameters=list(fsrs.DEFAULT_WEIGHTS))
    for _ in range(300):
        ratings = [rng.choices((1, 2, 3, 4), (25, 15, 45, 15))[0] for _ in range(rng.randint(1, 15))]
        gaps = [0, *(rng.choice([0, 0, 1, 3, 10, 60]) for _ in ratings[1:])]
        days = [sum(gaps[: i + 1]) for i in range(len(gaps))]
        reviews = [rust.FSRSReview(rating, gap) for rating, gap in zip(ratings, gaps, strict=True)]
        theirs = model.memory_state(rust.FSRSItem(reviews))
        stability, difficulty = fold_memory_states([0] * len(days), ratings, days, cards=1)
        assert stability[0] == pytest.approx(theirs.stability, rel=3e-5)
        assert difficulty[0] == pytest.approx(theirs.difficulty, rel=3e-5)
