"""What belongs to no single screen: keys, language, window size, quitting, errors."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual import events

from content.settings import Settings
from tui import words
from tui.app import ShardrillApp
from tui.keys import key_name, plain_key
from tui.paths import Places
from tui.screens.help import HelpScreen
from tui.screens.settings import SettingsScreen
from tui.screens.today import TodayScreen
from tui.widgets.key_line import Entry, KeyLine, place

MakeApp = Callable[..., ShardrillApp]
Text = Callable[[ShardrillApp], str]
Wait = Callable[..., Awaitable[None]]


@pytest.mark.parametrize(
    ("sent", "meant"),
    [
        ("１", "1"),
        ("ｕ", "u"),
        ("？", "question_mark"),
        ("　", "space"),
        ("／", "slash"),
        ("。", "full_stop"),
        ("＋", "plus"),
    ],
)
def test_full_width_keys_are_folded_to_plain_ones(sent: str, meant: str) -> None:
    assert plain_key(events.Key(sent, sent)).key == meant


@pytest.mark.parametrize("sent", ["显", "é", "Φ", "½", "㎜"])
def test_other_characters_stay_what_they_are(sent: str) -> None:
    assert plain_key(events.Key(sent, sent)).character == sent


def test_a_key_without_a_character_stays_itself() -> None:
    assert plain_key(events.Key("f3", None)).key == "f3"


@pytest.mark.parametrize(
    ("key", "shown"),
    [("enter", "Enter"), ("ctrl+q", "^q"), ("f10", "F10"), ("question_mark", "?"), ("full_stop", "."), ("a", "a")],
)
def test_keys_are_written_in_ascii(key: str, shown: str) -> None:
    assert key_name(key) == shown


async def test_full_width_question_mark_opens_help(make_app: MakeApp, until: Wait) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        app.post_message(events.Key("？", "？"))
        await until(pilot, lambda: isinstance(app.screen, HelpScreen))


async def test_in_a_field_full_width_characters_stay_text(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await pilot.press("s", "enter")
        app.post_message(events.Key("？", "？"))
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)
        assert app.screen.query_one("#field").value == "20？"  # type: ignore[attr-defined]


async def test_f3_switches_every_text_and_back(make_app: MakeApp, screen_text: Text, opened: Wait) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        english = screen_text(app)
        await pilot.press("f3")
        await pilot.pause()
        chinese = screen_text(app)
        assert words.current() == "zh"
        assert "今天" in chinese
        assert "start" not in chinese
        assert "English" in chinese
        await pilot.press("f3")
        await pilot.pause()
        assert screen_text(app) == english


async def test_a_second_window_over_the_same_record_says_so(
    make_app: MakeApp, screen_text: Text, until: Wait, opened: Wait
) -> None:
    app, second = make_app(), make_app()
    async with app.run_test() as pilot:
        await opened(pilot, app)
        async with second.run_test() as other:
            await until(
                other, lambda: second.read_only_because and "another shardrill" in " ".join(screen_text(second).split())
            )


async def test_ctrl_c_says_how_to_quit_and_quits_nothing(make_app: MakeApp, screen_text: Text) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        for _time in range(2):
            await pilot.press("ctrl+c")
        await pilot.pause()
        assert app.is_running
        assert "Ctrl+Q" in screen_text(app)


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_two_ways_out(make_app: MakeApp, key: str) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await pilot.press(key)
        await pilot.pause()
    assert app.return_code == 0


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
async def test_signals_leave_by_the_normal_way(make_app: MakeApp, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.signals.end_within", lambda *_how: None)  # it would end these tests a moment later
    number = getattr(signal, name, None)
    if number is None:
        pytest.skip("this system has no such signal")
    app = make_app()
    async with app.run_test() as pilot:
        await pilot.pause()
        signal.raise_signal(number)
        for _attempt in range(100):
            if app._exit:
                break
            await asyncio.sleep(0.02)
        assert app._exit
    assert app.return_code == 128 + number


@pytest.mark.parametrize(("lang", "keys"), [("zh", ()), ("en", ("s",)), ("zh", ("question_mark",))])
async def test_any_size_and_back_loses_nothing(
    make_app: MakeApp, lang: str, keys: tuple[str, ...], screen_text: Text, opened: Wait
) -> None:
    app = make_app(lang=lang)
    async with app.run_test(size=(20, 5)) as pilot:
        await opened(pilot, app)
        assert "38x10" in screen_text(app).replace("\n", "")
        await pilot.resize_terminal(80, 24)
        await pilot.press(*keys)
        await pilot.pause()
        before = screen_text(app)
        chance = random.Random(1)
        for _size in range(8):
            await pilot.resize_terminal(chance.randrange(1, 120), chance.randrange(1, 40))
        for size in ((1, 1), (10, 3), (20, 5), (40, 10), (200, 60), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert screen_text(app) == before


async def test_keys_wait_while_the_window_is_too_small_but_quitting_works(make_app: MakeApp) -> None:
    app = make_app()
    async with app.run_test(size=(30, 8)) as pilot:
        await pilot.press("s")
        await pilot.pause()
        assert isinstance(app.screen, TodayScreen)
        await pilot.press("q")
        await pilot.pause()
    assert app.return_code == 0


async def test_an_unexpected_error_is_one_sentence_and_a_traceback_in_the_log(
    make_app: MakeApp, places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    app = make_app()

    def fail() -> None:
        raise RuntimeError("[b]boom[/b]\x1b[31m")

    async def run() -> None:
        async with app.run_test() as pilot:
            app.call_later(fail)
            await pilot.pause(0.2)

    with pytest.raises(RuntimeError):
        await run()
    said = capsys.readouterr().err
    assert "fault of its own" in said
    assert "[b]boom[/b]" in said
    assert "Traceback" not in said
    assert "Traceback" in places.log.read_text(encoding="utf-8")


def test_the_log_is_moved_aside_when_full_and_only_a_few_are_kept(tmp_path: Path) -> None:
    from tui import crash

    path = tmp_path / "logs" / "a.log"
    for number in range(8):
        assert crash.write_log(path, f"{number}" * (crash.MAX_LOG_BYTES - 10))
    names = sorted(file.name for file in path.parent.iterdir())
    assert names == ["a.log", "a.log.1", "a.log.2", "a.log.3"]
    assert path.read_text(encoding="utf-8").startswith("7")


def test_a_log_that_cannot_be_written_hides_nothing(tmp_path: Path) -> None:
    from tui import crash

    (tmp_path / "file").write_text("", encoding="utf-8")
    assert not crash.write_log(tmp_path / "file" / "a.log", "text")


async def test_every_footer_entry_does_by_click_what_its_key_does(make_app: MakeApp, opened: Wait) -> None:
    app = make_app()
    async with app.run_test(size=(100, 30)) as pilot:
        await opened(pilot, app)
        line = app.screen.query_one(KeyLine)
        spots = {spot.entry.action: spot for spot in line._places}
        assert {"start", "cards", "settings", "switch_language", "help", "quit"} <= spots.keys()
        await pilot.click(KeyLine, offset=(spots["switch_language"].start + 1, spots["switch_language"].row))
        assert words.current() == "zh"
        spot = next(spot for spot in line._places if spot.entry.action == "settings")
        await pilot.click(KeyLine, offset=(spot.start + 1, spot.row))
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)


async def test_what_has_no_room_on_the_key_line_is_one_click_further(make_app: MakeApp) -> None:
    app = make_app(lang="zh")
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        line = app.screen.query_one(KeyLine)
        wanted = {entry.action for entry in line.entries()}
        seen: set[str] = set()
        for _page in range(4):
            seen |= {spot.entry.action for spot in line._places}
            more = next((spot for spot in line._places if spot.entry.action == KeyLine.MORE), None)
            if more is None or wanted <= seen:
                break
            await pilot.click(KeyLine, offset=(more.start + 2, more.row))
            await pilot.pause()
        assert wanted <= seen


def test_entries_never_overlap_or_leave_the_line() -> None:
    entries = [Entry("Enter", "开始", "a", None), Entry("F3", "English", "b", None), Entry("q", "退出", "c", None)]
    for width in range(8, 60):
        lines = place(entries, width, 3)
        if lines is not None:
            for line in lines:
                assert sum(entry.width for entry in line) + 2 * (len(line) - 1) <= width
            assert [entry for line in lines for entry in line] == entries


async def test_own_keys_from_the_settings_replace_the_keys_of_an_action(make_app: MakeApp) -> None:
    app = make_app(settings=Settings(keys={"settings": "x,f9"}))
    async with app.run_test() as pilot:
        await pilot.press("s")
        await pilot.pause()
        assert isinstance(app.screen, TodayScreen)
        await pilot.press("x")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)


@pytest.mark.parametrize("theme", ["terminal", "dark", "light"])
async def test_without_colour_nothing_is_black_on_black(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch, theme: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(settings=Settings(theme=theme))
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in ((), ("s",), ("f9",)):
            await pilot.press(*keys)
            await pilot.pause()
            for strip in app.screen._compositor.render_strips():
                for segment in strip.apply_filter(app._filters[-1], app.screen.background_colors[1]):
                    style = segment.style
                    assert style is None or (style.color is None or style.color.is_default)
                    assert style is None or (style.bgcolor is None or style.bgcolor.is_default)


@pytest.mark.parametrize("lang", ["zh", "en"])
async def test_ascii_setting_leaves_no_sign_of_doubtful_width(
    make_app: MakeApp, lang: str, screen_text: Text, opened: Wait
) -> None:
    app = make_app(lang=lang, settings=Settings(ascii=True))
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        for keys in ((), ("s",), ("enter",), ("escape", "escape", "question_mark")):
            await pilot.press(*keys)
            await pilot.pause()
            odd = {c for c in screen_text(app) if not c.isascii() and cell_len(c) == 1}
            assert not odd


@pytest.mark.parametrize(
    ("lang", "size"), [("zh", (40, 12)), ("en", (40, 12)), ("zh", (80, 24)), ("en", (63, 17)), ("zh", (120, 40))]
)
async def test_no_line_is_wider_than_the_window_and_no_han_character_is_halved(
    make_app: MakeApp, lang: str, size: tuple[int, int], screen_text: Text, opened: Wait
) -> None:
    app = make_app(lang=lang)
    async with app.run_test(size=size) as pilot:
        await opened(pilot, app)
        for keys in ((), ("s",), ("enter",), ("escape", "escape", "question_mark"), ("1",)):
            await pilot.press(*keys)
            await pilot.pause()
            lines = screen_text(app).split("\n")
            assert len(lines) == size[1]
            for line in lines:
                assert cell_len(line) == size[0]
                assert "\ufffd" not in line


async def test_coming_back_from_the_shell_paints_everything_again(
    make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, painted = make_app(), []
    async with app.run_test() as pilot:
        await pilot.pause()
        monkeypatch.setattr(app, "refresh", lambda **how: painted.append(how))
        app._resume_signal()
        await pilot.pause()
        monkeypatch.undo()
    assert {"layout": True} in painted
