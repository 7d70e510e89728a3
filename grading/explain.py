"""The wrong formula beside the right one, in symbols and with the drawn numbers in both. No words: those are the interface's.

4Φ + 12Φ/N = 52 + 19.5 = 71.5 GB      2Φ + 14Φ/N = 26 + 22.75 = 48.75 GB
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from grading.answer import Rival, Verdict
from grading.drill import Drill, Problem
from grading.evaluate import Scalar, value_of
from grading.expr import Bin, Call, Name, Neg, Node, Num, Scaled
from grading.reading import Unreadable
from grading.shown import number_text, quantity_text
from grading.units import Unit

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(5)
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_PLAIN_NUMBER = re.compile(r"-?[\d.]+")
_AROUND = {"ceil": "⌈⌉", "floor": "⌊⌋"}


@dataclass(frozen=True, slots=True)
class Side:
    """One formula of a comparison: in symbols, its terms with the numbers in (empty for one term), and what it is worth."""

    symbols: str
    terms: str
    total: str

    @property
    def line(self) -> str:
        return " = ".join(part for part in (self.symbols, self.terms, self.total) if part)


@dataclass(frozen=True, slots=True)
class Explanation:
    """One thing that the answer may come from. `wrong` is None where no formula stands behind it (a general mistake)."""

    rival: Rival
    wrong: Side | None
    right: Side


def explain(verdict: Verdict, problem: Problem) -> tuple[Explanation, ...]:
    """What each rival found in a verdict did, and what was asked; empty where no rival was found.

    Where another unknown was asked, the wrong formula is shown at the value that it leads to.
    """
    found = []
    for rival in verdict.found:
        at = {} if problem.unknown is None else {problem.unknown: rival.value}
        wrong = None if rival.formula is None else side(rival.formula, problem, at)
        found.append(Explanation(rival, wrong, side(problem.drill.formula, problem)))
    return tuple(found)


def side(node: Node, problem: Problem, at: Mapping[str, Scalar] | None = None) -> Side:
    """A formula in symbols and with this problem's numbers; `at` puts other values in the place of drawn ones."""
    values = _values(problem) | dict(at or {})
    try:
        total = quantity_text(value_of(node, values), problem.drill.unit)
    except Unreadable:
        total = ""
    return Side(formula_text(node, problem.drill), _terms(node, problem, values), total)


def formula_text(node: Node, drill: Drill) -> str:
    """A formula as it is written by hand: 2Φ + 14Φ/N, ⌈T·k/E·cf⌉, s². It reads back as the same formula."""
    return _text(node, {param.key: param.symbol for param in drill.params})[0]


def written(node: Node) -> str:
    """A formula as it is written by hand, its names as they are."""
    return _text(node, {})[0]


def terms_text(node: Node, problem: Problem) -> str:
    """The values of the terms of a sum, in the unit that the drill asks in: 52 + 19.5. Empty where there is one term only."""
    return _terms(node, problem, _values(problem))


def _values(problem: Problem) -> dict[str, Scalar]:
    return {key: choice.value for key, choice in problem.drawn.items()}


def _terms(node: Node, problem: Problem, values: Mapping[str, Scalar]) -> str:
    parts = _added(node, 1)
    if len(parts) < 2:
        return ""
    try:
        worth = [sign * Fraction(value_of(part, values)) / problem.drill.unit.factor for sign, part in parts]
    except Unreadable:
        return ""
    text = number_text(worth[0])
    return text + "".join(f" {'-' if value < 0 else '+'} {number_text(abs(value))}" for value in worth[1:])


def _added(node: Node, sign: int) -> list[tuple[int, Node]]:
    match node:
        case Bin("+", left, right):
            return [*_added(left, sign), *_added(right, sign)]
        case Bin("-", left, right):
            return [*_added(left, sign), *_added(right, -sign)]
        case Neg(of):
            return _added(of, -sign)
        case _:
            return [(sign, node)]


def _text(node: Node, symbols: Mapping[str, str]) -> tuple[str, int]:
    """The text of a node and how closely it binds."""
    match node:
        case Num(value):
            return _number(value)
        case Name(key):
            return symbols.get(key, key), _ATOM
        case Neg(of):
            return "-" + _closed(of, _PRODUCT, symbols), _UNARY
        case Scaled(of, unit):
            return _scaled(of, unit, symbols)
        case Bin(op, left, right):
            return _operation(op, left, right, symbols)
        case Call(function, arguments):
            inside = ", ".join(_text(argument, symbols)[0] for argument in arguments)
            if function in _AROUND:
                return f"{_AROUND[function][0]}{inside}{_AROUND[function][1]}", _ATOM
            return f"{'√' if function == 'sqrt' else function}({inside})", _ATOM


def _number(value: Fraction) -> tuple[str, int]:
    if value.denominator == 1 and abs(value) < 10**7:
        return str(value.numerator), _ATOM
    text = f"{float(value):.15g}"
    if abs(value) >= 10**7 or abs(value) < Fraction(1, 10**4):
        digits, power = f"{float(value):.15e}".split("e")
        text = f"{digits.rstrip('0').rstrip('.')}e{int(power)}"
    if Fraction(text) == value:
        return text, _ATOM
    return f"{value.numerator}/{value.denominator}", _PRODUCT


def _scaled(of: Node, unit: Unit, symbols: Mapping[str, str]) -> tuple[str, int]:
    """Base units are left out: 2[B]·Φ is 2Φ. Others stay, since they change the number."""
    if unit.factor == 1:
        return _text(of, symbols)
    return f"{_closed(of, _ATOM, symbols)}[{unit.symbol}]", _ATOM


def _closed(node: Node, at_least: int, symbols: Mapping[str, str]) -> str:
    text, binding = _text(node, symbols)
    return text if binding >= at_least else f"({text})"


def _operation(op: str, left: Node, right: Node, symbols: Mapping[str, str]) -> tuple[str, int]:
    if op in "+-":
        return f"{_closed(left, _SUM, symbols)} {op} {_closed(right, _PRODUCT, symbols)}", _SUM
    if op == "*":
        first, second = _closed(left, _PRODUCT, symbols), _closed(right, _POWER, symbols)
        return f"{first}{_joint(first, second)}{second}", _PRODUCT
    if op == "/":
        return f"{_closed(left, _PRODUCT, symbols)}/{_closed(right, _POWER, symbols)}", _PRODUCT
    base = _closed(left, _ATOM, symbols)
    exponent, _ = _text(right, symbols)
    if exponent.lstrip("-").isdigit():
        return f"{base}{exponent.translate(_SUPERSCRIPTS)}", _POWER
    return f"{base}^({exponent})", _POWER


def _joint(first: str, second: str) -> str:
    """2Φ and 2(N - 1) need no sign; s·b, Φ·(1 + N), 1e9·Φ and 2·cf do."""
    one_letter = second[:1].isalpha() and not second[1:2].isalnum() and second[0] not in "eExX"
    return "" if _PLAIN_NUMBER.fullmatch(first) and (one_letter or second.startswith("(")) else "·"
