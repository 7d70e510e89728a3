"""Why a sitting ends, what its last line counts, and going on after a limit or after enough."""

from __future__ import annotations

from grading.memory import Rating

AGAIN, GOOD = Rating.AGAIN, Rating.GOOD


def test_the_finish_says_why_there_is_nothing(desk):
    """SES-04."""
    assert desk.sit().finish.reason == "no-cards"
    desk.add("a", "b")
    desk.sync()
    for name in ("a", "b"):
        desk.actions.suspend(desk.key(name), desk.clock.now)
    assert desk.sit().finish.reason == "all-suspended"
    desk.actions.unsuspend(desk.key("a"), desk.clock.now)
    desk.put("a", due_in=3)
    finish = desk.sit().finish
    assert (finish.reason, finish.next_due_day, finish.answered) == ("all-done", desk.clock.day + 3, 0)


def test_the_finish_counts_answers_and_misses_and_says_what_comes(desk):
    desk.add("a", "b", "c")
    desk.sync()
    desk.put("a", "b")
    desk.put("c", due_in=1)
    session = desk.sit()
    missed = desk.answer(session, AGAIN)
    desk.answer_all(session)
    finish = session.finish
    assert (finish.answered, finish.missed, finish.again_count) == (3, (f"p/{missed}",), 1)
    assert finish.spent_ms == 30_000
    assert finish.tomorrow_count == 1 + (desk.row(missed).memory.due_day == desk.clock.day + 1)


def test_a_daily_limit_is_named_and_can_be_passed(new_desk):
    desk = new_desk(reviews_per_day=2)
    names = ["a", "b", "c", "d"]
    desk.add(*names)
    desk.sync()
    desk.put(*names)
    session = desk.sit()
    assert len(desk.answer_all(session)) == 2
    assert (session.finish.reason, session.finish.more_due) == ("limit", True)
    session.go_on(desk.clock.now)
    assert session.progress.done == 2
    assert len(desk.answer_all(session)) == 2
    assert session.finish.reason == "all-done"


def test_it_is_enough_for_today_once_the_minutes_are_spent_and_every_miss_was_recalled(new_desk, on_screen):
    desk = new_desk(minutes_per_day=1, order="reviews-first")
    due = [f"d{index}" for index in range(8)]
    desk.add(*due)
    desk.sync()
    desk.put(*due)
    session = desk.sit()
    assert desk.answer(session, AGAIN, took_s=20) == "d0"
    desk.answer(session, GOOD, took_s=20)
    desk.answer(session, GOOD, took_s=20)
    assert on_screen(session) == "d0", "the miss must be recalled before the day is enough"
    desk.answer(session, AGAIN, took_s=5)
    assert on_screen(session) == "d0"
    desk.answer(session, GOOD, took_s=5)
    assert session.finish.reason == "enough"
    assert session.finish.more_due
    session.go_on(desk.clock.now)
    assert len(desk.answer_all(session)) == 5
    assert session.finish.reason == "all-done"


def test_minutes_of_an_earlier_sitting_count(new_desk):
    desk = new_desk(minutes_per_day=1)
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    desk.answer(desk.sit(), GOOD, took_s=61)
    session = desk.sit()
    assert session.finish.reason == "enough"
    assert session.progress.spent_ms == 61_000
    session.go_on(desk.clock.now)
    assert session.item is not None
