"""The words of the event log: what can be written in it, and which queue a card waits in."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Kind(StrEnum):
    """What one line of the log says happened."""

    ATTEMPT = "attempt"
    RETRACT = "retract"  # the target did not happen (undo)
    RESTORE = "restore"  # the target happened after all (redo)
    SET_DUE = "set_due"
    RESET = "reset"  # the card is new again; its history stays
    SUSPEND = "suspend"
    UNSUSPEND = "unsuspend"
    BURY = "bury"  # hidden for the rest of the study day
    FLAG = "flag"
    UNFLAG = "unflag"
    NOTE = "note"
    EDIT = "edit"  # an own card's text was changed; response names the revisions
    LESSON = "lesson"  # a topic's lesson was read; response names the topic
    DISPUTE = "dispute"
    REGRADE = "regrade"


class Purpose(StrEnum):
    """Why a card was asked; only REVIEW, AHEAD and LADDER move its schedule."""

    REVIEW = "review"
    PRACTICE = "practice"
    AHEAD = "ahead"
    LADDER = "ladder"
    EXAM = "exam"


class Queue(IntEnum):
    """Where a card waits. Derived: absent from its pack, suspended, else by its phase."""

    ABSENT = -2
    SUSPENDED = -1
    NEW = 0
    STEPS = 1  # learning or relearning, due at an instant
    REVIEW = 2  # due on a study day


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


UNDOING = frozenset({Kind.RETRACT, Kind.RESTORE})
SCHEDULING = frozenset({Purpose.REVIEW, Purpose.AHEAD, Purpose.LADDER})
