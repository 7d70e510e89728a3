"""The whole page as a graph: topics, their nodes with the present chance of recall, prerequisites as edges. A worker's job."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from content.cards import Card, Text, card_from_json, topic_from_json
from content.events import Queue
from content.hanzi import finder
from content.queue import rows_of
from content.reading import fold
from grading.days import Instant, study_day
from grading.memory import Memory
from grading.schedule import retrievability

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record
    from grading.memory import Plan

CARDS = f"""
SELECT c.card_key, t.topic_id, r.body, m.queue, m.stability, m.last_day, m.due_day
FROM card c JOIN topic t ON t.topic_key = c.topic_key
  JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.present = 1 AND m.queue > {Queue.ABSENT:d} ORDER BY c.position, c.card_key
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class Node:
    """One entry of a pack: a card, or all cards of one cloze text. `recall` is the mean chance over its answered cards.

    `id` is "<pack>/<id>" without a cloze number. `name` is what its pack calls it, a drill's title, or else what of the id
    does not repeat the topic. `requires` are ids of nodes; `labs` are labs that a drill names.
    """

    id: str
    name: Text
    kind: str
    topic_id: str
    title: Text
    keys: tuple[int, ...]
    recall: float | None
    state: str  # new | learning | review | suspended
    due_day: int | None
    requires: tuple[str, ...]
    labs: tuple[str, ...] = ()

    @property
    def short_id(self) -> str:
        """The id without its pack, as it is typed on a command line."""
        return self.id.partition("/")[2]


@dataclass(frozen=True, slots=True)
class MapTopic:
    """A topic with its nodes. `recall` is the mean over its answered nodes, None ("new") where none was."""

    id: str
    title: Text
    nodes: tuple[Node, ...]
    recall: float | None

    @property
    def studied(self) -> int:
        """How many of its nodes were answered at least once."""
        return sum(node.recall is not None for node in self.nodes)


@dataclass(frozen=True, slots=True)
class Edge:
    """A prerequisite that leaves its topic: `needs` is the topic needed, `links` the pairs (node, node it needs)."""

    topic_id: str
    needs: str
    links: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class CourseMap:
    """The map on one study day."""

    day: int
    topics: tuple[MapTopic, ...]
    edges: tuple[Edge, ...]
    nodes: dict[str, Node] = field(default_factory=dict)

    @property
    def recall(self) -> float | None:
        """The mean over all answered nodes."""
        return _mean(node.recall for node in self.nodes.values())

    def needs(self, topic_id: str) -> tuple[Edge, ...]:
        """The edges from a topic to those it builds on."""
        return tuple(edge for edge in self.edges if edge.topic_id == topic_id)

    def needed_by(self, node_id: str) -> tuple[str, ...]:
        """The nodes that build on a node."""
        return tuple(node.id for node in self.nodes.values() if node_id in node.requires)

    def find(self, text: str) -> tuple[Node, ...]:
        """The nodes whose id, name, title or topic's title has all words of a text, in either language and Chinese
        script, width and case folded.

        Those whose own words have them come before those found by their topic.
        """
        words = [finder(word) for word in fold(text).split()]
        if not words:
            return ()
        own: list[Node] = []
        by_topic: list[Node] = []
        for topic in self.topics:
            about = fold(f"{topic.title.en} {topic.title.zh}")
            for node in topic.nodes:
                said = fold(f"{node.id} {node.name.en} {node.name.zh} {node.title.en} {node.title.zh}")
                if all(word(said) for word in words):
                    own.append(node)
                elif all(word(said) or word(about) for word in words):
                    by_topic.append(node)
        return (*own, *by_topic)


def course_map(record: Record, settings: Settings, now: Instant) -> CourseMap:
    """The map of all present packs."""
    day, plan = study_day(now, settings.rollover_hour), settings.plan()
    grouped: dict[str, list[tuple[Card, Sequence[Any]]]] = {}
    for row in rows_of(record)(CARDS, {"learner": settings.learner}):
        card = card_from_json(row[2])
        grouped.setdefault(card.id.partition("#")[0], []).append((card, row))
    nodes = {node_id: _node(node_id, cards, day, plan) for node_id, cards in grouped.items()}
    topics = []
    for topic in record.topics():
        own = tuple(node for node in nodes.values() if node.topic_id == topic.topic_id)
        title = topic_from_json(topic.topic_id, topic.body).title
        topics.append(MapTopic(topic.topic_id, title, own, _mean(node.recall for node in own)))
    return CourseMap(day, tuple(topics), tuple(_edges(nodes)), nodes)


def _node(node_id: str, cards: Sequence[tuple[Card, Sequence[Any]]], day: int, plan: Plan) -> Node:
    first = cards[0][0]
    rows = [row for _, row in cards]
    recalls = [
        retrievability(Memory(stability=row[4], last_day=row[5]), day, plan)
        for row in rows
        if row[3] in (Queue.STEPS, Queue.REVIEW) and row[4] is not None and row[5] is not None
    ]
    requires = {name.partition("#")[0]: None for card, _ in cards for name in (*card.requires, *_rubric_cards(card))}
    lab = None if first.drill is None else first.drill.get("lab")
    return Node(
        id=node_id,
        name=_name_of(first),
        kind=first.kind,
        topic_id=first.topic,
        title=first.back if first.kind == "cloze" else first.front,
        keys=tuple(row[0] for row in rows),
        recall=_mean(recalls),
        state=_state([row[3] for row in rows]),
        due_day=min((row[6] for row in rows if row[3] == Queue.REVIEW and row[6] is not None), default=None),
        requires=tuple(name for name in requires if name != node_id),
        labs=() if lab is None else (str(lab),),
    )


def _name_of(card: Card) -> Text:
    named = card.front if card.kind == "drill" else card.name
    if named is not None:
        return named
    topic, short = card.topic.partition("/")[2], card.id.partition("/")[2].partition("#")[0]
    return Text(*[short.removeprefix(f"{topic}.")] * 2)


def _rubric_cards(card: Card) -> Iterator[str]:
    return (name for point in card.rubric for name in point.cards)


def _state(queues: Sequence[int]) -> str:
    if all(queue == Queue.SUSPENDED for queue in queues):
        return "suspended"
    if Queue.STEPS in queues:
        return "learning"
    return "review" if Queue.REVIEW in queues else "new"


def _edges(nodes: dict[str, Node]) -> Iterator[Edge]:
    links: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for node in nodes.values():
        for name in node.requires:
            needed = nodes.get(name)
            if needed is not None and needed.topic_id != node.topic_id:
                links.setdefault((node.topic_id, needed.topic_id), []).append((node.id, needed.id))
    return (Edge(topic, needs, tuple(pairs)) for (topic, needs), pairs in links.items())


def _mean(values: Any) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


__all__ = ["CourseMap", "Edge", "MapTopic", "Node", "course_map"]
