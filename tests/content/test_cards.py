"""What a card is: its canonical body, its revision, and the sides of a cloze."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content.cards import (
    HOLE,
    Card,
    Caveat,
    RubricPoint,
    Terms,
    Text,
    Topic,
    card_from_json,
    cloze_answer,
    cloze_front,
    cloze_full,
    cloze_parts,
    text_from_json,
    text_to_json,
    topic_from_json,
)

words = st.builds(Text, st.text(min_size=1), st.text(min_size=1))
ids = st.from_regex(r"[a-z]{1,4}/[a-z]{1,8}", fullmatch=True)
concepts = st.builds(
    Card,
    id=ids,
    kind=st.just("concept"),
    topic=ids,
    front=words,
    back=words,
    source=st.tuples(st.text(min_size=1)),
    sibling=ids,
    ideas=st.lists(words, max_size=3).map(tuple),
    caveat=st.none() | st.builds(Caveat, words, st.text(min_size=1)),
    requires=st.lists(ids, max_size=2).map(tuple),
    invites_line=st.booleans(),
    revision=st.integers(1, 9),
    cloze=st.none(),
    cloze_index=st.none(),
    minutes=st.none(),
    rubric=st.just(()),
    traps=st.just(()),
    model_answer=st.none(),
    name=st.none() | words,
)


def test_cards_of_one_text_share_its_name_and_are_numbered() -> None:
    text = Text("{{a}} and {{b}}", "{{甲}}与{{乙}}")
    second = concept(kind="cloze", cloze=text, cloze_index=2, name=Text("letters", "字母"))
    assert [second.called(lang) for lang in ("en", "zh")] == ["letters #2", "字母 #2"]
    alone = dataclasses.replace(second, cloze=Text("{{a}}", "{{甲}}"), cloze_index=1)
    assert alone.called("zh") == "字母"
    assert concept().called("en") == ""
    assert concept(kind="drill").called("en") == concept().front.en


def concept(**changes: object) -> Card:
    card = Card(
        id="map/zero.why",
        kind="concept",
        topic="map/zero",
        front=Text("Why?", "为什么？"),
        back=Text("Because.", "因为。"),
        source=("course §3",),
        sibling="map/zero.why",
    )
    return dataclasses.replace(card, **changes)  # type: ignore[arg-type]


@given(concepts)
def test_a_card_comes_back_from_its_body_unchanged(card: Card) -> None:
    assert card_from_json(card.to_json()) == card


def test_the_body_is_canonical() -> None:
    body = concept().to_json()
    assert body == json.dumps(json.loads(body), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert "为什么" in body


def test_the_revision_follows_the_text_and_nothing_else() -> None:
    assert concept().rev == concept().rev
    assert len(concept().rev) == 16
    assert concept(back=Text("Because!", "因为。")).rev != concept().rev
    assert concept(revision=2).rev != concept().rev


def test_an_oral_question_comes_back_with_its_rubric() -> None:
    answer = Text("All of it.", "全部。")
    card = concept(
        kind="oral",
        back=answer,
        model_answer=answer,
        minutes=8.0,
        rubric=(
            RubricPoint(
                "a", Text("A", "甲"), 2.0, True, Terms(("x",), ("某",)), "4*phi", "ZeRO-1", Text("h", "半"), ("map/b",)
            ),
            RubricPoint("b", Text("B", "乙")),
        ),
        traps=(Text("wrong stage", "阶段说反"),),
    )
    assert card_from_json(card.to_json()) == card


def test_a_cloze_hides_one_mark_and_shows_the_others() -> None:
    text = "GPipe keeps {{m}} in flight, 1F1B at most {{p}}."
    assert cloze_front(text, 1) == f"GPipe keeps {HOLE} in flight, 1F1B at most p."
    assert cloze_front(text, 2) == f"GPipe keeps m in flight, 1F1B at most {HOLE}."
    assert cloze_full(text) == "GPipe keeps m in flight, 1F1B at most p."
    assert cloze_answer(text, 2) == "p"
    assert cloze_answer(text, 3) == ""


@pytest.mark.parametrize(("text", "answer"), [("{{(p-1)/(m+p-1)}} of it", "(p-1)/(m+p-1)"), ("{{2^{10}}} B", "2^{10}")])
def test_a_mark_may_hold_brackets(text: str, answer: str) -> None:
    assert cloze_parts(text)[0].text == answer
    assert cloze_parts(text)[0].mark == 1


@given(st.text())
def test_cloze_parts_lose_no_plain_text(text: str) -> None:
    assert cloze_full(text) == text or "{{" in text


def test_a_cloze_card_comes_back_with_both_sides() -> None:
    cloze = Text("at most {{p}}", "至多 {{p}} 个")
    card = concept(
        id="map/pp#1",
        kind="cloze",
        cloze=cloze,
        cloze_index=1,
        front=Text(f"at most {HOLE}", f"至多 {HOLE} 个"),
        back=Text("at most p", "至多 p 个"),
    )
    assert card_from_json(card.to_json()) == card
    assert card.answer("zh") == "p"
    assert concept().answer("zh") == "因为。"


def test_topics_and_titles_come_back() -> None:
    topic = Topic("map/zero", Text("ZeRO", "ZeRO"), Text("A lesson.", "一课。"))
    assert topic_from_json("map/zero", topic.to_json()) == topic
    assert text_from_json(text_to_json(topic.lesson)) == topic.lesson


def test_other_languages_are_shown_english() -> None:
    assert Text("yes", "是").of("fr") == "yes"
    assert Terms(("yes",), ("是",)).of("zh") == ("是",)


def test_reading_a_card_needs_neither_yaml_nor_pydantic() -> None:
    heavy = "('yaml', 'pydantic', 'sqlalchemy', 'numpy')"
    code = f"import sys, content.cards; sys.exit(any(m in sys.modules for m in {heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
