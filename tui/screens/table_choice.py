"""Which table to recall, for practice: the schedule is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.app import RecordUnavailable
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.flow import Flow, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _

if TYPE_CHECKING:
    from content.store import Record
    from tui.table_index import NamedCard


class TableChoiceScreen(SubScreen[None]):
    """The tables of all packs. With `table` (an id, or its end) that one is opened at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "begin", N_("begin"), id="table-choice.begin", key_display="Enter"),
    ]

    def __init__(self, *, table: str | None = None) -> None:
        super().__init__()
        self._table = table
        self.record: Record | None = None
        self.tables: list[NamedCard] = []
        self._fault = ""

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield Flow(id="told")
            yield RowList(id="list")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()
        self._list.focus()
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        try:
            self.record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = str(fault)
            self._draw()
            return
        from tui.table_index import find_table, tables_of

        self.tables = tables_of(self.record)
        self._draw()
        if self._table is not None:
            wanted, self._table = self._table, None
            found = find_table(self.tables, wanted)
            if found is None:
                self.say(_("There is no table {name}.").format(name=wanted))
            else:
                self._start(found.card_key)

    @property
    def _list(self) -> RowList:
        return self.query_one("#list", RowList)

    def top_text(self) -> tuple[str, str]:
        return _("Tables from memory"), _("practice")

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def _draw(self) -> None:
        told = self._fault
        if not told and not self.tables:
            told = _("Opening your record ...") if self.record is None else _("No pack has a table.")
        self.query_one("#told", Flow).show([Para(told)] if told else [])
        self.query_one("#told").display = bool(told)
        for name in ("#list", "#told"):
            self.query_one(name).styles.margin = (1 if self.airy else 0, margin(self.size.width))
        lang = self.shard.lang
        self._list.show([Row(str(t.card_key), visible(" ".join(t.card.front.of(lang).split()))) for t in self.tables])

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_begin()

    def action_begin(self) -> None:
        """Recall the table under the cursor."""
        row = self._list.current
        if row is not None:
            self._start(int(row.name))

    def _start(self, card_key: int) -> None:
        from content.events import Purpose
        from content.practice import Selection
        from content.session import Session
        from tui.screens.table import TableScreen

        if self.record is None:
            return
        clock = self.shard.clock
        session = Session(
            self.record,
            self.shard.settings,
            clock.now(),
            new_id=clock.new_event_id,
            purpose=Purpose.PRACTICE,
            lang=self.shard.lang,
            selection=Selection("cards", keys=(card_key,), repeats=False),
        )
        self.shard.push_screen(TableScreen(session, alone=True))


__all__ = ["TableChoiceScreen"]
