"""Files of other versions: older ones are brought up to date after a backup, newer ones are left alone."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from content import migrations
from content.backup import list_backups, restore
from content.errors import CorruptRecord, NewerRecord, OlderRecord, RecordError
from content.events import Kind
from content.glance import GlanceError, glance
from content.runs_store import Artifact, Run, add_run, all_runs
from content.settings import Settings
from content.store import Record
from content.tables import metadata
from content.version import RECORD_VERSION, TABLES
from grading.days import Instant

# A file as version 1 made it, with one card answered once. Never change this: it is what learners have.
VERSION_1 = """
CREATE TABLE meta ("key" TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY ("key")) STRICT;
CREATE TABLE pack (pack_id TEXT NOT NULL, title TEXT NOT NULL, folder TEXT NOT NULL, signature TEXT NOT NULL,
  present INTEGER NOT NULL, loaded_ms INTEGER NOT NULL, PRIMARY KEY (pack_id)) STRICT;
CREATE TABLE topic (topic_key INTEGER NOT NULL, pack_id TEXT NOT NULL, topic_id TEXT NOT NULL,
  position INTEGER NOT NULL, body TEXT NOT NULL, present INTEGER NOT NULL, PRIMARY KEY (topic_key),
  FOREIGN KEY(pack_id) REFERENCES pack (pack_id), UNIQUE (topic_id)) STRICT;
CREATE TABLE card (card_key INTEGER NOT NULL, card_id TEXT NOT NULL, pack_id TEXT NOT NULL, topic_key INTEGER NOT NULL,
  kind TEXT NOT NULL, sibling TEXT NOT NULL, position INTEGER NOT NULL, rev TEXT NOT NULL, present INTEGER NOT NULL,
  PRIMARY KEY (card_key), UNIQUE (card_id), FOREIGN KEY(pack_id) REFERENCES pack (pack_id),
  FOREIGN KEY(topic_key) REFERENCES topic (topic_key)) STRICT;
CREATE TABLE card_rev (card_key INTEGER NOT NULL, rev TEXT NOT NULL, body TEXT NOT NULL, first_seen_ms INTEGER NOT NULL,
  PRIMARY KEY (card_key, rev), FOREIGN KEY(card_key) REFERENCES card (card_key)) STRICT;
CREATE TABLE event (learner TEXT NOT NULL, event_id TEXT NOT NULL, device TEXT NOT NULL, kind TEXT NOT NULL,
  card_key INTEGER, card_rev TEXT, target_id TEXT, at_ms INTEGER NOT NULL, utc_offset_min INTEGER NOT NULL,
  day INTEGER NOT NULL, rating INTEGER, proposed_rating INTEGER, took_ms INTEGER, purpose TEXT, params_id TEXT,
  phase_before INTEGER, phase_after INTEGER, step_after INTEGER, due_day INTEGER, due_ms INTEGER, response TEXT,
  PRIMARY KEY (learner, event_id), FOREIGN KEY(card_key) REFERENCES card (card_key)) WITHOUT ROWID, STRICT;
CREATE TABLE params (params_id TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (params_id)) STRICT;
CREATE TABLE memory (learner TEXT NOT NULL, card_key INTEGER NOT NULL, queue INTEGER NOT NULL, position INTEGER NOT NULL,
  phase INTEGER NOT NULL, step INTEGER NOT NULL, stability REAL, difficulty REAL, due_day INTEGER, due_ms INTEGER,
  scheduled_days INTEGER NOT NULL, last_day INTEGER, last_ms INTEGER, attempts INTEGER NOT NULL,
  lapses INTEGER NOT NULL, leech INTEGER NOT NULL, suspended INTEGER NOT NULL, buried_day INTEGER,
  flag INTEGER NOT NULL, note TEXT, PRIMARY KEY (learner, card_key),
  FOREIGN KEY(card_key) REFERENCES card (card_key)) WITHOUT ROWID, STRICT;
