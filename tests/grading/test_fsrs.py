"""The FSRS-6 equations: what they promise, the same for floats and arrays, and which weights they accept."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading import fsrs
from grading.fsrs import DEFAULT_WEIGHTS, WEIGHT_RANGES, WeightsError, validate_weights

stabilities = st.floats(fsrs.STABILITY_MIN, fsrs.STABILITY_MAX)
difficulties = st.floats(1, 10)
elapsed = st.integers(0, 40_000).map(float)
ratings = st.sampled_from([1.0, 2.0, 3.0, 4.0])
weight_sets = st.tuples(*(st.floats(low, high) for low, high in WEIGHT_RANGES))


@given(stability=stabilities)
def test_stability_is_the_time_to_ninety_percent(stability: float) -> None:
    assert fsrs.retrievability(DEFAULT_WEIGHTS, stability, stability) == pytest.approx(0.9)
    assert fsrs.interval_days(DEFAULT_WEIGHTS, stability, 0.9) == pytest.approx(stability)


@given(stability=stabilities, sooner=elapsed, later=elapsed, weights=weight_sets)
def test_recall_only_falls_with_time(stability: float, sooner: float, later: float, weights: tuple[float, ...]) -> None:
    sooner, later = sorted((sooner, later))
    early, late = (fsrs.retrievability(weights, t, stability) for t in (sooner, later))
    assert 1 >= early >= late > 0
    assert fsrs.retrievability(weights, 0.0, stability) == 1


@given(stability=stabilities, low=st.floats(0.5, 0.99), high=st.floats(0.5, 0.99))
def test_wanting_more_retention_never_lengthens_an_interval(stability: float, low: float, high: float) -> None:
    low, high = sorted((low, high))
    shorter, longer = (fsrs.interval_days(DEFAULT_WEIGHTS, stability, wanted) for wanted in (high, low))
    assert shorter <= longer * (1 + 1e-12)


@given(stability=stabilities, difficulty=difficulties, days=elapsed, weights=weight_sets)
def test_a_better_rating_never_leaves_less_memory(
    stability: float, difficulty: float, days: float, weights: tuple[float, ...]
) -> None:
    """Hard has a factor of at most 1 and Easy of at least 1, and a failure never adds to what there was."""
    again, hard, good, easy = (
        fsrs.next_stability(weights, stability, difficulty, days, g) for g in (1.0, 2.0, 3.0, 4.0)
    )
    assert hard <= good <= easy
    assert again <= hard * (1 + 1e-12) or days == 0
    assert all(fsrs.STABILITY_MIN <= s <= fsrs.STABILITY_MAX for s in (again, hard, good, easy))


@given(stability=stabilities, difficulty=difficulties, days=elapsed, rating=ratings, weights=weight_sets)
def test_arrays_give_what_floats_give(
    stability: float, difficulty: float, days: float, rating: float, weights: tuple[float, ...]
) -> None:
    s, d, t, g = (np.array([x, x]) for x in (stability, difficulty, days, rating))
    for scalar, array in (
        (fsrs.next_stability(weights, stability, difficulty, days, rating), fsrs.next_stability(weights, s, d, t, g)),
        (fsrs.next_difficulty(weights, difficulty, rating), fsrs.next_difficulty(weights, d, g)),
        (fsrs.initial_stability(weights, rating), fsrs.initial_stability(weights, g)),
        (fsrs.initial_difficulty(weights, rating), fsrs.initial_difficulty(weights, g)),
        (fsrs.retrievability(weights, days, stability), fsrs.retrievability(weights, t, s)),
        (fsrs.interval_days(weights, stability, 0.9), fsrs.interval_days(weights, s, 0.9)),
    ):
        assert isinstance(scalar, float)
        np.testing.assert_allclose(array, scalar, rtol=1e-12)


def test_same_day_only_again_lowers_stability() -> None:
    assert fsrs.next_stability(DEFAULT_WEIGHTS, 50.0, 5.0, 0.0, 1.0) < 50
    assert fsrs.next_stability(DEFAULT_WEIGHTS, 50.0, 5.0, 0.0, 2.0) == 50
    assert fsrs.next_stability(DEFAULT_WEIGHTS, 50.0, 5.0, 0.0, 3.0) == 50
    assert fsrs.next_stability(DEFAULT_WEIGHTS, 50.0, 5.0, 0.0, 4.0) > 50


def test_one_answer_needs_no_numpy() -> None:
    code = (
        "import sys; from grading.schedule import *; from grading.days import Instant;"
        "now = Instant(0, 0); plan = Plan(); m = after(Memory(), outcomes(Memory(), now, plan, 'c').easy, now, plan);"
        "outcomes(m, Instant(864000000, 0), plan, 'c'); sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_default_weights_are_weights() -> None:
    assert validate_weights(DEFAULT_WEIGHTS) == DEFAULT_WEIGHTS
    assert validate_weights([float(w) for w in DEFAULT_WEIGHTS]) == DEFAULT_WEIGHTS


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (DEFAULT_WEIGHTS[:17], "needs 21 weights, got 17 (17 belong to FSRS-4.5)"),
        (DEFAULT_WEIGHTS[:19], "needs 21 weights, got 19 (19 belong to FSRS-5)"),
        ((), "needs 21 weights, got 0"),
        ((*DEFAULT_WEIGHTS[:20], float("nan")), "Weight 21 of 21 is nan"),
        ((float("inf"), *DEFAULT_WEIGHTS[1:]), "Weight 1 of 21 is inf"),
        ((*DEFAULT_WEIGHTS[:4], 11.0, *DEFAULT_WEIGHTS[5:]), "Weight 5 of 21 is 11: it must lie from 1 to 10"),
        (("0.212", *DEFAULT_WEIGHTS[1:]), "Weight 1 of 21 is '0.212'"),
        ((True, *DEFAULT_WEIGHTS[1:]), "Weight 1 of 21 is True"),
    ],
)
def test_other_numbers_are_refused_by_name(weights: tuple[float, ...], says: str) -> None:
    with pytest.raises(WeightsError) as refused:
        validate_weights(weights)
    assert says in str(refused.value)
