"""Cards and card info: finding a card, where it stands in words, and acting on it at any time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from content.cards import Text
from content.events import Kind
from tui.screens.card_info import CardInfoScreen
from tui.screens.cards import CardsScreen
from tui.screens.due_date import read_days
from tui.screens.review_keys import card_name

Desk = Any  # the class of tests/tui/conftest.py


@pytest.fixture
def cards(desk: Desk) -> Any:
    """Opens the list of cards."""
    desk.cards = [
        desk.plain,
        desk.free,
        desk.flight,
        desk.concept("kv", "What is the ＫＶ　Cache?|KV cache 是什么？", "-|-"),
    ]

    @asynccontextmanager
    async def opened(lang: str = "en", size: tuple[int, int] = (80, 24), *, rated: bool = False) -> AsyncIterator[Any]:
        async with desk.review(lang, size) as sitting:
            if rated:
                await sitting.press("space", "4")
            await sitting.press("escape")
            sitting.app.action_cards()
            await sitting.pilot.pause(0.2)
            assert isinstance(sitting.app.screen, CardsScreen)
            yield sitting

    return opened


async def test_all_cards_are_listed_with_their_state_in_words(cards: Any) -> None:
    async with cards(rated=True) as sitting:
        rows = {row.strip(" >") for row in sitting.rows}
        assert any(row.startswith("What does N count?") and "in " in row for row in rows)
        assert any(row.startswith("Why does the memory") and row.endswith("new") for row in rows)
        assert "4 cards" in sitting.rows[0]


@pytest.mark.parametrize("asked", ["kv cache", "ＫＶ　ｃａｃｈｅ", "Kv CACHE", "kv 是什么"])
async def test_search_folds_width_and_case_and_shows_the_original(cards: Any, asked: str) -> None:
    async with cards() as sitting:
        await sitting.press("slash")
        await sitting.type(asked)
        await sitting.pilot.pause(0.3)
        assert "1 card" in sitting.rows[0]
        assert "ＫＶ　Cache?" in sitting.text


async def test_a_search_without_a_find_says_so(cards: Any) -> None:
    async with cards("zh") as sitting:
        await sitting.press("slash")
        await sitting.type("zzz")
        await sitting.pilot.pause(0.3)
        assert "没有卡片含有所有这些词。" in sitting.text


async def test_flagged_and_suspended_cards_have_lists_of_their_own(cards: Any) -> None:
    async with cards() as sitting:
        await sitting.press("enter", "f", "x", "escape")
        await sitting.press("n", "n")
        assert "flagged" in sitting.rows[0]
        assert "[flag] What does N count?" in sitting.text
        await sitting.press("n", "n")
        assert "1 card" in sitting.rows[0]
        await sitting.press("enter")
        assert "Suspended: it is not asked" in sitting.text
        await sitting.press("x", "escape")
        assert "No cards here." in sitting.text


async def test_card_info_shows_text_standing_source_and_history(cards: Any) -> None:
    async with cards(size=(80, 40), rated=True) as sitting:
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, CardInfoScreen)
        for shown in (
            "What does N count?",
            "The data-parallel ranks.",
            "course §3",
            "In review",
            "Answered 1 time",
            "Easy",
        ):
            assert shown in sitting.text


async def test_a_date_set_by_hand_is_logged_as_such_and_can_be_taken_back(desk: Desk, cards: Any) -> None:
    async with cards(size=(80, 40)) as sitting:
        await sitting.press("enter", "d")
        await sitting.type("x")
        await sitting.press("enter")
        assert "Type a whole number" in sitting.text
        await sitting.press("backspace")
        await sitting.type("１２")
        await sitting.press("enter")
        assert "due on Sat 12 Dec" in sitting.text
        await sitting.press("t")
        assert "(taken back)" in sitting.text
        assert "It is new." in sitting.text
        await sitting.press("t")
        assert "due on Sat 12 Dec" in sitting.text
    assert [event.kind for event in desk.events()] == [Kind.SET_DUE, Kind.RETRACT, Kind.RESTORE]


async def test_an_old_attempt_can_be_retracted_and_the_state_follows(desk: Desk, cards: Any) -> None:
    async with cards(size=(80, 40), rated=True) as sitting:
        await sitting.press("enter")
        assert "In review" in sitting.text
        await sitting.press("t")
        assert "It is new." in sitting.text
        assert "Easy" in sitting.text


async def test_a_reset_card_can_be_rated_again(desk: Desk, cards: Any) -> None:
    async with cards(size=(80, 40), rated=True) as sitting:
        await sitting.press("enter", "r")
        assert "It is new." in sitting.text
    sitting.clock.set("2026-12-01T10:00:00+08:00")
    for key in ("1", "2", "3", "4"):
        async with desk.review() as again:
            await again.press("space", key)
    assert len(desk.attempts()) == 5


async def test_an_old_text_is_named_in_the_history(desk: Desk, cards: Any) -> None:
    async with cards(rated=True):
        pass
    desk.cards[0] = desk.concept("ranks", "What does N really count?|N 数的是什么？", "Ranks.|卡数。")
    async with cards(size=(80, 40)) as sitting:
        await sitting.press("enter")
        assert "What does N really count?" in sitting.text
        assert "(an earlier text)" in sitting.text


async def test_a_card_is_headed_by_its_name_and_its_id_stands_below(desk: Desk, cards: Any) -> None:
    async with cards(rated=True):
        pass
    desk.cards[0] = replace(desk.cards[0], name=Text("count of ranks", "卡的数目"))
    async with cards("zh", size=(80, 40)) as sitting:
        await sitting.press("enter")
        assert sitting.rows[0].split() == ["卡片", "卡的数目"]
        assert f"编号：{desk.cards[0].id}" in sitting.text
        assert "卡的数目" in card_name(desk.cards[0], "zh")


async def test_a_new_name_is_no_other_text(desk: Desk, cards: Any) -> None:
    async with cards(rated=True):
        pass
    desk.cards[0] = replace(desk.cards[0], name=Text("count of ranks", "卡的数目"))
    async with cards(size=(80, 40)) as sitting:
        await sitting.press("enter")
        assert "count of ranks" in sitting.text
        assert "(an earlier text)" not in sitting.text


@pytest.mark.parametrize(
    ("typed", "days"), [("3", 3), (" 0 ", 0), ("１２", 12), ("", None), ("-1", None), ("1.5", None), ("99999", None)]
)
def test_only_whole_days_are_dates(typed: str, days: int | None) -> None:
    assert read_days(typed) == days


async def test_every_text_switches_language(cards: Any) -> None:
    async with cards(size=(80, 40), rated=True) as sitting:
        await sitting.press("enter", "f3")
        for shown in ("现状", "历史", "N 数的是什么？", "简单"):
            assert shown in sitting.text
        for hidden in ("Where it stands", "History", "Answered"):
            assert hidden not in sitting.text
