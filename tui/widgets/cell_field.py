"""The field of one table cell: arrows leave it at its ends, so that they walk through the table."""

from __future__ import annotations

from textual import events
from textual.message import Message

from tui.widgets.answer_field import AnswerField


class CellField(AnswerField):
    """Posts Leave where an arrow, Tab or Enter goes on to another cell."""

    class Leave(Message):
        """To another cell: `rows` down, `columns` right, or `steps` on among the blanks."""

        def __init__(self, *, rows: int = 0, columns: int = 0, steps: int = 0) -> None:
            super().__init__()
            self.rows, self.columns, self.steps = rows, columns, steps

    async def _on_key(self, event: events.Key) -> None:
        leave = self._leaving(event.key)
        if leave is None:
            await super()._on_key(event)
            return
        event.stop()
        event.prevent_default()
        self.post_message(leave)

    def _leaving(self, key: str) -> Leave | None:
        if key in ("up", "down"):
            return self.Leave(rows=1 if key == "down" else -1)
        if key == "left" and self.caret == 0:
            return self.Leave(columns=-1)
        if key == "right" and self.caret == len(self.value):
            return self.Leave(columns=1)
        if key in ("tab", "enter"):
            return self.Leave(steps=1)
        return self.Leave(steps=-1) if key == "shift+tab" else None


__all__ = ["CellField"]
