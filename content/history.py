"""What the log says of a card: which events hold, what they add up to, and what was asked and answered when."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from content.events import UNDOING, Kind, NewEvent
from content.rows import MemoryRow
from grading import fsrs
from grading.days import Instant, day_start_ms
from grading.schedule import Memory, Outcome, Phase, Plan, Rating, after, leech_mark_due, reset, set_due

if TYPE_CHECKING:
    from content.store import Record

PlanFor = Callable[[str | None], Plan]
"""The plan under which an answer was scheduled, by its params_id."""


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One event of a card as its history shows it. `body` is the text (canonical JSON) that was answered."""

    event: NewEvent
    holds: bool  # False when it was taken back
    body: str | None


def effective(events: Iterable[NewEvent]) -> list[NewEvent]:
    """The events that hold, in the order of their ids, the retracts and restores themselves left out.

    Of all that speaks of one target the highest id decides, so the result is the same however two logs were joined.
    """
    by_id = {event.event_id: event for event in events}
    verdict: dict[str, Kind] = {}
    for event_id in sorted(by_id):
        event = by_id[event_id]
        if event.kind in UNDOING and event.target_id is not None:
            verdict[event.target_id] = event.kind
    kept = (event for event in by_id.values() if event.kind not in UNDOING)
    held = (event for event in kept if verdict.get(event.event_id) is not Kind.RETRACT)
    return sorted(held, key=lambda event: event.event_id)


def applied(row: MemoryRow, event: NewEvent, plan: Plan) -> MemoryRow:
    """The row once this event has happened. The one place that says what each kind of event does to a card.

    Phase, step and due are the event's own, since they depend on settings and on the day; stability and difficulty follow
    from the rating. `plan` is the one the answer was scheduled under.
    """
    match event.kind:
        case Kind.ATTEMPT:
            return replace(row, memory=_answered(row.memory, event, plan)) if event.moves_schedule else row
        case Kind.SET_DUE:
            return replace(row, memory=_moved(row.memory, event, plan))
        case Kind.RESET:
            return replace(row, memory=reset(row.memory))
        case Kind.SUSPEND:
            return replace(row, suspended=True)
        case Kind.UNSUSPEND:
            return replace(row, suspended=False)
        case Kind.BURY:
            return replace(row, buried_day=event.day)
        case Kind.FLAG:
            return replace(row, flag=_flag_in(event.response))
        case Kind.UNFLAG:
            return replace(row, flag=0)
        case Kind.NOTE:
            return replace(row, note=_note_in(event.response))
        case _:
            return row


def fold(row: MemoryRow, events: Iterable[NewEvent], plan_for: PlanFor) -> MemoryRow:
    """What all events of a card add up to; of `row` only its key, position and presence are kept."""
    folded = MemoryRow(card_key=row.card_key, position=row.position, present=row.present)
    for event in effective(events):
        folded = applied(folded, event, plan_for(event.params_id))
    return folded


def fold_card(record: Record, card_key: int, default: Plan, undoing: Sequence[NewEvent] = ()) -> MemoryRow:
    """A card's memory folded from its log; `undoing` are events about to be written, counted in already.

    `default` stands in for answers whose plan the record does not know. Raises KeyError when there is no such card.
    """
    row = record.memory(card_key)
    if row is None:
        raise KeyError(card_key)
    return fold(row, [*record.events_of(card_key), *undoing], plans_of(record, default))


def card_history(record: Record, card_key: int, *, before: str | None = None, limit: int = 50) -> list[HistoryRow]:
    """A page of a card's events, newest first, each with the text that was answered.

    `before` is the id of the last event of the page before. Retracts and restores are not rows of their own: they show
    in `holds` of what they speak of.
    """
    rows: list[HistoryRow] = []
    bodies: dict[str, str | None] = {}
    undone: set[str] | None = None
    while len(rows) < limit:
        page = record.events_of(card_key, before=before, limit=limit)
        if undone is None:
            undone = record.retracted() if page else set()
        for event in page:
            before = event.event_id
            if event.kind in UNDOING or len(rows) == limit:
                continue
            rev = event.card_rev
            if rev is not None and rev not in bodies:
                bodies[rev] = record.revision(card_key, rev)
            rows.append(HistoryRow(event, event.event_id not in undone, bodies.get(rev) if rev else None))
        if len(page) < limit:
            break
    return rows


def plans_of(record: Record, default: Plan) -> PlanFor:
    """The plans the record knows, by params_id."""
    from content.params import known_plans

    known = known_plans(record)
    return lambda params_id: known.get(params_id or "", default)


def _answered(memory: Memory, event: NewEvent, plan: Plan) -> Memory:
    rating = Rating(event.rating or Rating.AGAIN)
    stability, difficulty = _state_after(memory, event.day, rating, plan)
    failed = rating is Rating.AGAIN and memory.phase is Phase.REVIEW
    lapses = memory.lapses + failed
    outcome = Outcome(
        rating=rating,
        phase=Phase(event.phase_after if event.phase_after is not None else Phase.REVIEW),
        step=event.step_after or 0,
        stability=stability,
        difficulty=difficulty,
        delay_s=None,
        interval_days=None if event.due_day is None else event.due_day - event.day,
        lapses=lapses,
        leech_now=failed and leech_mark_due(lapses, plan.leech_lapses),
    )
    now = Instant(event.at_ms, event.utc_offset_min)
    # The log says that this answer moved the schedule, so what `after` holds to be a second one of the day is not asked.
    scheduled = after(replace(memory, last_day=None), outcome, now, plan)
    return replace(scheduled, last_day=event.day, due_day=event.due_day, due_ms=event.due_ms)


def _state_after(memory: Memory, day: int, rating: Rating, plan: Plan) -> tuple[float, float]:
    grade, weights = float(rating), plan.weights
    if memory.stability is None or memory.difficulty is None:
        return fsrs.initial_stability(weights, grade), fsrs.initial_difficulty(weights, grade)
    elapsed = float(max(day - memory.last_day, 0)) if memory.last_day is not None else 0.0
    stability = fsrs.next_stability(weights, memory.stability, memory.difficulty, elapsed, grade)
    return stability, fsrs.next_difficulty(weights, memory.difficulty, grade)


def _moved(memory: Memory, event: NewEvent, plan: Plan) -> Memory:
    due_day = event.day if event.due_day is None else event.due_day
    now = Instant(day_start_ms(event.day, event.utc_offset_min, plan.rollover_hour), event.utc_offset_min)
    return replace(set_due(memory, due_day - event.day, now, plan), due_day=due_day)


def _flag_in(response: str | None) -> int:
    """The number of a flag event, `{"flag": n}`; 1 when none is said."""
    found = _response(response).get("flag", 1)
    return found if isinstance(found, int) and found > 0 else 1


def _note_in(response: str | None) -> str | None:
    """The text of a note event, `{"note": text}`; an empty one takes the note away."""
    found = _response(response).get("note")
    return found if isinstance(found, str) and found else None


def _response(text: str | None) -> dict[str, object]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
