"""The record: one open database file, one connection kept for the sitting, one durable transaction per answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, func, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from content import migrations, sqlite
from content.errors import (
    CorruptRecord,
    FullDisk,
    LockedRecord,
    NewerRecord,
    OlderRecord,
    ReadOnlyRecord,
    RecordError,
    UnwritableRecord,
)
from content.events import NewEvent
from content.lock import WriterLock
from content.reading import Reading
from content.rows import (
    CardRow,
    CardState,
    MemoryRow,
    Prepared,
    Statement,
    TopicRow,
    event_values,
    memory_values,
    put_memory,
    put_state,
)
from content.sqlite import RECORD_NAME
from content.tables import card, card_rev, event, memory, meta, params

if TYPE_CHECKING:
    from grading.schedule import Plan


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

    It may be opened in one thread and used from another; calls take turns. `connection` is open for statements of one's
    own (each is committed at once); several that belong together go inside `transaction()`.
    """

    def __init__(
        self, folder: Path, connection: Connection, learner: str, device: str, lock: WriterLock | None
    ) -> None:
        self.folder = folder
        self.path = folder / RECORD_NAME
        self.connection = connection
        self.learner = learner
        self.device = device
        self.read_only = lock is None
        self._lock = lock
        self._turn = threading.RLock()
        self._prepared: dict[str, Prepared] = {}
        self._params: set[str] = set()
        self._latest: str | None = None
        self.writes = 0  # transactions begun by this program: what was read before and after the same count still holds

    @classmethod
    def open(cls, folder: Path, *, learner: str = "me", device: str = "this", read_only: bool = False) -> Record:
        """Open the record of a data folder, making it when there is none and bringing an older one up to date.

        Raises LockedRecord when another program writes it (it can still be opened with `read_only`), NewerRecord,
        CorruptRecord, or for reading only also OlderRecord and RecordError when there is nothing to read.
        """
        if not read_only:
            _make_folder(folder)
        lock = None if read_only else WriterLock(folder)
        try:
            connection = _open_connection(folder / RECORD_NAME, read_only=read_only)
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        record = cls(folder, connection, learner, device, lock)
        try:
            if not read_only and record.meta(f"learner.{learner}") is None:
                record.set_meta(f"learner.{learner}", "")
                record.fill_memory()
        except BaseException:
            record.close()
            raise
        return record

    @property
    def engine(self) -> Engine:
        return self.connection.engine

    def close(self) -> None:
        """Close the file and let others write; does nothing the second time."""
        with self._turn:
            if not self.connection.closed:
                sqlite.disconnect(self.connection)
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- writing

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Several statements as one: durable together when the block ends, undone together when it raises."""
        if self.read_only:
            raise ReadOnlyRecord
        self.writes += 1
        with self._turn, self._errors_named(), sqlite.transaction(self.connection) as connection:
            yield connection

    def append(self, new: NewEvent) -> None:
        """Add one event that changes no memory; it is on the disk when this returns."""
        self.write((new,))

    def write(self, events: Sequence[NewEvent], memories: Sequence[MemoryRow] = ()) -> None:
        """Add events and put memories in place in one transaction; all of it is on the disk when this returns."""
        add = self._statement("add event", lambda: insert(event))
        put = self._statement("put memory", put_memory)
        with self.transaction():
            for new in events:
                add.run(event_values(new, self.learner, self.device))
            for row in memories:
                self._put(put, row)
        for new in events:
            if (new.learner or self.learner) == self.learner:
                self._latest = max(self._latest or "", new.event_id)

    def put_memories(self, memories: Iterable[MemoryRow]) -> None:
        """Put many rows in place in one transaction (a rebuild)."""
        put = self._statement("put memory", put_memory)
        with self.transaction():
            put.run_many([memory_values(row, self.learner) for row in memories])

    def put_states(self, states: Sequence[tuple[int, float, float]]) -> None:
        """Put (card key, stability, difficulty) in place in one transaction: what other weights change, and no index."""
        put = self._statement("put states", put_state)
        named = ({"learner": self.learner, "card_key": key, "stability": s, "difficulty": d} for key, s, d in states)
        with self.transaction():
            put.run_many(list(named))

    def _put(self, put: Prepared, row: MemoryRow) -> None:
        values = memory_values(row, self.learner)
        if put.run(values).rowcount == 0:
            self._statement("add memory", lambda: insert(memory)).run(values)

    def fill_memory(self) -> None:
        """Give every card a memory row for every learner the record has; called after cards were added."""
        with self.transaction() as connection:
            fill_memories(connection)

    def params_id(self, plan: Plan) -> str:
        """The id under which this plan is kept; writes it when it is new, so call it before an answer, not in one."""
        from content.params import body_of, id_of

        body = body_of(plan)
        found = id_of(body)
        if found not in self._params:
            if not self.rows(select(params.c.params_id).where(params.c.params_id == found)):
                with self.transaction() as connection:
                    connection.execute(insert(params), {"params_id": found, "body": body})
            self._params.add(found)
        return found

    def set_revision(self, card_key: int, rev: str, body: str, at_ms: int, events: Sequence[NewEvent] = ()) -> None:
        """Give a card another text (an edit, or its undo): the old one is kept. `events` are written with it."""
        add = self._statement("add event", lambda: insert(event))
        known = select(card_rev.c.rev).where(card_rev.c.card_key == card_key, card_rev.c.rev == rev)
        with self.transaction() as connection:
            if connection.execute(known).first() is None:
                row = {"card_key": card_key, "rev": rev, "body": body, "first_seen_ms": at_ms}
                connection.execute(insert(card_rev), row)
            connection.execute(update(card).where(card.c.card_key == card_key).values(rev=rev))
            for new in events:
                add.run(event_values(new, self.learner, self.device))

    def ordered_id(self, candidate: str) -> str:
        """The candidate, or the next id above every event of this learner when the clock was set back meanwhile.

        Events fold in the order of their ids, so an answer must never sort before one that was given earlier.
        """
        if self._latest is None:
            newest = select(func.max(event.c.event_id)).where(event.c.learner == self.learner)
            self._latest = self.rows(newest)[0][0] or ""
        if candidate <= self._latest:
            candidate = f"{int(self._latest, 16) + 1:032x}"
        self._latest = candidate
        return candidate

    # -- facts about the record

    def meta(self, key: str) -> str | None:
        found = self.rows(select(meta.c.value).where(meta.c.key == key))
        return None if not found else str(found[0][0])

    def set_meta(self, key: str, value: str) -> None:
        with self.transaction() as connection:
            changed = connection.execute(update(meta).where(meta.c.key == key).values(value=value))
            if changed.rowcount == 0:
                connection.execute(insert(meta), {"key": key, "value": value})

    def info(self) -> RecordInfo:
        """Facts about this record; counts events and cards, so not for the way to the first screen."""
        last = self.meta("last_backup_day")
        return RecordInfo(
            path=self.path,
            schema_version=migrations.latest(),
            size_bytes=self.path.stat().st_size,
            learner=self.learner,
            device=self.device,
            read_only=self.read_only,
            cards=self.rows(select(func.count()).select_from(card))[0][0],
            events=self.rows(select(func.count()).where(event.c.learner == self.learner))[0][0],
            last_backup_day=None if last is None else int(last),
        )

    # -- running statements

    def rows(self, statement: Statement, values: dict[str, Any] | None = None) -> Sequence[Any]:
        """All rows of a query; damage in the file is named as CorruptRecord."""
        with self._turn, self._errors_named():
            return self.connection.execute(statement, values or {}).fetchall()

    def named_rows(self, sql: str, values: dict[str, Any]) -> list[tuple[Any, ...]]:
        """All rows of an SQL text with `:name` values, as the driver's own tuples.

        SQLite takes such a text as it is; compiling the queries of a day first would hold up the first card by 10 ms.
        """
        if self.connection.dialect.name != "sqlite":
            return [tuple(row) for row in self.rows(text(sql), values)]
        with self._turn, self._errors_named():
            return sqlite.driver_of(self.connection).execute(sql, values).fetchall()

    def raw_rows(self, statement: Statement) -> list[tuple[Any, ...]]:
        """All rows as the driver's own tuples; for reading hundreds of thousands of them."""
        with self._turn, self._errors_named():
            return Prepared(statement, self.connection).fetch_raw()

    def _run(self, name: str, make: Callable[[], Any], values: dict[str, Any]) -> Sequence[Any]:
        with self._turn, self._errors_named():
            found: Sequence[Any] = self._statement(name, make).run(values).fetchall()
            return found

    def _statement(self, name: str, make: Callable[[], Any]) -> Prepared:
        found = self._prepared.get(name)
        if found is None:
            found = self._prepared[name] = Prepared(make(), self.connection)
        return found

    @contextmanager
    def _errors_named(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, sqlite.DriverError) as error:
            raise _named(self.path, error, "{path} could not be read or written ({cause}).") from error


