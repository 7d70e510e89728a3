"""A recalled table as it is drawn: the grid with its blanks, and what each cell was worth in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from content.tables_recall import LABEL
from tui import table_words
from tui.widgets.flow import BLANK, Para, visible
from tui.widgets.table_grid import Grid, GridCell
from tui.words import _, current

if TYPE_CHECKING:
    from content.tables_recall import TableAsk, TableGraded
    from tui.glyphs import Glyphs

EMPTY = "____"


def grid_of(ask: TableAsk, typed: Mapping[str, str], graded: TableGraded | None, at: str) -> Grid:
    """The table with what was typed; once graded, a sign before each cell and the answer below a wrong one."""
    lang = current()
    done = graded is not None and graded.rating is not None
    cells: dict[str, GridCell] = {}
    rows = []
    for row in ask.rows:
        names = [f"{row}.{LABEL}", *(f"{row}.{column}" for column in ask.columns)]
        rows.append(tuple(names))
        for name in names:
            if name in ask.blanks:
                text = visible(table_words.shown_text(ask, name, typed.get(name, "")))
                if done and graded is not None:
                    text = _worth(ask, graded, name, text)
                elif graded is not None and name in graded.again and text:
                    text = f"? {text}"
                cells[name] = GridCell(text or EMPTY, blank=True)
            elif name.endswith(f".{LABEL}"):
                cells[name] = GridCell(visible(ask.label(row, lang)), bold=True)
            else:
                cells[name] = GridCell(visible(ask.shown(name, lang)))
    heads = ("", *(visible(ask.head(column, lang)) for column in ask.columns))
    return Grid(heads, tuple(rows), cells, at)


def _worth(ask: TableAsk, graded: TableGraded, name: str, text: str) -> str:
    if table_words.is_right(graded, name):
        return f"{table_words.RIGHT} {text}"
    return f"{table_words.WRONG} {text or '-'}\n= {table_words.asked_text(ask, graded, name)}"


def result_paras(ask: TableAsk, graded: TableGraded, glyphs: Glyphs, *, every_cell: bool) -> list[Para]:
    """The score, then the cells in words: those that were wrong, or `every_cell`."""
    paras = [BLANK, Para(table_words.score_text(graded), style="bold")]
    for name in ask.blanks:
        right = table_words.is_right(graded, name)
        if right and not every_cell and name not in graded.tried:
            continue
        sign = table_words.RIGHT if right else table_words.WRONG
        worth = table_words.verdict_text(ask, graded, name)
        told = _("{row}: {column}").format(row=table_words.cell_name(ask, name), column=worth)
        paras.append(Para(glyphs.text(told), first=f"{sign} ", rest="    "))
        typed = graded.typed.get(name, "").strip()
        if every_cell and typed:
            paras.append(Para(visible(table_words.shown_text(ask, name, typed)), first="    > ", rest="      "))
        if not right:
            paras.append(Para(table_words.asked_text(ask, graded, name), first="    = ", rest="      "))
    return paras


def caveat_paras(caveat: str) -> list[Para]:
    """What the literature adds to the table."""
    return [BLANK, Para(_("Caveat") + "  " + visible(caveat), rest="  ")]


__all__ = ["EMPTY", "caveat_paras", "grid_of", "result_paras"]
