"""Copies of the record: one a study day, a few kept, and putting one back when the live file cannot even be opened."""

from __future__ import annotations

import datetime
import re
import shutil
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from content import sqlite
from content.errors import CorruptRecord, NewerRecord, RecordError
from content.lock import WriterLock
from content.sqlite import RECORD_NAME
from content.version import RECORD_VERSION, VERSION, version_in

if TYPE_CHECKING:
    from content.store import Record

BACKUP_FOLDER = "backups"
DAILY_KEPT = 7
WEEKLY_KEPT = 4
BEFORE_UPGRADE_KEPT = 3
LAST_BACKUP_KEY = "last_backup_day"
_NAME = re.compile(r"record-(\d{4}-\d{2}-\d{2})(-before-version-\d+)?\.sqlite3")
_EPOCH = datetime.date(1970, 1, 1)
_PART, _RESTORING = ".part", ".restoring"
_BESIDE = ("", "-journal", "-wal", "-shm")
_HALF = re.compile(_NAME.pattern + re.escape(_PART) + f"({'|'.join(_BESIDE)})")
_being_written: set[Path] = set()
"""The halves of copies that this process is making now."""


@dataclass(frozen=True, slots=True)
class Backup:
    """One copy of the record. `attempts` counts the answers inside; None when the copy itself cannot be read."""

    path: Path
    date: datetime.date
    size_bytes: int
    attempts: int | None
    before_upgrade: bool = False


def list_backups(folder: Path) -> list[Backup]:
    """The backups of a data folder, newest first; works whatever state the live file is in."""
    found = [backup for path in _named(folder) if (backup := _described(path)) is not None]
    return sorted(found, key=lambda backup: (backup.date, not backup.before_upgrade), reverse=True)


def has_backups(folder: Path) -> bool:
    return any(True for _ in _named(folder))


def back_up(record: Record, day: int) -> Path | None:
    """Make the backup of this study day unless there is one; meant for a worker thread, answers go on meanwhile.

    Returns the new file, or None when the day has one. Raises CorruptRecord, and removes no older copy, when the record
    turns out to be damaged.
    """
    target = _folder(record.folder) / f"record-{_EPOCH + datetime.timedelta(days=day)}.sqlite3"
    _remove_halves(record.folder)
    if target.exists() and record.meta(LAST_BACKUP_KEY) == str(day):
        return None
    try:
        copy_to(record.path, target)
    except sqlite3.DatabaseError as error:
        if not sqlite.means_damage(error) and "damaged" not in str(error):
            raise RecordError("No backup could be made ({why}); see that the disk has room.", why=error) from error
        copy = keep_copy(record.path)
        raise CorruptRecord(record.path, sqlite.found_damaged(error), copy, list_backups(record.folder)) from error
    record.set_meta(LAST_BACKUP_KEY, str(day))
    rotate(record.folder)
    return target


def back_up_before_upgrade(path: Path, version: int) -> Path:
    """Copy a file that is about to be brought from one version to another; named by its own last change."""
    target = _folder(path.parent) / f"record-{_changed_on(path)}-before-version-{version}.sqlite3"
    copy_to(path, target)
    rotate(path.parent)
    return target


def rotate(folder: Path) -> list[Path]:
    """Remove the backups that are too many and return them; and what runs that were killed left half copied.

    Kept are the newest seven days, before those the newest of each of four more weeks, and three made before upgrades.
    """
    dated = sorted(((_date(path), path) for path in _named(folder)), reverse=True)
    daily = [(date, path) for date, path in dated if "-before-" not in path.name]
    upgrades = [path for _, path in dated if "-before-" in path.name]
    kept = {path for _, path in daily[:DAILY_KEPT]} | set(upgrades[:BEFORE_UPGRADE_KEPT])
    weeks: dict[tuple[int, int], Path] = {}
    for date, path in daily[DAILY_KEPT:]:
        weeks.setdefault(date.isocalendar()[:2], path)
    kept.update(list(weeks.values())[:WEEKLY_KEPT])
    removed = [path for _, path in dated if path not in kept]
    for path in removed:
        path.unlink(missing_ok=True)
    _remove_halves(folder)
    return removed


def _remove_halves(folder: Path) -> None:
    """Remove the halves of copies that no run will end: those of this process are left, and only one writes here."""
    halves = [path for path in (folder / BACKUP_FOLDER).glob(f"record-*.sqlite3{_PART}*") if _HALF.fullmatch(path.name)]
    for path in [*halves, folder / (RECORD_NAME + _RESTORING)]:
        if path.with_name(path.name.partition(_PART)[0] + _PART) not in _being_written:
            path.unlink(missing_ok=True)


