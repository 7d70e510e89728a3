"""Numbered changes of the record's tables, from the version a file has to the version this program knows.

Version 1 is what `content.tables` made at first. A later change adds the step that turns version n - 1 into n to STEPS,
written out in SQL of its own (never in terms of `content.tables`, which moves on), and changes `content.tables` too.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, insert, select, update

from content import sqlite
from content.tables import meta, metadata

Step = Callable[[Connection], None]

FIRST_VERSION = 1


def _add_runs(connection: Connection) -> None:
    """Version 2: executions of labs and of the learner's own scripts."""
    connection.exec_driver_sql(
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


def _add_drafts(connection: Connection) -> None:
    """Version 3: oral answers that were begun and not finished."""
    connection.exec_driver_sql(
        """
        CREATE TABLE draft (
          learner TEXT NOT NULL, card_key INTEGER NOT NULL REFERENCES card (card_key), form TEXT NOT NULL,
          card_rev TEXT NOT NULL, text TEXT NOT NULL, confidence INTEGER, submitted INTEGER NOT NULL,
          points TEXT NOT NULL, spent_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL,
          PRIMARY KEY (learner, card_key, form)
        ) WITHOUT ROWID, STRICT
        """
    )


def _index_kinds(connection: Connection) -> None:
    """Version 4: the day looks for the few drills, tables and oral questions among all cards."""
    connection.exec_driver_sql("CREATE INDEX card_kind ON card (kind, position, card_key)")


STEPS: dict[int, Step] = {2: _add_runs, 3: _add_drafts, 4: _index_kinds}
"""The step that leads to each version after the first."""

VERSION_KEY = "schema_version"


def latest() -> int:
    """The version that this program writes."""
    return max(STEPS, default=FIRST_VERSION)


def version_of(connection: Connection) -> int | None:
    """The version of an open file; None when it is not a record at all."""
    if "meta" not in sqlite.table_names(connection):
        return None
    found = connection.execute(select(meta.c.value).where(meta.c.key == VERSION_KEY)).scalar()
    return int(found) if found is not None and found.isdecimal() else None


def missing_tables(connection: Connection) -> list[str]:
    """The tables that a file of the latest version must have and this one has not."""
    return sorted(set(metadata.tables) - sqlite.table_names(connection))


def create(connection: Connection) -> None:
    """Make all tables in an empty file, in one transaction."""
    with sqlite.transaction(connection):
        metadata.create_all(connection)
        connection.execute(insert(meta), {"key": VERSION_KEY, "value": str(latest())})


def upgrade(connection: Connection, found: int) -> None:
    """Bring a file from the version found to the latest: all steps in one transaction, or none of them."""
    with sqlite.rebuilding_tables(connection):
        for version in range(found + 1, latest() + 1):
            STEPS[version](connection)
        connection.execute(update(meta).where(meta.c.key == VERSION_KEY), {"value": str(latest())})
