"""The record's tables, in types that both SQLite (STRICT) and PostgreSQL have.

Only 64-bit integers, doubles, text and bytes are used; JSON is text; a date is an integer whose name ends in its unit:
`_ms` is milliseconds since 1970-01-01 UTC, `_day` is a study day (days since 1970-01-01 by the learner's local date
after the rollover hour), `_s` is seconds. `event` is the truth and is only ever added to; `memory` is derived from it
and can be rebuilt at any time; the other tables name what the two speak of.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    MetaData,
    Table,
    Text,
    literal_column,
)
from sqlalchemy.dialects.sqlite import INTEGER, REAL

from content.events import Queue

Int64 = BigInteger().with_variant(INTEGER(), "sqlite")
Float64: Double[float] = Double().with_variant(REAL(), "sqlite")

metadata = MetaData()

meta = Table(
    "meta",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),
    sqlite_strict=True,
)
"""Single facts about the record itself: the schema version, when it was made, the last backup's study day."""

pack = Table(
    "pack",
    metadata,
    Column("pack_id", Text, primary_key=True),
    Column("title", Text, nullable=False),  # JSON {"en", "zh"}
    Column("folder", Text, nullable=False),
    Column("signature", Text, nullable=False),  # of the files' sizes and times: an unchanged pack is not parsed again
    Column("present", Int64, nullable=False),
    Column("loaded_ms", Int64, nullable=False),
    sqlite_strict=True,
)

topic = Table(
    "topic",
    metadata,
    Column("topic_key", Int64, primary_key=True),
    Column("pack_id", Text, ForeignKey("pack.pack_id"), nullable=False),
    Column("topic_id", Text, nullable=False, unique=True),  # "<pack>/<topic>"
    Column("position", Int64, nullable=False),
    Column("body", Text, nullable=False),  # JSON {"title": {"en", "zh"}, "lesson": {"en", "zh"}}
    Column("present", Int64, nullable=False),
    sqlite_strict=True,
)

