"""A point that an oral answer missed makes the cards and drills that teach it due today."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from content.actions import Actions, Change, response_text
from content.events import Kind, Queue
from content.history import applied
from content.rows import MemoryRow
from grading import schedule

if TYPE_CHECKING:
    from content.cards import Card
    from grading.days import Instant


@dataclass(frozen=True, slots=True)
class MadeDue:
    """A card that becomes due today: its row as it was, and the change."""

    card_id: str
    before: MemoryRow
    change: Change


def due_changes(actions: Actions, card: Card, missed: Collection[str], now: Instant) -> Iterator[MadeDue]:
    """The changes that make the cards of the missed points due today, each card once; nothing is written.

    Only cards in review that would come later are moved: new cards are learnt in their order, cards in their steps come
    today anyway, suspended ones stay out.
    """
    today = actions.day(now)
    seen: set[str] = set()
    for point in card.rubric:
        if point.id not in missed:
            continue
        for card_id in point.cards:
            if card_id in seen:
                continue
            seen.add(card_id)
            change = _due_today(actions, card_id, f"{card.id}:{point.id}", today, now)
            if change is not None:
                yield change


def _due_today(actions: Actions, card_id: str, because: str, today: int, now: Instant) -> MadeDue | None:
    row = actions.record.card(card_id)
    state = None if row is None else actions.record.state(row.card_key)
    if state is None or state.row.queue is not Queue.REVIEW or (state.row.memory.due_day or 0) <= today:
        return None
    memory = schedule.set_due(state.row.memory, 0, now, actions.plan)
    columns = actions.moved(state.row, replace(state.row, memory=memory))
    said = response_text({"because": because})
    event = actions.event(Kind.SET_DUE, now, state=state, response=said, **columns)
    return MadeDue(card_id, state.row, Change(event, applied(state.row, event, actions.plan)))


__all__ = ["MadeDue", "due_changes"]
