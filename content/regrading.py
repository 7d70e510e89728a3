"""Answers to drills that the log holds: disputes of their verdicts, and grading them again when a drill was mended.

A new verdict is an event of its own beside the old one. The schedule stays as it was lived; what is kept is that the
learner was right. A verdict that would become worse is reported, and written only when that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from content.actions import Actions, response_text
from content.cards import Card
from content.drilling import GIVEN_UP, problem_again, stored, verdict_parts
from content.drills import DrillFault
from content.events import Kind, NewEvent
from content.history import effective
from content.record_sql import DISPUTES
from content.rows import event_from
from grading.answer import Reason, grade
from grading.proposal import ASKED_AGAIN

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record
    from grading.answer import Verdict
    from grading.days import Instant


@dataclass(frozen=True, slots=True)
class Disputed:
    """The learner's word against a verdict, with the attempt that it speaks of and the text that was answered."""

    event: NewEvent
    attempt: NewEvent
    card_id: str
    body: str | None
    note: str

    @property
    def response(self) -> dict[str, Any]:
        return stored(self.attempt)


@dataclass(frozen=True, slots=True)
class Regraded:
    """One stored answer under the present text of its drill. `verdict` is None where it cannot be graded any more."""

    attempt: NewEvent
    before: str
    after: str
    verdict: Verdict | None
    why_not: str = ""

    @property
    def changed(self) -> bool:
        return self.verdict is not None and self.before != self.after

    @property
    def lowered(self) -> bool:
        """Whether the present text makes less of the answer than was made of it."""
        return self.changed and _worth(self.after) < _worth(self.before)


def disputes(record: Record) -> list[Disputed]:
    """Every dispute that holds, oldest first."""
    undone = record.retracted()
    said = (event_from(row) for row in record.named_rows(DISPUTES, {"learner": record.learner}))
    found = []
    for event in said:
        if event.target_id is None or undone & {event.event_id, event.target_id}:
            continue
        attempt = record.event(event.target_id)
        state = None if attempt is None or attempt.card_key is None else record.state(attempt.card_key)
        if attempt is not None and state is not None:
            body = record.revision(state.card.card_key, attempt.card_rev) if attempt.card_rev else None
            found.append(Disputed(event, attempt, state.card.card_id, body, str(stored(event).get("note", ""))))
    return found


def regraded(card: Card, events: Iterable[NewEvent]) -> list[Regraded]:
    """Every stored answer to a drill, graded by its present text; oldest first. Nothing is written."""
    held = effective(events)
    last = {event.target_id: str(stored(event).get("to", "")) for event in held if event.kind is Kind.REGRADE}
    return [
        _again(card, event, last.get(event.event_id) or str(response["reason"]), response)
        for event in held
        if event.kind is Kind.ATTEMPT and (response := stored(event)).get("reason") not in (None, GIVEN_UP)
    ]


def _again(card: Card, attempt: NewEvent, before: str, response: Mapping[str, Any]) -> Regraded:
    try:
        verdict = grade(str(response.get("typed", "")), problem_again(card, response).asked)
    except DrillFault as fault:
        return Regraded(attempt, before, before, None, fault.what_to_do)
    return Regraded(attempt, before, verdict.reason.value, verdict)


def _worth(reason: str) -> int:
    if reason == Reason.CORRECT:
        return 2
    return 1 if reason in ASKED_AGAIN else 0


def keep(
    record: Record,
    settings: Settings,
    new_id: Callable[[int], str],
    found: Iterable[Regraded],
    now: Instant,
    *,
    lower_too: bool = False,
) -> list[Regraded]:
    """Log the new verdicts beside the old ones, durably; returns those that were logged."""
    actions = Actions(record, settings, new_id)
    events, kept = [], []
    for one in found:
        if not one.changed or one.verdict is None or (one.lowered and not lower_too) or one.attempt.card_key is None:
            continue
        said = {"from": one.before, "to": one.after, **verdict_parts(one.verdict)}
        state = record.state(one.attempt.card_key)
        events.append(
            actions.event(Kind.REGRADE, now, state=state, target_id=one.attempt.event_id, response=response_text(said))
        )
        kept.append(one)
    if events:
        record.write(events)
    return kept
