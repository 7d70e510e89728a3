"""Mock exams: several questions against one clock, questions passed over, and the report at the end."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from content.events import Kind, Purpose
from content.exam import ExamSession
from content.exam_report import report
from grading.memory import Rating


@pytest.fixture
def mock(exam_desk: Any) -> Callable[..., ExamSession]:
    exam_desk.cards += [exam_desk.oral("r"), exam_desk.oral("s")]
    exam_desk.sync()
    return lambda **how: exam_desk.exam(count=3, minutes=10, seed=5, **how)


def test_a_mock_exam_moves_no_question_and_makes_missed_cards_due(mock: Any, exam_desk: Any) -> None:
    exam = mock()
    assert exam.ask.form == "full"
    assert len({question.card.id for question in exam.questions}) == 3
    exam_desk.submit(exam)
    exam.answer(Rating.GOOD, exam_desk.clock.now)
    assert {event.purpose for event in exam_desk.events(Kind.ATTEMPT)} == {Purpose.EXAM}
    assert exam_desk.due_in("c") == 0
    assert exam.left_ms(exam_desk.clock.now) == 9 * 60_000
    assert exam.left_ms(exam_desk.clock.pass_s(600)) == -60_000
    assert exam.ask is not None  # the clock blocks nothing


def test_a_question_passed_over_keeps_its_draft_and_can_be_had_again(mock: Any, exam_desk: Any) -> None:
    exam = mock()
    first = exam.ask.card.id
    exam.ask.write("half", exam_desk.clock.pass_s(1))
    exam.skip(exam_desk.clock.now)
    assert exam.results[0].rating is None
    assert exam.ask.card.id != first
    exam.undo(exam_desk.clock.now)
    assert (exam.ask.card.id, exam.ask.text, exam.index) == (first, "half", 0)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_report_tells_points_answers_and_what_is_due(mock: Any, exam_desk: Any, lang: str) -> None:
    exam = mock(lang=lang)
    exam.ask.predict(90, exam_desk.clock.now)
    exam_desk.submit(exam, "all-reduce\n```\n# not a heading\n```` <b>")
    exam.answer(Rating.HARD, exam_desk.clock.now)
    exam_desk.submit(exam, "")
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    exam.skip(exam_desk.clock.now)
    text = report(exam.results, datetime.date(2026, 3, 10), lang, elapsed_ms=240_000, minutes=10)
    assert text.startswith("# Mock exam 2026-03-10" if lang == "en" else "# 模拟口试 2026-03-10")
    assert "`````text\nall-reduce\n```\n# not a heading\n```` <b>\n`````" in text
    assert text.count("\\[x\\]") == 1
    assert text.count("\\[ \\]") == 7
    assert ("| 90 % | 25 % |" if lang == "en" else "| 90 % | 25 % | 困难 |") in text
    assert "`p/c`" in text
    outside = text.replace("`````text\nall-reduce\n```\n# not a heading\n```` <b>\n`````", "")
    assert [line for line in outside.splitlines() if line.startswith("#")][1:] == [
        f"## {n}. {q.card.front.of(lang)}" for n, q in enumerate(exam.questions, start=1)
    ]
