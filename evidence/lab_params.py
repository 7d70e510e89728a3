"""The parameters of a lab: their kinds and limits, and the reading of values given as numbers or as typed text."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from content.cards import Text

Value = int | float | str | tuple[int, ...]
"""A parameter of a lab: whole number, number, one of its choices, or a list of whole numbers."""

Values = Mapping[str, Value]


class ParamRefused(ValueError):
    """A value that a lab cannot take: `key` is the parameter, `text` says in both languages what is allowed."""

    def __init__(self, key: str, text: Text) -> None:
        super().__init__(text.en)
        self.key = key
        self.text = text


@dataclass(frozen=True, slots=True)
class LabParam:
    """One knob. `low` and `high` bound the number, or each number of a list; `most` is how many a list may hold."""

    key: str
    label: Text
    kind: Literal["int", "float", "choice", "ints"]
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    most: int = 1
    least: int = 1

    @property
    def limits(self) -> str:
        """The limits without words: `2..64`, `gpipe|1f1b`, `1..4096 (2..16)` for a list and how long it may be."""
        if self.kind == "choice":
            return "|".join(self.choices)
        bounds = f"{self.low:g}..{self.high:g}"
        return f"{bounds} ({self.least}..{self.most})" if self.kind == "ints" else bounds


_INT = re.compile(r"[+-]?\d{1,18}")
_FLOAT = re.compile(r"[+-]?(\d{1,18}(\.\d{0,18})?|\.\d{1,18})([eE][+-]?\d{1,3})?")


def check(lab_id: str, params: tuple[LabParam, ...], values: Mapping[str, object]) -> dict[str, Value]:
    """Every parameter of the lab with its value: those given, as numbers or as typed text, and defaults for the rest.

    Raises:
        ParamRefused: naming the key and the limits.
    """
    known = [param.key for param in params]
    for key in values:
        if key not in known:
            raise unknown(lab_id, key, known)
    return {p.key: _checked(p, values[p.key]) if p.key in values else p.default for p in params}


def _checked(param: LabParam, given: object) -> Value:
    if param.kind == "choice":
        word = str(given).strip().lower()
        if word in param.choices:
            return word
        raise _refused(param, given)
    if param.kind == "ints":
        items = given.replace("，", ",").split(",") if isinstance(given, str) else given
        if not isinstance(items, list | tuple) or not param.least <= len(items) <= param.most:
            raise _refused(param, given)
        return tuple(int(_number(param, item, whole=True)) for item in items)
    number = _number(param, given, whole=param.kind == "int")
    return int(number) if param.kind == "int" else float(number)


def _number(param: LabParam, given: object, *, whole: bool) -> float:
    if isinstance(given, str):
        text = given.strip()
        if not (_INT if whole else _FLOAT).fullmatch(text):
            raise _refused(param, given)
        given = int(text) if whole else float(text)
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _refused(param, given)
    if whole and given != int(given if math.isfinite(given) else 0):
        raise _refused(param, given)
    if not param.low <= given <= param.high:
        raise _refused(param, given)
    return given


def _refused(param: LabParam, given: object) -> ParamRefused:
    shown = repr(given if len(str(given)) <= 40 else str(given)[:40] + "...")
    if param.kind == "choice":
        listed = ", ".join(param.choices)
        text = Text(
            f"{param.key}: choose one of {listed}, not {shown}", f"{param.key}：请从 {listed} 中选，不能是 {shown}"
        )
    elif param.kind == "ints":
        bounds = f"{param.low:g} to {param.high:g}"
        text = Text(
            f"{param.key}: give {param.least} to {param.most} whole numbers of {bounds}, such as 4,8, not {shown}",
            f"{param.key}：请给 {param.least} 到 {param.most} 个整数，"
            f"各在 {param.low:g} 到 {param.high:g} 之间，如 4,8，不能是 {shown}",
        )
    else:
        noun, noun_zh = ("a whole number", "整数") if param.kind == "int" else ("a number", "数")
        text = Text(
            f"{param.key}: give {noun} from {param.low:g} to {param.high:g}, not {shown}",
            f"{param.key}：请给 {param.low:g} 到 {param.high:g} 之间的{noun_zh}，不能是 {shown}",
        )
    return ParamRefused(param.key, text)


def unknown(lab_id: str, key: str, known: list[str]) -> ParamRefused:
    """The refusal of a parameter that the lab does not have."""
    listed = ", ".join(known)
    return ParamRefused(
        key, Text(f"{key} is no parameter of {lab_id}: give {listed}", f"{key} 不是 {lab_id} 的参数：可用 {listed}")
    )


# ---- reading checked values, each in its own type -------------------------------------------------------------------


def whole(values: Values, key: str) -> int:
    """A parameter of kind `int`."""
    value = values[key]
    assert isinstance(value, int)
    return value


def number(values: Values, key: str) -> float:
    """A parameter of kind `float`."""
    value = values[key]
    assert isinstance(value, int | float)
    return float(value)


def wholes(values: Values, key: str) -> tuple[int, ...]:
    """A parameter of kind `ints`."""
    value = values[key]
    assert isinstance(value, tuple)
    return value


def word(values: Values, key: str) -> str:
    """A parameter of kind `choice`."""
    value = values[key]
    assert isinstance(value, str)
    return value
