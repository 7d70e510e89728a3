"""Recall tables: their shape in a pack, blanks by seed and past misses, cells graded by the engine, rows in any order."""

from __future__ import annotations

import textwrap
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import content
from content import tables_recall as recall
from content.cards import Card, card_from_json
from content.faults import PackRefused
from content.library import load_pack
from content.pack_check import read_draft
from content.tables_recall import NoTable, TableAsk
from grading.memory import Memory, Phase, Rating

PACK = Path(content.__file__).parent / "packs" / "distributed-training-map"
TOPIC = """
topics:
  - id: t
    title: {en: "T", zh: "题"}
    lesson:
      en: "LESSON"
      zh: "课文"
"""
TABLE = """
tables:
  - id: table.a
    kind: table
    topic: t
    title: {en: "Bytes", zh: "字节"}
    columns:
      - {id: bytes, type: formula, label: {en: "bytes", zh: "字节"}}
      - {id: kind, type: choice, label: {en: "kind", zh: "种类"}, choices: [same, more]}
    rows:
      - {id: one, label: {en: "one", zh: "一"}}
      - {id: two, label: {en: "two", zh: "二"}}
    cells:
      one.bytes: {answer: "16Φ"}
      one.kind: {answer: same}
      two.bytes: {answer: "16Φ/N"}
      two.kind: {answer: more}
    row_order: fixed
    source: ["course §3"]
"""


@cache
def shipped() -> dict[str, Card]:
    """The tables of the shipped pack by their short id."""
    return {card.id.partition("/")[2]: card for card in load_pack(PACK).cards if card.kind == "table"}


def ask(name: str, seed: int = 1, **how: object) -> TableAsk:
    card = shipped()[name]
    return recall.ask_table(card, card.rev, seed, **how)


def right(asked: TableAsk, lang: str = "en") -> dict[str, str]:
    """The blanks filled in as printed."""
    return {cell: asked.shown(cell, lang) for cell in asked.blanks}


# -- in a pack


@pytest.fixture
def small(tmp_path: Path) -> Path:
    lesson = " ".join(["word"] * 120)
    (tmp_path / "pack.yaml").write_text('id: p\ntitle: {en: "P", zh: "包"}\ntopics: [t]\n', encoding="utf-8")
    topic = TOPIC.replace("LESSON", lesson).replace("课文", "字" * 200)
    (tmp_path / "topic.yaml").write_text(topic, encoding="utf-8")
    (tmp_path / "tables.yaml").write_text(textwrap.dedent(TABLE), encoding="utf-8")
    return tmp_path


def rules(folder: Path, old: str = "", new: str = "") -> list[str]:
    file = folder / "tables.yaml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return [fault.rule for fault in read_draft(folder).faults if not fault.warning]


def test_a_table_of_a_pack_becomes_a_card(small: Path) -> None:
    (card,) = load_pack(small).cards
    assert (card.id, card.kind, card.front.zh) == ("p/table.a", "table", "字节")
    assert card.back.en == "one: bytes 16Φ; kind same\ntwo: bytes 16Φ/N; kind more"
    assert card_from_json(card.to_json()) == card


def test_every_cell_is_written_or_named_absent(small: Path) -> None:
    assert rules(small, "      two.kind: {answer: more}\n") == ["table-cells"]
    assert rules(small, "    row_order", "    absent: [two.kind]\n    row_order") == []
    (card,) = load_pack(small).cards
    assert card.table is not None
    assert "two.kind" not in recall.cells_of(card.table)


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("two.kind: {answer: more}", "two.kind: {answer: more}\n      three.kind: {answer: more}", "table-cells"),
        ("row_order: fixed", "absent: [one.kind]\n    row_order: fixed", "table-cells"),
        ("row_order: fixed", "absent: [nine.kind]\n    row_order: fixed", "table-cells"),
        ('"16Φ/N"', '"16Φ//N"', "table-answer"),
        ('"16Φ/N"', '{en: "16Φ/N", zh: "16Φ/N"}', "table-answer"),
        ("{answer: more}", "{answer: less}", "table-answer"),
        (", choices: [same, more]", "", "table-choices"),
        ("{id: two,", "{id: one,", "duplicate-id"),
        ("type: choice", "type: pick", "value"),
        ("row_order: fixed", "row_order: any", "value"),
        ("id: kind,", "id: label,", "bad-id"),
        ('source: ["course §3"]', 'sauce: ["course §3"]', "missing-key"),
    ],
)
def test_what_makes_a_table_unaskable_is_a_fault(small: Path, old: str, new: str, rule: str) -> None:
    assert rule in rules(small, old, new)
    with pytest.raises(PackRefused):
        load_pack(small)


