"""What a missed point of an oral answer does: its cards and drills are due today, and undo takes that back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from content.cards import Card, Text
from content.events import Kind, Purpose
from content.history import fold_card
from content.session import CardItem
from grading.memory import Rating


def test_a_missed_point_makes_its_cards_due_today(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    result = exam.answer(Rating.AGAIN, exam_desk.clock.now)
    # d and fresh are new, gone is in no pack, a and b belong to points that were said
    assert result.made_due == ("p/c",)
    assert [exam_desk.due_in(name) for name in "abcd"] == [5, 5, 0, None]
    (event,) = exam_desk.events(Kind.SET_DUE)
    assert json.loads(event.response)["because"] == "p/q:bubble"


def test_a_missed_point_brings_the_weakest_drills_that_use_its_cards(exam_desk: Any) -> None:
    formula = {"params": {"n": {"symbol": "N", "choices": ["2", "4"]}}, "answer": {"formula": "2*n"}, "steps": []}
    text = {"en": "How many? {n}", "zh": "多少？{n}"}
    drill = {**formula, "question": text, "title": text, "convention": text}
    for name, needs in (("d1", "c"), ("d2", "c"), ("d3", "c"), ("d4", "a"), ("d5", "c")):
        sides = (Text(**text), Text(**text))
        exam_desk.cards.append(
            Card(f"p/{name}", "drill", "p/t", *sides, ("s",), f"p/{name}", requires=(f"p/{needs}",), drill=drill)
        )
    exam_desk.sync()
    for name, stability in (("d1", 9.0), ("d2", 3.0), ("d3", 5.0), ("d4", 1.0)):
        exam_desk.put(name, due_in=6, stability=stability)
    exam = exam_desk.exam(cards=["p/q"])
    exam_desk.submit(exam)
    assert exam.answer(Rating.AGAIN, exam_desk.clock.now).made_due == ("p/c", "p/d2", "p/d3")


def test_half_a_point_is_not_missed_and_no_card_comes_later_than_it_would(exam_desk: Any) -> None:
    exam_desk.put("a", due_in=-3)
    exam = exam_desk.exam()
    exam_desk.submit(exam, "nothing of use")
    assert exam.ask is not None
    exam.ask.mark("bubble", 0.5, exam_desk.clock.now)
    exam.ask.mark("links", 0.5, exam_desk.clock.now)
    assert exam.answer(Rating.AGAIN, exam_desk.clock.now).made_due == ("p/b",)
    assert [exam_desk.due_in(name) for name in "abc"] == [-3, 0, 5]


def test_undo_takes_answer_and_dates_back_and_shows_the_marks_again(exam_desk: Any) -> None:
    exam = exam_desk.exam()
    exam_desk.submit(exam)
    assert exam.ask is not None
    exam.ask.mark("links", 0.0, exam_desk.clock.now)
    before = {name: exam_desk.row(name) for name in "abcq"}
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam.ask is None
    assert exam.undo(exam_desk.clock.now)
    assert {name: exam_desk.row(name) for name in "abcq"} == before
    assert exam.ask is not None
    assert (exam.ask.text, exam.ask.submitted, exam.ask.marks["links"]) == (exam_desk.an_answer, True, 0.0)
    assert exam.results == []
    assert exam.redo(exam_desk.clock.now)
    assert {name: exam_desk.row(name).memory.due_day for name in "bc"} == dict.fromkeys("bc", exam_desk.clock.day)
    assert not exam.redo(exam_desk.clock.now)


def test_an_exam_of_a_question_that_is_not_due_leaves_its_schedule_alone(exam_desk: Any) -> None:
    exam_desk.put("q", due_in=4)
    exam = exam_desk.exam(cards=["p/q"], form="full")
    assert not exam.moves_schedule
    exam_desk.submit(exam)
    before = exam_desk.row("q")
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam_desk.row("q") == before
    assert exam_desk.events(Kind.ATTEMPT)[0].purpose is Purpose.EXAM
    assert exam_desk.due_in("c") == 0


def test_the_question_in_the_daily_queue_brings_its_cards_up_in_the_same_sitting(exam_desk: Any) -> None:
    exam_desk.put("q", due_in=0)
    session = exam_desk.sit()
    while not (isinstance(session.item, CardItem) and session.item.card.kind == "oral"):
        exam_desk.answer(session, Rating.EASY)
    ask = session.oral(exam_desk.clock.now)
    assert session.oral(exam_desk.clock.now) is ask
    ask.write(exam_desk.an_answer, exam_desk.clock.now)
    ask.submit(exam_desk.clock.now)
    session.reveal(exam_desk.clock.now)
    answered = session.answer(ask.score.rating, exam_desk.clock.now, took_ms=60_000)
    assert "p/c" in answered.made_due
    assert "c" in exam_desk.answer_all(session)


def test_undo_in_the_daily_queue_takes_the_cards_out_of_the_sitting_again(exam_desk: Any) -> None:
    exam_desk.put("q", due_in=0)
    session = exam_desk.sit(topic="p/t")
    while not (isinstance(session.item, CardItem) and session.item.card.kind == "oral"):
        session.suspend(exam_desk.clock.now)
    before, left = {name: exam_desk.row(name) for name in "abcq"}, session.progress.total
    ask = session.oral(exam_desk.clock.now)
    ask.submit(exam_desk.clock.now)
    session.reveal(exam_desk.clock.now)
    answered = session.answer(Rating.AGAIN, exam_desk.clock.now, took_ms=9000)
    assert set(answered.made_due) == {"p/a", "p/b", "p/c"}
    assert session.progress.total == left + 4  # the three cards, and the question in its steps
    session.undo(exam_desk.clock.now)
    assert session.progress.total == left
    assert {name: exam_desk.row(name) for name in "abcq"} == before
    assert session.oral(exam_desk.clock.now) is ask
    session.redo(exam_desk.clock.now)
    assert session.progress.total == left + 4


@given(steps=st.lists(st.sampled_from(["answer", "miss", "undo", "redo", "skip"]), max_size=12))
@hypothesis_settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_log_alone_tells_what_exams_and_their_undos_left(new_desk: Any, steps: list[str]) -> None:
    desk = new_desk(new_per_day=99, minutes_per_day=300)
    desk.add("a", "b", "c", "d")
    desk.cards += [desk.oral(f"q{n}") for n in range(4)]
    desk.sync()
    session = desk.sit()
    while session.item is not None:
        if isinstance(session.item, CardItem) and session.item.card.kind == "oral":
            session.pass_over(desk.clock.now)
        else:
            desk.answer(session, Rating.EASY)
    desk.clock.set("2026-03-12 10:00")
    exam = desk.exam(cards=[f"p/q{n}" for n in range(4)])
    for step in steps:
        now = desk.clock.pass_s(3)
        if step == "undo":
            exam.undo(now)
        elif step == "redo":
            exam.redo(now)
        elif exam.ask is not None and step == "skip":
            exam.skip(now)
        elif exam.ask is not None:
            if not exam.ask.submitted:
                desk.submit(exam, desk.an_answer if step == "answer" else "")
            exam.answer(exam.ask.score.rating, desk.clock.now)
        assert len(exam.results) == exam.index
        for card in desk.cards:
            key = desk.key(card.id.removeprefix("p/"))
            assert fold_card(desk.record, key, desk.settings.plan()) == desk.record.memory(key)
    desk.record.close()
