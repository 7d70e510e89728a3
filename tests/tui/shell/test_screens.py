"""Today, Welcome, Settings, Done, Help and faults, as a learner meets them."""

from __future__ import annotations

import datetime
import shutil
from collections.abc import Awaitable, Callable

import pytest

from content import settings as settings_file
from content.settings import Settings
from content.sitting import Finish
from tui import words
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.paths import Places
from tui.screens.done import DoneScreen
from tui.screens.help import HelpScreen
from tui.screens.pack_faults import PackFaultsScreen
from tui.screens.palette import PaletteScreen
from tui.screens.settings import SettingsScreen
from tui.screens.today import TodayScreen
from tui.screens.welcome import WelcomeScreen

MakeApp = Callable[..., ShardrillApp]
Text = Callable[[ShardrillApp], str]
Wait = Callable[..., Awaitable[None]]
CLEARED = ("backspace",) * 4


async def test_first_run_asks_three_questions_and_goes_to_the_first_lesson(
    make_app: MakeApp, places: Places, screen_text: Text, until: Wait
) -> None:
    app = make_app(first_run=True, lang="en")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("2")
        assert words.current() == "zh"
        assert "用哪种语言" in screen_text(app)
        await pilot.press("enter", *CLEARED, "1", "5", "enter", *"2027/1/5", "enter")
        await until(pilot, lambda: "显存：一张卡要放什么" in screen_text(app) and "权重、梯度" in screen_text(app))
    saved = settings_file.load(places.settings)
    assert (saved.language, saved.minutes_per_day) == ("zh", 15)
    assert saved.exam_date == datetime.date(2027, 1, 5)


async def test_a_wrong_answer_is_named_and_the_way_back_keeps_what_was_typed(
    make_app: MakeApp, screen_text: Text, until: Wait
) -> None:
    app = make_app(first_run=True)
    async with app.run_test(size=(40, 12)) as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("enter", *CLEARED, "0", "enter")
        await pilot.pause()
        assert "1 to 600" in " ".join(screen_text(app).split())
        await pilot.press(*CLEARED, "7", "enter", *"2020-01-01", "enter")
        await pilot.pause()
        assert "passed" in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert "> 7" in screen_text(app)


async def test_no_date_is_an_answer_too(make_app: MakeApp, places: Places, until: Wait) -> None:
    app = make_app(first_run=True)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("enter", "enter", "enter")
        await until(pilot, lambda: places.settings.exists())
    assert settings_file.load(places.settings).exam_date is None


async def test_questions_that_were_left_come_again_before_the_first_card(
    make_app: MakeApp, opened: Wait, until: Wait
) -> None:
    app = make_app(first_run=True)
    async with app.run_test() as pilot:
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(app.screen, TodayScreen))
        await opened(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, WelcomeScreen))


async def test_today_shows_counts_topics_and_what_to_press(make_app: MakeApp, screen_text: Text, until: Wait) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Memory" in screen_text(app))
        shown = screen_text(app)
        for text in ("6 new", "0 due", "[ Enter ] start", "A small pack", "Mon 30 Nov", "ZeRO"):
            assert text in shown


async def test_today_moves_on_when_it_is_left_open_over_night(
    make_app: MakeApp, screen_text: Text, opened: Wait
) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await opened(pilot, app)
        assert "Mon 30 Nov" in screen_text(app)
        app.clock = Clock("2026-12-01T03:59:59+08:00!")
        app.screen._check()  # type: ignore[attr-defined]
        await pilot.pause()
        assert "Mon 30 Nov" in screen_text(app)
        app.clock = Clock("2026-12-01T04:00:00+08:00!")
        app.screen._check()  # type: ignore[attr-defined]
        await pilot.pause()
        assert "Tue 1 Dec" in screen_text(app)


async def test_the_start_line_can_be_clicked(make_app: MakeApp, opened: Wait, until: Wait) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        row = app.screen.start_row  # type: ignore[attr-defined]
        await pilot.click("#today", offset=(6, row))
        await until(pilot, lambda: not isinstance(app.screen, TodayScreen))


async def test_a_pack_with_faults_is_told_and_shown(
    make_app: MakeApp, places: Places, screen_text: Text, until: Wait
) -> None:
    app = make_app()
    bad = places.packs / "bad"
    bad.mkdir()
    (bad / "pack.yaml").write_text("id: bad\nid: bad\n", encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "A pack was left out" in screen_text(app))
        await pilot.press("f")
        await until(pilot, lambda: isinstance(app.screen, PackFaultsScreen))
        assert "bad/pack.yaml:" in screen_text(app)


async def test_a_damaged_record_is_named_with_what_to_do(
    make_app: MakeApp, places: Places, screen_text: Text, until: Wait
) -> None:
    app = make_app(lang="zh")
    places.record.write_bytes(b"this is not a database" * 100)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: app.record_fault is not None and "无法使用" in "".join(screen_text(app).split()))
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, TodayScreen)


@pytest.mark.parametrize("kept", [True, False])
async def test_a_log_is_named_only_where_it_could_be_written(
    make_app: MakeApp, screen_text: Text, until: Wait, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError("nobody expected this")

    monkeypatch.setattr("tui.opening.open_or_read", fail)
    monkeypatch.setattr("tui.crash.write_log", lambda *_arguments: kept)
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "nobody expected this" in " ".join(screen_text(app).split()))
        said = " ".join(screen_text(app).split())
        assert "could not be done" in said
        assert "stopped" not in said
        assert ("details are in" in said) is kept


