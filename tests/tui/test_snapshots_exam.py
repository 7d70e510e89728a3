"""Pictures of the oral exam, tables, the map and placement, in both languages, comfortable and narrow."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from textual import events

from tui.widgets.editor import AnswerEditor

Desk = Any  # the class of tests/tui/conftest.py

SIZES = [(80, 24), (40, 12)]
LANGUAGES = ["en", "zh"]
SAID = "ZeRO-1 shards the optimizer states.\nZeRO-1 每卡剩 4Φ + 12Φ/N 字节。"

SCENES: dict[str, tuple[str, tuple[str, ...]]] = {
    "exam-choice": ("exam", ()),
    "exam-guess": ("exam", ("down", "enter")),
    "exam-write": ("exam", ("down", "enter", "3", "PASTE")),
    "exam-rubric": ("exam", ("down", "enter", "3", "PASTE", "f9", "down", "f")),
    "exam-result": ("exam", ("down", "enter", "3", "PASTE", "f9", "enter")),
    "table-blank": ("table", ("enter", "f5", "f5", "f5", "tab", "2", "Φ")),
    "table-graded": ("table", ("enter", "f5", "f5", "f5", "tab", "2", "Φ", "f4")),
    "map": ("map", ("right",)),
    "placement": ("placement", ()),
    "practice": ("practice", ()),
}


def beside(name: str) -> ModuleType:
    """A test module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("size", SIZES, ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("scene", SCENES)
def test_picture(desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    desk.cards = [desk.plain, desk.free, beside("test_exam").oral(desk), beside("test_table").table(desk)]
    start, keys = SCENES[scene]
    app = desk.app(lang, start=start if start in ("exam", "table", "map") else "today")

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        for _ in range(300):
            await pilot.pause(0.01)
            if app.record is not None:
                break
        if start in ("placement", "practice"):
            getattr(app, f"action_{start}")()
        await pilot.pause(0.4)
        for key in keys:
            if key == "PASTE":
                app.screen.query_one(AnswerEditor).post_message(events.Paste(SAID))
                await pilot.pause()
            elif key == "Φ":
                await sitting.type(key)
            else:
                await sitting.press(key)
        sitting.review_messages_gone()
        await pilot.pause(0.2)

    assert snap_compare(app, terminal_size=size, run_before=play)
