"""An oral exam's answer: locked once submitted, marked point by point by the learner, logged with its marks, on a clock."""

from __future__ import annotations

import json
from typing import Any

import pytest

from content.events import Kind, Purpose
from content.session import NotNow
from grading.memory import Phase, Rating


def test_the_rubric_is_not_to_be_had_before_the_answer_is_submitted(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    ask = exam.ask
    assert ask is not None
    for hidden in ("rubric", "proposals", "marks", "score"):
        with pytest.raises(NotNow):
            getattr(ask, hidden)
    for asked in (exam.earlier, exam.pasts, exam.came_back):
        with pytest.raises(NotNow):
            asked()
    with pytest.raises(NotNow):
        exam.answer(Rating.GOOD, exam_desk.clock.now)
    exam_desk.submit(exam)
    assert ask.rubric == exam_desk.rubric


def test_a_submitted_answer_stays_as_it_is(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    assert exam.ask is not None
    exam.ask.predict(80, exam_desk.clock.now)
    exam_desk.submit(exam)
    with pytest.raises(NotNow):
        exam.ask.write("more", exam_desk.clock.now)
    with pytest.raises(NotNow):
        exam.ask.predict(100, exam_desk.clock.now)
    with pytest.raises(NotNow):
        exam.ask.submit(exam_desk.clock.now)
    assert (exam.ask.text, exam.ask.confidence) == (exam_desk.an_answer, 80)


def test_marks_are_proposed_and_the_learner_decides(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    ask = exam.ask
    assert ask is not None
    assert ask.marks == {"gradients": 1.0, "links": 1.0, "bubble": 0.0, "stages": 0.0}
    assert ask.score.rating is Rating.AGAIN
    ask.mark("bubble", 0.5, exam_desk.clock.now)
    ask.mark("stages", 1.0, exam_desk.clock.now)
    assert (ask.score.share, ask.score.rating) == (0.875, Rating.GOOD)
    with pytest.raises(ValueError, match="no-such"):
        ask.mark("no-such", 1.0, exam_desk.clock.now)


def test_the_answer_is_logged_as_submitted_with_its_marks(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    assert exam.ask is not None
    exam.ask.predict(70, exam_desk.clock.now)
    exam_desk.submit(exam)
    exam.ask.mark("links", 0.5, exam_desk.clock.now)
    exam.answer(Rating.HARD, exam_desk.clock.now)
    (event,) = exam_desk.events(Kind.ATTEMPT)
    said = json.loads(event.response)
    assert (event.rating, event.proposed_rating, event.purpose) == (2, 1, Purpose.REVIEW)
    assert said["typed"] == exam_desk.an_answer
    assert said["points"] == {"gradients": 1.0, "links": 0.5, "bubble": 0.0, "stages": 0.0}
    assert said["proposed"]["links"] == 1.0
    assert (said["confidence"], said["form"], said["marked_by"]) == (70, "skeleton", "self")
    assert event.took_ms == 60_000


def test_a_spoken_answer_has_no_text(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam, "")
    result = exam.answer(Rating.AGAIN, exam_desk.clock.now)
    said = json.loads(exam_desk.events(Kind.ATTEMPT)[0].response)
    assert said["spoken"]
    assert "typed" not in said
    assert result.score is not None
    assert result.score.share == 0


def test_the_clock_stops_while_nobody_is_there(exam_desk: Any) -> None:
    ask = exam_desk.exam().ask
    assert ask is not None
    assert ask.clock_s == 90
    ask.write("a", exam_desk.clock.pass_s(20))
    assert ask.elapsed_ms(exam_desk.clock.pass_s(10)) == 30_000
    assert ask.elapsed_ms(exam_desk.clock.pass_s(3600)) == 20_000 + 300_000
    full = exam_desk.exam(form="full").ask
    assert full is not None
    assert full.clock_s == 480


def test_exam_answers_end_the_exam_however_they_were_rated(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam.ask is None
    assert exam_desk.row("q").memory.phase is Phase.LEARNING
