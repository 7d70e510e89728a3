"""Packs are found cheaply, loaded whole or refused with every fault, and introduced prerequisites first."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content.library import (
    SHIPPED_PACKS,
    PackRefused,
    check_pack,
    find_packs,
    load_pack,
    report_on,
    same_ids,
    signature_of,
)
from content.pack_order import introduction_order

SMALL = Path(__file__).parent / "packs" / "small"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "packs" / "small"))


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout


def test_packs_are_found_in_the_folders_given(small: Path) -> None:
    (small.parent / "notes").mkdir()
    (small.parent / ".hidden").mkdir()
    shutil.copy(small / "pack.yaml", small.parent / ".hidden")
    found = find_packs([small.parent / "missing", small.parent])
    assert [one.folder for one in found] == [small]


def test_the_signature_follows_every_file_of_the_pack_and_no_other(small: Path) -> None:
    signatures = [signature_of(small)]
    (small / "evidence.template.yaml").write_text("a: b\n")
    (small / "notes.txt").write_text("x")
    assert signature_of(small) == signatures[0]
    (small / "more.yaml").write_text("cards: []\n")
    signatures.append(signature_of(small))
    os.utime(small / "more.yaml", ns=(0, 1))
    signatures.append(signature_of(small))
    (small / "more.yaml").rename(small / "other.yaml")
    signatures.append(signature_of(small))
    assert len(set(signatures)) == 4


def test_finding_packs_imports_nothing_heavy(small: Path) -> None:
    heavy = "{'yaml', 'pydantic', 'sqlalchemy', 'numpy', 'textual'}"
    find = f"from content.library import find_packs; find_packs([Path({str(small.parent)!r})])"
    assert (
        run(f"import sys; from pathlib import Path; {find}; print(sorted({heavy} & set(sys.modules)))").strip() == "[]"
    )


def test_a_loaded_pack_has_full_ids_everywhere(small: Path) -> None:
    loaded = load_pack(small)
    assert (loaded.id, loaded.title.zh, loaded.folder) == ("small", "小卡包", small)
    assert [topic.id for topic in loaded.topics] == ["small/memory", "small/zero"]
    cards = {card.id: card for card in loaded.cards}
    assert cards["small/memory.accounts"].requires == ("small/memory.bytes#1", "small/memory.bytes#2")
    assert cards["small/zero.stage-1"].contrast == ("small/zero.stage-2",)
    assert {cards[f"small/memory.bytes#{mark}"].sibling for mark in (1, 2)} == {"small/memory.bytes"}
    assert cards["small/zero.stage-2"].source == ("course §3",)
    oral = cards["small/oral.accounts"]
    assert oral.model_answer == oral.back
    assert [point.id for point in oral.rubric if point.key] == ["weights"]
    assert oral.rubric[0].cards == ("small/memory.bytes#1", "small/memory.bytes#2")


def test_chinese_lines_join_without_a_gap(small: Path) -> None:
    card = next(card for card in load_pack(small).cards if card.id == "small/zero.stage-2")
    assert card.back.zh == "规约散射之后，每张卡上正好留下自己更新的那一片。"
    assert card.back.en == "A reduce-scatter leaves each card the slice that it updates."


def test_why_and_contrast_cards_invite_a_line(small: Path) -> None:
    invited = {card.id for card in load_pack(small).cards if card.invites_line}
    assert invited == {"small/zero.stage-1", "small/zero.stage-2"}


def test_cards_come_in_an_order_that_respects_what_they_require(small: Path) -> None:
    assert [card.id for card in load_pack(small).cards] == [
        "small/zero.early",  # of a later topic, pulled forward by the next
        "small/memory.bytes#1",
        "small/memory.bytes#2",
        "small/memory.accounts",
        "small/zero.stage-1",
        "small/oral.accounts",  # waits for the cards that its rubric names
        "small/zero.stage-2",
    ]


@given(st.data())
def test_order_of_introduction(data: st.DataObject) -> None:
    names = [f"c{index}" for index in range(data.draw(st.integers(0, 12)))]
    topics = ["s", "t"]
    topic_of = {name: data.draw(st.sampled_from(topics)) for name in names}
    shuffled = data.draw(st.permutations(names))
    requires = {
        name: data.draw(st.lists(st.sampled_from(shuffled[:index]), unique=True) if index else st.just([]))
        for index, name in enumerate(shuffled)
    }
    order = introduction_order(topics, topic_of, requires, {})
    assert sorted(order) == sorted(names), "no card is lost or doubled"
    assert all(order.index(needed) < order.index(name) for name in names for needed in requires[name])
    free = [name for name in order if not any(requires.values())]
    assert free == sorted(free, key=lambda name: (topics.index(topic_of[name]), names.index(name)))


def test_a_long_chain_of_prerequisites_needs_no_recursion() -> None:
    names = [f"c{index}" for index in range(5_000)]
    requires = {name: [needed] for name, needed in itertools.pairwise(names)}
    assert introduction_order(["t"], dict.fromkeys(names, "t"), requires, {}) == names[::-1]


def test_a_pack_with_faults_is_refused_whole(small: Path) -> None:
    (small / "more.yaml").write_text("cards: [{id: NO}]\n")
    with pytest.raises(PackRefused, match=r"more\.yaml:1: ") as refused:
        load_pack(small)
    assert len(refused.value.faults) > 1
    assert refused.value.folder == small


def test_warnings_refuse_nothing(small: Path) -> None:
    (small / "more.yml").write_text("cards: []\n")
    assert [(fault.rule, fault.warning) for fault in check_pack(small)] == [("file-name", True)]
    assert load_pack(small).cards


def test_a_report_counts_what_is_there(small: Path) -> None:
    report = report_on(small / "pack.yaml")
    assert (report.pack_id, report.topics, report.entries, report.cards) == ("small", 2, 6, 7)
    assert not report.refused
    assert report_on(small.parent).refused


def test_the_same_id_twice_names_both_places() -> None:
    (fault,) = same_ids([("map", Path("/a/map")), ("own", Path("/b/own")), ("map", Path("/b/map"))])
    assert fault.rule == "duplicate-pack"
    assert "/a/map" in str(fault)
    assert "/b/map" in str(fault)


def test_every_shipped_pack_is_sound() -> None:
    found = find_packs([SHIPPED_PACKS])
    assert found
    for one in found:
        assert [str(fault) for fault in check_pack(one.folder) if not fault.warning] == []
