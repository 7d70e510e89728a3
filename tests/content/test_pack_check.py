"""`pack check`: every fault of a pack, each with its file, line, a stable rule and what to do."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

import tui
from content.library import check_pack, load_pack
from content.pack_words import gives_away

SMALL = Path(__file__).parent / "packs" / "small"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "small"))


def edit(file: Path, old: str, new: str) -> int:
    """Replace the first `old` in a file; returns its line."""
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")
    return text[: text.index(old)].count("\n") + 1


def found(pack: Path) -> list[tuple[str, int, str]]:
    return [(fault.file.name, fault.line, fault.rule) for fault in check_pack(pack)]


def test_a_sound_pack_has_no_faults(small: Path) -> None:
    assert found(small) == []


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("kind: concept", "kind: essay", "unknown-kind"),
        ("kind: concept", "kind: [concept]", "unknown-kind"),
        ("topic: zero", "topic: nowhere", "unknown-topic"),
        ("[memory.accounts]", "[memory.acounts]", "unknown-card"),
        ("[memory.accounts]", '["memory.bytes#3"]', "unknown-card"),
        ("[memory.accounts]", "[zero.stage-1]", "refers-to-itself"),
        ("revision: 1", "revison: 1", "unknown-key"),
        ("revision: 1", "revision: first", "wrong-type"),
        ("revision: 1", "revision: 0", "value"),
        ("id: zero.stage-1", "id: Zero.Stage", "bad-id"),
        ("id: zero.stage-1", "id: 6.2", "unquoted-value"),
        ("id: zero.stage-1", "id: NO", "unquoted-value"),
        ('source: ["course §3"]', "source: []", "count"),
        ('source: ["course §3"]', "source: [8]", "unquoted-value"),
        ('source: ["course §3"]', 'source: [" "]', "empty-text"),
        ('{en: "optimizer states", zh: "优化器状态"}', '{en: "optimizer states"}', "missing-key"),
        ('{en: "optimizer states", zh: "优化器状态"}', '{en: "optimizer states", zh: ""}', "empty-text"),
        ('{en: "optimizer states", zh: "优化器状态"}', '"optimizer states"', "wrong-type"),
        ('{en: "first stage", zh: "第一阶段"}', '{en: "first stage"}', "missing-key"),
        ('{en: "first stage", zh: "第一阶段"}', '{en: "first stage", zh: ""}', "empty-text"),
        ('{en: "first stage", zh: "第一阶段"}', '"first stage"', "wrong-type"),
        ('en: "first stage"', f'en: "{"s" * 33}"', "name-length"),
        ('zh: "第一阶段"', f'zh: "{"切" * 17}"', "name-length"),
        ('en: "first stage"', 'en: "first\\nstage"', "name-length"),
        ('en: "first stage"', 'en: "first\\e[2Jstage"', "control-character"),
        ('en: "first stage"', 'en: "the optimizer states"', "answer-in-question"),
        ('zh: "第一阶段"', 'zh: "切优化器状态"', "answer-in-question"),
    ],
)
def test_a_fault_of_an_entry_is_on_its_own_line(small: Path, old: str, new: str, rule: str) -> None:
    line = edit(small / "cards.yaml", old, new)
    assert ("cards.yaml", line, rule) in found(small)


def test_a_question_that_gives_its_answer_away_is_a_fault_of_the_question(small: Path) -> None:
    line = edit(
        small / "cards.yaml", '"What does the first stage shard?"', '"What optimizer states are sharded first?"'
    )
    edit(small / "cards.yaml", '"The optimizer states."', '"Optimizer states."')
    assert found(small) == [("cards.yaml", line, "answer-in-question")]


def test_a_missing_key_is_reported_where_its_entry_begins(small: Path) -> None:
    line = edit(small / "cards.yaml", '    back: {en: "The optimizer states.", zh: "优化器状态。"}\n', "") - 5
    assert found(small) == [("cards.yaml", line - 2, "missing-key")]
    assert "`back`" in check_pack(small)[0].what_to_do


def test_a_likely_spelling_is_proposed(small: Path) -> None:
    edit(small / "cards.yaml", "revision: 1", "revison: 1")
    assert "did you mean `revision`?" in check_pack(small)[0].what_to_do


def test_a_refused_value_is_reported_once(small: Path) -> None:
    line = edit(small / "cards.yaml", "topic: zero", "topic: NO")
    assert [fault for fault in found(small) if fault[1] == line and fault[2] != "unknown-topic"] == [
        ("cards.yaml", line, "unquoted-value")
    ]


def test_an_id_that_stands_twice_names_both_places(small: Path) -> None:
    (small / "more.yaml").write_text(
        (small / "oral.yaml").read_text("utf-8").replace("oral.accounts", "zero.early"), "utf-8"
    )
    (fault,) = check_pack(small)
    assert (fault.file.name, fault.line, fault.rule) == ("more.yaml", 2, "duplicate-id")
    assert "cards.yaml:50" in fault.what_to_do
    assert "more.yaml:2" in fault.what_to_do


def test_a_loop_of_prerequisites_is_printed(small: Path) -> None:
    edit(small / "cards.yaml", "requires: [zero.early]", "requires: [zero.stage-1]")
    (fault,) = check_pack(small)
    assert fault.rule == "requires-cycle"
    assert "zero.stage-1 -> memory.accounts -> memory.bytes -> zero.stage-1" in fault.what_to_do


def test_topics_and_the_list_of_them_agree(small: Path) -> None:
    edit(small / "pack.yaml", "[memory, zero]", "[memory, memory, lost]")
    assert sorted(found(small)) == [
        ("pack.yaml", 3, "duplicate-topic"),
        ("pack.yaml", 3, "unknown-topic"),
        ("topics.yaml", 19, "unlisted-topic"),
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("占 {{2 + 2}} 字节", "占 2 + 2 字节"),
        ("{{12}}.", "12."),
        ("{{12}}.", "{{12."),
        ("{{12}}.", "12}}."),
        ("{{12}}.", "{{ }}."),
    ],
)
def test_cloze_marks_are_whole_and_the_same_in_both_languages(small: Path, old: str, new: str) -> None:
    edit(small / "cards.yaml", old, new)
    assert [rule for _, _, rule in found(small)] == ["cloze-marks"]


def test_a_cloze_has_a_mark(small: Path) -> None:
    for mark in ("{{2 + 2}}", "{{12}}") * 2:
        edit(small / "cards.yaml", mark, mark.strip("{}"))
    assert [rule for _, _, rule in found(small)] == ["cloze-marks"]


def test_the_pack_of_the_guide_is_taken(tmp_path: Path) -> None:
    """What the guide to packs prints can be typed in as it stands: a short lesson is a warning in one's own pack."""
    guide = (Path(tui.__file__).parent / "docs" / "en" / "packs.md").read_text(encoding="utf-8")
    pack, cards = re.findall(r"```\n(.*?)```", guide, re.DOTALL)[:2]
    (tmp_path / "pack.yaml").write_text(pack, encoding="utf-8")
    (tmp_path / "basics.yaml").write_text(cards, encoding="utf-8")
    assert {(fault.rule, fault.warning) for fault in check_pack(tmp_path)} == {("lesson-length", True)}
    assert len(load_pack(tmp_path).cards) == 1


