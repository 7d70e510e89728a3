"""An answer in a sitting: only to a card whose answer is shown, stored before the next card, in few statements."""

from __future__ import annotations

import json

import pytest

from content.events import Kind, Purpose
from content.session import NotNow
from grading.memory import Phase, Rating

AGAIN, GOOD = Rating.AGAIN, Rating.GOOD


def test_an_answer_is_stored_before_the_next_card_is_shown(desk, on_screen):
    desk.add("a", "b")
    desk.sync()
    desk.put("a", due_in=-1)
    session = desk.sit()
    assert (on_screen(session), session.outcomes) == ("a", None)
    outcome = session.reveal(desk.clock.now).good
    answered = session.answer(GOOD, desk.clock.pass_s(4), took_ms=4000, response={"typed": "x", "proposed_rating": 2})
    assert (answered.card_id, answered.interval_days, answered.delay_s) == ("p/a", outcome.interval_days, None)
    memory = desk.row("a").memory
    assert (memory.stability, memory.due_day) == (outcome.stability, desk.clock.day + outcome.interval_days)
    [event] = desk.events(Kind.ATTEMPT)
    assert (event.rating, event.proposed_rating, event.took_ms, event.purpose) == (3, 2, 4000, Purpose.REVIEW)
    assert (event.phase_before, event.phase_after, event.due_day) == (Phase.REVIEW, Phase.REVIEW, memory.due_day)
    assert json.loads(event.response) == {"v": 1, "typed": "x"}
    assert event.card_rev == desk.record.card("p/a").rev
    assert on_screen(session) == "b"


def test_a_rating_does_nothing_before_the_answer_is_shown(desk):
    """SES-01."""
    desk.add("a")
    desk.sync()
    session = desk.sit()
    with pytest.raises(NotNow):
        session.answer(GOOD, desk.clock.now, took_ms=1)
    assert desk.events() == []


def test_a_first_miss_is_a_first_try_and_no_lapse(desk):
    desk.add("a")
    desk.sync()
    session = desk.sit()
    session.reveal(desk.clock.now)
    assert session.answer(AGAIN, desk.clock.now, took_ms=1).first_try
    session.reveal(desk.clock.now)
    assert not session.answer(AGAIN, desk.clock.now, took_ms=1).first_try
    assert desk.row("a").memory.lapses == 0


@pytest.mark.parametrize("count", [5, 150])
def test_an_answer_costs_four_statements_however_long_the_queue_is(desk, count):
    """The next card was read while the answer was looked at; what is left is one transaction."""
    names = [f"c{index:03}" for index in range(count)]
    desk.add(*names)
    desk.sync()
    desk.put(*names)
    session = desk.sit()
    desk.answer(session, GOOD)
    driver = desk.driver
    session.reveal(desk.clock.now)
    seen = []
    driver.set_trace_callback(seen.append)
    session.answer(GOOD, desk.clock.now, took_ms=1000)
    driver.set_trace_callback(None)
    assert [statement.split()[0] for statement in seen] == ["BEGIN", "INSERT", "UPDATE", "COMMIT"]
    assert session.item is not None


def test_a_card_changed_after_it_was_read_ahead_is_read_again(desk, on_screen):
    desk.add("a", "b", "c")
    desk.sync()
    desk.put("a", "b", "c")
    session = desk.sit()
    session.reveal(desk.clock.now)
    desk.actions.note(desk.key("b"), "fresh", desk.clock.now)
    session.answer(GOOD, desk.clock.now, took_ms=1000)
    assert (on_screen(session), session.item.note) == ("b", "fresh")
    session.reveal(desk.clock.now)
    desk.actions.suspend(desk.key("c"), desk.clock.now)
    session.answer(GOOD, desk.clock.now, took_ms=1000)
    assert session.item is None
