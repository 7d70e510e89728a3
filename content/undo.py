"""The steps of one sitting, so that each can be taken back and done again: newest first, whatever it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace

from content.cards import Card
from content.events import Kind, NewEvent
from content.rows import MemoryRow
from content.sitting import Place
from grading.memory import Rating


@dataclass(frozen=True, slots=True)
class Step:
    """One thing the learner did, with the sitting's place before and after it and what it wrote.

    `kind` is None for what the log does not hold (a skip). `revealed` says that the answer was on screen before it.
    `texts` are a card's revisions before and after an edit. `also` are events about other cards, each with
    that card's row before and after.
    """

    kind: Kind | None
    before: Place
    after: Place
    card_id: str | None = None
    rating: Rating | None = None
    event_ids: tuple[str, ...] = ()
    row_before: MemoryRow | None = None
    row_after: MemoryRow | None = None
    revealed: bool = False
    texts: tuple[Card, Card] | None = None
    also: tuple[tuple[str, MemoryRow, MemoryRow], ...] = ()

    def rewritten(self, present: MemoryRow, *, back: bool) -> MemoryRow | None:
        """The present row with what this step changed taken back, or changed again. What others changed meanwhile (a
        flag set in the list of cards) stays; None when they changed the very same, so that only the log can tell."""
        if self.row_before is None or self.row_after is None:
            return present
        return rewritten(present, self.row_before, self.row_after, back=back)

    def events(self, make: Callable[[Kind, str], NewEvent], *, back: bool) -> tuple[NewEvent, ...]:
        """What to log so that the step's events did not happen (`back`), or did after all."""
        kind = Kind.RETRACT if back else Kind.RESTORE
        return tuple(make(kind, event_id) for event_id in (reversed(self.event_ids) if back else self.event_ids))


def rewritten(present: MemoryRow, before: MemoryRow, after: MemoryRow, *, back: bool) -> MemoryRow | None:
    """The present row with what changed from `before` to `after` taken back, or changed again; None as in `Step`."""
    source, target = (after, before) if back else (before, after)
    names = [f.name for f in fields(MemoryRow) if getattr(before, f.name) != getattr(after, f.name)]
    if any(getattr(present, name) != getattr(source, name) for name in names):
        return None
    return replace(present, **{name: getattr(target, name) for name in names})


class Steps:
    """What can be undone, and what was undone and can be done again. A new step drops the latter."""

    def __init__(self) -> None:
        self._done: list[Step] = []
        self._undone: list[Step] = []

    def add(self, step: Step) -> None:
        """Remember a step that was just made."""
        self._done.append(step)
        self._undone.clear()

    @property
    def last(self) -> Step | None:
        """The step that undo would take back."""
        return self._done[-1] if self._done else None

    @property
    def next(self) -> Step | None:
        """The step that redo would do again."""
        return self._undone[-1] if self._undone else None

    def moved_back(self) -> None:
        """The last step was taken back."""
        self._undone.append(self._done.pop())

    def moved_forward(self) -> None:
        """The step undone last was done again."""
        self._done.append(self._undone.pop())
