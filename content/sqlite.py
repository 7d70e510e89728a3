"""All that is SQLite's own: how a file is opened, examined, copied, and the few statements no other database has."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from content.errors import Reason, RecordError

if TYPE_CHECKING:
    from sqlalchemy import Connection

RECORD_NAME = "record.sqlite3"
BEGIN_WRITE = "BEGIN IMMEDIATE"
HEADER = b"SQLite format 3\x00"
SIDE_FILES = ("-wal", "-shm")
QUICK_CHECK_BYTES = 4 * 1024 * 1024
"""A file up to this size is checked whole at each start (a few milliseconds); larger ones when they are backed up."""
CHECKPOINT_PAGES = 4000
"""About 500 answers. SQLite's own 1000 pages would stop a sitting for some milliseconds every hundred answers."""
ROOM_BYTES = 9 * 1024 * 1024
"""What the log grows by at the start of a sitting: about 300 answers, a day at the default limits."""
WHOLE_LOG_BYTES = CHECKPOINT_PAGES * (4096 + 24)
"""Pages, each behind a head of 24 bytes."""
BUSY_MS = 5000
MALFORMED_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
NO_SHARED_MEMORY = frozenset({sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP})


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """An open connection that commits only what is between an explicit BEGIN and COMMIT; nothing is written yet.

    With `read_only` it also opens a file in a folder where nothing may be written. It may be handed from one thread to
    another (the caller locks).
    """
    place = _place_to_read(path) if read_only else str(path)
    driver = sqlite3.connect(place, check_same_thread=False, isolation_level=None, cached_statements=256, uri=read_only)
    driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
    return driver


def in_library(driver: sqlite3.Connection) -> Connection:
    """The same open file for SQLAlchemy, whose import takes 0.3 s. Not inside a transaction: it would end it."""
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    if driver.in_transaction:
        raise RuntimeError("ask for the library's connection before the transaction begins")
    engine = create_engine(
        "sqlite://",
        creator=lambda: driver,
        poolclass=StaticPool,
        isolation_level="AUTOCOMMIT",
        pool_reset_on_return=None,
    )
    return engine.connect()


def _place_to_read(path: Path) -> str:
    """The file's address for reading alone. Where SQLite cannot make its shared-memory file nobody writes either, so
    the file is then read as it stands."""
    address = path.absolute().as_uri()
    with closing(sqlite3.connect(address, uri=True)) as connection:
        try:
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1")
        except sqlite3.OperationalError as error:
            if means_no_side_file(error):
                return f"{address}?immutable=1"
        except sqlite3.DatabaseError:  # damage is found, and named, by what comes next
            return address
    return address


def must_be_writable(driver: sqlite3.Connection) -> None:
    """Raise what an answer would meet where the file may only be read: SQLite opens it, and refuses the first write."""
    driver.execute("PRAGMA busy_timeout = 0")
    try:
        driver.execute(BEGIN_WRITE)
        driver.execute("UPDATE meta SET value = '' WHERE 0")  # a file that may only be read lets the transaction begin
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
    finally:
        roll_back(driver)
        driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def make_durable(driver: sqlite3.Connection) -> None:
    """Set what every answer relies on: a commit that has returned is on the disk, and keys must exist."""
    if scalar(driver, "PRAGMA journal_mode = WAL") != "wal":
        # Some network file systems cannot share memory; the older journal is as safe, only slower.
        driver.execute("PRAGMA journal_mode = DELETE")
    driver.execute("PRAGMA synchronous = FULL")
    driver.execute("PRAGMA foreign_keys = ON")
    driver.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")


