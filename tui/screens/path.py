"""A small dialog that asks for the path of a file and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Protocol

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.screens.base import NARROW, SubScreen
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import BLANK, Flow, Para
from tui.words import N_, _


class Use(Protocol):
    """What is done with the path: None when it went well, else a sentence; `again` when it is given a second time."""

    def __call__(self, file: Path, *, again: bool) -> str | None: ...


class PathScreen(SubScreen[Path]):
    """Dismisses with the path once it could be used, or with None. Texts are given in the language of the moment."""

    DEFAULT_CSS = """
    PathScreen #content { padding: 1 3 0 3; }
    PathScreen.-narrow #content { padding: 0 1; }
    PathScreen AnswerField { margin-top: 1; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f5", "use", N_("do it"), id="path.use", key_display="Enter")
    ]

    def __init__(self, title: str, asked: str, default: str, use: Use, verb: str) -> None:
        super().__init__()
        self._texts = title, asked, verb
        self._default, self._use = default, use
        self._said_of: Path | None = None

    def top_text(self) -> tuple[str, str]:
        return self._texts[0], ""

    def compose_content(self) -> ComposeResult:
        yield Flow([Para(self._texts[1])], id="asked")
        yield AnswerField(self._default, id="path")
        yield Flow(id="wrong")

    def on_mount(self) -> None:
        self.query_one(AnswerField).focus()

    def key_label(self, action: str) -> str | None:
        return self._texts[2] if action == "use" else super().key_label(action)

    def on_answer_field_changed(self) -> None:
        self._tell("")

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.action_use()

    def action_use(self) -> None:
        """Do it, or say why not."""
        typed = self.query_one(AnswerField).value.strip()
        if not typed:
            self._tell(_("Type the path of a file, such as evidence.yaml."))
            return
        try:
            file = Path(typed).expanduser().absolute()
            wrong = self._use(file, again=file == self._said_of)
        except (OSError, RuntimeError, ValueError) as error:  # no such home, a name no file can have
            file, wrong = Path(), _("That path cannot be used ({why}).").format(why=error)
        if wrong is None:
            self.dismiss(file)
        else:
            self._said_of = file
            self._tell(wrong)

    def _tell(self, text: str) -> None:
        self._said_of = self._said_of if text else None
        self.query_one("#wrong", Flow).show([BLANK, Para(self.shard.glyphs.text(text), style="bold")] if text else [])
