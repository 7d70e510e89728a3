"""The kinds of what the log holds, why a card was asked, and where one waits."""

from __future__ import annotations

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


UNDOING = frozenset({Kind.RETRACT, Kind.RESTORE})
SCHEDULING = frozenset({Purpose.REVIEW, Purpose.AHEAD, Purpose.LADDER})