def make_room(driver: sqlite3.Connection) -> None:
    """Let the write-ahead log grow now, at once, instead of with each answer: a commit that finds its place in the file
    already there waits a third less for the disk (ext4: 0.31 ms for four pages and not 0.54).

    More than the cache holds is written and taken back; SQLite then uses the log's length again from where it was. The
    caller sees that the disk has room, and syncs the log. Where it cannot be done at once nothing happens.
    """
    if scalar(driver, "PRAGMA journal_mode") != "wal" or driver.in_transaction:
        return
    cached = scalar(driver, "PRAGMA cache_size")
    try:
        driver.execute("PRAGMA cache_size = 16")
        driver.execute("PRAGMA busy_timeout = 0")  # another's lock is no reason to let an answer wait
        driver.execute(BEGIN_WRITE)
        driver.execute("INSERT INTO meta (key, value) VALUES ('', hex(zeroblob(?)))", (ROOM_BYTES // 2,))
    except sqlite3.Error:
        pass
    finally:
        roll_back(driver)
        driver.execute(f"PRAGMA cache_size = {cached}")
        driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def scalar(driver: sqlite3.Connection, statement: str) -> Any:
    """The first value of the first row; None where there is no row."""
    row = driver.execute(statement).fetchone()
    return None if row is None else row[0]


def forbid_writes(driver: sqlite3.Connection) -> None:
    driver.execute("PRAGMA query_only = ON")


@contextmanager
def transaction(driver: sqlite3.Connection) -> Iterator[None]:
    """One write transaction: all of it is durable when the block ends, none of it when the block raises."""
    driver.execute(BEGIN_WRITE)
    try:
        yield
        driver.execute("COMMIT")
    except BaseException:
        roll_back(driver)
        raise


def roll_back(driver: sqlite3.Connection) -> None:
    """Undo what was not committed, if SQLite has not done so by itself (it has after a full disk)."""
    if driver.in_transaction:
        driver.execute("ROLLBACK")


@contextmanager
def rebuilding_tables(driver: sqlite3.Connection) -> Iterator[None]:
    """A transaction in which tables may be made anew and renamed; foreign keys are checked at its end."""
    driver.execute("PRAGMA foreign_keys = OFF")  # has no effect inside a transaction
    try:
        with transaction(driver):
            yield
            broken = driver.execute("PRAGMA foreign_key_check").fetchall()
            if broken:
                raise RecordError(
                    "The record was left as it is: after the upgrade {count} rows would name missing ones "
                    "(the first in {table}); please report this.",
                    count=len(broken),
                    table=broken[0][0],
                )
    finally:
        driver.execute("PRAGMA foreign_keys = ON")


STATISTICS = (
    ("event", "event", "500000 500000 1"),
    ("event", "event_card", "500000 500000 10 1"),
    ("event", "event_day", "500000 500000 200 150"),
    ("event", "event_target", "2000 2000 1 1"),
    ("event", "event_other", "5000 5000 500 1"),
    ("memory", "memory", "100000 100000 1"),
    ("memory", "memory_due", "30000 30000 100 1"),
    ("memory", "memory_new", "50000 50000 1 1"),
    ("memory", "memory_steps", "500 500 10 1"),
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


def fix_plans(driver: sqlite3.Connection) -> None:
    """Store these statistics of indexes where a file has none yet or others, so that every record is read by the same
    plans."""
    if "sqlite_stat1" in table_names(driver):
        found = driver.execute("SELECT tbl, idx, stat FROM sqlite_stat1").fetchall()
        if sorted(found) == sorted(STATISTICS):
            return
    with transaction(driver):
        driver.execute("ANALYZE meta")  # makes the table of statistics
        driver.execute("DELETE FROM sqlite_stat1")
        driver.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", STATISTICS)
    driver.execute("ANALYZE sqlite_schema")  # only reads them


def table_names(driver: sqlite3.Connection) -> frozenset[str]:
    rows = driver.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return frozenset(row[0] for row in rows)


def columns_as_text(columns: Sequence[str], rest: str) -> str:
    """The statement of one row that holds each column of an ordered query (`rest`: FROM ...) as a text of numbers with
    spaces between: half a million integers come out of SQLite twice as fast in this way as row by row."""
    inner = ", ".join(f"{column} AS c{number}" for number, column in enumerate(columns))
    outer = ", ".join(f"group_concat(c{number}, ' ')" for number in range(len(columns)))
    # The limit keeps SQLite from reading in another order.
    return f"SELECT {outer} FROM (SELECT {inner} {rest} LIMIT -1)"  # noqa: S608  callers give constants of their own


def driver_error(error: BaseException) -> sqlite3.Error | None:
    """What SQLite said, when an error is its own, or the library's around it; None for any other."""
    cause = getattr(error, "orig", None) or error
    return cause if isinstance(cause, sqlite3.Error) else None


def means_damage(error: BaseException) -> bool:
    """Whether this error says that the file itself is damaged (and not, for instance, that the disk is full)."""
    return getattr(driver_error(error), "sqlite_errorcode", 0) & 0xFF in MALFORMED_CODES


def means_no_side_file(error: BaseException) -> bool:
    """Whether SQLite could not make or write the files beside the database that it needs even to read it."""
    code = getattr(driver_error(error), "sqlite_errorcode", 0)
    return code & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY) or code in NO_SHARED_MEMORY


def means_read_only(error: BaseException) -> bool:
    """Whether this error says that nothing may be written."""
    return getattr(driver_error(error), "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_READONLY


def may_mean_full(error: BaseException) -> bool:
    """Whether a full disk may be the reason: SQLite says so only of writes, not of files that it could not make."""
    return getattr(driver_error(error), "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)


def means_full(error: BaseException) -> bool:
    """Whether this error says that there was no room on the disk."""
    return getattr(driver_error(error), "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL


def damage_seen_outside(path: Path) -> Reason | None:
    """What is wrong with the file by its size and first bytes alone, before SQLite touches it; None when nothing is."""
    if not path.is_file():
        return Reason("it is not a file")
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(100)
    if len(head) < 100 or not head.startswith(HEADER):
        return Reason("it is not a SQLite file")
    page = int.from_bytes(head[16:18], "big")
    page = 65536 if page == 1 else page
    if page < 512 or page & (page - 1):
        return Reason("its header is damaged")
    pages = int.from_bytes(head[28:32], "big")
    counts_hold = head[24:28] == head[92:96]  # else the page count in the header is not kept up to date
    log = path.with_name(path.name + "-wal")
    whole_in_file = not log.exists() or log.stat().st_size == 0
    if counts_hold and whole_in_file and size < pages * page:
        return Reason("it is cut off ({size} of {whole} bytes)", size=f"{size:,}", whole=f"{pages * page:,}")
    return None


def damage_seen_inside(driver: sqlite3.Connection, *, limit_bytes: int = QUICK_CHECK_BYTES) -> Reason | None:
    """What SQLite's own quick check finds first, in a file no larger than the limit; None when nothing is wrong."""
    if int(scalar(driver, "PRAGMA page_count")) * int(scalar(driver, "PRAGMA page_size")) > limit_bytes:
        return None
    found = scalar(driver, "PRAGMA quick_check(1)")
    return None if found == "ok" else found_damaged(found)


def found_damaged(said: object) -> Reason:
    """That the file is damaged, as SQLite says it."""
    return Reason("SQLite finds it damaged ({said})", said=" ".join(str(said).split()))


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