CREATE INDEX event_card ON event (learner, card_key, event_id);
CREATE INDEX event_day ON event (learner, day, kind);
CREATE INDEX event_target ON event (learner, target_id, event_id) WHERE target_id IS NOT NULL;
CREATE INDEX event_other ON event (learner, kind, event_id) WHERE kind != 'attempt';
CREATE INDEX card_order ON card (position, card_key);
CREATE INDEX card_topic ON card (topic_key, position, card_key);
CREATE INDEX card_sibling ON card (sibling);
CREATE INDEX memory_due ON memory (learner, queue, due_day, card_key);
CREATE INDEX memory_new ON memory (learner, queue, position);
CREATE INDEX memory_steps ON memory (learner, queue, due_ms);
CREATE INDEX memory_flagged ON memory (learner, flag) WHERE flag > 0;
CREATE INDEX memory_leeches ON memory (learner, leech) WHERE leech > 0;
CREATE INDEX memory_suspended ON memory (learner, suspended) WHERE suspended > 0;
INSERT INTO meta VALUES ('schema_version', '1'), ('learner.me', '');
INSERT INTO pack VALUES ('p', '{}', '', '', 1, 0);
INSERT INTO topic VALUES (1, 'p', 'p/t', 0, '{}', 1);
INSERT INTO card VALUES (1, 'p/a', 'p', 1, 'concept', 'p/a', 0, 'r', 1);
INSERT INTO card_rev VALUES (1, 'r', '{"front":{"en":"a?","zh":"a？"}}', 0);
INSERT INTO event VALUES ('me', '0000000000010000000000000000000a', 'this', 'attempt', 1, 'r', NULL, 1, 0, 20000, 3, NULL,
  5000, 'review', NULL, 0, 2, 0, 20002, NULL, NULL);
INSERT INTO memory VALUES ('me', 1, 2, 0, 2, 0, 2.3065, 2.1181, 20002, NULL, 2, 20000, 1, 1, 0, 0, 0, NULL, 0, NULL);
"""


@pytest.fixture
def old_file(tmp_path: Path) -> Path:
    path = tmp_path / "record.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(VERSION_1)
    return path


@pytest.fixture
def one_step_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program whose record has one version more, with a column that this one does not have."""

    def add_hint(driver: sqlite3.Connection) -> None:
        driver.execute("ALTER TABLE card ADD COLUMN hint TEXT")
        driver.execute("UPDATE card SET hint = card_id")

    one_version_more(monkeypatch, add_hint)


def one_version_more(monkeypatch: pytest.MonkeyPatch, step: migrations.Step) -> None:
    monkeypatch.setitem(migrations.STEPS, migrations.latest() + 1, step)
    monkeypatch.setattr("content.record_file.RECORD_VERSION", migrations.latest())


def one_value(path: Path, statement: str) -> object:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchone()[0]


def schema(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Columns and indexes by table, whatever the way they were written."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        found = {name: list(db.execute(f"PRAGMA table_info({name})")) for name in names}
        for name in names:
            found[f"{name} indexes"] = sorted(
                (index[1], index[2], condition_of(db, index[1]), tuple(db.execute(f"PRAGMA index_info({index[1]})")))
                for index in db.execute(f"PRAGMA index_list({name})")
                if not index[1].startswith("sqlite_autoindex")
            )
        return found


def condition_of(db: sqlite3.Connection, index: str) -> str:
    """What the rows of a partial index have in common; empty for a whole one."""
    text: str = db.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (index,)).fetchone()[0]
    return text.partition(" WHERE ")[2]


def test_a_real_file_of_version_1_opens_with_its_answers(old_file: Path) -> None:
    with Record.open(old_file.parent) as record:
        assert record.info().schema_version == migrations.latest()
        assert [event.kind for event in record.events_of(1)] == [Kind.ATTEMPT]
        memory = record.memory(1)
        assert memory is not None
        assert memory.memory.due_day == 20002


def test_a_file_of_version_1_takes_runs_after_its_upgrade(old_file: Path) -> None:
    done = Run("0" * 31 + "a", "lab", 7, "shardrill lab run weighted-mean --seed 7", ("weighted-mean",), 5, 9, "3.12.1",
               "2.1.0", "Linux x86_64", None, "ok", "weighted-mean", 1, params={"counts": [4, 8]},
               metrics={"equal": True}, artifacts=(Artifact("a.py", "ff", committed=True),), dirty=False)  # fmt: skip
    with Record.open(old_file.parent) as record:
        assert all_runs(record) == []
        add_run(record, done)
    with Record.open(old_file.parent, read_only=True) as record:
        assert all_runs(record) == [replace(done, device="this")]
    (backup,) = list_backups(old_file.parent)
    assert backup.before_upgrade


def test_upgrading_gives_the_tables_that_a_new_record_has(old_file: Path, tmp_path: Path) -> None:
    Record.open(old_file.parent).close()
    Record.open(tmp_path / "new").close()
    assert schema(old_file) == schema(tmp_path / "new" / "record.sqlite3")


