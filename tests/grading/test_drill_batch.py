"""Arrays of problems get the draws and the verdicts of the one-by-one path."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.answer import Asked, Reason, grade
from grading.batch import REASONS, Rivals, draw_arrays, grade_values
from grading.drill import Choice, Drill, Problem, draw, is_acceptable, problem_of

NAMES = ("zero-2-memory", "capacity", "activations", "bubble")
FACTORS = [
    1,
    1.009,
    1.0099,
    1.02,
    1.049,
    1.06,
    0.5,
    2,
    8,
    0.125,
    1000,
    0.001,
    1e9,
    100,
    0.01,
    1.024**3,
    1.024**-3,
    -1,
    0,
    7.77,
    16 / 3.75,
    5.5 / 3.75,
]


def problem_at(drill: Drill, values: dict[str, np.ndarray], k: int) -> Problem:
    def choice(key: str) -> Choice:
        return next(c for c in drill.param(key).choices if float(c.value) == float(values[key][k]))

    return problem_of(drill, {param.key: choice(param.key) for param in drill.params})


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1, -1, 2**63, 12345])
def test_draws_are_those_of_the_seed(name: str, seed: int, drills) -> None:
    drill = drills[name]
    values, truth, _ = draw_arrays(drill, 200, seed)
    tried = (problem_at(drill, values, k) for k in range(200))
    first = next(problem for problem in tried if is_acceptable(problem))
    assert first.drawn == draw(drill, seed).drawn
    assert float(problem_at(drill, values, 7).answer) == pytest.approx(truth[7], rel=1e-12)


def worked_out(value: float, asked: Asked) -> Reason:
    """The verdict of a bare number without figures: an expression that is worth `value`."""
    shown = Fraction(value) / asked.unit.factor
    return grade(f"({shown.numerator})/{shown.denominator}", asked).reason


@pytest.mark.parametrize("name", ["zero-2-memory", "capacity", "activations"])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**64 - 1), data=st.data())
def test_verdicts_are_those_of_one_by_one(name: str, seed: int, data, drills) -> None:
    drill = drills[name]
    values, truth, rivals = draw_arrays(drill, 60, seed)
    factors = np.array(data.draw(st.lists(st.sampled_from(FACTORS), min_size=60, max_size=60)))
    typed = truth * factors
    own = rivals.values[data.draw(st.integers(0, len(drill.mistakes) - 1)) + rivals.conventions, rivals.cell]
    typed = np.where(np.arange(60) % 3 == 0, np.nan_to_num(own, nan=1.0), typed)
    codes = grade_values(typed, truth, rivals, drill.tolerance)
    for k in range(60):
        problem = problem_at(drill, values, k)
        assert REASONS[codes[k]] == worked_out(float(typed[k]), problem.asked), (k, float(typed[k]), problem.drawn)


def test_the_edge_is_right_and_beyond_it_is_not(zero_2) -> None:
    _, truth, rivals = draw_arrays(zero_2, 1000, 3)
    for factor, reason in (
        (1.01, Reason.CORRECT),
        (0.99, Reason.CORRECT),
        (1.0101, Reason.IMPRECISE),
        (0.9899, Reason.IMPRECISE),
    ):
        codes = grade_values(truth * factor, truth, rivals, zero_2.tolerance)
        assert {REASONS[code] for code in codes} == {reason}


def test_a_drill_with_more_combinations_than_draws_is_worked_out_draw_by_draw(drills) -> None:
    drill = drills["activations"]
    few, many = draw_arrays(drill, 5, 9), draw_arrays(drill, 500, 9)
    assert np.array_equal(few[1], many[1][:5])
    assert np.array_equal(few[2].values[:, few[2].cell], many[2].values[:, many[2].cell[:5]], equal_nan=True)


def test_nothing_drawn_is_nothing_graded(zero_2) -> None:
    values, truth, rivals = draw_arrays(zero_2, 0, 1)
    assert len(grade_values(truth, truth, rivals, zero_2.tolerance)) == 0
    assert set(values) == {"phi", "n"}


def test_rivals_are_named(zero_2) -> None:
    _, _, rivals = draw_arrays(zero_2, 100, 1)
    assert isinstance(rivals, Rivals)
    assert rivals.ids[: rivals.conventions] == ("deepspeed-18", "megatron-20")
    assert {"zero-1", "total-for-per-card", "gib-for-gb"} <= set(rivals.ids)
