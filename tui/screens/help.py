"""Help: the keys of the screen it was opened on, taken from the bindings themselves, and the guides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from tui.guides import NAMES, lay_out, read_guide
from tui.keys import key_name, plainness
from tui.screens.base import SubScreen, margin, room_for_text
from tui.words import N_, _, current
from tui.wrap import wrap

if TYPE_CHECKING:
    from textual import events
    from textual.screen import Screen

TITLES = {
    "keys": N_("Keys"),
    "data": N_("Your data"),
    "settings": N_("Settings"),
    "packs": N_("Packs"),
    "evidence": N_("Runs and evidence"),
}


@dataclass(frozen=True, slots=True)
class KeyHelp:
    """One action: all its keys, what it does (not yet translated), the id for own bindings, and whether of the app."""

    keys: tuple[str, ...]
    description: str
    binding_id: str | None
    everywhere: bool


NAMES_FROM = 60
"""From so many columns on the names for own bindings stand on the right."""


def keys_of(screen: Screen[object]) -> tuple[KeyHelp, ...]:
    """Every described action of `screen` and the app, with all its keys, whether it applies at this moment or not."""
    found: dict[tuple[bool, str], KeyHelp] = {}
    keys: dict[tuple[bool, str], list[str]] = {}
    for node in (screen, screen.app):
        everywhere = node is screen.app
        for key, binding in node._bindings:
            if not binding.description or binding.system or binding.action.startswith("app.focus"):
                continue
            if binding.action in {"screen.copy_text"}:
                continue
            name = (everywhere, binding.action)
            keys.setdefault(name, []).append(key)
            if name not in found or plainness(key) < plainness(keys[name][0]):
                found[name] = KeyHelp((), binding.description, binding.id, everywhere)
    return tuple(
        replace(entry, keys=tuple(key_name(key) for key in sorted(keys[name], key=plainness)))
        for name, entry in found.items()
    )


class HelpScreen(SubScreen[None]):
    """One page at a time: keys of the screen first, then the guides on the digits."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("0,f5", "page('here')", N_("this screen"), id="help.here"),
        Binding("1", "page('keys')", TITLES["keys"], id="help.keys"),
        Binding("2", "page('data')", TITLES["data"], id="help.data"),
        Binding("3", "page('settings')", TITLES["settings"], id="help.settings"),
        Binding("4", "page('packs')", TITLES["packs"], id="help.packs"),
        Binding("5", "page('evidence')", TITLES["evidence"], id="help.evidence"),
        Binding("space", "page_down", N_("page down"), id="help.down", show=False),
    ]

    def __init__(self, keys: tuple[KeyHelp, ...]) -> None:
        super().__init__()
        self.keys = keys
        self.page = "here"

    def compose_content(self) -> ComposeResult:
        yield Static(id="page", classes="laid-out")

    def on_mount(self) -> None:
        self.query_one("#content").focus()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        return _("Help"), _("this screen") if self.page == "here" else _(TITLES[self.page])

    def action_page(self, name: str) -> None:
        """Show another page, from its top."""
        if name in {"here", *NAMES}:
            self.page = name
            self._draw()
            self.refresh_top()
            self.query_one("#content").scroll_home(animate=False)

    def action_page_down(self) -> None:
        """A page further."""
        self.query_one("#content").scroll_page_down(animate=False)

    def _draw(self) -> None:
        left = margin(self.size.width)
        room = room_for_text(self.size.width)
        lines = self._key_lines(room) if self.page == "here" else lay_out(read_guide(self.page, current()), room)
        text = Content("\n").join([*[Content("")] * self.airy, *(Content(" " * left) + line for line in lines)])
        self.query_one("#page", Static).update(text)

    def _key_lines(self, room: int) -> list[Content]:
        lines: list[Content] = []
        for everywhere, title in ((False, _("Keys of this screen")), (True, _("Keys everywhere"))):
            part = [entry for entry in self.keys if entry.everywhere is everywhere]
            if part:
                lines += [self._heading(title, room), *self._table(part, room), Content("")]
        about = _(
            "Guides: 1 keys, 2 your data, 3 settings, 4 packs, 5 evidence. The name on the right is for own keys."
        )
        return lines + [Content(line) for line in wrap(about, room)]

    def _heading(self, title: str, room: int) -> Content:
        names = _("name for own keys") if room >= NAMES_FROM else ""
        gap = " " * max(room - cell_len(title) - cell_len(names), 1)
        return Content.styled(title, "bold") + (Content(gap + names) if names else Content(""))

    def _table(self, part: list[KeyHelp], room: int) -> list[Content]:
        """`u ^u  undo   (review.undo)`; the name for own bindings only where there is room."""
        column = min(max(cell_len(" ".join(entry.keys)) for entry in part), room // 3)
        lines = []
        for entry in part:
            keys = " ".join(entry.keys)
            label = _(entry.description)
            name = entry.binding_id or ""
            space = room - column - 2
            first, *more = wrap(label, space)
            if name and room >= NAMES_FROM and cell_len(first) + 2 + len(name) <= space:
                first += " " * (space - cell_len(first) - len(name)) + name
            for index, key_text in enumerate(wrap(keys, column)):
                pad = " " * (column - cell_len(key_text) + 2)
                text = first if index == 0 else (more.pop(0) if more else "")
                lines.append(Content.assemble((key_text, "bold"), pad, text))
            lines += [Content(" " * (column + 2) + text) for text in more]
        return lines
