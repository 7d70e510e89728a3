"""Which record this program writes, for what must start without a database library."""

from __future__ import annotations

import sqlite3

from content import sqlite

RECORD_VERSION = 5
"""Equal to `content.migrations.latest()`, which a test holds."""
VERSION_KEY = "schema_version"
TABLES = frozenset({"meta", "pack", "topic", "card", "card_rev", "event", "params", "memory", "run", "draft"})
"""The tables of `content.tables`, which a test holds."""


def version_of(driver: sqlite3.Connection) -> int | None:
    """The version of an open file; None when it is not a record at all."""
    if "meta" not in sqlite.table_names(driver):
        return None
    found = driver.execute("SELECT value FROM meta WHERE key = ?", (VERSION_KEY,)).fetchone()
    return int(found[0]) if found is not None and found[0].isdecimal() else None


def missing_tables(driver: sqlite3.Connection) -> list[str]:
    """The tables that a file of this version must have and this one has not."""
    return sorted(TABLES - sqlite.table_names(driver))
