"""A glance at today's counts before anything heavy is loaded: bare `sqlite3`, read-only, and the queue's own choice.

This module must stay importable without SQLAlchemy, numpy, YAML or pydantic (a test holds it): Today's first paint and
`shardrill due` wait for it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from content import sqlite, today
from content.version import RECORD_VERSION, version_of
from grading.days import Instant, study_day

if TYPE_CHECKING:
    from content.settings import Settings

TYPED = (today.DRILL, today.TABLE, today.ORAL)
RECORD_NAME = "record.sqlite3"
TITLES = "SELECT title FROM pack WHERE present = 1 ORDER BY pack_id LIMIT 20"


class GlanceError(Exception):
    """The record is there but could not be read; opening it with `content.store` says why and what to do."""


@dataclass(frozen=True, slots=True)
class Glance:
    """Today's counts. `due`, `new`, `drills`, `tables`, `oral` and `steps` are what a sitting started now would hold;
    `done_today` counts answers.

    `drills`, `tables` and `oral` are the due and the new ones, which neither `due` nor `new` counts; `steps` are all cards
    in their (re)learning steps, `steps_now` those whose time has come. `titles` are (English, Chinese) pairs of the packs.
    `first_run` is True when there is no record yet. `next_days` stays empty here: it comes from `content.stats` after the
    first paint.
    """

    day: int
    due: int = 0
    new: int = 0
    drills: int = 0
    tables: int = 0
    oral: int = 0
    steps: int = 0
    steps_now: int = 0
    hidden_siblings: int = 0
    more_due: bool = False
    expected_minutes: float = 0.0
    done_today: int = 0
    spent_ms: int = 0
    days_studied_of_7: int = 0
    titles: tuple[tuple[str, str], ...] = ()
    first_run: bool = False
    next_days: tuple[tuple[int, int], ...] = ()

    @property
    def left(self) -> int:
        """Everything that can be asked today."""
        return self.due + self.new + self.drills + self.tables + self.oral + self.steps


def glance(folder: Path, settings: Settings, now: Instant) -> Glance:
    """Today's counts of the record in `folder`, at a cost that does not grow with the collection.

    Raises GlanceError when there is a file that cannot be read.
    """
    file = folder / RECORD_NAME
    try:
        if not file.exists() or (file.is_file() and file.stat().st_size == 0):
            if any(folder.glob("backups/record-*.sqlite3")):
                raise GlanceError(f"{file} is empty or missing, though there are backups of it.")
            return Glance(study_day(now, settings.rollover_hour), first_run=not file.exists())
        return _read(file, settings, now)
    except (sqlite3.Error, OSError, ValueError) as error:
        raise GlanceError(f"{file} could not be read ({error}).") from error


def _read(file: Path, settings: Settings, now: Instant) -> Glance:
    connection = _connect(file)
    try:
        _must_be_known(connection, file)

        def rows(sql: str, values: dict[str, Any]) -> Sequence[Sequence[Any]]:
            return connection.execute(sql, values).fetchall()

        chosen = today.choose(rows, settings, now)
        titles = [json.loads(body) for (body,) in connection.execute(TITLES)]
        return Glance(
            day=chosen.day,
            due=sum(card.kind not in TYPED for card in chosen.reviews),
            new=sum(card.kind not in TYPED for card in chosen.new),
            drills=chosen.of_kind(today.DRILL),
            tables=chosen.of_kind(today.TABLE),
            oral=chosen.of_kind(today.ORAL),
            steps=len(chosen.steps),
            steps_now=sum(card.order <= now.at_ms for card in chosen.steps),
            hidden_siblings=chosen.hidden_siblings,
            more_due=chosen.more_due,
            expected_minutes=chosen.expected_minutes,
            done_today=chosen.done.attempts,
            spent_ms=chosen.done.spent_ms,
            days_studied_of_7=today.days_studied(rows, settings.learner, chosen.day),
            titles=tuple((title["en"], title["zh"]) for title in titles),
        )
    finally:
        connection.close()


def _must_be_known(connection: sqlite3.Connection, file: Path) -> None:
    """Counts of a version that is not known would be guesses."""
    version = version_of(connection)
    if version is None:
        raise GlanceError(f"{file} is not a record of shardrill.")
    if version > RECORD_VERSION:
        raise GlanceError(
            f"{file} has record version {version}, and this program knows versions up to {RECORD_VERSION}."
        )


def _connect(file: Path) -> sqlite3.Connection:
    """Open for reading alone. In a folder that cannot be written SQLite cannot make its shared-memory file; nobody can
    be writing there either, so the file is then read as it stands."""
    uri = file.absolute().as_uri()
    connection = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        connection.execute("SELECT 1 FROM meta LIMIT 1")
    except sqlite3.OperationalError as error:
        connection.close()
        if not sqlite.means_no_side_file(error):
            raise
        connection = sqlite3.connect(f"{uri}?mode=ro&immutable=1", uri=True)
    return connection
