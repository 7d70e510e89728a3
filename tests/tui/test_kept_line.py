"""TUI-16: a half line survives a lost connection, an early end and a kill, and is offered again on its card."""

from __future__ import annotations

import json
from typing import Any

from content.drafts import drafts, line_of
from content.store import Record

Desk = Any  # the class of tests/tui/conftest.py


def kept(desk: Desk) -> str:
    """The line as it is on disk."""
    with Record.open(desk.places.data, read_only=True) as record:
        card = record.card(desk.free.id)
        assert card is not None
        assert drafts(record) == []  # it is no oral answer
        return line_of(record, card.card_key)


async def test_a_half_line_is_back_after_the_connection_was_lost(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab", "R", "S", "显")
        sitting.app.exit(return_code=129)  # what the signal HUP does
    assert kept(desk) == "RS显"
    async with desk.review() as sitting:
        assert sitting.review.view.field.value == "RS显"
        assert "here again" in sitting.text
        await sitting.press("tab", "x", "enter", "3")
    assert json.loads(desk.attempts()[0].response)["typed"] == "RS显x"
    assert kept(desk) == ""


async def test_leaving_the_screen_keeps_the_line_and_emptying_it_forgets_it(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab", "R", "escape", "escape")
        await sitting.pilot.pause()
        assert kept(desk) == "R"
        await sitting.press("enter")
        await sitting.until_ready()
        assert sitting.review.view.field.value == "R"
        await sitting.press("tab", "backspace")
        sitting.review.keep_typed()
        assert kept(desk) == ""


async def test_a_line_is_kept_while_it_is_typed_and_written_only_when_it_changed(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab", "R")
        sitting.review._look_at_clock()
        assert kept(desk) == "R"
        writes = sitting.app.record.writes
        sitting.review._look_at_clock()
        assert sitting.app.record.writes == writes


async def test_a_card_without_a_line_stores_nothing(desk: Desk) -> None:
    desk.cards = [desk.plain]
    async with desk.review() as sitting:
        sitting.review.keep_typed()
        writes = sitting.app.record.writes
        await sitting.press("space", "3")
        assert sitting.app.record.writes == writes + 1
