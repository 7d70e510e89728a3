"""Choosing by hand when a card comes back."""

from __future__ import annotations

import unicodedata
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.screens.base import NARROW, SubScreen
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import Flow, Para
from tui.words import N_, _

MOST_DAYS = 36_500


def read_days(text: str) -> int | None:
    """A number of days from 0 to MOST_DAYS, in half or full width; None for anything else."""
    folded = unicodedata.normalize("NFKC", text).strip()
    if not folded.isascii() or not folded.isdigit() or len(folded) > 6:
        return None
    days = int(folded)
    return days if days <= MOST_DAYS else None


class DueDateScreen(SubScreen[int]):
    """Dismisses with the number of study days from today, or None."""

    DEFAULT_CSS = """
    DueDateScreen #content { padding: 1 3 0 3; }
    DueDateScreen.-narrow #content { padding: 0 1; }
    DueDateScreen AnswerField { margin-top: 1; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "set", N_("set the date"), id="set-date")]

    def top_text(self) -> tuple[str, str]:
        return _("Set date"), ""

    def compose_content(self) -> ComposeResult:
        yield Flow(id="asked")
        yield AnswerField(id="days")

    def on_mount(self) -> None:
        self._ask()
        self.query_one(AnswerField).focus()

    def _ask(self) -> None:
        self.query_one(Flow).show(
            [Para(_("In how many days should the card come back? 0 is today. Enter sets the date."))]
        )

    def retranslate(self) -> None:
        super().retranslate()
        self._ask()

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.action_set()

    def action_set(self) -> None:
        """Take the number, or say what is allowed."""
        days = read_days(self.query_one(AnswerField).value)
        if days is None:
            self.say(_("Type a whole number of days from 0 to {most}, such as 3.").format(most=MOST_DAYS))
        else:
            self.dismiss(days)
