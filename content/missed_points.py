"""A point that an oral answer missed makes the cards that teach it due today, and the drills that use these cards."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from content.actions import Actions, Change, response_text
from content.events import Kind, Queue
from content.history import applied
from content.queue import rows_of
from content.rows import MemoryRow
from grading import schedule

if TYPE_CHECKING:
    from content.cards import Card
    from grading.days import Instant


DRILLS_PER_POINT = 2
"""One missed point is no reason to work through a whole topic."""
DRILLS = f"""
SELECT c.card_id, m.stability, r.body FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.topic_key = :topic AND c.kind = 'drill' AND m.queue = {Queue.REVIEW:d} AND m.due_day > :day
ORDER BY c.position, c.card_key LIMIT 200
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class MadeDue:
    """A card that becomes due today: its row as it was, and the change."""

    card_id: str
    before: MemoryRow
    change: Change


def due_changes(actions: Actions, card: Card, missed: Collection[str], now: Instant) -> Iterator[MadeDue]:
    """The changes that make the cards of the missed points due today, each card once; nothing is written.

    Of the drills that need one of a point's cards the weakest few come as well. Only cards in review that would come later
    are moved: new cards are learnt in their order, cards in their steps come today anyway, suspended ones stay out.
    """
    today = actions.day(now)
    seen: set[str] = set()
    for point in card.rubric:
        if point.id in missed:
            for card_id in (*point.cards, *_drills_of(actions, point.cards, today)):
                if card_id in seen:
                    continue
                seen.add(card_id)
                change = _due_today(actions, card_id, f"{card.id}:{point.id}", today, now)
                if change is not None:
                    yield change


def _drills_of(actions: Actions, card_ids: Sequence[str], today: int) -> list[str]:
    """The drills in review that need one of these cards, the weakest ones."""
    record = actions.record
    topics = {row.topic_key for card_id in card_ids if (row := record.card(card_id)) is not None}
    values = {"learner": record.learner, "day": today}
    found = [row for topic in sorted(topics) for row in rows_of(record)(DRILLS, {**values, "topic": topic})]
    fit = [row for row in found if set(card_ids) & set(json.loads(row[2]).get("requires", ()))]
    return [card_id for card_id, _, _ in sorted(fit, key=lambda row: row[1] or 0.0)[:DRILLS_PER_POINT]]


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
