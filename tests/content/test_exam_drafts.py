"""Drafts of oral answers: what is left after a kill, how often they are written, one a form, gone with the answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from content.drafts import drafts, load_draft
from content.events import Kind
from content.session import NotNow
from content.store import Record
from grading.memory import Rating


def test_a_draft_is_there_again_after_a_kill(exam_desk: Any) -> None:
    """RUB-04: 200 characters, then the program is gone without a word."""
    ask = exam_desk.exam().ask
    assert ask is not None
    text = "梯度 gradient\n" * 20
    for length in range(1, len(text) + 1):
        ask.write(text[:length], exam_desk.clock.pass_s(0.2))
        ask.tick(exam_desk.clock.now)
    kept = load_draft(exam_desk.record, exam_desk.key("q"), "skeleton")
    assert kept is not None
    assert len(text) - len(kept.text) <= 5  # what was typed within the last second
    exam_desk.record.close()
    exam_desk.record = Record.open(exam_desk.folder)
    again = exam_desk.exam().ask
    assert again is not None
    assert (again.text, again.resumed, again.submitted) == (kept.text, True, False)
    assert again.elapsed_ms(exam_desk.clock.now) > 45_000


def test_half_a_rubric_is_a_draft_and_no_result(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    assert exam.ask is not None
    exam.ask.mark("gradients", 0.5, exam_desk.clock.pass_s(2))
    exam.ask.mark("links", 0.0, exam_desk.clock.pass_s(0.1))
    exam.leave(exam_desk.clock.now)
    assert exam_desk.events(Kind.ATTEMPT, Kind.SET_DUE) == []
    ask = exam_desk.exam().ask
    assert ask is not None
    assert (ask.submitted, dict(ask.decided)) == (True, {"gradients": 0.5, "links": 0.0})
    with pytest.raises(NotNow):
        ask.write("changed after all", exam_desk.clock.now)


def test_nothing_is_written_more_than_once_a_second(exam_desk: Any) -> None:
    ask = exam_desk.exam().ask
    assert ask is not None
    before = exam_desk.record.writes
    for length in range(40):
        ask.write("x" * length, exam_desk.clock.pass_s(0.1))
    assert exam_desk.record.writes - before <= 5
    ask.leave(exam_desk.clock.now)
    kept = load_draft(exam_desk.record, exam_desk.key("q"), "skeleton")
    assert kept is not None
    assert kept.text == "x" * 39


def test_skeleton_and_full_answer_have_a_draft_each_and_the_answer_takes_its_own_away(exam_desk: Any) -> None:
    full, skeleton = exam_desk.exam(form="full"), exam_desk.exam()
    assert full.ask is not None
    full.ask.write("long", exam_desk.clock.pass_s(1))
    full.leave(exam_desk.clock.now)
    exam_desk.submit(skeleton)
    assert {draft.form for draft in drafts(exam_desk.record)} == {"skeleton", "full"}
    skeleton.answer(Rating.GOOD, exam_desk.clock.now)
    assert [draft.form for draft in drafts(exam_desk.record)] == ["full"]
    skeleton.undo(exam_desk.clock.now)
    assert {draft.form for draft in drafts(exam_desk.record)} == {"skeleton", "full"}
    skeleton.redo(exam_desk.clock.now)
    assert [draft.form for draft in drafts(exam_desk.record)] == ["full"]


@given(texts=st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=80), min_size=1, max_size=5))
@hypothesis_settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_survives_as_it_was(exam_desk: Any, texts: list[str]) -> None:
    ask = exam_desk.exam().ask
    assert ask is not None
    for text in texts:
        ask.write(text, exam_desk.clock.pass_s(0.5))
    ask.leave(exam_desk.clock.now)
    again = exam_desk.exam().ask
    assert again is not None
    assert again.text == texts[-1]


def test_a_changed_rubric_is_marked_anew_and_the_text_kept(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    assert exam.ask is not None
    exam.ask.mark("links", 0.0, exam_desk.clock.pass_s(2))
    exam_desk.cards[-1] = exam_desk.oral(rubric=exam_desk.rubric[:3])
    exam_desk.sync()
    ask = exam_desk.exam().ask
    assert ask is not None
    assert (ask.text, ask.submitted, dict(ask.decided)) == (exam_desk.an_answer, True, {})
