"""One writer per data folder: an operating-system lock that a killed process cannot leave behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import BinaryIO

from content.errors import LockedRecord, Reason, UnwritableRecord

LOCK_NAME = "record.lock"

if sys.platform == "win32":
    import msvcrt

    def _take(file: BinaryIO) -> None:
        file.seek(1 << 20)  # beyond the process id: Windows forbids others to read a locked byte
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _give(file: BinaryIO) -> None:
        file.seek(1 << 20)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _take(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _give(file: BinaryIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


class WriterLock:
    """The right to write in a folder, held from construction to `release`.

    Raises LockedRecord when it is taken, UnwritableRecord where nobody may write.

    The system drops it when the process ends in whatever way; the file stays, since removing it would let two processes
    hold locks on two files of one name.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / LOCK_NAME
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        except OSError as error:
            file = self.path if self.path.exists() else None
            raise UnwritableRecord(folder, Reason(error.strerror or str(error)), file) from error
        self._file: BinaryIO | None = os.fdopen(handle, "r+b")
        try:
            _take(self._file)
        except OSError:
            pid = self._holder()
            self._file.close()
            self._file = None
            raise LockedRecord(folder, pid) from None
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"{os.getpid()}\n".encode())
        self._file.flush()

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
