"""UND-04: an edit that is undone is undone in the pack's file as well, and done again with redo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from content.cards import card_from_json
from content.store import Record
from tui.app import ShardrillApp
from tui.paths import Places
from tui.screens.review import ReviewScreen

MakeApp = Callable[..., ShardrillApp]
Text = Callable[[ShardrillApp], str]
Wait = Callable[..., Awaitable[None]]


@pytest.fixture
def _editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor that writes another answer."""

    def edit(_app: ShardrillApp, command: list[str]) -> str:
        file = Path(command[-1])
        file.write_text(file.read_text(encoding="utf-8").replace("Answer 0.", "Better."), encoding="utf-8")
        return ""

    monkeypatch.setattr("tui.editor._run_editor", edit)
    monkeypatch.setattr("tui.editor.editor_command", lambda: ["editor"])


def answer(places: Places) -> str:
    """The answer of the first card in the record."""
    with Record.open(places.data, read_only=True) as record:
        card = record.card("small/memory.card-0")
        assert card is not None
        return card_from_json(card.body).back.en


async def edited(pilot: Pilot[int], app: ShardrillApp, until: Wait) -> ReviewScreen:
    """On the first card's answer side, with its text edited."""
    await until(pilot, lambda: isinstance(app.screen, ReviewScreen) and app.screen.session is not None)
    review = app.screen
    assert isinstance(review, ReviewScreen)
    await pilot.press("enter")
    await until(pilot, lambda: review.card_item is not None)
    await pilot.press("e")
    await until(pilot, lambda: review.card_item is not None and review.card_item.card.back.en == "Better.")
    return review


@pytest.mark.usefixtures("_editor")
async def test_undo_writes_the_old_entry_back_and_redo_the_new_one(
    make_app: MakeApp, places: Places, until: Wait
) -> None:
    app = make_app(start="review")
    file = places.packs / "small" / "cards.yaml"
    before = file.read_text(encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await edited(pilot, app, until)
        after = file.read_text(encoding="utf-8")
        assert after == before.replace("Answer 0.", "Better.")
        await pilot.press("u")
        await until(pilot, lambda: answer(places) == "Answer 0.")
        assert file.read_text(encoding="utf-8") == before
        await pilot.press("r")
        await until(pilot, lambda: answer(places) == "Better.")
        assert file.read_text(encoding="utf-8") == after
        await pilot.press("u")
        await until(pilot, lambda: file.read_text(encoding="utf-8") == before)
    again = make_app(start="review")
    async with again.run_test(size=(80, 24)) as pilot:  # the next start reads the file, if it has to
        await until(pilot, lambda: again.record is not None)
    assert answer(places) == "Answer 0."


@pytest.mark.usefixtures("_editor")
async def test_a_file_changed_by_other_hands_keeps_its_text(
    make_app: MakeApp, places: Places, screen_text: Text, until: Wait
) -> None:
    app = make_app(start="review")
    file = places.packs / "small" / "cards.yaml"
    async with app.run_test(size=(80, 24)) as pilot:
        await edited(pilot, app, until)
        mine = file.read_text(encoding="utf-8").replace("Better.", "Best.")
        file.write_text(mine, encoding="utf-8")
        await pilot.press("u")
        await until(pilot, lambda: "changed meanwhile" in " ".join(screen_text(app).split()))
        assert file.read_text(encoding="utf-8") == mine
