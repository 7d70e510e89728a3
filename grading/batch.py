"""Many problems at once: drawn, worked out and graded as arrays, with the verdicts of the one-by-one path.

For checking a drill over thousands of draws and for measuring; a learner's answer goes through `grading.answer`. Parameters
have few choices each, so truth and rivals are worked out once for every combination and looked up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.answer import FLOAT_SLACK, NEAR, Asked, Reason, Rival, Tolerance
from grading.diagnosis import general_mistakes
from grading.drill import Drill
from grading.evaluate import values_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

REASONS = (Reason.CORRECT, Reason.CONVENTION, Reason.MISTAKE, Reason.IMPRECISE, Reason.WRONG)
"""What a code in the array of `grade_values` stands for."""
CORRECT, CONVENTION, MISTAKE, IMPRECISE, WRONG = range(len(REASONS))
SAME = 1e-9
"""Relative room for a value without figures to be the same as a rival's, near the truth or where counts are asked."""
BLOCK = 4096
"""Problems graded together: what stays in the processor's cache."""
MOST_COMBINATIONS = 1 << 16


@dataclass(frozen=True, slots=True)
class Rivals:
    """Values that have a name, in base units: `values[r, cell[k]]` is rival r in draw k, nan where a draw has none.

    The first `conventions` rows are other authorities' conventions, the rest mistakes, general ones included. The names of the
    drill's own are in `ids`; a general mistake is named by its code.
    """

    values: NDArray[Any]
    cell: NDArray[Any]
    conventions: int
    ids: tuple[str, ...]


def draw_arrays(drill: Drill, count: int, seed: int) -> tuple[dict[str, NDArray[Any]], NDArray[Any], Rivals]:
    """`count` draws of a drill: the values by parameter, the truth, and the rivals, in base units.

    They are the draws that `draw` tries one after another for this seed; those that it would pass over are kept. A rival that
    equals the truth is nan there, as it is dropped there.
    """
    import numpy as np

    params = drill.params
    words = np.random.PCG64(seed % 2**64).random_raw(count * len(params)).reshape(count, len(params)).T
    picked = [_picked(row, len(param.choices), np) for param, row in zip(params, words, strict=True)]
    choices = [np.array([float(choice.value) for choice in param.choices]) for param in params]
    values = {param.key: row[index] for param, row, index in zip(params, choices, picked, strict=True)}
    sizes = [len(row) for row in choices]
    if math.prod(sizes) > MOST_COMBINATIONS or math.prod(sizes) > count:
        truth, table, conventions, ids = _worked_out(drill, values, count)
        return values, truth, Rivals(table, np.arange(count), conventions, ids)
    grid = np.meshgrid(*choices, indexing="ij")
    combinations = {param.key: axis.ravel() for param, axis in zip(params, grid, strict=True)}
    truth, table, conventions, ids = _worked_out(drill, combinations, math.prod(sizes))
    cell = np.ravel_multi_index(picked, sizes) if params else np.zeros(count, np.intp)
    return values, truth[cell], Rivals(table, cell, conventions, ids)


def _picked(words: Any, choices: int, np: Any) -> Any:
    """`word * choices >> 64`, as one draw does it, in two halves that fit 64 bits."""
    n = np.uint64(choices)
    half = np.uint64(32)
    low = ((words & np.uint64(2**32 - 1)) * n) >> half
    return (((words >> half) * n + low) >> half).astype(np.intp)


def _worked_out(drill: Drill, values: Mapping[str, Any], size: int) -> tuple[Any, Any, int, tuple[str, ...]]:
    import numpy as np

    truth = np.broadcast_to(values_of(drill.formula, values), (size,))
    rows = [
        np.broadcast_to(values_of(named.formula, values), (size,)) for named in (*drill.conventions, *drill.mistakes)
    ]
    ids = [named.id for named in (*drill.conventions, *drill.mistakes)]
    if drill.tolerance.kind != "exact":
        counted = [param.key for param in drill.params if param.unit.noun == "GPU"]
        rows += [np.where(values[key] > 1, truth * values[key], np.nan) for key in counted]
        ids += ["total-for-per-card"] * len(counted)
    own = len(rows)
    for rival in _general_at(drill, 64):
        steps = rival.id == "off-by-one"
        rows.append(truth + float(Fraction(rival.value) - 64) if steps else truth * float(Fraction(rival.value) / 64))
        ids.append(rival.id)
    table = np.array(rows) if rows else np.zeros((0, size))
    room = _width(drill.tolerance, truth, np) + np.abs(truth) * 1e-12
    table[:own] = np.where(np.abs(table[:own] - truth) <= room, np.nan, table[:own])
    return truth, table, len(drill.conventions), tuple(ids)


def _general_at(drill: Drill, truth: int) -> tuple[Rival, ...]:
    return general_mistakes(Asked(Fraction(truth), drill.unit, drill.tolerance, formula=drill.formula))


def _width(tolerance: Tolerance, truth: Any, np: Any) -> Any:
    if tolerance.kind == "relative":
        return np.abs(truth) * float(tolerance.amount)
    return float(tolerance.amount) if tolerance.kind == "absolute" else 0.0


def grade_values(values: Any, truth: Any, rivals: Rivals, tolerance: Tolerance) -> NDArray[Any]:
    """Codes into `REASONS` for values in base units, taken as worked out: figures and percentages play no part."""
    import numpy as np

    values, truth = np.asarray(values, float), np.asarray(truth, float)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1.0 / rivals.values
    codes = np.empty(len(values), np.int8)
    for start in range(0, len(values), BLOCK):
        part = slice(start, start + BLOCK)
        codes[part] = _graded(values[part], truth[part], rivals, inverse, rivals.cell[part], tolerance)
    return codes


def _graded(values: Any, truth: Any, rivals: Rivals, inverse: Any, cell: Any, tolerance: Tolerance) -> Any:
    import numpy as np

    distance = np.abs(values - truth)
    width = _width(tolerance, truth, np)
    right = distance <= width + float(FLOAT_SLACK) * np.maximum(np.abs(truth), np.abs(values))
    near = ~right & (distance <= NEAR * width) if tolerance.kind != "exact" else np.zeros(len(values), bool)
    codes = np.where(near, np.int8(IMPRECISE), np.int8(WRONG))
    codes[right] = CORRECT
    with np.errstate(invalid="ignore"):
        apart = values * inverse[:, cell]  # as a share of the rival
        apart -= 1.0
        np.abs(apart, out=apart)
        same = apart <= SAME
        hit = _within(apart, rivals, cell, tolerance)
        # A rival that the value equals goes before those that are only near it.
        hit &= same | ~same.any(axis=0)
        if near.any():
            to_rival = np.abs(values[near] - rivals.values[:, cell[near]])
            hit[:, near] = same[:, near] & (to_rival < distance[near])
    hit |= (values == 0) & (rivals.values[:, cell] == 0) if (rivals.values == 0).any() else False
    wrong = ~right
    codes[wrong & hit[rivals.conventions :].any(axis=0)] = MISTAKE
    codes[wrong & hit[: rivals.conventions].any(axis=0)] = CONVENTION
    return codes


def _within(apart: Any, rivals: Rivals, cell: Any, tolerance: Tolerance) -> Any:
    """Whether a value counts as the rival, by its distance as a share of it."""
    if tolerance.kind == "relative":
        return apart <= float(tolerance.amount) + float(FLOAT_SLACK)
    same = apart <= SAME
    if tolerance.kind == "exact":
        return same
    import numpy as np

    return same | (apart * np.abs(rivals.values[:, cell]) <= float(tolerance.amount))
