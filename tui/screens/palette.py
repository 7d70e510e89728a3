"""The command palette: actions of the screen below it and of the app, found by a few letters in either language."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from content.hanzi import finder
from tui.keys import key_name, plainness
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.answer_field import AnswerField
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

ALWAYS = (
    ("review", N_("review")),
    ("exam", N_("oral exam")),
    ("table", N_("tables")),
    ("map", N_("map")),
    ("practice", N_("practice any cards")),
    ("placement", N_("placement")),
    ("cards", N_("cards")),
    ("labs", N_("labs")),
    ("evidence", N_("evidence")),
    ("settings", N_("settings")),
    ("help", N_("help")),
    ("switch_language", N_("the other language")),
    ("suspend_process", N_("to the shell")),
    ("quit", N_("quit")),
)


@dataclass(frozen=True, slots=True)
class Command:
    """An action, what it is called (not yet translated), its keys, and where it lives."""

    action: str
    name: str
    keys: tuple[str, ...]
    node: DOMNode


def commands_of(screen: Screen[object]) -> tuple[Command, ...]:
    """What can be done now: the screen's own shown actions, then what works anywhere."""
    found: dict[str, Command] = {}
    keys: dict[str, list[str]] = {}
    for key, active in screen.active_bindings.items():
        binding = active.binding
        if binding.show and binding.description and active.enabled and active.node is not screen.app:
            keys.setdefault(binding.action, []).append(key)
            found.setdefault(binding.action, Command(binding.action, binding.description, (), active.node))
    for action, name in ALWAYS:
        if action not in found:
            found[action] = Command(action, name, (), screen.app)
            keys[action] = [key for key, binding in screen.app._bindings if binding.action == action]
    return tuple(
        Command(command.action, command.name, tuple(sorted(keys[action], key=plainness)), command.node)
        for action, command in found.items()
    )


def folded(text: str) -> str:
    """Without case and width."""
    return unicodedata.normalize("NFKC", text).casefold()


class PaletteScreen(SubScreen[Command]):
    """Type to narrow, Enter to do. The result is the command chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "choose", N_("do it"), id="palette.choose", key_display="Enter"),
        Binding("up", "move(-1)", N_("up"), show=False),
        Binding("down", "move(1)", N_("down"), show=False),
    ]

    def __init__(self, commands: tuple[Command, ...]) -> None:
        super().__init__()
        self.commands = commands

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        yield AnswerField(id="field")
        with VerticalScroll(id="content", can_focus=False):
            yield RowList(id="list")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()
        self.query_one("#field", AnswerField).focus()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        return _("What do you want to do?"), ""

    @property
    def _list(self) -> RowList:
        return self.query_one("#list", RowList)

    def _draw(self) -> None:
        for name in ("#field", "#list"):
            self.query_one(name).styles.margin = (0, margin(self.size.width))
        asked = folded(self.query_one("#field", AnswerField).value).split()
        rows = [
            Row(str(index), _(command.name), " ".join(key_name(key) for key in command.keys))
            for index, command in enumerate(self.commands)
            if all(finder(word)(folded(f"{command.name} {_(command.name)}")) for word in asked)
        ]
        self._list.show(rows)

    def on_answer_field_changed(self, _message: AnswerField.Changed) -> None:
        self._draw()

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.action_choose()

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_choose()

    def action_move(self, by: int) -> None:
        """Move the cursor; the field keeps the letters."""
        self._list.action_move(by)

    def action_choose(self) -> None:
        """Do what the cursor stands on."""
        row = self._list.current
        if row is None:
            self.say(_("Nothing of that name."))
        else:
            self.dismiss(self.commands[int(row.name)])


def run(command: Command | None) -> None:
    """Do a chosen command on the screen it came from."""
    if command is not None:
        app = command.node.app
        app.call_later(partial(app.run_action, command.action, command.node))
