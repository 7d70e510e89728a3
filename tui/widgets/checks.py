"""Lines to check oneself by: the idea units of a card, the points of an oral rubric."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from tui.widgets.flow import MAX_COLUMNS, Para


class Checks(Widget):
    """`[x]` and `[ ]` lines. A mark stands at the line that the tick key acts on; clicking a line ticks it."""

    DEFAULT_CSS = """
    Checks { width: 1fr; max-width: 72; height: auto; text-wrap: nowrap; }
    """

    class Changed(Message):
        """A line was ticked or unticked."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._lines: tuple[str, ...] = ()
        self._ticked: set[int] = set()
        self._at = 0
        self._used = False

    @property
    def ticked(self) -> frozenset[int]:
        """The indices of the ticked lines."""
        return frozenset(self._ticked)

    @property
    def used(self) -> bool:
        """Whether the learner touched the lines at all; if not, nothing is known about the points."""
        return self._used

    def show(self, lines: Sequence[str], *, ticked: Sequence[int] = (), keep: bool = False) -> None:
        """Show other lines; `keep` keeps what is ticked (the same lines in another language)."""
        self._lines = tuple(lines)
        if not keep:
            self._ticked, self._at, self._used = set(ticked), 0, bool(ticked)
        self.display = bool(self._lines)
        self.refresh(layout=True)

    def tick(self, index: int | None = None) -> None:
        """Tick or untick a line (the marked one when none is named) and move the mark to the next."""
        if not self._lines:
            return
        index = self._at if index is None else index
        self._ticked ^= {index}
        self._used = True
        self._at = (index + 1) % len(self._lines)
        self.refresh()
        self.post_message(self.Changed())

    def move(self, step: int) -> None:
        """Move the mark."""
        if self._lines:
            self._at = (self._at + step) % len(self._lines)
            self.refresh()

    def _laid_out(self, width: int) -> list[list[Content]]:
        laid = []
        for index, line in enumerate(self._lines):
            box = "[x] " if index in self._ticked else "[ ] "
            mark = "> " if index == self._at else "  "
            laid.append(Para(line, first=mark + box, rest="      ").lines(max(8, min(width, MAX_COLUMNS))))
        return laid

    def render(self) -> Content:
        return Content("\n").join([line for item in self._laid_out(self.content_size.width) for line in item])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(map(len, self._laid_out(width)))

    def on_click(self, event: events.Click) -> None:
        """Tick the line under the mouse."""
        place = event.get_content_offset(self)
        if place is None:
            return
        top = 0
        for index, item in enumerate(self._laid_out(self.content_size.width)):
            if top <= place.y < top + len(item):
                event.stop()
                self.tick(index)
                return
            top += len(item)