def test_a_shipped_lesson_is_neither_short_nor_long(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(small / "topics.yaml", "切分从数据并行的重复开始。", "切" * 400)
    monkeypatch.setattr("content.pack_check.SHIPPED_PACKS", small.parent)
    assert [(fault.rule, fault.warning) for fault in check_pack(small)] == [("lesson-length", False)]


def test_own_lessons_are_better_neither_short_nor_long(small: Path) -> None:
    edit(small / "topics.yaml", "Training a model keeps", "word " * 100 + "keeps")
    edit(small / "topics.yaml", "切分从数据并行的重复开始。", "切" * 400)
    assert [rule for _, _, rule in found(small)] == ["lesson-length"] * 2
    assert "this lesson has" in check_pack(small)[0].what_to_do


def test_a_rubric_has_four_to_eight_points(small: Path) -> None:
    edit(
        small / "oral.yaml",
        '      - {id: gradients, text: {en: "gradients", zh: "梯度"}',
        '      - {id: g, txt: {en: "g", zh: "梯"}',
    )
    assert {rule for _, _, rule in found(small)} == {"missing-key", "unknown-key"}
    shutil.copy(SMALL / "oral.yaml", small)
    edit(
        small / "oral.yaml",
        '      - {id: weights, text: {en: "weights", zh: "权重"}, key: true, cards: [memory.bytes]}\n',
        "",
    )
    assert [rule for _, _, rule in found(small)] == ["count"]


def test_one_to_three_ideas(small: Path) -> None:
    edit(small / "cards.yaml", "    ideas:\n", "    ideas:\n" + '      - {en: "an idea", zh: "一点"}\n' * 3)
    assert [rule for _, _, rule in found(small)] == ["count"]
    shutil.copy(SMALL / "cards.yaml", small)
    edit(small / "cards.yaml", '    ideas:\n      - {en: "optimizer states", zh: "优化器状态"}\n', "    ideas: []\n")
    assert [rule for _, _, rule in found(small)] == ["count"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("- a\n", "wrong-type"),
        ("cards: x-y\n", "wrong-type"),
        ("cards: [x-y]\n", "unknown-kind"),
        ("card: []\n", "unknown-key"),
    ],
)
def test_a_file_of_another_shape_is_refused(small: Path, text: str, rule: str) -> None:
    (small / "more.yaml").write_text(text)
    assert found(small) == [("more.yaml", 1, rule)]


