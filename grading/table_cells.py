"""Cells of a recalled table: what one is worth, which are blanked, and which typed row stands for which.

A cell is a formula, a number, a choice or terms. What cannot be read asks again and costs nothing. Either language will do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from grading.answer import Reason, grade
from grading.evaluate import dimension_of
from grading.expr import Context, Node, Scaled, names_in, parse, walk
from grading.formulas import same_up_to
from grading.reading import Trouble, Unreadable, fold
from grading.said_formulas import Letters, fold_safely
from grading.saying import Saying, Span, folded_width, has_han, lowered
from grading.table import expected
from grading.terms import places
from grading.units import NONE, Unit
from grading.units import parse as parse_unit

Shown = str | Mapping[str, str]
"""A text, or one for each language."""
CellType = Literal["formula", "number", "choice", "terms"]
LANGUAGES = ("en", "zh")
MAX_TYPED = 400


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `id` is "row.col".

    `accept` is for terms: every inner list holds alternatives of which one must be said. Where lists of Chinese words stand
    beside as many of English words they are alternatives pair by pair. `unit` is what a number is asked in, `tolerance` as
    in `grading.table.tolerance_of`; `names` maps spellings to the keys of a formula.
    """

    id: str
    type: CellType
    answer: Shown
    accept: tuple[tuple[str, ...], ...] = ()
    choices: tuple[Shown, ...] = ()
    unit: str = ""
    tolerance: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    def answers(self) -> tuple[str, ...]:
        """The answer in every language it is written in."""
        return _texts(self.answer)


@dataclass(frozen=True, slots=True)
class CellVerdict:
    """`matched` is what the answer was taken for: the chosen text, the words found, or the id of the cell it belongs to instead.

    `missing` are the lists of terms of which none was said; `spans` the places that count; `trouble` says why nothing was read.
    """

    reason: Reason
    matched: str = ""
    missing: tuple[tuple[str, ...], ...] = ()
    spans: tuple[Span, ...] = ()
    trouble: Unreadable | None = None

    @property
    def mark(self) -> float:
        """What it is worth: all or nothing."""
        return 1.0 if self.reason is Reason.CORRECT else 0.0


def grade_cell(cell: Cell, typed: str, lang: str = "en", others: Sequence[Cell] = ()) -> CellVerdict:
    """What a typed cell is worth. Never raises for anything typed.

    `others` are the other cells of the column: an answer that is right for one of them is a mistake, and says for which.
    `lang` decides which language's choices are looked at first.
    """
    try:
        if not typed.strip():
            raise Unreadable(Trouble.EMPTY)
        if len(typed) > MAX_TYPED:
            raise Unreadable(Trouble.TOO_LONG, str(MAX_TYPED))
        return _GRADERS[cell.type](cell, typed, lang, others)
    except Unreadable as trouble:
        return CellVerdict(Reason.UNREADABLE, trouble=trouble)
    except RecursionError:
        return CellVerdict(Reason.UNREADABLE, trouble=Unreadable(Trouble.TOO_DEEP))


# --- formula and number -----------------------------------------------------------------------------------------------


def _formula(cell: Cell, typed: str, _lang: str, others: Sequence[Cell]) -> CellVerdict:
    letters = Letters(
        [answer for each in (cell, *others) if each.type == "formula" for answer in each.answers()], cell.names
    )
    unit = parse_unit(cell.unit)
    node = _tree(typed, letters, unit)
    scales = (Fraction(1), 1 / unit.factor, unit.factor)
    if same_up_to(node, _own(cell, letters), scales).equal:
        return CellVerdict(Reason.CORRECT, cell.answers()[0])
    for other in others:
        if other.type == "formula" and same_up_to(node, _own(other, letters), scales).equal:
            return CellVerdict(Reason.MISTAKE, other.id)
    return CellVerdict(Reason.WRONG)


def read_formula(cell: Cell, typed: str, others: Sequence[Cell] = ()) -> Node:
    """The tree as which a typed formula is graded.

    Raises:
        Unreadable: it has no reading.
    """
    formulas = [answer for each in (cell, *others) if each.type == "formula" for answer in each.answers()]
    return _tree(typed, Letters(formulas, cell.names), parse_unit(cell.unit))


