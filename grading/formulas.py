"""Whether two formulas are the same: compared at many seeded random positive points, in one vectorised pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any

from grading.evaluate import array_of, value_of
from grading.expr import Bin, Call, Name, Neg, Node, Num
from grading.reading import Unreadable

POINTS = 32
Points = dict[str, Any]
SEED = 20260301
FEWEST_POINTS = 4
"""Where both have a value at fewer points, formulas are equal only if they are written alike."""
RELATIVE_TOLERANCE = 1e-9
RELATIVE_SHARE = Fraction(1, 10**9)
CLEARLY = 1e-4


@dataclass(frozen=True, slots=True)
class Comparison:
    """`counter_example` names a point where the two differ, with both values under `left` and `right`."""

    equal: bool
    counter_example: Mapping[str, float] | None = None


def same(left: Node, right: Node) -> Comparison:
    """Whether `left` equals `right` wherever both are defined.

    Two different formulas of this language agree at 16 random points only if they differ by less than the tolerance; formulas
    that round (ceil, floor) are compared at whole numbers, where they are meant.
    """
    return same_up_to(left, right, (Fraction(1),))


def same_up_to(left: Node, right: Node, scales: tuple[Fraction, ...]) -> Comparison:
    """The same, where `left` may be written in another scale: left = right x one of `scales`."""
    import numpy as np

    names, rounds, cancels = _traits(left, right)
    points, first = _points(tuple(sorted(names)), rounds)
    scales = tuple(dict.fromkeys(scales))
    with np.errstate(all="ignore"):
        if _clearly_apart(left, right, first, scales, np):
            found = _told_apart(left, right, first, scales, cancels)
            if found is not None:
                return Comparison(False, found)
        a, b = np.asarray(array_of(left, points, np)), np.asarray(array_of(right, points, np))
        valid = np.isfinite(a - b)
    if not valid.all():
        if np.count_nonzero(valid) < (FEWEST_POINTS if names else 1):
            return Comparison(bool(_same_shape(left, right)))
        a, b = np.where(valid, a, 0.0), np.where(valid, b, 0.0)
    return _compared(left, right, points, (a, b), scales, cancels)


def _traits(left: Node, right: Node) -> tuple[set[str], bool, bool]:
    """The names in both, whether either rounds, and whether anything is subtracted."""
    names: set[str] = set()
    rounds = cancels = False
    waiting = [left, right]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Bin):
            cancels = cancels or part.op == "-"
            waiting += (part.left, part.right)
        elif isinstance(part, Name):
            names.add(part.key)
        elif isinstance(part, Call):
            rounds = rounds or part.function in ("ceil", "floor")
            waiting += part.arguments
        elif not isinstance(part, Num):
            cancels = cancels or isinstance(part, Neg)
            waiting.append(part.of)
    return names, rounds, cancels


def _compared(
    left: Node, right: Node, points: Points, values: tuple[Any, Any], scales: tuple[Fraction, ...], cancels: bool
) -> Comparison:
    import numpy as np

    a, b = values
    found: dict[str, float] | None = None
    for scale in scales:
        expected = b if scale == 1 else b * float(scale)
        apart = np.abs(a - expected) > np.abs(expected) * RELATIVE_TOLERANCE + 1e-300
        if not apart.any():
            return Comparison(True)
        for k in np.flatnonzero(np.broadcast_to(apart, (POINTS,))):
            point = {name: float(values[k]) for name, values in points.items()}
            different = _told_apart(left, right, point, (scale,), cancels)
            if different is not None:
                found = found or different
                break
        else:
            return Comparison(True)
    return Comparison(False, found)


def _clearly_apart(left: Node, right: Node, point: Mapping[str, float], scales: tuple[Fraction, ...], np: Any) -> bool:
    """A quick look at one point: most formulas that differ do so here."""
    a, b = float(array_of(left, point, np)), float(array_of(right, point, np))
    if not (isfinite(a) and isfinite(b)):
        return False
    wanted = [b if scale == 1 else b * float(scale) for scale in scales]
    return all(abs(a - expected) > CLEARLY * max(abs(a), abs(expected)) for expected in wanted)


def _told_apart(
    left: Node, right: Node, point: Mapping[str, float], scales: tuple[Fraction, ...], cancels: bool
) -> dict[str, float] | None:
    """The point with both values where they do differ, None where only float arithmetic says so.

    Without a minus nothing cancels and floats are right; (a - b)^6 written out loses all figures, and exact numbers decide.
    """
    import numpy as np

    in_floats = {**point, "left": float(array_of(left, point, np)), "right": float(array_of(right, point, np))}
    if not cancels:
        return in_floats
    exact = {name: Fraction(value) for name, value in point.items()}
    try:
        a, b = Fraction(value_of(left, exact)), Fraction(value_of(right, exact))
    except Unreadable:
        return in_floats
    if all(abs(a - b * scale) > RELATIVE_SHARE * max(abs(a), abs(b * scale)) for scale in scales):
        return {**point, "left": float(a), "right": float(b)}
    return None


def _same_shape(left: Node, right: Node) -> bool:
    return left == right or (isinstance(left, Neg) and isinstance(right, Neg) and left.of == right.of)


@lru_cache(maxsize=128)
def _points(names: tuple[str, ...], rounds: bool) -> tuple[Points, dict[str, float]]:
    """Positive points: half near 1 on both sides, half up to 20,000, so that no max(x, 100) or min(x, 1) hides a name.

    PCG64's raw stream is the one numpy promises not to change. Where formulas round, points are powers of two, whole
    numbers and quarters.
    """
    import numpy as np

    raw = np.random.PCG64(SEED).random_raw(POINTS * max(1, len(names)))
    share = ((raw >> np.uint64(11)).astype(float) * 2.0**-53).reshape(-1, POINTS)
    near, far = np.exp((share * 2 - 1) * np.log(48.0)), np.exp(share * np.log(20_000.0))
    is_near = (np.arange(POINTS) % 2 == 0)[None, :]
    spread = np.where(is_near, near, far)
    spread = np.ceil(spread * 64) / 64  # short numbers, so that exact arithmetic stays cheap
    if rounds:
        # Powers of two divide one another, which is where floor(x) + 1 and ceil(x) part; now earlier names are larger, now later.
        order = np.arange(len(share))[:, None]
        rank = np.where(np.arange(POINTS) % 8 == 0, order, order[::-1])
        doubled = (np.arange(POINTS) % 4 == 0)[None, :]
        whole = np.where(doubled, 2.0 ** (np.floor(share * 3) + 3 * rank), np.round(1 + share * 96))
        spread = np.where(is_near, whole, np.ceil(far * 4) / 4)
    points = {name: spread[i] for i, name in enumerate(names)}
    return points, {name: float(values[0]) for name, values in points.items()}
