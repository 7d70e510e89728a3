"""A formula where a number was asked: the right one is said to be right and the number asked for; it costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from grading.answer import Asked, Reading, Reason, Rival, Verdict, is_right
from grading.diagnosis import diagnose, named_values
from grading.evaluate import Scalar
from grading.expr import Node, names_in
from grading.formulas import same_up_to
from grading.tree import with_values

SAME = 1e-9


def grade_formula(reading: Reading, asked: Asked) -> Verdict:
    """Compare with the right formula and the rivals': in letters, then with the drawn numbers put in where the answer
    has numbers (`26 + 182/N`), then by its value at the drawn numbers (`3.75Φ`)."""
    if asked.formula is None:
        return _by_value(reading, asked, ())
    scales = (Fraction(1), 1 / asked.unit.factor, asked.unit.factor)
    typed = names_in(reading.node)
    put_in = {key: Fraction(value) for key, value in asked.drawn.items() if key not in typed}

    def in_letters_same(formula: Node) -> bool:
        return same_up_to(reading.node, formula, scales).equal

    def with_numbers_same(formula: Node) -> bool:
        absent = names_in(formula) - typed
        return bool(absent) and same_up_to(reading.node, with_values(formula, put_in), scales).equal

    worth = _worth_the_same(reading, asked, scales)
    return (
        _matching(reading, asked, worth, in_letters_same)
        or _matching(reading, asked, worth, with_numbers_same)
        or _by_value(reading, asked, scales)
    )


def _worth_the_same(reading: Reading, asked: Asked, scales: tuple[Fraction, ...]) -> tuple[bool, list[Rival]]:
    """Whether the right formula, and which of the rivals', is worth the same as the answer at the drawn numbers: those
    that are equal to it are, so that others need no comparison."""
    here, factors = float(reading.value), [float(scale) for scale in scales]

    def is_worth(value: Scalar) -> bool:
        there = float(value)
        return any(abs(here - there * factor) <= SAME * abs(here) for factor in factors)

    return is_worth(asked.value), [rival for rival in asked.rivals if rival.formula and is_worth(rival.value)]


def _matching(
    reading: Reading, asked: Asked, worth: tuple[bool, list[Rival]], is_same: Callable[[Node], bool]
) -> Verdict | None:
    is_right_one, rivals = worth
    if asked.formula is not None and is_right_one and is_same(asked.formula):
        return Verdict(Reason.FORMULA, asked, reading, notes=reading.notes)
    for kind, reason in (("convention", Reason.CONVENTION), ("mistake", Reason.MISTAKE)):
        found = tuple(rival for rival in rivals if rival.kind == kind and rival.formula and is_same(rival.formula))
        if found:
            return Verdict(reason, asked, reading, found, reading.notes)
    return None


def _by_value(reading: Reading, asked: Asked, scales: tuple[Fraction, ...]) -> Verdict:
    """By what the formula is worth here, in base units or in the asked one: figures play no part."""
    here = replace(reading, figures=None, half_step=None)
    scaled = replace(here, value=Fraction(here.value) * asked.unit.factor)
    worth = [here] if reading.has_unit else [here, scaled]
    if any(is_right(value, asked) for value in worth):
        return Verdict(Reason.FORMULA, asked, reading, notes=reading.notes)
    named = named_values(asked, reading.unit.factor if reading.has_unit else None)
    for value in worth:
        found: tuple[Rival, ...] = diagnose(value, asked, named)
        if found:
            conventions = tuple(rival for rival in found if rival.kind == "convention")
            reason = Reason.CONVENTION if conventions else Reason.MISTAKE
            return Verdict(reason, asked, reading, conventions or found, reading.notes)
    example = None if asked.formula is None else same_up_to(reading.node, asked.formula, scales).counter_example
    return Verdict(Reason.WRONG, asked, reading, notes=reading.notes, counter_example=example)