def chosen(cell: Cell, typed: str, lang: str = "en") -> int | None:
    """Which of a cell's choices is meant, by number, letter or text; None where none is."""
    return _chosen(cell, typed, lang) if typed.strip() else None


def _own(cell: Cell, letters: Letters) -> Node:
    return parse(fold_safely(cell.answers()[0]), Context(letters.names))


def _tree(typed: str, letters: Letters, unit: Unit) -> Node:
    """The tree of a typed formula, without what stands before an equals sign and a unit at the end."""
    text = fold(typed).text.rpartition("=")[2].strip()
    text = re.sub(r"\s*(?:bytes?|elements?|字节|元素)$|(?<=[\sa-zN)])\s+B$", "", text, flags=re.IGNORECASE)
    node = parse(text, Context(letters.names, unit if unit.dimension != NONE else None))
    if any(isinstance(part, Scaled) for part in walk(node)) and unit.dimension != NONE:
        dimension = dimension_of(node, {})
        if dimension not in (unit.dimension, NONE):
            raise Unreadable(Trouble.MIXED_UNITS)
    unknown = names_in(node) - set(letters.core.values())
    if unknown:
        raise Unreadable(Trouble.UNKNOWN_NAME, sorted(unknown)[0])
    return node


def _number(cell: Cell, typed: str, _lang: str, others: Sequence[Cell]) -> CellVerdict:
    verdict = grade(typed, expected(f"{cell.answers()[0]} {cell.unit}".strip(), cell.tolerance))
    if verdict.reason is Reason.UNREADABLE:
        return CellVerdict(Reason.UNREADABLE, trouble=verdict.trouble)
    if verdict.reason is Reason.WRONG:
        for other in others:
            if other.type == "number" and _number(other, typed, _lang, ()).reason is Reason.CORRECT:
                return CellVerdict(Reason.MISTAKE, other.id)
    return CellVerdict(verdict.reason, cell.answers()[0] if verdict.reason is Reason.CORRECT else "")


# --- choice -----------------------------------------------------------------------------------------------------------


def _choice(cell: Cell, typed: str, lang: str, _others: Sequence[Cell]) -> CellVerdict:
    """By its text in either language, its letter or its number; a text that begins one choice only is enough."""
    index = _chosen(cell, typed, lang)
    if index is None:
        raise Unreadable(Trouble.UNKNOWN_WORD, typed.strip()[:40])
    shown = _texts(cell.choices[index], lang)
    wanted = {_plain(text) for text in cell.answers()}
    right = any(_plain(text) in wanted for text in shown)
    return CellVerdict(Reason.CORRECT if right else Reason.WRONG, shown[0])


def _chosen(cell: Cell, typed: str, lang: str) -> int | None:
    said = _plain(typed)
    texts = [[_plain(text) for text in _texts(choice, lang)] for choice in cell.choices]
    for is_same in (str.__eq__, _without_sign, str.startswith):
        found = [i for i, shown in enumerate(texts) if any(is_same(text, said) for text in shown)]
        if len(found) == 1 and said and (is_same is not str.startswith or len(said) > 1 or has_han(said)):
            return found[0]
    label = said.strip("().:、")
    if len(label) == 1 and label.isascii() and label.isalpha():
        number = ord(label) - ord("a")
    else:
        number = int(label) - 1 if label.isascii() and label.isdigit() and len(label) < 3 else -1
    return number if 0 <= number < len(cell.choices) else None


def _without_sign(text: str, said: str) -> bool:
    return text.lstrip("+") == said.lstrip("+")


def _plain(text: str) -> str:
    return re.sub(r"[\s.。]+$|\s+", "", lowered(folded_width(text))).replace("×", "x")


def _texts(shown: Shown, lang: str = "en") -> tuple[str, ...]:
    if isinstance(shown, str):
        return (shown,)
    first = [shown[lang]] if lang in shown else []
    return tuple(dict.fromkeys([*first, *shown.values()]))


# --- terms ------------------------------------------------------------------------------------------------------------


def _terms(cell: Cell, typed: str, lang: str, others: Sequence[Cell]) -> CellVerdict:
    saying = Saying(typed)
    met, missing, spans = _met(cell, saying, lang)
    if met:
        for other in others:
            if (
                other.type == "terms"
                and other.accept
                and _met(other, saying, lang)[0]
                and not _covers(cell, other, lang)
            ):
                return CellVerdict(Reason.MISTAKE, other.id, spans=spans)
        return CellVerdict(Reason.CORRECT, ", ".join(typed[start:end] for start, end in spans), spans=spans)
    for other in others:
        if other.type == "terms" and _met(other, saying, lang)[0]:
            return CellVerdict(Reason.MISTAKE, other.id, missing, spans)
    return CellVerdict(Reason.WRONG, missing=missing, spans=spans)