def test_terms_must_be_met_by_the_answer_in_both_languages(small: Path) -> None:
    terms = 'type: terms, label: {en: "kind", zh: "种类"}}'
    rules(small, 'type: choice, label: {en: "kind", zh: "种类"}, choices: [same, more]}', terms)
    cell = '{answer: {en: "more", zh: "更多"}, accept: [["more"], ["更多"]]}'
    assert rules(small, "{answer: more}", cell) == []
    assert rules(small, '["更多"]]', '["较多"]]') == ["table-answer"]


# -- the page's tables


def test_the_page_has_its_four_tables() -> None:
    assert set(shipped()) == {"table.parallelisms", "table.zero", "table.objects", "table.precision"}
    assert [len(recall.cells_of(card.table or {})) for card in shipped().values()] == [9, 12, 9, 10]
    assert all(card.caveat is not None for card in shipped().values())


@pytest.mark.parametrize("name", ["table.parallelisms", "table.zero", "table.objects", "table.precision"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_its_own_answers_are_right_however_much_is_blank(name: str, lang: str) -> None:
    for share in recall.SHARES:
        asked = ask(name, share=share)
        graded = recall.grade_table(asked, right(asked, lang), lang)
        assert {cell for cell, mark in graded.results.items() if mark < 1} == set()
        assert graded.rating is Rating.GOOD


@pytest.mark.parametrize(
    ("table", "cell", "typed", "mark"),
    [
        ("table.zero", "zero-1.bytes", "(4 + 12/N) Φ", 1),
        ("table.zero", "zero-1.bytes", "4phi+12phi/n", 1),
        ("table.zero", "zero-1.bytes", "2Φ + 14Φ/N", 0),
        ("table.zero", "zero-1.sharded", "the AdamW optimizer state", 1),
        ("table.zero", "zero-1.sharded", "优化器", 1),
        ("table.zero", "zero-1.sharded", "optimizer and gradients", 0),
        ("table.zero", "zero-2.sharded", "optimizer", 0),
        ("table.zero", "zero-3.sharded", "优化器、梯度、参数全切", 1),
        ("table.zero", "zero-3.volume", "2Φ", 0),
        ("table.zero", "ddp.sharded", "nothing", 1),
        ("table.parallelisms", "dp.volume", "a", 1),
        ("table.parallelisms", "dp.volume", "about 3Φ elements per card, layer by layer", 0),
        ("table.parallelisms", "pp.primitive", "P2P 激活值", 1),
        ("table.parallelisms", "tp.constraint", "stays inside one NVLink domain", 1),
        ("table.parallelisms", "pp.constraint", "no bubble", 0),
        ("table.precision", "weights.when", "训练后", 1),
        ("table.precision", "fp8.when", "after training", 0),
        ("table.precision", "fp8.risk", "loss spikes", 1),
        ("table.objects", "v3.combination", "EP + PP + FP8", 1),
        ("table.objects", "v3.combination", "FP8", 0),
        ("table.objects", "ddp.figure", "2Φ", 1),
    ],
)
def test_a_cell_takes_what_says_the_same_and_no_more(table: str, cell: str, typed: str, mark: float) -> None:
    asked = next(a for seed in range(500) if cell in (a := ask(table, seed, share="some")).blanks)
    assert recall.grade_table(asked, {cell: typed}, insist=True).results[cell] == mark


# -- blanks


@given(seed=st.integers(0, 2**63 - 1), share=st.sampled_from(recall.SHARES))
@settings(max_examples=50, deadline=None)
def test_the_same_seed_and_history_give_the_same_blanks(seed: int, share: str) -> None:
    misses = {"zero-1.bytes": (3, 3)}
    first, again = (ask("table.zero", seed, share=share, misses=misses) for _ in range(2))
    assert first == again
    assert first.blanks
    assert set(first.blanks) <= set(recall.cells_of(first.table))


def test_cells_missed_before_are_blanked_more_often_and_none_less_than_one_time_in_five() -> None:
    known = dict.fromkeys(recall.cells_of(shipped()["table.zero"].table or {}), (20, 0))
    misses = {**known, "zero-2.bytes": (20, 18)}
    counts = Counter(
        cell for seed in range(600) for cell in ask("table.zero", seed, share="some", misses=misses).blanks
    )
    assert counts["zero-2.bytes"] > 450
    assert min(counts.values()) > 600 * 0.15


def test_more_is_blank_the_better_the_table_is_known() -> None:
    def share(days: float | None) -> set[str]:
        return {ask("table.zero", seed << 32, memory=Memory(Phase.REVIEW, stability=days)).share for seed in range(4)}

    assert share(None) == share(3.0) == {"some"}
    assert share(10.0) == {"row", "column"}
    assert share(30.0) == {"all"}


def test_misses_are_counted_cell_by_cell_from_what_the_log_keeps() -> None:
    import json

    from content.events import Kind, NewEvent

    asked = ask("table.zero", share="all")
    typed = {**right(asked), "zero-2.bytes": "4Φ"}
    said = json.dumps(recall.response_of(asked, recall.grade_table(asked, typed)))
    events = [NewEvent(f"{n:032x}", Kind.NOTE, 0, 0, 0, response=said) for n in range(3)]
    counts = recall.cell_history([*events, NewEvent("f" * 32, Kind.NOTE, 0, 0, 0, response="{")])
    assert counts["zero-2.bytes"] == (3, 3)
    assert counts["zero-1.bytes"] == (3, 0)


# -- grading


def test_the_share_of_right_cells_proposes_the_rating() -> None:
    assert [recall.rating_for(share) for share in (0.0, 0.59, 0.6, 0.84, 0.85, 1.0)] == [
        Rating.AGAIN,
        Rating.AGAIN,
        Rating.HARD,
        Rating.HARD,
        Rating.GOOD,
        Rating.GOOD,
    ]


def test_what_cannot_be_read_is_asked_again_and_costs_nothing() -> None:
    asked = ask("table.zero", share="all")
    first = recall.grade_table(asked, {**right(asked), "ddp.bytes": "((16"})
    assert (first.again, first.rating) == (("ddp.bytes",), None)
    second = recall.grade_table(asked, right(asked), before=first)
    assert (second.rating, second.share) == (Rating.GOOD, 1.0)


def test_a_cell_left_empty_is_a_miss_and_giving_up_is_again() -> None:
    asked = ask("table.zero", share="all")
    typed = right(asked)
    del typed["ddp.bytes"]
    graded = recall.grade_table(asked, typed)
    assert graded.missed == ("ddp.bytes",)
    assert recall.response_of(asked, graded)["cells"]["ddp.bytes"] == {"mark": 0.0, "reason": "given_up"}
    given_up = recall.give_up(asked, graded)
    assert (given_up.rating, given_up.missed) == (Rating.AGAIN, ("ddp.bytes",))


def test_rows_that_may_come_in_any_order_are_taken_for_the_ones_they_fit() -> None:
    asked = ask("table.objects", share="all")
    assert asked.labels_hidden
    assert asked.rows != tuple(row["id"] for row in asked.table["rows"]) or ask("table.objects", 2, share="all")
    printed = right(asked)
    turned = dict(zip(asked.rows, asked.rows[1:] + asked.rows[:1], strict=True))
    typed = {f"{turned[recall.row_of(cell)]}.{recall.column_of(cell)}": text for cell, text in printed.items()}
    graded = recall.grade_table(asked, typed)
    assert graded.share == 1.0
    assert dict(graded.stands_for) == {turned[row]: row for row in asked.rows}
    assert recall.response_of(asked, graded)["cells"]["v3.label"]["mark"] == 1.0


def test_a_card_of_another_kind_is_no_table() -> None:
    drill = next(card for card in load_pack(PACK).cards if card.kind == "concept")
    with pytest.raises(NoTable):
        recall.ask_table(drill, drill.rev, 1)
