"""Labs on screen: the list, parameters with limits, a run with its picture, stopping, and the way from a drill and back."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from content.cards import Text
from content.runs_store import Run, all_runs
from content.store import Record
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, _Registry, recorded
from evidence.picture import Picture, still
from tui.screens.lab_params import read_seed
from tui.screens.lab_run import LabScreen
from tui.screens.labs import LabsScreen
from tui.screens.review import ReviewScreen

Desk = Any  # the class of tests/tui/conftest.py


@pytest.fixture(autouse=True)
def no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is run here is not run in the developer's repository."""
    monkeypatch.chdir(tmp_path)


def counted_ids(desk: Desk) -> None:
    """Ids that are the same in every test run."""
    numbers = iter(range(1, 1000))
    desk.clock.new_event_id = lambda at_ms: f"{at_ms:012x}{next(numbers):020x}"


@pytest.fixture
def lab(desk: Desk) -> Any:
    """Opens one lab over Today."""
    counted_ids(desk)

    @asynccontextmanager
    async def opened(
        lab_id: str = "ring", lang: str = "en", size: tuple[int, int] = (80, 40), **drill: float | Fraction
    ) -> AsyncIterator[Any]:
        app = desk.app(lang, start="today")
        async with app.run_test(size=size) as pilot:
            sitting = desk.sitting(app, pilot)
            app.push_screen(LabScreen(lab_id, drill or None))
            await until(sitting, lambda: isinstance(app.screen, LabScreen) and app.screen.lab is not None)
            await until(sitting, lambda: app.screen.job is None)
            yield sitting

    return opened


async def until(sitting: Any, holds: Callable[[], object]) -> None:
    for _ in range(500):
        await sitting.pilot.pause(0.01)
        if holds():
            await sitting.pilot.pause()
            return
    raise AssertionError(f"did not happen: {sitting.text}")


async def finish(sitting: Any) -> None:
    await until(sitting, lambda: sitting.app.screen.job is None and sitting.app.screen.has_class("-result"))


def runs(desk: Desk) -> list[Run]:
    with Record.open(desk.places.data, read_only=True) as record:
        return all_runs(record)


def simulated(run: Callable[[Progress], bool]) -> Lab:
    """A lab whose one metric is what `run` says."""

    def simulate(_values: Mapping[str, Any], _seed: int, progress: Progress) -> Findings:
        is_true = run(progress)
        about = Text("To the last bit.", "逐比特相等。")
        return Findings(
            {"it_holds": is_true}, {"loss": recorded(0.5)}, Tolerance(0.0, "exact", about), Picture((still(["Φ·█"]),))
        )

    number = LabParam("n", Text("Cards", "卡数"), "int", 8, 2, 64)
    word = LabParam("how", Text("How", "方式"), "choice", "fast", choices=("fast", "slow"))
    metric = MetricSpec("it_holds", Text("It holds", "成立"))
    return Lab("ring", 1, Text("A lab", "一个实验"), Text("About.", "说明。"), (number, word), (metric,), simulate)


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Callable[[Lab], None]:
    """Put a lab in the place of all."""
    return lambda one: monkeypatch.setattr(_Registry, "__getitem__", lambda _self, _key: one)


# --- the list


async def test_labs_are_listed_with_their_last_run_in_words(desk: Desk, lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        await sitting.press("escape")
        sitting.app.action_labs()
        await until(sitting, lambda: isinstance(sitting.app.screen, LabsScreen) and sitting.app.screen.labs)
        row = next(row for row in sitting.rows if "Ring all-reduce" in row)
        assert row.rstrip().endswith("ok 10:00")
        assert sum("not run yet" in row for row in sitting.rows) == 8
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, LabScreen)


async def test_from_the_list_and_back_the_list_knows_the_new_run(desk: Desk, only: Any) -> None:
    only(simulated(lambda _progress: False))
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = desk.sitting(app, pilot)
        await sitting.press("e")
        await sitting.press("b")
        await until(sitting, lambda: isinstance(app.screen, LabsScreen) and app.screen.labs)
        await sitting.press("enter")
        await until(sitting, lambda: app.screen.lab is not None)
        await sitting.press("enter")
        await finish(sitting)
        await sitting.press("escape")
        await until(sitting, lambda: "not all true 10:00" in sitting.text)


