"""Labs: what can be proved by running it, and how each lab came out last."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from tui.app import RecordUnavailable
from tui.lab_words import outcome_text, when_text
from tui.messages import Returned
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.flow import Flow, Para
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.cards import Text
    from content.runs_store import Run
    from content.store import Record

HINT_FROM_HEIGHT = 18
"""Below this height what a lab proves is told only when it is opened."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A lab in the list; `last` is its newest run."""

    lab_id: str
    title: Text
    about: Text
    last: Run | None


def read_labs(record: Record | None) -> list[Listed]:
    """Every lab with its newest run. Imports the labs and numpy: for a thread."""
    from content.runs_store import all_runs
    from evidence.lab import registry

    last: dict[str, Run] = {}
    for run in all_runs(record) if record is not None else []:
        if run.kind == "lab" and run.lab is not None:
            last.setdefault(run.lab, run)
    return [Listed(lab.id, lab.title, lab.about, last.get(lab.id)) for lab in registry().values()]


def lab_titles() -> dict[str, Text]:
    """What each lab is called, by its id. Imports the labs and numpy: for a thread."""
    from evidence.lab import registry

    return {lab.id: lab.title for lab in registry().values()}


class LabsScreen(SubScreen[None]):
    """The list of labs; Enter opens one."""

    DEFAULT_CSS = """
    LabsScreen #below { height: auto; max-height: 6; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f5", "open", N_("open"), id="labs.open", key_display="Enter"),
        Binding("e,f6", "evidence", N_("evidence"), id="labs.evidence"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.labs: list[Listed] = []

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield Flow(id="nothing")
            yield RowList(id="list")
        with Vertical(id="below"):  # a margin of its own would narrow the list too
            yield Flow(id="hint")
        yield Rule(id="message")
        yield KeyLine()

    @property
    def list(self) -> RowList:
        """The list itself."""
        return self.query_one(RowList)

    def on_mount(self) -> None:
        self.list.focus()
        self._draw()
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        record = None
        try:
            record = await self.shard.need_record(to_read=True)
        except RecordUnavailable as fault:  # labs can be run without it
            self.say(str(fault))
        self.labs = await asyncio.to_thread(read_labs, record)
        self._draw()

    def top_text(self) -> tuple[str, str]:
        count = len(self.labs)
        return _("Labs"), ngettext("{n} lab", "{n} labs", count).format(n=count) if count else ""

    def _draw(self) -> None:
        nothing = self.query_one("#nothing", Flow)
        nothing.show([] if self.labs else [Para(_("Reading the labs ..."))])
        nothing.display = not self.labs
        left = margin(self.size.width)
        for name in ("#nothing", "#list", "#hint"):
            self.query_one(name).styles.margin = (1 if name != "#hint" and self.airy else 0, left)
        now, lang = self.shard.clock.now(), self.shard.lang
        self.list.show(
            [
                Row(
                    lab.lab_id,
                    lab.title.of(lang),
                    f"{outcome_text(lab.last)} {when_text(lab.last.started_ms, now)}" if lab.last else _("not run yet"),
                )
                for lab in self.labs
            ]
        )
        self._draw_hint()
        self.refresh_top()

    def _draw_hint(self) -> None:
        hint, row = self.query_one("#hint", Flow), self.list.current
        hint.display = self.size.height >= HINT_FROM_HEIGHT
        about = next((lab.about for lab in self.labs if row is not None and lab.lab_id == row.name), None)
        hint.show([Para(self.shard.glyphs.text(about.of(self.shard.lang)))] if about is not None else [])

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def on_returned(self, _message: Returned) -> None:
        self.run_worker(self._read(), exclusive=True)

    def on_row_list_moved(self, _message: RowList.Moved) -> None:
        self._draw_hint()

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.action_open()

    def action_open(self) -> None:
        """What the lab proves, and a run of it."""
        row = self.list.current
        if row is not None:
            self.shard.action_lab(row.name)

    def action_evidence(self) -> None:
        """The document that recorded runs fill."""
        self.shard.action_evidence()
