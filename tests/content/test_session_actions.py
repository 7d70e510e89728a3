"""What can be done to the card on screen besides answering it, in the sitting or from another screen over it."""

from __future__ import annotations

import pytest

from content.events import Kind
from grading.memory import Phase, Rating


class TestManualDates:
    def test_a_card_can_be_pushed_pulled_reset_and_rated_afterwards(self, desk, on_screen):
        """SCH-17."""
        desk.add("a", "b")
        desk.sync()
        for rating in Rating:
            desk.put("a", due_in=-1)
            session = desk.sit()
            session.set_due(7, desk.clock.now)
            assert desk.row("a").memory.due_day == desk.clock.day + 7
            session.undo(desk.clock.now)
            assert desk.row("a").memory.due_day == desk.clock.day - 1
            session.set_due(0, desk.clock.now)
            assert on_screen(session) == "a"
            assert desk.row("a").memory.due_day == desk.clock.day
            session.reset(desk.clock.now)
            assert (on_screen(session), session.item.is_new, session.outcomes) == ("a", True, None)
            session.reveal(desk.clock.now)
            session.answer(rating, desk.clock.now, took_ms=1000)
            session.undo(desk.clock.now)
            session.undo(desk.clock.now)
            assert desk.row("a").memory.phase is Phase.REVIEW
        kinds = {event.kind for event in desk.events()}
        assert {Kind.SET_DUE, Kind.RESET} <= kinds

    def test_a_new_card_with_a_date_can_be_rated(self, desk):
        desk.add("a")
        desk.sync()
        session = desk.sit()
        session.set_due(2, desk.clock.now)
        assert session.item is None
        desk.clock.pass_s(2 * 86_400)
        assert desk.answer(desk.sit(), Rating.GOOD) == "a"


class TestSkipAndSuspend:
    def test_a_skipped_card_returns_later_in_the_sitting(self, desk, on_screen):
        """SES-14."""
        names = ["a", "b", "c"]
        desk.add(*names)
        desk.sync()
        desk.put(*names)
        session = desk.sit()
        before = session.progress
        session.skip(desk.clock.now)
        assert on_screen(session) == "b"
        assert session.progress == before
        assert desk.answer_all(session) == ["b", "c", "a"]

    def test_a_suspended_card_keeps_its_history_and_is_gone_until_unsuspended(self, desk, on_screen):
        desk.add("a", "b")
        desk.sync()
        desk.put("a", "b")
        session = desk.sit()
        session.suspend(desk.clock.now)
        assert on_screen(session) == "b"
        assert session.progress.total == 1
        assert desk.row("a").memory.stability == 10.0
        assert desk.sit().progress.total == 1
        desk.actions.unsuspend(desk.key("a"), desk.clock.now)
        assert desk.sit().progress.total == 2

    def test_a_buried_card_is_back_on_the_next_day(self, desk, on_screen):
        desk.add("a", "b")
        desk.sync()
        desk.put("a", "b")
        session = desk.sit()
        session.bury(desk.clock.now)
        assert on_screen(session) == "b"
        assert desk.sit().progress.total == 1
        desk.clock.pass_s(86_400)
        assert desk.sit().progress.total == 2

    def test_a_card_suspended_elsewhere_meanwhile_is_not_shown(self, desk):
        desk.add("a", "b", "c")
        desk.sync()
        desk.put("a", "b", "c")
        session = desk.sit()
        desk.actions.suspend(desk.key("b"), desk.clock.now)
        assert desk.answer_all(session) == ["a", "c"]
        assert session.progress.total == session.progress.done == 2

    def test_flag_and_note_keep_the_card_on_screen_and_the_answer_shown(self, desk, on_screen):
        """SES-13."""
        desk.add("a")
        desk.sync()
        desk.put("a")
        session = desk.sit()
        session.reveal(desk.clock.now)
        memory = desk.row("a").memory
        assert session.flag(desk.clock.now)
        session.note("mine", desk.clock.now)
        assert (on_screen(session), session.item.flag, session.item.note) == ("a", 1, "mine")
        assert session.outcomes is not None
        assert desk.row("a").memory == memory
        assert not session.flag(desk.clock.now)
        session.note("", desk.clock.now)
        assert (session.item.flag, session.item.note) == (0, None)


class TestChangedElsewhere:
    """Card info, open over the sitting, acts on the card on screen."""

    def test_nothing_changed_is_no_reason_to_draw(self, desk):
        desk.add("a")
        desk.sync()
        assert not desk.sit().refresh(desk.clock.now)

    @pytest.mark.parametrize("how", ["suspend", "bury", "push"])
    def test_a_card_taken_away_makes_room_for_the_next(self, desk, on_screen, how):
        desk.add("a", "b")
        desk.sync()
        desk.put("a", "b")
        session = desk.sit()
        key, now = desk.key("a"), desk.clock.now
        {
            "suspend": lambda: desk.actions.suspend(key, now),
            "bury": lambda: desk.actions.bury(key, now),
            "push": lambda: desk.actions.set_due(key, 5, now),
        }[how]()
        assert session.refresh(now)
        assert on_screen(session) == "b"
        assert session.progress.total == 1

    def test_a_card_reset_is_a_new_one_and_a_note_is_read(self, desk, on_screen):
        desk.add("a")
        desk.sync()
        desk.put("a")
        session = desk.sit()
        session.reveal(desk.clock.now)
        desk.actions.note(desk.key("a"), "look", desk.clock.now)
        assert session.refresh(desk.clock.now)
        assert (session.item.note, session.outcomes is not None) == ("look", True)
        desk.actions.reset(desk.key("a"), desk.clock.now)
        assert session.refresh(desk.clock.now)
        assert (on_screen(session), session.item.is_new, session.progress.new_left) == ("a", True, 1)
        assert session.outcomes.good.phase is Phase.LEARNING
