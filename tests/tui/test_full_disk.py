"""A disk that fills up in the middle of a sitting loses no card and ends nothing: the step is done again later."""

from __future__ import annotations

from typing import Any

import pytest

from content.errors import CorruptRecord, FullDisk
from grading.schedule import Rating

Desk = Any  # the class of tests/tui/conftest.py


async def test_an_answer_that_finds_no_room_stays_on_screen_and_is_given_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.cards = [desk.plain, desk.flight]
    async with desk.review() as sitting:
        record = sitting.app.record
        write = record.write
        full = FullDisk(record.path)

        def refuse(*_arguments: object) -> None:
            raise full

        for key in ("3", "f", "x", "s"):
            monkeypatch.setattr(record, "write", refuse if key != "s" else write)
            await sitting.press("space", key)
            if key != "s":
                assert "disk is full" in sitting.text
                assert sitting.card == "ranks"
        assert desk.attempts() == []
        monkeypatch.setattr(record, "write", write)
        await sitting.press("space", "3")
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD]


async def test_damage_ends_the_sitting(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    damage = CorruptRecord(desk.places.record, "it is damaged", None, ())

    async def run() -> None:
        async with desk.review() as sitting:

            def refuse(*_arguments: object) -> None:
                raise damage

            monkeypatch.setattr(sitting.app.record, "write", refuse)
            await sitting.press("space", "3")

    with pytest.raises(CorruptRecord):
        await run()
