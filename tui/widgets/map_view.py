"""The map on screen: lines of nodes with a cursor that walks from node to node."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from tui.map_words import MapLine
from tui.words import N_


class MapView(Widget, can_focus=True):
    """Left and right go to the next node, up and down to the nearest one on another line."""

    DEFAULT_CSS = "MapView { height: auto; text-wrap: nowrap; } MapView:focus { border: none; }"
    ALLOW_SELECT = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,h", "step(-1)", N_("node before"), show=False),
        Binding("right,l", "step(1)", N_("next node"), show=False),
        Binding("up,k", "line(-1)", N_("up"), show=False),
        Binding("down,j", "line(1)", N_("down"), show=False),
        Binding("pageup", "page(-1)", N_("page up"), show=False),
        Binding("pagedown", "page(1)", N_("page down"), show=False),
        Binding("home", "edge(0)", N_("top"), show=False),
        Binding("end", "edge(-1)", N_("end"), show=False),
    ]

    class Moved(Message):
        """The cursor stands on another node."""

    class Chosen(Message):
        """The node under the cursor was clicked."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: Sequence[MapLine] = ()
        self._places: list[tuple[int, int, int, str]] = []  # row, first and last column, node
        self._at = 0
        self._found: Collection[str] = ()

    @property
    def node_id(self) -> str:
        """The node under the cursor; empty where there is none."""
        return self._places[self._at][3] if self._places else ""

    @property
    def order(self) -> list[str]:
        """All nodes in the order in which the cursor walks."""
        return [place[3] for place in self._places]

    def show(self, lines: Sequence[MapLine], found: Collection[str] = ()) -> None:
        """Show other lines; the cursor stays on its node. Nodes of `found` are marked."""
        here = self.node_id
        self._lines, self._found, self._places = lines, found, []
        for row, line in enumerate(lines):
            column = 0
            for piece in line.pieces:
                width = Content(piece.text).cell_length
                if piece.node_id:
                    self._places.append((row, column, column + width, piece.node_id))
                column += width
        self._at = next((n for n, place in enumerate(self._places) if place[3] == here), 0)
        self.refresh(layout=True)

    def go_to(self, node_id: str) -> None:
        """Put the cursor on a node."""
        index = next((n for n, place in enumerate(self._places) if place[3] == node_id), None)
        if index is not None:
            self._go(index)

    def _go(self, index: int) -> None:
        if not self._places:
            return
        self._at = min(max(index, 0), len(self._places) - 1)
        self.refresh()
        row = self._places[self._at][0]
        first = row == self._places[0][0]
        if isinstance(self.parent, Widget):
            top = self.virtual_region.y + (0 if first else row)
            self.parent.scroll_to_region(Region(0, top, 1, row + 1 if first else 1), animate=False, force=True)
        self.post_message(self.Moved())

    def action_step(self, by: int) -> None:
        """The next node, or the one before."""
        self._go(self._at + by)

    def action_line(self, by: int) -> None:
        """The nearest node on the next line that has nodes."""
        if not self._places:
            return
        row, start, _end, _node = self._places[self._at]
        rows = sorted({place[0] for place in self._places if (place[0] - row) * by > 0}, reverse=by < 0)
        if rows:
            self._nearest(rows[0], start)

    def action_page(self, by: int) -> None:
        """A window full of lines further."""
        if not self._places:
            return
        height = self.parent.size.height if isinstance(self.parent, Widget) else 10
        row, start, _end, _node = self._places[self._at]
        rows = sorted({place[0] for place in self._places})
        wanted = row + by * max(height - 1, 1)
        self._nearest(min(rows, key=lambda one: abs(one - wanted)), start)

    def _nearest(self, row: int, column: int) -> None:
        on_row = [n for n, place in enumerate(self._places) if place[0] == row]
        self._go(min(on_row, key=lambda n: abs(self._places[n][1] - column)))

    def action_edge(self, index: int) -> None:
        """The first node, or the last."""
        self._go(index if index >= 0 else len(self._places) - 1)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max(len(self._lines), 1)

    def render(self) -> Content:
        here = self.node_id
        return Content("\n").join(self._drawn(line, here) for line in self._lines)

    def _drawn(self, line: MapLine, here: str) -> Content:
        content = Content("")
        for piece in line.pieces:
            style = piece.style
            if piece.node_id:
                if piece.node_id in self._found:
                    style = "bold underline"
                if piece.node_id == here:
                    style = "reverse"
                    # the sign before the cursor takes the place of a space
                    content = content[: max(len(content) - 1, 0)] + Content.styled(">", "bold")
            content += Content.styled(piece.text, style) if style else Content(piece.text)
        return content

    def on_click(self, event: events.Click) -> None:
        """The first click moves the cursor, one more on the same node opens it."""
        place = event.get_content_offset(self)
        if place is None:
            return
        for index, (row, start, end, _node) in enumerate(self._places):
            if row == place.y and start <= place.x < end:
                event.stop()
                if index == self._at:
                    self.post_message(self.Chosen())
                else:
                    self._go(index)
                return


__all__ = ["MapView"]
