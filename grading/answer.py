"""What a typed answer is worth, in named steps: read, valid, unit, value, diagnosis, precision.

"Could not read that" is never "wrong": an unreadable answer is no attempt. The verdict carries the very value that was graded, so
that the line "read as" is printed from it before anything counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from grading import units
from grading.evaluate import Scalar, dimension_of, value_of
from grading.expr import Bin, Context, Neg, Node, Num, Scaled, names_in, parse, walk
from grading.reading import Unreadable, fold
from grading.units import NONE, Unit


class Reason(StrEnum):
    """What a verdict says, as a code that the interface, the record and the command line share."""

    CORRECT = "correct"
    MISTAKE = "mistake"
    CONVENTION = "convention"
    UNIT = "unit"
    IMPRECISE = "imprecise"
    WRONG = "wrong"
    UNREADABLE = "unreadable"
    FORMULA = "formula"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far from the truth is still right. `amount` is a share for `relative`, base units for `absolute`."""

    kind: str = "relative"  # relative | absolute | exact
    amount: Fraction = Fraction(1, 100)

    def width(self, truth: Scalar) -> Scalar:
        """The greatest accepted distance from `truth`."""
        if self.kind == "relative":
            return abs(Fraction(truth)) * self.amount
        return self.amount if self.kind == "absolute" else Fraction(0)


EXACT = Tolerance("exact", Fraction(0))
NEAR = 5
"""Within so many times the tolerance a wrong value is called imprecise."""
FLOAT_SLACK = Fraction(1, 10**12)
"""Relative room for a truth that is itself a float, so that an answer exactly at the edge is right."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another value that has a name: a drill's mistake, another authority's convention, or a general mistake."""

    kind: str  # mistake | convention | general
    id: str
    value: Scalar
    formula: Node | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked: the true value in base units, the unit it is asked in, and what else it might be taken for.

    `names` maps spellings to parameter keys and `drawn` keys to values, for answers that are formulas; `formula` is the
    right one. `cards` are the drawn counts by which a total is mistaken for a share.
    """

    value: Scalar
    unit: Unit
    tolerance: Tolerance = Tolerance()
    rivals: tuple[Rival, ...] = ()
    formula: Node | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    drawn: Mapping[str, Scalar] = field(default_factory=dict)
    cards: tuple[Scalar, ...] = ()

    @property
    def is_percentage(self) -> bool:
        return self.unit.noun == "%"


@dataclass(frozen=True, slots=True)
class Reading:
    """What was understood. `value` is in base units; `figures` and `half_step` (base units) where the writing shows them."""

    value: Scalar
    unit: Unit
    has_unit: bool
    figures: int | None
    half_step: Fraction | None
    node: Node
    notes: tuple[str, ...] = ()

    def in_unit(self, unit: Unit) -> float:
        return float(Fraction(self.value) / unit.factor)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`found` are the rivals that the answer equals, the drill's own first; `trouble` says why nothing could be read."""

    reason: Reason
    asked: Asked
    reading: Reading | None = None
    found: tuple[Rival, ...] = ()
    notes: tuple[str, ...] = ()
    trouble: Unreadable | None = None
    counter_example: Mapping[str, float] | None = None


def read(typed: str, asked: Asked) -> Reading:
    """The first steps of grading, and the live line under the field.

    A bare number is in the unit asked for. An answer with names in it gets the value of its formula at the drawn values.

    Raises:
        Unreadable: with the reason's code.
    """
    plain = fold(typed)
    node = _parsed(plain.text, asked)
    if any(isinstance(part, Num) and part.value.denominator == 0 for part in walk(node)):
        raise Unreadable("division-by-zero")
    written = [part.unit for part in walk(node) if isinstance(part, Scaled)]
    missing = names_in(node) - asked.drawn.keys()
    if missing:
        raise Unreadable("unknown-name", sorted(missing)[0])
    dimension = dimension_of(node, {})
    value = value_of(node, asked.drawn)
    unit, is_bare = _unit_read(node, written, dimension, asked)
    if is_bare:
        value = _times(value, asked.unit.factor)
    figures, half_step = _figures(node)
    if half_step is not None and is_bare:
        half_step *= asked.unit.factor
    return Reading(value, unit, bool(written), figures, half_step, node, plain.notes)


