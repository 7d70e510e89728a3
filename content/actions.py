"""What a learner does to a card besides answering it: suspend, bury, flag, note, date, reset, and taking things back.

`changed` says what an action makes of a card; `Actions` also writes it, for any card of the record. A sitting
(content.session) writes through the same functions and remembers what it wrote, so that it can be undone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from content.events import Kind, NewEvent
from content.history import applied, fold_card
from content.rows import CardState, MemoryRow
from grading import schedule
from grading.days import Instant, study_day

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record


@dataclass(frozen=True, slots=True)
class Change:
    """One event and the memory row it leaves."""

    event: NewEvent
    row: MemoryRow


class Actions:
    """Acts on any card of a record. `new_id` makes an event id from milliseconds; the caller reads the clock.

    Each call is durable when it returns, and raises LookupError when there is no such card.
    """

    def __init__(self, record: Record, settings: Settings, new_id: Callable[[int], str]) -> None:
        self.record = record
        self.settings = settings
        self.plan = settings.plan()
        self._new_id = new_id
        self._params_id: str | None = None

    def suspend(self, card_key: int, now: Instant) -> None:
        """Take a card out of rotation; its history stays."""
        self._write(self.change(Kind.SUSPEND, self._state(card_key), now))

    def unsuspend(self, card_key: int, now: Instant) -> None:
        """Bring a suspended card back where it was."""
        self._write(self.change(Kind.UNSUSPEND, self._state(card_key), now))

    def bury(self, card_key: int, now: Instant) -> None:
        """Hide a card for the rest of this study day."""
        self._write(self.change(Kind.BURY, self._state(card_key), now))

    def flag(self, card_key: int, now: Instant) -> bool:
        """Flag a card, or take its flag away; returns whether it is flagged now."""
        change = self.toggle_flag(self._state(card_key), now)
        self._write(change)
        return bool(change.row.flag)

    def note(self, card_key: int, text: str, now: Instant) -> None:
        """Set a card's private note; an empty text removes it."""
        self._write(self.change(Kind.NOTE, self._state(card_key), now, note=text))

    def set_due(self, card_key: int, in_days: int, now: Instant) -> None:
        """Put a card in review, due in this many study days."""
        self._write(self.change(Kind.SET_DUE, self._state(card_key), now, in_days=in_days))

    def reset(self, card_key: int, now: Instant) -> None:
        """Make a card new again; its history stays in the log."""
        self._write(self.change(Kind.RESET, self._state(card_key), now))

    def retract(self, event_id: str, now: Instant) -> None:
        """Take back any event of the log, however old; its card's memory is folded again without it."""
        self._speak_of(Kind.RETRACT, event_id, now)

    def restore(self, event_id: str, now: Instant) -> None:
        """Let a retracted event hold after all."""
        self._speak_of(Kind.RESTORE, event_id, now)

    def _speak_of(self, kind: Kind, event_id: str, now: Instant) -> None:
        spoken_of = self.record.event(event_id)
        if spoken_of is None:
            raise LookupError(f"There is no event {event_id} in the log.")
        state = None if spoken_of.card_key is None else self._state(spoken_of.card_key)
        event = self.event(kind, now, state=state, target_id=event_id)
        rows = [] if state is None else [fold_card(self.record, state.row.card_key, self.plan, [event])]
        self.record.write((event,), rows)

    # -- what an action makes of a card

    def toggle_flag(self, state: CardState, now: Instant) -> Change:
        """Flag or unflag, whichever the card is not."""
        return self.change(Kind.UNFLAG if state.row.flag else Kind.FLAG, state, now)

    def change(self, kind: Kind, state: CardState, now: Instant, *, note: str = "", in_days: int = 0) -> Change:
        """The event of an action and the row it leaves; nothing is written."""
        columns: dict[str, Any] = {}
        if kind is Kind.NOTE:
            columns = {"response": response_text({"note": note})}
        elif kind is Kind.SET_DUE:
            memory = schedule.set_due(state.row.memory, in_days, now, self.plan)
            columns = self.moved(state.row, replace(state.row, memory=memory))
        elif kind is Kind.RESET:
            columns = self.moved(state.row, replace(state.row, memory=schedule.reset(state.row.memory)))
        event = self.event(kind, now, state=state, **columns)
        return Change(event, applied(state.row, event, self.plan))

    def moved(self, before: MemoryRow, after: MemoryRow) -> dict[str, Any]:
        """The columns of an event that tell how it moved a card's schedule."""
        memory = after.memory
        return {
            "phase_before": int(before.memory.phase),
            "phase_after": int(memory.phase),
            "step_after": memory.step,
            "due_day": memory.due_day,
            "due_ms": memory.due_ms,
            "params_id": self.params_id,
        }

    def event(self, kind: Kind, now: Instant, *, state: CardState | None = None, **columns: Any) -> NewEvent:
        """An event of this moment about a card (or none), its id above all earlier ones."""
        return NewEvent(
            event_id=self.record.ordered_id(self._new_id(now.at_ms)),
            kind=kind,
            at_ms=now.at_ms,
            utc_offset_min=now.utc_offset_min,
            day=self.day(now),
            card_key=None if state is None else state.card.card_key,
            card_rev=None if state is None else state.card.rev,
            **columns,
        )

    def day(self, now: Instant) -> int:
        """The study day of this moment."""
        return study_day(now, self.settings.rollover_hour)

    @property
    def params_id(self) -> str:
        """The id of the plan that decides intervals; asking for it the first time may write it to the record."""
        if self._params_id is None:
            self._params_id = self.record.params_id(self.plan)
        return self._params_id

    def _state(self, card_key: int) -> CardState:
        state = self.record.state(card_key)
        if state is None:
            raise LookupError(f"There is no card with key {card_key} in the record.")
        return state

    def _write(self, change: Change) -> None:
        self.record.write((change.event,), (change.row,))


def response_text(response: dict[str, Any] | None) -> str | None:
    """A response record as the log holds it; its version stands in it."""
    if not response:
        return None
    return json.dumps({"v": 1, **response}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
