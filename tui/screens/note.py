"""A private note on a card. Leaving keeps what was written, so that no key can lose it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from tui.screens.base import NARROW, SubScreen
from tui.widgets.flow import Flow, Para
from tui.words import N_, _

MAX_CHARACTERS = 10_000


def clean_note(text: str) -> str:
    """What is kept of a note: no control characters, no spaces at its end, at most MAX_CHARACTERS."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", "    ").split("\n")
    kept = ["".join(c for c in line if c.isprintable() or c in "\u3000\u00a0\u200b\u200d").rstrip() for line in lines]
    return "\n".join(kept).strip("\n")[:MAX_CHARACTERS]


def cut_note(text: str) -> str | None:
    """What of a text that is longer than a note can be kept; None when all of it can."""
    return clean_note(text) if len(text.strip()) > MAX_CHARACTERS else None


class NoteScreen(SubScreen[str | None]):
    """Dismisses with the note as it should be kept ("" removes it), or None when nothing changed."""

    DEFAULT_CSS = """
    NoteScreen #content { padding: 1 3 0 3; }
    NoteScreen.-narrow #content { padding: 0 1; }
    NoteScreen TextArea { height: 1fr; min-height: 3; max-width: 76; margin-top: 1; }
    NoteScreen TextArea, NoteScreen TextArea:focus { border: none; padding: 0; background: $background; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f8,ctrl+s", "keep", N_("keep and go back"), id="back"),
        Binding("f9", "drop", N_("drop the changes"), id="drop-note"),
    ]

    def __init__(self, note: str, card: str) -> None:
        super().__init__()
        self.note, self.card = note, card

    def top_text(self) -> tuple[str, str]:
        return _("Note"), ""

    def compose_content(self) -> ComposeResult:
        yield Flow(id="heading")
        yield TextArea(self.note, id="note", soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False)

    def on_mount(self) -> None:
        self._head()
        area = self.query_one(TextArea)
        area.cursor_blink = False
        area.move_cursor(area.document.end)
        area.focus()

    def _head(self) -> None:
        self.query_one("#heading", Flow).show([Para(_("Your private note on {card}").format(card=self.card))])

    def retranslate(self) -> None:
        super().retranslate()
        self._head()

    def action_keep(self) -> None:
        """Keep the note as it stands; one that is too long is first shown as it can be kept."""
        area = self.query_one(TextArea)
        cut = cut_note(area.text)
        if cut is not None:
            area.load_text(cut)
            area.move_cursor(area.document.end)
            self.say(_("Too long: cut to {most} characters. Leave once more to keep this.").format(most=MAX_CHARACTERS))
            return
        text = clean_note(area.text)
        self.dismiss(None if text == self.note else text)

    def action_drop(self) -> None:
        """Leave the note as it was."""
        self.dismiss(None)

    def action_back(self) -> None:
        self.action_keep()


class DisputeScreen(NoteScreen):
    """The learner's word against a verdict; dismisses as NoteScreen does."""

    def top_text(self) -> tuple[str, str]:
        return _("Dispute"), ""

    def _head(self) -> None:
        self.query_one("#heading", Flow).show([Para(_("Why is the verdict on {card} wrong?").format(card=self.card))])