def fill_memories(connection: Connection) -> None:
    """Inside a transaction: give every card a memory row for every learner the record has."""
    prefix = "learner."
    for (key,) in connection.execute(select(meta.c.key).where(meta.c.key.like(prefix + "%"))).fetchall():
        connection.execute(_new_memories(key.removeprefix(prefix)))


def _new_memories(learner: str) -> Any:
    from sqlalchemy import case, exists, literal

    from content.events import Queue

    zeros = ("phase", "step", "scheduled_days", "attempts", "lapses", "leech", "suspended", "flag")
    queue = case((card.c.present == 0, int(Queue.ABSENT)), else_=int(Queue.NEW))
    has = exists().where(memory.c.learner == learner, memory.c.card_key == card.c.card_key)
    rows = select(literal(learner), card.c.card_key, queue, card.c.position, *(literal(0) for _ in zeros)).where(~has)
    return insert(memory).from_select(["learner", "card_key", "queue", "position", *zeros], rows)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnwritableRecord(folder, error.strerror or str(error)) from error


def _open_connection(path: Path, *, read_only: bool) -> Connection:
    """A connection to a file that was found to be a sound record of this version."""
    new = _is_new(path)
    if new and read_only:
        raise RecordError(f"There is no record in {path.parent} yet; start shardrill once to make one.")
    if not new and (why := sqlite.damage_seen_outside(path)):
        raise _corrupt(path, why)
    connection = sqlite.connect(path, read_only=read_only)
    try:
        _bring_up_to_date(connection, path, read_only=read_only)
        if read_only:
            sqlite.forbid_writes(connection)
        else:
            sqlite.make_durable(connection)
            sqlite.fix_plans(connection)
        return connection
    except (DBAPIError, sqlite.DriverError) as error:
        failure = _named(path, error, "{path} cannot be opened ({cause}); see that it may be written.")
        sqlite.disconnect(connection)
        raise failure from error
    except BaseException:
        sqlite.disconnect(connection)
        raise


