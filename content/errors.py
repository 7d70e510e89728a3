"""Why a record cannot be opened or written. Each message is one sentence that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.backup import Backup


class RecordError(Exception):
    """The record cannot do what was asked; the text can be shown to the learner."""


class ReadOnlyRecord(RecordError):
    """A write was asked of a record that was opened to read only."""

    def __init__(self) -> None:
        super().__init__(
            "The record is open to read only; close the other shardrill and start this one again to answer."
        )


class LockedRecord(RecordError):
    """Another running program writes this record. `pid` is its process, None when it could not be read."""

    def __init__(self, folder: Path, pid: int | None) -> None:
        self.folder = folder
        self.pid = pid
        who = "another shardrill" if pid is None else f"another shardrill (process {pid})"
        super().__init__(f"The record in {folder} is in use by {who}; close that one, or look at the record read-only.")


class UnwritableRecord(RecordError):
    """Nothing can be written in the data folder; `why` is the system's own word for it."""

    def __init__(self, folder: Path, why: str) -> None:
        self.folder = folder
        self.why = why
        super().__init__(f"The data folder {folder} cannot be written ({why}); free it, or choose another one.")


class FullDisk(RecordError):
    """There was no room for what was to be written; none of it was kept, and what was there before is whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"The disk is full: {path} could not be written; make room and do the last step again.")


class NewerRecord(RecordError):
    """The file was written by a later version; it was not changed."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        self.path = path
        self.found = found
        self.known = known
        super().__init__(
            f"{path} has record version {found}, and this program knows versions up to {known}; "
            "it was left as it is: update shardrill to open it."
        )


class OlderRecord(RecordError):
    """The file is of an earlier version and was opened to read only, so that it cannot be brought up to date."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        self.path = path
        self.found = found
        self.known = known
        super().__init__(
            f"{path} has record version {found} and must be brought to version {known} first; "
            "close the other shardrill and start this one again."
        )


class CorruptRecord(RecordError):
    """The file cannot be read as a record. It was not changed.

    `copy` is a second one kept beside it, None when there was no file.
    """

    def __init__(self, path: Path, why: str, copy: Path | None, backups: Sequence[Backup]) -> None:
        self.path = path
        self.why = why
        self.copy = copy
        self.backups = tuple(backups)
        kept = f"; it is kept as {copy.name}" if copy is not None else ""
        if any(backup.attempts is not None for backup in self.backups):
            listed = ", ".join(backup.label for backup in self.backups[:12])
            what = f"Restore one of its backups with `shardrill restore`: {listed}."
        else:
            what = "There is no backup of it; move it away to start with an empty record."
        super().__init__(f"{path} cannot be used: {why}{kept}. {what}")
