"""The map: the whole page as topics and nodes, each with its present chance of recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui import map_words
from tui.app import RecordUnavailable
from tui.messages import Returned
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import MAX_COLUMNS, Flow, Para, cut_lines, ellipsis
from tui.widgets.key_line import KeyLine
from tui.widgets.map_view import MapView
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.map_data import CourseMap, MapTopic, Node

WIDTH = 100
SMALL_HEIGHT = 16


class MapScreen(SubScreen[None]):
    """One screen of lines; Enter opens a node, `/` finds."""

    DEFAULT_CSS = """
    MapScreen #content { height: 1fr; scrollbar-size-vertical: 1; }
    MapScreen #node { height: auto; }
    MapScreen #find { display: none; }
    MapScreen.-finding #find { display: block; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "open", N_("open"), id="map.open", key_display="Enter"),
        Binding("slash,f4", "find", N_("find"), id="map.find", key_display="/"),
        Binding("z,f6", "whole", N_("whole page"), id="map.whole"),
        Binding("n,f5", "next_found(1)", N_("next found"), id="map.next-found"),
        Binding("tab", "topic(1)", N_("next topic"), id="map.next-topic", priority=True),
        Binding("shift+tab", "topic(-1)", N_("topic before"), show=False, priority=True),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.course: CourseMap | None = None
        self.found: tuple[str, ...] = ()
        self.whole = False
        self._fault: RecordUnavailable | None = None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield MapView(id="map")
        yield AnswerField(id="find")
        yield Rule(id="message")
        yield Flow(id="node")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()
        self.view.focus()
        self.run_worker(self._read(), exclusive=True)

    async def _read(self) -> None:
        from asyncio import to_thread

        try:
            record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = fault
            self._draw()
            return
        from content.map_data import course_map

        self.course = await to_thread(course_map, record, self.shard.settings, self.shard.clock.now())
        self._draw()

    @property
    def view(self) -> MapView:
        return self.query_one("#map", MapView)

    @property
    def node(self) -> Node | None:
        """The node under the cursor."""
        return self.course.nodes.get(self.view.node_id) if self.course is not None else None

    @property
    def topic(self) -> MapTopic | None:
        """The topic under the cursor, where the whole page is shown."""
        topics = self.course.topics if self.course is not None and self.whole else ()
        return next((topic for topic in topics if topic.id == self.view.node_id), None)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def top_text(self) -> tuple[str, str]:
        if self.course is None:
            return _("The map"), ""
        total, studied = len(self.course.nodes), sum(topic.studied for topic in self.course.topics)
        recall = map_words.recall_text(self.course.recall)
        return _("The map"), f"{recall}  " + _("{n} of {all}").format(n=studied, all=total)

    def _draw(self) -> None:
        small = self.size.height < SMALL_HEIGHT
        self.query_one("#top-rule").display = not small
        side = margin(self.size.width, WIDTH)
        for name in ("#content", "#find", "#node"):
            self.query_one(name).styles.padding = (0, side)
        self.query_one("#node").styles.max_width = MAX_COLUMNS + 2 * side  # which counts the padding
        width = max(min(self.size.width - 2 * side - 1, WIDTH), 20)
        if self.course is None:
            text = str(self._fault or _("Opening your record ..."))
            self.view.show([map_words.MapLine((map_words.Piece(text),))])
        else:
            lines = map_words.overview_lines if self.whole else map_words.map_lines
            self.view.show(lines(self.course, width, self.shard.glyphs), self.found)
        self._draw_node()
        self.refresh_top()

    def _draw_node(self) -> None:
        """What stands under the cursor, in one line of a small window, else in three."""
        flow, node = self.query_one("#node", Flow), self.node
        width = max(min(self.size.width - 2 * margin(self.size.width, WIDTH), MAX_COLUMNS), 20)
        if self.topic is not None and self.course is not None:
            title, *others = map_words.topic_lines(self.course, self.topic)
            told = [ellipsis(line, width, self.shard.glyphs.more) for line in (*others, "", "")[:2]]
            flow.show([Para(ellipsis(title, width, self.shard.glyphs.more), style="bold"), *map(Para, told)])
            return
        if node is None or self.course is None:
            flow.show(())
            return
        name, question, *needs = map_words.node_lines(self.course, node, width)
        small, more = self.size.height < SMALL_HEIGHT, self.shard.glyphs.more
        told = [] if small else [ellipsis(line, width, more) for line in needs[:1]]
        told = [*cut_lines(question, width, 1 if small or needs else 2, more), *told]
        blank = [""] * (0 if small else 2 - len(told))
        flow.show([Para(ellipsis(name, width, more), style="bold"), *map(Para, (*told, *blank))])

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def on_map_view_moved(self, _message: MapView.Moved) -> None:
        self._draw_node()

    def on_map_view_chosen(self, _message: MapView.Chosen) -> None:
        self.action_open()

    # -- the whole page ---------------------------------------------------------------------------------------------

    def key_label(self, action: str) -> str | None:
        """What the key of the whole page does now."""
        return _("nodes") if action == "whole" and self.whole else super().key_label(action)

    def action_whole(self) -> None:
        """The whole page in a line a topic, or its nodes again; the cursor stays in its topic."""
        if self.course is None:
            return
        topic_id = self.view.node_id if self.whole else self.node.topic_id if self.node is not None else ""
        self.whole = not self.whole
        self._draw()
        if self.whole:
            self.view.go_to(topic_id)
        else:
            self._go_to_topic(topic_id)
        self._draw_node()
        self.refresh_bindings()

    def _go_to_topic(self, topic_id: str) -> None:
        assert self.course is not None
        names = {node.id for node in self.course.nodes.values() if node.topic_id == topic_id}
        first = next((node_id for node_id in self.view.order if node_id in names), None)
        if first is not None:
            self.view.go_to(first)

    # -- finding ----------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "next_found":
            return bool(self.found)
        return not self.has_class("-finding") if action in ("topic", "open") else True

    def action_find(self) -> None:
        """Type words of a node's name, title or topic, in either language."""
        if self.whole:
            self.action_whole()
        self.add_class("-finding")
        self.query_one("#find", AnswerField).focus()
        self.refresh_bindings()

    def on_answer_field_changed(self, message: AnswerField.Changed) -> None:
        if self.course is None:
            return
        self.found = tuple(node.id for node in self.course.find(message.field.value))
        self._draw()
        if self.found:
            self.view.go_to(self.found[0])

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        told = ngettext("{n} node found.", "{n} nodes found.", len(self.found)).format(n=len(self.found))
        self._leave_field()
        self.say(told if self.found else _("Nothing of that name."))

    def _leave_field(self) -> None:
        self.remove_class("-finding")
        self.view.focus()
        self.refresh_bindings()

    def action_next_found(self, by: int) -> None:
        """The next node that was found."""
        if self.found:
            at = self.found.index(self.view.node_id) + by if self.view.node_id in self.found else 0
            self.view.go_to(self.found[at % len(self.found)])

    def action_topic(self, by: int) -> None:
        """The first node of the next topic."""
        if self.course is None or self.node is None:
            self.view.action_step(by)  # on the whole page every line is a topic
            return
        topics = [topic for topic in self.course.topics if topic.nodes]
        at = next(n for n, topic in enumerate(topics) if topic.id == self.node.topic_id)
        self._go_to_topic(topics[(at + by) % len(topics)].id)

    # -- opening ----------------------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """The cards, drills and labs of the node under the cursor; of a topic its nodes."""
        if self.whole:
            self.action_whole()
        elif self.node is not None and self.course is not None:
            from tui.screens.map_node import MapNodeScreen

            self.shard.push_screen(MapNodeScreen(self.course, self.node), lambda _result: self._returned())

    def _returned(self) -> None:
        self.run_worker(self._read(), exclusive=True)

    def on_returned(self, _message: Returned) -> None:
        self._returned()

    def action_back(self) -> None:
        """Out of the field, or out of what was found; else away."""
        if self.has_class("-finding"):
            self._leave_field()
        elif self.found:
            self.found = ()
            self.query_one("#find", AnswerField).set_text("")
            self._draw()
            self.refresh_bindings()
        else:
            self.dismiss()


__all__ = ["MapScreen"]
