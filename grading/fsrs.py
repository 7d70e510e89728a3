"""The FSRS-6 memory equations, once, over floats or numpy arrays.

Memory of one card is two numbers. Stability S is the number of days after which recall has fallen to 90 %. Difficulty
D runs from 1 (easy) to 10. Retrievability R is the probability of recall now. A rating is 1 Again, 2 Hard, 3 Good, 4
Easy.

Sources. [F6]: "The Algorithm", FSRS-6, wiki of open-spaced-repetition/fsrs4anki (equations and default weights).
[Ye22]: J. Ye, J. Su, Y. Cao, "A Stochastic Shortest Path Algorithm for Optimizing Spaced Repetition Scheduling", KDD
2022 (stability after success and after failure as functions of D, S, R). Weights are written w[i] as there.

One answer needs no numpy: only arrays reach it, through their own operators and `_where`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Number = TypeVar("Number", "float", "NDArray[np.float64]")

STABILITY_MIN = 0.001
STABILITY_MAX = 36_500.0
DIFFICULTY_MIN = 1.0
DIFFICULTY_MAX = 10.0

DEFAULT_WEIGHTS: tuple[float, ...] = (
    *(0.212, 1.2931, 2.3065, 8.2956),  # first stability, by rating
    *(6.4133, 0.8334, 3.0194, 0.001),  # difficulty: first, its slope, change per rating, pull to the mean
    *(1.8722, 0.1666, 0.796),  # stability after success
    *(1.4835, 0.0614, 0.2629, 1.6483),  # stability after failure
    *(0.6014, 1.8729),  # factors for Hard and Easy
    *(0.5425, 0.0912, 0.0658),  # same day
    0.1542,  # decay of the forgetting curve
)
"""The default weights of FSRS-6 [F6]."""

WEIGHT_RANGES: tuple[tuple[float, float], ...] = (
    *((STABILITY_MIN, 100.0),) * 4,
    *((1.0, 10.0), (0.001, 4.0), (0.001, 4.0), (0.001, 0.75)),
    *((0.0, 4.5), (0.0, 0.8), (0.001, 3.5)),
    *((0.001, 5.0), (0.001, 0.25), (0.001, 0.9), (0.0, 4.0)),
    *((0.0, 1.0), (1.0, 6.0)),
    *((0.0, 2.0), (0.0, 2.0), (0.0, 0.8)),
    (0.1, 0.8),
)
"""Lowest and highest value of each weight, as FSRS-6 optimisers clip them [F6]."""


class WeightsError(ValueError):
    """The numbers are not FSRS-6 weights; the message says which one and what to do."""


def validate_weights(weights: Sequence[float]) -> tuple[float, ...]:
    """Return the weights as floats, or raise WeightsError when their count, kind or range is not that of FSRS-6."""
    count = len(DEFAULT_WEIGHTS)
    if len(weights) != count:
        older = {17: " (17 belong to FSRS-4.5)", 19: " (19 belong to FSRS-5)"}.get(len(weights), "")
        raise WeightsError(f"FSRS-6 needs {count} weights, got {len(weights)}{older}: optimise again with FSRS-6.")
    for index, (weight, (low, high)) in enumerate(zip(weights, WEIGHT_RANGES, strict=True)):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
            raise WeightsError(f"Weight {index + 1} of {count} is {weight!r}: write a finite number there.")
        if not low <= weight <= high:
            raise WeightsError(f"Weight {index + 1} of {count} is {weight:g}: it must lie from {low:g} to {high:g}.")
    return tuple(float(weight) for weight in weights)


def _where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds, else `no`, for a plain bool or for arrays."""
    if isinstance(condition, bool):
        return yes if condition else no
    import numpy as np  # only arrays come here, so numpy is loaded already

    return np.where(condition, yes, no)


def _clip(value: Number, low: float, high: float) -> Number:
    if isinstance(value, float | int):
        return min(max(value, low), high)
    return value.clip(low, high)


def initial_stability(weights: Sequence[float], rating: Number) -> Number:
    """S after the first answer, in days: w[rating - 1] [F6]."""
    w = weights
    stability: Number = _where(
        rating == 1, w[0], _where(rating == 2, w[1], _where(rating == 3, w[2], w[3]))
    )  # four plain numbers: a lookup by index would need integers
    return _clip(stability, STABILITY_MIN, STABILITY_MAX)


def _unclipped_initial_difficulty(weights: Sequence[float], rating: Number) -> Number:
    """D0(G) = w4 - e^(w5 (G - 1)) + 1 [F6]."""
    difficulty: Number = weights[4] - math.e ** (weights[5] * (rating - 1)) + 1
    return difficulty


def initial_difficulty(weights: Sequence[float], rating: Number) -> Number:
    """D after the first answer [F6]."""
    return _clip(_unclipped_initial_difficulty(weights, rating), DIFFICULTY_MIN, DIFFICULTY_MAX)


