"""What to go through outside the day's queue: any selection without touching the schedule, or what comes due ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui.app import RecordUnavailable
from tui.messages import Returned
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.today_notes import sweep_line
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _

if TYPE_CHECKING:
    from content.practice import What
    from content.store import Record
    from content.sweeping import SweepPlan

SELECTIONS: tuple[tuple[What, str], ...] = (
    ("missed", N_("missed today")),
    ("flagged", N_("flagged")),
    ("leeches", N_("missed again and again")),
    ("new", N_("not yet learnt")),
)
SWEEP, AHEAD = "sweep", "ahead"


class PracticeChoiceScreen(SubScreen[None]):
    """Rows with their numbers of cards; Enter begins."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "begin", N_("begin"), id="practice.begin", key_display="Enter"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.record: Record | None = None
        self.sweep: SweepPlan | None = None
        self._counts: dict[str, int] = {}
        self._topics: list[tuple[str, int]] = []
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

    def on_returned(self, _message: Returned) -> None:
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        from asyncio import to_thread

        try:
            self.record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = str(fault)
            self._draw()
            return
        await to_thread(self._count)
        self._draw()

    def _count(self) -> None:
        """In a thread: the sizes of the selections, and the sweep."""
        from content.practice import Selection, count_of
        from content.sweeping import plan_sweep

        record, settings, now = self.record, self.shard.settings, self.shard.clock.now()
        assert record is not None
        counts: dict[str, int] = {what: count_of(record, settings, now, Selection(what)) for what, _name in SELECTIONS}
        counts[AHEAD] = count_of(record, settings, now, Selection("ahead"))
        self._counts = counts
        self._topics = [
            (topic.topic_id, sum(n for queue, n in counted.items() if queue >= 0))
            for topic in record.topics()
            if (counted := record.topic_counts().get(topic.topic_id))
        ]
        self.sweep = plan_sweep(record, settings, now)

    @property
    def _list(self) -> RowList:
        return self.query_one("#list", RowList)

    def top_text(self) -> tuple[str, str]:
        return _("Practice"), ""

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def _draw(self) -> None:
        for name in ("#list", "#told"):
            self.query_one(name).styles.margin = (0, margin(self.size.width))
        told = [Para(self._fault or _("Opening your record ..."))] if self.record is None else []
        if self.sweep is not None:
            told = [Para(self.shard.glyphs.text(sweep_line(self.sweep)))]
        self.query_one("#told", Flow).show([*told, BLANK] if told else [])
        self.query_one("#told").display = bool(told)
        self._list.show(self._rows() if self.record is not None else [])

    def _rows(self) -> list[Row]:
        rows = [Row("", _("Ahead of the schedule (moves it)"), heading=True)]
        if self.sweep is not None and self.sweep.is_on:
            rows.append(Row(SWEEP, _("today's part of the sweep"), str(len(self.sweep.today))))
        rows.append(Row(AHEAD, _("due within a week"), str(self._counts.get(AHEAD, 0))))
        rows.append(Row("", _("Practice (the schedule stays as it is)"), heading=True))
        rows += [Row(what, _(name), str(self._counts.get(what, 0))) for what, name in SELECTIONS]
        rows += [Row(f"topic:{topic_id}", self._title(topic_id), str(count)) for topic_id, count in self._topics]
        return rows

    def _title(self, topic_id: str) -> str:
        from content.cards import topic_from_json

        assert self.record is not None
        row = next(row for row in self.record.topics() if row.topic_id == topic_id)
        return visible(topic_from_json(topic_id, row.body).title.of(self.shard.lang))

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_begin()

    def action_begin(self) -> None:
        """Go through what the cursor stands on."""
        from content.events import Purpose
        from content.practice import Selection
        from tui.practising import start_selection

        row = self._list.current
        if row is None or not row.right:
            return
        if row.right == "0":
            self.say(_("There is no card of this kind now."))
        elif row.name == SWEEP and self.sweep is not None:
            start_selection(self.shard, self.sweep.selection, Purpose.AHEAD)
        elif row.name == AHEAD:
            start_selection(self.shard, Selection("ahead"), Purpose.AHEAD)
        elif row.name.startswith("topic:"):
            start_selection(self.shard, Selection("topic"), Purpose.PRACTICE, row.name.removeprefix("topic:"))
        else:
            what = next(what for what, _name in SELECTIONS if what == row.name)
            start_selection(self.shard, Selection(what), Purpose.PRACTICE)


__all__ = ["PracticeChoiceScreen"]
