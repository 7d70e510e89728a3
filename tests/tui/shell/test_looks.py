"""Pictures of every screen of the shell, in both languages, comfortable and small."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from content.sitting import Finish
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.demo import make_demo
from tui.paths import Places
from tui.screens.done import DoneScreen
from tui.screens.today import TodayScreen

MakeApp = Callable[..., ShardrillApp]
Wait = Callable[..., Awaitable[None]]

both_languages = pytest.mark.parametrize("lang", ["zh", "en"])
both_sizes = pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])

SCREENS: dict[str, tuple[str, ...]] = {
    "today": (),
    "settings": ("s", "down", "down"),
    "field": ("s", "enter"),
    "help": ("question_mark",),
    "guide": ("question_mark", "2"),
    "palette": ("ctrl+p",),
}


@both_languages
@both_sizes
@pytest.mark.parametrize("screen", SCREENS)
def test_screen(
    snap_compare: Any,
    make_app: MakeApp,
    places: Places,
    until: Wait,
    lang: str,
    size: tuple[int, int],
    screen: str,
) -> None:
    """Only Today shows what a record holds; the others are made of texts alone."""
    app = make_app(lang=lang)
    if screen == "today":
        make_demo(places, app.settings, app.clock)

    async def ready(pilot: Pilot[object]) -> None:
        today = app.screen
        assert isinstance(today, TodayScreen)
        await until(pilot, lambda: screen != "today" or bool(today.strengths))
        await pilot.press(*SCREENS[screen])
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


@both_languages
@both_sizes
@pytest.mark.parametrize("step", [1, 2, 3])
def test_welcome(snap_compare: Any, make_app: MakeApp, lang: str, size: tuple[int, int], step: int) -> None:
    app = make_app(lang=lang, first_run=True)

    async def ready(pilot: Pilot[object]) -> None:
        await pilot.pause(0.2)
        await pilot.press(*("enter",) * (step - 1))
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


class Ended:
    """A sitting that ended at the day's minutes."""

    finish = Finish(
        "enough",
        answered=21,
        missed=("small/memory.card-0", "small/zero.card-4"),
        again_count=2,
        spent_ms=12 * 60_000,
        next_due_ms=Clock("2026-11-30T10:14:00+08:00!").now().at_ms,
        next_due_day=None,
        tomorrow_count=14,
        more_new=True,
    )

    def __init__(self) -> None:
        self.damaged: dict[int, Exception] = {}

    def tick(self, _now: object) -> bool:
        return False


@both_languages
@both_sizes
def test_done(snap_compare: Any, make_app: MakeApp, opened: Wait, lang: str, size: tuple[int, int]) -> None:
    app = make_app(lang=lang)

    async def ready(pilot: Pilot[object]) -> None:
        await opened(pilot, app)
        app.push_screen(DoneScreen(Ended()))  # type: ignore[arg-type]
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=ready)


@both_languages
def test_too_small(snap_compare: Any, make_app: MakeApp, lang: str) -> None:
    assert snap_compare(make_app(lang=lang), terminal_size=(30, 8))
