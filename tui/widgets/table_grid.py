"""A table as a grid of wrapped cells with one of them under the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from textual import events
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from tui.wrap import wrap

BETWEEN = " | "
LEAST_COLUMN = 8
WIDEST = 100


@dataclass(frozen=True, slots=True)
class GridCell:
    """A cell as drawn: `text` may have several lines; a `blank` one can stand under the cursor."""

    text: str
    blank: bool = False
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Heads, and rows of cells by id. `at` is the cell under the cursor."""

    heads: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    cells: Mapping[str, GridCell] = field(default_factory=dict)
    at: str = ""


class TableGrid(Widget):
    """Draws a grid; a click on a blank cell posts Picked."""

    DEFAULT_CSS = "TableGrid { height: auto; text-wrap: nowrap; }"
    ALLOW_SELECT = False

    class Picked(Message):
        """A blank cell was clicked."""

        def __init__(self, cell_id: str) -> None:
            super().__init__()
            self.cell_id = cell_id

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._grid = Grid()
        self._rule = "-"

    def show(self, grid: Grid, rule: str) -> None:
        """Show another grid; `rule` is the sign of the line under the heads."""
        self._grid, self._rule = grid, rule
        self.refresh(layout=True)

    def widths(self, width: int) -> list[int]:
        """The columns' widths: the first as wide as its longest text, at most a quarter; the others share the rest, each at
        least as wide as its longest word as far as that goes."""
        count = len(self._grid.heads)
        if not count:
            return []
        room = min(width, WIDEST) - len(BETWEEN) * (count - 1)
        first = [self._grid.cells[row[0]].text for row in self._grid.rows] + [self._grid.heads[0]]
        longest = max((Content(line).cell_length for text in first for line in text.split("\n")), default=0)
        label = max(min(longest, room // 4), LEAST_COLUMN)
        others = max(count - 1, 1)
        each = max((room - label) // others, LEAST_COLUMN)
        found = [label, *[each] * (count - 1)]
        found[-1] += max(room - sum(found), 0)
        return found

    def _rows(self, width: int) -> list[list[Content]]:
        """The lines of every row, the heads first."""
        if not self._grid.heads:
            return []
        grid, widths = self._grid, self.widths(width)
        laid = [self._line([(head, "bold") for head in grid.heads], widths)]
        laid.append([Content.styled(self._rule * min(width, sum(widths) + len(BETWEEN) * (len(widths) - 1)), "dim")])
        for row in grid.rows:
            cells = []
            for cell_id in row:
                cell = grid.cells[cell_id]
                here = cell_id == grid.at
                text = f">{cell.text}" if here else cell.text
                cells.append((text, "reverse" if here else "bold" if cell.bold else ""))
            laid.append(self._line(cells, widths))
        return laid

    def _line(self, cells: Sequence[tuple[str, str]], widths: Sequence[int]) -> list[Content]:
        columns = [wrap(text, width) for (text, _style), width in zip(cells, widths, strict=True)]
        lines = []
        for number in range(max(map(len, columns))):
            line = Content("")
            for index, (column, width) in enumerate(zip(columns, widths, strict=True)):
                text = column[number] if number < len(column) else ""
                piece = Content.styled(text, cells[index][1]) if cells[index][1] else Content(text)
                line += (Content(BETWEEN) if index else Content("")) + piece
                line += Content(" " * max(width - piece.cell_length, 0))
            lines.append(line)
        return lines

    def render(self) -> Content:
        return Content("\n").join([line for row in self._rows(self.content_size.width) for line in row])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(map(len, self._rows(width)))

    def bring_into_view(self) -> None:
        """Scroll the view around so that the row under the cursor is seen."""
        top = 0
        for index, lines in enumerate(self._rows(self.content_size.width)):
            if index >= 2 and self._grid.at in self._grid.rows[index - 2] and isinstance(self.parent, Widget):
                region = Region(0, self.virtual_region.y + top, 1, len(lines))
                self.parent.scroll_to_region(region, animate=False, force=True)
                return
            top += len(lines)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        if place is None:
            return
        top = 0
        for index, lines in enumerate(self._rows(self.content_size.width)):
            if index >= 2 and top <= place.y < top + len(lines):
                left = 0
                for cell_id, width in zip(
                    self._grid.rows[index - 2], self.widths(self.content_size.width), strict=True
                ):
                    if left <= place.x < left + width and self._grid.cells[cell_id].blank:
                        event.stop()
                        self.post_message(self.Picked(cell_id))
                    left += width + len(BETWEEN)
            top += len(lines)


__all__ = ["Grid", "GridCell", "TableGrid"]
