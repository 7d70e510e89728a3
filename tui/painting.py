"""Sends a terminal only the cells that changed: a slow link carries a key press in well under 4 kB.

The framework paints whole widgets, and a whole screen when one opens. Here what stands on the terminal is remembered cell
by cell, and of each update only the runs that differ are written. A row with a character whose width terminals disagree
about is written whole from the first changed part on, so that a shift in it does not stay.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from rich.cells import split_graphemes
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.style import Style
    from textual.strip import Strip

Cell = tuple[str, "Style | None"]
"""A character with its style; the second cell of a wide character holds ""."""

SAME_BETWEEN = 10
"""So many equal cells between two changed runs are written along: moving the cursor costs as much."""


class Painted:
    """What stands on the terminal."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Cell | None]] = {}

    def forget(self) -> None:
        """Something else wrote on the terminal, or its size changed: paint the next update whole."""
        self._rows.clear()

    def only_changed(self, update: RenderableType | None) -> RenderableType | None:
        """The same update, as one that writes only what changed. Others than the compositor's pass, and all is forgotten."""
        if isinstance(update, LayoutUpdate | ChopsUpdate):
            return cast("RenderableType", _Changes(self, update))
        if update is not None:
            self.forget()
        return update

    def paint(self, update: LayoutUpdate | ChopsUpdate, console: Console) -> str:
        """The characters and escapes that bring the terminal up to date."""
        rows: dict[int, list[tuple[int, Strip]]] = {}
        for x, y, strip in _pieces(update):
            rows.setdefault(y, []).append((x, strip))
        return "".join(self._row(y, pieces, console) for y, pieces in rows.items())

    def _row(self, y: int, pieces: list[tuple[int, Strip]], console: Console) -> str:
        row = self._rows.setdefault(y, [])
        new = [(x, strip, cells_of(strip)) for x, strip in pieces]
        width = max(x + len(cells) for x, _strip, cells in new)
        row += [None] * (width - len(row))
        changed = [list(_runs(row[x : x + len(cells)], cells)) for x, _strip, cells in new]
        if not any(changed):
            return ""
        sure = _is_sure(row)
        for x, _strip, cells in new:
            row[x : x + len(cells)] = cells
        if not (sure and _is_sure(row)):
            # What may have become wider pushes into what is right of it, never into what is left of it.
            first = next(index for index, runs in enumerate(changed) if runs)
            changed = [[(0, len(cells))] if index >= first else [] for index, (_x, _strip, cells) in enumerate(new)]
        return "".join(
            f"\x1b[{y + 1};{x + start + 1}H{strip.crop(start, end).render(console)}"
            for (x, strip, _cells), runs in zip(new, changed, strict=True)
            for start, end in runs
        )


class _Changes(CompositorUpdate):
    """An update that is compared with the terminal when it is written, and not before: it may never be."""

    def __init__(self, painted: Painted, update: LayoutUpdate | ChopsUpdate) -> None:
        self._painted, self._update = painted, update

    def render_segments(self, console: Console) -> str:
        return self._painted.paint(self._update, console)


def _pieces(update: LayoutUpdate | ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
    """Column, row and cells of each piece that the framework would write, in its order."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            x = update.region.x
            for strip in line:
                yield x, y, strip
                x += strip.cell_length
        return
    for y, first, last in update.spans:
        for end, (x, piece) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if piece is not None and x <= last and end > first:
                whole = first <= x < last and end <= last
                yield x, y, piece if whole else piece.crop(0, min(end, last) - x)


def cells_of(strip: Strip) -> list[Cell]:
    """One entry for each column of a strip."""
    cells: list[Cell] = []
    for text, style, control in strip:
        if control:
            continue
        style = style or None
        if text.isascii():
            cells.extend((character, style) for character in text)
            continue
        for begin, end, size in split_graphemes(text)[0]:
            cells.append((text[begin:end], style))
            cells.extend([("", style)] * (size - 1))
    return cells


def _runs(old: list[Cell | None], new: list[Cell]) -> Iterator[tuple[int, int]]:
    """Start and end of each run of cells that must be written; never half a wide character."""
    start = end = -1
    for index, (before, cell) in enumerate(zip(old, new, strict=True)):
        if before == cell:
            continue
        if start >= 0 and index - end > SAME_BETWEEN:
            yield start, _whole_end(new, end)
            start = -1
        if start < 0:
            start = index
            while start and not new[start][0]:
                start -= 1
        end = index + 1
    if start >= 0:
        yield start, _whole_end(new, end)


def _whole_end(cells: list[Cell], end: int) -> int:
    while end < len(cells) and not cells[end][0]:
        end += 1
    return end


def _is_sure(row: list[Cell | None]) -> bool:
    """Whether all terminals agree how wide each character of a row is."""
    return all(cell is not None and _width_is_sure(cell[0]) for cell in row)


@lru_cache(maxsize=4096)
def _width_is_sure(character: str) -> bool:
    if character.isascii():
        return True
    return (
        len(character) == 1
        and unicodedata.category(character)[0] in "LP"
        and (unicodedata.east_asian_width(character) in ("W", "F", "H", "Na"))
    )
