"""Tables from memory on the screen: walking the cells, live readings, each cell graded and told in words."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from content.events import Purpose
from tui.screens.table import TableScreen
from tui.screens.table_choice import TableChoiceScreen
from tui.table_index import NamedCard, find_table

Desk = Any  # the class of tests/tui/conftest.py

TABLE = {
    "title": {"en": "The ZeRO stages", "zh": "ZeRO 各阶段"},
    "columns": [
        {"id": "sharded", "type": "terms", "label": {"en": "what is sharded", "zh": "分片什么"}},
        {"id": "bytes", "type": "formula", "label": {"en": "bytes per card", "zh": "每卡字节"}},
        {
            "id": "traffic",
            "type": "choice",
            "label": {"en": "traffic", "zh": "通信"},
            "choices": [{"en": "as DDP", "zh": "同 DDP"}, {"en": "half as much again", "zh": "多一半"}],
        },
    ],
    "rows": [
        {"id": "one", "label": {"en": "ZeRO-1", "zh": "ZeRO-1"}},
        {"id": "three", "label": {"en": "ZeRO-3", "zh": "ZeRO-3"}},
    ],
    "cells": {
        "one.sharded": {"answer": {"en": "optimizer states", "zh": "优化器状态"}, "accept": [["optimizer", "优化器"]]},
        "one.bytes": {"answer": "4Φ + 12Φ/N"},
        "one.traffic": {"answer": {"en": "as DDP", "zh": "同 DDP"}},
        "three.sharded": {"answer": {"en": "the weights too", "zh": "连权重也切"}, "accept": [["weights", "权重"]]},
        "three.bytes": {"answer": "16Φ/N"},
        "three.traffic": {"answer": {"en": "half as much again", "zh": "多一半"}},
    },
    "row_order": "fixed",
    "names": {"phi": "Φ", "n": "N"},
}


def table(desk: Desk) -> Any:
    plain = desk.concept("stages", "The ZeRO stages|ZeRO 各阶段", "-|-")
    return replace(plain, kind="table", table=TABLE)


@pytest.fixture
def table_desk(desk: Desk) -> Desk:
    desk.cards = [desk.plain, table(desk)]
    return desk


@asynccontextmanager
async def all_blank(desk: Desk, lang: str = "en", size: tuple[int, int] = (80, 24)) -> AsyncIterator[Any]:
    """The table with every cell blank."""
    app = desk.app(lang, start="table")
    app.practice = {"table": "stages"}
    async with app.run_test(size=size) as pilot:
        sitting = desk.sitting(app, pilot)
        for _ in range(300):
            await pilot.pause(0.01)
            if isinstance(app.screen, TableScreen):
                break
        while app.screen.ask.share != "all":
            await sitting.press("f5")
        yield sitting


async def test_the_grid_shows_what_is_given_and_the_cell_to_fill_in(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        assert "bytes per card" in sitting.text
        assert ">____" in sitting.text
        assert "ZeRO-1: what is sharded" in sitting.text
        assert "optimizer" not in sitting.text


async def test_enter_tab_and_arrows_walk_through_the_blanks(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        screen = sitting.app.screen
        assert screen.at == "one.sharded"
        await sitting.press("enter")
        assert screen.at == "one.bytes"
        await sitting.press("tab")
        assert screen.at == "one.traffic"
        await sitting.press("down")
        assert screen.at == "three.traffic"
        await sitting.press("left")
        assert screen.at == "three.bytes"
        await sitting.press("up")
        assert screen.at == "one.bytes"
        await sitting.press("shift+tab")
        assert screen.at == "one.sharded"


async def test_arrows_move_the_caret_inside_a_text_and_leave_the_cell_at_its_ends(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        screen = sitting.app.screen
        await sitting.type("ab")
        await sitting.press("left")
        assert (screen.at, screen.field.caret) == ("one.sharded", 1)
        await sitting.press("right", "right")
        assert screen.at == "one.bytes"


async def test_a_formula_is_read_while_it_is_typed_and_a_choice_by_number_or_letter(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await sitting.press("tab")
        await sitting.type("4phi+12phi/n")
        assert "read as 4Φ + 12Φ/N" in sitting.text
        await sitting.press("tab")
        assert "2  half as much again" in sitting.text
        await sitting.type("b")
        assert ">half as much again" in sitting.text


async def fill(sitting: Any, *cells: str) -> None:
    for cell in cells:
        await sitting.type(cell)
        await sitting.press("tab")


async def test_each_cell_is_graded_and_told_in_words_and_signs(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await fill(sitting, "the optimizer", "16Φ/N", "1", "weights", "", "1")
        await sitting.press("f9")
        assert "3 of 6 cells right." in sitting.text
        assert "[+] the optimizer" in sitting.text
        assert "[-] 16Φ/N" in sitting.text
        assert "ZeRO-1: bytes per card: wrong: that belongs to ZeRO-3" in sitting.text
        assert "= 4Φ + 12Φ/N" in sitting.text
        assert "Enter 1 Again" in sitting.text
        await sitting.press("enter")
        await sitting.pilot.pause()
    (attempt,) = table_desk.attempts()
    cells = json.loads(attempt.response)["cells"]
    assert attempt.purpose is Purpose.PRACTICE
    assert {name: cell["mark"] for name, cell in cells.items()} == {
        "one.sharded": 1.0,
        "one.bytes": 0.0,
        "one.traffic": 1.0,
        "three.sharded": 1.0,
        "three.bytes": 0.0,
        "three.traffic": 0.0,
    }
    assert cells["three.bytes"]["reason"] == "given_up"


async def test_what_cannot_be_read_is_asked_again_and_then_taken_as_it_is(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await fill(sitting, "optimizer", "@@", "a", "weights", "16Φ/N", "b")
        await sitting.press("f9")
        assert sitting.app.screen.at == "one.bytes"
        assert "Once more, at no cost" in sitting.text
        assert table_desk.attempts() == []
        await sitting.press("f9")
        assert "5 of 6 cells right." in sitting.text


async def test_giving_up_shows_the_answers_and_is_again(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await sitting.type("optimizer")
        await sitting.press("f4")
        assert "1 of 6 cells right." in sitting.text
        await sitting.press("enter")
        await sitting.pilot.pause()
    assert table_desk.attempts()[0].rating == 1


async def test_a_small_window_shows_one_cell_with_its_row_and_column(table_desk: Desk) -> None:
    async with all_blank(table_desk, "zh", (40, 12)) as sitting:
        assert "行：ZeRO-1" in sitting.text
        assert "列：分片什么" in sitting.text
        await fill(sitting, "优化器", "", "", "权重", "", "")
        await sitting.press("f9")
        assert "6 格中答对 2 格" in sitting.text


async def test_another_language_keeps_what_was_typed(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await sitting.type("half")
        await sitting.press("f3")
        assert sitting.app.screen.typed["one.sharded"] == "half"
        assert "分片什么" in sitting.text


async def test_a_click_goes_to_a_cell(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        rows = sitting.rows
        y = next(n for n, row in enumerate(rows) if row.lstrip().startswith("ZeRO-3"))
        await sitting.pilot.click(offset=(rows[y].index("____"), y))
        await sitting.pilot.pause()
        assert sitting.app.screen.at == "three.sharded"


async def test_the_schedule_is_not_touched_by_practice(table_desk: Desk) -> None:
    async with all_blank(table_desk) as sitting:
        await sitting.press("f4", "enter")
        await sitting.pilot.pause()
        assert isinstance(sitting.app.screen, TableChoiceScreen)
        row = sitting.app.record.card("sample/stages")
        assert sitting.app.record.state(row.card_key).row.memory.attempts == 0


def test_a_table_is_found_by_its_id_whole_or_in_part(desk: Desk) -> None:
    tables = [
        NamedCard(1, replace(table(desk), id="p/table.zero")),
        NamedCard(2, replace(table(desk), id="p/table.moe")),
    ]
    assert find_table(tables, "p/table.zero") is tables[0]
    assert find_table(tables, "table.moe") is tables[1]
    assert find_table(tables, "ZERO") is tables[0]
    assert find_table(tables, "other") is None
