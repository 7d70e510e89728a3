"""A second window on the same record looks and does not write, says who writes, and takes over when that one is gone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from content.lock import WriterLock
from content.store import Record
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.opening import open_with_packs
from tui.paths import Places
from tui.screens.card_info import CardInfoScreen
from tui.screens.cards import CardsScreen
from tui.screens.review import ReviewScreen

MakeApp = Callable[..., ShardrillApp]
Text = Callable[[ShardrillApp], str]
Wait = Callable[..., Awaitable[None]]


def first_window(app: ShardrillApp, places: Places) -> Record:
    """The record as another window holds it open, with the packs in it."""
    record, _faults = open_with_packs(places, app.settings, Clock())
    return record


async def test_the_second_window_lists_cards_and_answers_only_when_the_first_is_closed(
    make_app: MakeApp, places: Places, screen_text: Text, opened: Wait, until: Wait
) -> None:
    app = make_app()
    first = first_window(app, places)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "looked at here" in screen_text(app))
        assert "process" in " ".join(screen_text(app).split())
        assert "6 new" in " ".join(screen_text(app).split())
        await pilot.press("c")
        await until(pilot, lambda: isinstance(app.screen, CardsScreen) and "Question 0?" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, CardInfoScreen) and "Answer 0." in screen_text(app))
        await pilot.press("f")  # a flag would be written
        await until(pilot, lambda: "can only read" in screen_text(app))
        assert app.record is not None
        assert app.record.read_only
        await pilot.press("escape", "escape")
        await until(pilot, lambda: "looked at here" in screen_text(app))
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and "close that one" in screen_text(app))
        await pilot.press("escape")
        first.close()
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and "on to the cards" in screen_text(app))
        assert app.record is not None
        assert not app.record.read_only
        await pilot.press("escape")
        await until(pilot, lambda: "looked at here" not in screen_text(app) and "6 new" in screen_text(app))
    WriterLock(places.data).release()


async def test_what_the_second_window_says_of_the_first_is_in_the_language_shown(
    make_app: MakeApp, places: Places, screen_text: Text, opened: Wait, until: Wait
) -> None:
    app = make_app()
    first = first_window(app, places)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "in use" in screen_text(app))
        await pilot.press("f3")
        await until(pilot, lambda: "使用" in screen_text(app) and "in use" not in screen_text(app))
        await pilot.press("f3", "enter")
        await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and "in use" in screen_text(app))
        await pilot.press("f3")
        await until(pilot, lambda: "使用" in screen_text(app) and "in use" not in screen_text(app))
    first.close()


@pytest.mark.parametrize("keys", [("enter", "space"), ("space", "click"), ("click", "enter")])
async def test_a_sitting_that_finds_the_record_in_use_tries_again_where_it_is(
    make_app: MakeApp, places: Places, screen_text: Text, opened: Wait, until: Wait, keys: tuple[str, str]
) -> None:
    app = make_app(start="review")
    first = first_window(app, places)

    async def press(key: str) -> None:
        if key == "click":
            await pilot.click("#ratings", offset=(4, 0))
        else:
            await pilot.press(key)

    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: "in use" in screen_text(app) and "Enter try again" in screen_text(app))
        await press(keys[0])
        await until(pilot, lambda: "in use" in screen_text(app) and "Enter try again" in screen_text(app))
        first.close()
        await press(keys[1])
        await until(pilot, lambda: "on to the cards" in screen_text(app))
        assert "try again" not in screen_text(app)


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_a_folder_that_cannot_be_written_is_told_and_read(
    make_app: MakeApp,
    places: Places,
    screen_text: Text,
    opened: Wait,
    until: Wait,
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
) -> None:
    app = make_app(lang=lang)
    first_window(app, places).close()

    def refuse(*_arguments: object) -> int:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("content.lock.os.open", refuse)
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        said = "无法写入（文件系统只读）" if lang == "zh" else "cannot be written (Read-only file system)"
        await until(pilot, lambda: said.replace(" ", "") in "".join(screen_text(app).split()))
