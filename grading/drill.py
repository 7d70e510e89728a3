"""A drill, one problem drawn from it, and what is shown of its worked steps.

Parameters are drawn from realistic choices by our own mapping over PCG64(seed mod 2^64).random_raw(), the only stream numpy
promises not to change, so that a seed gives the same problem everywhere; an attempt stores the drawn values as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grading.answer import EXACT, Asked, Rival, Tolerance
from grading.evaluate import Scalar, dimension_of, value_of
from grading.expr import Context, Node, parse
from grading.reading import Unreadable, fold_characters
from grading.shown import handy_text, number_text, quantity_text
from grading.units import NONE, Unit

MAX_TRIES = 200
"""Draws rejected one after another before a drill is called undrawable."""
GIVEN_TO = 1e-5
"""An answer given in a question is printed to six figures."""
MOST_COUNTED = 10**6
"""Whole numbers from here on (parameters, tokens) are not counted but measured."""


class Undrawable(Exception):
    """No draw of a drill is acceptable; its choices or requirements must be changed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One value a parameter may take: as printed, and in base units."""

    text: str
    value: Scalar


@dataclass(frozen=True, slots=True)
class Param:
    key: str
    symbol: str
    unit: Unit
    choices: tuple[Choice, ...]
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedFormula:
    """A mistake or another authority's convention. `texts` by language says why, or whose."""

    id: str
    formula: Node
    texts: Mapping[str, str]
    must_differ: bool = False


@dataclass(frozen=True, slots=True)
class Drill:
    """What is needed to draw and grade; `texts` has question, convention and title by language."""

    id: str
    params: tuple[Param, ...]
    formula: Node
    formula_text: str
    unit: Unit
    tolerance: Tolerance
    mistakes: tuple[NamedFormula, ...] = ()
    conventions: tuple[NamedFormula, ...] = ()
    unknowns: tuple[str, ...] = ()
    require: tuple[Node, ...] = ()  # each must be positive in a draw
    steps: tuple[Mapping[str, str], ...] = ()
    question: Mapping[str, str] = field(default_factory=dict)
    convention: Mapping[str, str] = field(default_factory=dict)
    title: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, str]:
        return names_of(self.params)

    def param(self, key: str) -> Param:
        return next(param for param in self.params if param.key == key)


@dataclass(frozen=True, slots=True)
class Problem:
    """One instance: the drawn choices, what is unknown (None: the answer itself), and what grading needs."""

    drill: Drill
    drawn: Mapping[str, Choice]
    asked: Asked
    answer: Scalar  # of the drill's formula, base units
    seed: int | None = None
    unknown: str | None = None


def names_of(params: tuple[Param, ...]) -> dict[str, str]:
    """Every spelling of every parameter: key, symbol and aliases, as the reader folds them."""
    spellings: dict[str, str] = {}
    for param in params:
        for spelling in (param.key, param.symbol, *param.aliases):
            spellings.setdefault(fold_characters(spelling), param.key)
    return spellings


def draw(drill: Drill, seed: int, unknown: str | None = None) -> Problem:
    """The problem of a seed. Draws in which a mistake that must differ equals the truth are passed over.

    Raises:
        Undrawable: no acceptable draw in `MAX_TRIES`.
    """
    words = _words(seed)
    for _ in range(MAX_TRIES):
        drawn = {param.key: param.choices[(next(words) * len(param.choices)) >> 64] for param in drill.params}
        try:
            problem = problem_of(drill, drawn, seed, unknown)
        except Unreadable:
            continue
        if is_acceptable(problem):
            return problem
    raise Undrawable(f"{drill.id}: none of {MAX_TRIES} draws is acceptable; widen the choices or loosen `require`")


def seeds_from(seed: int, count: int) -> list[int]:
    """So many seeds (63 bits each) that follow from one: the problems of a run that is to be repeated."""
    words = _words(seed)
    return [next(words) >> 1 for _ in range(count)]


