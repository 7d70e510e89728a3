"""A sweep before a date: what is planned, what is predicted, and whether the prediction comes true in a simulated learner."""

from __future__ import annotations

import numpy as np
import pytest

from grading import fsrs
from grading.memory import Memory
from grading.sweep import SWEEP_DAYS, recall_if_reviewed, recall_on, sweep_plan

W = fsrs.DEFAULT_WEIGHTS


def memories(count: int = 100, today: int = 100) -> list[Memory]:
    return [
        Memory(stability=2.0 + i, difficulty=5.0, last_day=today - 1 - i // 3, due_day=today + 20 + i)
        for i in range(count)
    ]


def test_the_cards_with_the_lowest_predicted_recall_are_swept_and_no_pile_is_left() -> None:
    cards = memories()
    plan = sweep_plan(cards, 100, 110, minutes_per_day=20)
    assert [each.day for each in plan.days] == [105, 106, 107, 108, 109]
    assert max(len(each.cards) for each in plan.days) == plan.per_day == 20
    assert plan.left_over == 0
    assert len({card for each in plan.days for card in each.cards}) == sum(len(each.cards) for each in plan.days)
    assert plan.gain > 0.05


def test_the_minutes_hold_and_the_weakest_cards_have_precedence() -> None:
    cards = memories()
    plan = sweep_plan(cards, 100, 110, minutes_per_day=2, seconds_per_card=20)
    swept = {card for each in plan.days for card in each.cards}
    assert all(each.minutes <= 2 for each in plan.days)
    assert (len(swept), plan.per_day, plan.left_over) == (30, 6, 70)
    recall = recall_on([c.stability for c in cards], [c.last_day for c in cards], 110)
    assert swept == set(np.argsort(recall, kind="stable")[:30].tolist())


def test_due_reviews_take_their_minutes_first() -> None:
    due = [Memory(stability=5.0, difficulty=5.0, last_day=95, due_day=107) for _ in range(10)]
    plan = sweep_plan([*memories(40), *due], 100, 110, minutes_per_day=4, seconds_per_card=20)
    loaded = plan.days[2]
    assert (loaded.day, loaded.due, len(loaded.cards)) == (107, 10, 2)
    assert all(each.minutes <= 4 for each in plan.days)


@pytest.mark.parametrize(("exam", "days"), [(100, 0), (90, 0), (101, 1), (103, 3), (400, SWEEP_DAYS)])
def test_the_sweep_is_as_long_as_there_are_days(exam: int, days: int) -> None:
    assert len(sweep_plan(memories(), 100, exam, 20).days) == days


def test_nothing_to_sweep() -> None:
    assert sweep_plan([Memory(), Memory()], 100, 110, 20).days == ()
    assert sweep_plan(memories(), 100, 110, 0).gain == 0


def test_a_review_never_lowers_the_prediction_and_later_is_better_for_a_weak_card() -> None:
    stability, last = np.array([0.5, 3.0, 40.0, 900.0]), np.array([90.0, 95.0, 70.0, 10.0])
    for day in range(100, 110):
        assert (recall_if_reviewed(stability, np.full(4, 5.0), last, day, 110) > recall_on(stability, last, 110)).all()
    early = recall_if_reviewed(stability[:1], np.array([5.0]), last[:1], 105, 110)
    late = recall_if_reviewed(stability[:1], np.array([5.0]), last[:1], 109, 110)
    assert late > early


# --- a simulated learner ----------------------------------------------------------------------------------------------


class Learner:
    """Learns twenty cards a day and reviews what is due; whether a card is remembered is drawn from its true recall."""

    def __init__(self, count: int, exam: int, seed: int) -> None:
        self.s, self.d = np.full(count, np.nan), np.full(count, np.nan)
        self.last, self.due = np.full(count, -1.0), np.arange(count) // 20 * 1.0
        self.luck = np.random.default_rng(seed).random((exam, count))

    def study(self, day: int, retention: float, extra: tuple[int, ...] = ()) -> None:
        todo = self.due <= day
        todo[list(extra)] = True
        chosen = np.flatnonzero(todo)
        new = chosen[np.isnan(self.s[chosen])]
        self.s[new], self.d[new] = W[2], fsrs.initial_difficulty(W, 3.0)
        old = np.setdiff1d(chosen, new)
        elapsed = day - self.last[old]
        passed = self.luck[day, old] < fsrs.retrievability(W, elapsed, self.s[old])
        rating = np.where(passed, 3.0, 1.0)
        after = fsrs.next_stability(W, self.s[old], self.d[old], elapsed, rating)
        again = fsrs.next_stability(W, after, self.d[old], np.zeros(len(old)), np.full(len(old), 3.0))
        self.d[old] = fsrs.next_difficulty(W, self.d[old], rating)
        self.s[old] = np.where(passed, after, again)
        self.last[chosen] = day
        self.due[chosen] = day + np.maximum(1, np.round(fsrs.interval_days(W, self.s[chosen], retention)))

    def memories(self) -> list[Memory]:
        rows = zip(self.s.tolist(), self.d.tolist(), self.last.tolist(), self.due.tolist(), strict=True)
        return [Memory(stability=s, difficulty=d, last_day=int(last), due_day=int(due)) for s, d, last, due in rows]


def simulated(how: str, seed: int, count: int = 800, exam: int = 120) -> tuple[float, float]:
    """The mean true recall on the exam day, and the predicted one where there was a sweep."""
    learner, picks, predicted = Learner(count, exam, seed), {}, 0.0
    for day in range(exam):
        if how == "sweep" and day == exam - SWEEP_DAYS:
            plan = sweep_plan(learner.memories(), day, exam, minutes_per_day=60)
            assert plan.left_over == 0
            picks, predicted = {each.day: each.cards for each in plan.days}, plan.recall_with
        # the wish for more retention comes a month before, and acts as cards are reviewed
        raised = how == "retention" and day >= exam - 30
        learner.study(day, 0.93 if raised else 0.90, picks.get(day, ()))
    return float(recall_on(learner.s, learner.last, exam).mean()), predicted


def test_a_sweep_of_five_days_moves_mean_recall_by_about_four_hundredths_and_more_retention_hardly() -> None:
    gains, raised = [], []
    for seed in (1, 2, 3):
        plain, _ = simulated("plain", seed)
        swept, predicted = simulated("sweep", seed)
        more, _ = simulated("retention", seed)
        assert predicted == pytest.approx(swept, abs=0.01)
        gains.append(swept - plain)
        raised.append(more - plain)
    assert np.mean(gains) == pytest.approx(0.04, abs=0.015)
    assert abs(np.mean(raised)) < 0.01
