"""Labs on screen: the list with each lab's last run, what the screens import at start-up, and pictures of them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from tui.screens.lab_run import LabScreen
from tui.screens.labs import LabsScreen

Desk = Any  # the class of tests/tui/conftest.py

pytestmark = pytest.mark.usefixtures("no_repository")


async def test_labs_are_listed_with_their_last_run_in_words(desk: Desk, lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
        await sitting.press("escape")
        sitting.app.action_labs()
        await sitting.until(lambda: isinstance(sitting.app.screen, LabsScreen) and sitting.app.screen.labs)
        row = next(row for row in sitting.rows if "Ring all-reduce" in row)
        assert row.rstrip().endswith("ok 10:00")
        assert sum("not run yet" in row for row in sitting.rows) == 8
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, LabScreen)


async def test_from_the_list_and_back_the_list_knows_the_new_run(desk: Desk, only_lab: Any) -> None:
    only_lab(lambda _progress: False)
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = desk.sitting(app, pilot)
        await sitting.press("e")
        await sitting.press("b")
        await sitting.until(lambda: isinstance(app.screen, LabsScreen) and app.screen.labs)
        await sitting.press("enter")
        await sitting.until(lambda: app.screen.lab is not None)
        await sitting.press("enter")
        await sitting.until_run()
        await sitting.press("escape")
        await sitting.until(lambda: "not all true 10:00" in sitting.text)


def test_the_screens_bring_no_numpy_before_a_lab_is_opened() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, tui.screens.labs, tui.screens.lab_run, tui.screens.evidence; print('numpy' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "False", done.stderr


SCENES: dict[str, tuple[str, ...]] = {
    "parameters": (),
    "field": ("e", "backspace", "1", "enter"),
    "result": ("enter", "RESULT", "right", "right"),
    "labs": ("escape", "LABS"),
}


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    desk.count_ids()
    app = desk.app(lang, start="today")

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        app.action_lab("ring")
        await sitting.until(lambda: app.screen.lab is not None)
        for key in SCENES[scene]:
            if key == "RESULT":
                await sitting.until_run()
            elif key == "LABS":
                app.action_labs()
                await sitting.until(lambda: app.screen.labs)
            else:
                await sitting.press(key)
        sitting.review_messages_gone()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)
