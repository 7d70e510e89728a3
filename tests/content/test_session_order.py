"""What a sitting shows next: cards in steps once their time has come, the chosen order, no siblings, lessons before new cards."""

from __future__ import annotations

import pytest

from content.events import Purpose
from content.session import LessonItem
from grading.memory import Rating

AGAIN, GOOD, EASY = Rating.AGAIN, Rating.GOOD, Rating.EASY


class TestSteps:
    def test_a_step_card_comes_first_once_its_time_has_come(self, desk, on_screen):
        """SCH-13: 30 due, one rated Again; a minute later it is put in front."""
        due = [f"d{index:02}" for index in range(30)]
        desk.add("missed", *due)
        desk.sync()
        desk.put(*due)
        desk.put_in_steps("missed", due_in_s=0)
        session = desk.sit()
        assert desk.answer(session, AGAIN, took_s=1) == "missed"
        shown = [desk.answer(session, GOOD, took_s=20) for _ in range(5)]
        assert shown[:3] == due[:3]
        assert shown[3] == "missed"

    def test_with_nothing_else_left_a_step_is_offered_early(self, desk):
        desk.add("a")
        desk.sync()
        assert desk.answer_all(desk.sit()) == ["a", "a"]

    def test_a_step_further_off_ends_the_sitting_and_says_when(self, new_desk, on_screen):
        desk = new_desk(learning_steps=("1h",))
        desk.add("a")
        desk.sync()
        session = desk.sit()
        desk.answer(session, AGAIN, took_s=0)
        assert session.item is None
        assert session.finish.next_due_ms == desk.clock.now.at_ms + 3_600_000
        assert not session.tick(desk.clock.pass_s(3599))
        assert session.tick(desk.clock.pass_s(1))
        assert on_screen(session) == "a"
        assert session.finish is None


class TestOrder:
    @pytest.mark.parametrize(
        ("order", "first", "last"), [("reviews-first", "d", "n"), ("new-first", "n", "d"), ("mixed", "d", "n")]
    )
    def test_the_chosen_order_is_kept(self, new_desk, order, first, last):
        """SES-10: 10 new, 10 due."""
        desk = new_desk(order=order, learning_steps=())
        due = [f"d{index}" for index in range(10)]
        desk.add(*(f"n{index}" for index in range(10)), *due)
        desk.sync()
        desk.put(*due)
        shown = desk.answer_all(desk.sit(), EASY)
        assert len(shown) == len(set(shown)) == 20
        assert (shown[0][0], shown[-1][0]) == (first, last)

    def test_siblings_are_not_shown_on_one_day(self, desk):
        """SES-08, and once more after one of them was answered."""
        desk.add("a#1", "a#2", sibling="p/a")
        desk.add("b")
        desk.sync()
        desk.put("a#1", "a#2", "b")
        session = desk.sit()
        assert session.progress.hidden_siblings == 1
        assert sorted(desk.answer_all(session)) == ["a#1", "b"]
        assert desk.sit().item is None

    def test_a_topic_can_be_studied_alone(self, desk):
        desk.add("a", topic="x")
        desk.add("b", topic="y")
        desk.sync()
        assert desk.answer_all(desk.sit(topic="p/y"), EASY) == ["b"]
        with pytest.raises(LookupError):
            desk.sit(topic="p/z")


class TestLessons:
    def test_a_lesson_comes_before_the_first_new_card_of_its_topic_once(self, desk, on_screen):
        desk.add("a1", "a2", topic="a", lesson="About a.")
        desk.add("b1", topic="b")
        desk.sync()
        session = desk.sit()
        assert isinstance(session.item, LessonItem)
        assert session.item.topic.lesson.en == "About a."
        session.lesson_read(desk.clock.now)
        assert on_screen(session) == "a1"
        assert desk.record.lessons_read() == {"p/a"}
        assert desk.answer_all(session, EASY) == ["a1", "a2", "b1"]

    def test_a_lesson_left_unread_is_offered_again_next_time(self, desk, on_screen):
        desk.add("a1", topic="a", lesson="About a.")
        desk.sync()
        session = desk.sit()
        session.skip(desk.clock.now)
        assert on_screen(session) == "a1"
        assert isinstance(desk.sit().item, LessonItem)

    def test_reviews_and_practice_need_no_lesson(self, desk, on_screen):
        desk.add("a1", topic="a", lesson="About a.")
        desk.sync()
        assert on_screen(desk.sit(purpose=Purpose.PRACTICE)) == "a1"
        desk.put("a1")
        assert on_screen(desk.sit()) == "a1"
