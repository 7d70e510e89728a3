"""Oral questions on the screen: confidence, the locked answer, its rubric, drafts that outlive a kill, mock exams."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from textual import events

from content.cards import RubricPoint, Terms, Text
from content.drafts import drafts
from content.events import Kind, Purpose
from tui.screens.exam import ExamScreen
from tui.screens.exam_choice import ExamChoiceScreen
from tui.screens.exam_report import ExamReportScreen
from tui.widgets.editor import MAX_CHARACTERS, AnswerEditor, clean_lines

Desk = Any  # the class of tests/tui/conftest.py


def oral(desk: Desk, **fields: object) -> Any:
    """A question of three points: words, a formula said of a stage, and one that a card teaches."""
    rubric = (
        RubricPoint(
            "stage-1",
            Text("ZeRO-1 shards the optimizer states only", "ZeRO-1 只切优化器状态"),
            key=True,
            terms=Terms(("optimizer state",), ("优化器状态",)),
        ),
        RubricPoint(
            "bytes",
            Text("4Φ + 12Φ/N bytes per card", "每卡 4Φ + 12Φ/N 字节"),
            formula="4*phi + 12*phi/n",
            of="ZeRO-1",
            half_if=Text("only the order of size", "只说了量级"),
        ),
        RubricPoint(
            "free",
            Text("the saving costs no traffic", "省下的显存不用多付通信"),
            terms=Terms(("no extra traffic",), ("不用多付",)),
            cards=("sample/ranks",),
        ),
    )
    return replace(desk.oral, rubric=rubric, **fields)


@pytest.fixture
def exam_desk(desk: Desk) -> Desk:
    desk.cards = [desk.plain, oral(desk)]
    return desk


@asynccontextmanager
async def question(desk: Desk, lang: str = "en", size: tuple[int, int] = (80, 24)) -> AsyncIterator[Any]:
    """The question on screen, from the list of oral questions."""
    app = desk.app(lang, start="exam")
    async with app.run_test(size=size) as pilot:
        sitting = desk.sitting(app, pilot)
        await until(sitting, lambda: isinstance(app.screen, ExamChoiceScreen) and app.screen.questions)
        await sitting.press("down", "enter")
        assert isinstance(app.screen, ExamScreen)
        yield sitting


async def until(sitting: Any, true: Any) -> None:
    for _ in range(300):
        await sitting.pilot.pause(0.01)
        if true():
            await sitting.pilot.pause()
            return
    raise AssertionError(sitting.text)


async def paste(sitting: Any, text: str) -> None:
    sitting.app.screen.query_one(AnswerEditor).post_message(events.Paste(text))
    await sitting.pilot.pause()
    await sitting.pilot.pause()


SAID = "ZeRO-1 shards the optimizer states.\nZeRO-1 leaves 4Φ + 12Φ/N bytes."


async def test_confidence_comes_first_and_the_rubric_is_not_there_before_the_answer_is_submitted(
    exam_desk: Desk,
) -> None:
    async with question(exam_desk) as sitting:
        assert "How much of it will you say?" in sitting.text
        assert "optimizer states only" not in sitting.text
        await sitting.press("4")
        assert sitting.app.screen.query_one(AnswerEditor).has_focus
        await paste(sitting, SAID)
        assert "4Φ + 12Φ/N bytes per card" not in sitting.text
        await sitting.press("f9")
        assert "(h) ZeRO-1 shards the optimizer states only (key)" in sitting.text
        assert "found “4Φ + 12Φ/N”" in sitting.text
        assert "(m) the saving costs no traffic" in sitting.text


async def test_the_learner_decides_and_the_score_proposes_a_rating(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("4")
        await paste(sitting, SAID)
        await sitting.press("f9", "down", "f")
        assert "[f] 4Φ + 12Φ/N bytes per card" in sitting.text
        await sitting.press("right")
        assert "[f] the saving costs no traffic" in sitting.text
        await sitting.press("m", "enter")
        assert "Score 50 %; you expected 70 %." in sitting.text
        assert "Enter 1 Again" in sitting.text
        assert "A model answer" in sitting.text
        assert exam_desk.attempts() == []
        await sitting.press("2")
        await until(sitting, lambda: isinstance(sitting.app.screen, ExamChoiceScreen))
    (attempt,) = exam_desk.attempts()
    response = json.loads(attempt.response)
    assert (attempt.rating, attempt.proposed_rating) == (2, 1)
    assert response["points"] == {"stage-1": 1.0, "bytes": 0.5, "free": 0.0}
    assert response["typed"] == SAID
    assert response["confidence"] == 70


async def test_a_key_point_missed_is_again_whatever_else_was_said(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter", "f9", "m", "h", "h", "enter")
        assert "Key points missed: ZeRO-1 shards the optimizer states only" in sitting.text
        assert "Enter 1 Again" in sitting.text


async def test_an_answer_spoken_aloud_needs_nothing_typed(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter", "f9")
        assert "Spoken aloud: mark what you said." in sitting.text
        await sitting.press("h", "h", "h", "enter", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, ExamChoiceScreen))
    assert json.loads(exam_desk.attempts()[0].response)["spoken"] is True


async def test_after_submission_the_answer_is_locked(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "one")
        await sitting.press("f9")
        assert not sitting.app.screen.query_one(AnswerEditor).display
        await sitting.type("xyz")
        assert sitting.app.screen.ask.text == "one"


async def test_a_draft_survives_leaving_and_is_offered_again(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("2")
        await paste(sitting, "半句话")
        await sitting.press("escape")
        assert "draft: skeleton" in sitting.text
    async with question(exam_desk) as sitting:
        assert sitting.app.screen.query_one(AnswerEditor).text == "半句话"
        assert "Your draft is here again." in sitting.text
        assert sitting.app.screen.ask.confidence == 30
    assert exam_desk.attempts() == []


async def test_marks_half_done_are_no_result_and_are_there_again(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter", "f9", "h", "f", "escape")
    assert exam_desk.attempts() == []
    async with question(exam_desk) as sitting:
        assert "[h] ZeRO-1 shards" in sitting.text
        assert "[f] 4Φ" in sitting.text


async def test_what_is_typed_is_on_the_disk_within_a_second(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "kept")
        sitting.clock.pass_ms(1100)
        sitting.app.screen._tick()
        assert [draft.text for draft in drafts(sitting.app.record)] == ["kept"]


async def test_three_chinese_lines_are_pasted_whole_and_undone_at_once(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        editor = sitting.app.screen.query_one(AnswerEditor)
        await sitting.press("enter")
        await paste(sitting, "第一行\r\n第二行\r\n第三行\u3000完")
        assert editor.text == "第一行\n第二行\n第三行\u3000完"
        await sitting.press("f5")
        assert editor.text == ""
        await sitting.press("f6")
        assert editor.text.count("\n") == 2


async def test_an_ideographic_space_and_letters_are_text_in_the_editor(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        for character in "q\u3000１":
            await sitting.send(character)
        assert sitting.app.screen.query_one(AnswerEditor).text == "q\u3000１"


async def test_a_megabyte_is_cut_with_a_message_and_the_screen_stays_alive(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "显存 " * 350_000)
        assert len(sitting.app.screen.query_one(AnswerEditor).text) == MAX_CHARACTERS
        assert "did not fit" in sitting.text
        await sitting.press("backspace", "backspace")
        assert len(sitting.app.screen.query_one(AnswerEditor).text) == MAX_CHARACTERS - 2


async def test_backspace_and_arrows_step_by_whole_characters(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "a念👩‍💻é")
        editor = sitting.app.screen.query_one(AnswerEditor)
        await sitting.press("left", "backspace")
        assert editor.text == "a念é"


async def test_no_alt_key_types_a_letter_or_does_anything(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await sitting.press("alt+e", "alt+s")
        assert isinstance(sitting.app.screen, ExamScreen)
        assert sitting.app.screen.stage == "write"


async def test_another_language_keeps_the_typed_answer(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "half an answer")
        await sitting.press("f3")
        assert "把 ZeRO 三个阶段讲一遍" in sitting.text
        assert sitting.app.screen.query_one(AnswerEditor).text == "half an answer"


async def test_the_clock_says_over_and_stops_nothing(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "a")
        sitting.clock.pass_ms(120_000)
        await paste(sitting, "b")
        sitting.app.screen._tick()
        await sitting.pilot.pause()
        assert "of 1:30, over" in sitting.text
        await sitting.press("f9")
        assert "(m)" in sitting.text


async def test_a_missing_editor_is_told_and_the_text_kept(exam_desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter")
        await paste(sitting, "mine")
        await sitting.press("f4")
        assert "No editor is set" in sitting.text
        assert sitting.app.screen.query_one(AnswerEditor).text == "mine"


@asynccontextmanager
async def daily_question(desk: Desk) -> AsyncIterator[Any]:
    """The skeleton of the day in Review: it comes once a card of its topic was learnt."""
    async with desk.review() as sitting:
        await sitting.press("space", "4", "escape")
    desk.clock.set("2026-12-01T10:00:00+08:00")
    async with desk.review() as sitting:
        while sitting.card != "ladder":
            await sitting.press("space", "4")
        yield sitting


async def test_in_review_the_question_comes_back_as_the_rating_of_its_card(exam_desk: Desk) -> None:
    async with daily_question(exam_desk) as sitting:
        assert "answer the question" in sitting.text
        await sitting.press("enter", "enter", "f9", "h", "h", "h", "enter")
        assert "3 Good" in sitting.text
        await sitting.press("enter")
        await sitting.pilot.pause()
    last = exam_desk.attempts()[-1]
    assert (last.purpose, last.rating) == (Purpose.REVIEW, 3)


async def test_undo_brings_the_marked_answer_back(exam_desk: Desk) -> None:
    async with daily_question(exam_desk) as sitting:
        await sitting.press("enter", "enter", "f9", "h", "h", "h", "enter", "enter", "u")
        await until(sitting, lambda: isinstance(sitting.app.screen, ExamScreen))
        assert "[h] ZeRO-1 shards" in sitting.text
    assert [event.kind for event in exam_desk.events()][-1] is Kind.RETRACT


async def test_the_next_time_shows_what_was_missed_and_what_came_back(exam_desk: Desk) -> None:
    async with question(exam_desk) as sitting:
        await sitting.press("enter", "f9", "h", "h", "m", "enter", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, ExamChoiceScreen))
    exam_desk.clock.set("2026-12-20T10:00:00+08:00")
    async with question(exam_desk) as sitting:
        assert "Last time 1 point was missed." in sitting.text
        await sitting.press("enter", "f9")
        assert "missed last time; so far m" in sitting.text
        await sitting.press("h", "h", "h", "enter")
        assert "Back since last time: the saving costs no traffic" in sitting.text
        await sitting.press("b")
        assert "Now, skeleton, 100 %" in sitting.text
        assert "2026-11-30, skeleton, 67 %" in sitting.text


async def test_a_missed_point_makes_its_card_due_today(exam_desk: Desk) -> None:
    async with exam_desk.review() as sitting:
        await sitting.press("space", "4", "escape")
    exam_desk.clock.set("2026-12-02T10:00:00+08:00")
    async with question(exam_desk) as sitting:
        await sitting.press("enter", "f9", "h", "h", "m", "enter")
        assert "Due today because of a missed point:" in sitting.text
        assert "What does N count?" in sitting.text
        await sitting.press("enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, ExamChoiceScreen))
        assert "1 card is due today because of it." in sitting.text
    dated = [event for event in exam_desk.events() if event.kind is Kind.SET_DUE]
    assert [json.loads(event.response)["because"] for event in dated] == ["sample/ladder:free"]


async def test_a_mock_exam_ends_with_a_report_in_markdown(exam_desk: Desk) -> None:
    exam_desk.cards[0] = replace(exam_desk.cards[0], name=Text("count of ranks", "卡的数目"))
    async with exam_desk.review() as sitting:
        await sitting.press("space", "4", "escape")
    exam_desk.clock.set("2026-12-02T10:00:00+08:00")
    exam_desk.cards += [oral(exam_desk, id="sample/second", sibling="sample/second")]
    app = exam_desk.app(start="exam")
    app.practice = {"count": 2, "minutes": 10.0}
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = exam_desk.sitting(app, pilot)
        await until(sitting, lambda: isinstance(app.screen, ExamScreen))
        assert "1 of 2" in sitting.text
        await sitting.press("5", "f9", "h", "h", "h", "enter", "enter")
        assert "2 of 2" in sitting.text
        await sitting.press("1", "f9", "enter", "enter")
        await until(sitting, lambda: isinstance(app.screen, ExamReportScreen))
        file = app.screen.file
        assert "The report is in" in sitting.text
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# Mock exam 2026-12-02")
    assert "100 %" in text
    assert "Due today because of missed points: count of ranks" in text
    assert {event.purpose for event in exam_desk.attempts()[1:]} == {Purpose.EXAM}


def test_what_the_editor_keeps_of_a_paste() -> None:
    assert clean_lines("a\r\nb\rc\u2028d\te\x1b[31m") == "a\nb\nc\nd    e[31m"
