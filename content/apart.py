"""Which cards would give one another away, and so are kept on different days."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.today import Candidate


class Apart:
    """Tells which cards would give one another away on the same day: siblings, and `gives_away` in either direction."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled
        self._siblings: dict[str, int] = {}
        self._ids: set[str] = set()
        self._given: set[str] = set()

    def add(self, card: Candidate) -> None:
        """Count this card as one of the day's."""
        self._siblings.setdefault(card.sibling, card.card_key)
        self._ids.update(_names(card.card_id))
        self._given.update(card.gives_away)

    def clashes(self, card: Candidate) -> bool:
        """Whether the day already has another card that this one must be kept apart from."""
        if not self._enabled:
            return False
        sibling = self._siblings.get(card.sibling, card.card_key) != card.card_key
        given = not self._given.isdisjoint(_names(card.card_id))
        return sibling or given or not self._ids.isdisjoint(card.gives_away)


def _names(card_id: str) -> tuple[str, str]:
    """The names a relation may use for a card: its own, and for a cloze that of the whole note."""
    return card_id, card_id.partition("#")[0]
