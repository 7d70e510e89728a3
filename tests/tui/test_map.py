"""The map on the screen and in print: topics with their nodes, recall or "new", prerequisites that leave a line."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from rich.cells import cell_len

from content.cards import Text
from content.map_data import CourseMap, Edge, MapTopic, Node
from tui import words
from tui.glyphs import Glyphs
from tui.map_words import map_lines, node_lines, node_text, overview_lines, printed, topic_lines
from tui.screens.card_info import CardInfoScreen
from tui.screens.map import MapScreen
from tui.screens.map_node import MapNodeScreen

Desk = Any  # the class of tests/tui/conftest.py


def node(name: str, topic: str, recall: float | None = None, **fields: Any) -> Node:
    made = {"kind": "concept", "keys": (1,), "state": "review", "due_day": None, "requires": (), **fields}
    return Node(
        id=f"p/{topic}.{name}",
        name=made.pop("called", Text(name, name)),
        topic_id=f"p/{topic}",
        title=Text(f"About {name}?", f"{name}？"),
        recall=recall,
        **made,
    )


@pytest.fixture
def course() -> CourseMap:
    first = (
        node("idea", "zero", 0.93),
        node("price", "zero"),
        node("memory", "zero", 0.5, kind="drill", labs=("zero",)),
    )
    second = (node("bubble", "pp", requires=("p/zero.idea",)),)
    topics = (
        MapTopic("p/zero", Text("ZeRO: cutting", "ZeRO：切分"), first, 0.72),
        MapTopic("p/pp", Text("Pipelines", "流水线"), second, None),
    )
    edges = (Edge("p/pp", "p/zero", (("p/pp.bubble", "p/zero.idea"),)),)
    return CourseMap(0, topics, edges, {one.id: one for topic in topics for one in topic.nodes})


def test_a_topic_is_a_line_and_its_nodes_stand_after_it(course: CourseMap) -> None:
    lines = [line.plain for line in map_lines(course, 60, Glyphs())]
    assert lines[0].startswith("ZeRO: cutting")
    assert lines[0].endswith("0.72  2 of 3")
    assert lines[1:4] == ["  idea 0.93", "  new: price", "  drills: memory 0.50"]
    assert lines[5].endswith("new  0 of 1")


def test_the_whole_page_is_a_line_a_topic_with_what_it_builds_on(course: CourseMap) -> None:
    lines = [line.plain for line in overview_lines(course, 72, Glyphs())]
    assert [line.split()[0] for line in lines] == ["ZeRO", "Pipelines"]
    assert "0.72" in lines[0]
    assert "2 of 3" in lines[0]
    assert "<-" not in lines[0]
    assert lines[1].rstrip().endswith("<- ZeRO")
    for width in (30, 40, 60, 72, 100):
        for line in overview_lines(course, width, Glyphs()):
            assert cell_len(line.plain) <= width


def test_a_topic_tells_what_it_builds_on_and_what_builds_on_it(course: CourseMap) -> None:
    assert topic_lines(course, course.topics[0]) == ["ZeRO: cutting", "-> Pipelines"]
    assert topic_lines(course, course.topics[1]) == ["Pipelines", "<- ZeRO"]


def test_an_arrow_stands_only_where_a_prerequisite_leaves_the_topic(course: CourseMap) -> None:
    lines = [line.plain for line in map_lines(course, 60, Glyphs())]
    assert [line for line in lines if "<-" in line] == ["  <- ZeRO"]
    assert node_lines(course, course.nodes["p/pp.bubble"])[-1] == "<- idea (ZeRO)"


@pytest.mark.parametrize("width", [30, 38, 76, 100])
def test_no_line_is_wider_than_the_window(course: CourseMap, width: int) -> None:
    for lang in ("en", "zh"):
        words.set_language(lang)
        assert all(cell_len(line.plain) <= width for line in map_lines(course, width, Glyphs()))


def test_names_are_of_the_language_shown_and_a_drill_says_how_to_solve_it(course: CourseMap) -> None:
    named = node("memory", "zero", 0.5, kind="drill", called=Text("bytes of a card", "每卡字节"))
    words.set_language("zh")
    assert node_text(named, 40) == "每卡字节 0.50"
    assert node_lines(course, named)[1] == "shardrill solve zero.memory"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_long_name_is_cut_before_its_recall(lang: str) -> None:
    words.set_language(lang)
    long = node("x", "zero", 0.5, state="suspended", called=Text("a name " * 9, "很长的名称" * 9))
    text = node_text(long, 34)
    assert cell_len(text) <= 34
    assert text.endswith("0.50")
    assert "…" in text


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_label_stands_alone_where_its_first_node_has_no_room_beside_it(lang: str) -> None:
    words.set_language(lang)
    long = node("x", "zero", 0.5, kind="drill", called=Text("state on one card of many", "一张卡上的训练状态有多少"))
    topic = MapTopic("p/zero", Text("ZeRO", "ZeRO"), (long,), 0.5)
    lines = [line.plain for line in map_lines(CourseMap(0, (topic,), (), {long.id: long}), 34, Glyphs())]
    assert all(cell_len(line) <= 34 for line in lines)
    assert [line.strip() for line in lines[1:]] == [
        "drills:" if lang == "en" else "计算题：",
        "state on one card of many 0.50" if lang == "en" else "一张卡上的训练状态有多少 0.50",
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_there_is_little_room_the_kind_goes_before_the_recall(course: CourseMap, lang: str) -> None:
    words.set_language(lang)
    one = node("x", "zero", 0.5, called=Text("three memory accounts", "显存三本账"))
    assert node_lines(course, one, 80)[0].endswith("concept card, 0.50" if lang == "en" else "概念卡、0.50")
    assert node_lines(course, one, 30 if lang == "en" else 20)[0].endswith(", 0.50" if lang == "en" else "账、0.50")
    assert node_lines(course, one, 12)[0] == one.name.of(lang)


def test_print_names_each_topic_and_node_with_its_recall_or_new(course: CourseMap) -> None:
    assert list(printed(course)) == [
        "ZeRO: cutting  0.72  2 of 3",
        "    idea  0.93",
        "    price  new",
        "    memory  0.50  (drill zero.memory)",
        "Pipelines  new  0 of 1",
        "    bubble  new",
        "    <- ZeRO",
    ]


@asynccontextmanager
async def on_map(desk: Desk, lang: str = "en", size: tuple[int, int] = (80, 24)) -> AsyncIterator[Any]:
    app = desk.app(lang, start="map")
    async with app.run_test(size=size) as pilot:
        sitting = desk.sitting(app, pilot)
        for _ in range(300):
            await pilot.pause(0.01)
            if isinstance(app.screen, MapScreen) and app.screen.course is not None:
                break
        await pilot.pause()
        yield sitting


async def test_the_cursor_walks_and_the_last_lines_tell_of_the_node(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        assert "new:>ranks" in sitting.text
        assert "ranks, concept card, new" in sitting.text
        await sitting.press("right")
        assert "why-free, concept card, new" in sitting.text
        assert "Why does the memory" in sitting.text


async def test_slash_finds_in_either_language(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        await sitting.press("slash")
        for character in "显存":
            await sitting.send(character)
        await sitting.press("enter")
        assert "1 node found." in sitting.text
        assert sitting.app.screen.node.name.en == "why-free"
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, MapScreen)


async def test_enter_opens_the_cards_of_a_node(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, MapNodeScreen)
        assert "the card and its history" in sitting.text
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, CardInfoScreen)


async def test_recall_is_shown_once_a_card_was_answered(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "4", "escape")
    async with on_map(desk, "zh") as sitting:
        assert "ranks 1.00" in sitting.text
        assert "1 / 3" in sitting.text


async def test_a_small_window_keeps_the_node_in_view(desk: Desk) -> None:
    async with on_map(desk, size=(40, 12)) as sitting:
        await sitting.press("end")
        assert ">in-flight" in sitting.text


async def test_practice_from_the_map_leaves_the_schedule_alone(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        await sitting.press("enter", "p")
        await sitting.until_ready()
        assert "practice" in sitting.text
        await sitting.press("space", "1")
    assert [event.purpose.value for event in desk.attempts()] == ["practice"]


async def test_one_key_shows_the_whole_page_a_line_a_topic_and_the_same_key_its_nodes_again(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        topic = sitting.app.screen.node.topic_id
        await sitting.press("z")
        assert sitting.app.screen.topic.id == topic
        heads = [row for row in sitting.rows[2:] if " of " in row]
        assert len(heads) == len(sitting.app.screen.course.topics)
        await sitting.press("z")
        assert sitting.app.screen.node.topic_id == topic


async def test_enter_on_a_topic_opens_its_nodes_and_finding_leaves_the_whole_page(desk: Desk) -> None:
    async with on_map(desk) as sitting:
        await sitting.press("z")
        chosen = sitting.app.screen.topic.id
        await sitting.press("enter")
        assert sitting.app.screen.node.topic_id == chosen
        await sitting.press("z", "slash")
        assert not sitting.app.screen.whole