def _bring_up_to_date(connection: Connection, path: Path, *, read_only: bool) -> None:
    found = migrations.version_of(connection)
    if found is None:
        if read_only or sqlite.table_names(connection) or _backups_exist(path):
            raise _corrupt(path, "it is not a record of shardrill")
        sqlite.make_durable(connection)
        migrations.create(connection)
        return
    if found > migrations.latest():
        raise NewerRecord(path, found, migrations.latest())
    if why := sqlite.damage_seen_inside(connection):
        raise _corrupt(path, why)
    if found < migrations.latest():
        if read_only:
            raise OlderRecord(path, found, migrations.latest())
        from content.backup import back_up_before_upgrade

        back_up_before_upgrade(path, migrations.latest())
        migrations.upgrade(connection, found)
    if missing := migrations.missing_tables(connection):
        raise _corrupt(path, f"it lacks the table {missing[0]}")


def _is_new(path: Path) -> bool:
    """Whether there is nothing here yet. An empty or missing file where backups exist is a loss, not a start."""
    if path.exists() and path.stat().st_size > 0:
        return False
    if _backups_exist(path):
        raise _corrupt(path, "it is empty" if path.exists() else "it is missing")
    return True


def _backups_exist(path: Path) -> bool:
    """Whether there is something to restore: copies that cannot be read must not keep a learner from starting anew."""
    from content.backup import list_backups

    return any(backup.attempts is not None for backup in list_backups(path.parent))


def _named(path: Path, error: DBAPIError | sqlite.DriverError, otherwise: str) -> RecordError:
    """The record's own error for what the database says."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if sqlite.means_damage(error):
        return _corrupt(path, f"SQLite finds it damaged ({cause})")
    return FullDisk(path) if sqlite.means_full(error) else RecordError(otherwise.format(path=path, cause=cause))


def _corrupt(path: Path, why: str) -> CorruptRecord:
    from content.backup import keep_copy, list_backups

    return CorruptRecord(path, why, keep_copy(path), list_backups(path.parent))


__all__ = [
    "CardRow",
    "CardState",
    "CorruptRecord",
    "FullDisk",
    "LockedRecord",
    "MemoryRow",
    "NewerRecord",
    "OlderRecord",
    "ReadOnlyRecord",
    "Record",
    "RecordError",
    "RecordInfo",
    "TopicRow",
    "UnwritableRecord",
    "fill_memories",
]
