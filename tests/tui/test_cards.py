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
from tui.widgets.history import History

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


async def with_history(desk: Desk, cards: Any, sitting: Any, count: int = 40) -> Any:
    """Card info of a card whose history is longer than any window: one flag put on or taken off a line, one year back."""
    sitting.clock.set("2025-12-31T10:00:00+08:00")
    info = CardInfoScreen(sitting.app.record.card(desk.plain.id).card_key)
    sitting.app.push_screen(info)
    await sitting.until(lambda: info._state is not None)
    for _number in range(count):
        info.action_flag()
    sitting.clock.set("2026-11-30T10:00:00+08:00")
    info._load()
    await sitting.pilot.pause()
    return info


def marked(sitting: Any) -> list[str]:
    """The rows on screen that begin with the mark."""
    return [row.strip() for row in sitting.rows if row.strip().startswith("> ")]


async def test_the_marked_line_goes_along_with_the_pages_and_stays_in_sight_at_any_size(desk: Desk, cards: Any) -> None:
    async with cards() as sitting:
        info = await with_history(desk, cards, sitting)
        history = info.query_one(History)
        for key in ("pagedown", "pagedown", "pageup", "end", "home", "pagedown", "down"):
            await sitting.press(key)
            assert len(marked(sitting)) == 1, key
        for size in ((80, 16), (40, 12), (100, 40), (60, 20)):
            before = history.current
            await sitting.pilot.resize_terminal(*size)
            await sitting.pilot.pause(0.1)
            assert history.current == before
            assert len(marked(sitting)) == 1, size


async def test_home_and_end_mark_the_first_and_the_last_line(desk: Desk, cards: Any) -> None:
    async with cards() as sitting:
        info = await with_history(desk, cards, sitting)
        for key, index in (("end", -1), ("home", 0), ("end", -1)):
            await sitting.press(key)
            assert info.query_one(History).current == info._history()[index]


async def test_a_line_out_of_sight_is_shown_before_it_is_taken_back(desk: Desk, cards: Any) -> None:
    async with cards() as sitting:
        info = await with_history(desk, cards, sitting)
        await sitting.press("end")
        info.query_one("#content").scroll_home(animate=False)  # as the wheel of a mouse does
        await sitting.pilot.pause()
        assert marked(sitting) == []
        await sitting.press("t")
        assert "press the key once more" in sitting.text
        assert len(marked(sitting)) == 1
        assert not any(line.taken_back for line in info._history())
        await sitting.press("t")
        assert [line.taken_back for line in info._history()][-1]


@pytest.mark.parametrize(
    ("lang", "old", "new"),
    [("en", "Wed 31 Dec 2025  ", "Mon 30 Nov  "), ("zh", "2025年12月31日 周三", "11月30日 周一")],
)
async def test_a_date_of_another_year_has_its_year(desk: Desk, cards: Any, lang: str, old: str, new: str) -> None:
    async with cards(lang, rated=True) as sitting:
        info = await with_history(desk, cards, sitting, count=2)
        texts = [line.text for line in info._history()]
        assert any(text.startswith(new) for text in texts)
        assert sum(text.startswith(old) for text in texts) == 2
