"""What workers and the app tell the screens. All in the past tense: it has happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from content.faults import Fault
    from content.stats import TopicStrength
    from tui.record_keeper import RecordUnavailable


class LanguageChanged(Message, bubble=False):
    """The interface speaks another language; every text on screen must be made again."""


class SettingsChanged(Message, bubble=False):
    """A setting was changed and saved."""


class RecordOpened(Message, bubble=False):
    """The record is open and the packs are in it."""


class RecordRefused(Message, bubble=False):
    """The record could not be opened; `fault` says why in the language shown at that moment."""

    def __init__(self, fault: RecordUnavailable) -> None:
        super().__init__()
        self.fault = fault


class PackRefused(Message, bubble=False):
    """Packs were found that cannot be used; the others were loaded."""

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        super().__init__()
        self.faults = faults


class StrengthComputed(Message, bubble=False):
    """How well each topic is held, and what comes on the next study days (day, cards)."""

    def __init__(self, strengths: tuple[TopicStrength, ...], next_days: tuple[tuple[int, int], ...]) -> None:
        super().__init__()
        self.strengths = strengths
        self.next_days = next_days


class Returned(Message, bubble=False):
    """A screen that lay under another one is on top again: what it shows may be old."""
