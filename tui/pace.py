"""How fast keys and minutes pass: a held key is one step, and time away from the keyboard is not study time."""

from __future__ import annotations

from dataclasses import dataclass

QUIET_MS = 700
"""How long a guarded key must rest before it counts again."""

AWAY_MS = 60_000
"""The longest pause between two keys that still counts as time spent on a card."""


@dataclass(slots=True)
class KeyGate:
    """Drops a guarded key (Space, Enter, a rating) that equals the last key until it was quiet for QUIET_MS.

    So a key held down, pressed twice by a heavy hand or repeated by a slow line is one step, while `3`, Space, `3`
    passes at any speed.
    """

    last: str = ""
    last_ms: int = 0

    def passes(self, key: str, at_ms: int) -> bool:
        """Whether this press counts; a dropped one starts the wait again."""
        held = key == self.last and 0 <= at_ms - self.last_ms < QUIET_MS
        self.last, self.last_ms = key, at_ms
        return not held

    def note(self, key: str, at_ms: int) -> None:
        """Another key was pressed: a guarded key after it is a new one."""
        self.last, self.last_ms = key, at_ms


@dataclass(slots=True)
class Stopwatch:
    """Adds up the time between keys, each pause counted up to AWAY_MS."""

    spent_ms: int = 0
    touched_ms: int | None = None

    def start(self, at_ms: int) -> None:
        """Begin at zero."""
        self.spent_ms, self.touched_ms = 0, at_ms

    def touch(self, at_ms: int) -> None:
        """A key was pressed."""
        self.spent_ms = self.at(at_ms)
        self.touched_ms = at_ms

    def at(self, at_ms: int) -> int:
        """Milliseconds spent up to `at_ms`; a clock set back counts as no time."""
        if self.touched_ms is None:
            return self.spent_ms
        return self.spent_ms + min(max(0, at_ms - self.touched_ms), AWAY_MS)

    def runs(self, at_ms: int) -> bool:
        """Whether time still counts, so that a shown clock has something to tick for."""
        return self.touched_ms is not None and 0 <= at_ms - self.touched_ms < AWAY_MS


def clock_text(ms: int) -> str:
    """`4:07`, or `1:02:09` from an hour on."""
    seconds = ms // 1000
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours}:{minutes:02}:{seconds % 60:02}" if hours else f"{minutes}:{seconds % 60:02}"
