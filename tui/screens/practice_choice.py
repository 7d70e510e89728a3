"""What to go through outside the day's queue: any selection without touching the schedule, or what comes due ahead of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui.messages import Returned
from tui.screens.choice import ChoiceScreen
from tui.today_notes import sweep_line
from tui.widgets.flow import Para, visible
from tui.widgets.row_list import Row
from tui.words import N_, _

if TYPE_CHECKING:
    from content.cards import Text
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


class PracticeChoiceScreen(ChoiceScreen):
    """Rows with their numbers of cards; Enter begins."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "begin", N_("begin"), id="practice.begin", key_display="Enter"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.sweep: SweepPlan | None = None
        self._counts: dict[str, int] = {}
        self._topics: list[tuple[str, Text, int]] = []  # id, title, cards

    def on_returned(self, _message: Returned) -> None:
        self.read_again()

    async def read(self, record: Record) -> None:
        from asyncio import to_thread

        await to_thread(self._count, record)

    def _count(self, record: Record) -> None:
        """In a thread: the sizes of the selections, and the sweep."""
        from content.cards import topic_from_json
        from content.practice import Selection, count_of
        from content.sweeping import plan_sweep

        settings, now = self.shard.settings, self.shard.clock.now()
        counts: dict[str, int] = {what: count_of(record, settings, now, Selection(what)) for what, _name in SELECTIONS}
        counts[AHEAD] = count_of(record, settings, now, Selection("ahead"))
        self._counts = counts
        waiting = record.topic_counts()
        self._topics = [
            (
                row.topic_id,
                topic_from_json(row.topic_id, row.body).title,
                sum(n for queue, n in counted.items() if queue >= 0),
            )
            for row in record.topics()
            if (counted := waiting.get(row.topic_id))
        ]
        self.sweep = plan_sweep(record, settings, now)

    def top_text(self) -> tuple[str, str]:
        return _("Practice"), ""

    def told(self) -> list[Para]:
        return [] if self.sweep is None else [Para(self.shard.glyphs.text(sweep_line(self.sweep)))]

    def rows(self) -> list[Row]:
        rows = [Row("", _("Ahead of the schedule (moves it)"), heading=True)]
        if self.sweep is not None and self.sweep.is_on:
            rows.append(Row(SWEEP, _("today's part of the sweep"), str(len(self.sweep.today))))
        rows.append(Row(AHEAD, _("due within a week"), str(self._counts.get(AHEAD, 0))))
        rows.append(Row("", _("Practice (the schedule stays as it is)"), heading=True))
        rows += [Row(what, _(name), str(self._counts.get(what, 0))) for what, name in SELECTIONS]
        lang = self.shard.lang
        rows += [Row(f"topic:{name}", visible(title.of(lang)), str(count)) for name, title, count in self._topics]
        return rows

    def action_begin(self) -> None:
        """Go through what the cursor stands on."""
        from content.events import Purpose
        from content.practice import Selection
        from tui.practising import start_selection

        row = self.choices.current
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
