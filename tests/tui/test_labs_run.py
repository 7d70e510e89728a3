"""A run of a lab on screen: its result and picture, a metric that is false, a lab that breaks, stopping, and the record."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from content.store import Record
from evidence.lab import Progress

Desk = Any  # the class of tests/tui/conftest.py

pytestmark = pytest.mark.usefixtures("no_repository")


async def test_a_run_is_shown_and_recorded(desk: Desk, lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
        assert "true  All-reduce gives every card the sum" in sitting.text
        assert "Sums to the last bit" in sitting.text
        assert "Picture 1 of 15" in sitting.text
        assert "recorded: all true." in sitting.text
    (run,) = desk.runs()
    assert (run.kind, run.lab, run.status, run.passed) == ("lab", "ring", "ok", True)


async def test_the_picture_is_stepped_by_keys_and_clicks_and_stops_at_its_ends(lab: Any) -> None:
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
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
        await sitting.until_run()
        await sitting.press("right", "tab", "escape")
        sitting.app.action_lab("ring")
        await sitting.until(lambda: sitting.app.screen.lab is not None)
        assert "Each card holds an array." in sitting.text
        await sitting.press("tab")
        assert "true  2(N-1) steps" in sitting.text
        assert "Picture 1 of 15" in sitting.text


async def test_a_metric_that_is_false_is_said_in_words(desk: Desk, lab: Any, only_lab: Any) -> None:
    only_lab(lambda _progress: False)
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
        assert "false  It holds" in sitting.text
        assert "a metric is false" in sitting.rows[0]
    assert not desk.runs()[0].passed


async def test_with_the_ascii_setting_pictures_and_signs_are_ascii(desk: Desk, lab: Any, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    desk.set(ascii=True)
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
        assert "P.#" in sitting.text
        assert "true  It holds" in sitting.text
        assert sitting.text.replace("中文", "").isascii()


async def test_a_lab_that_breaks_is_recorded_as_failed_and_the_app_lives(desk: Desk, lab: Any, only_lab: Any) -> None:
    def breaks(_progress: Progress) -> bool:
        raise ZeroDivisionError

    only_lab(breaks)
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until_run()
        assert "The run failed: the lab broke (ZeroDivisionError); please report this." in sitting.text
        await sitting.press("tab", "f3")
        assert "卡数" in sitting.text
    assert desk.runs()[0].reason == "lab-error"


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


async def test_a_run_in_progress_leaves_the_app_alive_and_esc_ends_it(desk: Desk, lab: Any, only_lab: Any) -> None:
    slow = Slow()
    only_lab(slow)
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until(lambda: "40% 2/5" in sitting.text)
        await sitting.press("f3")
        assert "停止" in sitting.text
        await sitting.press("f3", "enter", "escape")
        assert "Stopped. Nothing was recorded." in sitting.text
        assert sitting.app.screen.job is None
        await sitting.until(slow.cancelled.is_set)
        assert "Cards" in sitting.text
    assert not desk.runs()


async def test_leaving_the_program_ends_a_run(lab: Any, only_lab: Any) -> None:
    slow = Slow()
    only_lab(slow)
    async with lab() as sitting:
        await sitting.press("enter")
        await sitting.until(slow.begun.is_set)
    assert slow.cancelled.wait(5)


async def test_a_held_enter_runs_once(desk: Desk, lab: Any, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    async with lab() as sitting:
        await sitting.press("enter", "enter", "enter", apart_ms=30)
        await sitting.until_run()
        await sitting.press("enter", "enter", apart_ms=30)
        await sitting.pilot.pause(0.2)
    assert len(desk.runs()) == 1


async def test_a_record_that_is_taken_does_not_keep_a_lab_from_running(desk: Desk, only_lab: Any) -> None:
    only_lab(lambda _progress: True)
    desk.places.data.mkdir(exist_ok=True)
    with Record.open(desk.places.data):
        app = desk.app(start="today")
        async with app.run_test(size=(80, 24)) as pilot:
            sitting = desk.sitting(app, pilot)
            app.action_lab("ring")
            await sitting.until(lambda: app.screen.lab is not None)
            assert "will not be recorded" in sitting.text
            await sitting.press("enter")
            await sitting.until_run()
            assert "Not recorded: all true." in sitting.text