def next_difficulty(weights: Sequence[float], difficulty: Number, rating: Number) -> Number:
    """D after a later answer: damped towards 10, then pulled a little to D0(Easy) [F6]."""
    damped = difficulty - weights[6] * (rating - 3) * (10 - difficulty) / 9
    target = _unclipped_initial_difficulty(weights, 4.0)
    return _clip(weights[7] * target + (1 - weights[7]) * damped, DIFFICULTY_MIN, DIFFICULTY_MAX)


def _curve_factor(weights: Sequence[float]) -> float:
    """The factor that makes R(S, S) = 0.9 whatever the decay [F6]."""
    return float(0.9 ** (-1 / weights[20])) - 1


def retrievability(weights: Sequence[float], elapsed_days: Number, stability: Number) -> Number:
    """R(t, S) = (1 + factor t / S) ^ -w20, the probability of recall after t days [F6]."""
    curve: Number = (1 + _curve_factor(weights) * elapsed_days / stability) ** -weights[20]
    return curve


def interval_days(weights: Sequence[float], stability: Number, desired_retention: float) -> Number:
    """Days (not rounded) until recall has fallen to the desired retention: the forgetting curve solved for t [F6]."""
    factor = float(desired_retention ** (-1 / weights[20])) - 1
    return _clip(stability * factor / _curve_factor(weights), 0.0, STABILITY_MAX)


def stability_after_success(
    weights: Sequence[float], stability: Number, difficulty: Number, recall: Number, rating: Number
) -> Number:
    """S' = S (1 + e^w8 (11 - D) S^-w9 (e^(w10 (1 - R)) - 1) h b), h = w15 on Hard, b = w16 on Easy [Ye22, F6]."""
    w = weights
    bonus = _where(rating == 2, w[15], _where(rating == 4, w[16], 1.0))
    growth = math.e ** w[8] * (11 - difficulty) * stability ** -w[9] * (math.e ** (w[10] * (1 - recall)) - 1)
    grown: Number = stability * (1 + growth * bonus)
    return grown


def stability_after_failure(weights: Sequence[float], stability: Number, difficulty: Number, recall: Number) -> Number:
    """S' = w11 D^-w12 ((S + 1)^w13 - 1) e^(w14 (1 - R)), but never above S / e^(w17 w18) [Ye22, F6]."""
    w = weights
    kept = w[11] * difficulty ** -w[12] * ((stability + 1) ** w[13] - 1) * math.e ** (w[14] * (1 - recall))
    limit = stability / math.e ** (w[17] * w[18])
    failed: Number = _where(limit < kept, limit, kept)
    return failed


def stability_same_day(weights: Sequence[float], stability: Number, rating: Number) -> Number:
    """S' = S e^(w17 (G - 3 + w18)) S^-w19, where only Again may lower S [F6]."""
    w = weights
    change = math.e ** (w[17] * (rating - 3 + w[18])) * stability ** -w[19]
    changed: Number = stability * _where((rating >= 2) & (change < 1), 1.0, change)
    return changed


def next_stability(
    weights: Sequence[float], stability: Number, difficulty: Number, elapsed_days: Number, rating: Number
) -> Number:
    """S after a later answer; `difficulty` is that before the answer, 0 elapsed study days means the same day [F6].

    Only the formula that holds is computed, for arrays each on its own rows: in a rebuild they are most of the work.
    """
    given = (stability, difficulty, elapsed_days, rating)
    if all(isinstance(value, float | int) for value in given):
        only: Number = _clip(_next_stability(weights, *given), STABILITY_MIN, STABILITY_MAX)
        return only
    import numpy as np  # only arrays come here, so numpy is loaded already

    rows: Any = np.broadcast_arrays(*given)
    found: Any = np.empty(rows[0].shape)
    same_day, again = rows[2] == 0, rows[3] == 1
    for place in (same_day, ~same_day & again, ~same_day & ~again):
        if place.any():
            found[place] = _next_stability(weights, *(value[place] for value in rows))
    clipped: Number = _clip(found, STABILITY_MIN, STABILITY_MAX)
    return clipped


def _next_stability(weights: Sequence[float], stability: Any, difficulty: Any, elapsed_days: Any, rating: Any) -> Any:
    """The same, not clipped, for one answer or for answers that all follow the formula of the first."""
    first_day, first_rating = (
        value if isinstance(value, float | int) else value[0] for value in (elapsed_days, rating)
    )
    if first_day == 0:
        return stability_same_day(weights, stability, rating)
    recall = retrievability(weights, elapsed_days, stability)
    if first_rating == 1:
        return stability_after_failure(weights, stability, difficulty, recall)
    return stability_after_success(weights, stability, difficulty, recall, rating)
