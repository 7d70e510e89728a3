"""The points of a rubric, one line each: its mark, whether it is a key point, and what in the answer speaks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from tui.widgets.flow import MAX_COLUMNS, Para

LETTERS = {1.0: "h", 0.5: "f", 0.0: "m"}
"""Hit, half, missed: the keys, and how a mark is written in both languages."""


@dataclass(frozen=True, slots=True)
class RubricRow:
    """One point as shown. `share` is its mark: `decided` by the learner or only proposed; `notes` stand below its text,
    `details` too while the cursor is on it."""

    point_id: str
    text: str
    share: float
    decided: bool
    notes: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """`[h]` as decided, `(h)` as proposed."""
        letter = LETTERS.get(self.share, "?")
        return f"[{letter}]" if self.decided else f"({letter})"


class RubricList(Widget, can_focus=True):
    """Points with a cursor. The screen marks the point under it."""

    DEFAULT_CSS = """
    RubricList { width: 1fr; max-width: 74; height: auto; text-wrap: nowrap; }
    RubricList:focus { border: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("home", "move(-999)", show=False),
        Binding("end", "move(999)", show=False),
    ]

    class Clicked(Message):
        """A point was clicked: `again` when the cursor stood on it already."""

        def __init__(self, point_id: str, *, again: bool) -> None:
            super().__init__()
            self.point_id = point_id
            self.again = again

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: tuple[RubricRow, ...] = ()
        self._at = 0

    @property
    def current(self) -> RubricRow | None:
        """The point under the cursor."""
        return self._rows[self._at] if self._rows else None

    @property
    def at_end(self) -> bool:
        """Whether the cursor stands on the last point."""
        return self._at >= len(self._rows) - 1

    def show(self, rows: Sequence[RubricRow], *, restart: bool = False) -> None:
        """Show other rows; the cursor stays unless it starts over."""
        self._rows = tuple(rows)
        self._at = 0 if restart else min(self._at, max(len(self._rows) - 1, 0))
        self.refresh(layout=True)

    def action_move(self, by: int) -> None:
        """Move the cursor; it stops at the ends."""
        if self._rows:
            self._at = min(max(self._at + by, 0), len(self._rows) - 1)
            self.refresh(layout=True)
            self.call_after_refresh(self.bring_into_view)

    def bring_into_view(self) -> None:
        """Scroll the view around so that the whole point under the cursor is seen."""
        laid = self._laid_out(self.content_size.width)
        if not laid:
            return
        top = sum(map(len, laid[: self._at]))
        region = Region(0, self.virtual_region.y + top, 1, len(laid[self._at]))
        if isinstance(self.parent, Widget):
            self.parent.scroll_to_region(region, animate=False, force=True)

    def _laid_out(self, width: int) -> list[list[Content]]:
        room = max(10, min(width, MAX_COLUMNS + 2))
        laid = []
        for index, row in enumerate(self._rows):
            here = index == self._at
            lines = Para(row.text, first="> " if here else "  ", rest="  ", style="bold" if here else "").lines(
                room - 4
            )
            lines = [
                Content.assemble(line[:2], (row.mark if not n else "   ", "bold"), " ", line[2:])
                for n, line in enumerate(lines)
            ]
            for note in (*row.notes, *(row.details if here else ())):
                lines += Para(note, first="        ", rest="        ").lines(room)
            laid.append(lines)
        return laid

    def render(self) -> Content:
        return Content("\n").join([line for lines in self._laid_out(self.content_size.width) for line in lines])

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return sum(map(len, self._laid_out(width)))

    def on_click(self, event: events.Click) -> None:
        """The first click moves the cursor, one more on the same point changes its mark."""
        place = event.get_content_offset(self)
        top = 0
        for index, lines in enumerate(self._laid_out(self.content_size.width)):
            if place is not None and top <= place.y < top + len(lines):
                event.stop()
                again, self._at = index == self._at, index
                self.refresh(layout=True)
                self.post_message(self.Clicked(self._rows[index].point_id, again=again))
                return
            top += len(lines)


__all__ = ["LETTERS", "RubricList", "RubricRow"]
