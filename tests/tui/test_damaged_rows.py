"""One damaged row of the record on screen: a sentence names the card and what mends it, and the screens go on."""

from __future__ import annotations

from typing import Any

import pytest

from content.store import Record
from tui.screens.card_info import CardInfoScreen
from tui.screens.cards import CardsScreen
from tui.screens.done import DoneScreen

Desk = Any  # the class of tests/tui/conftest.py
CHANGES = ["phase = 9", "stability = -1, difficulty = 5"]


def damage(desk: Desk, card: Any, change: str) -> int:
    with Record.open(desk.places.data) as record:
        desk.sync(record)
        key = record.card(card.id).card_key
        with record.writing() as driver:
            driver.execute(f"UPDATE memory SET {change} WHERE card_key = ?", (key,))
    return key


def said(sitting: Any) -> str:
    return " ".join(sitting.text.replace("─", " ").split())


@pytest.mark.parametrize("change", CHANGES)
async def test_review_names_the_card_and_asks_the_next(desk: Desk, change: str) -> None:
    damage(desk, desk.plain, change)
    async with desk.review(size=(120, 24)) as sitting:
        assert sitting.card == "why-free"
        assert "the card sample/ranks is damaged; `shardrill rebuild` restores it" in said(sitting)
        await sitting.press("space", "3")
        assert len(desk.attempts()) == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
async def test_the_finish_line_names_it_where_there_was_no_other_card(desk: Desk, lang: str) -> None:
    desk.cards = [desk.plain]
    damage(desk, desk.plain, "phase = 9")
    app = desk.app(lang)
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = desk.sitting(app, pilot)
        await sitting.until(lambda: isinstance(sitting.app.screen, DoneScreen))
        assert ("sample/ranks is damaged" if lang == "en" else "卡片 sample/ranks 的状态已损坏") in said(sitting)


@pytest.mark.parametrize("change", CHANGES)
async def test_the_list_of_cards_shows_the_others(desk: Desk, change: str) -> None:
    key = damage(desk, desk.plain, change)
    app = desk.app(start="today")
    async with app.run_test(size=(120, 24)) as pilot:
        sitting = desk.sitting(app, pilot)
        await sitting.until(lambda: app.record is not None)
        app.push_screen(CardsScreen())
        await sitting.until(lambda: "2 cards" in sitting.text)
        assert "sample/ranks is damaged; `shardrill rebuild`" in said(sitting)
        app.push_screen(CardInfoScreen(key))
        await sitting.until(lambda: isinstance(app.screen, CardInfoScreen) and "is damaged" in sitting.text)
        await sitting.press("f", "t", "down", "pagedown", "escape")
        assert isinstance(app.screen, CardsScreen)


async def test_a_garbled_draft_costs_today_neither_its_map_nor_its_notes(desk: Desk) -> None:
    desk.cards = [desk.oral, desk.plain]
    key = damage(desk, desk.plain, "flag = 0")
    with Record.open(desk.places.data) as record, record.writing() as driver:
        key = record.card(desk.oral.id).card_key
        columns = "learner, card_key, form, card_rev, text, submitted, points, spent_ms, started_ms, updated_ms"
        values = (record.learner, key, "full", "r", "half an answer", 1, "{bad", 0, 0, 0)
        driver.execute(f"INSERT INTO draft ({columns}) VALUES ({', '.join('?' * len(values))})", values)
    app = desk.app(start="today")
    async with app.run_test(size=(100, 30)) as pilot:
        sitting = desk.sitting(app, pilot)
        await sitting.until(lambda: "1 oral answer was begun" in sitting.text)
        await sitting.press("o")
        await sitting.until(lambda: "draft: full answer" in sitting.text)
        await sitting.press("enter")
        await sitting.until(lambda: "half an answer" in sitting.text)


def test_a_plain_sitting_names_it_too(desk: Desk, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    import io

    from tui import plain

    damage(desk, desk.plain, "phase = 9")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n3\nq\n"))
    plain.run(desk.places, desk.settings, lang="en", clock=desk.clock)
    out = capsys.readouterr().out
    assert out.index("sample/ranks is damaged; `shardrill rebuild`") < out.index("Question:")
    assert len(desk.attempts()) == 1