def _words(seed: int) -> Iterator[int]:
    import numpy as np

    stream = np.random.PCG64(seed % 2**64)
    while True:
        yield from (int(word) for word in stream.random_raw(16))


def problem_of(
    drill: Drill, drawn: Mapping[str, Choice], seed: int | None = None, unknown: str | None = None
) -> Problem:
    """The problem of given values; nothing is rejected here.

    Raises:
        Unreadable: the formula has no value there (division by zero, not finite).
    """
    values = {key: choice.value for key, choice in drawn.items()}
    answer = value_of(drill.formula, values)
    cards = tuple(values[param.key] for param in drill.params if param.unit.noun == "GPU")
    if unknown is None:
        asked = Asked(
            answer,
            drill.unit,
            drill.tolerance,
            _rivals(drill, values, answer),
            drill.formula,
            drill.names,
            values,
            cards,
        )
        return Problem(drill, drawn, asked, answer, seed)
    param = drill.param(unknown)
    tolerance = EXACT if is_counted(param) else Tolerance()
    inverse = _inverse_rivals(drill, values, answer, unknown, tolerance)
    asked = Asked(values[unknown], param.unit, tolerance, inverse)
    return Problem(drill, drawn, asked, answer, seed, unknown)


def is_counted(param: Param) -> bool:
    """Whether a parameter is a small whole number (cards, micro-batches), of which an answer is right or wrong."""
    values = [Fraction(choice.value) for choice in param.choices]
    whole = all(value.denominator == 1 and value < MOST_COUNTED for value in values)
    return whole and param.unit.dimension == NONE and param.unit.noun not in ("%", "point", "ratio")


def _rivals(drill: Drill, values: Mapping[str, Scalar], answer: Scalar) -> tuple[Rival, ...]:
    """The mistakes and conventions that differ from the truth in this draw."""
    found = []
    for kind, formulas in (("mistake", drill.mistakes), ("convention", drill.conventions)):
        for named in formulas:
            value = _value_or_none(named.formula, values)
            if value is not None and not _within(value, answer, drill.tolerance):
                found.append(Rival(kind, named.id, value, named.formula))
    return tuple(found)


def _value_or_none(formula: Node, values: Mapping[str, Scalar]) -> Scalar | None:
    try:
        return value_of(formula, values)
    except Unreadable:
        return None


def _within(value: Scalar, truth: Scalar, tolerance: Tolerance) -> bool:
    distance = abs(Fraction(value) - Fraction(truth))
    return distance <= Fraction(tolerance.width(truth)) + abs(Fraction(truth)) / 10**12


def is_acceptable(problem: Problem) -> bool:
    """Every requirement positive, and no must-differ mistake would be graded right at two figures or more."""
    drill = problem.drill
    values = {key: choice.value for key, choice in problem.drawn.items()}
    for condition in drill.require:
        value = _value_or_none(condition, values)
        if value is None or value <= 0:
            return False
    for mistake in drill.mistakes:
        value = _value_or_none(mistake.formula, values) if mistake.must_differ else None
        if value is not None and collides(value, problem.answer, drill.tolerance):
            return False
    return problem.unknown is None or _decides(problem, problem.unknown, values)


def _decides(problem: Problem, unknown: str, values: Mapping[str, Scalar]) -> bool:
    """Whether the answer given, at the figures it is given in, leaves one value of the unknown only."""
    value = Fraction(values[unknown])
    counted = problem.asked.tolerance.kind == "exact"
    for other in (value - 1, value + 1) if counted else (value * 9 / 10, value * 11 / 10):
        elsewhere = _value_or_none(problem.drill.formula, {**values, unknown: other})
        if elsewhere is not None and abs(float(elsewhere) - float(problem.answer)) <= GIVEN_TO * abs(
            float(problem.answer)
        ):
            return False
    return True


def collides(value: Scalar, truth: Scalar, tolerance: Tolerance) -> bool:
    """Whether a wrong value could be typed so that it is graded right: inside the widest accepted interval."""
    if _within(value, truth, tolerance):
        return True
    return tolerance.kind == "relative" and truth != 0 and f"{float(value):.1e}" == f"{float(truth):.1e}"


