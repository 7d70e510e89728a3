"""The shape of a drill in a pack's file. What its formulas mean is checked in `content.drill_check`."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from content.pack_schema import English, Entry, EntryId, StrictModel, TextModel


def _as_text(value: object) -> object:
    """A choice or value may be written as a plain number; it is kept as it was written."""
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Written = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60), BeforeValidator(_as_text)
]
Formula = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400), BeforeValidator(_as_text)
]
ParamKey = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=24)]
ReasonCode = Literal["correct", "mistake", "convention", "unit", "imprecise", "wrong", "unreadable", "formula"]


class ParamModel(StrictModel):
    """A quantity that is drawn: its symbol, other spellings, unit, and realistic values."""

    symbol: English
    aliases: list[English] = []
    unit: str = ""
    choices: Annotated[list[Written], Field(min_length=1, max_length=64)]


class AnswerModel(StrictModel):
    """The right formula in base units, the unit it is asked in, and how close is right: `1%`, `exact` or `abs 0.5`."""

    formula: Formula
    unit: str = ""
    tolerance: Written = "1%"


class MistakeModel(StrictModel):
    """A known wrong formula and what went wrong."""

    id: EntryId
    formula: Formula
    why: TextModel
    must_differ: bool = False


class ConventionModel(StrictModel):
    """Another authority's formula and whose it is."""

    id: EntryId
    formula: Formula
    name: TextModel


class DrillTest(StrictModel):
    """One typed answer and what grading must say of it."""

    set: dict[ParamKey, Written]
    typed: str
    reason: ReasonCode
    mistake: EntryId | None = None
    unknown: ParamKey | None = None


class DrillModel(Entry):
    """A card whose question is generated."""

    kind: Literal["drill"] = "drill"
    title: TextModel
    question: TextModel
    convention: TextModel
    params: Annotated[dict[ParamKey, ParamModel], Field(min_length=1, max_length=16)]
    answer: AnswerModel
    unknowns: list[ParamKey] = []
    require: list[Formula] = []
    mistakes: list[MistakeModel] = []
    conventions: list[ConventionModel] = []
    steps: Annotated[list[TextModel], Field(min_length=1, max_length=8)]
    lab: EntryId | None = None
    tests: list[DrillTest] = []

    @model_validator(mode="after")
    def _known_unknowns(self) -> Self:
        for name in self.unknowns:
            if name not in self.params:
                raise PydanticCustomError(
                    "unknown-param", "name a parameter in unknowns: {name} is none", {"name": name}
                )
        return self
