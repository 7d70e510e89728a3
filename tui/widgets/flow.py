"""Text from outside, laid out as text: control characters made visible, lines broken where Chinese and English allow.

Nothing here reads markup, and nothing a card says can be clicked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.wrap import graphemes, line_spans

MAX_COLUMNS = 72
"""The widest a card's text ever runs, in cells."""

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def visible(text: str) -> str:
    """Return `text` with what a terminal might obey made readable: escapes, control and direction characters.

    Line ends become "\\n" and tabs four spaces; everything else that has a glyph is kept as it is.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ")
    return "".join(_visible_character(character) for character in text) if not text.isprintable() else text


def _visible_character(character: str) -> str:
    if character == "\n" or character.isprintable():
        return character
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0xA0 or character in _BIDI:
        return f"<U+{code:04X}>"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return " " if character in "\u2028\u2029" else character


def ellipsis(text: str, width: int, mark: str = "…") -> str:
    """Cut `text` to `width` cells, with a mark where something is missing; never halves a character."""
    if cell_len(text) <= width:
        return text
    room = width - cell_len(mark)
    if room <= 0:
        return " " * max(0, width)
    kept = 0
    for _begin, end, size in graphemes(text):
        if room < size:
            break
        room -= size
        kept = end
    return text[:kept].rstrip() + mark


def cut_lines(text: str, width: int, most: int, mark: str = "…") -> list[str]:
    """Break `text` into at most so many lines of `width` cells, with a mark at the end where something is missing."""
    spans = line_spans(text, width)
    lines = [text[start:end] for start, end in spans[:most]]
    if len(spans) > most:
        lines[-1] = ellipsis(text[spans[most - 1][0] :], width, mark)
    return lines


@dataclass(frozen=True, slots=True)
class Para:
    """One paragraph: text (plain, or content with styles of our own), what stands before its first and later lines."""

    text: str | Content
    first: str = ""
    rest: str = ""
    style: str = ""

    def lines(self, width: int) -> list[Content]:
        """Lay the paragraph out in `width` cells."""
        content = self.text if isinstance(self.text, Content) else Content(visible(self.text))
        if self.style:
            content = content.stylize(self.style)
        room = width - max(cell_len(self.first), cell_len(self.rest))
        laid = []
        for number, (start, end) in enumerate(line_spans(content.plain, room)):
            laid.append(Content(self.first if number == 0 else self.rest) + content[start:end])
        return laid


@dataclass(frozen=True, slots=True)
class Line(Para):
    """A line across the column, made of one sign."""

    def lines(self, width: int) -> list[Content]:
        return [Content.styled(str(self.text) * width, self.style)]


BLANK = Para("")


class Flow(Widget):
    """Paragraphs in a column of at most MAX_COLUMNS cells. Not focusable; its text can be selected with the mouse."""

    DEFAULT_CSS = """
    Flow { width: 1fr; max-width: 72; height: auto; text-wrap: nowrap; }
    """

    def __init__(self, paras: Sequence[Para] = (), *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self._paras: tuple[Para, ...] = tuple(paras)

    @property
    def paras(self) -> tuple[Para, ...]:
        """What is shown."""
        return self._paras

    def show(self, paras: Sequence[Para]) -> None:
        """Replace what is shown; nothing is redrawn when it is the same."""
        new = tuple(paras)
        if new != self._paras:
            self._paras = new
            self.refresh(layout=True)

    def _laid_out(self, width: int) -> list[Content]:
        lines: list[Content] = []
        for para in self._paras:
            lines.extend(para.lines(max(4, min(width, MAX_COLUMNS))))
        return lines

    def render(self) -> Content:
        return Content("\n").join(self._laid_out(self.content_size.width))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._laid_out(width))

    def get_content_width(self, container: Size, viewport: Size) -> int:  # noqa: ARG002
        return min(container.width, MAX_COLUMNS)