@lru_cache(maxsize=64)
def _parsed_with(text: str, names: tuple[tuple[str, str], ...], unit: Unit) -> Node:
    return parse(text, Context(dict(names), unit))


def _parsed(text: str, asked: Asked) -> Node:
    return _parsed_with(text, tuple(asked.names.items()), asked.unit)


def _times(value: Scalar, factor: Fraction) -> Scalar:
    return value * factor if isinstance(value, Fraction) else value * float(factor)


def _unit_read(node: Node, written: list[Unit], dimension: units.Dimension, asked: Asked) -> tuple[Unit, bool]:
    """The unit the value is in, and whether it is the asked one by default."""
    if not written:
        names = names_in(node)
        return (asked.unit, not names or asked.unit.dimension == NONE)
    if dimension == NONE and all(unit.dimension != NONE for unit in written):
        raise Unreadable("unknown-unit", "/".join(unit.symbol for unit in written))
    if dimension != asked.unit.dimension and not _is_known(dimension):
        raise Unreadable("unknown-unit", "·".join(unit.symbol for unit in written))
    return written[0], False


def _is_known(dimension: units.Dimension) -> bool:
    """Bytes, FLOP, seconds, dollars, alone or per second or per hour; nothing else is a quantity here."""
    b, f, s, d = dimension
    return (
        (b, f, d) in ((1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0))
        and s in (-1, 0, 1)
        and (s < 1 or (b, f, d) == (0, 0, 0))
    )


def _figures(node: Node) -> tuple[int | None, Fraction | None]:
    """How many figures a literal shows, and half a unit of its last one; none for what was worked out."""
    match node:
        case Num(_, figures, half_step):
            return figures, half_step
        case Neg(of):
            return _figures(of)
        case Scaled(of, unit):
            shown, step = _figures(of)
            return shown, None if step is None else step * unit.factor
        case Bin("*", Num(_, figures, half_step), Bin("^", Num(base), exponent)) if (
            base == 10 and half_step is not None
        ):
            power = value_of(exponent, {}) if not names_in(exponent) else None
            if isinstance(power, Fraction) and power.denominator == 1 and abs(power) < 400:
                return figures, half_step * base**power.numerator
    return None, None


def grade(typed: str, asked: Asked) -> Verdict:
    """The whole way from text to verdict. Never raises for anything typed."""
    try:
        reading = read(typed, asked)
        if names_in(reading.node):
            return _grade_formula(reading, asked)
        return _grade_value(reading, asked)
    except Unreadable as trouble:
        return Verdict(Reason.UNREADABLE, asked, trouble=trouble)
    except RecursionError:
        return Verdict(Reason.UNREADABLE, asked, trouble=Unreadable("too-deep"))


def _grade_value(reading: Reading, asked: Asked) -> Verdict:
    notes = list(reading.notes)
    ambiguous = [part.unit for part in walk(reading.node) if isinstance(part, Scaled) and part.unit.lower_case]
    if ambiguous:
        if is_right(reading, asked):
            notes.append("read-as-bytes")
        elif _as_bits_is_right(reading, asked):
            raise Unreadable("bits-or-bytes", ambiguous[0].symbol)
    if reading.has_unit and not _fits(reading, asked):
        return Verdict(Reason.UNIT, asked, reading, notes=tuple(notes))
    if is_right(reading, asked):
        return Verdict(Reason.CORRECT, asked, reading, notes=tuple(notes))
    hundredfold = _as_percentage(reading, asked)
    if hundredfold is not None and is_right(hundredfold, asked):
        return Verdict(Reason.CORRECT, asked, hundredfold, notes=(*notes, "fraction-for-percentage"))
    from grading.diagnosis import diagnose

    found = diagnose(reading, asked)
    if found:
        conventions = tuple(rival for rival in found if rival.kind == "convention")
        reason = Reason.CONVENTION if conventions else Reason.MISTAKE
        return Verdict(reason, asked, reading, conventions or found, tuple(notes))
    reason = Reason.IMPRECISE if is_near(reading.value, asked) else Reason.WRONG
    return Verdict(reason, asked, reading, notes=tuple(notes))


