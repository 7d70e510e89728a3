"""The editor of an oral answer: many lines, any script, undo, a limit on length, letters that are always text.

It is the framework's text area with what that lacks: it keeps U+3000 and its like, moves and deletes by grapheme, takes out
control characters of a paste, and says so when a text is too long. No key with Alt has a meaning here.
"""

from __future__ import annotations

import re
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea
from textual.widgets.text_area import EditResult

from tui.widgets.answer_field import _is_text
from tui.wrap import graphemes

MAX_CHARACTERS = 20_000
"""The longest answer kept; what is typed or pasted beyond it is not taken, and that is said."""

Place = tuple[int, int]


def clean_lines(text: str) -> str:
    """`text` as the editor keeps it: line ends as `\\n`, tabs as spaces, no other control characters."""
    lines = re.split(r"\r\n|[\r\n\v\f\u0085\u2028\u2029]", text.replace("\t", "    "))
    return "\n".join("".join(filter(_is_text, line)) for line in lines)


class AnswerEditor(TextArea):
    """Posts `TooLong` when something did not fit; everything else as the framework's text area."""

    DEFAULT_CSS = """
    AnswerEditor { height: 1fr; min-height: 3; max-width: 76; }
    AnswerEditor, AnswerEditor:focus { border: none; padding: 0; background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+underscore", "undo", show=False),
        Binding("f6,ctrl+y", "redo", show=False),  # F6 would select the line
        Binding("backspace,ctrl+h", "delete_left", show=False),
    ]

    class TooLong(Message):
        """`left_out` characters were not taken."""

        def __init__(self, left_out: int) -> None:
            super().__init__()
            self.left_out = left_out

    def __init__(self, text: str = "", *, id: str | None = None, placeholder: str = "") -> None:  # noqa: A002
        super().__init__(
            clean_lines(text)[:MAX_CHARACTERS],
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            highlight_cursor_line=False,
            tab_behavior="focus",
            placeholder=placeholder,
        )
        self.cursor_blink = False

    def put_text(self, text: str) -> None:
        """Replace the whole text, as one step that undo takes back; the caret goes to its end."""
        self.replace(clean_lines(text), (0, 0), self.document.end, maintain_selection_offset=False)
        self.move_cursor(self.document.end)

    def replace(self, insert: str, start: Place, end: Place, *, maintain_selection_offset: bool = True) -> EditResult:
        """Replace a range; what does not fit any more is left out."""
        taken = self._fitting(insert, start, end)
        return super().replace(taken, start, end, maintain_selection_offset=maintain_selection_offset)

    def _fitting(self, insert: str, start: Place, end: Place) -> str:
        room = MAX_CHARACTERS - len(self.text) + len(self.get_text_range(*sorted((start, end))))
        if len(insert) <= room:
            return insert
        self.post_message(self.TooLong(len(insert) - max(room, 0)))
        return insert[: max(room, 0)]

    # -- keys ------------------------------------------------------------------------------------------------------

    async def _on_key(self, event: events.Key) -> None:
        if event.character is not None and len(event.character) and all(map(_is_text, event.character)):
            event.stop()
            event.prevent_default()
            if not self.read_only:
                self._replace_via_keyboard(event.character, *self.selection)
            return
        await self._edit_at_once(event)

    async def _edit_at_once(self, event: events.Key) -> None:
        """Editing keys act here and now, so that letters which arrive behind them do not overtake them."""
        if event.key == "enter" and not self.read_only:
            event.stop()
            event.prevent_default()
            self._replace_via_keyboard("\n", *self.selection)
            return
        own = [binding for binding in self._bindings.key_to_bindings.get(event.key, ()) if binding.action]
        for binding in own[:1]:
            event.stop()
            event.prevent_default()
            await self.app.run_action(binding.action, self)

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if self.read_only:
            return
        # A megabyte is cut before it is looked at character by character.
        cut = event.text[: 4 * MAX_CHARACTERS]
        text = clean_lines(cut)
        result = self._replace_via_keyboard(text, *self.selection)
        if len(cut) < len(event.text):
            self.post_message(self.TooLong(len(event.text) - MAX_CHARACTERS))
        if result is not None:
            self.move_cursor(result.end_location)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:  # noqa: ARG002
        """Letters are text here, those of width and kind that the framework does not count as printable too."""
        return not self.read_only and character is not None and all(map(_is_text, character))

    # -- graphemes -------------------------------------------------------------------------------------------------

    def get_cursor_left_location(self) -> Place:
        """One grapheme back, or to the end of the line before."""
        row, column = self.cursor_location
        if column == 0:
            return super().get_cursor_left_location()
        stops = [start for start, _end, _cells in graphemes(self.document.get_line(row))]
        return row, max((stop for stop in stops if stop < column), default=0)

    def get_cursor_right_location(self) -> Place:
        """One grapheme on, or to the start of the next line."""
        row, column = self.cursor_location
        line = self.document.get_line(row)
        if column >= len(line):
            return super().get_cursor_right_location()
        return row, min((end for _start, end, _cells in graphemes(line) if end > column), default=len(line))


__all__ = ["MAX_CHARACTERS", "AnswerEditor", "clean_lines"]
