"""The shape of a pack's files: pydantic models, and pydantic's messages turned into faults with lines.

Each entry is checked on its own, so that one bad card hides no fault of another.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from content.cards import cloze_parts
from content.faults import Fault
from content.safe_yaml import Document, Key

PACK_ID = r"[a-z0-9]+(-[a-z0-9]+)*"
ENTRY_ID = r"[a-z0-9]+([.-][a-z0-9]+)*"

LESSON_EN_WORDS = (100, 180)
"""Words of an English lesson, counted as runs between spaces."""
LESSON_ZH_HAN = (150, 400)
"""Han characters of a Chinese lesson (U+3400-9FFF); Latin words, digits and punctuation are not counted."""

NAME_COLUMNS = 32
"""Terminal columns of a name, a Han character counting two: with a chance of recall beside it fits a map 40 columns wide."""

_HAN = re.compile(r"[\u3400-\u9fff]")
# YAML folds a line break into a space; between Chinese characters, or beside full-width punctuation, none is written.
_FOLDED_GAP = re.compile(
    r"(?<=[\u3400-\u9fff]) +(?=[\u3400-\u9fff])|(?<=[\u3000-\u303f\uff00-\uff60]) +| +(?=[\u3000-\u303f\uff00-\uff60])"
)


def _join_folded(zh: str) -> str:
    return _FOLDED_GAP.sub("", zh)


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


English = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Chinese = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), AfterValidator(_join_folded)]
PackId = Annotated[str, StringConstraints(pattern=f"^{PACK_ID}$", max_length=60)]
EntryId = Annotated[str, StringConstraints(pattern=f"^{ENTRY_ID}$", max_length=80)]
Reference = Annotated[str, StringConstraints(pattern=f"^{ENTRY_ID}(#[1-9][0-9]?)?$", max_length=83)]
References = list[Reference]
Sources = Annotated[list[English], Field(min_length=1), BeforeValidator(_as_list)]


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class TextModel(StrictModel):
    """Words in both languages, neither empty."""

    en: English
    zh: Chinese


def lesson_faults(lesson: TextModel) -> Iterator[tuple[str, str]]:
    """(language, what to do) for each language in which a lesson is shorter or longer than one that reads well."""
    counted = (
        ("en", len(lesson.en.split()), LESSON_EN_WORDS, "words"),
        ("zh", len(_HAN.findall(lesson.zh)), LESSON_ZH_HAN, "Han characters"),
    )
    for language, count, (low, high), what in counted:
        if not low <= count <= high:
            yield language, f"write {low} to {high} {what}: this lesson has {count}"


def _one_short_line(name: str) -> str:
    columns = sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in name)
    if "\n" in name or columns > NAME_COLUMNS:
        raise PydanticCustomError(
            "name-length",
            "write the name on one line of at most {most} columns, a Han character taking two: this one takes {columns}",
            {"most": NAME_COLUMNS, "columns": columns},
        )
    return name


class NameModel(TextModel):
    """What a card is called where there is no room for its question; it may not give the answer away."""

    en: Annotated[English, AfterValidator(_one_short_line)]
    zh: Annotated[Chinese, AfterValidator(_one_short_line)]


class CaveatModel(TextModel):
    """Where the literature is more exact than the course, and who says so."""

    source: English


class PackModel(StrictModel):
    """`pack.yaml`."""

    id: PackId
    title: TextModel
    topics: Annotated[list[EntryId], Field(min_length=1)]


class TopicModel(StrictModel):
    """An entry of `topics`."""

    id: EntryId
    title: TextModel
    lesson: TextModel


class Entry(StrictModel):
    """What every entry of a pack has."""

    id: EntryId
    topic: EntryId
    source: Sources
    requires: References = []
    gives_away: References = []
    contrast: References = []
    tags: list[English] = []
    sibling: EntryId | None = None
    revision: Annotated[int, Field(ge=1)] = 1


class NamedEntry(Entry):
    """An entry whose question is too long to name it by; a drill has its title."""

    name: NameModel | None = None


class _CardEntry(NamedEntry):
    ideas: Annotated[list[TextModel], Field(min_length=1, max_length=3)] = []
    caveat: CaveatModel | None = None
    invites_line: bool | None = None
    lab: EntryId | None = None


class ConceptModel(_CardEntry):
    """A question and its answer."""

    kind: Literal["concept"]
    front: TextModel
    back: TextModel


class ClozeText(TextModel):
    """A text with `{{answer}}` marks: as many in one language as in the other, one card each."""

    @model_validator(mode="after")
    def _same_marks(self) -> Self:
        en, zh = _marks(self.en), _marks(self.zh)
        if en != zh or en == 0 or _broken_marks(self.en) or _broken_marks(self.zh):
            raise PydanticCustomError(
                "cloze-marks",
                "mark the same answers in both languages with {open}answer{close}: en has {en}, zh has {zh}",
                {"en": en, "zh": zh, "open": "{{", "close": "}}"},
            )
        return self


def _marks(text: str) -> int:
    return sum(part.mark > 0 for part in cloze_parts(text))


def _broken_marks(text: str) -> bool:
    return any(
        "{{" in part.text or (not part.mark and "}}" in part.text) or (part.mark > 0 and not part.text.strip())
        for part in cloze_parts(text)
    )


class ClozeModel(_CardEntry):
    """A text with holes; each mark is a card."""

    kind: Literal["cloze"]
    text: ClozeText


class TermsModel(StrictModel):
    """Words that show that a point was said."""

    en: list[English] = []
    zh: list[English] = []


class PointModel(StrictModel):
    """A rubric point of an oral question."""

    id: EntryId
    text: TextModel
    weight: Annotated[float, Field(gt=0, le=10)] = 1.0
    key: bool = False
    terms: TermsModel = TermsModel()
    formula: English | None = None
    of: English | None = None
    half_if: TextModel | None = None
    cards: References = []


class OralModel(NamedEntry):
    """An oral question with its rubric of 4-8 points."""

    kind: Literal["oral"] = "oral"
    question: TextModel
    minutes: Annotated[float, Field(gt=0, le=60)]
    rubric: Annotated[list[PointModel], Field(min_length=4, max_length=8)]
    traps: list[TextModel] = []
    model_answer: TextModel


CARD_MODELS: Mapping[str, type[ConceptModel] | type[ClozeModel]] = {"concept": ConceptModel, "cloze": ClozeModel}

Model = TypeVar("Model", bound=BaseModel)


def validate(model: type[Model], document: Document, path: tuple[Key, ...], value: object) -> Model | list[Fault]:
    """The model made of `value`, which stands at `path` of the document, or every fault it has."""
    if not isinstance(value, dict):
        return [Fault(document.file, document.line_of(path), "wrong-type", "write `key: value` lines here")]
    try:
        return model.model_validate(value)
    except ValidationError as error:
        return [_fault(details, document, path) for details in error.errors(include_url=False)]


def _fault(details: ErrorDetails, document: Document, path: tuple[Key, ...]) -> Fault:
    rule, what_to_do = _advice(details)
    return Fault(document.file, document.line_of((*path, *details["loc"])), rule, what_to_do)


def _advice(details: ErrorDetails) -> tuple[str, str]:
    kind, loc, context = details["type"], details["loc"], details.get("ctx", {})
    name = _name_of(loc)
    given = details.get("input")
    if kind == "missing":
        return "missing-key", f"add {name}"
    if kind == "extra_forbidden":
        return "unknown-key", f"remove {name} or correct its spelling{_like(str(loc[-1]))}"
    if kind == "string_type" and isinstance(given, bool | int | float):
        return "unquoted-value", f"put quotes around {str(given).lower()}: {name} is a text"
    if kind.endswith("_type"):
        return "wrong-type", f"make {name} {_SHAPES.get(kind, 'what the guide shows')}, not {_shape_of(given)}"
    if kind == "string_too_short":
        return "empty-text", f"write something in {name}: it is empty"
    if kind == "string_pattern_mismatch":
        return "bad-id", f"write {name} in lower-case letters, digits, hyphens and dots: {str(given)[:60]!r} is none"
    if kind in ("too_long", "too_short"):
        low, high = context.get("min_length"), context.get("max_length")
        bound = f"at least {low}" if high is None else f"at most {high}"
        return "count", f"give {bound} in {name}: there are {context.get('actual_length')}"
    if "-" in kind:  # one of the custom errors above
        return kind, details["msg"]
    return "value", f"correct {name}: {details['msg'][:1].lower()}{details['msg'][1:]}"


_SHAPES = {
    "string_type": "a text",
    "list_type": "a list",
    "model_type": "`key: value` lines",
    "dict_type": "`key: value` lines",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}


def _name_of(loc: tuple[int | str, ...]) -> str:
    names = [f"{part}" if isinstance(part, str) else f"[{part + 1}]" for part in loc]
    return f"`{'.'.join(names).replace('.[', '[')}`"


def _like(name: str) -> str:
    known = sorted({field for model in _models() for field in model.model_fields})
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean `{close[0]}`?)" if close and close[0] != name else ""


def _models(of: type[StrictModel] = StrictModel) -> list[type[StrictModel]]:
    return [model for child in of.__subclasses__() for model in (child, *_models(child))]


def _shape_of(value: object) -> str:
    if isinstance(value, dict):
        return "`key: value` lines"
    return {list: "a list", str: "a text", bool: "true or false"}.get(type(value), "a number")


__all__ = [
    "CARD_MODELS",
    "LESSON_EN_WORDS",
    "LESSON_ZH_HAN",
    "NAME_COLUMNS",
    "CaveatModel",
    "ClozeModel",
    "ConceptModel",
    "Entry",
    "NamedEntry",
    "OralModel",
    "PackModel",
    "PointModel",
    "StrictModel",
    "TextModel",
    "TopicModel",
    "validate",
]
