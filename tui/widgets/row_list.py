"""A list one walks with the arrow keys and opens with Enter or a click: settings, guides, faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, cast

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from tui.widgets.flow import ellipsis

if TYPE_CHECKING:
    from tui.app import ShardrillApp

WIDEST = 72
MARK = "> "


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what it is on the left, how it stands on the right. A heading cannot be chosen."""

    name: str
    left: str
    right: str = ""
    heading: bool = False


class RowList(Widget, can_focus=True):
    """Rows with a cursor, marked by a sign and by reverse video, so that it is seen without colours."""

    DEFAULT_CSS = "RowList { height: auto; text-wrap: nowrap; } RowList:focus { border: none; }"
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "move(-8)", show=False),
        Binding("pagedown", "move(8)", show=False),
        Binding("home", "move(-9999)", show=False),
        Binding("end", "move(9999)", show=False),
    ]

    class Moved(Message):
        """The cursor stands on another row."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    class Chosen(Message):
        """A row was clicked."""

        def __init__(self, row: Row) -> None:
            super().__init__()
            self.row = row

    def __init__(self, rows: Sequence[Row] = (), *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows = list(rows)
        self._cursor = self._first()

    @property
    def current(self) -> Row | None:
        """The row under the cursor."""
        return self._rows[self._cursor] if 0 <= self._cursor < len(self._rows) else None

    def show(self, rows: Sequence[Row]) -> None:
        """Replace the rows; the cursor stays on the row of the same name."""
        name = self.current.name if self.current is not None else None
        self._rows = list(rows)
        self._cursor = next((i for i, row in enumerate(self._rows) if row.name == name), self._first())
        self.refresh(layout=True)

    def _first(self) -> int:
        return next((i for i, row in enumerate(self._rows) if not row.heading), -1)

    def action_move(self, by: int) -> None:
        """Move over headings, stop at the ends."""
        choices = [i for i, row in enumerate(self._rows) if not row.heading]
        if not choices:
            return
        at = choices.index(self._cursor) if self._cursor in choices else 0
        self._go(choices[min(max(at + by, 0), len(choices) - 1)])

    def _go(self, index: int) -> None:
        self._cursor = index
        self.refresh()
        top = 0 if index == self._first() else index
        self.screen.query_one("#content").scroll_to_region(
            Region(0, self.virtual_region.y + top, 1, index - top + 1), animate=False, force=True
        )
        if (row := self.current) is not None:
            self.post_message(self.Moved(row))

    def on_click(self, event: events.Click) -> None:
        """A click chooses at once."""
        offset = event.get_content_offset(self)
        if offset is None or not 0 <= offset.y < len(self._rows) or self._rows[offset.y].heading:
            return
        event.stop()
        self._go(offset.y)
        self.post_message(self.Chosen(self._rows[offset.y]))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max(len(self._rows), 1)

    def render(self) -> Content:
        width = self.content_size.width
        return Content("\n").join(self._line(i, row, width) for i, row in enumerate(self._rows))

    def _line(self, index: int, row: Row, width: int) -> Content:
        glyphs = cast("ShardrillApp", self.app).glyphs
        if row.heading:
            return Content.styled(ellipsis(glyphs.text(row.left), width, glyphs.more), "bold")
        here = index == self._cursor
        room = max(min(width, WIDEST) - len(MARK), 1)
        right = ellipsis(glyphs.text(row.right), max(room // 2, 1), glyphs.more)
        left = ellipsis(glyphs.text(row.left), max(room - cell_len(right) - (2 if right else 0), 1), glyphs.more)
        text = left + " " * max(room - cell_len(left) - cell_len(right), 0) + right
        return Content.assemble((MARK if here else "  ", "bold"), (text, "reverse" if here else ""))
