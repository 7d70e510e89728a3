"""An oral question asked again: what was missed last time, which points came back, and the earlier answers to compare with."""

from __future__ import annotations

from typing import Any

from content.oral_history import earlier_answers
from grading.memory import Rating


def answer_once(desk: Any, text: str, rating: Rating = Rating.GOOD) -> Any:
    exam = desk.exam(cards=["p/q"])
    desk.submit(exam, text)
    back = exam.came_back()
    return exam.answer(rating, desk.clock.now), back


def test_next_time_the_question_says_how_many_were_missed_and_then_which_came_back(exam_desk: Any) -> None:
    answer_once(exam_desk, exam_desk.an_answer)
    exam_desk.clock.set("2026-03-12 10:00")
    exam = exam_desk.exam(cards=["p/q"])
    assert exam.missed_last_time() == 2
    exam_desk.submit(exam, "The bubble.")
    assert (exam.came_back().back, exam.came_back().missing) == (("bubble",), ("stages",))
    pasts = {past.point_id: [share for _, share in past.marks] for past in exam.pasts()}
    assert pasts == {"gradients": [1.0], "links": [1.0], "bubble": [0.0], "stages": [0.0]}


def test_earlier_answers_keep_their_own_rubric_and_compare_in_percent(exam_desk: Any) -> None:
    """RUB-05: from four points to five."""
    answer_once(exam_desk, exam_desk.an_answer)
    exam_desk.cards[-1] = exam_desk.oral(rubric=(*exam_desk.rubric, exam_desk.point("sixth", "six", weight=4.0)))
    exam_desk.sync()
    exam_desk.clock.set("2026-03-12 10:00")
    answer_once(exam_desk, exam_desk.an_answer)
    card = exam_desk.cards[-1]
    now, then = earlier_answers(exam_desk.record, card, exam_desk.key("q"))
    assert (len(then.rubric), len(now.rubric)) == (4, 5)
    assert (then.same_rubric, now.same_rubric) == (False, True)
    assert (then.share, now.share) == (0.5, 0.25)
    assert then.text == now.text == exam_desk.an_answer


def test_an_answer_taken_back_is_not_among_the_earlier_ones(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    exam.answer(Rating.GOOD, exam_desk.clock.now)
    exam.undo(exam_desk.clock.now)
    assert exam.earlier() == ()