def _covers(cell: Cell, other: Cell, lang: str) -> bool:
    """Whether the cell's own answer says what the other asks for, so that saying it is no mistake."""
    return any(_met(other, Saying(answer), lang)[0] for answer in cell.answers())


_Met = tuple[bool, tuple[tuple[str, ...], ...], tuple[Span, ...]]


def _met(cell: Cell, saying: Saying, lang: str) -> _Met:
    """Whether one alternative of every list was said, in the best of the ways that count."""
    results = [_all_said(lists, saying) for lists in _wanted(cell, lang)]
    return min(results, key=lambda result: (not result[0], len(result[1])))


def _wanted(cell: Cell, lang: str) -> list[tuple[tuple[str, ...], ...]]:
    if not cell.accept:
        return [((answer,),) for answer in _texts(cell.answer, lang)]
    chinese = [terms for terms in cell.accept if terms and all(map(has_han, terms))]
    latin = [terms for terms in cell.accept if terms and not any(map(has_han, terms))]
    mixed = tuple(terms for terms in cell.accept if terms and terms not in chinese and terms not in latin)
    if not chinese or not latin:
        return [cell.accept]
    if len(chinese) == len(latin):
        return [(*mixed, *(a + b for a, b in zip(latin, chinese, strict=True)))]
    ways = {"en": (*mixed, *latin), "zh": (*mixed, *chinese)}
    return [ways.pop(lang if lang in ways else "en"), *ways.values()]


def _all_said(lists: Sequence[tuple[str, ...]], saying: Saying) -> _Met:
    missing = []
    spans: list[Span] = []
    for alternatives in lists:
        found = [span for term in alternatives for span in places(term, saying) if not saying.is_denied(span)]
        spans += found[:1]
        if not found:
            missing.append(alternatives)
    return not missing, tuple(missing), tuple(sorted(set(spans)))


_GRADERS = {"formula": _formula, "number": _number, "choice": _choice, "terms": _terms}


# --- which cells are blanked ------------------------------------------------------------------------------------------

FLOOR = 0.20
"""Every cell is blanked at least so often, however well it is known."""
Share = Literal["some", "row", "column", "all"]


def blank_chance(asked: int, missed: int) -> float:
    """The chance that a cell is blanked: its share of misses, smoothed (one half for a cell never asked), not below the floor."""
    return min(1.0, max(FLOOR, (max(0, missed) + 1) / (max(asked, missed, 0) + 2)))


def draw_blanks(
    cells: Sequence[str], misses: Mapping[str, tuple[int, int]], seed: int, share: Share = "some"
) -> tuple[str, ...]:
    """The cells to blank, in the order given; at least one where there are any. The same seed draws the same.

    `misses` holds how often each cell was asked and missed. `row` and `column` blank whole rows or columns, each with the
    mean chance of its cells, so that the floor holds for every cell there too; `all` blanks everything.
    """
    if share == "all" or not cells:
        return tuple(cells)
    groups: dict[str, list[str]] = {}
    for cell in cells:
        row, _, column = cell.rpartition(".")
        groups.setdefault({"row": row, "column": column}.get(share, cell), []).append(cell)
    chances = {
        group: sum(blank_chance(*misses.get(cell, (0, 0))) for cell in members) / len(members)
        for group, members in groups.items()
    }
    words = dict(zip(groups, _random(seed, len(groups)), strict=True))
    drawn = {group for group in groups if words[group] < chances[group]}
    if not drawn:  # the one that came nearest
        drawn = {min(groups, key=lambda group: words[group] / chances[group])}
    blank = {cell for group in drawn for cell in groups[group]}
    return tuple(cell for cell in cells if cell in blank)


def _random(seed: int, count: int) -> list[float]:
    """Numbers from 0 to 1 from the one stream numpy promises not to change."""
    import numpy as np

    return [(int(word) >> 11) * 2.0**-53 for word in np.random.PCG64(seed % 2**64).random_raw(count)]
