"""One line of the event log, as it is written and as it is read back."""

from __future__ import annotations

from dataclasses import dataclass

from content.kinds import SCHEDULING, UNDOING, Kind, Purpose, Queue


@dataclass(frozen=True, slots=True)
class NewEvent:
    """One line of the log, as it is written and as it is read back; the fields are the columns of `event`.

    `learner` and `device` may be left empty when writing: the record fills in its own. `event_id` is 48 bits of
    milliseconds and 80 random bits as 32 hex digits, so that ids sort by time; a retract or restore names its target.
    """

    event_id: str
    kind: Kind
    at_ms: int
    utc_offset_min: int
    day: int
    card_key: int | None = None
    card_rev: str | None = None
    target_id: str | None = None
    rating: int | None = None
    proposed_rating: int | None = None
    took_ms: int | None = None
    purpose: Purpose | None = None
    params_id: str | None = None
    phase_before: int | None = None
    phase_after: int | None = None
    step_after: int | None = None
    due_day: int | None = None
    due_ms: int | None = None
    response: str | None = None
    learner: str = ""
    device: str = ""

    def __post_init__(self) -> None:
        if self.kind in UNDOING and self.target_id is None:
            raise ValueError(f"a {self.kind} must name the event it speaks of")
        if self.kind is Kind.ATTEMPT and (self.card_key is None or self.rating is None or self.purpose is None):
            raise ValueError("an attempt needs a card, a rating and a purpose")

    @property
    def moves_schedule(self) -> bool:
        """Whether this is an attempt that changes when the card comes back."""
        return self.kind is Kind.ATTEMPT and self.purpose in SCHEDULING


__all__ = ["SCHEDULING", "UNDOING", "Kind", "NewEvent", "Purpose", "Queue"]
