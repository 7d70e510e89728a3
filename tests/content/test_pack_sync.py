"""Packs in the record: new cards wait as new, changed texts keep their past, what goes is only marked absent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest
from sqlalchemy import select, update

from content import tables
from content.cards import card_from_json
from content.events import Queue
from content.library import load_pack
from content.pack_rows import STRIDE, Synced, sync
from content.pack_sync import refresh
from content.store import Record

SMALL = Path(__file__).parent / "packs" / "small"
CARDS = 7


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(SMALL, tmp_path / "packs" / "small")
    return tmp_path / "packs"


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with Record.open(tmp_path / "data") as opened:
        yield opened


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")


def queues(record: Record, learner: str = "me") -> dict[str, int]:
    memory, card = tables.memory, tables.card
    joined = memory.join(card, memory.c.card_key == card.c.card_key)
    asked = select(card.c.card_id, memory.c.queue).select_from(joined).where(memory.c.learner == learner)
    return {row.card_id: row.queue for row in record.rows(asked)}


def count(record: Record, table: str) -> int:
    return len(record.rows(select(tables.metadata.tables[table])))


def cards(record: Record) -> dict[str, tuple[int, str, int]]:
    rows = record.rows(select(tables.card))
    return {row.card_id: (row.position, row.rev, row.present) for row in rows}


def test_a_new_pack_is_written_with_a_new_memory_for_each_card(record: Record, folder: Path) -> None:
    assert refresh(record, [folder], 1_000).synced == (Synced("small", new=CARDS, changed=0, gone=0, back=0),)
    loaded = load_pack(folder / "small")
    assert queues(record) == {card.id: Queue.NEW for card in loaded.cards}
    assert [card.id for card in loaded.cards] == sorted(cards(record), key=cards(record).__getitem__)
    bodies = record.rows(select(tables.card_rev.c.body, tables.card_rev.c.first_seen_ms))
    assert {card_from_json(body) for body, _ in bodies} == set(loaded.cards)
    assert {at_ms for _, at_ms in bodies} == {1_000}
    assert count(record, "topic") == 2


def test_an_unchanged_pack_is_not_parsed_again(record: Record, folder: Path) -> None:
    refresh(record, [folder], 1_000)
    with patch("content.pack_sync.load_pack", side_effect=AssertionError("parsed")):
        again = refresh(record, [folder], 2_000)
    assert (again.synced, again.absent, again.faults) == ((), (), ())


def test_writing_the_same_pack_again_changes_nothing(record: Record, folder: Path) -> None:
    loaded = load_pack(folder / "small")
    sync(record, loaded, 1_000)
    before = {name: count(record, name) for name in tables.metadata.tables}, cards(record), queues(record)
    assert sync(record, loaded, 2_000) == Synced("small", 0, 0, 0, 0)
    assert ({name: count(record, name) for name in tables.metadata.tables}, cards(record), queues(record)) == before


def test_a_changed_text_adds_a_revision_and_keeps_the_old(record: Record, folder: Path) -> None:
    refresh(record, [folder], 1_000)
    old = cards(record)["small/zero.early"]
    edit(folder / "small" / "cards.yaml", "The whole training state.", "All of the training state.")
    assert refresh(record, [folder], 2_000).synced == (Synced("small", new=0, changed=1, gone=0, back=0),)
    assert cards(record)["small/zero.early"][1] != old[1]
    assert count(record, "card_rev") == CARDS + 1
    edit(folder / "small" / "cards.yaml", "All of the training state.", "The whole training state.")
    refresh(record, [folder], 3_000)
    assert cards(record)["small/zero.early"] == old
    assert count(record, "card_rev") == CARDS + 1


def test_a_card_that_goes_and_returns_finds_its_memory(record: Record, folder: Path) -> None:
    refresh(record, [folder], 1_000)
    keys = {row.card_id: row.card_key for row in record.rows(select(tables.card))}
    states = {
        "small/zero.early": ({"phase": 2, "queue": 2, "due_day": 9, "stability": 3.5}, Queue.REVIEW),
        "small/memory.bytes#1": ({"phase": 3, "queue": 1, "due_ms": 9}, Queue.STEPS),
        "small/memory.accounts": ({"phase": 2, "queue": -1, "suspended": 1}, Queue.SUSPENDED),
    }
    with record.transaction() as connection:
        for card_id, (values, _) in states.items():
            here = tables.memory.c.card_key == keys[card_id]
            connection.execute(update(tables.memory).where(here).values(values))
    before = record.rows(select(tables.memory))
    shutil.move(folder / "small", folder.parent / "away")
    assert refresh(record, [folder], 2_000).absent == ("small",)
    assert set(queues(record).values()) == {Queue.ABSENT}
    assert refresh(record, [folder], 2_500).absent == ()
    shutil.move(folder.parent / "away", folder / "small")
    assert refresh(record, [folder], 3_000).synced == (Synced("small", 0, 0, 0, back=CARDS),)
    assert record.rows(select(tables.memory)) == before
    assert {card_id: queues(record)[card_id] for card_id in states} == {
        name: queue for name, (_, queue) in states.items()
    }


def test_a_card_that_its_pack_dropped_is_absent_and_the_others_close_up(record: Record, folder: Path) -> None:
    refresh(record, [folder], 1_000)
    (folder / "small" / "oral.yaml").unlink()
    assert refresh(record, [folder], 2_000).synced == (Synced("small", new=0, changed=0, gone=1, back=0),)
    assert queues(record)["small/oral.accounts"] == Queue.ABSENT
    assert cards(record)["small/oral.accounts"][2] == 0
    assert cards(record)["small/zero.stage-2"][0] == CARDS - 2
    positions = record.rows(select(tables.memory.c.position).order_by(tables.memory.c.position))
    assert len(positions) == CARDS, "nothing is deleted"
    assert count(record, "card_rev") == CARDS


def test_packs_are_introduced_one_after_the_other(record: Record, folder: Path) -> None:
    shutil.copytree(SMALL, folder / "another")
    edit(folder / "another" / "pack.yaml", "id: small", "id: another")
    refresh(record, [folder], 1_000)
    starts = {card_id.partition("/")[0]: position // STRIDE for card_id, (position, _, _) in cards(record).items()}
    assert starts == {"another": 0, "small": 1}


def test_the_same_id_twice_keeps_the_first_and_names_both(record: Record, folder: Path) -> None:
    shutil.copytree(SMALL, folder / "copy")
    for _ in range(2):
        refreshed = refresh(record, [folder], 1_000)
        assert [fault.rule for fault in refreshed.faults] == ["duplicate-pack"]
        assert str(folder / "copy") in str(refreshed.faults[0])
        assert str(folder / "small") in str(refreshed.faults[0])
    assert record.rows(select(tables.pack.c.folder)) == [(str(folder / "copy"),)]


def test_a_pack_that_became_faulty_keeps_the_cards_it_had(record: Record, folder: Path) -> None:
    refresh(record, [folder], 1_000)
    (folder / "small" / "more.yaml").write_text("cards: [{id: NO}]\n")
    refreshed = refresh(record, [folder], 2_000)
    assert refreshed.faults
    assert refreshed.absent == ()
    assert set(queues(record).values()) == {Queue.NEW}


def test_every_learner_of_the_record_gets_new_cards(record: Record, folder: Path, tmp_path: Path) -> None:
    record.set_meta("learner.her", "")
    refresh(record, [folder], 1_000)
    assert queues(record, "her") == queues(record, "me")
    assert len(queues(record, "her")) == CARDS


def test_one_bad_row_leaves_the_record_as_it_was(record: Record, folder: Path) -> None:
    loaded = load_pack(folder / "small")
    with patch("content.store.Record.fill_memories", side_effect=RuntimeError), pytest.raises(RuntimeError):
        sync(record, loaded, 1_000)
    assert {name: count(record, name) for name in ("pack", "topic", "card", "card_rev")} == dict.fromkeys(
        ("pack", "topic", "card", "card_rev"), 0
    )


def test_a_record_for_reading_is_left_alone(record: Record, folder: Path, tmp_path: Path) -> None:
    with Record.open(tmp_path / "data", read_only=True) as reader:
        assert refresh(reader, [folder], 1_000).synced == ()
