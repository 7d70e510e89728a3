"""The bottom line: every key of the screen, each one a place to click."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from rich.cells import cell_len
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.keys import key_name, plainness
from tui.words import _

if TYPE_CHECKING:
    from textual.binding import ActiveBinding
    from textual.dom import DOMNode
    from textual.geometry import Region

GAP = 2
"""Columns between two entries."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One action: its first key, what it does, and where it lives."""

    key: str
    label: str
    action: str
    node: DOMNode | None
    enabled: bool = True

    @property
    def width(self) -> int:
        return cell_len(self.key) + (1 + cell_len(self.label) if self.label else 0)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an entry stands: row, first column, column after the last."""

    row: int
    start: int
    end: int
    entry: Entry


def place(entries: list[Entry], width: int, rows: int) -> list[list[Entry]] | None:
    """Entries in at most `rows` lines of `width` columns, in order; None when they do not fit."""
    lines: list[list[Entry]] = [[]]
    used = 0
    for entry in entries:
        need = entry.width + (GAP if lines[-1] else 0)
        if used + need <= width:
            used += need
        elif len(lines) < rows and entry.width <= width:
            lines.append([])
            used = entry.width
        else:
            return None
        lines[-1].append(entry)
    return lines


def declared_order(screen: type[DOMNode]) -> dict[str, int]:
    """The rank of each action among a screen's bindings. Its keys alone do not keep it: two actions may share one."""
    order: dict[str, int] = {}
    for kind in reversed(screen.__mro__):
        for binding in kind.__dict__.get("BINDINGS", ()):
            if isinstance(binding, Binding):
                order.setdefault(binding.action, len(order))
    return order


class KeyLine(Widget):
    """The keys of the screen and of the app. Never more than a few lines; what has no room is one `…` further."""

    DEFAULT_CSS = "KeyLine { height: auto; padding: 0 1; }"
    ALLOW_SELECT = False

    MORE = "key-line.more"  # no action of a screen is called so

    def __init__(self) -> None:
        super().__init__(id="keys")
        self._page = 0
        self._places: list[Place] = []
        self._laid: tuple[int, list[list[list[Entry]]]] | None = None  # pages for a width: each layout asks twice

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        self._laid = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.refresh_keys())

    def refresh_keys(self) -> None:
        """Keys or their texts changed."""
        self._page = 0
        self.refresh(layout=True)

    def entries(self) -> list[Entry]:
        """One entry for each shown action, the screen's own first."""
        found: dict[tuple[int, str], list[ActiveBinding]] = {}
        for active in self.screen.active_bindings.values():
            if active.binding.show:
                found.setdefault((id(active.node), active.binding.action), []).append(active)
        own: list[Entry] = []
        shared: list[Entry] = []
        for same in found.values():
            active = min(same, key=lambda active: plainness(active.binding.key))
            entry = Entry(self._key(active), self._label(active), active.binding.action, active.node, active.enabled)
            (shared if active.node is self.app else own).append(entry)
        order = declared_order(type(self.screen))
        own.sort(key=lambda entry: order.get(entry.action, -1))
        own.sort(key=lambda entry: entry.action == "back")  # the way out comes last
        shared.sort(key=lambda entry: entry.action == "quit")
        return own + shared

    def _key(self, active: ActiveBinding) -> str:
        return active.binding.key_display or key_name(active.binding.key)

    def _label(self, active: ActiveBinding) -> str:
        namer = getattr(self.screen, "key_label", None)
        label = namer(active.binding.action) if namer is not None else None
        return label if label is not None else _(active.binding.description)

    def _rows(self) -> int:
        return 2 if self.app.size.height < 16 else 3

    def _pages(self, width: int) -> list[list[list[Entry]]]:
        entries, rows = self.entries(), self._rows()
        whole = place(entries, width, rows)
        if whole is not None:
            return [whole]
        more = Entry("...", _("more"), self.MORE, None)
        pages: list[list[list[Entry]]] = []
        rest = entries
        while rest:
            for count in range(len(rest), 0, -1):
                lines = place([*rest[:count], more], width, rows)
                if lines is not None:
                    break
            else:
                count, lines = 1, [[rest[0]], [more]]
            pages.append(lines)
            rest = rest[count:]
        tallest = max(len(lines) for lines in pages)
        for lines in pages:
            # "more" stands at the same place on every page: one can click it again and again
            lines[-1].remove(more)
            lines += [[] for _row in range(tallest - len(lines))]
            lines[-1].append(more)
        return pages

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return len(self._shown(width))

    def _shown(self, width: int) -> list[list[Entry]]:
        width = max(width, 1)
        if self._laid is None or self._laid[0] != width:
            self._laid = width, self._pages(width)
        pages = self._laid[1]
        return pages[self._page % len(pages)] if pages else [[]]

    def render(self) -> Content:
        self._places = []
        parts: list[Content | str | tuple[str, str]] = []
        for row, line in enumerate(self._shown(self.content_size.width)):
            column = 0
            if row:
                parts.append("\n")
            for entry in line:
                gap = GAP if column else 0
                if entry.action == self.MORE:
                    gap = max(self.content_size.width - entry.width - column, 0)
                parts.append(" " * gap)
                column += gap
                self._places.append(Place(row, column, column + entry.width, entry))
                parts.append((entry.key, "bold" if entry.enabled else "dim"))
                if entry.label:
                    parts.append((" " + entry.label, "" if entry.enabled else "dim"))
                column += entry.width
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        """Do what the key does; letters work by mouse also while a field has the focus."""
        event.stop()
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for spot in self._places:
            if spot.row == offset.y and spot.start <= offset.x < spot.end:
                await self._do(spot.entry)
                return

    async def _do(self, entry: Entry) -> None:
        if entry.action == self.MORE:
            self._page += 1
            self.refresh(layout=True)
        elif entry.node is not None:
            await self.app.run_action(entry.action, default_namespace=entry.node)
