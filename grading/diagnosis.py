"""Which named mistake a wrong value comes from: the drill's own, another authority's convention, or a general one.

Sources of the general mistakes: GB for GiB, bits for bytes, powers of a thousand, percent for fraction, the total for one card's
share, one too many or too few where a formula rounds (catalogue rows M04, M11, M21, M28, M61, M64).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from grading.answer import Asked, Reading, Rival, Tolerance, accepts, is_near
from grading.evaluate import Scalar
from grading.expr import Call
from grading.units import NONE

_BINARY_SCALES = {Fraction(1024) ** k: k for k in range(1, 7)}
_POWERS = {base: [Fraction(base) ** power for power in (1, -1, 2, -2, 3, -3, 4, -4)] for base in (1000, 1024)}
_GAPS = [Fraction(1000, 1024) ** power for power in range(9)]
_SCALES = _BINARY_SCALES | {Fraction(1000) ** k: k for k in range(1, 7)}


NamedValues = list[tuple[float, Rival]]


def named_values(asked: Asked, scale: Fraction | None = None) -> NamedValues:
    """All that an answer may be taken for, with its value as a float for a first look."""
    return [(float(rival.value), rival) for rival in (*asked.rivals, *general_mistakes(asked, scale))]


def diagnose(reading: Reading, asked: Asked, named: NamedValues | None = None) -> tuple[Rival, ...]:
    """The rivals that the value equals: within the tolerance or to the figures typed, the drill's own first.

    Where the value is also close to the truth, only a rival that it fits to its own figures and that lies nearer counts.
    """
    if named is None:
        named = named_values(asked, reading.unit.factor if reading.has_unit else None)
    near = is_near(reading.value, asked)
    value, half_step = float(reading.value), float(reading.half_step or 0)
    may_match = _quick_look(value, half_step, asked.tolerance)
    rivals = [rival for worth, rival in named if may_match(worth)]
    rivals = [rival for rival in rivals if rival.value != 0 or reading.value == 0]
    matching = [rival for rival in rivals if _matches(rival, reading, asked, near)]
    fitting = [rival for rival in matching if _fits_figures(rival.value, reading)]
    if fitting:
        matching = fitting
    matching.sort(key=lambda rival: rival.kind == "general")
    return tuple({(rival.kind, rival.id): rival for rival in reversed(matching)}.values())[::-1]


def _quick_look(value: float, half_step: float, tolerance: Tolerance) -> Callable[[float], bool]:
    """Whether a rival's value may match, in floats and wider than every rule, so that few need exact arithmetic."""
    amount = float(tolerance.amount)
    share, fixed = (amount, half_step) if tolerance.kind == "relative" else (0.0, amount + half_step)

    def may_match(rival: float) -> bool:
        size = abs(rival)
        return abs(value - rival) <= 1.001 * (share * size + fixed) + 1e-8 * size

    return may_match


def _matches(rival: Rival, reading: Reading, asked: Asked, near: bool) -> bool:
    to_rival = _distance(reading.value, rival.value)
    if near:
        shows_enough = reading.figures is None or reading.figures > 1
        return shows_enough and _fits_figures(rival.value, reading) and to_rival < _distance(reading.value, asked.value)
    return accepts(rival.value, reading, asked.tolerance) or (
        asked.tolerance.kind != "relative" and (reading.figures or 2) > 1 and _fits_figures(rival.value, reading)
    )


def _fits_figures(value: Scalar, reading: Reading) -> bool:
    slack = abs(Fraction(value)) / 10**9
    half_step = Fraction(reading.half_step) if reading.half_step is not None else Fraction(0)
    return _distance(reading.value, value) <= half_step + slack


def _distance(a: Scalar, b: Scalar) -> Fraction:
    return abs(Fraction(a) - Fraction(b))


def general_mistakes(asked: Asked, scale: Fraction | None = None) -> tuple[Rival, ...]:
    """What the truth becomes under each general mistake. `scale` is that of the typed unit (MB: 1e6), else the asked one's."""
    truth = Fraction(asked.value)
    if truth == 0:
        return ()
    found: list[Rival] = []

    def add(name: str, factor: Fraction) -> None:
        found.append(Rival("general", name, truth * factor))

    if asked.unit.dimension[0]:
        _byte_mistakes(asked, scale or asked.unit.factor, add)
    if asked.tolerance.kind != "exact":
        for count in asked.cards:
            if count not in (0, 1):
                add("total-for-per-card", Fraction(count))
        for factor in _POWERS[1024 if asked.unit.factor in _BINARY_SCALES else 1000]:
            add("power-of-1000", factor)
    if (
        asked.unit.dimension == NONE
        and asked.unit.noun in ("", "%", "ratio", "point")
        and asked.tolerance.kind != "exact"
    ):
        add("hundredfold", Fraction(100))
        add("hundredfold", Fraction(1, 100))
    if isinstance(asked.formula, Call) and asked.formula.function in ("ceil", "floor"):
        found.append(Rival("general", "off-by-one", truth - 1))
        found.append(Rival("general", "off-by-one", truth + 1))
    return tuple(found)


def _byte_mistakes(asked: Asked, scale: Fraction, add: Callable[[str, Fraction], None]) -> None:
    power = _SCALES.get(scale, 0)
    if power:
        add("gib-for-gb", _GAPS[power])
        add("gb-for-gib", 1 / _GAPS[power])
    is_bits = "bit" in asked.unit.symbol.casefold()
    add("bytes-for-bits" if is_bits else "bits-for-bytes", Fraction(1, 8) if is_bits else Fraction(8))
    if not is_bits:
        add("bytes-for-bits", Fraction(1, 8))
