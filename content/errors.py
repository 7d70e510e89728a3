"""Why a record cannot be opened or written. Each message is one sentence that says what to do."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.backup import Backup


NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when the disk, or a learner's share of it, is full."""


class Reason(str):
    """A part of such a sentence. It remembers the template it was made from, so that another language can say it too."""

    __slots__ = ("facts", "template")
    template: str
    facts: dict[str, object]

    def __new__(cls, template: str, **facts: object) -> Reason:
        made = super().__new__(cls, template.format(**facts) if facts else template)
        made.template, made.facts = template, facts
        return made


class RecordError(Exception):
    """The record cannot do what was asked; the text can be shown to the learner.

    Made from a template and what fills it; both are kept, so that another language can say the same.
    """

    def __init__(self, template: str, **facts: object) -> None:
        self.template = template
        self.facts = facts
        super().__init__(template.format(**facts) if facts else template)


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
        if pid is None:
            super().__init__(
                "The record in {folder} is in use by another shardrill; close that one first.", folder=folder
            )
        else:
            super().__init__(
                "The record in {folder} is in use by another shardrill (process {pid}); close that one first.",
                folder=folder,
                pid=pid,
            )


class UnwritableRecord(RecordError):
    """Nothing can be written in the data folder, or not in the `file` of it that is named; `why` says by what."""

    def __init__(self, folder: Path, why: str, file: Path | None = None) -> None:
        if file is None:
            super().__init__(
                "The data folder {folder} cannot be written ({why}); free it, or choose another one.",
                folder=folder,
                why=why,
            )
        else:
            super().__init__(
                "{file} cannot be written ({why}); allow that, or choose another data folder.", file=file, why=why
            )


class FullDisk(RecordError):
    """There was no room for what was to be written; none of it was kept, and what was there before is whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(
            "The disk is full: {path} could not be written; make room and do the last step again.", path=path
        )


def refused(folder: Path, error: OSError, file: Path | None = None) -> FullDisk | UnwritableRecord:
    """The refusal for what the system says of a write in the data folder, or of a `file` in it that is there."""
    if error.errno in NO_ROOM:
        return FullDisk(file or folder)
    return UnwritableRecord(folder, Reason(error.strerror or str(error)), file)


class NewerRecord(RecordError):
    """The file was written by a later version; it was not changed."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        self.path = path
        self.found = found
        self.known = known
        super().__init__(
            "{path} has record version {found}, and this program knows versions up to {known}; "
            "it was left as it is: update shardrill to open it.",
            path=path,
            found=found,
            known=known,
        )


class OlderRecord(RecordError):
    """The file is of an earlier version and was opened to read only, so that it cannot be brought up to date."""

    def __init__(self, path: Path, found: int, known: int) -> None:
        self.path = path
        self.found = found
        self.known = known
        super().__init__(
            "{path} has record version {found} and must be brought to version {known} first; "
            "close the other shardrill and start this one again.",
            path=path,
            found=found,
            known=known,
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
        readable = [backup.date.isoformat() for backup in self.backups if backup.attempts is not None]
        if readable:
            super().__init__(
                "{path} cannot be used: {why}. Restore a backup with: shardrill restore. Backups: {backups}.",
                path=path,
                why=why,
                backups=", ".join(readable[:7]),
            )
        else:
            super().__init__(
                "{path} cannot be used: {why}. There is no backup; move it away to start with an empty record.",
                path=path,
                why=why,
            )


class DamagedMemory(RecordError):
    """What is stored of a card's memory could not have come about; the log of answers still tells what is right."""

    def __init__(self, card_key: int, card_id: str = "") -> None:
        self.card_key = card_key
        self.card_id = card_id
        super().__init__(
            "What the record holds of the card {card} is damaged; `shardrill rebuild` restores it from your answers.",
            card=card_id or f"#{card_key}",
        )


class DamagedEvent(RecordError):
    """A line of the log, which nothing can restore but a copy, says what no event can."""

    def __init__(self, event_id: str) -> None:
        self.event_id = event_id
        super().__init__(
            "The log of answers is damaged (event {event}), and nothing was changed; `shardrill restore` lists the copies.",
            event=event_id,
        )
