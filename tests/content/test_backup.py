"""Backups once a study day, and getting a record back when its file cannot be read."""

from __future__ import annotations

import datetime
import errno
import random
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from content import backup
from content.backup import back_up, list_backups, restore, rotate
from content.errors import CorruptRecord, LockedRecord, NewerRecord, RecordError
from content.migrations import latest
from content.store import Record
from grading.schedule import Phase

DAY = (datetime.date(2026, 11, 30) - datetime.date(1970, 1, 1)).days


@pytest.fixture
def backed_up(desk: Any) -> Path:
    """A folder whose record has 60 answered cards, all in its one backup; nothing is open."""
    desk.add(*(f"c{number}" for number in range(60)))
    desk.sync()
    for card in desk.cards:
        desk.logged(card.id.removeprefix("p/"), Phase.NEW)
    assert back_up(desk.record, DAY) is not None
    desk.record.close()
    folder: Path = desk.folder
    return folder


def spoil(folder: Path, how: str) -> None:
    path = folder / "record.sqlite3"
    data = bytearray(path.read_bytes())
    if how == "empty":
        data = bytearray()
    elif how == "missing":
        path.unlink()
        return
    elif how == "cut in half":
        data = data[: len(data) // 2]
    elif how == "random bytes in the middle":
        middle = len(data) // 2 // 4096 * 4096
        data[middle : middle + 8192] = random.Random(1).randbytes(8192)
    elif how == "another program's database":
        path.unlink()
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY)")
        return
    elif how == "a table taken away":
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("DROP TABLE event")
        return
    else:
        data = bytearray(b"this is not a database\n" * 50)
    path.write_bytes(data)


WAYS = [
    "empty",
    "missing",
    "cut in half",
    "random bytes in the middle",
    "another program's database",
    "a table taken away",
    "not a database",
]


