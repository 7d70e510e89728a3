"""TUI-16: a half line survives a lost connection, an early end and a kill, and is offered again on its card."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

import tui.kept_line
from content.drafts import drafts, line_of
from content.errors import FullDisk
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


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tenths of the seconds that are waited."""
    assert (tui.kept_line.REST_SECONDS, tui.kept_line.LATEST_SECONDS) == (2.0, 5.0)
    monkeypatch.setattr(tui.kept_line, "REST_SECONDS", 0.2)
    monkeypatch.setattr(tui.kept_line, "LATEST_SECONDS", 0.5)


@pytest.mark.usefixtures("quick")
async def test_a_line_is_kept_once_the_keys_rest_and_written_only_when_it_changed(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab", "R")
        assert kept(desk) == ""
        await sitting.until(lambda: kept(desk) == "R")
        writes = sitting.app.record.writes
        await sitting.press("x", "backspace")
        await sitting.pilot.pause(0.7)
        assert sitting.app.record.writes == writes


@pytest.mark.usefixtures("quick")
async def test_a_line_is_kept_while_it_is_typed_without_a_rest(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab")
        began, writes = time.monotonic(), sitting.app.record.writes
        while not kept(desk):
            await sitting.press("R")
            await sitting.pilot.pause(0.05)
            assert time.monotonic() - began < 5
        assert sitting.app.record.writes == writes + 1


@pytest.mark.usefixtures("quick")
async def test_a_full_disk_is_told_and_the_line_is_kept_when_there_is_room(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise FullDisk(desk.places.record)

    desk.cards = [desk.free]
    async with desk.review() as sitting:
        with monkeypatch.context() as full:
            full.setattr("content.drafts.save_line", refuse)
            await sitting.press("tab", "R")
            await sitting.until(lambda: "disk is full" in sitting.text)
        await sitting.press("S")
        await sitting.until(lambda: kept(desk) == "RS")


async def test_a_card_without_a_line_stores_nothing(desk: Desk) -> None:
    desk.cards = [desk.plain]
    async with desk.review() as sitting:
        sitting.review.keep_typed()
        writes = sitting.app.record.writes
        await sitting.press("space", "3")
        assert sitting.app.record.writes == writes + 1
