"""One damaged row of the record: it is named or read as far as it says anything, and everything else goes on."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from content.drafts import drafts, line_of, load_draft, save_line
from content.errors import DamagedMemory
from content.map_data import course_map
from content.queue import rows_of
from content.reading import CardFilter
from content.rebuilding import rebuild
from content.stats import topic_strength
from content.sweeping import plan_sweep
from content.today import choose
from content.week_of_drills import week_of_drills
from grading.days import date_of

IMPOSSIBLE = [
    "phase = 9",
    "phase = -1",
    "queue = 9",
    "step = -1",
    "stability = -1",
    "stability = 0",
    "stability = 9e999",
    "stability = NULL",
    "difficulty = NULL",
    "difficulty = 11.5",
    "difficulty = -50",
    "attempts = -1",
    "lapses = -1",
]


@pytest.fixture
def three(desk: Any) -> Any:
    """Three cards in review and due; damage is done to b."""
    desk.add("a", "b", "c")
    desk.sync()
    desk.put("a", "b", "c")
    return desk


def damage(desk: Any, change: str, name: str = "b") -> None:
    with desk.record.writing() as driver:
        driver.execute(f"UPDATE memory SET {change} WHERE card_key = ?", (desk.key(name),))


def damage_draft(desk: Any, **values: object) -> None:
    with desk.record.writing() as driver:
        for column, value in values.items():
            driver.execute(f"UPDATE draft SET {column} = ?", (value,))


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_a_memory_that_cannot_be_is_named_in_one_sentence_that_says_what_mends_it(three: Any, change: str) -> None:
    damage(three, change)
    with pytest.raises(DamagedMemory, match="card p/b is damaged; `shardrill rebuild`"):
        three.record.state(three.key("b"))
    with pytest.raises(DamagedMemory):
        three.record.memory(three.key("b"))


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_a_sitting_passes_it_over_names_it_once_and_asks_the_others(three: Any, change: str) -> None:
    damage(three, change)
    session = three.sit()
    assert set(three.answer_all(session)) == {"a", "c"}
    if change != "queue = 9":  # no sitting comes to it
        assert [fault.card_id for fault in session.newly_damaged()] == ["p/b"]
        assert session.newly_damaged() == []


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_the_list_of_cards_has_the_others_and_its_name(three: Any, change: str) -> None:
    damage(three, change)
    page = three.record.cards(CardFilter())
    assert [state.card.card_id for state in page.cards] == ["p/a", "p/c"]
    assert [fault.card_id for fault in page.damaged] == ["p/b"]


BEYOND_TIME = [
    "due_day = 1000000000",
    "last_day = -1000000000",
    "due_ms = 9223372036854775807",
    "last_ms = -9223372036854775807",
    "scheduled_days = -3",
]
"""What a log of odd events may lead to."""


@pytest.mark.parametrize("change", BEYOND_TIME)
def test_a_time_beyond_the_calendar_is_a_time(three: Any, change: str) -> None:
    damage(three, change)
    memory = three.row("b").memory
    assert date_of(memory.due_day) <= datetime.date.max
    assert {"a", "c"} <= set(three.answer_all(three.sit()))


@pytest.mark.parametrize("change", [*IMPOSSIBLE, *BEYOND_TIME])
def test_what_counts_and_sums_over_all_cards_goes_on(three: Any, change: str) -> None:
    damage(three, change)
    three.set(review_order="easiest", exam_date=datetime.date(2026, 3, 20))
    now = three.clock.now
    choose(rows_of(three.record), three.settings, now)
    plan_sweep(three.record, three.settings, now)
    three.record.topic_counts()
    [strength] = topic_strength(three.record, three.settings, three.clock.day)
    [topic] = course_map(three.record, three.settings, now).topics
    for recall in (strength.strength, topic.recall):
        assert isinstance(recall, float)
        assert 0 < recall <= 1


def test_what_no_answers_left_behind_is_made_good_by_rebuild(three: Any) -> None:
    damage(three, "phase = 9")
    rebuild(three.record, three.settings.plan())
    assert three.record.state(three.key("b")) is not None


@pytest.mark.parametrize(
    "points", ["{bad", "\0", "[]", "null", '{"gradients": "x"}', '{"gradients": 7}', "[" * 100_000]
)
def test_of_a_garbled_draft_the_text_is_kept_and_its_points_count_as_none(exam_desk: Any, points: str) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam, "a long answer")
    exam.leave(exam_desk.clock.now)
    damage_draft(exam_desk, points=points, confidence=900, spent_ms=-5)
    assert [draft.text for draft in drafts(exam_desk.record)] == ["a long answer"]
    ask = exam_desk.exam().ask
    assert (ask.text, dict(ask.decided), ask.confidence) == ("a long answer", {}, None)


def test_a_draft_of_an_unknown_form_is_not_offered_and_not_touched(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    exam.leave(exam_desk.clock.now)
    damage_draft(exam_desk, form="verse")
    assert drafts(exam_desk.record) == []
    assert load_draft(exam_desk.record, exam_desk.key("q"), "full") is None
    assert exam_desk.record.named_rows("SELECT form FROM draft") == [("verse",)]


def test_the_text_of_a_garbled_draft_is_kept_as_it_is(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    exam.leave(exam_desk.clock.now)
    save_line(exam_desk.record, exam_desk.key("a"), "r", "line", exam_desk.clock.now.at_ms)
    damage_draft(exam_desk, text="a\0b", points="\0")
    assert exam_desk.exam().ask.text == "a\0b"
    assert line_of(exam_desk.record, exam_desk.key("a")) == "a\0b"


def test_what_the_week_has_in_common_needs_the_card_and_not_its_memory(three: Any) -> None:
    damage(three, "phase = 9")
    week_of_drills(three.record, three.clock.day)
