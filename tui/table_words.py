"""What is said of the cells of a recalled table: how a typed one is read, what it is worth, what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from content.tables_recall import LABEL, all_cells, answer_text, column_of, row_of
from grading.answer import Reason, read
from grading.explain import written
from grading.reading import Unreadable
from grading.table import expected
from grading.table_cells import Cell, CellVerdict, chosen, read_formula
from tui.verdict_words import reading_text, trouble_text
from tui.widgets.flow import visible
from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.tables_recall import TableAsk, TableGraded

RIGHT, WRONG = "[+]", "[-]"
"""Signs beside the words; in brackets, since a bare minus would belong to the answer."""
WORTH = {
    Reason.CORRECT: N_("right"),
    Reason.MISTAKE: N_("wrong"),
    Reason.WRONG: N_("wrong"),
    Reason.UNIT: N_("another unit"),
    Reason.IMPRECISE: N_("too imprecise"),
    Reason.CONVENTION: N_("another convention"),
    Reason.FORMULA: N_("the formula; the number is asked"),
    Reason.UNREADABLE: N_("not understood"),
}
KINDS = {
    "formula": N_("a formula"),
    "number": N_("a number"),
    "choice": N_("one of the choices, by number or letter"),
    "terms": N_("in words"),
}
SHARE_NAMES = {
    "some": N_("some cells"),
    "row": N_("a row"),
    "column": N_("a column"),
    "all": N_("all cells"),
}


def share_name(share: str) -> str:
    """How much is blank, in words."""
    return _(SHARE_NAMES[share])


def column_name(ask: TableAsk, column: str) -> str:
    """The head of a column; of the labels, what they are."""
    return _("which row it is") if column == LABEL else visible(ask.head(column, current()))


def row_name(ask: TableAsk, row: str) -> str:
    """The label of a row; where that is asked too, only its place."""
    if ask.labels_hidden:
        return _("row {n}").format(n=ask.rows.index(row) + 1)
    return visible(ask.label(row, current()))


def cell_name(ask: TableAsk, cell_id: str) -> str:
    """`ZeRO-1: static bytes per card`."""
    return _("{row}: {column}").format(row=row_name(ask, row_of(cell_id)), column=column_name(ask, column_of(cell_id)))


def kind_text(cell: Cell) -> str:
    """What is to be typed, with the unit of a number."""
    kind = _(KINDS[cell.type])
    return _("{kind}, in {unit}").format(kind=kind, unit=cell.unit) if cell.type == "number" and cell.unit else kind


def choice_texts(cell: Cell) -> list[str]:
    """The choices of a cell in the current language."""
    return [
        text if isinstance(text, str) else text.get(current()) or next(iter(text.values())) for text in cell.choices
    ]


def shown_text(ask: TableAsk, cell_id: str, typed: str) -> str:
    """What stands in the cell for what was typed: a choice's text, else as typed."""
    cell = ask.cell(cell_id)
    if cell is not None and cell.type == "choice":
        index = chosen(cell, typed, current())
        if index is not None:
            return choice_texts(cell)[index]
    return typed


def reading(ask: TableAsk, cell_id: str, typed: str) -> str:
    """The line under the field: as what the typed cell will be graded; empty where there is nothing to say."""
    cell = ask.cell(cell_id)
    if cell is None or not typed.strip():
        return ""
    try:
        if cell.type == "number":
            asked = expected(f"{cell.answers()[0]} {cell.unit}".strip(), cell.tolerance)
            return reading_text(read(typed, asked), asked)
        if cell.type == "formula":
            others = [other for name, other in all_cells(ask.table).items() if name != cell_id]
            return _("read as {value}").format(value=written(read_formula(cell, typed, others)))
    except (Unreadable, RecursionError):
        return ""
    if cell.type == "choice":
        index = chosen(cell, typed, current())
        return _("no such choice") if index is None else choice_texts(cell)[index]
    return ""


def why_unreadable(ask: TableAsk, cell_id: str, verdict: CellVerdict) -> str:
    """Why a cell is asked again."""
    cell = ask.cell(cell_id)
    if cell is not None and cell.type == "choice":
        return _("no such choice")
    return trouble_text(verdict.trouble) if verdict.trouble is not None else _(WORTH[verdict.reason])


def verdict_text(ask: TableAsk, graded: TableGraded, cell_id: str) -> str:
    """What a cell on screen was worth, in words: `wrong: that is ZeRO-3`."""
    verdict = graded.verdicts.get(cell_id)
    if verdict is None:
        return _("left empty")
    told = _(WORTH[verdict.reason])
    if verdict.reason is Reason.CORRECT and cell_id in graded.tried:
        return _("right, at the second try")
    if verdict.reason is Reason.MISTAKE and verdict.matched:
        row = visible(ask.label(row_of(verdict.matched), current()))
        return _("{told}: that belongs to {row}").format(told=told, row=row)
    if verdict.missing:
        terms = _(", ").join(_alternative(alternatives) for alternatives in verdict.missing)
        return _("{told}: {terms} was not said").format(told=told, terms=terms)
    return told


def _alternative(alternatives: tuple[str, ...]) -> str:
    """The first alternative in the language shown."""
    is_zh = current() == "zh"
    fitting = [text for text in alternatives if any(ord(c) > 0x2E7F for c in text) == is_zh]
    return (fitting or list(alternatives))[0]


def asked_text(ask: TableAsk, graded: TableGraded, cell_id: str) -> str:
    """What was asked in a cell on screen: in a table of free order that of the row it was taken for."""
    row = row_of(cell_id)
    if ask.labels_hidden:
        row = graded.stands_for.get(row) or _row_left(ask, graded, row)
    cell = ask.cell(f"{row}.{column_of(cell_id)}")
    return "" if cell is None else visible(answer_text(cell, current()))


def _row_left(ask: TableAsk, graded: TableGraded, shown: str) -> str:
    """A row of the answer that no typed row was taken for, for a row left empty."""
    taken = {row for row in graded.stands_for.values() if row is not None}
    left = [row for row in ask.rows if row not in taken]
    empty = [row for row in ask.rows if graded.stands_for.get(row) is None]
    at = empty.index(shown) if shown in empty else 0
    return left[at] if at < len(left) else shown


def is_right(graded: TableGraded, cell_id: str) -> bool:
    """Whether a cell on screen was right."""
    verdict = graded.verdicts.get(cell_id)
    return verdict is not None and verdict.reason is Reason.CORRECT


def score_text(graded: TableGraded) -> str:
    """`5 of 7 cells right`."""
    right = sum(mark > 0 for mark in graded.results.values())
    return _("{right} of {all} cells right.").format(right=right, all=len(graded.results))


def typed_in(graded: TableGraded | None) -> Mapping[str, str]:
    """What was typed into each cell."""
    return graded.typed if graded is not None else {}


__all__ = [
    "asked_text",
    "cell_name",
    "choice_texts",
    "column_name",
    "is_right",
    "kind_text",
    "reading",
    "row_name",
    "score_text",
    "share_name",
    "shown_text",
    "typed_in",
    "verdict_text",
    "why_unreadable",
]
