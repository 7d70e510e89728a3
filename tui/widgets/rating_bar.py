"""The bottom bar of Review: how to see the answer, then the ratings and what each would do. Every part is clickable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class BarButton:
    """One part of the bar: the key that does the same, a name, a small text after it, and the screen's action."""

    key: str
    name: str
    detail: str
    action: str

    @property
    def text(self) -> str:
        return " ".join(part for part in (self.key, self.name, self.detail) if part)


class RatingBar(Widget):
    """Buttons side by side, on as many rows as the window needs. Posts Pressed; the screen acts as on the key."""

    DEFAULT_CSS = """
    RatingBar { height: auto; width: 1fr; text-wrap: nowrap; }
    """

    class Pressed(Message):
        """A button was clicked."""

        def __init__(self, button: BarButton) -> None:
            super().__init__()
            self.button = button

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._buttons: tuple[BarButton, ...] = ()

    @property
    def buttons(self) -> tuple[BarButton, ...]:
        """What is shown."""
        return self._buttons

    def show(self, buttons: Sequence[BarButton]) -> None:
        """Replace the buttons; nothing is redrawn when they are the same."""
        new = tuple(buttons)
        if new != self._buttons:
            self._buttons = new
            self.refresh(layout=True)

    def _rows(self, width: int) -> list[list[tuple[int, BarButton]]]:
        """Rows of (column, button): all in one row when they fit, else two columns, else one under the other."""
        for per_row in (len(self._buttons), 2, 1):
            if not 1 <= per_row <= len(self._buttons):
                continue
            rows = [self._buttons[i : i + per_row] for i in range(0, len(self._buttons), per_row)]
            widths = [max(cell_len(row[c].text) for row in rows if c < len(row)) for c in range(per_row)]
            spare = width - sum(widths) - 1
            if spare >= 2 * (per_row - 1) or per_row == 1:
                gap = min(5, spare // per_row) if per_row > 1 else 0
                left = min(3, max(1, (spare - gap * (per_row - 1)) // 2)) if width >= 60 else 1
                starts = [left + sum(widths[:c]) + gap * c for c in range(per_row)]
                return [[(starts[c], button) for c, button in enumerate(row)] for row in rows]
        return []

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max(1, len(self._rows(width)))

    def render(self) -> Content:
        lines = []
        for row in self._rows(self.content_size.width):
            line = Content("")
            for column, button in row:
                line += Content(" " * max(0, column - line.cell_length))
                line += Content.assemble((button.key, "bold reverse" if button.detail else "bold"), " ", button.name)
                if button.detail:
                    line += Content.assemble(" ", (button.detail, "bold"))
            lines.append(line)
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """The button under the mouse, with a cell of slack on either side."""
        place = event.get_content_offset(self)
        rows = self._rows(self.content_size.width)
        if place is None or place.y >= len(rows):
            return
        for column, button in rows[place.y]:
            if column - 1 <= place.x <= column + cell_len(button.text):
                event.stop()
                self.post_message(self.Pressed(button))
                return
