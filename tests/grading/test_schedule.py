"""What each answer makes of a card: steps, intervals, their order, leeches, practice and manual dates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grading.days import Instant, day_start_ms, study_day
from grading.fsrs import WeightsError
from grading.schedule import (
    Memory,
    Outcomes,
    Phase,
    Plan,
    PlanError,
    Rating,
    after,
    leech_mark_due,
    outcomes,
    reset,
    retrievability,
    set_due,
)

MINUTE, DAY = 60_000, 86_400_000
PLAN = Plan(fuzz=False)
SHANGHAI = 480
NOON = Instant(day_start_ms(20_500, SHANGHAI, 0) + 12 * 60 * MINUTE, SHANGHAI)
ALL = tuple(Rating)


def later(now: Instant, *, days: int = 0, minutes: int = 0) -> Instant:
    return Instant(now.at_ms + days * DAY + minutes * MINUTE, now.utc_offset_min)


def asked(memory: Memory, now: Instant = NOON, plan: Plan = PLAN) -> Outcomes:
    return outcomes(memory, now, plan, "pack/card")


def rated(memory: Memory, rating: Rating, now: Instant = NOON, plan: Plan = PLAN) -> Memory:
    return after(memory, asked(memory, now, plan).of(rating), now, plan)


def in_review(days: int = 10, now: Instant = NOON) -> Memory:
    """A card on an interval of `days`, due now."""
    today = study_day(now)
    return Memory(
        phase=Phase.REVIEW,
        stability=float(days),
        difficulty=5.0,
        due_day=today,
        scheduled_days=days,
        last_day=today - days,
        last_ms=now.at_ms - days * DAY,
        attempts=4,
    )


class TestSteps:
    def test_a_new_card_goes_through_its_steps_or_skips_them(self) -> None:
        offered = asked(Memory())
        assert [offered.of(r).delay_s for r in ALL] == [60, 330, 600, None]
        assert [offered.of(r).phase for r in ALL] == [Phase.LEARNING] * 3 + [Phase.REVIEW]
        assert [offered.of(r).step for r in ALL] == [2, 2, 1, 0]
        assert offered.easy.interval_days == 8

    def test_minutes_stay_minutes_counted_from_the_press(self) -> None:
        memory = rated(Memory(), Rating.GOOD)
        assert (memory.due_ms, memory.due_day) == (NOON.at_ms + 10 * MINUTE, None)

    def test_ten_real_minutes_also_across_the_rollover(self) -> None:
        late = Instant(day_start_ms(20_501, SHANGHAI, 4) - 2 * MINUTE, SHANGHAI)
        assert rated(Memory(), Rating.GOOD, late).due_ms == late.at_ms + 10 * MINUTE

    def test_good_on_the_last_step_starts_reviews(self) -> None:
        memory = rated(rated(Memory(), Rating.GOOD), Rating.GOOD, later(NOON, minutes=10))
        assert (memory.phase, memory.step, memory.due_ms) == (Phase.REVIEW, 0, None)
        assert (memory.due_day, memory.scheduled_days) == (study_day(NOON) + 2, 2)

    def test_again_goes_back_to_the_first_step_and_hard_repeats_one(self) -> None:
        memory = rated(Memory(), Rating.GOOD)
        assert rated(memory, Rating.AGAIN).step == 2
        assert (asked(memory).hard.step, asked(memory).hard.delay_s) == (1, 600)

    def test_a_step_of_a_day_is_due_when_that_study_day_starts(self) -> None:
        plan = replace(PLAN, learning_steps_s=(86_400, 3 * 86_400))
        memory = rated(Memory(), Rating.AGAIN, NOON, plan)
        assert memory.due_ms == day_start_ms(study_day(NOON) + 1, SHANGHAI, 4)

    def test_without_steps_intervals_come_from_the_memory_alone(self) -> None:
        plan = replace(PLAN, learning_steps_s=(), relearning_steps_s=())
        offered = asked(Memory(), NOON, plan)
        assert [offered.of(r).interval_days for r in ALL] == [None, 1, 2, 8]
        assert offered.again.delay_s == int(0.212 * 86_400), "below half a day Again counts in seconds"
        assert [asked(in_review(), NOON, plan).of(r).phase for r in ALL] == [Phase.REVIEW] * 4

    def test_a_step_that_the_settings_no_longer_have_is_no_error(self) -> None:
        memory = Memory(phase=Phase.LEARNING, step=7, stability=1.0, difficulty=5.0, last_day=study_day(NOON))
        assert asked(memory).good.delay_s == 600
        short = replace(PLAN, learning_steps_s=(300,))
        assert asked(memory, NOON, short).good.phase is Phase.REVIEW

    def test_every_answer_in_steps_updates_the_memory(self) -> None:
        first = rated(Memory(), Rating.AGAIN)
        second = rated(first, Rating.AGAIN, later(NOON, minutes=1))
        assert first.stability is not None
        assert second.stability is not None
        assert second.stability < first.stability


class TestIntervals:
    @pytest.mark.parametrize(
        "memory",
        [
            Memory(),
            rated(Memory(), Rating.GOOD),
            in_review(),
            rated(in_review(), Rating.AGAIN),
            Memory(phase=Phase.REVIEW, due_day=20_500),
        ],
        ids=["new", "learning", "review", "relearning", "dated by hand"],
    )
    def test_again_hard_good_easy_come_in_this_order(self, memory: Memory) -> None:
        waits = [asked(memory, later(NOON, days=1)).of(r).wait_s for r in ALL]
        assert waits == sorted(waits)
        assert waits[0] < waits[3]

    def test_the_order_holds_for_steps_in_the_wrong_order(self) -> None:
        plan = replace(PLAN, learning_steps_s=(5 * 86_400, 60), relearning_steps_s=(40 * 86_400,))
        for memory in (Memory(), rated(in_review(), Rating.AGAIN, NOON, plan)):
            waits = [asked(memory, NOON, plan).of(r).wait_s for r in ALL]
            assert waits == sorted(waits)

    def test_hard_good_and_easy_are_a_day_apart(self) -> None:
        offered = asked(replace(in_review(1), stability=0.02, difficulty=9.9))
        hard, good, easy = (offered.of(r).interval_days for r in ALL[1:])
        assert (hard, good, easy) == (1, 2, 3)

    def test_the_maximum_is_the_maximum(self) -> None:
        offered = asked(in_review(1000), NOON, replace(PLAN, maximum_interval_days=30, relearning_steps_s=()))
        assert all((offered.of(r).interval_days or 0) <= 30 for r in ALL)
        assert offered.easy.interval_days == 30

    def test_long_overdue_and_still_known_means_a_long_interval(self) -> None:
        late = later(NOON, days=400)
        assert (asked(in_review(10), late).good.interval_days or 0) > 100
        assert (asked(in_review(10)).good.interval_days or 0) < 60

    def test_a_card_left_in_relearning_keeps_the_days_it_survived(self) -> None:
        failed = rated(in_review(10), Rating.AGAIN)
        at_once = asked(failed, later(NOON, minutes=10)).good.interval_days
        after_two_weeks = asked(failed, later(NOON, days=14)).good.interval_days
        assert at_once is not None
        assert after_two_weeks is not None
        assert after_two_weeks > 3 * at_once

    def test_fuzz_does_not_take_back_growth(self) -> None:
        plan = Plan()
        for card in range(300):
            memory = replace(in_review(12), stability=12.0)
            offered = outcomes(memory, NOON, plan, f"card {card}")
            assert 12 < (offered.hard.interval_days or 0) < (offered.good.interval_days or 0)

    def test_the_button_and_what_is_stored_are_one(self) -> None:
        offered = outcomes(in_review(40), NOON, Plan(), "pack/card")
        again = outcomes(in_review(40), later(NOON, minutes=3), Plan(), "pack/card")
        assert offered.good == again.good
        memory = after(in_review(40), offered.good, later(NOON, minutes=3), Plan())
        assert memory.due_day == study_day(NOON) + (offered.good.interval_days or 0)

    def test_a_first_interval_can_be_capped(self) -> None:
        eager = (*(5.0, 20.0, 60.0, 90.0), *PLAN.weights[4:])
        plan = replace(PLAN, weights=eager, first_interval_cap_days=14)
        assert asked(Memory(), NOON, plan).easy.interval_days == 14
        learning = rated(Memory(), Rating.GOOD, NOON, plan)
        assert asked(learning, NOON, plan).good.interval_days == 14
        assert asked(learning, later(NOON, days=40), plan).good.interval_days == 80, "twice what was just survived"
        assert (asked(in_review(50), NOON, plan).good.interval_days or 0) > 50, "later intervals are free"

    def test_the_default_weights_need_no_cap(self) -> None:
        assert max(asked(Memory()).of(r).interval_days or 0 for r in ALL) == 8


class TestDays:
    def test_a_late_evening_counts_as_one_day_like_a_morning(self) -> None:
        evening = Instant(day_start_ms(20_500, SHANGHAI, 0) + 22 * 60 * MINUTE, SHANGHAI)
        memory = rated(in_review(2, evening), Rating.GOOD, evening)
        morning = Instant(day_start_ms(memory.due_day or 0, SHANGHAI, 4) + 4 * 60 * MINUTE, SHANGHAI)
        assert study_day(morning) == memory.due_day

    def test_after_midnight_is_still_the_same_day(self) -> None:
        learning = rated(Memory(), Rating.GOOD, Instant(day_start_ms(20_500, SHANGHAI, 0) + 23 * 60 * MINUTE, SHANGHAI))
        night = Instant(day_start_ms(20_501, SHANGHAI, 0) + 60 * MINUTE, SHANGHAI)
        morning = Instant(day_start_ms(20_501, SHANGHAI, 4), SHANGHAI)
        assert asked(learning, night).good.stability < asked(learning, morning).good.stability

    def test_recall_is_full_on_the_day_and_falls_after(self) -> None:
        memory = rated(in_review(), Rating.GOOD)
        today = study_day(NOON)
        assert retrievability(Memory(), today, PLAN) is None
        assert retrievability(memory, today, PLAN) == 1
        assert retrievability(memory, memory.due_day or 0, PLAN) == pytest.approx(0.9, abs=0.005)

    def test_a_clock_set_back_is_the_same_day(self) -> None:
        learning = rated(Memory(), Rating.GOOD)
        yesterday = later(NOON, days=-1)
        assert asked(learning, yesterday).good.stability == asked(learning, NOON).good.stability
        assert retrievability(learning, study_day(yesterday), PLAN) == 1


class TestPractice:
    def test_outside_steps_a_card_is_scheduled_once_a_day(self) -> None:
        memory = rated(in_review(), Rating.GOOD)
        offered = asked(memory, later(NOON, minutes=5))
        assert not offered.on_schedule
        assert after(memory, offered.easy, later(NOON, minutes=5), PLAN) == memory
        assert asked(memory, later(NOON, days=1)).on_schedule

    def test_ten_easies_in_ten_minutes_are_one(self) -> None:
        once = memory = rated(Memory(), Rating.EASY)
        for minute in range(1, 10):
            memory = rated(memory, Rating.EASY, later(NOON, minutes=minute))
        assert memory == once
        assert memory.scheduled_days == 8

    def test_steps_are_always_on_schedule(self) -> None:
        memory = rated(in_review(), Rating.AGAIN)
        assert asked(memory, later(NOON, minutes=10)).on_schedule
        assert asked(Memory()).on_schedule

    def test_a_day_further_west_is_the_same_day_but_a_wrong_clock_locks_nothing(self) -> None:
        memory = rated(in_review(), Rating.GOOD)
        assert not asked(memory, later(NOON, days=-1)).on_schedule
        wrong_year = rated(in_review(), Rating.GOOD, later(NOON, days=365))
        assert asked(wrong_year, NOON).on_schedule


class TestLeeches:
    def test_marked_at_the_threshold_and_every_half_after(self) -> None:
        assert [n for n in range(25) if leech_mark_due(n, 8)] == [8, 12, 16, 20, 24]
        assert [n for n in range(12) if leech_mark_due(n, 3)] == [3, 5, 7, 9, 11]
        assert [n for n in range(4) if leech_mark_due(n, 1)] == [1, 2, 3]
        assert not any(leech_mark_due(n, 0) for n in range(20))

    def test_only_a_failed_review_is_a_lapse(self) -> None:
        failed = rated(in_review(), Rating.AGAIN)
        assert failed.lapses == 1
        assert rated(failed, Rating.AGAIN).lapses == 1
        assert rated(Memory(), Rating.AGAIN).lapses == 0

    def test_the_eighth_lapse_sets_the_mark_and_it_stays(self) -> None:
        memory = replace(in_review(), lapses=7)
        offered = asked(memory)
        assert offered.again.leech_now
        assert not offered.good.leech_now
        marked = rated(memory, Rating.AGAIN)
        assert marked.leech
        assert rated(marked, Rating.GOOD).leech


class TestByHand:
    @pytest.mark.parametrize(
        "memory", [Memory(), rated(Memory(), Rating.HARD), in_review(), rated(in_review(), Rating.AGAIN)]
    )
    @pytest.mark.parametrize("rating", ALL)
    def test_a_date_set_by_hand_holds_and_rating_works_after(self, memory: Memory, rating: Rating) -> None:
        dated = set_due(memory, 5, NOON, PLAN)
        assert (dated.phase, dated.step, dated.due_ms) == (Phase.REVIEW, 0, None)
        assert dated.due_day == study_day(NOON) + 5
        assert (dated.stability, dated.difficulty, dated.lapses) == (memory.stability, memory.difficulty, memory.lapses)
        answered = rated(dated, rating, later(NOON, days=5))
        assert answered.stability is not None
        assert answered.attempts == memory.attempts + 1

    def test_a_date_in_the_past_is_today(self) -> None:
        assert set_due(in_review(), -3, NOON, PLAN).due_day == study_day(NOON)

    @pytest.mark.parametrize("rating", ALL)
    def test_a_reset_card_is_new_and_rates_as_new(self, rating: Rating) -> None:
        assert reset(in_review()) == Memory()
        assert rated(reset(in_review()), rating) == rated(Memory(), rating)


class TestPlans:
    @pytest.mark.parametrize(
        "wrong",
        [
            {"desired_retention": 0.0},
            {"desired_retention": 1.0},
            {"learning_steps_s": (60, 0)},
            {"maximum_interval_days": 0},
            {"first_interval_cap_days": 0},
            {"rollover_hour": 24},
        ],
    )
    def test_a_plan_that_cannot_be_followed_is_refused(self, wrong: dict[str, float]) -> None:
        with pytest.raises(PlanError):
            Plan(**wrong)  # type: ignore[arg-type]

    def test_so_are_wrong_weights(self) -> None:
        with pytest.raises(WeightsError):
            Plan(weights=(1.0, 2.0))
