"""Numbered changes of the record's tables, from the version a file has to the version this program knows.

Version 1 is what `content.tables` made at first. A later change adds the step that turns version n - 1 into n to STEPS,
written out in SQL of its own (never in terms of `content.tables`, which moves on), and changes `content.tables` too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlalchemy import insert

from content import sqlite
from content.tables import meta, metadata
from content.version import VERSION_KEY

Step = Callable[[sqlite3.Connection], None]

FIRST_VERSION = 1


def _add_runs(driver: sqlite3.Connection) -> None:
    """Version 2: executions of labs and of the learner's own scripts."""
    driver.execute(
        """
        CREATE TABLE run (
          learner TEXT NOT NULL, run_id TEXT NOT NULL, device TEXT NOT NULL, kind TEXT NOT NULL, lab TEXT,
          lab_version INTEGER, pack_id TEXT, params TEXT NOT NULL, seed INTEGER NOT NULL, command TEXT NOT NULL,
          argv TEXT NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, python TEXT NOT NULL, numpy TEXT,
          platform TEXT NOT NULL, cpu TEXT, metrics TEXT NOT NULL, findings TEXT NOT NULL, output_hash TEXT,
          repo_folder TEXT, commit_sha TEXT, dirty INTEGER, script_path TEXT, script_sha256 TEXT,
          artifacts TEXT NOT NULL, status TEXT NOT NULL, reason TEXT, reason_detail TEXT,
          PRIMARY KEY (learner, run_id)
        ) WITHOUT ROWID, STRICT
        """
    )


def _add_drafts(driver: sqlite3.Connection) -> None:
    """Version 3: oral answers that were begun and not finished."""
    driver.execute(
        """
        CREATE TABLE draft (
          learner TEXT NOT NULL, card_key INTEGER NOT NULL REFERENCES card (card_key), form TEXT NOT NULL,
          card_rev TEXT NOT NULL, text TEXT NOT NULL, confidence INTEGER, submitted INTEGER NOT NULL,
          points TEXT NOT NULL, spent_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
          PRIMARY KEY (learner, card_key, form)
        ) WITHOUT ROWID, STRICT
        """
    )


def _index_kinds(driver: sqlite3.Connection) -> None:
    """Version 4: the day looks for the few drills, tables and oral questions among all cards."""
    driver.execute("CREATE INDEX card_kind ON card (kind, position, card_key)")


def _index_queues(driver: sqlite3.Connection) -> None:
    """Version 5: an index for each queue alone, so that an answer touches fewer pages."""
    for name, column, queue in (("due", "due_day", 2), ("new", "position", 0), ("steps", "due_ms", 1)):
        driver.execute(f"DROP INDEX IF EXISTS memory_{name}")
        driver.execute(f"CREATE INDEX memory_{name} ON memory (learner, {column}, card_key) WHERE queue = {queue}")


STEPS: dict[int, Step] = {2: _add_runs, 3: _add_drafts, 4: _index_kinds, 5: _index_queues}
"""The step that leads to each version after the first."""


def latest() -> int:
    """The version that this program writes."""
    return max(STEPS, default=FIRST_VERSION)


def create(driver: sqlite3.Connection) -> None:
    """Make all tables in an empty file, in one transaction."""
    with sqlite.in_library(driver) as connection, sqlite.transaction(driver):
        metadata.create_all(connection)
        connection.execute(insert(meta), {"key": VERSION_KEY, "value": str(latest())})


def upgrade(driver: sqlite3.Connection, found: int) -> None:
    """Bring a file from the version found to the latest: all steps in one transaction, or none of them."""
    with sqlite.rebuilding_tables(driver):
        for version in range(found + 1, latest() + 1):
            STEPS[version](driver)
        driver.execute("UPDATE meta SET value = ? WHERE key = ?", (str(latest()), VERSION_KEY))
