"""From a drill as a card stores it to the drill that `grading` draws and grades; and values given by hand.

`grading` knows no packs: here a pack's formulas are parsed, its units named and its choices worked out, once for each text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from content.cards import Card
from content.parameter_names import other_names
from grading import units
from grading.answer import EXACT, Tolerance
from grading.drill import Choice, Drill, NamedFormula, Param, Problem, names_of, problem_of
from grading.evaluate import Scalar, dimension_of, value_of
from grading.expr import Context, Node, Scaled, names_in, parse, walk
from grading.reading import Unreadable, fold_characters
from grading.shown import quantity_text
from grading.units import NONE, Unit

FAR, NEAR = 100, 10
"""How many times a bare number must lie outside a drill's choices to be taken in base units (a share: `SHARE`), and how
near it must then come to them."""
SHARE = 4
_MONEY, _MONEY_PER_TIME = (0, 0, 0, 1), (0, 0, -1, 1)


class DrillFault(Exception):
    """A drill of a pack, or a value given for it, has no meaning; `path` names the key, the message says what to do."""

    def __init__(self, path: tuple[str | int, ...], what_to_do: str) -> None:
        super().__init__(what_to_do)
        self.path = path
        self.what_to_do = what_to_do


def drill_of(card: Card) -> Drill:
    """The drill of a card of kind `drill`; parsed once for each text.

    Raises:
        DrillFault: a formula, unit or choice has no reading. A card that passed `pack check` never does.
    """
    if card.drill is None:
        raise DrillFault((), f"{card.id} is no drill: name a card of kind drill")
    return _drill(card.id, json.dumps(card.drill, ensure_ascii=False, sort_keys=False))


@lru_cache(maxsize=256)
def _drill(card_id: str, body: str) -> Drill:
    return make_drill(card_id, json.loads(body))


def make_drill(drill_id: str, data: Mapping[str, Any]) -> Drill:
    """The drill that the checked mapping of a pack's file describes.

    Raises:
        DrillFault: with the path of the key that has no meaning.
    """
    params = tuple(_param(key, spec) for key, spec in data["params"].items())
    context = Context(names_of(params))
    unit = _unit(data["answer"].get("unit", ""), ("answer", "unit"))
    return Drill(
        id=drill_id,
        params=params,
        formula=_formula(data["answer"]["formula"], context, ("answer", "formula")),
        formula_text=data["answer"]["formula"],
        unit=unit,
        tolerance=tolerance_of(data["answer"].get("tolerance", "1%"), unit),
        mistakes=tuple(
            _named(spec, "why", context, ("mistakes", i)) for i, spec in enumerate(data.get("mistakes", ()))
        ),
        conventions=tuple(
            _named(spec, "name", context, ("conventions", i)) for i, spec in enumerate(data.get("conventions", ()))
        ),
        unknowns=tuple(data.get("unknowns", ())),
        require=tuple(_formula(text, context, ("require", i)) for i, text in enumerate(data.get("require", ()))),
        steps=tuple(data.get("steps", ())),
        question=data["question"],
        convention=data["convention"],
        title=data["title"],
    )


def _param(key: str, spec: Mapping[str, Any]) -> Param:
    unit = _unit(spec.get("unit", ""), ("params", key, "unit"))
    choices = tuple(choice_of(text, key, unit, ("params", key, "choices", i)) for i, text in enumerate(spec["choices"]))
    return Param(key, spec["symbol"], unit, choices, tuple(spec.get("aliases", ())))


def choice_of(text: str, key: str, unit: Unit, path: tuple[str | int, ...] = ()) -> Choice:
    """A parameter's value as written (`13B`, `8`, `50 GB/s`, `40 %`), in base units; a bare number is in the unit.

    Raises:
        DrillFault: no number, or a number of another dimension.
    """
    value, is_bare = _measured(text, key, unit, path)
    if is_bare:
        value = _times(value, unit.factor)
    shown = f"{text} {unit.symbol}" if is_bare and _prints_unit(unit) else text
    return Choice(shown.replace(" %", "%") if unit.noun == "%" else shown, value)


def _measured(text: str, key: str, unit: Unit, path: tuple[str | int, ...]) -> tuple[Scalar, bool]:
    """The number as written, in base units where a unit was written, and whether none was."""
    try:
        node = parse(fold_characters(text).strip(), Context(asked=unit))
        if names_in(node):
            raise Unreadable("unknown-word", text)
        value = value_of(node, {})
    except Unreadable as trouble:
        raise DrillFault(path, f"write a number for {key}, not {text!r} ({trouble.code})") from None
    if not any(isinstance(part, Scaled) for part in walk(node)):
        return value, True
    dimension = dimension_of(node, {})
    if dimension == _MONEY and unit.dimension == _MONEY_PER_TIME:
        return _times(value, unit.factor), False  # `$2` for a price per GPU-hour
    if dimension != unit.dimension:
        raise DrillFault(path, f"give {key} in {unit.symbol or 'a plain number'}, not {text!r}")
    return value, False


def _times(value: Scalar, factor: Fraction) -> Scalar:
    return value * factor if isinstance(value, Fraction) else value * float(factor)


def _choice_given(text: str, param: Param, path: tuple[str | int, ...]) -> Choice:
    """A value given by hand. A bare `50e9` for GB/s, `989e12` for TFLOP/s or `0.4` for % is one in base units.

    So is a bare number that lies far outside the drill's choices in the asked unit and near them in base units.
    """
    choice = choice_of(text, param.key, param.unit, path)
    number, is_bare = _measured(text, param.key, param.unit, path)
    if not is_bare or param.unit.factor == 1 or number <= 0:
        return choice
    least, most = (pick(float(known.value) for known in param.choices) for pick in (min, max))
    far, near = (SHARE, SHARE) if param.unit.noun == "%" else (FAR, NEAR)
    is_far = not least / far < float(choice.value) < most * far
    if is_far and least / near <= float(number) <= most * near:
        return Choice(quantity_text(number, param.unit, 6), number)
    return choice


def _prints_unit(unit: Unit) -> bool:
    return bool(unit.symbol) and (unit.dimension != NONE or unit.noun == "%")


def _unit(text: str, path: tuple[str | int, ...]) -> Unit:
    try:
        return units.parse(text)
    except Unreadable:
        raise DrillFault(path, f"name a unit that is known ({units.SHOWN}), not {text!r}") from None


def _formula(text: str, context: Context, path: tuple[str | int, ...]) -> Node:
    try:
        return parse(fold_characters(text).strip(), context)
    except Unreadable as trouble:
        detail = f": {trouble.detail}" if trouble.detail else ""
        raise DrillFault(path, f"correct the formula {text!r} ({trouble.code}{detail})") from None


def _named(spec: Mapping[str, Any], words: str, context: Context, path: tuple[str | int, ...]) -> NamedFormula:
    formula = _formula(spec["formula"], context, (*path, "formula"))
    return NamedFormula(spec["id"], formula, spec[words], spec.get("must_differ", False))


def tolerance_of(text: str, unit: Unit) -> Tolerance:
    """`1%` (of the truth), `exact`, or `abs 0.5` in the asked unit.

    Raises:
        DrillFault: anything else.
    """
    word, _, rest = text.strip().partition(" ")
    try:
        if word == "exact":
            return EXACT
        if word == "abs":
            amount = value_of(parse(fold_characters(rest).strip(), Context()), {})
            return Tolerance("absolute", Fraction(amount) * unit.factor)
        if text.endswith("%"):
            return Tolerance("relative", Fraction(text[:-1].strip()) / 100)
    except (Unreadable, ValueError, ZeroDivisionError):
        pass
    raise DrillFault(("answer", "tolerance"), f"write `1%`, `exact` or `abs 0.5`, not {text!r}")


def given(drill: Drill, values: Mapping[str, str]) -> dict[str, Choice]:
    """The values given by hand for every parameter, by any spelling of its name.

    Raises:
        DrillFault: a name that is none of the drill's, a value without a reading, or a parameter without a value.
    """
    found: dict[str, Choice] = {}
    context = Context(drill.names)
    for name, text in values.items():
        key = context.key_of(fold_characters(name).strip())
        if key is None:
            meant = other_names(name, drill.params)
            key = meant.pop() if len(meant) == 1 else None
        if key is None:
            known = ", ".join(param.key for param in drill.params)
            raise DrillFault((name,), f"{name} is none of {drill.id}'s parameters: give {known}")
        found[key] = _choice_given(text, drill.param(key), (name,))
    missing = [param.key for param in drill.params if param.key not in found and len(param.choices) > 1]
    if missing:
        raise DrillFault(
            (missing[0],), f"give {', '.join(missing)} as well, such as {missing[0]}={_example(drill, missing[0])}"
        )
    fixed = {param.key: param.choices[0] for param in drill.params if param.key not in found}
    return {param.key: (found | fixed)[param.key] for param in drill.params}


def _example(drill: Drill, key: str) -> str:
    return drill.param(key).choices[0].text.replace(" ", "")


def solve(drill: Drill, values: Mapping[str, str], unknown: str | None = None) -> Problem:
    """The problem of values given by hand; any drill can be solved for a given set.

    Raises:
        DrillFault: as `given`, or where the formula has no value.
    """
    try:
        return problem_of(drill, given(drill, values), unknown=unknown)
    except Unreadable as trouble:
        raise DrillFault((), f"{drill.id} has no answer for these values ({trouble.code}): change them") from None
