"""What someone in a small window or in a hurry meets: nothing jumps away, nothing is halved, nothing is said out of sight."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from textual import events
from textual.scrollbar import ScrollBar

from content.sitting import Finish
from tui import words
from tui.app import ShardrillApp
from tui.screens.done import DoneScreen
from tui.screens.help import HelpScreen, keys_of
from tui.screens.palette import commands_of
from tui.screens.settings import SettingsScreen
from tui.screens.today import joined
from tui.widgets.key_line import KeyLine
from tui.words import _

MakeApp = Callable[..., ShardrillApp]


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_more_keys_stand_at_the_same_place_on_every_page(make_app: MakeApp, lang: str) -> None:
    app = make_app(lang=lang)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        line = app.screen.query_one(KeyLine)
        first = next(spot for spot in line._places if spot.entry.action == KeyLine.MORE)
        assert first.end == 38
        heights, actions = set(), set()
        for _click in range(3):
            heights.add(line.size.height)
            actions |= {spot.entry.action for spot in line._places}
            await pilot.click(KeyLine, offset=(first.start + 2, first.row))
            await pilot.pause()
        assert len(heights) == 1
        assert {entry.action for entry in line.entries()} < actions


@pytest.mark.parametrize("size", [(10, 3), (20, 5), (37, 30), (80, 9)])
async def test_the_line_of_a_window_too_small_has_no_scrollbar_beside_it(
    make_app: MakeApp, size: tuple[int, int]
) -> None:
    app = make_app()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.pause()
        await pilot.resize_terminal(*size)
        await pilot.pause()
        assert not [bar for bar in app.screen.query(ScrollBar) if bar.display and bar.size.height]
        assert not app.screen.show_vertical_scrollbar


@pytest.mark.parametrize(
    ("parts", "room", "lines"),
    [
        (["今天", "复习 0", "计算题 6", "再现 1", "新卡 19"], 38, ["今天  复习 0  计算题 6  再现 1", "新卡 19"]),
        (["Today", "0 due", "20 new"], 38, ["Today  0 due  20 new"]),
        (["今天", "新卡 19"], 4, ["今天", "新卡 19"]),
    ],
)
def test_a_count_is_never_broken_from_its_name(parts: list[str], room: int, lines: list[str]) -> None:
    assert joined(parts, "  ", room) == lines
    assert all(cell_len(line) <= room or line in parts for line in lines)


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_why_a_setting_was_not_saved_is_in_view_in_a_small_window(make_app: MakeApp, lang: str) -> None:
    app = make_app(lang=lang)
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("s")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)
        await pilot.press("enter", "x", "enter")
        await pilot.pause()
        await pilot.pause()
        wrong = app.screen.query_one("#wrong")
        assert wrong.region.height >= 2
        assert app.screen.query_one("#editor").region.contains_region(wrong.region)


async def test_the_palette_has_no_two_commands_of_one_name(make_app: MakeApp) -> None:
    app = make_app(lang="zh")
    async with app.run_test() as pilot:
        await pilot.press("enter")
        await pilot.pause()
        names = [_(command.name) for command in commands_of(app.screen)]
        assert len(names) == len(set(names)), names


async def test_help_says_what_the_names_on_the_right_are(make_app: MakeApp) -> None:
    app = make_app(lang="zh")
    async with app.run_test(size=(80, 24)):
        words.set_language("zh")
        screen = HelpScreen(keys_of(app.screen))
        assert screen._key_lines(72)[0].plain.split() == ["本页按键", "自设按键时的名称"]
        assert screen._key_lines(38)[0].plain == "本页按键"


class Ended:
    """A sitting at its end, with more to do."""

    finish = Finish("enough", 1, (), 0, 60_000, None, None, 0, more_new=True)

    def __init__(self) -> None:
        self.damaged: dict[int, Exception] = {}

    def tick(self, _now: object) -> bool:
        return False


@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
async def test_going_on_from_done_by_click_does_what_its_key_does(make_app: MakeApp, size: tuple[int, int]) -> None:
    app = make_app()
    results: list[object] = []
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        app.push_screen(DoneScreen(Ended()), results.append)  # type: ignore[arg-type]
        await pilot.pause()
        line = app.screen.query_one(KeyLine)
        spot = next(spot for spot in line._places if spot.entry.key == "g")
        assert spot.start == line._places[line._places.index(spot) - 1].end + 2
        await pilot.click(KeyLine, offset=(spot.start + 2, spot.row))
        await pilot.pause()
    assert results == ["more"]


@pytest.mark.parametrize("typed", ["设置", "設置", "ＳＥＴＴ"])
async def test_the_palette_finds_a_command_in_either_script_and_any_width(make_app: MakeApp, typed: str) -> None:
    app = make_app(lang="zh")
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("ctrl+p")
        await pilot.pause()
        app.screen.query_one("#field").post_message(events.Paste(typed))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)
