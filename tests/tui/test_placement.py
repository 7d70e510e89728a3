"""Placement and practice: what is known is not taught anew and can be taken back; practice leaves the schedule alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from content.events import Purpose
from content.practice import Backlog
from content.sweeping import SweepPlan
from tui import words
from tui.screens.placement import PlacementScreen
from tui.screens.practice_choice import PracticeChoiceScreen
from tui.today_notes import TodayNotes

Desk = Any  # the class of tests/tui/conftest.py


async def opened(desk: Desk, pilot: Any, app: Any, action: Callable[[], None], ready: Callable[[], object]) -> Any:
    sitting = desk.sitting(app, pilot)
    for _ in range(300):
        await pilot.pause(0.01)
        if app.record is not None:
            break
    action()
    for _ in range(300):
        await pilot.pause(0.01)
        if ready():
            break
    await pilot.pause()
    return sitting


def memories(app: Any) -> dict[str, int | None]:
    cards = ("ranks", "why-free", "in-flight#1")
    keys = {name: app.record.card(f"sample/{name}").card_key for name in cards}
    return {name: app.record.state(key).row.memory.due_day for name, key in keys.items()}


async def test_a_topic_that_is_known_comes_later_and_all_of_it_can_be_taken_back(desk: Desk) -> None:
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_placement, lambda: getattr(app.screen, "record", None))
        assert "Not starting from nothing?" in sitting.text
        before = memories(app)
        await sitting.press("enter")
        assert "1 of" in sitting.text
        while app.screen.stage != "found":
            await sitting.press("space", "k")
        assert "known: 3 cards come later" in sitting.text
        assert memories(app) == before
        await sitting.press("enter")
        assert None not in memories(app).values()
        await sitting.press("u")
        assert "The placement was taken back." in sitting.text
        assert memories(app) == before


async def test_one_answer_not_known_leaves_the_topic_to_be_learnt(desk: Desk) -> None:
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_placement, lambda: getattr(app.screen, "record", None))
        await sitting.press("enter", "space", "n")
        while app.screen.stage != "found":
            await sitting.press("space", "k")
        assert "to be learnt" in sitting.text
        await sitting.press("b")
        assert app.screen.stage == "ask"


async def test_an_earlier_placement_can_be_taken_back_later(desk: Desk) -> None:
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_placement, lambda: getattr(app.screen, "record", None))
        await sitting.press("enter")
        while app.screen.stage != "found":
            await sitting.press("space", "k")
        await sitting.press("enter", "enter")
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_placement, lambda: getattr(app.screen, "record", None))
        assert isinstance(app.screen, PlacementScreen)
        assert "There is a placement already" in sitting.text
        await sitting.press("u")
        assert memories(app) == dict.fromkeys(memories(app))


async def test_practice_of_a_topic_leaves_schedule_and_statistics_alone(desk: Desk) -> None:
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_practice, lambda: getattr(app.screen, "_topics", None))
        assert isinstance(app.screen, PracticeChoiceScreen)
        before = memories(app)
        await sitting.press("end", "enter")
        await sitting.until_ready()
        for key in "1433":
            await sitting.press("space", key)
        assert memories(app) == before
    assert {event.purpose for event in desk.attempts()} == {Purpose.PRACTICE}


async def test_reviewing_ahead_moves_the_schedule(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "4", "escape")
    desk.clock.set("2026-12-02T10:00:00+08:00")
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_practice, lambda: getattr(app.screen, "_topics", None))
        await sitting.press("enter")
        await sitting.until_ready()
        assert "ahead" in sitting.text
        await sitting.press("space", "3")
    assert [event.purpose for event in desk.attempts()] == [Purpose.REVIEW, Purpose.AHEAD]


async def test_an_empty_selection_says_so(desk: Desk) -> None:
    app = desk.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = await opened(desk, pilot, app, app.action_practice, lambda: getattr(app.screen, "_topics", None))
        await sitting.press("enter")
        assert "There is no card of this kind now." in sitting.text


def plan(**fields: Any) -> SweepPlan:
    made = {
        "exam_day": 104, "days_left": 4, "first_day": 99, "today": (1, 2), "done_today": 0, "recall_without": 0.874,
        "recall_with": 0.916, "per_day": 2, "left_over": 0, "studied": 300, "days": ((100, 2, 0),),
    }  # fmt: skip
    return SweepPlan(**{**made, **fields})


def test_today_tells_of_a_backlog_a_sweep_and_a_draft() -> None:
    assert TodayNotes(Backlog(312, 200), plan(), drafts=1).lines() == [
        "1 oral answer was begun and not finished: press o.",
        "312 due, 200 today; the rest waits and is not lost.",
        (
            "Exam in 4 days: recall then 0.874 as planned, 0.916 with a sweep of the last days. "
            "2 cards of it today: press p."
        ),
    ]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_today_is_silent_where_there_is_nothing_to_tell(lang: str) -> None:
    words.set_language(lang)
    assert TodayNotes(Backlog(5, 5), plan(days_left=60), drafts=0).lines() == []
