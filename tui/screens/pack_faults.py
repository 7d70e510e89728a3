"""Faults of packs that were left out: where, which rule, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from tui.fault_words import named_rule, printable
from tui.screens.base import SubScreen, margin, room_for_text
from tui.widgets.flow import visible
from tui.words import _, ngettext
from tui.wrap import wrap

if TYPE_CHECKING:
    from textual import events

    from content.faults import Fault


class PackFaultsScreen(SubScreen[None]):
    """The same lines that `shardrill pack check` prints, to be read beside an editor."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__()
        self.faults = faults

    def compose_content(self) -> ComposeResult:
        yield Static(id="faults", classes="laid-out")

    def on_mount(self) -> None:
        self.query_one("#content").focus()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        count = len(self.faults)
        return _("Faults in packs"), ngettext("{count} fault", "{count} faults", count).format(count=count)

    def _draw(self) -> None:
        left = margin(self.size.width)
        room = room_for_text(self.size.width)
        lines: list[str] = []
        styles: list[str] = []
        lines += wrap(_("A pack with a fault is left out whole; what was learnt from it is kept."), room)
        styles += [""] * len(lines)
        for fault in self.faults:
            for text, style in (
                ("", ""),
                (
                    f"{printable(f'{fault.file.parent.name}/{fault.file.name}')}:{fault.line}  {named_rule(fault)}",
                    "bold",
                ),
                (visible(fault.what_to_do), ""),
            ):
                more = wrap(text, room)
                lines += more
                styles += [style] * len(more)
        self.query_one("#faults", Static).update(
            Content("\n").join(
                [
                    *[Content("")] * self.airy,
                    *(Content(" " * left + line).stylize(style) for line, style in zip(lines, styles, strict=True)),
                ]
            )
        )
