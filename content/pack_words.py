"""What can be said of a card's words without understanding them: answers given away, texts too long for a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from content.cards import cloze_front, cloze_parts
from content.drill_schema import DrillModel
from content.pack_schema import ClozeModel, ConceptModel, OralModel, TextModel
from content.safe_yaml import Key
from content.table_schema import TableModel

if TYPE_CHECKING:
    from content.faults import Fault
    from content.pack_check import Placed

LONG = {"question": (400, 200), "answer": (900, 450), "model answer": (3000, 1500)}
"""From how many characters (en, zh) a text is warned of: more does not fit a 24-line terminal, a model answer apart."""

_SHORTEST_TELLING = 3
"""Fewer letters (`N`, `2Φ`, `卡`) turn up in a question by chance."""
_LONGEST_TELLING = 80
_HAN = re.compile(r"[\u3400-\u9fff]")
_CHOICE = re.compile(r"\b(or|against|versus|vs|between|which of)\b|还是|或|与|和|对比", re.IGNORECASE)
"""A question that offers a choice names its answer and may."""


def word_faults(placed: Placed) -> Iterator[Fault]:
    """Faults and warnings about the words of one entry."""
    model = placed.model
    if isinstance(model, ConceptModel):
        yield from _long(placed, "question", ("front",), model.front)
        yield from _long(placed, "answer", ("back",), model.back)
        yield from _concept_gives_away(placed, model)
    elif isinstance(model, ClozeModel):
        yield from _long(placed, "question", ("text",), model.text)
        yield from _cloze_gives_away(placed, model)
    elif isinstance(model, DrillModel):
        yield from _long(placed, "question", ("question",), model.question)
    elif isinstance(model, TableModel):
        yield from _long(placed, "question", ("title",), model.title)
    else:
        yield from _long(placed, "question", ("question",), model.question)
        yield from _long(placed, "model answer", ("model_answer",), model.model_answer)
        yield from _oral_gives_away(placed, model)


def gives_away(question: str, answer: str) -> bool:
    """Whether the question contains the whole answer, both without case, width, spaces and closing punctuation.

    Very short answers (a symbol) and long ones (a sentence that could not stand there) are left alone, and so is a
    question that offers a choice, since it has to name what it offers.
    """
    wanted = _folded(answer)
    telling = len(wanted) + len(_HAN.findall(wanted))  # a Han character says as much as two letters
    if telling < _SHORTEST_TELLING or len(wanted) > _LONGEST_TELLING or _CHOICE.search(question):
        return False
    edge = r"[\w]" if wanted[0].isascii() and wanted[-1].isascii() else r"(?!)"
    return re.search(f"(?<!{edge}){re.escape(wanted)}(?!{edge})", _folded(question)) is not None


def _folded(text: str) -> str:
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return folded.strip(" .,;:!?。，；：！？、")


def _concept_gives_away(placed: Placed, model: ConceptModel) -> Iterator[Fault]:
    for lang in ("en", "zh"):
        answer = getattr(model.back, lang)
        if gives_away(getattr(model.front, lang), answer):
            yield _told(placed, ("front", lang), answer)
        if model.name is not None and gives_away(getattr(model.name, lang), answer):
            yield _told(placed, ("name", lang), answer)


def _cloze_gives_away(placed: Placed, model: ClozeModel) -> Iterator[Fault]:
    for lang in ("en", "zh"):
        text = getattr(model.text, lang)
        marks = [part for part in cloze_parts(text) if part.mark]
        for part in marks:
            others = [mark for mark in marks if mark.mark != part.mark and _folded(mark.text) == _folded(part.text)]
            if not others and gives_away(_CHOICE.sub(" ", cloze_front(text, part.mark)), part.text):
                yield _told(placed, ("text", lang), part.text)
            if model.name is not None and gives_away(_CHOICE.sub(" ", getattr(model.name, lang)), part.text):
                yield _told(placed, ("name", lang), part.text)


def _oral_gives_away(placed: Placed, model: OralModel) -> Iterator[Fault]:
    for lang in ("en", "zh"):
        for point in model.rubric:
            if point.formula and gives_away(getattr(model.question, lang), point.formula):
                yield _told(placed, ("question", lang), point.formula)


def _told(placed: Placed, key: tuple[Key, ...], answer: str) -> Fault:
    return placed.fault(key, "answer-in-question", f'ask without the answer\'s own words: it contains "{answer}"')


def _long(placed: Placed, what: str, key: tuple[Key, ...], text: TextModel) -> Iterator[Fault]:
    for lang, most in zip(("en", "zh"), LONG[what], strict=True):
        length = len(getattr(text, lang))
        if length > most:
            advice = f"shorten this {what} to {most} characters ({length} now): it has to fit a small terminal"
            yield placed.fault((*key, lang), "long-text", advice, warning=True)


__all__ = ["gives_away", "word_faults"]
