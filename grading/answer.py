"""What a typed answer is worth, in named steps: read, valid, unit, value, diagnosis, precision.

"Could not read that" is never "wrong": an unreadable answer is no attempt. The verdict carries the very value that was graded, so
that the line "read as" is printed from it before anything counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from grading import units
from grading.evaluate import Scalar, dimension_of, in_range, value_of
from grading.expr import Bin, Context, Neg, Node, Num, Scaled, names_in, parse, walk
from grading.reading import Trouble, Unreadable, fold
from grading.units import BYTES, NONE, Unit


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
HUGE_FOR_A_FACTORIAL = 10**7
"""A whole number so large with `!` behind it is asked back where it is not right; smaller ones are sure answers."""
BILLIONS_APART = 10**6
"""An expression with B in it that is worth so many times too little means billions, not bytes."""
AGREES = Fraction(1, 20)
"""How near both sides of an equation must be, so that the right one is the answer and the left the working."""
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
        return self.unit.noun in ("%", "point")


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
    working, equals, text = plain.text.rpartition("=")
    if equals:
        if "=" in working:
            raise Unreadable(Trouble.UNEXPECTED, "=")
        return _behind_equals(working, text, asked)
    node, dimension = _measured(text, asked)
    written = [part.unit for part in walk(node) if isinstance(part, Scaled)]
    missing = names_in(node) - asked.drawn.keys()
    if missing:
        raise Unreadable(Trouble.UNKNOWN_NAME, sorted(missing)[0])
    value = value_of(node, asked.drawn)
    unit, is_bare = _unit_read(node, written, dimension, asked)
    if is_bare:
        value = in_range(_times(value, asked.unit.factor))
    figures, half_step = _figures(node)
    if half_step is not None and is_bare:
        half_step *= asked.unit.factor
    return Reading(value, unit, bool(written), figures, half_step, node, plain.notes)


def _behind_equals(working: str, text: str, asked: Asked) -> Reading:
    """26 + 22.75 = 48.75: what stands behind the last = is the answer where both sides agree."""
    left, right = read(working, asked), read(text, asked)
    worth = [Fraction(left.value), Fraction(left.value) * asked.unit.factor]
    right_value = Fraction(right.value)
    if not any(abs(value - right_value) <= AGREES * abs(right_value) for value in worth):
        raise Unreadable(Trouble.TWO_VALUES, "=")
    return replace(right, notes=tuple(dict.fromkeys((*right.notes, "working"))))


def _measured(text: str, asked: Asked) -> tuple[Node, units.Dimension]:
    """The tree and its dimension. Units bind closely; only where that mixes units do they bind to the product before."""
    node = _parsed(text, asked)
    try:
        return node, dimension_of(node, {})
    except Unreadable as trouble:
        if trouble.code is not Trouble.MIXED_UNITS:
            raise
    node = _parsed(text, asked, loose=True)
    return node, dimension_of(node, {})


@lru_cache(maxsize=64)
def _parsed_with(text: str, names: tuple[tuple[str, str], ...], unit: Unit, loose: bool) -> Node:
    return parse(text, Context(dict(names), unit), loose=loose)


_SHORT_NUMBER = re.compile(r"\s*[-+]?[\d.,]*\d\s?([kKMGBT])(?:\s+[A-Za-z-]{2,})?\s*")


def _parsed(text: str, asked: Asked, *, loose: bool = False) -> Node:
    names = asked.names
    short = _SHORT_NUMBER.fullmatch(text)
    if short is not None:  # 524k is a number, also where the drill has a parameter K
        letter = short.group(1).casefold()
        names = {spelling: key for spelling, key in names.items() if spelling.casefold() != letter}
    return _parsed_with(text, tuple(names.items()), asked.unit, loose)


def _times(value: Scalar, factor: Fraction) -> Scalar:
    return value * factor if isinstance(value, Fraction) else value * float(factor)


def _unit_read(node: Node, written: list[Unit], dimension: units.Dimension, asked: Asked) -> tuple[Unit, bool]:
    """The unit the value is in, and whether it is the asked one by default."""
    if not written:
        return asked.unit, not names_in(node)
    if dimension != asked.unit.dimension:
        cancelled = dimension == NONE and all(unit.dimension != NONE for unit in written)
        if cancelled or not _is_known(dimension):
            raise Unreadable(Trouble.UNKNOWN_UNIT, "·".join(unit.symbol for unit in written)[:40])
    same_kind = [unit for unit in written if unit.dimension == dimension]
    if same_kind:
        return same_kind[0], False
    return asked.unit if dimension == asked.unit.dimension else units.base(dimension), False


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
            from grading.formula_answer import grade_formula

            return grade_formula(reading, asked)
        return _grade_value(reading, asked)
    except Unreadable as trouble:
        return Verdict(Reason.UNREADABLE, asked, trouble=trouble)
    except RecursionError:
        return Verdict(Reason.UNREADABLE, asked, trouble=Unreadable(Trouble.TOO_DEEP))


def _grade_value(reading: Reading, asked: Asked) -> Verdict:
    notes = list(reading.notes)
    if _ask_back(reading, asked):
        notes.append("read-as-bytes")
    if reading.has_unit and not _fits(reading, asked):
        return Verdict(Reason.UNIT, asked, reading, notes=tuple(notes))
    if is_right(reading, asked):
        return Verdict(Reason.CORRECT, asked, reading, notes=tuple(notes))
    hundredfold = _as_percentage(reading, asked)
    if hundredfold is not None and is_right(hundredfold, asked):
        return Verdict(Reason.CORRECT, asked, hundredfold, notes=(*notes, "fraction-for-percentage"))
    from grading.diagnosis import diagnose

    found = diagnose(reading, asked)
    if not found and hundredfold is not None:
        found = tuple(rival for rival in diagnose(hundredfold, asked) if rival.kind != "general")
    if found:
        conventions = tuple(rival for rival in found if rival.kind == "convention")
        reason = Reason.CONVENTION if conventions else Reason.MISTAKE
        return Verdict(reason, asked, reading, conventions or found, tuple(notes))
    if is_near(reading.value, asked):
        return Verdict(Reason.IMPRECISE, asked, reading, notes=tuple(notes))
    if "sure" in notes and isinstance(reading.node, Num) and reading.node.value >= HUGE_FOR_A_FACTORIAL:
        raise Unreadable(Trouble.FACTORIAL, f"{reading.node.value}!"[:40])
    return Verdict(Reason.WRONG, asked, reading, notes=tuple(notes))


def _ask_back(reading: Reading, asked: Asked) -> bool:
    """Whether a lower-case unit (gb) was read as bytes, and rightly.

    Raises:
        Unreadable: where only its other reading would be right: gb as bits, or 13B as 13 billion inside an expression.
    """
    written = [part.unit for part in walk(reading.node) if isinstance(part, Scaled)]
    ambiguous = [unit for unit in written if unit.lower_case]
    if ambiguous and dimension_of_reading(reading) == asked.unit.dimension:
        if is_right(reading, asked):
            return True
        if is_right(_times_reading(reading, Fraction(1, 8)), asked):
            raise Unreadable(Trouble.BITS_OR_BYTES, ambiguous[0].symbol)
    is_worked_out = any(isinstance(part, Bin) for part in walk(reading.node))
    is_of_bytes = (
        asked.unit.dimension == BYTES
        and written
        and all(unit.dimension == BYTES and unit.factor <= 1 for unit in written)
    )
    if is_worked_out and is_of_bytes and 0 < abs(Fraction(reading.value)) * BILLIONS_APART < abs(Fraction(asked.value)):
        raise Unreadable(Trouble.BYTES_OR_BILLIONS)
    return False


def _fits(reading: Reading, asked: Asked) -> bool:
    if dimension_of_reading(reading) != asked.unit.dimension:
        return False
    parts = [part.unit for part in walk(reading.node) if isinstance(part, Scaled)]
    if asked.unit.dimension != NONE:  # 40 layers * 2 GB is bytes; GPU-hours are no hours
        parts = [unit for unit in parts if unit.dimension != NONE]
    written = {unit.noun for unit in parts if unit.noun}
    if not written or (not asked.unit.noun and asked.unit.dimension == NONE):
        return True
    shares = {"%", "ratio", "point"}
    return written <= {asked.unit.noun} or (asked.unit.noun in shares and written <= shares)


def dimension_of_reading(reading: Reading) -> units.Dimension:
    """The dimension of what was typed; a bare number has the asked unit's."""
    return dimension_of(reading.node, {}) if reading.has_unit else reading.unit.dimension


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


def _times_reading(reading: Reading, factor: Fraction) -> Reading:
    half_step = None if reading.half_step is None else reading.half_step * factor
    return replace(reading, value=_times(reading.value, factor), half_step=half_step)
