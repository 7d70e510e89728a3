"""Typed rows of the record, and how they turn into the columns of its tables and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from sqlalchemy import Column, Connection, Executable, bindparam, update

from content import tables
from content.events import Kind, NewEvent, Purpose, Queue
from grading.schedule import Memory, Phase


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card as its pack last had it; `body` is the canonical JSON of revision `rev` (see content.cards)."""

    card_key: int
    card_id: str
    pack_id: str
    topic_key: int
    topic_id: str
    kind: str
    sibling: str
    position: int
    rev: str
    present: bool
    body: str


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """All that the events of one card and learner add up to."""

    card_key: int
    position: int = 0
    memory: Memory = field(default_factory=Memory)
    present: bool = True  # whether its pack still has the card; kept in `queue`, since only absence matters
    suspended: bool = False
    buried_day: int | None = None
    flag: int = 0
    note: str | None = None

    @property
    def queue(self) -> Queue:
        return queue_of(self.memory.phase, suspended=self.suspended, present=self.present)


@dataclass(frozen=True, slots=True)
class CardState:
    """A card's text and the learner's memory of it."""

    card: CardRow
    row: MemoryRow


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic as its pack last had it; `body` is JSON with title and lesson."""

    topic_key: int
    pack_id: str
    topic_id: str
    position: int
    body: str
    present: bool


def queue_of(phase: int, *, suspended: bool, present: bool) -> Queue:
    """Where a card waits: not at all when absent, else suspended, else by its phase."""
    if not present:
        return Queue.ABSENT
    if suspended:
        return Queue.SUSPENDED
    return {Phase.NEW: Queue.NEW, Phase.REVIEW: Queue.REVIEW}.get(Phase(phase), Queue.STEPS)


class Prepared:
    """A statement compiled once and run by the driver itself.

    SQLAlchemy would look the statement up and describe each column of the result anew: two thirds of an answer's time.
    Errors are the driver's own, not wrapped.
    """

    def __init__(self, statement: Any, connection: Connection) -> None:
        compiled = statement.compile(dialect=connection.dialect)
        self._sql = str(compiled)
        self._order: tuple[str, ...] | None = tuple(compiled.positiontup) if compiled.positional else None
        self._fixed = {name: bound.value for name, bound in compiled.binds.items() if not bound.required}
        self._connection = connection

    def run(self, values: dict[str, Any]) -> Any:
        """Execute with these bound values; returns the driver's cursor."""
        driver = self._connection.connection.dbapi_connection
        assert driver is not None, "the connection is open"
        cursor = driver.cursor()
        cursor.execute(self._sql, self._parameters(values))
        return cursor

    def run_many(self, many: Sequence[dict[str, Any]]) -> int:
        """Execute once for each; returns how many rows were touched in all."""
        if not many:
            return 0
        return self._connection.exec_driver_sql(self._sql, [self._parameters(values) for values in many]).rowcount

    def fetch_raw(self) -> list[tuple[Any, ...]]:
        """All rows as the driver's own tuples."""
        return list(self.run({}).fetchall())

    def _parameters(self, values: dict[str, Any]) -> Any:
        merged = {**self._fixed, **values} if self._fixed else values
        return merged if self._order is None else tuple(merged[key] for key in self._order)


Statement = Executable

EVENT_COLUMNS: tuple[Column[Any], ...] = tuple(tables.event.c[f.name] for f in fields(NewEvent))
CARD_COLUMNS: tuple[Column[Any], ...] = (
    tables.card.c.card_key,
    tables.card.c.card_id,
    tables.card.c.pack_id,
    tables.card.c.topic_key,
    tables.topic.c.topic_id,
    tables.card.c.kind,
    tables.card.c.sibling,
    tables.card.c.position,
    tables.card.c.rev,
    tables.card.c.present,
    tables.card_rev.c.body,
)
MEMORY_COLUMNS: tuple[Column[Any], ...] = tuple(
    tables.memory.c[name]
    for name in (
        *("card_key", "position", "queue", "phase", "step", "stability", "difficulty", "due_day", "due_ms"),
        *("scheduled_days", "last_day", "last_ms", "attempts", "lapses", "leech"),
        *("suspended", "buried_day", "flag", "note"),
    )
)


def event_from(row: Sequence[Any]) -> NewEvent:
    """A row of EVENT_COLUMNS."""
    values = dict(zip((f.name for f in fields(NewEvent)), row, strict=True))
    values["kind"] = Kind(values["kind"])
    values["purpose"] = None if values["purpose"] is None else Purpose(values["purpose"])
    return NewEvent(**values)


def event_values(event: NewEvent, learner: str, device: str) -> dict[str, Any]:
    """The columns of an event; empty learner and device become the record's own."""
    values = {f.name: getattr(event, f.name) for f in fields(NewEvent)}
    values["kind"] = event.kind.value
    values["purpose"] = None if event.purpose is None else event.purpose.value
    values["learner"] = event.learner or learner
    values["device"] = event.device or device
    return values


def card_from(row: Sequence[Any]) -> CardRow:
    """A row of CARD_COLUMNS."""
    key, card_id, pack_id, topic_key, topic_id, kind, sibling, position, rev, present, body = row
    return CardRow(key, card_id, pack_id, topic_key, topic_id, kind, sibling, position, rev, bool(present), body)


def memory_from(row: Sequence[Any]) -> MemoryRow:
    """A row of MEMORY_COLUMNS."""
    key, position, queue, phase, step, stability, difficulty, due_day, due_ms = row[:9]
    scheduled_days, last_day, last_ms, attempts, lapses, leech, suspended, buried_day, flag, note = row[9:]
    memory = Memory(
        phase=Phase(phase),
        step=step,
        stability=stability,
        difficulty=difficulty,
        due_day=due_day,
        due_ms=due_ms,
        scheduled_days=scheduled_days,
        last_day=last_day,
        last_ms=last_ms,
        attempts=attempts,
        lapses=lapses,
        leech=bool(leech),
    )
    return MemoryRow(key, position, memory, queue != Queue.ABSENT, bool(suspended), buried_day, flag, note)


def memory_values(row: MemoryRow, learner: str) -> dict[str, Any]:
    """The columns of a memory row."""
    memory = row.memory
    return {
        "learner": learner,
        "card_key": row.card_key,
        "queue": int(row.queue),
        "position": row.position,
        "phase": int(memory.phase),
        "step": memory.step,
        "stability": memory.stability,
        "difficulty": memory.difficulty,
        "due_day": memory.due_day,
        "due_ms": memory.due_ms,
        "scheduled_days": memory.scheduled_days,
        "last_day": memory.last_day,
        "last_ms": memory.last_ms,
        "attempts": memory.attempts,
        "lapses": memory.lapses,
        "leech": int(memory.leech),
        "suspended": int(row.suspended),
        "buried_day": row.buried_day,
        "flag": row.flag,
        "note": row.note,
    }


def put_memory() -> Any:
    """Sets every column of one learner's memory of one card."""
    changed: dict[str, Any] = {
        column.name: bindparam(column.name) for column in tables.memory.c if column.name not in ("learner", "card_key")
    }
    return (
        update(tables.memory)
        .where(tables.memory.c.learner == bindparam("learner"), tables.memory.c.card_key == bindparam("card_key"))
        .values(changed)
    )


def put_state() -> Any:
    """Sets stability and difficulty of one learner's memory of one card."""
    return (
        update(tables.memory)
        .where(tables.memory.c.learner == bindparam("learner"), tables.memory.c.card_key == bindparam("card_key"))
        .values(stability=bindparam("stability"), difficulty=bindparam("difficulty"))
    )
