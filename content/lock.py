"""One writer per data folder: an operating-system lock that a killed process cannot leave behind."""

from __future__ import annotations

import os
import sys
from io import FileIO
from pathlib import Path

from content.errors import LockedRecord, refused

LOCK_NAME = "record.lock"

if sys.platform == "win32":
    import msvcrt

    def _take(file: FileIO) -> None:
        file.seek(1 << 20)  # beyond the process id: Windows forbids others to read a locked byte
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _give(file: FileIO) -> None:
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: FileIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give(file: FileIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


class WriterLock:
    """The right to write in a folder, held from construction to `release`.

    Raises LockedRecord when it is taken, UnwritableRecord where nobody may write, FullDisk where there is no room.

    The system drops it when the process ends in whatever way; the file stays, since removing it would let two processes
    hold locks on two files of one name.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK_NAME
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            raise refused(folder, error, self.path if self.path.exists() else None) from error
        self._file: FileIO | None = FileIO(handle, "r+")  # unbuffered: what found no room is not tried again at the end
        try:
            _take(self._file)
        except OSError:
            pid = self._holder()
            self._file.close()
            self._file = None
            raise LockedRecord(folder, pid) from None
        try:
            self._name_holder(self._file)
        except OSError as error:
            self.release()
            raise refused(folder, error, self.path) from error

    def _name_holder(self, file: FileIO) -> None:
        """Write who holds the lock over what stands there: on a full disk that takes no room."""
        file.seek(0)
        file.write(f"{os.getpid()}\n".encode())
        file.truncate()

    def _holder(self) -> int | None:
        try:
            return int(self.path.read_bytes()[:20])
        except (OSError, ValueError):
            return None

    def release(self) -> None:
        """Let others write; does nothing the second time."""
        if self._file is not None:
            _give(self._file)
            self._file.close()
            self._file = None
