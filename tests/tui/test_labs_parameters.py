"""The parameters of a lab on screen: changed within their limits, kept when the field is left, taken by the run."""

from __future__ import annotations

from typing import Any

import pytest

from tui.screens.lab_params import read_seed
from tui.screens.lab_run import LabScreen

Desk = Any  # the class of tests/tui/conftest.py

pytestmark = pytest.mark.usefixtures("no_repository")


async def test_a_parameter_is_changed_within_its_limits(lab: Any) -> None:
    async with lab() as sitting:
        assert "cards: a whole number from 2 to 64. Default: 8" in sitting.text
        await sitting.press("e", "backspace", "1")
        await sitting.press("enter")
        assert "cards: give a whole number from 2 to 64, not 1" in sitting.text
        assert sitting.app.screen.values["cards"] == 8
        await sitting.press("backspace", "4", "enter")
        assert sitting.app.screen.values["cards"] == 4
        await sitting.press("d")
        assert sitting.app.screen.values["cards"] == 8


async def test_leaving_the_field_leaves_the_value(lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("e", "2", "escape")
        assert sitting.app.screen.values["cards"] == 8
        assert isinstance(sitting.app.screen, LabScreen)


async def test_of_a_few_choices_the_next_one_is_taken(lab: Any, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    async with lab() as sitting:
        await sitting.press("down", "e")
        assert sitting.app.screen.values["how"] == "slow"
        await sitting.press("e")
        assert sitting.app.screen.values["how"] == "fast"


@pytest.mark.parametrize(
    ("typed", "seed"),
    [
        ("0", 0),
        (" 12 ", 12),
        ("３", 3),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("-1", None),
    ],
)
def test_a_seed_is_a_whole_number_that_the_record_can_hold(typed: str, seed: int | None) -> None:
    assert read_seed(typed) == seed


async def test_the_run_takes_parameters_and_seed(desk: Desk, lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("e", "backspace", "4", "enter", "end", "e", "backspace", "7", "enter", "enter")
        await sitting.until_run()
    (run,) = desk.runs()
    assert (run.params["cards"], run.seed) == (4, 7)
    assert run.command == "shardrill lab run ring --seed 7 --set cards=4"
