"""One sitting: what is shown when, what an answer stores, how and why it ends."""

from __future__ import annotations

import json

import pytest

from content.events import Kind, Purpose
from content.session import DayTurned, LessonItem, NotNow
from grading.memory import Phase, Rating

AGAIN, HARD, GOOD, EASY = Rating


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


class TestDays:
    @pytest.mark.parametrize("zone", ["Asia/Shanghai", "America/Los_Angeles", "Asia/Kolkata", "UTC"])
    def test_a_one_day_card_is_due_once_at_the_start_of_the_next_study_day(self, desk, zone):
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

    def test_before_and_after_midnight_are_one_study_day(self, new_desk):
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

    def test_intervals_in_days_are_due_in_the_morning_whenever_the_answer_was(self, desk):
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

    def test_the_card_on_screen_is_kept_over_the_rollover_and_rated_on_the_new_day(self, desk, on_screen):
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
    def test_a_key_pressed_after_the_day_turned_is_dropped_and_intervals_are_new(self, desk, ticked):
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

    def test_a_finished_sitting_goes_on_with_the_new_day(self, desk, on_screen):
        desk.clock.set("2026-03-11 03:58")
        desk.add("a")
        desk.sync()
        desk.put("a", due_in=1)
        session = desk.sit()
        assert session.finish.reason == "all-done"
        assert session.tick(desk.clock.set("2026-03-11 04:01"))
        assert on_screen(session) == "a"

    def test_ids_keep_the_order_of_answers_when_the_clock_is_set_back(self, desk):
        desk.add("a", "b")
        desk.sync()
        desk.put("a", "b")
        session = desk.sit()
        first = desk.answer(session, GOOD)
        desk.clock.pass_s(-3600)
        second = desk.answer(session, GOOD)
        by_key = {desk.key(name): name for name in ("a", "b")}
        assert [by_key[event.card_key] for event in desk.events(Kind.ATTEMPT)] == [first, second]


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


class TestFinish:
    def test_says_why_there_is_nothing(self, desk):
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

    def test_counts_answers_and_misses_and_says_what_comes(self, desk):
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

    def test_a_daily_limit_is_named_and_can_be_passed(self, new_desk):
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

    def test_enough_for_today_once_the_minutes_are_spent_and_every_miss_was_recalled(self, new_desk, on_screen):
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

    def test_minutes_of_an_earlier_sitting_count(self, new_desk):
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


class TestPractice:
    def test_leaves_the_schedule_alone_and_is_logged_as_practice(self, desk):
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

    def test_a_second_pass_on_the_same_day_is_practice(self, desk):
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


class TestLeech:
    def lapse(self, desk, times):
        """Fail a mature card on separate days."""
        answers = []
        for _ in range(times):
            desk.put("a", lapses=desk.row("a").memory.lapses, leech=desk.row("a").memory.leech)
            session = desk.sit()
            session.reveal(desk.clock.now)
            answers.append(session.answer(AGAIN, desk.clock.now, took_ms=1000))
            desk.session = session
            desk.clock.pass_s(86_400)
        return answers

    @pytest.mark.parametrize("action", ["mark", "suspend"])
    def test_the_eighth_lapse_marks_and_undo_takes_lapse_mark_and_suspension_back(self, new_desk, action):
        """SES-16."""
        desk = new_desk(leech_action=action, reviews_per_day=9)
        desk.add("a")
        desk.sync()
        assert not any(answered.leech_now for answered in self.lapse(desk, 7))
        before = desk.row("a")
        [eighth] = self.lapse(desk, 1)
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
        assert [answered.leech_now for answered in self.lapse(desk, 4)] == [False, False, False, True]

    def test_the_card_just_answered_can_be_suspended_from_the_notice(self, desk, on_screen):
        desk.add("a", "b")
        desk.sync()
        desk.put("a", "b")
        session = desk.sit()
        first = desk.answer(session, AGAIN)
        showing = on_screen(session)
        session.suspend_card(f"p/{first}", desk.clock.now)
        assert on_screen(session) == showing
        assert desk.row(first).suspended
        assert desk.answer_all(session) == [showing]
        session.undo(desk.clock.now)
        session.undo(desk.clock.now)
        assert not desk.row(first).suspended
        assert session.progress.steps_left == 1


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
        assert desk.answer(desk.sit(), GOOD) == "a"


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
