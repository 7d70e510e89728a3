"""`shardrill review --plain`: a sitting in lines of text, by pipe."""

from __future__ import annotations

import io
import json
from typing import Any

from grading.schedule import Rating
from tui import plain

Desk = Any  # the class of tests/tui/conftest.py


def converse(desk: Desk, monkeypatch: Any, *lines: str, lang: str = "en") -> str:
    """Hold a sitting with these lines as input; returns all that was written."""
    target = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    monkeypatch.setattr("sys.stdout", target)
    assert plain.run(desk.places, desk.settings, lang=lang, clock=desk.clock) == 0
    return target.getvalue()


def test_a_card_is_asked_answered_and_stored(desk: Desk, monkeypatch: Any) -> None:
    said = converse(desk, monkeypatch, "", "3", "q")
    asked, answered = said.index("What does N count?"), said.index("The data-parallel ranks.")
    assert asked < answered < said.index("1 Again 1m, 2 Hard")
    assert [event.rating for event in desk.attempts()] == [Rating.GOOD]


def test_ratings_are_only_taken_after_the_answer(desk: Desk, monkeypatch: Any) -> None:
    converse(desk, monkeypatch, "3", "1", "q")
    assert desk.attempts() == []


def test_the_end_of_the_input_ends_the_sitting_and_answers_are_kept(desk: Desk, monkeypatch: Any) -> None:
    converse(desk, monkeypatch, "", "4")
    assert [event.rating for event in desk.attempts()] == [Rating.EASY]


def test_undo_asks_the_card_again_with_its_answer(desk: Desk, monkeypatch: Any) -> None:
    said = converse(desk, monkeypatch, "", "1", "u", "3", "q")
    assert "Undone: Again." in said
    assert [event.rating for event in desk.attempts()] == [Rating.AGAIN, Rating.GOOD]
    assert said.count("What does N count?") == 2


def test_full_width_input_is_folded(desk: Desk, monkeypatch: Any) -> None:
    converse(desk, monkeypatch, "", "４", "ｑ", lang="zh")
    assert [event.rating for event in desk.attempts()] == [Rating.EASY]


def test_a_line_of_ones_own_is_kept_where_the_card_invites_one(desk: Desk, monkeypatch: Any) -> None:
    desk.cards = [desk.free]
    said = converse(desk, monkeypatch, "RS + AG 早就在里面", "3", "q")
    assert "Your line: RS + AG 早就在里面" in said
    assert json.loads(desk.attempts()[0].response)["typed"] == "RS + AG 早就在里面"


def test_both_languages_also_in_the_middle_of_a_card(desk: Desk, monkeypatch: Any) -> None:
    said = converse(desk, monkeypatch, "en", "", "zh", "3", "q", lang="zh")
    assert "问题：" in said
    assert "What does N count?" in said
    assert "数据并行的卡数。" in said
    assert "3 良好 10分" in said


def test_no_escape_codes_are_written_not_even_a_cards_own(desk: Desk, monkeypatch: Any) -> None:
    desk.cards = [desk.concept("evil", "a\x1b[2Jb", "c\x07")]
    said = converse(desk, monkeypatch, "", "h", "i", "3", "q")
    assert "\x1b" not in said
    assert "\x07" not in said


def test_a_finished_sitting_says_so_and_can_be_undone(desk: Desk, monkeypatch: Any) -> None:
    desk.cards = [desk.plain]
    said = converse(desk, monkeypatch, "", "4", "u", "4", "")
    assert said.count("All done") == 2
    assert len(desk.attempts()) == 2


def test_a_lesson_is_read_before_its_cards(desk: Desk, monkeypatch: Any) -> None:
    desk.lesson = desk.a_lesson
    said = converse(desk, monkeypatch, "", "", "3", "q")
    assert said.index("Stage 1 shards") < said.index("What does N count?")


def test_cards_are_skipped_buried_suspended_flagged_and_noted(desk: Desk, monkeypatch: Any) -> None:
    said = converse(desk, monkeypatch, "f", "n mine", "s", "b", "x", "q")
    assert "Your note: mine" in said
    kinds = [event.kind.value for event in desk.events()]
    assert kinds == ["flag", "note", "bury", "suspend"]


def test_chinese_lines_have_chinese_punctuation_only(desk: Desk, monkeypatch: Any) -> None:
    said = converse(desk, monkeypatch, "", "3", "q", lang="zh")
    assert "第 1 张，共" in said
    assert "1 重来 1分、2 困难 6分、3 良好 10分、4 简单" in said
    assert "良好：10 分钟后。" in said
    assert "。 " not in said


def test_a_lesson_is_said_once_whatever_is_typed_under_it(desk: Desk, monkeypatch: Any) -> None:
    desk.lesson = desk.a_lesson
    said = converse(desk, monkeypatch, "3", "h", "zz", "", "q", lang="zh")
    assert said.count("课文：") == 1
    assert said.count("这里没有这个命令") == 2
    assert "问题：" in said
