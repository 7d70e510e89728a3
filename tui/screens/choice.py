"""A list to choose from that is read out of the record: oral questions, tables, selections of cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll

from tui.app import RecordUnavailable
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.flow import Flow, Para
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import _

if TYPE_CHECKING:
    from content.store import Record


class ChoiceScreen(SubScreen[None]):
    """Rows with a cursor; Enter or a click begins with the one it stands on. Above them what is to be said first."""

    DEFAULT_CSS = "ChoiceScreen #list { height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self.record: Record | None = None
        self._fault: RecordUnavailable | None = None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield Flow(id="told")
            yield RowList(id="list")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self.draw()
        self.choices.focus()
        self.read_again()

    # -- what each of them does -------------------------------------------------------------------------------------

    async def read(self, record: Record) -> None:
        """Read what can be chosen."""
        raise NotImplementedError

    def told(self) -> list[Para]:
        """What stands above the rows, once the record is open."""
        raise NotImplementedError

    def rows(self) -> list[Row]:
        """What can be chosen, once the record is open."""
        raise NotImplementedError

    def action_begin(self) -> None:
        """Begin with the row under the cursor."""
        raise NotImplementedError

    # -- reading and drawing ----------------------------------------------------------------------------------------

    @property
    def choices(self) -> RowList:
        return self.query_one("#list", RowList)

    def read_again(self) -> None:
        """Read the record, when it is open, and draw what was found."""
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        try:
            record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = fault
        else:
            await self.read(record)
            self.record = record
        self.draw()
        if self.record is not None:
            self.begin_at_once()

    def begin_at_once(self) -> None:
        """Where the command line named a choice: begin with it."""

    def draw(self) -> None:
        """Draw everything as it stands."""
        side, above = margin(self.size.width), 1 if self.airy else 0
        told = self.told() if self.record is not None else [Para(str(self._fault or _("Opening your record ...")))]
        self.query_one("#told", Flow).show(told)
        self.query_one("#told").display = bool(told)
        for name in ("#list", "#told"):
            self.query_one(name).styles.margin = (above, side)
        self.choices.show(self.rows() if self.record is not None else [])
        self.refresh_top()

    def retranslate(self) -> None:
        self.draw()
        super().retranslate()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.draw()

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_begin()


__all__ = ["ChoiceScreen"]
