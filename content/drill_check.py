"""What only a drill's formulas can show to be wrong: dimensions, draws, mistakes that hide behind the truth, its own tests."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from content.drills import DrillFault, make_drill, solve
from grading.answer import grade
from grading.drill import Drill, Undrawable, draw, render
from grading.evaluate import dimension_of, values_of
from grading.expr import Node
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


@dataclass(frozen=True, slots=True)
class _Draws:
    """The acceptable draws of a drill as arrays: a value for each parameter, and the truth."""

    values: Mapping[str, Any]
    truth: Any

    def of(self, formula: Node) -> Any:
        """A formula's value in each draw; nan or inf where it has none."""
        import numpy as np

        return np.broadcast_to(values_of(formula, self.values), self.truth.shape)


def _draws(drill: Drill) -> _Draws:
    """Every combination of the choices where they are no more than `DRAWS`, else `DRAWS` drawn ones; rejected ones left out."""
    import numpy as np

    counts = [len(param.choices) for param in drill.params]
    if math.prod(counts) <= DRAWS:
        picked = np.indices(counts).reshape(len(counts), -1)
    else:
        words = np.random.PCG64(0).random_raw(DRAWS * len(counts)).reshape(len(counts), DRAWS)
        picked = np.array([word % count for word, count in zip(words, counts, strict=True)]).astype(int)
    values = {
        param.key: np.array([float(choice.value) for choice in param.choices])[row]
        for param, row in zip(drill.params, picked, strict=True)
    }
    every = _Draws(values, np.broadcast_to(values_of(drill.formula, values), (picked.shape[1],)))
    kept = np.isfinite(every.truth)
    for condition in drill.require:
        kept &= np.nan_to_num(every.of(condition), nan=-1.0) > 0
    for mistake in drill.mistakes:
        if mistake.must_differ:
            kept &= ~_hidden(every.of(mistake.formula), every.truth, drill)
    return _Draws({key: row[kept] for key, row in values.items()}, every.truth[kept])


def _hidden(value: Any, truth: Any, drill: Drill) -> Any:
    """Where a wrong value could be typed so that it is graded right: `grading.drill.collides` over arrays."""
    import numpy as np

    distance = np.abs(value - truth)
    kind, amount = drill.tolerance.kind, float(drill.tolerance.amount)
    room = np.abs(truth) * amount if kind == "relative" else amount
    inside = distance <= room + np.abs(truth) * 1e-12
    if kind != "relative":
        return inside
    with np.errstate(all="ignore"):
        step = 10.0 ** (np.floor(np.log10(np.abs(truth))) - 1)
        same_figures = np.round(value / step) == np.round(truth / step)
    return inside | ((truth != 0) & same_figures)


def _draw_faults(drill: Drill) -> Iterator[Found]:
    draws = _draws(drill)
    total = len(draws.truth)
    if not total:
        yield ("params",), "undrawable", "widen the choices or loosen `require`: no draw is acceptable", False
        return
    if (draws.truth == 0).any() and drill.tolerance.kind == "relative":
        advice = "keep zero out of the draws with `require`, or give `tolerance: abs ...`"
        yield ("answer",), "zero-answer", advice, False
    if total > 1 and float(draws.truth.min()) == float(draws.truth.max()):
        yield ("answer",), "constant-answer", "let the answer depend on what is drawn: every draw gives the same", True
    for i, mistake in enumerate(drill.mistakes):
        hidden = int(_hidden(draws.of(mistake.formula), draws.truth, drill).sum())
        if hidden > total * MOST_HIDDEN:
            advice = f"change the choices: in {hidden} of {total} draws {mistake.id} would be graded right"
            yield ("mistakes", i, "formula"), "hidden-mistake", advice, False


def _template_faults(drill: Drill, data: Mapping[str, Any]) -> Iterator[Found]:
    templates: list[tuple[tuple[str | int, ...], str]] = []
    for lang in ("en", "zh"):
        templates += [((key, lang), data[key][lang]) for key in ("question", "convention")]
        templates += [(("steps", i, lang), step[lang]) for i, step in enumerate(drill.steps)]
    try:
        problem = draw(drill, 0)
    except Undrawable:
        problem = None
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
