"""Which oral question is asked: the one of the day, none, or so many drawn at random."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content.exam import daily_question, random_questions


def test_the_question_of_the_day_is_the_one_begun_or_due_or_new(exam_desk: Any) -> None:
    exam_desk.cards += [exam_desk.oral("r"), exam_desk.oral("s")]
    exam_desk.sync()

    def today() -> str:
        found = daily_question(exam_desk.record, exam_desk.settings, exam_desk.clock.now)
        assert found is not None
        return found.card.id

    assert today() == "p/q"
    exam_desk.put("q", due_in=9)
    exam_desk.put("r", due_in=-1)
    assert today() == "p/r"
    exam_desk.put("r", due_in=2)
    assert today() == "p/s"
    exam_desk.put("s", due_in=5)
    assert today() == "p/r"
    ask = exam_desk.exam(cards=["p/q"]).ask
    assert ask is not None
    ask.write("begun", exam_desk.clock.pass_s(2))
    assert today() == "p/q"


def test_no_question_is_no_error_and_an_unknown_one_is(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    assert desk.exam().ask is None
    with pytest.raises(LookupError, match="p/x"):
        desk.exam(cards=["p/x"])


@given(seed=st.integers(0, 2**63 - 1), count=st.integers(0, 9))
def test_random_questions_are_each_asked_once(seed: int, count: int) -> None:
    found = list("abcdef")
    drawn = random_questions(found, count, seed)  # type: ignore[arg-type]
    assert len(drawn) == len(set(drawn)) == min(count, 6)
    assert drawn == random_questions(found, count, seed)  # type: ignore[arg-type]
