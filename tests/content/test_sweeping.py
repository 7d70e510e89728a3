"""Study towards a date: the last days ask what would be known least on it, and leave no pile."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from content.events import Kind, Purpose
from content.sweeping import EPOCH, plan_sweep
from grading.memory import Rating


@pytest.fixture
def crammed(new_desk: Any, clock: Any) -> Any:
    """60 cards of all strengths, none due before the exam in five days."""
    desk = new_desk(minutes_per_day=20, exam_date=EPOCH + datetime.timedelta(days=clock.day + 5))
    desk.add(*(f"c{n}" for n in range(60)), "new")
    desk.sync()
    for n in range(60):
        desk.put(f"c{n}", due_in=20, stability=4.0 + n, last_day=clock.day - 2 - n % 9)
    return desk


def plan(desk: Any) -> Any:
    return plan_sweep(desk.record, desk.settings, desk.clock.now)


def test_without_a_date_or_after_it_there_is_no_sweep(crammed: Any) -> None:
    crammed.clock.set("2026-03-15 10:00")
    assert plan(crammed) is None
    crammed.set(exam_date=None)
    assert plan(crammed) is None


def test_before_the_last_days_it_is_only_announced(crammed: Any) -> None:
    crammed.set(exam_date=crammed.settings.exam_date + datetime.timedelta(days=10))
    found = plan(crammed)
    assert (found.days_left, found.is_on, found.today) == (15, False, ())
    assert found.recall_with >= found.recall_without


def test_it_promises_more_than_leaving_things_alone_and_leaves_no_pile(crammed: Any) -> None:
    found = plan(crammed)
    assert (found.is_on, found.days_left, found.studied, found.left_over) == (True, 5, 60, 0)
    assert found.recall_with > found.recall_without + 0.01
    sizes = [cards for _, cards, _ in found.days]
    assert max(sizes) == found.per_day
    assert max(sizes) <= 20 * 60 / 12
    assert 0 < len(found.today) <= found.per_day


def test_its_sitting_reviews_ahead_and_the_day_has_an_end(crammed: Any) -> None:
    swept: list[str] = []
    for day in range(10, 15):
        crammed.clock.set(f"2026-03-{day} 10:00")
        found = plan(crammed)
        session = crammed.sit(purpose=Purpose.AHEAD, selection=found.selection)
        todays = crammed.answer_all(session)
        assert len(todays) == len(found.today)
        swept += todays
        again = plan(crammed)
        assert len(again.today) == 0, day
        assert again.done_today == len(todays)
    assert len(swept) == len(set(swept))
    assert {event.purpose for event in crammed.events(Kind.ATTEMPT)} == {Purpose.AHEAD}
    assert "c0" in swept


def test_undone_it_is_still_to_be_done(crammed: Any) -> None:
    found = plan(crammed)
    session = crammed.sit(purpose=Purpose.AHEAD, selection=found.selection)
    crammed.answer(session, Rating.GOOD)
    session.undo(crammed.clock.now)
    assert plan(crammed) == found


def test_minutes_bound_it(crammed: Any) -> None:
    crammed.set(minutes_per_day=1)
    found = plan(crammed)
    assert found.left_over > 0
    assert all(cards + due <= 5 for _, cards, due in found.days)
