"""All that is SQLite's own: how a file is opened, examined, copied, and the few statements no other database has."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Connection, Select, create_engine, func, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from content.errors import RecordError

RECORD_NAME = "record.sqlite3"
BEGIN_WRITE = "BEGIN IMMEDIATE"
HEADER = b"SQLite format 3\x00"
SIDE_FILES = ("-wal", "-shm")
QUICK_CHECK_BYTES = 4 * 1024 * 1024
"""A file up to this size is checked whole at each start (a few milliseconds); larger ones when they are backed up."""
CHECKPOINT_PAGES = 4000
"""About 500 answers. SQLite's own 1000 pages would stop a sitting for some milliseconds every hundred answers."""
BUSY_MS = 5000
DriverError = sqlite3.Error
"""What statements that are run by the driver itself raise."""
MALFORMED_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def connect(path: Path, *, read_only: bool = False) -> Connection:
    """An open connection that commits only what is between an explicit BEGIN and COMMIT; nothing is written yet.

    With `read_only` it also opens a file in a folder where nothing may be written. It may be handed from one thread to
    another (the caller locks).
    """

    def raw() -> sqlite3.Connection:
        place = _place_to_read(path) if read_only else str(path)
        connection = sqlite3.connect(
            place, check_same_thread=False, isolation_level=None, cached_statements=256, uri=read_only
        )
        connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        return connection

    engine = create_engine("sqlite://", creator=raw, poolclass=StaticPool, isolation_level="AUTOCOMMIT")
    return engine.connect()


def _place_to_read(path: Path) -> str:
    """The file's address for reading alone. Where SQLite cannot make its shared-memory file nobody writes either, so
    the file is then read as it stands."""
    address = path.absolute().as_uri()
    with closing(sqlite3.connect(address, uri=True)) as connection:
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                return f"{address}?immutable=1"
        except sqlite3.DatabaseError:  # damage is found, and named, by what comes next
            return address
    return address


def disconnect(connection: Connection) -> None:
    """Close the connection and its file; the last one to close moves the write-ahead log into the file."""
    connection.close()
    connection.engine.dispose()