def restore(folder: Path, backup: Path) -> Path | None:
    """Put a backup in the place of the live record, which is never opened; returns where the old file now is.

    Raises RecordError when the backup cannot be read and LockedRecord while another program writes. At every moment
    there is a whole record in place: the old one until the new one takes its name.
    """
    lock = WriterLock(folder)
    part = folder / (RECORD_NAME + _RESTORING)
    try:
        _must_be_usable(backup)
        live = folder / RECORD_NAME
        shutil.copyfile(backup, part)
        sqlite.sync_file(part)
        aside = _set_aside(live)
        part.replace(live)
        sqlite.sync_folder(folder)
        return aside
    except OSError as error:
        raise RecordError("Nothing was restored ({why}); see that the disk has room.", why=error.strerror) from error
    finally:
        part.unlink(missing_ok=True)
        lock.release()


def _must_be_usable(backup: Path) -> None:
    if _attempts(backup) is None:
        raise RecordError("{backup} cannot be read as a record; choose another backup.", backup=backup)
    version = version_in(sqlite.peek(backup, VERSION))
    if version is None:
        raise RecordError("{backup} does not say which version it has; choose another backup.", backup=backup)
    if version > RECORD_VERSION:
        raise NewerRecord(backup, version, RECORD_VERSION)


def keep_copy(path: Path) -> Path | None:
    """Copy a damaged record beside itself, once: `record.sqlite3.corrupt-<date of its last change>`."""
    if not path.is_file():
        return None
    for target in _numbered(path, f"corrupt-{_changed_on(path)}"):
        if target.exists() and not _same_bytes(path, target):
            continue
        if not target.exists():
            _copy_with_log(path, target)
        return target
    return None


def copy_to(source: Path, target: Path) -> None:
    """Copy a record that may be in use; the target appears whole or not at all."""
    part = target.with_name(target.name + _PART)
    _being_written.add(part)
    try:
        sqlite.copy_database(source, part)
        part.replace(target)
        sqlite.sync_folder(target.parent)
    finally:
        for suffix in _BESIDE:
            part.with_name(part.name + suffix).unlink(missing_ok=True)
        _being_written.discard(part)


def _set_aside(live: Path) -> Path | None:
    """Keep the live file under another name and take its log away, which must not be applied to what comes instead."""
    if not live.exists():
        aside = None
    else:
        aside = next(target for target in _numbered(live, f"replaced-{_changed_on(live)}") if not target.exists())
        if live.is_dir():
            live.replace(aside)
        else:
            _copy_whole(live, aside)
    log = live.with_name(live.name + "-wal")
    if log.exists():
        if aside is not None:
            log.replace(aside.with_name(aside.name + "-wal"))
        else:
            log.unlink()
    live.with_name(live.name + "-shm").unlink(missing_ok=True)
    return aside


def _copy_whole(source: Path, target: Path) -> None:
    """Copy a file; on a full disk no half of it stays."""
    try:
        shutil.copyfile(source, target)
    except OSError:
        target.unlink(missing_ok=True)
        raise


def _copy_with_log(path: Path, target: Path) -> None:
    log = path.with_name(path.name + "-wal")
    if log.exists() and log.stat().st_size:
        _copy_whole(log, target.with_name(target.name + "-wal"))
    _copy_whole(path, target)


def _numbered(path: Path, suffix: str) -> Iterable[Path]:
    yield path.with_name(f"{path.name}.{suffix}")
    for number in range(2, 1000):
        yield path.with_name(f"{path.name}.{suffix}-{number}")


def _same_bytes(one: Path, other: Path) -> bool:
    import filecmp

    return filecmp.cmp(one, other, shallow=False)


def _changed_on(path: Path) -> datetime.date:
    """The day (UTC) of a file's last change; used in names, since nothing here reads a clock."""
    return datetime.datetime.fromtimestamp(path.stat().st_mtime, tz=datetime.UTC).date()


def _folder(folder: Path) -> Path:
    backups = folder / BACKUP_FOLDER
    try:
        backups.mkdir(exist_ok=True)
    except OSError as error:
        raise RecordError(
            "The folder {folder} cannot be made ({why}); see what is there.", folder=backups, why=error.strerror
        ) from error
    return backups


def _named(folder: Path) -> Iterable[Path]:
    return (path for path in (folder / BACKUP_FOLDER).glob("record-*.sqlite3") if _NAME.fullmatch(path.name))


def _date(path: Path) -> datetime.date:
    found = _NAME.fullmatch(path.name)
    try:
        return datetime.date.fromisoformat(found[1]) if found else _EPOCH
    except ValueError:
        return _EPOCH


def _described(path: Path) -> Backup | None:
    try:
        size = path.stat().st_size
    except OSError:
        return None
    return Backup(path, _date(path), size, _attempts(path), "-before-" in path.name)


def _attempts(path: Path) -> int | None:
    try:
        found = sqlite.peek(path, "SELECT count(*) FROM event WHERE kind = 'attempt'")
        sqlite.peek(path, VERSION)
    except (sqlite3.Error, OSError):
        return None
    return found if isinstance(found, int) else None