def test_one_backup_a_study_day(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    desk.logged("a", Phase.NEW)
    path = back_up(desk.record, DAY)
    assert path is not None
    assert path.name == "record-2026-11-30.sqlite3"
    assert back_up(desk.record, DAY) is None
    assert back_up(desk.record, DAY + 1) is not None
    newest, older = list_backups(desk.folder)
    assert (newest.date, older.date) == (datetime.date(2026, 12, 1), datetime.date(2026, 11, 30))
    assert older.attempts == 1
    assert older.size_bytes == path.stat().st_size
    assert desk.record.info().last_backup_day == DAY + 1


def test_a_backup_that_was_removed_is_made_again(desk: Any) -> None:
    path = back_up(desk.record, DAY)
    assert path is not None
    path.unlink()
    assert back_up(desk.record, DAY) == path


def test_a_backup_is_one_whole_file_that_opens_as_a_record(backed_up: Path, tmp_path: Path) -> None:
    (made,) = list_backups(backed_up)
    assert {path.name for path in made.path.parent.iterdir()} == {made.path.name}
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copyfile(made.path, copy / "record.sqlite3")
    with Record.open(copy) as record:
        assert record.info().events == 60


def test_answers_go_on_while_a_backup_is_made(desk: Any) -> None:
    desk.add(*(f"c{number}" for number in range(50)))
    desk.sync()
    worker = threading.Thread(target=back_up, args=(desk.record, DAY))
    worker.start()
    for card in desk.cards:
        desk.logged(card.id.removeprefix("p/"), Phase.NEW)
    worker.join()
    assert desk.record.info().events == 50
    assert list_backups(desk.folder)[0].attempts is not None


LEFT = ("record-2026-11-02.sqlite3.part", "record-2026-11-02.sqlite3.part-journal", "record-2026-11-30.sqlite3.part")
OTHERS = ("record-2026-11-02.sqlite3.party", "notes.part", "record-mine.sqlite3.part")


@pytest.mark.parametrize("how", ["the copy of the day is made", "there is one already"])
def test_what_a_killed_run_left_half_copied_goes_with_the_next_backup(desk: Any, how: str) -> None:
    if how == "there is one already":
        back_up(desk.record, DAY)
    folder = desk.folder / "backups"
    folder.mkdir(exist_ok=True)
    for name in (*LEFT, *OTHERS):
        (folder / name).write_bytes(b"half")
    (desk.folder / "record.sqlite3.restoring").write_bytes(b"half")
    back_up(desk.record, DAY)
    assert sorted(path.name for path in folder.iterdir()) == sorted(("record-2026-11-30.sqlite3", *OTHERS))
    assert not (desk.folder / "record.sqlite3.restoring").exists()


def test_a_copy_that_this_process_is_making_is_left_alone(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    copy, seen = backup.sqlite.copy_database, []

    def slow(source: Path, part: Path) -> None:
        copy(source, part)
        part.with_name(part.name + "-journal").write_bytes(b"half")
        rotate(desk.folder)
        seen.extend(sorted(path.name for path in part.parent.iterdir()))

    monkeypatch.setattr(backup.sqlite, "copy_database", slow)
    back_up(desk.record, DAY)
    assert seen == ["record-2026-11-30.sqlite3.part", "record-2026-11-30.sqlite3.part-journal"]
    assert [path.name for path in (desk.folder / "backups").iterdir()] == ["record-2026-11-30.sqlite3"]


def test_seven_days_and_four_weeks_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    last = datetime.date(2026, 11, 30)
    for back in range(100):
        (folder / f"record-{last - datetime.timedelta(days=back)}.sqlite3").write_bytes(b"x")
    (folder / "mine.sqlite3").write_bytes(b"x")
    rotate(tmp_path)
    kept = [kept.date for kept in list_backups(tmp_path)]
    assert kept[:7] == [last - datetime.timedelta(days=back) for back in range(7)]
    assert len(kept) == 11
    assert len({day.isocalendar()[:2] for day in kept[7:]}) == 4
    assert (folder / "mine.sqlite3").exists()


@pytest.mark.parametrize("how", WAYS)
def test_a_damaged_record_is_named_kept_and_never_replaced_silently(backed_up: Path, how: str) -> None:
    spoil(backed_up, how)
    path = backed_up / "record.sqlite3"
    before = path.read_bytes() if path.exists() else None
    for _ in range(2):
        with pytest.raises(CorruptRecord) as refused:
            Record.open(backed_up)
    error = refused.value
    assert str(path) in str(error)
    assert "Backups: 2026-11-30." in str(error)
    assert [found.attempts for found in error.backups] == [60]
    if before is None:
        assert error.copy is None
        assert not path.exists()
    else:
        assert path.read_bytes() == before
        assert error.copy is not None
        assert error.copy.name.startswith("record.sqlite3.corrupt-20")
        assert error.copy.read_bytes() == before
        assert len(list(backed_up.glob("*.corrupt-*"))) == 1


@pytest.mark.parametrize("how", WAYS)
def test_a_backup_is_restored_without_opening_the_bad_file(backed_up: Path, how: str) -> None:
    spoil(backed_up, how)
    for side in ("-wal", "-shm"):
        (backed_up / f"record.sqlite3{side}").write_bytes(b"left over" * 100)
    path = backed_up / "record.sqlite3"
    before = path.read_bytes() if path.exists() else None
    aside = restore(backed_up, list_backups(backed_up)[0].path)
    assert (aside.read_bytes() if aside else None) == before
    with Record.open(backed_up) as record:
        assert record.info().events == 60


def test_a_folder_in_the_place_of_the_record_is_named_and_moved_aside(backed_up: Path) -> None:
    path = backed_up / "record.sqlite3"
    path.unlink()
    path.mkdir()
    (path / "kept.txt").write_text("mine")
    with pytest.raises(CorruptRecord, match="it is not a file"):
        Record.open(backed_up)
    aside = restore(backed_up, list_backups(backed_up)[0].path)
    assert aside is not None
    assert (aside / "kept.txt").read_text() == "mine"
    with Record.open(backed_up) as record:
        assert record.info().events == 60


def test_a_copy_of_a_later_version_is_not_put_in_place(backed_up: Path) -> None:
    copy = list_backups(backed_up)[0].path
    with closing(sqlite3.connect(copy)) as other, other:
        other.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    before = (backed_up / "record.sqlite3").read_bytes()
    with pytest.raises(NewerRecord) as refused:
        restore(backed_up, copy)
    assert (refused.value.found, refused.value.known) == (999, latest())
    assert (backed_up / "record.sqlite3").read_bytes() == before


def test_a_full_disk_while_restoring_leaves_everything_as_it_was(
    backed_up: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {path.name for path in backed_up.iterdir()}

    def full(source: Path, target: Path) -> None:
        Path(target).write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("content.backup.shutil.copyfile", full)
    with pytest.raises(RecordError, match="the disk has room"):
        restore(backed_up, list_backups(backed_up)[0].path)
    assert {path.name for path in backed_up.iterdir()} - {"record.lock"} == names - {"record.lock"}


def test_a_file_in_the_place_of_the_backups_is_named(desk: Any) -> None:
    (desk.folder / "backups").write_text("x")
    with pytest.raises(RecordError, match="cannot be made"):
        back_up(desk.record, DAY)


def test_backups_that_cannot_be_read_are_not_offered(backed_up: Path) -> None:
    list_backups(backed_up)[0].path.write_bytes(b"junk")
    spoil(backed_up, "cut in half")
    with pytest.raises(CorruptRecord, match="There is no backup; move it away"):
        Record.open(backed_up)
    (backed_up / "record.sqlite3").unlink()  # what the sentence says
    with Record.open(backed_up) as record:
        assert record.info().events == 0


def test_an_empty_file_without_backups_is_a_new_record(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite3").touch()
    with Record.open(tmp_path) as record:
        assert record.info().events == 0


def test_damage_met_in_the_middle_of_a_sitting_is_named(backed_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("content.sqlite.QUICK_CHECK_BYTES", 0)
    monkeypatch.setattr("content.sqlite.damage_seen_inside", lambda connection: None)
    path = backed_up / "record.sqlite3"
    data = bytearray(path.read_bytes())
    data[8 * 4096 :] = random.Random(1).randbytes(len(data) - 8 * 4096)
    path.write_bytes(data)

    def study() -> None:
        with Record.open(backed_up) as record:
            for key in range(1, 61):
                record.state(key)
                record.events_of(key)

    with pytest.raises(CorruptRecord, match="damaged"):
        study()


def test_a_damaged_record_does_not_push_good_backups_out(backed_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("content.sqlite.damage_seen_inside", lambda connection: None)
    with Record.open(backed_up) as record:
        with closing(sqlite3.connect(record.path)) as other:
            other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        data = bytearray(record.path.read_bytes())
        data[12 * 4096 :] = random.Random(1).randbytes(len(data) - 12 * 4096)
        record.path.write_bytes(data)
        with pytest.raises(CorruptRecord):
            back_up(record, DAY + 1)
    assert [found.date.day for found in list_backups(backed_up)] == [30]
    assert {path.suffix for path in (backed_up / "backups").iterdir()} == {".sqlite3"}


def test_nothing_is_restored_while_the_record_is_in_use_or_from_a_bad_backup(backed_up: Path) -> None:
    good = list_backups(backed_up)[0].path
    with Record.open(backed_up), pytest.raises(LockedRecord):
        restore(backed_up, good)
    before = (backed_up / "record.sqlite3").read_bytes()
    bad = backed_up / "backups" / "record-2026-11-29.sqlite3"
    bad.write_bytes(good.read_bytes()[:5000])
    assert [found.attempts for found in list_backups(backed_up)] == [60, None]
    with pytest.raises(RecordError, match="another backup"):
        restore(backed_up, bad)
    assert (backed_up / "record.sqlite3").read_bytes() == before


def test_a_crash_while_restoring_leaves_a_record_in_place(backed_up: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (backed_up / "record.sqlite3").read_bytes()

    def crash(live: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(backup, "_set_aside", crash)
    with pytest.raises(KeyboardInterrupt):
        restore(backed_up, list_backups(backed_up)[0].path)
    assert (backed_up / "record.sqlite3").read_bytes() == before
