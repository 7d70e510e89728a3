"""Which record this program writes, for what must start without a database library."""

from __future__ import annotations

import sqlite3

from content import sqlite

RECORD_VERSION = 5
"""Equal to `content.migrations.latest()`, which a test holds."""
VERSION_KEY = "schema_version"
VERSION = "SELECT CAST(value AS BLOB) FROM meta WHERE key = 'schema_version'"
"""Read as bytes: a damaged value need not be a text."""
MOST_DIGITS = 9
TABLES = frozenset({"meta", "pack", "topic", "card", "card_rev", "event", "params", "memory", "run", "draft"})
"""The tables of `content.tables`, which a test holds."""


def version_of(driver: sqlite3.Connection) -> int | None:
    """The version of an open file; None when it is not a record at all."""
    if "meta" not in sqlite.table_names(driver):
        return None
    try:
        found = driver.execute(VERSION).fetchone()
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
            raise
        return None  # somebody else's table of that name
    return None if found is None else version_in(found[0])


def version_in(value: object) -> int | None:
    """The version that the bytes of VERSION say; None when that is no version any record ever had."""
    if not isinstance(value, bytes) or not 0 < len(value) <= MOST_DIGITS or not value.isdigit():
        return None
    return int(value) or None


def missing_tables(driver: sqlite3.Connection) -> list[str]:
    """The tables that a file of this version must have and this one has not."""
    return sorted(TABLES - sqlite.table_names(driver))
