"""The app over a small pack of its own in a temporary folder, on a Monday morning that stands still."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from content.settings import Settings
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.paths import Places, find_places
from tui.screens.base import ShardScreen

NOW = "2026-11-30T10:00:00+08:00!"
LESSON_EN = "word " * 120
LESSON_ZH = "显存里放着权重、梯度与优化器状态。" * 12
PACK_FILE = """
id: small
title: {en: "A small pack", zh: "小卡包"}
topics: [memory, zero]
"""
TOPICS = f"""
topics:
  - id: memory
    title: {{en: "Memory: what a card must hold", zh: "显存：一张卡要放什么"}}
    lesson: {{en: "{LESSON_EN}", zh: "{LESSON_ZH}"}}
  - id: zero
    title: {{en: "ZeRO", zh: "ZeRO：切掉冗余"}}
    lesson: {{en: "{LESSON_EN}", zh: "{LESSON_ZH}"}}
cards:
"""
CARD = """
  - id: {topic}.card-{number}
    kind: concept
    topic: {topic}
    front: {{en: "Question {number}?", zh: "问题 {number}？"}}
    back: {{en: "Answer {number}.", zh: "答案 {number}。"}}
    source: ["course §1"]
    revision: 1
"""


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith(("XDG_", "SHARDRILL")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """An empty data folder; of packs only the learner's own are found."""
    monkeypatch.setattr("content.library.SHIPPED_PACKS", tmp_path / "no-packs")
    return find_places(tmp_path / "home" / "data")


def write_pack(places: Places, cards: int = 6) -> Path:
    """A sound pack of two topics in the learner's folder of packs."""
    folder = places.packs / "small"
    folder.mkdir(parents=True)
    texts = [CARD.format(topic="memory" if n < cards // 2 else "zero", number=n) for n in range(cards)]
    (folder / "pack.yaml").write_text(PACK_FILE, encoding="utf-8")
    (folder / "cards.yaml").write_text(TOPICS + "".join(texts), encoding="utf-8")
    return folder


@pytest.fixture
def make_app(places: Places) -> Callable[..., ShardrillApp]:
    """Builds the app over the small pack; not a first run unless asked."""

    def make(
        *,
        lang: str = "en",
        settings: Settings | None = None,
        first_run: bool = False,
        now: str = NOW,
        start: str = "today",
    ) -> ShardrillApp:
        if not (places.packs / "small").exists():
            write_pack(places)
        if not first_run and not places.settings.exists():
            places.settings.write_text("minutes_per_day = 20\n", encoding="utf-8")
        return ShardrillApp(places, settings or Settings(), clock=Clock(now), lang=lang, start=start)

    return make


@pytest.fixture
def screen_text() -> Callable[[ShardrillApp], str]:
    """What stands on the screen, as text."""

    def text(app: ShardrillApp) -> str:
        return "\n".join(strip.text for strip in app.screen._compositor.render_strips())

    return text


@pytest.fixture
def until() -> Callable[..., object]:
    """Wait for something that a thread brings about."""

    async def wait(pilot: Pilot[object], holds: Callable[[], object], seconds: float = 10.0) -> None:
        for _attempt in range(int(seconds / 0.02)):
            if holds():
                await pilot.pause()
                return
            await pilot.pause(0.02)
        raise AssertionError(f"did not happen within {seconds} s")

    return wait


@pytest.fixture
def opened(until: Callable[..., object]) -> Callable[..., object]:
    """Wait until the record is open."""

    async def wait(pilot: Pilot[object], app: ShardrillApp) -> None:
        await until(pilot, lambda: app.record is not None and isinstance(app.screen, ShardScreen))  # type: ignore[misc]

    return wait
