"""One writer per data folder, whatever became of the one before."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from content.errors import FullDisk, LockedRecord, ReadOnlyRecord
from content.events import Kind, NewEvent
from content.lock import WriterLock
from content.store import Record

HOLD = """
import sys, time
from pathlib import Path
from content.store import Record
record = Record.open(Path(sys.argv[1]))
print("open", flush=True)
time.sleep(60)
"""


def test_the_second_start_is_told_who_writes(tmp_path: Path) -> None:
    with Record.open(tmp_path), pytest.raises(LockedRecord) as refused:
        Record.open(tmp_path)
    assert refused.value.pid == os.getpid()
    assert str(os.getpid()) in str(refused.value)


def test_the_second_start_may_read_and_not_write(tmp_path: Path) -> None:
    with Record.open(tmp_path) as first, Record.open(tmp_path, read_only=True) as second:
        first.append(NewEvent("0" * 32, Kind.LESSON, 0, 0, 1, response='{"topic":"p/t"}'))
        assert second.read_only
        assert second.lessons_read() == {"p/t"}
        with pytest.raises(ReadOnlyRecord):
            second.append(NewEvent("1" * 32, Kind.LESSON, 0, 0, 1))


def test_closing_lets_the_next_one_in(tmp_path: Path) -> None:
    first = Record.open(tmp_path)
    first.close()
    first.close()
    Record.open(tmp_path).close()


def test_a_disk_without_room_for_the_lock_is_named_and_the_lock_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(WriterLock, "_name_holder", refuse)
        with pytest.raises(FullDisk, match="make room"):
            Record.open(tmp_path / "new")
    Record.open(tmp_path / "new").close()
    with monkeypatch.context() as full:
        full.setattr("content.lock.os.open", refuse)
        with pytest.raises(FullDisk, match="make room"):
            Record.open(tmp_path)


def test_a_failed_start_does_not_keep_the_lock(tmp_path: Path) -> None:
    (tmp_path / "record.sqlite3").write_bytes(b"not a database" * 100)
    for _ in range(2):
        with pytest.raises(Exception, match="not a SQLite file"):
            Record.open(tmp_path)
    WriterLock(tmp_path).release()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_process_leaves_no_lock_behind(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "open\n"
        with pytest.raises(LockedRecord) as refused:
            Record.open(tmp_path)
        assert refused.value.pid == other.pid
        other.send_signal(signal.SIGKILL)
        other.wait()
    Record.open(tmp_path).close()
