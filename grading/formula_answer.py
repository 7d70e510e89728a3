"""A formula where a number was asked: the right one is said to be right and the number asked for; it costs nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from grading.answer import Asked, Reading, Reason, Rival, Verdict, is_right
from grading.diagnosis import diagnose
from grading.expr import Node, names_in
from grading.formulas import Comparison, same_up_to
from grading.tree import with_values


def grade_formula(reading: Reading, asked: Asked) -> Verdict:
    """Compare with the right formula and the rivals': in letters, then with the drawn numbers put in where the answer
    has numbers (`26 + 182/N`), then by its value at the drawn numbers (`3.75Φ`)."""
    if asked.formula is None:
        return _by_value(reading, asked, None)
    scales = (Fraction(1), 1 / asked.unit.factor, asked.unit.factor)
    in_letters = same_up_to(reading.node, asked.formula, scales)

    def in_letters_same(formula: Node) -> bool:
        return same_up_to(reading.node, formula, scales).equal

    verdict = _matching(reading, asked, in_letters_same)
    if verdict is not None:
        return verdict
    typed = names_in(reading.node)
    put_in = {key: Fraction(value) for key, value in asked.drawn.items() if key not in typed}

    def with_numbers_same(formula: Node) -> bool:
        absent = names_in(formula) - typed
        return bool(absent) and same_up_to(reading.node, with_values(formula, put_in), scales).equal

    return _matching(reading, asked, with_numbers_same) or _by_value(reading, asked, in_letters)


def _matching(reading: Reading, asked: Asked, is_same: Callable[[Node], bool]) -> Verdict | None:
    if asked.formula is not None and is_same(asked.formula):
        return Verdict(Reason.FORMULA, asked, reading, notes=reading.notes)
    for kind, reason in (("convention", Reason.CONVENTION), ("mistake", Reason.MISTAKE)):
        found = tuple(
            rival for rival in asked.rivals if rival.kind == kind and rival.formula and is_same(rival.formula)
        )
        if found:
            return Verdict(reason, asked, reading, found, reading.notes)
    return None


def _by_value(reading: Reading, asked: Asked, compared: Comparison | None) -> Verdict:
    """By what the formula is worth here, in base units or in the asked one: figures play no part."""
    here = replace(reading, figures=None, half_step=None)
    scaled = replace(here, value=Fraction(here.value) * asked.unit.factor)
    worth = [here] if reading.has_unit else [here, scaled]
    if any(is_right(value, asked) for value in worth):
        return Verdict(Reason.FORMULA, asked, reading, notes=reading.notes)
    for value in worth:
        found: tuple[Rival, ...] = diagnose(value, asked)
        if found:
            conventions = tuple(rival for rival in found if rival.kind == "convention")
            reason = Reason.CONVENTION if conventions else Reason.MISTAKE
            return Verdict(reason, asked, reading, conventions or found, reading.notes)
    example = compared.counter_example if compared is not None else None
    return Verdict(Reason.WRONG, asked, reading, notes=reading.notes, counter_example=example)
