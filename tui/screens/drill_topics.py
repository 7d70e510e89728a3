"""Which drills to practise: those of one topic, or all. The schedule is not touched."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from content.cards import topic_from_json
from tui.app import RecordUnavailable
from tui.screens.base import NARROW, SubScreen
from tui.widgets.flow import Flow, Para, visible
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.queue import DrillRun
    from tui.app import ShardrillApp
    from tui.screens.review import ReviewScreen

ALL = ""


class DrillTopicsScreen(SubScreen[str | None]):
    """Dismisses with the full id of a topic, "" for all drills, or None."""

    DEFAULT_CSS = """
    DrillTopicsScreen #content { padding: 1 3 0 3; }
    DrillTopicsScreen.-narrow #content { padding: 0 1; }
    DrillTopicsScreen RowList { margin-top: 1; max-width: 72; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,f5", "choose", N_("practise"), id="drills.choose")]

    def __init__(self) -> None:
        super().__init__()
        self._topics: list[tuple[str, str, str, int]] = []  # id, English and Chinese title, drills
        self._fault: RecordUnavailable | None = None

    def top_text(self) -> tuple[str, str]:
        return _("Drills"), ""

    def compose_content(self) -> ComposeResult:
        yield Flow(id="heading")
        yield RowList(id="topics")

    def on_mount(self) -> None:
        self._draw()
        self.query_one(RowList).focus()
        self.run_worker(self._load(), exclusive=True)

    async def _load(self) -> None:
        try:
            record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = fault
            self._draw()
            return
        from content.queue import drills_by_topic

        counts = drills_by_topic(record)
        for row in record.topics():
            if counts.get(row.topic_key):
                title = topic_from_json(row.topic_id, row.body).title
                self._topics.append((row.topic_id, title.en, title.zh, counts[row.topic_key]))
        self._draw()

    def _draw(self) -> None:
        zh = self.shard.lang == "zh"
        heading = str(self._fault or _("Practice with new numbers each time. The schedule stays as it is."))
        self.query_one("#heading", Flow).show([Para(heading)])
        total = sum(count for *_names, count in self._topics)
        rows = [Row(ALL, _("All topics, mixed"), _count(total))] if total else []
        rows += [
            Row(name, visible(title_zh if zh else en), _count(count)) for name, en, title_zh, count in self._topics
        ]
        self.query_one(RowList).show(rows)

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def action_choose(self) -> None:
        """Practise what is marked."""
        row = self.query_one(RowList).current
        if row is not None:
            self.dismiss(row.name)

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        self.dismiss(message.row.name)


def choose_drills(app: ShardrillApp) -> None:
    """Let the learner choose, then practise."""
    from tui.messages import Returned

    def chosen(topic: str | None) -> None:
        if topic is None:
            app.screen.post_message(Returned())
        else:
            app.start_drills(topic or None)

    if not isinstance(app.screen, DrillTopicsScreen):
        app.get_ready_for_drills()
        app.push_screen(DrillTopicsScreen(), chosen)


def practice_screen(topic: str | None, drills: DrillRun | None) -> ReviewScreen:
    """Practice of drills of a topic (full id) or of all."""
    from content.events import Purpose
    from content.queue import DrillRun
    from tui.screens.review import ReviewScreen

    return ReviewScreen(topic=topic, purpose=Purpose.PRACTICE, drills=drills or DrillRun())


def _count(count: int) -> str:
    return ngettext("{count} drill", "{count} drills", count).format(count=count)
