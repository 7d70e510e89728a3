"""Typed rows of the record, and how they turn into the columns of its tables and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from content.errors import DamagedEvent, DamagedMemory
from content.events import Kind, NewEvent, Purpose, Queue
from grading.memory import Memory, Phase, Rating


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


EVENT_NAMES: tuple[str, ...] = tuple(f.name for f in fields(NewEvent))
CARD_NAMES: tuple[str, ...] = tuple(f.name for f in fields(CardRow))
MEMORY_NAMES: tuple[str, ...] = (
    *("card_key", "position", "queue", "phase", "step", "stability", "difficulty", "due_day", "due_ms"),
    *("scheduled_days", "last_day", "last_ms", "attempts", "lapses", "leech"),
    *("suspended", "buried_day", "flag", "note"),
)


def event_from(row: Sequence[Any]) -> NewEvent:
    """A row of EVENT_NAMES; DamagedEvent when it says what no event can."""
    values = dict(zip(EVENT_NAMES, row, strict=True))
    try:
        values["kind"] = Kind(values["kind"])
        values["purpose"] = None if values["purpose"] is None else Purpose(values["purpose"])
        event = NewEvent(**values)
        if event.phase_after is not None:
            Phase(event.phase_after)
        if event.rating is not None:
            Rating(event.rating)
    except ValueError as error:
        raise DamagedEvent(str(values["event_id"])) from error
    return event


def event_values(event: NewEvent, learner: str, device: str) -> dict[str, Any]:
    """The columns of an event; empty learner and device become the record's own."""
    values = {name: getattr(event, name) for name in EVENT_NAMES}
    values["kind"] = event.kind.value
    values["purpose"] = None if event.purpose is None else event.purpose.value
    values["learner"] = event.learner or learner
    values["device"] = event.device or device
    return values


def card_from(row: Sequence[Any]) -> CardRow:
    """A row of CARD_NAMES."""
    key, card_id, pack_id, topic_key, topic_id, kind, sibling, position, rev, present, body = row
    return CardRow(key, card_id, pack_id, topic_key, topic_id, kind, sibling, position, rev, bool(present), body)


_PHASES, _QUEUES = frozenset(map(int, Phase)), frozenset(map(int, Queue))


def memory_from(row: Sequence[Any], card_id: str = "") -> MemoryRow:
    """A row of MEMORY_NAMES. Raises DamagedMemory when no answers could have led to it; `card_id` is for its sentence."""
    key, position, queue, phase, step, stability, difficulty, due_day, due_ms = row[:9]
    scheduled_days, last_day, last_ms, attempts, lapses, leech, suspended, buried_day, flag, note = row[9:]
    if (
        (phase not in _PHASES or queue not in _QUEUES)
        or ((stability is None) is not (difficulty is None))
        or not (stability is None or (0 < stability < math.inf and 1 <= difficulty <= 10))
        or min(step, attempts, lapses) < 0
    ):
        raise DamagedMemory(key, card_id)
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


def state_from(row: Sequence[Any]) -> CardState:
    """A row of CARD_NAMES and, behind them, MEMORY_NAMES."""
    split = len(CARD_NAMES)
    card_row, own = card_from(row[:split]), row[split:]
    if own[0] is None:  # a learner who only reads has no memories yet
        return CardState(card_row, MemoryRow(card_row.card_key, card_row.position, present=card_row.present))
    return CardState(card_row, memory_from(own, card_row.card_id))
