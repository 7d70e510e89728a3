"""A node of the map: its cards, the drills that build on it, its labs, what it needs and what needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from tui import map_words
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _

if TYPE_CHECKING:
    from content.cards import Text
    from content.map_data import CourseMap, Node

CARD, DRILL, LAB, NODE, PRACTISE = "card", "drill", "lab", "node", "practise"
MOST = 30
"""So many nodes that need this one are listed."""


class MapNodeScreen(SubScreen[None]):
    """Enter opens what the cursor stands on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "open", N_("open"), id="map-node.open", key_display="Enter"),
        Binding("p,f4", "practise", N_("practise"), id="map-node.practise"),
    ]

    def __init__(self, course: CourseMap, node: Node) -> None:
        super().__init__()
        self.course, self.node = course, node
        self._labs: dict[str, Text] = {}

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
        self._list.focus(scroll_visible=False)  # what is told above it stays in view
        if self._lab_ids():
            self.run_worker(self._name_labs())

    async def _name_labs(self) -> None:
        from asyncio import to_thread

        from tui.screens.labs import lab_titles

        self._labs = await to_thread(lab_titles)
        self._draw()

    @property
    def _list(self) -> RowList:
        return self.query_one("#list", RowList)

    def top_text(self) -> tuple[str, str]:
        topic = next((t for t in self.course.topics if t.id == self.node.topic_id), None)
        left = map_words.short_title(topic) if topic is not None else _("The map")
        return left, map_words.recall_text(self.node.recall)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def _draw(self) -> None:
        side = margin(self.size.width)
        for name in ("#told", "#list"):
            self.query_one(name).styles.margin = (0, side)
        lines = map_words.node_lines(self.course, self.node)
        self.query_one("#told", Flow).show([Para(lines[0], style="bold"), *(Para(line) for line in lines[1:2]), BLANK])
        self._list.show(self._rows())

    def _rows(self) -> list[Row]:
        node = self.node
        kind = _(map_words.KIND_NAMES.get(node.kind, "concept card"))
        label = _("practise this drill") if node.kind == "drill" else _("the card and its history")
        rows = [Row("", _("Cards"), heading=True)]
        for number, key in enumerate(node.keys, start=1):
            name = f"{kind} {number}" if len(node.keys) > 1 else kind
            rows.append(
                Row(
                    f"{CARD}:{key}",
                    _("{row}: {column}").format(row=name, column=label),
                    map_words.recall_text(node.recall),
                )
            )
        rows += self._section(_("Drills that build on it"), self._drills())
        labs = self._lab_ids()
        if labs:
            rows.append(Row("", _("Labs"), heading=True))
            rows += [
                Row(f"{LAB}:{lab}", self._labs[lab].of(self.shard.lang) if lab in self._labs else lab) for lab in labs
            ]
        needs = [self.course.nodes[name] for name in node.requires if name in self.course.nodes]
        rows += self._section(_("Needs"), needs)
        needed = [self.course.nodes[n] for n in self.course.needed_by(node.id)][:MOST]
        rows += self._section(_("Needed by"), [one for one in needed if one.kind != "drill"])
        return rows

    def _drills(self) -> list[Node]:
        needing = (self.course.nodes[name] for name in self.course.needed_by(self.node.id))
        return [one for one in needing if one.kind == "drill"]

    def _lab_ids(self) -> list[str]:
        return list(dict.fromkeys(lab for one in (self.node, *self._drills()) for lab in one.labs))

    def _section(self, title: str, nodes: list[Node]) -> list[Row]:
        if not nodes:
            return []
        return [Row("", title, heading=True), *map(self._node_row, nodes)]

    def _node_row(self, node: Node) -> Row:
        text = map_words.node_name(node)
        if node.kind != "drill":  # a drill's name is all of its title
            question = visible(" ".join(node.title.of(self.shard.lang).split()))
            text = _("{row}: {column}").format(row=text, column=question)
        return Row(f"{NODE}:{node.id}", text, map_words.recall_text(node.recall))

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_open()

    def action_open(self) -> None:
        """Open the card, the lab or the other node."""
        row = self._list.current
        if row is None:
            return
        what, _colon, name = row.name.partition(":")
        if what == CARD:
            if self.node.kind == "drill":
                self.action_practise()
            else:
                self._open_card(int(name))
        elif what == LAB:
            self.shard.action_lab(name)
        elif what == NODE:
            self.shard.push_screen(MapNodeScreen(self.course, self.course.nodes[name]))

    def _open_card(self, card_key: int) -> None:
        from tui.screens.card_info import CardInfoScreen

        self.shard.push_screen(CardInfoScreen(card_key))

    def action_practise(self) -> None:
        """Go through this node's cards now; the schedule is not touched."""
        from tui.practising import practise

        practise(self.shard, self.node)


__all__ = ["MapNodeScreen"]
