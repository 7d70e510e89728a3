"""What opening a record is refused for: no rights, no room, no file; each refusal says what to do, most let it be read."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from content import sqlite
from content.errors import CorruptRecord, FullDisk, RecordError, UnwritableRecord
from content.events import Kind, NewEvent
from content.record_file import named
from content.store import Record


def test_reading_only_needs_a_record_that_is_there(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="no record"):
        Record.open(tmp_path, read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named_and_its_record_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Record.open(tmp_path).close()

    def refuse(*_arguments: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("content.lock.os.open", refuse)
    with pytest.raises(UnwritableRecord, match="Read-only file system"):
        Record.open(tmp_path)
    with Record.open(tmp_path, read_only=True) as record:
        assert record.info().events == 0


@pytest.fixture
def locked_up(tmp_path: Path) -> Iterator[Callable[..., None]]:
    """Takes from this user the right to write (or even to read) a file or folder, until the test is over."""
    before: list[tuple[Path, int]] = []

    def lock_up(path: Path, mode: int) -> None:
        before.append((path, path.stat().st_mode))
        path.chmod(mode)
        if os.access(path, os.W_OK):
            pytest.skip("permissions do not bind this user")

    yield lock_up
    for path, mode in before:
        path.chmod(mode)


@pytest.mark.parametrize("what", ["", "record.sqlite3", "record.lock"])
def test_without_the_right_to_write_the_record_is_named_and_can_be_read(
    tmp_path: Path, locked_up: Callable[..., None], what: str
) -> None:
    Record.open(tmp_path).close()
    place = tmp_path / what
    locked_up(place, 0o555 if not what else 0o444)
    with pytest.raises(UnwritableRecord, match="cannot be written") as refused:
        Record.open(tmp_path)
    assert f"{place} cannot be written" in str(refused.value)
    with Record.open(tmp_path, read_only=True) as record:
        assert record.info().events == 0


def test_a_record_that_may_not_even_be_read_is_named(tmp_path: Path, locked_up: Callable[..., None]) -> None:
    Record.open(tmp_path).close()
    locked_up(tmp_path / "record.sqlite3", 0)
    for read_only in (False, True):
        with pytest.raises(RecordError, match="sqlite3 cannot be read"):
            Record.open(tmp_path, read_only=read_only)


def test_a_record_whose_files_may_only_be_read_is_not_opened_to_write(tmp_path: Path) -> None:
    Record.open(tmp_path).close()
    with closing(sqlite.connect(tmp_path / "record.sqlite3")) as driver:
        driver.execute("PRAGMA query_only = ON")  # what SQLite says of a file that it may not write
        with pytest.raises(sqlite3.OperationalError) as refused:
            driver.execute("UPDATE meta SET value = value")
    refusal = named(tmp_path / "record.sqlite3", refused.value, "")
    assert isinstance(refusal, UnwritableRecord)


def test_a_record_is_read_where_sqlite_can_make_no_file_beside_it(tmp_path: Path) -> None:
    Record.open(tmp_path).close()
    shm = tmp_path / "record.sqlite3-shm"
    shm.mkdir()  # SQLite can then make no shared memory, as on a read-only disk
    with Record.open(tmp_path, read_only=True) as record:
        assert record.topics() == []


def test_a_full_disk_is_named_and_nothing_is_half_written(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    pages = desk.record.named_rows("PRAGMA page_count")[0][0]
    desk.record.named_rows(f"PRAGMA max_page_count = {pages}")
    big = NewEvent("1" * 32, Kind.NOTE, 0, 0, 1, card_key=desk.row("a").card_key, response="x" * 9_000_000)
    with pytest.raises(FullDisk, match="make room"):
        desk.record.append(big)
    assert desk.events() == []


@pytest.mark.parametrize("free", [0, 10**9])
def test_where_sqlite_cannot_say_that_the_disk_is_full_its_room_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int
) -> None:
    path = tmp_path / "record.sqlite3"
    (tmp_path / "record.sqlite3-journal").mkdir()
    monkeypatch.setattr("shutil.disk_usage", lambda _path: SimpleNamespace(free=free))
    with closing(sqlite3.connect(path)) as driver, pytest.raises(sqlite3.OperationalError) as refused:
        driver.execute("CREATE TABLE t (x)")
    assert isinstance(named(path, refused.value, "{path} {cause}"), FullDisk) is (free == 0)


def test_damage_is_named_where_no_copy_of_it_can_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "record.sqlite3").write_bytes(b"not a database" * 100)

    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("shutil.copyfile", refuse)
    with pytest.raises(CorruptRecord) as refused:
        Record.open(tmp_path)
    assert refused.value.copy is None


def test_a_start_that_was_cut_off_before_its_first_table_left_no_record(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "record.sqlite3")) as driver:
        driver.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(RecordError, match="no record"):
        Record.open(tmp_path, read_only=True)
    Record.open(tmp_path).close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, locked_up: Callable[..., None]) -> None:
    locked_up(tmp_path, 0o500)
    with pytest.raises(RecordError, match="choose another"):
        Record.open(tmp_path / "inner")


def test_a_file_where_the_folder_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("x")
    with pytest.raises(RecordError, match="choose another"):
        Record.open(tmp_path / "data")
