"""Which table to recall, for practice: the schedule is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui.screens.choice import ChoiceScreen
from tui.widgets.flow import Para, visible
from tui.widgets.row_list import Row
from tui.words import N_, _

if TYPE_CHECKING:
    from content.store import Record
    from tui.table_index import NamedCard


class TableChoiceScreen(ChoiceScreen):
    """The tables of all packs. With `table` (an id, or its end) that one is opened at once."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "begin", N_("begin"), id="table-choice.begin", key_display="Enter"),
    ]

    def __init__(self, *, table: str | None = None) -> None:
        super().__init__()
        self._table = table
        self.tables: list[NamedCard] = []

    async def read(self, record: Record) -> None:
        from tui.table_index import tables_of

        self.tables = tables_of(record)

    def begin_at_once(self) -> None:
        from tui.table_index import find_table

        if self._table is None:
            return
        wanted, self._table = self._table, None
        found = find_table(self.tables, wanted)
        if found is None:
            self.say(_("There is no table {name}.").format(name=wanted))
        else:
            self._start(found.card_key)

    def top_text(self) -> tuple[str, str]:
        return _("Tables from memory"), _("practice")

    def told(self) -> list[Para]:
        return [] if self.tables else [Para(_("No pack has a table."))]

    def rows(self) -> list[Row]:
        lang = self.shard.lang
        return [Row(str(t.card_key), visible(" ".join(t.card.front.of(lang).split()))) for t in self.tables]

    def action_begin(self) -> None:
        """Recall the table under the cursor."""
        row = self.choices.current
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
