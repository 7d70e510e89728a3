"""Pictures of Review, Cards, card info and the small dialogs, in both languages, comfortable and narrow."""

from __future__ import annotations

from typing import Any

import pytest

Desk = Any  # the class of tests/tui/conftest.py

SIZES = [(80, 24), (40, 12)]
LANGUAGES = ["en", "zh"]

SCENES: dict[str, tuple[str, ...]] = {
    "question": (),
    "answer": ("space",),
    "line-typed": ("space", "3", "tab", "R", "S", "enter", "v", "i"),
    "cloze": ("s", "s", "space"),
    "lesson": ("l",),
    "note": ("n",),
    "card-info": ("space", "4", "c"),
    "cards": ("space", "4", "escape", "CARDS"),
    "date": ("c", "d"),
}


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("scene", SCENES)
def test_picture(desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    desk.cards = [desk.plain, desk.free, desk.flight]
    desk.lesson = desk.a_lesson
    app = desk.app(lang)

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        await sitting.until_ready()
        await sitting.press("enter")  # the lesson
        await sitting.press("w")  # no time: it would differ
        for key in SCENES[scene]:
            if key == "CARDS":
                app.action_cards()
                await pilot.pause(0.2)
            else:
                await sitting.press(key)
        sitting.review_messages_gone()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)