card = Table(
    "card",
    metadata,
    Column("card_key", Int64, primary_key=True),
    Column("card_id", Text, nullable=False, unique=True),  # "<pack>/<id>", the k-th cloze adds "#k"
    Column("pack_id", Text, ForeignKey("pack.pack_id"), nullable=False),
    Column("topic_key", Int64, ForeignKey("topic.topic_key"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("sibling", Text, nullable=False),  # cards with the same value are kept apart
    Column("position", Int64, nullable=False),  # order of introduction; prerequisites come first
    Column("rev", Text, nullable=False),  # the current row of card_rev
    Column("present", Int64, nullable=False),
    sqlite_strict=True,
)

Index("card_order", card.c.position, card.c.card_key)
Index("card_topic", card.c.topic_key, card.c.position, card.c.card_key)
Index("card_sibling", card.c.sibling)
Index("card_kind", card.c.kind, card.c.position, card.c.card_key)

card_rev = Table(
    "card_rev",
    metadata,
    Column("card_key", Int64, ForeignKey("card.card_key"), primary_key=True),
    Column("rev", Text, primary_key=True),  # hash of the canonical body
    Column("body", Text, nullable=False),  # canonical JSON of the card, both languages
    Column("first_seen_ms", Int64, nullable=False),
    sqlite_strict=True,
)
"""Every text a card ever had, so that history shows what was answered."""

event = Table(
    "event",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("event_id", Text, primary_key=True),  # 48-bit ms + 80 random bits, hex: sorts by time
    Column("device", Text, nullable=False),
    Column("kind", Text, nullable=False),  # content.events.Kind
    Column("card_key", Int64, ForeignKey("card.card_key")),  # none for what concerns no card (a lesson read)
    Column("card_rev", Text),
    Column("target_id", Text),  # the event that a retract or restore speaks of
    Column("at_ms", Int64, nullable=False),
    Column("utc_offset_min", Int64, nullable=False),
    Column("day", Int64, nullable=False),
    Column("rating", Int64),
    Column("proposed_rating", Int64),
    Column("took_ms", Int64),
    Column("purpose", Text),  # review | practice | ahead | ladder | exam
    Column("params_id", Text),
    Column("phase_before", Int64),
    Column("phase_after", Int64),
    Column("step_after", Int64),
    Column("due_day", Int64),
    Column("due_ms", Int64),
    Column("response", Text),  # JSON
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
Index("event_card", event.c.learner, event.c.card_key, event.c.event_id)
Index("event_day", event.c.learner, event.c.day, event.c.kind)
# The rest are partial: an answer, the one write that must be quick, touches none of them. (They are whole indexes on
# PostgreSQL: naming its dialect here would load it at each start.)
# Their conditions stand in the queries that use them word for word: a bound value would not be known to match.
_targeted = event.c.target_id.is_not(None)
_not_attempt = event.c.kind != literal_column("'attempt'", Text)
Index("event_target", event.c.learner, event.c.target_id, event.c.event_id, sqlite_where=_targeted)
Index("event_other", event.c.learner, event.c.kind, event.c.event_id, sqlite_where=_not_attempt)

params = Table(
    "params",
    metadata,
    Column("params_id", Text, primary_key=True),
    Column("body", Text, nullable=False),  # JSON: the 21 weights, desired retention, steps
    sqlite_strict=True,
)

memory = Table(
    "memory",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("card_key", Int64, ForeignKey("card.card_key"), primary_key=True),
    Column("queue", Int64, nullable=False),  # content.events.Queue: derived from phase, suspension and presence
    Column("position", Int64, nullable=False),  # copy of card.position, so that one index orders new cards
    Column("phase", Int64, nullable=False),  # grading.schedule.Phase
    Column("step", Int64, nullable=False),  # steps left, 0 outside learning and relearning
    Column("stability", Float64),  # days until recall falls to 90 %
    Column("difficulty", Float64),  # 1..10
    Column("due_day", Int64),  # review cards
    Column("due_ms", Int64),  # cards in steps
    Column("scheduled_days", Int64, nullable=False),
    Column("last_day", Int64),
    Column("last_ms", Int64),
    Column("attempts", Int64, nullable=False),
    Column("lapses", Int64, nullable=False),
    Column("leech", Int64, nullable=False),
    Column("suspended", Int64, nullable=False),
    Column("buried_day", Int64),  # hidden during this study day
    Column("flag", Int64, nullable=False),
    Column("note", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
# One index for each queue, so that an answer touches only those of the queues the card leaves and joins.
_in_queue = {queue: memory.c.queue == literal_column(f"{queue:d}") for queue in Queue}
Index("memory_due", memory.c.learner, memory.c.due_day, memory.c.card_key, sqlite_where=_in_queue[Queue.REVIEW])
Index("memory_new", memory.c.learner, memory.c.position, memory.c.card_key, sqlite_where=_in_queue[Queue.NEW])
Index("memory_steps", memory.c.learner, memory.c.due_ms, memory.c.card_key, sqlite_where=_in_queue[Queue.STEPS])
_zero: ColumnElement[int] = literal_column("0")
Index("memory_flagged", memory.c.learner, memory.c.flag, sqlite_where=memory.c.flag > _zero)
Index("memory_leeches", memory.c.learner, memory.c.leech, sqlite_where=memory.c.leech > _zero)
Index("memory_suspended", memory.c.learner, memory.c.suspended, sqlite_where=memory.c.suspended > _zero)

run = Table(
    "run",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("run_id", Text, primary_key=True),  # 48-bit ms + 80 random bits, hex: sorts by time
    Column("device", Text, nullable=False),
    Column("kind", Text, nullable=False),  # lab | script
    Column("lab", Text),
    Column("lab_version", Int64),
    Column("pack_id", Text),  # the pack for whose document a script was run
    Column("params", Text, nullable=False),  # JSON
    Column("seed", Int64, nullable=False),
    Column("command", Text, nullable=False),  # as a document may show it
    Column("argv", Text, nullable=False),  # JSON: as it was started; stays in this record
    Column("started_ms", Int64, nullable=False),
    Column("ended_ms", Int64, nullable=False),
    Column("python", Text, nullable=False),
    Column("numpy", Text),
    Column("platform", Text, nullable=False),  # family of the system and architecture
    Column("cpu", Text),
    Column("metrics", Text, nullable=False),  # JSON {name: true, false or a number}
    Column("findings", Text, nullable=False),  # JSON: values, tolerance, picture
    Column("output_hash", Text),
    Column("repo_folder", Text),  # where the learner's repository was on this device; stays in this record
    Column("commit_sha", Text),
    Column("dirty", Int64),
    Column("script_path", Text),
    Column("script_sha256", Text),
    Column("artifacts", Text, nullable=False),  # JSON [{path, sha256, committed}]
    Column("status", Text, nullable=False),  # ok | failed
    Column("reason", Text),  # why it failed: a code of evidence.script
    Column("reason_detail", Text),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Every execution of a lab or of the learner's own script; only ever added to."""

draft = Table(
    "draft",
    metadata,
    Column("learner", Text, primary_key=True),
    Column("card_key", Int64, ForeignKey("card.card_key"), primary_key=True),
    Column("form", Text, primary_key=True),  # skeleton | full | line
    Column("card_rev", Text, nullable=False),  # the revision that was asked
    Column("text", Text, nullable=False),  # as typed so far
    Column("confidence", Int64),  # predicted share of the points, percent
    Column("submitted", Int64, nullable=False),  # the text is locked, the points are being marked
    Column("points", Text, nullable=False),  # JSON {point id: 0, 0.5 or 1} as far as the learner decided
    Column("spent_ms", Int64, nullable=False),  # on the clock so far
    Column("started_ms", Int64, nullable=False),
    Column("updated_ms", Int64, nullable=False),
    sqlite_strict=True,
    sqlite_with_rowid=False,
)
"""Oral answers, and lines before an answer, that were begun and not finished: no answer yet, so no part of the log."""

__all__ = [
    "Float64",
    "Int64",
    "card",
    "card_rev",
    "draft",
    "event",
    "memory",
    "meta",
    "metadata",
    "pack",
    "params",
    "run",
    "topic",
]
