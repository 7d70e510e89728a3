"""From a drill or a card to its lab, with the drill's values scaled, and back with nothing lost."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from tui.screens.lab_run import LabScreen
from tui.screens.review import ReviewScreen

Desk = Any  # the class of tests/tui/conftest.py

pytestmark = pytest.mark.usefixtures("no_repository")


async def test_a_drill_is_proved_with_scaled_values_and_both_are_shown(desk: Desk, lab: Any) -> None:
    async with lab("zero-sharding", n=8, phi=Fraction(13_000_000_000)) as sitting:
        await sitting.until_run()
        assert "Drill -> lab:" in sitting.text
        assert "n 8 -> 8 (as in the drill)" in sitting.text
        assert "phi 13G -> " in sitting.text
        await sitting.press("tab")
        assert "phi 13G -> " in sitting.text
    assert desk.runs()[0].params["n"] == 8


async def test_the_way_back_leads_to_the_card_with_nothing_lost(desk: Desk, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    desk.cards = [desk.free]
    async with desk.review(size=(80, 40)) as sitting:
        await sitting.press("w", "tab", *"half", "enter")
        before = sitting.text
        drawn = {"n": SimpleNamespace(value=8)}
        sitting.app.prove("ring", SimpleNamespace(drawn=drawn))
        await sitting.until(lambda: isinstance(sitting.app.screen, LabScreen))
        await sitting.until_run()
        assert "back to the card" in sitting.text
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, ReviewScreen)
        assert sitting.text == before
        await sitting.press("3")
    assert json.loads(desk.attempts()[0].response)["typed"] == "half"


async def test_a_card_that_names_a_lab_is_proved_by_one_key_once_its_answer_is_shown(desk: Desk, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    desk.cards = [replace(desk.free, lab="ring")]
    async with desk.review(size=(80, 40)) as sitting:
        await sitting.press("p")
        assert isinstance(sitting.app.screen, ReviewScreen)
        await sitting.press("space", "p")
        await sitting.until(lambda: isinstance(sitting.app.screen, LabScreen))
        await sitting.until_run()
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, ReviewScreen)
    assert [run.lab for run in desk.runs()] == ["ring"]
