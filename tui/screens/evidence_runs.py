"""Which run fills the document: the recorded runs, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.lab_words import outcome_text, what_ran, when_text
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.flow import visible
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.runs_store import Run

NEWEST = ""


class RunsScreen(SubScreen[str]):
    """Dismisses with a run's id, with NEWEST for whatever is the newest, or with None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f5", "choose", N_("choose"), id="runs.choose", key_display="Enter")
    ]

    def __init__(self, runs: tuple[Run, ...], shown: Run | None) -> None:
        super().__init__()
        self.runs, self._shown = runs, shown

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield RowList(id="list")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self._draw()

    def top_text(self) -> tuple[str, str]:
        count = len(self.runs)
        return _("Choose the run"), ngettext("{n} run", "{n} runs", count).format(n=count)

    def _draw(self) -> None:
        rows = self.query_one(RowList)
        rows.styles.margin = (1 if self.airy else 0, margin(self.size.width))
        rows.show([Row(NEWEST, _("always the newest")), *(self._row(run) for run in self.runs)])

    def _row(self, run: Run) -> Row:
        when = when_text(run.started_ms, self.shard.clock.now())
        mark = f" ({_('shown')})" if self._shown is not None and run.run_id == self._shown.run_id else ""
        right = f"{outcome_text(run)}  {run.short_id}" if self.size.width >= 60 else outcome_text(run)
        return Row(run.run_id, f"{when}  {visible(what_ran(run))}{mark}", right)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.action_choose()

    def action_choose(self) -> None:
        """Take the marked run."""
        row = self.query_one(RowList).current
        if row is not None:
            self.dismiss(row.name)
