"""Room in the write-ahead log, made once a sitting: nothing else changes, nobody waits, nothing is told when it cannot be."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import Any

import pytest

from content.events import Kind
from content.sqlite import BUSY_MS, ROOM_BYTES, WHOLE_LOG_BYTES
from content.store import ENOUGH_FREE_BYTES, ROOM_WRITES, Record
from grading.memory import Rating


def test_room_in_the_log_changes_nothing_but_its_length(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    log = desk.folder / "record.sqlite3-wal"
    writes, meta = desk.record.writes, desk.record.named_rows("SELECT * FROM meta")
    desk.record.make_room()
    assert log.stat().st_size > ROOM_BYTES
    assert desk.record.writes == writes  # what was read ahead still holds
    assert desk.record.named_rows("SELECT * FROM meta") == meta
    length = log.stat().st_size
    desk.answer(desk.sit(), Rating.GOOD)
    assert log.stat().st_size == length
    desk.record.close()
    with Record.open(desk.folder) as record:
        assert [event.kind for event in record.events_of(1)] == [Kind.ATTEMPT]


def test_where_the_disk_is_full_no_room_is_made_and_nothing_is_said(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    pages = desk.record.named_rows("PRAGMA page_count")[0][0]
    desk.record.named_rows(f"PRAGMA max_page_count = {pages}")
    cached = desk.record.named_rows("PRAGMA cache_size")
    desk.record.make_room()
    assert desk.record.named_rows("PRAGMA cache_size") == cached
    assert not desk.driver.in_transaction


def test_a_record_that_is_only_read_makes_no_room(desk: Any) -> None:
    desk.record.close()
    with Record.open(desk.folder, read_only=True) as record:
        record.make_room()
    assert not (desk.folder / "record.sqlite3-wal").exists()


def test_on_a_disk_with_little_left_nothing_is_taken_in_advance(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.add("a")
    desk.sync()
    log = desk.folder / "record.sqlite3-wal"
    length = log.stat().st_size
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: (1 << 40, 1 << 40, ENOUGH_FREE_BYTES - 1))
    desk.record.make_room()
    assert log.stat().st_size == length


def test_a_lock_of_another_program_is_not_waited_for(desk: Any) -> None:
    with closing(sqlite3.connect(desk.folder / "record.sqlite3", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        started = time.monotonic()
        desk.record.make_room()
        assert time.monotonic() - started < 1
        other.execute("ROLLBACK")
    assert desk.driver.execute("PRAGMA busy_timeout").fetchone() == (BUSY_MS,)


def test_a_record_that_was_closed_meanwhile_makes_no_room(desk: Any) -> None:
    desk.record.close()
    desk.record.make_room()


def test_room_is_made_again_when_two_thirds_are_used_and_not_before(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    assert desk.record.needs_room
    desk.record.make_room()
    assert not desk.record.needs_room
    desk.record.writes += ROOM_WRITES
    assert desk.record.needs_room


def test_a_log_as_long_as_it_gets_needs_no_more(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    log = desk.folder / "record.sqlite3-wal"
    for _ in range(4):
        desk.record.make_room()
        desk.record.writes += ROOM_WRITES
        desk.answer(desk.sit(), Rating.AGAIN)
    with log.open("r+b") as file:
        file.truncate(WHOLE_LOG_BYTES)
    assert not desk.record.needs_room
    desk.answer(desk.sit(), Rating.GOOD)
    desk.record.close()
    with Record.open(desk.folder) as record:
        assert len(record.events_of(1)) == 5