@pytest.mark.usefixtures("one_step_more")
def test_an_older_file_is_backed_up_and_then_upgraded(old_file: Path) -> None:
    Record.open(old_file.parent).close()
    assert one_value(old_file, "SELECT hint FROM card") == "p/a"
    assert one_value(old_file, "SELECT value FROM meta WHERE key = 'schema_version'") == str(migrations.latest())
    (backup,) = list_backups(old_file.parent)
    assert backup.before_upgrade
    assert backup.attempts == 1
    assert one_value(backup.path, "SELECT value FROM meta WHERE key = 'schema_version'") == "1"


@pytest.mark.usefixtures("one_step_more")
def test_an_older_file_is_not_upgraded_by_one_that_only_reads(old_file: Path) -> None:
    before = old_file.read_bytes()
    with pytest.raises(OlderRecord):
        Record.open(old_file.parent, read_only=True)
    assert old_file.read_bytes() == before


def test_a_step_that_fails_leaves_the_file_at_its_version(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(driver: sqlite3.Connection) -> None:
        driver.execute("ALTER TABLE card ADD COLUMN hint TEXT")
        driver.execute("INSERT INTO no_such_table VALUES (1)")

    one_version_more(monkeypatch, half)
    with pytest.raises(RecordError):
        Record.open(old_file.parent)
    assert one_value(old_file, "SELECT value FROM meta WHERE key = 'schema_version'") == "1"
    assert one_value(old_file, "SELECT count(*) FROM pragma_table_info('card') WHERE name = 'hint'") == 0


def test_a_step_that_breaks_references_is_not_committed(old_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lose_topics(driver: sqlite3.Connection) -> None:
        driver.execute("DELETE FROM topic")

    one_version_more(monkeypatch, lose_topics)
    with pytest.raises(RecordError):
        Record.open(old_file.parent)
    assert one_value(old_file, "SELECT count(*) FROM topic") == 1


def test_a_newer_file_is_refused_with_both_numbers_and_unchanged(tmp_path: Path) -> None:
    Record.open(tmp_path).close()
    path = tmp_path / "record.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(NewerRecord) as refused:
            Record.open(tmp_path, read_only=read_only)
        assert "999" in str(refused.value)
        assert f"up to {migrations.latest()}" in str(refused.value)
    assert path.read_bytes() == before
    assert {entry.name for entry in tmp_path.iterdir()} <= {"record.sqlite3", "record.lock"}


@pytest.mark.parametrize("value", ["'0'", "''", "'-1'", "'five'", "'²'", "CAST(x'FF35' AS TEXT)", f"'{'9' * 5000}'"])
def test_a_file_that_does_not_say_its_version_is_no_record(tmp_path: Path, value: str) -> None:
    Record.open(tmp_path).close()
    path = tmp_path / "record.sqlite3"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE meta SET value = {value} WHERE key = 'schema_version'")
    for read_only in (False, True):
        with pytest.raises(CorruptRecord, match="not a record of shardrill"):
            Record.open(tmp_path, read_only=read_only)
    with pytest.raises(GlanceError, match="not a record of shardrill"):
        glance(tmp_path, Settings(), Instant(1_800_000_000_000, 480))
    with pytest.raises(RecordError, match="does not say which version"):
        restore(tmp_path, path)


def test_a_table_of_the_same_name_makes_no_record(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "record.sqlite3")) as connection, connection:
        connection.execute("CREATE TABLE meta (note)")
    with pytest.raises(CorruptRecord, match="not a record of shardrill"):
        Record.open(tmp_path)


def test_the_tables_can_be_made_in_sqlite_and_in_postgresql() -> None:
    for table in metadata.sorted_tables:
        in_sqlite = str(CreateTable(table).compile(dialect=sqlite.dialect()))
        in_postgresql = str(CreateTable(table).compile(dialect=postgresql.dialect()))
        assert in_sqlite.rstrip().endswith("STRICT")
        assert "BIGINT" not in in_sqlite
        assert "STRICT" not in in_postgresql
        for index in table.indexes:
            assert str(CreateIndex(index).compile(dialect=sqlite.dialect()))
            assert str(CreateIndex(index).compile(dialect=postgresql.dialect()))


def test_opening_a_record_does_not_load_what_it_does_not_need(tmp_path: Path) -> None:
    Record.open(tmp_path).close()
    script = "import sys, pathlib; from content.store import Record; Record.open(pathlib.Path(sys.argv[1]))"
    listing = "print('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"{script}; {listing}", str(tmp_path)], capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    heavy = {"sqlalchemy", "numpy", "yaml", "pydantic", "tomlkit"}
    assert not heavy & loaded


def test_what_starts_without_a_database_library_knows_the_version_and_its_tables_too() -> None:
    assert migrations.latest() == RECORD_VERSION
    assert set(metadata.tables) == TABLES