def _inverse_rivals(
    drill: Drill, values: Mapping[str, Scalar], answer: Scalar, unknown: str, tolerance: Tolerance
) -> tuple[Rival, ...]:
    """What the unknown would be had the answer come from a mistake's or another convention's formula, by bisection."""
    choices = [float(choice.value) for choice in drill.param(unknown).choices]
    low, high = min(choices) / 64, max(choices) * 64
    found: list[Rival] = []
    named = [("mistake", mistake) for mistake in drill.mistakes]
    named += [("convention", convention) for convention in drill.conventions]
    for kind, rival in named:
        value = _solve(rival.formula, values, float(answer), unknown, low, high)
        if value is None:
            continue
        nearest = Fraction(round(value)) if abs(value - round(value)) < 1e-6 * max(1.0, value) else Fraction(value)
        # A count that comes out as 6.86 is typed as 7.
        typed = (
            {nearest, Fraction(math.ceil(nearest)), Fraction(round(nearest))}
            if tolerance.kind == "exact"
            else {nearest}
        )
        differ = (worth for worth in sorted(typed) if worth > 0 and not _within(worth, values[unknown], tolerance))
        found.extend(Rival(kind, rival.id, worth, rival.formula) for worth in differ)
    return tuple(found)


def _solve(
    formula: Node, values: Mapping[str, Scalar], target: float, unknown: str, low: float, high: float
) -> float | None:
    def gap(x: float) -> float | None:
        value = _value_or_none(formula, {**values, unknown: x})
        return None if value is None else float(value) - target

    at_low, at_high = gap(low), gap(high)
    if at_low is None or at_high is None or at_low * at_high > 0:
        return None
    for _ in range(80):
        middle = (low * high) ** 0.5
        at_middle = gap(middle)
        if at_middle is None:
            return None
        if (at_middle > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return low


# --- what is shown --------------------------------------------------------------------------------------------------

_PLACE = re.compile(r"\{([^{}]+)\}")


def render(template: str, problem: Problem) -> str:
    """A question or step with this problem's numbers: {n} the value as printed, {2[B]*phi} worked out, {answer} the answer.

    Where a parameter is the unknown its symbol stands in its place.
    """
    return _PLACE.sub(lambda place: _shown(place.group(1).strip(), problem), template)


def _shown(text: str, problem: Problem) -> str:
    drill = problem.drill
    if text == problem.unknown:
        return drill.param(text).symbol
    if text in problem.drawn:
        return problem.drawn[text].text
    if text == "answer":
        return quantity_text(problem.answer, drill.unit)
    node = parse(fold_characters(text), Context(drill.names))
    values = {key: choice.value for key, choice in problem.drawn.items()}
    value = value_of(node, values)
    dimension = dimension_of(node, {param.key: param.unit.dimension for param in drill.params})
    if dimension == NONE:
        return number_text(value)
    if dimension == drill.unit.dimension:
        return quantity_text(value, drill.unit)
    return handy_text(value, dimension)


def question_text(problem: Problem, lang: str) -> str:
    """The question in one language; where another unknown is asked, what was the answer is given."""
    text = render(problem.drill.question[lang], problem)
    if problem.unknown is None:
        return text
    symbol, answer = problem.drill.param(problem.unknown).symbol, quantity_text(problem.answer, problem.drill.unit, 6)
    if lang == "zh":
        return f"{text}\n已知答案是 {answer}，求 {symbol}。"
    return f"{text}\nThe answer is {answer}. What is {symbol}?"


def steps_shown(total: int, stability_days: float | None, *, after_lapse: bool) -> int:
    """How many worked steps stand beside the question: all but the last for a new or lapsed skill, none from 21 days on."""
    if total == 0:
        return 0
    if stability_days is None or after_lapse or stability_days < 2:
        return total - 1
    if stability_days < 7:
        return total // 2
    return min(1, total - 1) if stability_days < 21 else 0
