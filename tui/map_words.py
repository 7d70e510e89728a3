"""The map in lines: a topic with its bar, its nodes after it in groups, and what it builds on elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from tui.widgets.flow import ellipsis, visible
from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.map_data import CourseMap, MapTopic, Node
    from tui.glyphs import Glyphs

GAP = 2
KINDS = ("card", "drill", "table", "oral")
GROUPS = {
    ("card", False): "",
    ("card", True): N_("new:"),
    ("drill", False): N_("drills:"),
    ("drill", True): N_("new drills:"),
    ("table", False): N_("tables:"),
    ("table", True): N_("new tables:"),
    ("oral", False): N_("oral:"),
    ("oral", True): N_("new oral:"),
}
KIND_NAMES = {
    "concept": N_("concept card"),
    "cloze": N_("cloze"),
    "drill": N_("drill"),
    "table": N_("table"),
    "oral": N_("oral question"),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a line; of a node where it has an id, else of the topic or plain words."""

    text: str
    node_id: str = ""
    style: str = ""


@dataclass(frozen=True, slots=True)
class MapLine:
    """One line of the map."""

    pieces: tuple[Piece, ...]

    @property
    def plain(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def recall_text(recall: float | None) -> str:
    """`0.93` or `new`."""
    return _("new") if recall is None else f"{recall:.2f}"


def short_title(topic: MapTopic) -> str:
    """The words before a colon: what a topic is called for short."""
    return visible(topic.title.of(current()).replace("：", ":").partition(":")[0].strip())


def groups_of(topic: MapTopic) -> list[tuple[str, list[Node]]]:
    """A topic's nodes by kind, those with a past before the new ones, each group with its label."""
    found: dict[tuple[str, bool], list[Node]] = {key: [] for key in GROUPS}
    for node in topic.nodes:
        kind = node.kind if node.kind in KINDS else "card"
        found[kind, node.recall is None].append(node)
    return [(_(GROUPS[key]), nodes) for key, nodes in found.items() if nodes]


def node_name(node: Node) -> str:
    """What a node is called, on one line."""
    return visible(" ".join(node.name.of(current()).split()))


def node_text(node: Node, width: int, more: str = "…") -> str:
    """A node with its recall in at most `width` columns; one that was never answered stands in a group that says so."""
    after = " " + _("(suspended)") if node.state == "suspended" else ""
    if node.recall is not None:
        after += f" {node.recall:.2f}"
    return ellipsis(node_name(node), max(width - cell_len(after), 4), more) + after


def map_lines(course: CourseMap, width: int, glyphs: Glyphs) -> list[MapLine]:
    """The whole map in lines of at most `width` columns."""
    lines: list[MapLine] = []
    for topic in course.topics:
        if lines:
            lines.append(MapLine(()))
        lines.append(_head(topic, width, glyphs))
        for label, nodes in groups_of(topic):
            lines += _group(label, nodes, width, glyphs)
        needs = needed_topics(course, topic)
        if needs:
            text = "  <- " + _(", ").join(short_title(other) for other in needs)
            lines.append(MapLine((Piece(ellipsis(text, width, glyphs.more)),)))
    return lines


def overview_lines(course: CourseMap, width: int, glyphs: Glyphs) -> list[MapLine]:
    """The whole page at once: a line for each topic with its bar, what is answered of it, and what it builds on."""
    titles = [short_title(topic) for topic in course.topics]
    bar = 10 if width >= 60 else 5 if width >= 36 else 0
    facts = [
        f"{glyphs.bar(topic.recall, bar) if topic.recall is not None else ' ' * bar} {recall_text(topic.recall):<4} "
        + _("{n} of {all}").format(n=topic.studied, all=len(topic.nodes)).rjust(10)
        for topic in course.topics
    ]
    room = min(max(map(cell_len, titles), default=0), max(width - max(map(cell_len, facts), default=0) - 4, 8))
    lines = []
    for topic, title, fact in zip(course.topics, titles, facts, strict=True):
        name = ellipsis(title, room, glyphs.more)
        pieces = [Piece("  "), Piece(name, topic.id), Piece(" " * (room - cell_len(name) + GAP) + fact)]
        needs = _(", ").join(short_title(other) for other in needed_topics(course, topic))
        left = width - room - cell_len(fact) - GAP * 3
        if needs and left >= 12:
            pieces.append(Piece(ellipsis("  <- " + needs, left, glyphs.more)))
        lines.append(MapLine(tuple(pieces)))
    return lines


def topic_lines(course: CourseMap, topic: MapTopic) -> list[str]:
    """What is told of the topic under the cursor: its title, what it builds on, what builds on it."""
    needs = needed_topics(course, topic)
    needed = [other for other in course.topics if topic in needed_topics(course, other)]
    lines = [visible(topic.title.of(current()))]
    for arrow, others in (("<- ", needs), ("-> ", needed)):
        if others:
            lines.append(arrow + _(", ").join(short_title(other) for other in others))
    return lines


def needed_topics(course: CourseMap, topic: MapTopic) -> list[MapTopic]:
    """The topics in which something stands that a node of this one requires, in the order of the map."""
    ids = {edge.needs for edge in course.needs(topic.id)}
    return [other for other in course.topics if other.id in ids]


def _head(topic: MapTopic, width: int, glyphs: Glyphs) -> MapLine:
    count = _("{n} of {all}").format(n=topic.studied, all=len(topic.nodes))
    right = f"{recall_text(topic.recall)}  {count}"
    if topic.recall is not None:
        right = f"{glyphs.bar(topic.recall, 10 if width >= 60 else 5)} {right}"
    room = width - cell_len(right) - GAP
    title = ellipsis(visible(topic.title.of(current())), room, glyphs.more)
    return MapLine((Piece(title, style="bold"), Piece(" " * (width - cell_len(title) - cell_len(right))), Piece(right)))


def _group(label: str, nodes: Sequence[Node], width: int, glyphs: Glyphs) -> list[MapLine]:
    """A label and nodes after it, on as many lines as they need."""
    indent = "  "
    lines: list[list[Piece]] = [[Piece(indent + (f"{label} " if label else ""))]]
    used = cell_len(lines[0][0].text)
    for node in nodes:
        text = node_text(node, width - cell_len(indent) * 2, glyphs.more)
        if used + cell_len(text) > width:
            if len(lines[-1]) == 1:  # the label stands alone
                lines[-1].append(Piece(""))
            lines.append([Piece(indent * 2)])
            used = len(indent) * 2
        lines[-1] += [Piece(text, node.id), Piece(" " * GAP)]
        used += cell_len(text) + GAP
    return [MapLine(tuple(line[:-1])) for line in lines]


def node_lines(course: CourseMap, node: Node, width: int | None = None) -> list[str]:
    """What is told of the node under the cursor; in a first line of `width` first the kind has no room, then the rest."""
    kind = _(KIND_NAMES.get(node.kind, "concept card"))
    state = {"suspended": _("suspended"), "learning": _("learning")}.get(node.state, "")
    facts = [node_name(node), kind, recall_text(node.recall), state]
    if node.due_day is not None and node.due_day <= course.day:
        facts.append(_("due"))
    facts = [fact for fact in facts if fact]
    while width is not None and len(facts) > 1 and cell_len(_(", ").join(facts)) > width:
        facts.pop(1 if kind in facts else -1)
    lines = [_(", ").join(facts), _told(node)]
    outside = [name for name in node.requires if name in course.nodes and course.nodes[name].topic_id != node.topic_id]
    if outside:
        topics = {topic.id: short_title(topic) for topic in course.topics}
        told = (f"{node_name(course.nodes[n])} ({topics.get(course.nodes[n].topic_id, '')})" for n in outside)
        lines.append("<- " + _(", ").join(told))
    return lines


def _told(node: Node) -> str:
    """The question; a drill's title is its name already, so it is told how to have it solved."""
    if node.kind == "drill":
        return visible(f"shardrill solve {node.short_id}")
    return visible(" ".join(node.title.of(current()).split()))


def printed(course: CourseMap) -> Iterable[str]:
    """The map as `shardrill map` prints it: a line per topic and per node."""
    for topic in course.topics:
        count = _("{n} of {all}").format(n=topic.studied, all=len(topic.nodes))
        yield f"{visible(topic.title.of(current()))}  {recall_text(topic.recall)}  {count}"
        for node in topic.nodes:
            yield f"    {node_name(node)}  {recall_text(node.recall)}{_kind(node)}"
        needs = needed_topics(course, topic)
        if needs:
            yield "    <- " + _(", ").join(short_title(other) for other in needs)


def _kind(node: Node) -> str:
    """The kind in brackets, with the id of what other commands ask for by its id."""
    if node.kind in ("concept", "cloze"):
        return ""
    kind = _(KIND_NAMES.get(node.kind, "card"))
    return "  (" + (f"{kind} {visible(node.short_id)}" if node.kind in ("drill", "table") else kind) + ")"


__all__ = [
    "KIND_NAMES",
    "MapLine",
    "Piece",
    "groups_of",
    "map_lines",
    "node_lines",
    "node_name",
    "node_text",
    "overview_lines",
    "printed",
    "recall_text",
    "short_title",
    "topic_lines",
]
