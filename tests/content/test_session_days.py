"""Study days in a sitting: when a card is due in each time zone, and a day that turns while cards are answered."""

from __future__ import annotations

import pytest

from content.events import Kind
from content.session import DayTurned
from grading.memory import Rating

AGAIN, GOOD, EASY = Rating.AGAIN, Rating.GOOD, Rating.EASY


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles", "Asia/Kolkata", "UTC"])
def test_a_one_day_card_is_due_once_at_the_start_of_the_next_study_day(desk, zone):
    """SCH-01."""
    desk.clock.zone = zone
    desk.clock.set("2026-03-10 23:30")
    desk.add("a")
    desk.sync()
    desk.put("a", stability=0.8)
    session = desk.sit()
    desk.answer(session, AGAIN)
    desk.answer(session, GOOD)
    assert desk.row("a").memory.due_day == desk.clock.day + 1
    for late in ("2026-03-11 00:30", "2026-03-11 03:30"):
        desk.clock.set(late)
        assert desk.sit().item is None
    for due in ("2026-03-11 04:30", "2026-03-11 08:00"):
        desk.clock.set(due)
        assert desk.sit().item is not None
    desk.answer(desk.sit(), GOOD)
    assert desk.sit().item is None


def test_before_and_after_midnight_are_one_study_day(new_desk):
    """SCH-02."""
    desk = new_desk(new_per_day=2)
    desk.add("a", "b", "c", "d")
    desk.sync()
    desk.clock.set("2026-03-10 23:50")
    desk.answer(desk.sit(), EASY)
    desk.clock.set("2026-03-11 00:20")
    desk.answer(desk.sit(), EASY)
    assert {event.day for event in desk.events(Kind.ATTEMPT)} == {desk.clock.day}
    assert desk.sit().item is None
    desk.clock.set("2026-03-11 04:01")
    assert desk.sit().progress.new_left == 2


def test_intervals_in_days_are_due_in_the_morning_whenever_the_answer_was(desk):
    """SCH-07."""
    desk.clock.set("2026-03-10 22:10")
    desk.add("a")
    desk.sync()
    desk.put("a")
    session = desk.sit()
    days = session.reveal(desk.clock.now).good.interval_days
    desk.answer(session, GOOD)
    desk.clock.pass_s(86_400 * (days - 1) - 14 * 3600)  # the morning of the day before
    assert desk.sit().item is None
    desk.clock.pass_s(86_400)
    assert desk.sit().item is not None


def test_the_card_on_screen_is_kept_over_the_rollover_and_rated_on_the_new_day(desk, on_screen):
    """SCH-08, question side."""
    desk.clock.set("2026-03-11 03:58")
    desk.add("a", "tomorrow")
    desk.sync()
    desk.put("a")
    desk.put("tomorrow", due_in=1)
    session = desk.sit()
    assert session.progress.total == 1
    now = desk.clock.set("2026-03-11 04:00")
    assert session.tick(now)
    assert on_screen(session) == "a"
    assert session.progress.total == 2
    session.reveal(now)
    session.answer(GOOD, now, took_ms=1000)
    assert desk.events(Kind.ATTEMPT)[0].day == desk.clock.day
    assert on_screen(session) == "tomorrow"


@pytest.mark.parametrize("ticked", [True, False])
def test_a_key_pressed_after_the_day_turned_is_dropped_and_intervals_are_new(desk, ticked):
    desk.clock.set("2026-03-11 03:59")
    desk.add("a")
    desk.sync()
    desk.put("a")
    session = desk.sit()
    old = session.reveal(desk.clock.now)
    now = desk.clock.set("2026-03-11 04:01")
    if ticked:
        assert session.tick(now)
    with pytest.raises(DayTurned):
        session.answer(GOOD, now, took_ms=1000)
    assert desk.events() == []
    assert session.outcomes.day == old.day + 1
    session.answer(GOOD, now, took_ms=1000)
    assert desk.row("a").memory.last_day == old.day + 1


def test_a_finished_sitting_goes_on_with_the_new_day(desk, on_screen):
    desk.clock.set("2026-03-11 03:58")
    desk.add("a")
    desk.sync()
    desk.put("a", due_in=1)
    session = desk.sit()
    assert session.finish.reason == "all-done"
    assert session.tick(desk.clock.set("2026-03-11 04:01"))
    assert on_screen(session) == "a"


def test_ids_keep_the_order_of_answers_when_the_clock_is_set_back(desk):
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    session = desk.sit()
    first = desk.answer(session, GOOD)
    desk.clock.pass_s(-3600)
    second = desk.answer(session, GOOD)
    by_key = {desk.key(name): name for name in ("a", "b")}
    assert [by_key[event.card_key] for event in desk.events(Kind.ATTEMPT)] == [first, second]
