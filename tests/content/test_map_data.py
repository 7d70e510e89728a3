"""The map: topics and nodes with their present recall, prerequisites that leave a topic, finding in both languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from content.cards import Text
from content.library import load_pack
from content.map_data import CourseMap, course_map
from content.pack_rows import sync
from grading.memory import Memory, Phase
from grading.schedule import retrievability

PACK = Path(__file__).parents[2] / "content" / "packs" / "distributed-training-map"


def draw(desk: Any) -> CourseMap:
    return course_map(desk.record, desk.settings, desk.clock.now)


@pytest.fixture
def small(desk: Any) -> Any:
    desk.add("a.one", "a.two", topic="a")
    desk.add("b.cloze#1", "b.cloze#2", topic="b", requires=("p/a.one",))
    desk.add("b.new", "b.out", topic="b", requires=("p/b.cloze#1",))
    desk.sync()
    desk.put("a.one", stability=5.0)
    desk.put("b.cloze#1", stability=50.0)
    desk.actions.suspend(desk.key("b.out"), desk.clock.now)
    return desk


def test_nodes_have_their_recall_now_or_are_new(small: Any) -> None:
    found = draw(small)
    memory = Memory(Phase.REVIEW, stability=5.0, last_day=small.row("a.one").memory.last_day)
    expected = retrievability(memory, small.clock.day, small.settings.plan())
    assert found.nodes["p/a.one"].recall == pytest.approx(expected)
    assert found.nodes["p/a.two"].recall is None
    states = {node.id: node.state for node in found.nodes.values()}
    assert states == {
        "p/a.one": "review", "p/a.two": "new", "p/b.cloze": "review", "p/b.new": "new", "p/b.out": "suspended",
    }  # fmt: skip
    assert [topic.recall is None for topic in found.topics] == [False, False]
    assert found.topics[0].recall == found.nodes["p/a.one"].recall
    assert [(topic.studied, len(topic.nodes)) for topic in found.topics] == [(1, 2), (1, 3)]


def test_the_cards_of_one_text_are_one_node(small: Any) -> None:
    node = draw(small).nodes["p/b.cloze"]
    assert node.keys == (small.key("b.cloze#1"), small.key("b.cloze#2"))
    assert (node.name.en, node.requires) == ("cloze", ("p/a.one",))


def test_a_node_has_its_cards_name_or_title_or_else_its_id(desk: Any, page_cards: Any) -> None:
    sync(desk.record, page_cards, 0)
    names = {node.short_id: node.name for node in draw(desk).nodes.values()}
    assert names["why-distributed.three-accounts"] == Text("three memory accounts", "显存三本账")
    assert names["why-distributed.gb-gib"] == Text("GB and GiB", "GB 与 GiB")
    assert names["zero-2-memory"] == Text("ZeRO-2: state on one card", "ZeRO-2：一张卡上的训练状态")
    desk.add("a.one", topic="a")
    desk.sync()
    assert draw(desk).nodes["p/a.one"].name == Text("one", "one")


def test_a_node_is_found_by_its_id_and_by_its_name_in_either_language(desk: Any, page_cards: Any) -> None:
    sync(desk.record, page_cards, 0)
    found = draw(desk)
    for text in ("three-accounts", "three memory accounts", "显存三本账", "顯存三本", "THREE memory"):
        assert "why-distributed.three-accounts" in [node.short_id for node in found.find(text)], text


def test_prerequisites_that_leave_a_topic_are_edges(small: Any) -> None:
    found = draw(small)
    (edge,) = found.edges
    assert (edge.topic_id, edge.needs, edge.links) == ("p/b", "p/a", (("p/b.cloze", "p/a.one"),))
    assert found.needs("p/b") == (edge,)
    assert set(found.needed_by("p/b.cloze")) == {"p/b.new", "p/b.out"}


def test_recall_falls_with_the_days(small: Any) -> None:
    before = draw(small).nodes["p/a.one"].recall
    small.clock.set("2026-04-10 10:00")
    after = draw(small).nodes["p/a.one"].recall
    assert after < before


@pytest.fixture(scope="module")
def page_cards() -> Any:
    return load_pack(PACK)


def test_the_whole_page_is_on_the_map(desk: Any, page_cards: Any) -> None:
    sync(desk.record, page_cards, 0)
    found = draw(desk)
    assert [topic.id for topic in found.topics] == [topic.id for topic in page_cards.topics]
    assert sum(len(node.keys) for node in found.nodes.values()) == len(page_cards.cards)
    assert {node.kind for node in found.nodes.values()} == {"concept", "cloze", "oral", "drill", "table"}
    assert found.recall is None
    assert any(node.labs for node in found.nodes.values())
    assert all(edge.needs != edge.topic_id for edge in found.edges)
    assert len(found.edges) > 5


@pytest.mark.parametrize("text", ["ZeRO-3", "ｚｅｒｏ-3", "梯度 累积", "gradient accumulation", "气泡"])
def test_finding_folds_case_and_width_in_both_languages(desk: Any, page_cards: Any, text: str) -> None:
    sync(desk.record, page_cards, 0)
    found = draw(desk)
    assert found.find(text)
    assert found.find("no such thing at all") == ()
    assert found.find("  ") == ()