def make_durable(connection: Connection) -> None:
    """Set what every answer relies on: a commit that has returned is on the disk, and keys must exist."""
    mode = connection.exec_driver_sql("PRAGMA journal_mode = WAL").scalar()
    if mode != "wal":  # some network file systems cannot share memory; the older journal is as safe, only slower
        connection.exec_driver_sql("PRAGMA journal_mode = DELETE")
    connection.exec_driver_sql("PRAGMA synchronous = FULL")
    connection.exec_driver_sql("PRAGMA foreign_keys = ON")
    connection.exec_driver_sql(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")


def forbid_writes(connection: Connection) -> None:
    connection.exec_driver_sql("PRAGMA query_only = ON")


@contextmanager
def transaction(connection: Connection) -> Iterator[Connection]:
    """One write transaction: all of it is durable when the block ends, none of it when the block raises."""
    driver = driver_of(connection)
    driver.execute(BEGIN_WRITE)
    try:
        yield connection
        driver.execute("COMMIT")
    except BaseException:
        roll_back(connection)
        raise


def roll_back(connection: Connection) -> None:
    """Undo what was not committed, if SQLite has not done so by itself (it has after a full disk)."""
    driver = driver_of(connection)
    if driver.in_transaction:
        driver.execute("ROLLBACK")


def driver_of(connection: Connection) -> sqlite3.Connection:
    """The driver's own connection, for the few statements of an answer that must be quick."""
    return cast(sqlite3.Connection, connection.connection.dbapi_connection)


@contextmanager
def rebuilding_tables(connection: Connection) -> Iterator[None]:
    """A transaction in which tables may be made anew and renamed; foreign keys are checked at its end."""
    connection.exec_driver_sql("PRAGMA foreign_keys = OFF")  # has no effect inside a transaction
    try:
        with transaction(connection):
            yield
            broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
            if broken:
                raise RecordError(
                    f"The record was left as it is: after the upgrade {len(broken)} rows would name missing ones "
                    f"(the first in {broken[0][0]}); please report this."
                )
    finally:
        connection.exec_driver_sql("PRAGMA foreign_keys = ON")


STATISTICS = (
    ("event", "event", "500000 500000 1"),
    ("event", "event_card", "500000 500000 10 1"),
    ("event", "event_day", "500000 500000 200 150"),
    ("event", "event_target", "2000 2000 1 1"),
    ("event", "event_other", "5000 5000 500 1"),
    ("memory", "memory", "100000 100000 1"),
    ("memory", "memory_due", "100000 100000 30000 100 1"),
    ("memory", "memory_new", "100000 100000 30000 1"),
    ("memory", "memory_steps", "100000 100000 30000 10"),
    ("memory", "memory_flagged", "100 100 100"),
    ("memory", "memory_leeches", "100 100 100"),
    ("memory", "memory_suspended", "100 100 100"),
    ("card", "card_order", "100000 1 1"),
    ("card", "card_topic", "100000 2000 1 1"),
    ("card", "card_sibling", "100000 2"),
    ("card", "card_kind", "100000 500 1 1"),
    ("card", "sqlite_autoindex_card_1", "100000 1"),
    ("card_rev", "sqlite_autoindex_card_rev_1", "100000 1 1"),
)
"""What SQLite's planner is told of each index: rows, and rows alike in its first column, first two, and so on.

They describe a large record of one learner. Without them SQLite takes "this learner's events" for ten rows and reads the
whole log where an index is meant; measuring them anew would let plans change with the data.
"""


def fix_plans(connection: Connection) -> None:
    """Store the statistics of indexes where a file has none yet, so that every record is read by the same plans."""
    if "sqlite_stat1" in table_names(connection):
        return
    with transaction(connection):
        connection.exec_driver_sql("ANALYZE meta")  # makes the table of statistics
        connection.exec_driver_sql("DELETE FROM sqlite_stat1")
        connection.exec_driver_sql("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", list(STATISTICS))
    connection.exec_driver_sql("ANALYZE sqlite_schema")  # only reads them


def table_names(connection: Connection) -> frozenset[str]:
    rows = connection.exec_driver_sql("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return frozenset(row[0] for row in rows)


def columns_as_text(query: Select[Any]) -> Select[Any]:
    """One row that holds each column of an ordered query as a text of numbers with spaces between.

    Hundreds of thousands of integers come out of SQLite twice as fast in this way as row by row.
    """
    ordered = query.limit(-1).subquery()  # the limit keeps SQLite from reading in another order
    return select(*(func.group_concat(column, " ") for column in ordered.c))


def means_damage(error: DBAPIError | sqlite3.Error) -> bool:
    """Whether this error says that the file itself is damaged (and not, for instance, that the disk is full)."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlite_errorcode", 0) & 0xFF in MALFORMED_CODES


def means_full(error: DBAPIError | sqlite3.Error) -> bool:
    """Whether this error says that there was no room on the disk."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL


def damage_seen_outside(path: Path) -> str | None:
    """What is wrong with the file by its size and first bytes alone, before SQLite touches it; None when nothing is."""
    if not path.is_file():
        return "it is not a file"
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100 or not head.startswith(HEADER):
        return "it is not a SQLite file"
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    if page < 512 or page & (page - 1):
        return "its header is damaged"
    pages = int.from_bytes(head[28:32], "big")
    counts_hold = head[24:28] == head[92:96]  # else the page count in the header is not kept up to date
    log = path.with_name(path.name + "-wal")
    whole_in_file = not log.exists() or log.stat().st_size == 0
    if counts_hold and whole_in_file and size < pages * page:
        return f"it is cut off ({size:,} of {pages * page:,} bytes)"
    return None


def damage_seen_inside(connection: Connection, *, limit_bytes: int = QUICK_CHECK_BYTES) -> str | None:
    """What SQLite's own quick check finds first, in a file no larger than the limit; None when nothing is wrong."""
    pages = int(connection.exec_driver_sql("PRAGMA page_count").scalar() or 0)
    page = int(connection.exec_driver_sql("PRAGMA page_size").scalar() or 0)
    if pages * page > limit_bytes:
        return None
    found = connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()
    return None if found == "ok" else f"SQLite finds it damaged ({' '.join(str(found).split())})"


def copy_database(source: Path, target: Path) -> None:
    """Copy a database that may be in use into one whole, checked file; sqlite3.Error when either is damaged.

    SQLite's own backup runs in one step and lets other threads and writers go on meanwhile.
    """
    target.unlink(missing_ok=True)
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        live.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")
        found = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise sqlite3.DatabaseError(f"the copy is damaged: {found}")
    sync_file(target)


def peek(path: Path, statement: str, parameters: tuple[object, ...] = ()) -> object:
    """The first value a statement gives on a file that nobody writes (a backup), leaving no trace beside it."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?immutable=1", uri=True)) as connection:
        row = connection.execute(statement, parameters).fetchone()
    return None if row is None else row[0]


def sync_file(path: Path) -> None:
    """Wait until a file's bytes are on the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk (a no-op where folders cannot be opened)."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