def _fits(reading: Reading, asked: Asked) -> bool:
    if reading.unit.dimension != asked.unit.dimension and dimension_of(reading.node, {}) != asked.unit.dimension:
        return False
    written = {part.unit.noun for part in walk(reading.node) if isinstance(part, Scaled) and part.unit.noun}
    if not written or (not asked.unit.noun and asked.unit.dimension == NONE):
        return True
    shares = {"%", "ratio", "point"}
    return written <= {asked.unit.noun, ""} or (asked.unit.noun in shares and written <= shares)


def is_right(reading: Reading, asked: Asked) -> bool:
    """Within the tolerance, or right to the figures typed (two or more); the widest accepted interval counts."""
    return accepts(asked.value, reading, asked.tolerance)


def accepts(truth: Scalar, reading: Reading, tolerance: Tolerance) -> bool:
    """Whether `reading` counts as `truth`. An answer exactly at the edge does."""
    distance = abs(Fraction(reading.value) - Fraction(truth))
    slack = _slack(truth, reading.value)
    if distance <= Fraction(tolerance.width(truth)) + slack:
        return True
    if tolerance.kind != "relative" or truth == 0:
        return False
    if reading.figures is None or reading.half_step is None or reading.figures < 2:
        return False
    return distance <= Fraction(reading.half_step) + slack


def _slack(*values: Scalar) -> Fraction:
    floats = [abs(Fraction(value)) for value in values if isinstance(value, float)]
    return max(floats) * FLOAT_SLACK if floats else Fraction(0)


def is_near(value: Scalar, asked: Asked) -> bool:
    """Outside the tolerance but within five times of it."""
    distance = abs(Fraction(value) - Fraction(asked.value))
    return asked.tolerance.kind != "exact" and distance <= NEAR * Fraction(asked.tolerance.width(asked.value))


def _as_percentage(reading: Reading, asked: Asked) -> Reading | None:
    """A bare fraction where a percentage was asked, read as the percentage it is."""
    return _times_reading(reading, Fraction(100)) if asked.is_percentage and not reading.has_unit else None


def _as_bits_is_right(reading: Reading, asked: Asked) -> bool:
    return is_right(_times_reading(reading, Fraction(1, 8)), asked)


def _times_reading(reading: Reading, factor: Fraction) -> Reading:
    half_step = None if reading.half_step is None else reading.half_step * factor
    return replace(reading, value=_times(reading.value, factor), half_step=half_step)


def _grade_formula(reading: Reading, asked: Asked) -> Verdict:
    """A formula where a number was asked: the right one is said to be right and the number asked for."""
    from grading.formulas import same_up_to

    scales = (Fraction(1), 1 / asked.unit.factor, asked.unit.factor)
    if asked.formula is not None:
        compared = same_up_to(reading.node, asked.formula, scales)
        if compared.equal:
            return Verdict(Reason.FORMULA, asked, reading, notes=reading.notes)
        for kind in ("convention", "mistake"):
            found = tuple(
                rival
                for rival in asked.rivals
                if rival.kind == kind and rival.formula and same_up_to(reading.node, rival.formula, scales).equal
            )
            if found:
                reason = Reason.CONVENTION if kind == "convention" else Reason.MISTAKE
                return Verdict(reason, asked, reading, found, reading.notes)
        return Verdict(Reason.WRONG, asked, reading, notes=reading.notes, counter_example=compared.counter_example)
    return Verdict(Reason.WRONG, asked, reading, notes=reading.notes)
