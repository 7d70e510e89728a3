"""The history of a card: one line per event, newest first, one of them marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.widgets.flow import MAX_COLUMNS, Para
from tui.words import _


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """An event in words."""

    event_id: str
    text: str
    taken_back: bool = False


class History(Widget):
    """Lines with a mark at the current one; clicking a line marks it."""

    DEFAULT_CSS = """
    History { width: 1fr; max-width: 72; height: auto; text-wrap: nowrap; margin-bottom: 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: tuple[HistoryLine, ...] = ()
        self._at = 0

    def show(self, lines: Sequence[HistoryLine]) -> None:
        """Replace the lines; the mark stays with its event."""
        marked = self.current.event_id if self.current is not None else None
        self._lines = tuple(lines)
        ids = [line.event_id for line in self._lines]
        self._at = ids.index(marked) if marked in ids else 0
        self.refresh(layout=True)

    @property
    def current(self) -> HistoryLine | None:
        """The marked line."""
        return self._lines[self._at] if self._lines else None

    @property
    def current_row(self) -> int:
        """The first row of the marked line."""
        return sum(len(lines) for lines in self._laid_out(self.content_size.width)[: self._at])

    def move(self, step: int) -> None:
        """Mark another line."""
        self._at = max(0, min(len(self._lines) - 1, self._at + step))
        self.refresh()

    def mark_within(self, top: int, end: int) -> None:
        """Mark the line nearest to the marked one among those that begin in these rows; there may be none."""
        starts, row = [], 0
        for lines in self._laid_out(self.content_size.width):
            starts.append(row)
            row += len(lines)
        seen = [at for at, start in enumerate(starts) if top <= start < end]
        if seen:
            self._at = max(seen[0], min(seen[-1], self._at))
            self.refresh()

    def _laid_out(self, width: int) -> list[list[Content]]:
        width = max(8, min(width, MAX_COLUMNS))
        return [
            Para(line.text, "> " if at == self._at else "  ", "    ").lines(width)
            for at, line in enumerate(self._lines)
        ]

    def render(self) -> Content:
        if not self._lines:
            return Content(_("Nothing yet."))
        return Content("\n").join([line for lines in self._laid_out(self.content_size.width) for line in lines])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max(1, sum(map(len, self._laid_out(width))))

    def on_click(self, event: events.Click) -> None:
        """Mark the line under the mouse."""
        place = event.get_content_offset(self)
        top = 0
        for at, lines in enumerate(self._laid_out(self.content_size.width)):
            if place is not None and top <= place.y < top + len(lines):
                self._at = at
                self.refresh()
                self.screen.refresh_bindings()
            top += len(lines)
