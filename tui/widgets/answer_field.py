"""One line of typed text: what the learner says before seeing the answer.

Stock `Input` drops U+3000, U+00A0 and U+200B and keeps only the first pasted line, so this is its own small widget. It
keeps everything but control characters, joins pasted lines with a space, steps and deletes by grapheme, wraps instead
of scrolling sideways, and moves the terminal's real cursor, where an input method opens its candidate window.
"""

from __future__ import annotations

import re
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.app import RenderResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from tui.widgets.flow import MAX_COLUMNS, visible
from tui.words import N_
from tui.wrap import graphemes

MAX_CHARACTERS = 4000
"""The longest line kept; what is typed or pasted beyond it is not taken."""

PROMPT = "> "

ROWS_OF_SCREEN = 3
"""One row in so many of the window is the most a field takes; a longer text is scrolled in it, the caret in view."""


def clean(text: str) -> str:
    """Return `text` as the field keeps it: lines joined, control characters and lone surrogates left out."""
    joined = re.sub(r"[\r\n\t\v\f\u0085\u2028\u2029]+", " ", text)
    return "".join(filter(_is_text, joined))


def _is_text(character: str) -> bool:
    """Whether the field keeps it. `str.isprintable` would refuse the wide and the unbreakable space."""
    code = ord(character)
    return code >= 0x20 and not 0x7F <= code < 0xA0 and not 0xD800 <= code <= 0xDFFF


