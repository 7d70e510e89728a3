"""The record: one open database file, one connection kept for the sitting, one durable transaction per answer."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from content import record_sql as sql
from content import sqlite
from content.errors import ReadOnlyRecord
from content.events import NewEvent
from content.lock import WriterLock
from content.reading import Reading
from content.record_file import make_folder, named, open_file
from content.rows import MemoryRow, event_values, memory_values
from content.version import RECORD_VERSION

if TYPE_CHECKING:
    import sqlite3

    from sqlalchemy import Connection, Executable

    from grading.schedule import Plan


Made = TypeVar("Made")
ROOM_WRITES = 200
"""So many answers later room is made again: two thirds of those that there is room for."""
ENOUGH_FREE_BYTES = 16 * sqlite.ROOM_BYTES
"""On a disk with less than this nothing is taken in advance."""
READERS = 3
"""Threads that read a long log at once: two for the log, one that goes on with the memories; more gain nothing."""


@dataclass(frozen=True, slots=True)
class RecordInfo:
    """Facts about an open record, for its learner."""

    path: Path
    schema_version: int
    size_bytes: int
    learner: str
    device: str
    read_only: bool
    cards: int
    events: int
    last_backup_day: int | None


class Record(Reading):
    """An open `record.sqlite3`. Made by `Record.open`; close it, or use it as a context manager.

    It may be opened in one thread and used from another; calls take turns. What happens every day runs as text on the
    driver (content.record_sql, content.day_sql); `connection` is the same file for statements of SQLAlchemy, each of
    which is committed at once; several that belong together go inside `transaction()`, or `writing()` as text.
    """

    def __init__(
        self, folder: Path, driver: sqlite3.Connection, learner: str, device: str, lock: WriterLock | None
    ) -> None:
        self.folder = folder
        self.path = folder / sqlite.RECORD_NAME
        self.learner = learner
        self.device = device
        self.read_only = lock is None
        self._driver = driver
        self._log = self.path.with_name(f"{self.path.name}-wal")
        self._library: Connection | None = None
        self._closed = False
        self._lock = lock
        self._turn = threading.RLock()
        self._params: set[str] = set()
        self._latest: str | None = None
        self._room_until = 0
        self.writes = 0  # transactions begun by this program: what was read before and after the same count still holds

    @classmethod
    def open(cls, folder: Path, *, learner: str = "me", device: str = "this", read_only: bool = False) -> Record:
        """Open the record of a data folder, making it when there is none and bringing an older one up to date.

        Raises LockedRecord when another program writes it (it can still be opened with `read_only`), NewerRecord,
        CorruptRecord, or for reading only also OlderRecord and RecordError when there is nothing to read.
        """
        if not read_only:
            make_folder(folder)
        lock = None if read_only else WriterLock(folder)
        try:
            driver = open_file(folder / sqlite.RECORD_NAME, read_only=read_only)
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        record = cls(folder, driver, learner, device, lock)
        try:
            if not read_only and record.meta(f"learner.{learner}") is None:
                record.set_meta(f"learner.{learner}", "")
                with record.writing():
                    record.fill_memories()
        except BaseException:
            record.close()
            raise
        return record

    @property
    def connection(self) -> Connection:
        """The open file for SQLAlchemy; imports it the first time."""
        with self._turn:
            if self._library is None:
                self._library = sqlite.in_library(self._driver)
            return self._library

    def close(self) -> None:
        """Close the file and let others write; does nothing the second time. The last one to close moves the
        write-ahead log into the file."""
        with self._turn:
            if not self._closed:
                self._closed = True
                if self._library is not None:
                    self._library.close()
                self._driver.close()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Several texts of SQL as one: durable together when the block ends, undone together when it raises."""
        if self.read_only:
            raise ReadOnlyRecord
        self.writes += 1
        with self._turn, self._errors_named(), sqlite.transaction(self._driver):
            yield self._driver

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """The same for statements of SQLAlchemy."""
        connection = self.connection
        with self.writing():
            yield connection

    @property
    def needs_room(self) -> bool:
        """Whether `make_room` would do something: neither is there room from the last time, nor the log as long as it
        ever gets."""
        return not self.read_only and self.writes >= self._room_until and not _is_whole(self._log)

    def make_room(self) -> None:
        """Once the first card is shown, and between answers: make those to come quicker to store; see `sqlite.make_room`."""
        if not self.needs_room:
            return
        self._room_until = self.writes + ROOM_WRITES  # whatever comes of it
        if shutil.disk_usage(self.folder)[2] < ENOUGH_FREE_BYTES:
            return
        with self._turn:
            if not self._closed:
                sqlite.make_room(self._driver)
        with suppress(OSError):  # closed meanwhile, or not ours to write
            sqlite.sync_file(self._log)  # else the first answer would wait for all of it

    def append(self, new: NewEvent) -> None:
        """Add one event that changes no memory; it is on the disk when this returns."""
        self.write((new,))

    def write(self, events: Sequence[NewEvent], memories: Sequence[MemoryRow] = ()) -> None:
        """Add events and put memories in place in one transaction; all of it is on the disk when this returns."""
        added = [event_values(new, self.learner, self.device) for new in events]
        with self.writing() as driver:
            for values in added:
                driver.execute(sql.ADD_EVENT, values)
            for row in memories:
                self._put(driver, row)
        mine = (values["event_id"] for values in added if values["learner"] == self.learner)
        self._latest = max((self._latest or "", *mine))

    def put_right(self, rows: Sequence[MemoryRow], states: Sequence[tuple[float, float, int]]) -> None:
        """Put many memories in place in one transaction (a rebuild): whole `rows`, and (stability, difficulty, card
        key) where nothing else differs, which touches no index."""
        with self.writing() as driver:
            for row in rows:
                self._put(driver, row)
            driver.executemany(sql.PUT_STATE, ((s, d, self.learner, key) for s, d, key in states))

    def _put(self, driver: sqlite3.Connection, row: MemoryRow) -> None:
        values = memory_values(row, self.learner)
        if driver.execute(sql.PUT_MEMORY, values).rowcount == 0:
            driver.execute(sql.ADD_MEMORY, values)

    def fill_memories(self) -> None:
        """Inside `writing` or `transaction`: give every card a memory row for every learner; after cards were added."""
        for (key,) in self._driver.execute(sql.LEARNERS).fetchall():
            self._driver.execute(sql.FILL_MEMORIES, {"learner": key.removeprefix("learner.")})

    def params_id(self, plan: Plan) -> str:
        """The id under which this plan is kept; writes it when it is new, so call it before an answer, not in one."""
        from content.params import body_of, id_of

        body = body_of(plan)
        found = id_of(body)
        if found not in self._params:
            if not self.named_rows(sql.PLAN, {"params_id": found}):
                with self.writing() as driver:
                    driver.execute(sql.ADD_PLAN, {"params_id": found, "body": body})
            self._params.add(found)
        return found

    def set_revision(self, card_key: int, rev: str, body: str, at_ms: int, events: Sequence[NewEvent] = ()) -> None:
        """Give a card another text (an edit, or its undo): the old one is kept. `events` are written with it."""
        row = {"card_key": card_key, "rev": rev, "body": body, "first_seen_ms": at_ms}
        with self.writing() as driver:
            if driver.execute(sql.REVISION, row).fetchone() is None:
                driver.execute(sql.ADD_REVISION, row)
            driver.execute(sql.PUT_REVISION, row)
            for new in events:
                driver.execute(sql.ADD_EVENT, event_values(new, self.learner, self.device))

    def ordered_id(self, candidate: str) -> str:
        """The candidate, or the next id above every event of this learner when the clock was set back meanwhile.

        Events fold in the order of their ids, so an answer must never sort before one that was given earlier.
        """
        if self._latest is None:
            self._latest = self.named_rows(sql.NEWEST_EVENT, {"learner": self.learner})[0][0] or ""
        if candidate <= self._latest:
            candidate = f"{int(self._latest, 16) + 1:032x}"
        self._latest = candidate
        return candidate

    # -- facts about the record

    def meta(self, key: str) -> str | None:
        found = self.named_rows(sql.META, {"key": key})
        return None if not found else str(found[0][0])

    def set_meta(self, key: str, value: str) -> None:
        row = {"key": key, "value": value}
        with self.writing() as driver:
            if driver.execute(sql.PUT_META, row).rowcount == 0:
                driver.execute(sql.ADD_META, row)

    def info(self) -> RecordInfo:
        """Facts about this record; counts events and cards, so not for the way to the first screen."""
        last = self.meta("last_backup_day")
        return RecordInfo(
            path=self.path,
            schema_version=RECORD_VERSION,
            size_bytes=self.path.stat().st_size,
            learner=self.learner,
            device=self.device,
            read_only=self.read_only,
            cards=self.named_rows(sql.COUNT_CARDS)[0][0],
            events=self.named_rows(sql.COUNT_EVENTS, {"learner": self.learner})[0][0],
            last_backup_day=None if last is None else int(last),
        )

    # -- running statements

    def rows(self, statement: Executable, values: dict[str, Any] | None = None) -> Sequence[Any]:
        """All rows of a query of SQLAlchemy; damage in the file is named as CorruptRecord."""
        with self._turn, self._errors_named():
            return self.connection.execute(statement, values or {}).fetchall()

    def named_rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of an SQL text with `:name` values, as the driver's own tuples; errors as in `rows`."""
        with self._turn, self._errors_named():
            return self._driver.execute(statement, values or {}).fetchall()

    def rows_at_once(
        self, asked: Sequence[tuple[str, Mapping[str, Any]]], make: Callable[[list[tuple[Any, ...]]], Made]
    ) -> Iterator[Made]:
        """What `make` makes of the rows of each statement with its values, one after the other, while threads go on
        reading the rest on connections of their own: SQLite leaves the interpreter free meanwhile."""
        from concurrent.futures import ThreadPoolExecutor

        def read(one: tuple[str, Mapping[str, Any]]) -> Made:
            with closing(sqlite.connect(self.path, read_only=True)) as driver:
                rows = driver.execute(*one).fetchall()
            return make(rows)

        with self._turn, self._errors_named(), ThreadPoolExecutor(READERS) as readers:
            yield from readers.map(read, asked)

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            failure = named(self.path, error, "{path} could not be read or written ({cause}).")
            if failure is None:
                raise
            raise failure from error


def _is_whole(log: Path) -> bool:
    """Whether a write-ahead log is as long as it gets before SQLite begins again at its start."""
    try:
        return log.stat().st_size >= sqlite.WHOLE_LOG_BYTES
    except OSError:
        return False
