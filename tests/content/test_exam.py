"""Oral exams: confidence, a locked answer, marks point by point, drafts that survive, cards made due, history, follow-ups."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from content.cards import Card, RubricPoint, Terms, Text
from content.drafts import drafts, load_draft
from content.drilling import GIVEN_UP, give_up, grade_typed
from content.drills import drill_of
from content.events import Kind, Purpose
from content.exam import ExamSession, daily_question, random_questions
from content.exam_report import report
from content.follow_ups import FollowUps, one_changed
from content.history import fold_card
from content.library import load_pack
from content.oral_history import earlier_answers
from content.pack_rows import sync
from content.session import CardItem, NotNow
from content.store import Record
from grading.drill import draw
from grading.memory import Phase, Rating

PACK = Path(__file__).parents[2] / "content" / "packs" / "distributed-training-map"
ANSWER = "DP does an all-reduce of the gradients. TP needs NVLink."


def point(name: str, *words: str, key: bool = False, cards: tuple[str, ...] = (), weight: float = 1.0) -> RubricPoint:
    return RubricPoint(
        name, Text(f"{name}: {', '.join(words)}", f"{name}：{'、'.join(words)}"), weight, key, Terms(words, words),
        cards=cards,
    )  # fmt: skip


RUBRIC = (
    point("gradients", "all-reduce", key=True, cards=("p/a", "p/b")),
    point("links", "NVLink", cards=("p/b", "p/c")),
    point("bubble", "bubble", cards=("p/c", "p/fresh", "p/gone")),
    point("stages", "stages", cards=("p/d",)),
)


def oral(name: str = "q", rubric: tuple[RubricPoint, ...] = RUBRIC, **fields: object) -> Card:
    question, answer = Text(f"{name}: what moves where?", f"{name}：什么在哪里移动？"), Text("All.", "全部。")
    return Card(
        f"p/{name}", "oral", "p/t", question, answer, ("course",), f"p/{name}", minutes=8, rubric=rubric,
        model_answer=answer, **fields,
    )  # fmt: skip


@pytest.fixture
def exam_desk(desk: Any) -> Any:
    """Cards a, b and c in review, due in some days; d was never met, nor was fresh; and one question."""
    desk.add("a", "b", "c", "d", "fresh")
    desk.cards.append(oral())
    desk.sync()
    desk.put("a", "b", "c", due_in=5)
    return desk


def begin(desk: Any, **how: Any) -> ExamSession:
    return ExamSession(desk.record, desk.settings, desk.clock.now, new_id=desk.new_id, **how)


def submit(exam: ExamSession, desk: Any, text: str = ANSWER) -> None:
    assert exam.ask is not None
    exam.ask.write(text, desk.clock.pass_s(30))
    exam.ask.submit(desk.clock.pass_s(30))


def due_in(desk: Any, name: str) -> int | None:
    due = desk.row(name).memory.due_day
    return None if due is None else due - desk.clock.day


# -- answering


def test_the_rubric_is_not_to_be_had_before_the_answer_is_submitted(exam_desk: Any) -> None:
    exam = begin(exam_desk)
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
    submit(exam, exam_desk)
    assert ask.rubric == RUBRIC


def test_a_submitted_answer_stays_as_it_is(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    assert exam.ask is not None
    exam.ask.predict(80, exam_desk.clock.now)
    submit(exam, exam_desk)
    with pytest.raises(NotNow):
        exam.ask.write("more", exam_desk.clock.now)
    with pytest.raises(NotNow):
        exam.ask.predict(100, exam_desk.clock.now)
    with pytest.raises(NotNow):
        exam.ask.submit(exam_desk.clock.now)
    assert (exam.ask.text, exam.ask.confidence) == (ANSWER, 80)


def test_marks_are_proposed_and_the_learner_decides(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
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
    exam = begin(exam_desk)
    assert exam.ask is not None
    exam.ask.predict(70, exam_desk.clock.now)
    submit(exam, exam_desk)
    exam.ask.mark("links", 0.5, exam_desk.clock.now)
    exam.answer(Rating.HARD, exam_desk.clock.now)
    (event,) = exam_desk.events(Kind.ATTEMPT)
    said = json.loads(event.response)
    assert (event.rating, event.proposed_rating, event.purpose) == (2, 1, Purpose.REVIEW)
    assert said["typed"] == ANSWER
    assert said["points"] == {"gradients": 1.0, "links": 0.5, "bubble": 0.0, "stages": 0.0}
    assert said["proposed"]["links"] == 1.0
    assert (said["confidence"], said["form"], said["marked_by"]) == (70, "skeleton", "self")
    assert event.took_ms == 60_000


def test_a_spoken_answer_has_no_text(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk, "")
    result = exam.answer(Rating.AGAIN, exam_desk.clock.now)
    said = json.loads(exam_desk.events(Kind.ATTEMPT)[0].response)
    assert said["spoken"]
    assert "typed" not in said
    assert result.score is not None
    assert result.score.share == 0


def test_the_clock_stops_while_nobody_is_there(exam_desk: Any) -> None:
    ask = begin(exam_desk).ask
    assert ask is not None
    assert ask.clock_s == 90
    ask.write("a", exam_desk.clock.pass_s(20))
    assert ask.elapsed_ms(exam_desk.clock.pass_s(10)) == 30_000
    assert ask.elapsed_ms(exam_desk.clock.pass_s(3600)) == 20_000 + 300_000
    full = begin(exam_desk, form="full").ask
    assert full is not None
    assert full.clock_s == 480


# -- drafts


def test_a_draft_is_there_again_after_a_kill(exam_desk: Any) -> None:
    """RUB-04: 200 characters, then the program is gone without a word."""
    ask = begin(exam_desk).ask
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
    again = begin(exam_desk).ask
    assert again is not None
    assert (again.text, again.resumed, again.submitted) == (kept.text, True, False)
    assert again.elapsed_ms(exam_desk.clock.now) > 45_000


def test_half_a_rubric_is_a_draft_and_no_result(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    assert exam.ask is not None
    exam.ask.mark("gradients", 0.5, exam_desk.clock.pass_s(2))
    exam.ask.mark("links", 0.0, exam_desk.clock.pass_s(0.1))
    exam.leave(exam_desk.clock.now)
    assert exam_desk.events(Kind.ATTEMPT, Kind.SET_DUE) == []
    ask = begin(exam_desk).ask
    assert ask is not None
    assert (ask.submitted, dict(ask.decided)) == (True, {"gradients": 0.5, "links": 0.0})
    with pytest.raises(NotNow):
        ask.write("changed after all", exam_desk.clock.now)


def test_nothing_is_written_more_than_once_a_second(exam_desk: Any) -> None:
    ask = begin(exam_desk).ask
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
    full, skeleton = begin(exam_desk, form="full"), begin(exam_desk)
    assert full.ask is not None
    full.ask.write("long", exam_desk.clock.pass_s(1))
    full.leave(exam_desk.clock.now)
    submit(skeleton, exam_desk)
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
    ask = begin(exam_desk).ask
    assert ask is not None
    for text in texts:
        ask.write(text, exam_desk.clock.pass_s(0.5))
    ask.leave(exam_desk.clock.now)
    again = begin(exam_desk).ask
    assert again is not None
    assert again.text == texts[-1]


# -- what a missed point does


def test_a_missed_point_makes_its_cards_due_today(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    result = exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert result.made_due == (
        "p/c",
    )  # d and fresh are new, gone is in no pack, a and b belong to points that were said
    assert [due_in(exam_desk, name) for name in "abcd"] == [5, 5, 0, None]
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
    exam = begin(exam_desk, cards=["p/q"])
    submit(exam, exam_desk)
    assert exam.answer(Rating.AGAIN, exam_desk.clock.now).made_due == ("p/c", "p/d2", "p/d3")


def test_half_a_point_is_not_missed_and_no_card_comes_later_than_it_would(exam_desk: Any) -> None:
    exam_desk.put("a", due_in=-3)
    exam = begin(exam_desk)
    submit(exam, exam_desk, "nothing of use")
    assert exam.ask is not None
    exam.ask.mark("bubble", 0.5, exam_desk.clock.now)
    exam.ask.mark("links", 0.5, exam_desk.clock.now)
    assert exam.answer(Rating.AGAIN, exam_desk.clock.now).made_due == ("p/b",)
    assert [due_in(exam_desk, name) for name in "abc"] == [-3, 0, 5]


def test_undo_takes_answer_and_dates_back_and_shows_the_marks_again(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    assert exam.ask is not None
    exam.ask.mark("links", 0.0, exam_desk.clock.now)
    before = {name: exam_desk.row(name) for name in "abcq"}
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam.ask is None
    assert exam.undo(exam_desk.clock.now)
    assert {name: exam_desk.row(name) for name in "abcq"} == before
    assert exam.ask is not None
    assert (exam.ask.text, exam.ask.submitted, exam.ask.marks["links"]) == (ANSWER, True, 0.0)
    assert exam.results == []
    assert exam.redo(exam_desk.clock.now)
    assert {name: exam_desk.row(name).memory.due_day for name in "bc"} == dict.fromkeys("bc", exam_desk.clock.day)
    assert not exam.redo(exam_desk.clock.now)


def test_an_exam_of_a_question_that_is_not_due_leaves_its_schedule_alone(exam_desk: Any) -> None:
    exam_desk.put("q", due_in=4)
    exam = begin(exam_desk, cards=["p/q"], form="full")
    assert not exam.moves_schedule
    submit(exam, exam_desk)
    before = exam_desk.row("q")
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam_desk.row("q") == before
    assert exam_desk.events(Kind.ATTEMPT)[0].purpose is Purpose.EXAM
    assert due_in(exam_desk, "c") == 0


def test_the_question_in_the_daily_queue_brings_its_cards_up_in_the_same_sitting(exam_desk: Any) -> None:
    exam_desk.put("q", due_in=0)
    session = exam_desk.sit()
    while not (isinstance(session.item, CardItem) and session.item.card.kind == "oral"):
        exam_desk.answer(session, Rating.EASY)
    ask = session.oral(exam_desk.clock.now)
    assert session.oral(exam_desk.clock.now) is ask
    ask.write(ANSWER, exam_desk.clock.now)
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
    desk.cards += [oral(f"q{n}") for n in range(4)]
    desk.sync()
    session = desk.sit()
    while session.item is not None:
        if isinstance(session.item, CardItem) and session.item.card.kind == "oral":
            session.pass_over(desk.clock.now)
        else:
            desk.answer(session, Rating.EASY)
    desk.clock.set("2026-03-12 10:00")
    exam = begin(desk, cards=[f"p/q{n}" for n in range(4)])
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
                submit(exam, desk, ANSWER if step == "answer" else "")
            exam.answer(exam.ask.score.rating, desk.clock.now)
        assert len(exam.results) == exam.index
        for card in desk.cards:
            key = desk.key(card.id.removeprefix("p/"))
            assert fold_card(desk.record, key, desk.settings.plan()) == desk.record.memory(key)
    desk.record.close()


def test_exam_answers_end_the_exam_however_they_were_rated(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    exam.answer(Rating.AGAIN, exam_desk.clock.now)
    assert exam.ask is None
    assert exam_desk.row("q").memory.phase is Phase.LEARNING


# -- over time


def answer_once(desk: Any, text: str, rating: Rating = Rating.GOOD) -> Any:
    exam = begin(desk, cards=["p/q"])
    submit(exam, desk, text)
    back = exam.came_back()
    return exam.answer(rating, desk.clock.now), back


def test_next_time_the_question_says_how_many_were_missed_and_then_which_came_back(exam_desk: Any) -> None:
    answer_once(exam_desk, ANSWER)
    exam_desk.clock.set("2026-03-12 10:00")
    exam = begin(exam_desk, cards=["p/q"])
    assert exam.missed_last_time() == 2
    submit(exam, exam_desk, "The bubble.")
    assert (exam.came_back().back, exam.came_back().missing) == (("bubble",), ("stages",))
    pasts = {past.point_id: [share for _, share in past.marks] for past in exam.pasts()}
    assert pasts == {"gradients": [1.0], "links": [1.0], "bubble": [0.0], "stages": [0.0]}


def test_earlier_answers_keep_their_own_rubric_and_compare_in_percent(exam_desk: Any) -> None:
    """RUB-05: from four points to five."""
    answer_once(exam_desk, ANSWER)
    exam_desk.cards[-1] = oral(rubric=(*RUBRIC, point("sixth", "six", weight=4.0)))
    exam_desk.sync()
    exam_desk.clock.set("2026-03-12 10:00")
    answer_once(exam_desk, ANSWER)
    card = exam_desk.cards[-1]
    now, then = earlier_answers(exam_desk.record, card, exam_desk.key("q"))
    assert (len(then.rubric), len(now.rubric)) == (4, 5)
    assert (then.same_rubric, now.same_rubric) == (False, True)
    assert (then.share, now.share) == (0.5, 0.25)
    assert then.text == now.text == ANSWER


def test_an_answer_taken_back_is_not_among_the_earlier_ones(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    exam.answer(Rating.GOOD, exam_desk.clock.now)
    exam.undo(exam_desk.clock.now)
    assert exam.earlier() == ()


def test_a_changed_rubric_is_marked_anew_and_the_text_kept(exam_desk: Any) -> None:
    exam = begin(exam_desk)
    submit(exam, exam_desk)
    assert exam.ask is not None
    exam.ask.mark("links", 0.0, exam_desk.clock.pass_s(2))
    exam_desk.cards[-1] = oral(rubric=RUBRIC[:3])
    exam_desk.sync()
    ask = begin(exam_desk).ask
    assert ask is not None
    assert (ask.text, ask.submitted, dict(ask.decided)) == (ANSWER, True, {})


# -- which question


def test_the_question_of_the_day_is_the_one_begun_or_due_or_new(exam_desk: Any) -> None:
    exam_desk.cards += [oral("r"), oral("s")]
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
    ask = begin(exam_desk, cards=["p/q"]).ask
    assert ask is not None
    ask.write("begun", exam_desk.clock.pass_s(2))
    assert today() == "p/q"


def test_no_question_is_no_error_and_an_unknown_one_is(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    assert begin(desk).ask is None
    with pytest.raises(LookupError, match="p/x"):
        begin(desk, cards=["p/x"])


@given(seed=st.integers(0, 2**63 - 1), count=st.integers(0, 9))
def test_random_questions_are_each_asked_once(seed: int, count: int) -> None:
    found = list("abcdef")
    drawn = random_questions(found, count, seed)  # type: ignore[arg-type]
    assert len(drawn) == len(set(drawn)) == min(count, 6)
    assert drawn == random_questions(found, count, seed)  # type: ignore[arg-type]


# -- mock exams


@pytest.fixture
def mock(exam_desk: Any) -> Callable[..., ExamSession]:
    exam_desk.cards += [oral("r"), oral("s")]
    exam_desk.sync()
    return lambda **how: begin(exam_desk, count=3, minutes=10, seed=5, **how)


def test_a_mock_exam_moves_no_question_and_makes_missed_cards_due(mock: Any, exam_desk: Any) -> None:
    exam = mock()
    assert exam.ask.form == "full"
    assert len({question.card.id for question in exam.questions}) == 3
    submit(exam, exam_desk)
    exam.answer(Rating.GOOD, exam_desk.clock.now)
    assert {event.purpose for event in exam_desk.events(Kind.ATTEMPT)} == {Purpose.EXAM}
    assert due_in(exam_desk, "c") == 0
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
    submit(exam, exam_desk, "all-reduce\n```\n# not a heading\n```` <b>")
    exam.answer(Rating.HARD, exam_desk.clock.now)
    submit(exam, exam_desk, "")
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


# -- follow-ups


@pytest.fixture(scope="module")
def page() -> dict[str, Card]:
    return {card.id.partition("/")[2]: card for card in load_pack(PACK).cards}


def test_a_follow_up_changes_one_parameter_and_the_answer(page: dict[str, Card]) -> None:
    for card in list(page.values()):
        if card.kind == "drill":
            base = draw(drill_of(card), 7)
            found = one_changed(base, 11)
            if found is None:
                continue
            problem, changed = found
            different = {key for key in base.drawn if base.drawn[key].text != problem.drawn[key].text}
            assert different == {changed.key}
            assert problem.answer != base.answer
            assert changed.after in changed.words.en


def test_follow_ups_go_three_deep_and_a_wrong_answer_ends_them(desk: Any) -> None:
    loaded = load_pack(PACK)
    sync(desk.record, loaded, 0)
    question = next(card for card in loaded.cards if card.kind == "oral" and "zero" in card.topic)

    def new() -> FollowUps:
        return FollowUps(desk.record, desk.settings, question, desk.clock.now, new_id=desk.new_id)

    chain = new()
    depths = []
    while chain.item is not None:
        item = chain.item
        depths.append(item.depth)
        assert item.question("en") != item.question("zh")
        asked = item.ask.problem.asked
        graded = grade_typed(item.ask, f"{float(asked.value / asked.unit.factor)!r} {asked.unit.symbol}")
        chain.answer(graded, desk.clock.pass_s(20), took_ms=20_000)
    assert depths == [1, 2, 3]
    chain = new()
    item = chain.item
    assert item is not None
    event_id = chain.answer(give_up(), desk.clock.pass_s(5), took_ms=5000)
    assert chain.item is None
    (event,) = [event for event in desk.record.events_of(item.card_key) if event.event_id == event_id]
    said = json.loads(event.response)
    assert (event.purpose, said["follow_up_of"], said["depth"], said["reason"]) == (
        Purpose.EXAM, question.id, 1, GIVEN_UP,
    )  # fmt: skip
    assert set(said["drawn"]) == set(item.ask.problem.drawn)
