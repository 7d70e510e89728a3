"""A sitting of practice: it leaves the schedule alone, and a second pass on one day is practice."""

from __future__ import annotations

from content.events import Kind, Purpose
from grading.memory import Rating

AGAIN, EASY = Rating.AGAIN, Rating.EASY


def test_practice_leaves_the_schedule_alone_and_is_logged_as_practice(desk):
    names = [f"c{index}" for index in range(6)]
    desk.add(*names)
    desk.sync()
    desk.put(*names[:4], due_in=5)
    before = [desk.row(name) for name in names]
    session = desk.sit(purpose=Purpose.PRACTICE, topic="p/t")
    seen = [desk.answer(session, AGAIN if index % 2 else EASY) for index in range(6)]
    assert sorted(seen) == names
    assert len(desk.answer_all(session, EASY)) == 3, "misses come once more"
    assert [desk.row(name) for name in names] == before
    assert {event.purpose for event in desk.events(Kind.ATTEMPT)} == {Purpose.PRACTICE}
    assert session.finish.reason == "all-done"
    assert desk.sit().progress.new_left == 2


def test_a_second_pass_on_the_same_day_is_practice(desk):
    """SCH-11: ten times Easy within ten minutes is one Easy."""
    desk.add("a")
    desk.sync()
    session = desk.sit()
    desk.answer(session, EASY)
    once = desk.row("a")
    for _ in range(9):
        desk.actions.set_due(desk.key("a"), 0, desk.clock.now)
        again = desk.sit()
        assert again.item is None, "it was scheduled today"
        practice = desk.sit(purpose=Purpose.PRACTICE)
        desk.answer(practice, EASY)
    assert desk.row("a").memory.stability == once.memory.stability
