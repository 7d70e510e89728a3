"""Opening a record's file: is it there, is it whole, is it of this version; and what the database says, in our words."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import suppress
from pathlib import Path

from content import sqlite
from content.errors import (
    CorruptRecord,
    FullDisk,
    NewerRecord,
    OlderRecord,
    Reason,
    RecordError,
    UnwritableRecord,
    refused,
)
from content.version import RECORD_VERSION, missing_tables, version_of

LEAST_FREE_BYTES = 64 * 1024
"""With less room than this SQLite cannot even make the files that it keeps beside the record."""


def make_folder(folder: Path) -> None:
    """Make the data folder unless there is one; UnwritableRecord or FullDisk when it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise refused(folder, error) from error


def open_file(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """A connection to a file that was found to be a sound record of this version, made or upgraded if need be."""
    try:
        new = _is_new(path)
        why = None if new else sqlite.damage_seen_outside(path)
    except OSError as error:
        cause = Reason(error.strerror or str(error))
        raise RecordError(
            "{path} cannot be read ({cause}); allow that, or choose another data folder.", path=path, cause=cause
        ) from error
    if new and read_only:
        raise _nothing_yet(path)
    if why:
        raise _corrupt(path, why)
    driver = sqlite.connect(path, read_only=read_only)
    try:
        _bring_up_to_date(driver, path, read_only=read_only)
        if read_only:
            sqlite.forbid_writes(driver)
        else:
            sqlite.must_be_writable(driver)
            sqlite.make_durable(driver)
            sqlite.fix_plans(driver)
        return driver
    except BaseException as error:
        failure = named(path, error, "{path} cannot be opened ({cause}); see that it may be written.")
        driver.close()
        if failure is None:
            raise
        raise failure from error


def named(path: Path, error: BaseException, otherwise: str) -> RecordError | None:
    """The record's own error for what the database says; None when the error is not the database's."""
    cause = sqlite.driver_error(error)
    if cause is None:
        return None
    if sqlite.means_damage(cause):
        return _corrupt(path, sqlite.found_damaged(cause))
    if sqlite.means_full(cause) or (sqlite.may_mean_full(cause) and _no_room(path.parent)):
        return FullDisk(path)
    if sqlite.means_no_side_file(cause) and (refusal := _unwritable(path)):
        return refusal
    if sqlite.means_read_only(cause):
        return UnwritableRecord(path.parent, str(cause))
    return RecordError(otherwise, path=path, cause=cause)


def _no_room(folder: Path) -> bool:
    with suppress(OSError):
        return shutil.disk_usage(folder).free < LEAST_FREE_BYTES
    return False


def _unwritable(path: Path) -> UnwritableRecord | None:
    """The folder of the record, or the file of it, that this user may not write; None when all of them can be written."""
    if not os.access(path.parent, os.W_OK):
        return UnwritableRecord(path.parent, Reason("it may only be read"))
    for suffix in ("", *sqlite.SIDE_FILES):
        file = path.with_name(path.name + suffix)
        if file.exists() and not os.access(file, os.W_OK):
            return UnwritableRecord(path.parent, Reason("it may only be read"), file)
    return None


def _bring_up_to_date(driver: sqlite3.Connection, path: Path, *, read_only: bool) -> None:
    found = version_of(driver)
    if found is None:
        if read_only and not sqlite.table_names(driver):
            raise _nothing_yet(path)
        if sqlite.table_names(driver) or _backups_exist(path):
            raise _corrupt(path, Reason("it is not a record of shardrill"))
        from content import migrations

        sqlite.make_durable(driver)
        migrations.create(driver)
        return
    if found > RECORD_VERSION:
        raise NewerRecord(path, found, RECORD_VERSION)
    if why := sqlite.damage_seen_inside(driver):
        raise _corrupt(path, why)
    if found < RECORD_VERSION:
        if read_only:
            raise OlderRecord(path, found, RECORD_VERSION)
        from content import migrations
        from content.backup import back_up_before_upgrade

        back_up_before_upgrade(path, RECORD_VERSION)
        migrations.upgrade(driver, found)
    if missing := missing_tables(driver):
        raise _corrupt(path, Reason("it lacks the table {table}", table=missing[0]))


def _nothing_yet(path: Path) -> RecordError:
    return RecordError("There is no record in {folder} yet; start shardrill once to make one.", folder=path.parent)


def _is_new(path: Path) -> bool:
    """Whether there is nothing here yet. An empty or missing file where backups exist is a loss, not a start."""
    if path.exists() and path.stat().st_size > 0:
        return False
    if _backups_exist(path):
        raise _corrupt(path, Reason("it is empty") if path.exists() else Reason("it is missing"))
    return True


def _backups_exist(path: Path) -> bool:
    """Whether there is something to restore: copies that cannot be read must not keep a learner from starting anew."""
    from content.backup import list_backups

    return any(backup.attempts is not None for backup in list_backups(path.parent))


def _corrupt(path: Path, why: Reason) -> CorruptRecord:
    from content.backup import keep_copy, list_backups

    copy = None
    with suppress(OSError):  # no room for a copy, or no right to write one: the file itself stays as it is
        copy = keep_copy(path)
    return CorruptRecord(path, why, copy, list_backups(path.parent))