def test_a_folder_without_a_pack_file(small: Path) -> None:
    (small / "pack.yaml").unlink()
    assert found(small) == [("pack.yaml", 1, "no-pack-file")]


@pytest.mark.parametrize("pack_id", ["Small", "小", "a_b", "a/b", "-a", ""])
def test_pack_ids_are_slugs(small: Path, pack_id: str) -> None:
    edit(small / "pack.yaml", "id: small", f"id: '{pack_id}'")
    assert [(line, rule) for _, line, rule in found(small)] == [(1, "bad-id")]


def test_a_broken_file_raises_no_echoes_elsewhere(small: Path) -> None:
    line = edit(small / "cards.yaml", "requires: [zero.early]", "requires: [zero.early")
    ((name, where, rule),) = found(small)
    assert (name, rule) == ("cards.yaml", "syntax")
    assert line <= where <= line + 1


def test_control_characters_in_a_card_are_refused(small: Path) -> None:
    line = edit(small / "cards.yaml", '"Name the three accounts."', '"Name \\e[2J the three accounts."')
    assert found(small) == [("cards.yaml", line, "control-character")]


def test_long_texts_are_warned_of(small: Path) -> None:
    edit(small / "cards.yaml", "Name the three", "Name the three " + "very " * 100)
    assert [(fault.rule, fault.warning) for fault in check_pack(small)] == [("long-text", True)]


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("Which primitive does all-reduce need besides ALL-GATHER?", "All-gather.", True),
        ("为什么规约散射之后只要再做一次规约散射？", "规约散射。", True),
        ("What is sharded by ZeRO-1?", "ZeRO", True),
        ("What do shards hold?", "hard", False),  # within a word only
        ("Is it ZeRO-1 or ZeRO-2?", "ZeRO-1", False),  # a choice names its answer
        ("How does memory go with N?", "N", False),
        ("切的是参数还是梯度？", "梯度", False),
        ("What is repeated?", "The whole training state.", False),
    ],
)
def test_a_question_that_contains_its_answer(question: str, answer: str, told: bool) -> None:
    assert gives_away(question, answer) is told
