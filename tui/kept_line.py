"""The half line typed before a card's answer is shown: kept, so that a lost connection or an early end costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.sitting import CardItem
    from content.store import Record


class KeptLine:
    """What of the line on screen is in the record. Nothing is written while it is as it was."""

    def __init__(self) -> None:
        self._card_key: int | None = None
        self._stored = ""

    def bring_back(self, record: Record, item: CardItem) -> str:
        """The line that was begun on this card some other time; empty where the card invites none."""
        self._card_key, self._stored = item.card_key, ""
        if item.card.invites_line and item.ask is None:
            from content.drafts import line_of

            self._stored = line_of(record, item.card_key)
        return self._stored

    def keep(self, record: Record, item: CardItem, text: str, now_ms: int) -> None:
        """Store the line as it stands, if it changed since; an empty one is forgotten."""
        if item.card_key != self._card_key:
            self._card_key, self._stored = item.card_key, ""
        if text == self._stored or not item.card.invites_line or item.ask is not None:
            return
        from content.drafts import save_line

        save_line(record, item.card_key, item.rev, text, now_ms)
        self._stored = text