async def test_settings_are_changed_in_place_and_comments_stay(
    make_app: MakeApp, places: Places, screen_text: Text
) -> None:
    app = make_app()
    places.settings.write_text("# mine\nminutes_per_day = 20 # short\n", encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("s", "enter", *CLEARED, *"45", "enter")
        await pilot.pause()
        assert app.settings.minutes_per_day == 45
        text = places.settings.read_text(encoding="utf-8")
        assert "# mine" in text
        assert "minutes_per_day = 45 # short" in text
        await pilot.press("d")
        await pilot.pause()
        assert app.settings.minutes_per_day == Settings().minutes_per_day


@pytest.mark.parametrize(("lang", "said"), [("en", "allowed is a whole number"), ("zh", "1 到 600 的整数")])
async def test_a_wrong_value_is_named_and_nothing_is_saved(
    make_app: MakeApp, places: Places, screen_text: Text, lang: str, said: str
) -> None:
    app = make_app(lang=lang)
    before = places.settings.read_text(encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("s", "enter", "0", "0", "0", "enter")
        await pilot.pause()
        assert said in " ".join(screen_text(app).split())
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)
    assert places.settings.read_text(encoding="utf-8") == before


async def test_every_setting_is_in_the_list() -> None:
    from tui import setting_words

    listed = [name for _group, names in setting_words.GROUPS for name in names]
    assert sorted(listed) == sorted(settings_file.DOCUMENTED)
    assert set(listed) == set(setting_words.LABELS) == set(setting_words.EXPLAINED)
    for name, choices in setting_words.CHOICES.items():
        for value, _shown in choices:
            settings_file.from_values({name: value})


async def test_language_setting_switches_at_once(make_app: MakeApp, screen_text: Text) -> None:
    from tui import setting_words

    place = [name for _group, names in setting_words.GROUPS for name in names].index("language")
    app = make_app()
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press("s", *("down",) * place, "enter", "enter")
        await pilot.pause()
        assert words.current() == "zh"
        assert "设置" in screen_text(app)


async def test_help_lists_the_keys_of_the_screen_it_was_opened_on(make_app: MakeApp, screen_text: Text) -> None:
    app = make_app()
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.press("s", "f1")
        await pilot.pause()
        assert isinstance(app.screen, HelpScreen)
        shown = screen_text(app)
        for text in ("settings.change", "Del d", "language", "F3 ^l", "q ^q"):
            assert text in shown
        for page in "1234":
            await pilot.press(page)
            await pilot.pause()
            assert "**" not in screen_text(app)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, SettingsScreen)


async def test_the_palette_knows_the_actions_in_the_language_shown(
    make_app: MakeApp, screen_text: Text, until: Wait
) -> None:
    app = make_app(lang="zh")
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("ctrl+p")
        await until(pilot, lambda: isinstance(app.screen, PaletteScreen))
        assert "s F4" in screen_text(app)
        await pilot.press("设", "enter")
        await until(pilot, lambda: isinstance(app.screen, SettingsScreen))


class Ended:
    """A sitting that has ended, as far as Done looks at it."""

    def __init__(self, finish: Finish | None) -> None:
        self.finish = finish
        self.undone = 0
        self.damaged: dict[int, Exception] = {}

    def tick(self, _now: object) -> bool:
        return False

    def undo(self, _now: object) -> object | None:
        self.undone += 1
        return "step" if self.undone > 1 else None


def finish(reason: str, **more: object) -> Finish:
    facts = {
        "answered": 21,
        "missed": ("small/memory.card-0", "gone/card"),
        "again_count": 2,
        "spent_ms": 12 * 60_000,
        "next_due_ms": 1_796_004_000_000 + 600_000,
        "next_due_day": None,
        "tomorrow_count": 14,
    }
    return Finish(reason, **{**facts, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "en", "zh"),
    [
        ("enough", "Enough for today", "今天够了"),
        ("all-done", "All done", "全部完成"),
        ("limit", "limit is reached", "上限"),
        ("no-cards", "Put a pack into", "没有找到卡包"),
        ("all-suspended", "suspended", "暂停"),
    ],
)
async def test_done_says_why_and_what_comes(
    make_app: MakeApp, screen_text: Text, opened: Wait, reason: str, en: str, zh: str
) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        app.push_screen(DoneScreen(Ended(finish(reason))))  # type: ignore[arg-type]
        await pilot.pause()
        shown = screen_text(app)
        for text in (en, "21 answers in 12 minutes", "Question 0?", "gone/card", "10:10", "Tomorrow: 14 cards"):
            assert text in shown
        await pilot.press("f3")
        await pilot.pause()
        assert zh in screen_text(app)
        assert "问题 0？" in screen_text(app)


async def test_done_undoes_the_last_answer_and_goes_on_only_where_there_is_more(
    make_app: MakeApp, screen_text: Text, opened: Wait
) -> None:
    app, results = make_app(), []
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        app.push_screen(DoneScreen(Ended(finish("enough"))), results.append)  # type: ignore[arg-type]
        await pilot.pause()
        await pilot.press("g")
        await pilot.press("u")
        await pilot.pause()
        assert "nothing to take back" in screen_text(app)
        await pilot.press("u")
        await pilot.pause()
        app.push_screen(DoneScreen(Ended(finish("enough", more_new=True))), results.append)  # type: ignore[arg-type]
        await pilot.pause()
        await pilot.press("g")
        await pilot.pause()
        app.push_screen(DoneScreen(Ended(None)), results.append)  # type: ignore[arg-type]
        await pilot.pause()
        await pilot.press("g")
        await pilot.pause()
    assert results == ["undo", "more", "next"]


async def test_without_any_pack_the_end_says_so(
    make_app: MakeApp, places: Places, screen_text: Text, opened: Wait, until: Wait
) -> None:
    app = make_app()
    shutil.rmtree(places.packs)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await pilot.press("enter")
        await until(pilot, lambda: "no pack was found" in screen_text(app))
