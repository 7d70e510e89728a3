"""Cards that lapse again and again: the mark, the suspension, both taken back by undo."""

from __future__ import annotations

import pytest

from grading.memory import Rating


def lapse(desk, times):
    """Fail a mature card on separate days."""
    answers = []
    for _ in range(times):
        desk.put("a", lapses=desk.row("a").memory.lapses, leech=desk.row("a").memory.leech)
        session = desk.sit()
        session.reveal(desk.clock.now)
        answers.append(session.answer(Rating.AGAIN, desk.clock.now, took_ms=1000))
        desk.session = session
        desk.clock.pass_s(86_400)
    return answers


@pytest.mark.parametrize("action", ["mark", "suspend"])
def test_the_eighth_lapse_marks_and_undo_takes_lapse_mark_and_suspension_back(new_desk, action):
    """SES-16."""
    desk = new_desk(leech_action=action, reviews_per_day=9)
    desk.add("a")
    desk.sync()
    assert not any(answered.leech_now for answered in lapse(desk, 7))
    before = desk.row("a")
    [eighth] = lapse(desk, 1)
    assert eighth.leech_now
    assert eighth.suspended_by_leech == (action == "suspend")
    row = desk.row("a")
    assert (row.memory.lapses, row.memory.leech, row.suspended) == (8, True, action == "suspend")
    desk.session.undo(desk.clock.now)
    row = desk.row("a")
    assert (row.memory.lapses, row.memory.leech, row.suspended) == (before.memory.lapses, False, False)
    desk.session.redo(desk.clock.now)
    row = desk.row("a")
    assert (row.memory.lapses, row.memory.leech, row.suspended) == (8, True, action == "suspend")
    if action == "suspend":
        desk.actions.unsuspend(desk.key("a"), desk.clock.now)
    assert [answered.leech_now for answered in lapse(desk, 4)] == [False, False, False, True]


def test_the_card_just_answered_can_be_suspended_from_the_notice(desk, on_screen):
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    session = desk.sit()
    first = desk.answer(session, Rating.AGAIN)
    showing = on_screen(session)
    session.suspend_card(f"p/{first}", desk.clock.now)
    assert on_screen(session) == showing
    assert desk.row(first).suspended
    assert desk.answer_all(session) == [showing]
    session.undo(desk.clock.now)
    session.undo(desk.clock.now)
    assert not desk.row(first).suspended
    assert session.progress.steps_left == 1