class AnswerField(Widget, can_focus=True):
    """A one-line editor. Letters and digits are text while it has the focus; Enter submits, Tab or Esc leaves it."""

    DEFAULT_CSS = """
    AnswerField { width: 1fr; max-width: 72; height: auto; text-wrap: nowrap; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "submit", N_("Show answer"), show=False),
        Binding("left", "move(-1)", show=False),
        Binding("right", "move(1)", show=False),
        Binding("ctrl+left", "word(-1)", show=False),
        Binding("ctrl+right", "word(1)", show=False),
        Binding("home,ctrl+a", "edge(-1)", show=False),
        Binding("end,ctrl+e", "edge(1)", show=False),
        Binding("backspace,ctrl+h", "delete(-1)", show=False),
        Binding("delete", "delete(1)", show=False),
        Binding("ctrl+w,ctrl+backspace", "delete_word", show=False),
        Binding("ctrl+u", "clear", show=False),
    ]

    value: reactive[str] = reactive("", layout=True)
    caret: reactive[int] = reactive(0)  # an offset into value, always between graphemes

    class Changed(Message):
        """The text was changed by the learner."""

        def __init__(self, field: AnswerField) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> AnswerField:
            return self.field

    class Full(Message):
        """More was typed or pasted than the field keeps; the rest was left out."""

    class Submitted(Message):
        """Enter was pressed."""

        def __init__(self, field: AnswerField) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> AnswerField:
            return self.field

    def __init__(
        self,
        value: str = "",
        *,
        placeholder: str = "",
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.placeholder = placeholder
        self._top = 0  # the first drawn row
        self.set_reactive(AnswerField.value, clean(value)[:MAX_CHARACTERS])
        self.set_reactive(AnswerField.caret, len(self.value))

    # -- text ------------------------------------------------------------------------------------------------------

    def insert(self, text: str) -> None:
        """Put `text` in at the caret, cleaned; what does not fit any more is left out."""
        room = MAX_CHARACTERS - len(self.value)
        # A megabyte pasted by mistake is cut before it is looked at character by character.
        whole = clean(text[: MAX_CHARACTERS * 4])
        text = whole[:room]
        if len(whole) > room:
            self.post_message(self.Full())
        if text:
            caret = self.caret + len(text)
            self.value = self.value[: self.caret] + text + self.value[self.caret :]
            self.caret = self._between(caret)
            self.post_message(self.Changed(self))

    def set_text(self, text: str) -> None:
        """Replace the text; the caret goes to its end."""
        self.value = clean(text)[:MAX_CHARACTERS]
        self.caret = len(self.value)

    def _stops(self) -> list[int]:
        """The offsets at which the caret may stand."""
        return [0, *(end for _start, end, _cells in graphemes(self.value))]

    def _between(self, offset: int) -> int:
        return next((stop for stop in self._stops() if stop >= offset), len(self.value))

    def _step(self, direction: int) -> int:
        stops = self._stops()
        if direction > 0:
            return next((stop for stop in stops if stop > self.caret), len(self.value))
        return next((stop for stop in reversed(stops) if stop < self.caret), 0)

    def _word(self, direction: int) -> int:
        if direction < 0:
            before = self.value[: self.caret].rstrip()
            return len(before) - len(re.split(r"\s+", before)[-1]) if before else 0
        match = re.compile(r"\s*\S+").match(self.value, self.caret)
        return self._between(match.end()) if match else len(self.value)

    def _cut(self, start: int, end: int) -> None:
        if start < end:
            self.value = self.value[:start] + self.value[end:]
            self.caret = self._between(start)
            self.post_message(self.Changed(self))

    # -- keys ------------------------------------------------------------------------------------------------------

    async def _on_key(self, event: events.Key) -> None:
        if event.character is None or not self.check_consume_key(event.key, event.character):
            await self._edit_at_once(event)
            return
        event.stop()
        event.prevent_default()
        self.insert(event.character)

    async def _edit_at_once(self, event: events.Key) -> None:
        """Editing keys act here and now: a binding acts only after its key has travelled up to the app, and letters that
        arrived behind it in the same moment (a fast typist, a slow link) would overtake it."""
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            event.stop()
            event.prevent_default()
            await self.app.run_action(binding.action, self)

    def _on_paste(self, event: events.Paste) -> None:
        self.insert(event.text)
        event.stop()

    def action_submit(self) -> None:
        self.post_message(self.Submitted(self))

    def action_move(self, direction: int) -> None:
        self.caret = self._step(direction)

    def action_word(self, direction: int) -> None:
        self.caret = self._word(direction)

    def action_edge(self, direction: int) -> None:
        self.caret = 0 if direction < 0 else len(self.value)

    def action_delete(self, direction: int) -> None:
        other = self._step(direction)
        self._cut(min(self.caret, other), max(self.caret, other))

    def action_delete_word(self) -> None:
        self._cut(self._word(-1), self.caret)

    def action_clear(self) -> None:
        self._cut(0, self.caret)

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002
        """Tell the key line that letters are text here."""
        return character is not None and all(map(_is_text, character))

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _rows(self, width: int) -> list[tuple[int, int]]:
        """(start, end) of each drawn row; the last one leaves a cell for the caret."""
        room = max(2, min(width, MAX_COLUMNS) - len(PROMPT))
        rows: list[tuple[int, int]] = []
        start, cells = 0, 0
        for begin, _end, size in graphemes(self.value):
            if cells + size > room:
                rows.append((start, begin))
                start, cells = begin, 0
            cells += size
        rows.append((start, len(self.value)))
        if cells >= room:
            rows.append((len(self.value), len(self.value)))
        return rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return min(len(self._rows(width)), self._most_rows())

    def _most_rows(self) -> int:
        return max(1, self.app.size.height // ROWS_OF_SCREEN)

    def _caret_row(self, rows: list[tuple[int, int]]) -> int:
        return max(index for index, (start, _end) in enumerate(rows) if start <= self.caret)

    def _first_row(self, rows: list[tuple[int, int]]) -> int:
        """The first drawn row: as it was, moved only as far as the caret needs."""
        most, row = self._most_rows(), self._caret_row(rows)
        self._top = max(min(self._top, row, len(rows) - most), row - most + 1, 0)
        return self._top

    def _caret_place(self, width: int) -> Offset:
        """Where the caret is drawn, relative to the content."""
        rows = self._rows(width)
        y = self._caret_row(rows)
        return Offset(len(PROMPT) + cell_len(self.value[rows[y][0] : self.caret]), y - self._first_row(rows))

    def render(self) -> RenderResult:
        if not self.value:
            hint = Content(PROMPT).append(Content.styled(visible(self.placeholder) or " ", "dim"))
            return hint.stylize("reverse", len(PROMPT), len(PROMPT) + 1) if self.has_focus else hint
        rows = self._rows(self.content_size.width)
        top = self._first_row(rows)
        lines = []
        for index, (start, end) in enumerate(rows[top : top + self._most_rows()], start=top):
            line = Content(PROMPT if index == 0 else " " * len(PROMPT))
            # A cell is held open at the end of the row for the caret.
            text = self.value[start:end] + (" " if end == len(self.value) else "")
            shown = Content(_drawn(text))
            if self.has_focus and start <= self.caret and (self.caret < end or (end == len(self.value) == self.caret)):
                stop = self._step(1) if self.caret < end else end + 1
                shown = shown.stylize("reverse", self.caret - start, max(stop, self.caret + 1) - start)
            lines.append(line + shown)
        return Content("\n").join(lines)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Put the caret where the learner clicked."""
        place = event.get_content_offset(self)
        if place is None:
            return
        rows = self._rows(self.content_size.width)
        start, end = rows[min(self._first_row(rows) + place.y, len(rows) - 1)]
        cells = len(PROMPT)
        for begin, stop, size in graphemes(self.value[start:end]):
            if place.x < cells + (size + 1) // 2:
                self.caret = start + begin
                return
            cells += size
            self.caret = start + stop
        if not self.value:
            self.caret = 0

    # -- the terminal's cursor -------------------------------------------------------------------------------------

    def _place_cursor(self) -> None:
        if self.has_focus and self.content_size.width:
            place = self._caret_place(self.content_size.width)
            self.app.cursor_position = self.content_region.offset + place
            self.call_after_refresh(self._keep_in_view, place)

    def _keep_in_view(self, place: Offset) -> None:
        if self.has_focus and self.is_attached:
            self.app.cursor_position = self.content_region.offset + place
            self.scroll_to_region_in_parent(place)

    def scroll_to_region_in_parent(self, place: Offset) -> None:
        """Scroll the surrounding view so that the caret's row is seen."""
        if self.parent is not None and isinstance(self.parent, Widget):
            self.screen.scroll_to_widget(self, animate=False, force=True) if self.size.height <= 1 else (
                self.parent.scroll_to_region(
                    Region(0, self.virtual_region.y + place.y, 1, 1), animate=False, force=True
                )
            )

    def watch_caret(self) -> None:
        self._place_cursor()

    def watch_value(self) -> None:
        self._place_cursor()

    def on_focus(self) -> None:
        self._place_cursor()
        self.refresh()

    def on_blur(self) -> None:
        self.refresh()

    def on_resize(self) -> None:
        self._place_cursor()

    def on_show(self) -> None:
        self._place_cursor()


def _drawn(text: str) -> str:
    """Same length as `text`: what has no glyph of its own gets one, so that the caret stays where it looks."""
    return "".join(" " if c == "\u00a0" else c for c in text)


__all__ = ["MAX_CHARACTERS", "AnswerField", "clean"]