# --- parameters


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


async def test_of_a_few_choices_the_next_one_is_taken(lab: Any, only: Any) -> None:
    only(simulated(lambda _progress: True))
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
        await finish(sitting)
    (run,) = runs(desk)
    assert (run.params["cards"], run.seed) == (4, 7)
    assert run.command == "shardrill lab run ring --seed 7 --set cards=4"


# --- a run


async def test_a_run_is_shown_and_recorded(desk: Desk, lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        assert "true  All-reduce gives every card the sum" in sitting.text
        assert "Sums to the last bit" in sitting.text
        assert "Picture 1 of 15" in sitting.text
        assert "recorded: all true." in sitting.text
    (run,) = runs(desk)
    assert (run.kind, run.lab, run.status, run.passed) == ("lab", "ring", "ok", True)


async def test_the_picture_is_stepped_by_keys_and_clicks_and_stops_at_its_ends(lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        await sitting.press("left")
        assert "Picture 1 of 15" in sitting.text
        await sitting.press("right", "right")
        assert "Picture 3 of 15" in sitting.text
        await sitting.pilot.click("#picture", offset=(70, 2))
        assert "Picture 4 of 15" in sitting.text
        await sitting.pilot.click("#picture", offset=(2, 2))
        await sitting.press(*["right"] * 20)
        assert "Picture 15 of 15" in sitting.text


async def test_the_last_result_is_there_when_the_lab_is_opened_again(lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        await sitting.press("right", "tab", "escape")
        sitting.app.action_lab("ring")
        await until(sitting, lambda: sitting.app.screen.lab is not None)
        assert "Each card holds an array." in sitting.text
        await sitting.press("tab")
        assert "true  2(N-1) steps" in sitting.text
        assert "Picture 1 of 15" in sitting.text


async def test_a_metric_that_is_false_is_said_in_words(desk: Desk, lab: Any, only: Any) -> None:
    only(simulated(lambda _progress: False))
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        assert "false  It holds" in sitting.text
        assert "a metric is false" in sitting.rows[0]
    assert not runs(desk)[0].passed


async def test_with_the_ascii_setting_pictures_and_signs_are_ascii(desk: Desk, lab: Any, only: Any) -> None:
    only(simulated(lambda _progress: True))
    desk.set(ascii=True)
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        assert "P.#" in sitting.text
        assert "true  It holds" in sitting.text
        assert sitting.text.replace("中文", "").isascii()


async def test_a_lab_that_breaks_is_recorded_as_failed_and_the_app_lives(desk: Desk, lab: Any, only: Any) -> None:
    def breaks(_progress: Progress) -> bool:
        raise ZeroDivisionError

    only(simulated(breaks))
    async with lab() as sitting:
        await sitting.press("enter")
        await finish(sitting)
        assert "The run failed: the lab broke (ZeroDivisionError); please report this." in sitting.text
        await sitting.press("tab", "f3")
        assert "卡数" in sitting.text
    assert runs(desk)[0].reason == "lab-error"


class Slow:
    """A lab that goes on until it is let go."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.cancelled = threading.Event()

    def __call__(self, progress: Progress) -> bool:
        try:
            self.begun.set()
            while not self.go.wait(0.02):
                progress(0.4, "2/5")
        except BaseException:
            self.cancelled.set()
            raise
        return True


async def test_a_run_in_progress_leaves_the_app_alive_and_esc_ends_it(desk: Desk, lab: Any, only: Any) -> None:
    slow = Slow()
    only(simulated(slow))
    async with lab() as sitting:
        await sitting.press("enter")
        await until(sitting, lambda: "40% 2/5" in sitting.text)
        await sitting.press("f3")
        assert "停止" in sitting.text
        await sitting.press("f3", "enter", "escape")
        assert "Stopped. Nothing was recorded." in sitting.text
        assert sitting.app.screen.job is None
        await until(sitting, slow.cancelled.is_set)
        assert "Cards" in sitting.text
    assert not runs(desk)


async def test_leaving_the_program_ends_a_run(lab: Any, only: Any) -> None:
    slow = Slow()
    only(simulated(slow))
    async with lab() as sitting:
        await sitting.press("enter")
        await until(sitting, slow.begun.is_set)
    assert slow.cancelled.wait(5)


async def test_a_held_enter_runs_once(desk: Desk, lab: Any, only: Any) -> None:
    only(simulated(lambda _progress: True))
    async with lab() as sitting:
        await sitting.press("enter", "enter", "enter", apart_ms=30)
        await finish(sitting)
        await sitting.press("enter", "enter", apart_ms=30)
        await sitting.pilot.pause(0.2)
    assert len(runs(desk)) == 1


async def test_a_record_that_is_taken_does_not_keep_a_lab_from_running(desk: Desk, only: Any) -> None:
    only(simulated(lambda _progress: True))
    desk.places.data.mkdir(exist_ok=True)
    with Record.open(desk.places.data):
        app = desk.app(start="today")
        async with app.run_test(size=(80, 24)) as pilot:
            sitting = desk.sitting(app, pilot)
            app.action_lab("ring")
            await until(sitting, lambda: app.screen.lab is not None)
            assert "will not be recorded" in sitting.text
            await sitting.press("enter")
            await finish(sitting)
            assert "Not recorded: all true." in sitting.text


# --- from a drill


async def test_a_drill_is_proved_with_scaled_values_and_both_are_shown(desk: Desk, lab: Any) -> None:
    async with lab("zero-sharding", n=8, phi=Fraction(13_000_000_000)) as sitting:
        await finish(sitting)
        assert "Drill -> lab:" in sitting.text
        assert "n 8 -> 8 (as in the drill)" in sitting.text
        assert "phi 13G -> " in sitting.text
        await sitting.press("tab")
        assert "phi 13G -> " in sitting.text
    assert runs(desk)[0].params["n"] == 8


async def test_the_way_back_leads_to_the_card_with_nothing_lost(desk: Desk, only: Any) -> None:
    only(simulated(lambda _progress: True))
    desk.cards = [desk.free]
    async with desk.review(size=(80, 40)) as sitting:
        await sitting.press("w", "tab", *"half", "enter")
        before = sitting.text
        drawn = {"n": SimpleNamespace(value=8)}
        sitting.app.prove("ring", SimpleNamespace(drawn=drawn))
        await until(sitting, lambda: isinstance(sitting.app.screen, LabScreen))
        await finish(sitting)
        assert "back to the card" in sitting.text
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, ReviewScreen)
        assert sitting.text == before
        await sitting.press("3")
    assert json.loads(desk.attempts()[0].response)["typed"] == "half"


async def test_a_card_that_names_a_lab_is_proved_by_one_key_once_its_answer_is_shown(desk: Desk, only: Any) -> None:
    only(simulated(lambda _progress: True))
    desk.cards = [replace(desk.free, lab="ring")]
    async with desk.review(size=(80, 40)) as sitting:
        await sitting.press("p")
        assert isinstance(sitting.app.screen, ReviewScreen)
        await sitting.press("space", "p")
        await until(sitting, lambda: isinstance(sitting.app.screen, LabScreen))
        await finish(sitting)
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, ReviewScreen)
    assert [run.lab for run in runs(desk)] == ["ring"]


# --- start-up


def test_the_screens_bring_no_numpy_before_a_lab_is_opened() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, tui.screens.labs, tui.screens.lab_run, tui.screens.evidence; print('numpy' in sys.modules)",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout.strip() == "False", done.stderr


# --- pictures

SCENES: dict[str, tuple[str, ...]] = {
    "parameters": (),
    "field": ("e", "backspace", "1", "enter"),
    "result": ("enter", "RESULT", "right", "right"),
    "labs": ("escape", "LABS"),
}


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    counted_ids(desk)
    app = desk.app(lang, start="today")

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        app.action_lab("ring")
        await until(sitting, lambda: app.screen.lab is not None)
        for key in SCENES[scene]:
            if key == "RESULT":
                await finish(sitting)
            elif key == "LABS":
                app.action_labs()
                await until(sitting, lambda: app.screen.labs)
            else:
                await sitting.press(key)
        sitting.review_messages_gone()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)
