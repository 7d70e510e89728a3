"""What only a drill's formulas can show to be wrong: dimensions, draws, mistakes that hide behind the truth, its own tests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from content.drills import DrillFault, make_drill, solve
from grading.answer import grade
from grading.drill import Drill, Problem, Undrawable, collides, draw, is_acceptable, problem_of, render
from grading.evaluate import dimension_of, value_of
from grading.reading import Unreadable
from grading.units import Dimension

DRAWS = 1000
MOST_HIDDEN = 1 / 3
"""A mistake that would be graded right in more draws than this teaches nothing and is reported."""

Found = tuple[tuple[str | int, ...], str, str, bool]
"""Where, the rule, what to do, and whether it only warns."""

_PLACE = re.compile(r"\{([^{}]+)\}")


def check_drill(drill_id: str, data: Mapping[str, Any], lab_ids: frozenset[str] | None = None) -> Iterator[Found]:
    """Every fault of one drill whose shape was found right. `lab_ids` are the labs there are; None: not known here."""
    try:
        drill = make_drill(drill_id, data)
    except DrillFault as fault:
        yield fault.path, "drill-formula", fault.what_to_do, False
        return
    faults = [*_dimension_faults(drill), *_draw_faults(drill), *_template_faults(drill, data)]
    yield from faults
    if data.get("lab") and lab_ids is not None and data["lab"] not in lab_ids:
        yield ("lab",), "unknown-lab", f"name a lab that there is: {', '.join(sorted(lab_ids)) or 'none'}", False
    if not data.get("tests"):
        yield ("id",), "no-tests", f"give {drill_id} tests: a right answer and each mistake", True
    if not faults:
        yield from _test_faults(drill, data)


def _dimension_faults(drill: Drill) -> Iterator[Found]:
    names: dict[str, Dimension] = {param.key: param.unit.dimension for param in drill.params}
    formulas = [(("answer", "formula"), drill.formula)]
    formulas += [(("mistakes", i, "formula"), named.formula) for i, named in enumerate(drill.mistakes)]  # type: ignore[misc]
    formulas += [(("conventions", i, "formula"), named.formula) for i, named in enumerate(drill.conventions)]  # type: ignore[misc]
    for path, formula in formulas:
        try:
            dimension = dimension_of(formula, names)
        except Unreadable:
            yield path, "drill-units", "add only what has the same unit: this formula mixes units", False
            continue
        if dimension != drill.unit.dimension:
            advice = f"make this formula come out in {drill.unit.symbol or 'a plain number'}, for example with 2[B]*phi"
            yield path, "drill-units", advice, False


def problems_of(drill: Drill) -> Iterator[Problem]:
    """Every combination of the choices where they are no more than `DRAWS`, else the problems of `DRAWS` seeds."""
    if math.prod(len(param.choices) for param in drill.params) <= DRAWS:
        keys = [param.key for param in drill.params]
        for choices in product(*(param.choices for param in drill.params)):
            try:
                problem = problem_of(drill, dict(zip(keys, choices, strict=True)))
            except Unreadable:
                continue
            if is_acceptable(problem):
                yield problem
    else:
        yield from (draw(drill, seed) for seed in range(DRAWS))


def _draw_faults(drill: Drill) -> Iterator[Found]:
    try:
        problems = list(problems_of(drill))
    except Undrawable as fault:
        yield ("params",), "undrawable", str(fault), False
        return
    if not problems:
        yield ("params",), "undrawable", "widen the choices or loosen `require`: no draw is acceptable", False
        return
    if any(problem.answer == 0 for problem in problems) and drill.tolerance.kind == "relative":
        yield (
            ("answer",),
            "zero-answer",
            "keep zero out of the draws with `require`, or give `tolerance: abs ...`",
            False,
        )
    if len({float(problem.answer) for problem in problems}) == 1 and len(problems) > 1:
        yield ("answer",), "constant-answer", "let the answer depend on what is drawn: every draw gives the same", True
    for i, mistake in enumerate(drill.mistakes):
        hidden = sum(_is_hidden(mistake.formula, problem) for problem in problems)
        if hidden > len(problems) * MOST_HIDDEN:
            advice = f"change the choices: in {hidden} of {len(problems)} draws {mistake.id} would be graded right"
            yield ("mistakes", i, "formula"), "hidden-mistake", advice, False


def _is_hidden(formula: Any, problem: Problem) -> bool:
    try:
        value = value_of(formula, {key: choice.value for key, choice in problem.drawn.items()})
    except Unreadable:
        return False
    return collides(value, problem.answer, problem.drill.tolerance)


def _template_faults(drill: Drill, data: Mapping[str, Any]) -> Iterator[Found]:
    templates: list[tuple[tuple[str | int, ...], str]] = []
    for lang in ("en", "zh"):
        templates += [((key, lang), data[key][lang]) for key in ("question", "convention")]
        templates += [(("steps", i, lang), step[lang]) for i, step in enumerate(drill.steps)]
    problem = next(problems_of(drill), None)
    for path, template in templates:
        if path[0] == "question" and re.search(r"\{\s*answer\s*\}", template):
            yield path, "answer-in-question", "take {answer} out of the question", False
        elif problem is not None:
            try:
                render(template, problem)
            except (Unreadable, KeyError) as trouble:
                yield path, "drill-template", f"correct what stands in braces ({trouble})", False
    for lang in ("en", "zh"):
        shown = {place.strip() for place in _PLACE.findall(data["question"][lang])}
        for param in drill.params:
            if len(param.choices) > 1 and not any(re.search(rf"\b{param.key}\b", place) for place in shown):
                yield (
                    ("question", lang),
                    "param-not-shown",
                    f"show {{{param.key}}}: its value changes the answer",
                    False,
                )


def _test_faults(drill: Drill, data: Mapping[str, Any]) -> Iterator[Found]:
    for i, test in enumerate(data.get("tests", ())):
        path = ("tests", i)
        try:
            problem = solve(drill, test["set"], test.get("unknown"))
        except DrillFault as fault:
            yield (*path, "set"), "drill-test", fault.what_to_do, False
            continue
        verdict = grade(test["typed"], problem.asked)
        names = [rival.id for rival in verdict.found]
        if verdict.reason != test["reason"]:
            advice = f"grading says {verdict.reason} of {test['typed']!r}, the test says {test['reason']}: correct one"
            yield (*path, "reason"), "drill-test", advice, False
        elif test.get("mistake") and test["mistake"] not in names:
            advice = f"grading finds {', '.join(names) or 'no mistake'}, the test says {test['mistake']}: correct one"
            yield (*path, "mistake"), "drill-test", advice, False
