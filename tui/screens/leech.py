"""The notice that a card is missed again and again, with what can be done about it."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.screens.base import NARROW, SubScreen
from tui.widgets.flow import BLANK, Flow, Para
from tui.words import N_, _


class LeechScreen(SubScreen[str]):
    """Dismisses with "edit", "suspend" or "" (leave the card as it is)."""

    DEFAULT_CSS = """
    LeechScreen #content { padding: 1 3 0 3; }
    LeechScreen.-narrow #content { padding: 0 1; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,escape,f8", "choose('')", N_("go on"), id="back"),
        Binding("x,ctrl+x", "choose('suspend')", N_("suspend it"), id="leech-suspend"),
        Binding("e,ctrl+e", "choose('edit')", N_("edit it"), id="leech-edit"),
    ]

    def __init__(self, card: str, *, suspended: bool, editable: bool) -> None:
        super().__init__()
        self.card, self.suspended, self.editable = card, suspended, editable

    def top_text(self) -> tuple[str, str]:
        return _("A leech"), ""

    def compose_content(self) -> ComposeResult:
        yield Flow(id="leech")

    def on_mount(self) -> None:
        self._tell()

    def retranslate(self) -> None:
        super().retranslate()
        self._tell()

    def _tell(self) -> None:
        advice = _("Such a card usually asks too much at once, or is too like another. Say it differently, or drop it.")
        paras = [
            Para(_("{card} was missed again and again.").format(card=self.card), style="bold"),
            BLANK,
            Para(advice),
        ]
        if self.suspended:
            paras += [BLANK, Para(_("It is suspended now, as your settings say; undo takes that back."))]
        self.query_one(Flow).show(paras)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done is offered."""
        if action == "choose":
            return parameters[0] == "" or (self.editable if parameters[0] == "edit" else not self.suspended)
        return True

    def action_choose(self, choice: str) -> None:
        self.dismiss(choice)
