"""Whether two formulas are the same: compared at many seeded random positive points, in one vectorised pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from grading.evaluate import array_of
from grading.expr import Call, Name, Neg, Node, walk

POINTS = 32
SEED = 20260301
FEWEST_POINTS = 4
"""Where both have a value at fewer points, formulas are equal only if they are written alike."""
RELATIVE_TOLERANCE = 1e-9


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

    parts = [*walk(left), *walk(right)]
    names = {part.key for part in parts if isinstance(part, Name)}
    rounds = any(isinstance(part, Call) and part.function in ("ceil", "floor") for part in parts)
    points = _points(tuple(sorted(names)), rounds)
    with np.errstate(all="ignore"):
        a, b = array_of(left, points, np), array_of(right, points, np)
        valid = np.isfinite(a - b)
    if not np.all(valid):
        if np.count_nonzero(valid) < (FEWEST_POINTS if names else 1):
            return Comparison(bool(_same_shape(left, right)))
        a, b = np.where(valid, a, 0.0), np.where(valid, b, 0.0)
    size = np.abs(a)
    for scale in dict.fromkeys(scales):
        expected = b if scale == 1 else b * float(scale)
        if np.all(np.abs(a - expected) <= RELATIVE_TOLERANCE * np.maximum(size, np.abs(expected)) + 1e-300):
            return Comparison(True)
    return Comparison(False, _counter_example(points, a, b, np))


def _counter_example(points: Mapping[str, Any], a: Any, b: Any, np: Any) -> dict[str, float]:
    """The point where the two lie farthest apart; a formula without names has the same value at all."""
    apart = np.abs(a - b)
    k = int(apart.argmax()) if np.ndim(apart) else 0
    left, right = (float(side[k]) if np.ndim(side) else float(side) for side in (a, b))
    return {**{name: float(values[k]) for name, values in points.items()}, "left": left, "right": right}


def _same_shape(left: Node, right: Node) -> bool:
    return left == right or (isinstance(left, Neg) and isinstance(right, Neg) and left.of == right.of)


@lru_cache(maxsize=128)
def _points(names: tuple[str, ...], rounds: bool) -> dict[str, Any]:
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
    if rounds:
        # Powers of two divide one another, which is where floor(x) + 1 and ceil(x) part; now earlier names are larger, now later.
        order = np.arange(len(share))[:, None]
        rank = np.where(np.arange(POINTS) % 8 == 0, order, order[::-1])
        doubled = (np.arange(POINTS) % 4 == 0)[None, :]
        whole = np.where(doubled, 2.0 ** (np.floor(share * 3) + 3 * rank), np.round(1 + share * 96))
        spread = np.where(is_near, whole, np.ceil(far * 4) / 4)
    return {name: spread[i] for i, name in enumerate(names)}
