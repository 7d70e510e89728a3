"""What is done to a card outside a sitting."""

from __future__ import annotations

import pytest

from content.events import Kind
from grading.memory import Phase, Rating


def test_flag_note_suspend_and_date_change_what_they_name_and_nothing_else(desk):
    desk.add("a")
    desk.sync()
    desk.put("a", due_in=4)
    key, now, before = desk.key("a"), desk.clock.now, desk.row("a")
    assert desk.actions.flag(key, now)
    desk.actions.note(key, "why?", now)
    desk.actions.suspend(key, now)
    row = desk.row("a")
    assert (row.flag, row.note, row.suspended, row.memory) == (1, "why?", True, before.memory)
    assert not desk.actions.flag(key, now)
    desk.actions.note(key, "", now)
    desk.actions.unsuspend(key, now)
    assert desk.row("a") == before
    desk.actions.set_due(key, 9, now)
    assert desk.row("a").memory.due_day == desk.clock.day + 9
    desk.actions.reset(key, now)
    assert desk.row("a").memory.phase is Phase.NEW


def test_an_old_answer_is_retracted_and_restored(desk):
    desk.add("a")
    desk.sync()
    desk.answer(desk.sit(), Rating.EASY)
    first = desk.row("a")
    desk.clock.pass_s(30 * 86_400)
    desk.answer(desk.sit(), Rating.AGAIN)
    both = desk.row("a")
    second = desk.events(Kind.ATTEMPT)[-1].event_id
    desk.actions.retract(second, desk.clock.now)
    assert desk.row("a") == first
    desk.actions.restore(second, desk.clock.now)
    assert desk.row("a") == both


def test_what_is_not_there_is_named(desk):
    with pytest.raises(LookupError, match="no card"):
        desk.actions.suspend(99, desk.clock.now)
    with pytest.raises(LookupError, match="no event"):
        desk.actions.retract("0" * 32, desk.clock.now)
