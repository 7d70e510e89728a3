"""The half line typed before a card's answer is shown: kept, so that a lost connection or an early end costs nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.timer import Timer

    from content.sitting import CardItem
    from content.store import Record

REST_SECONDS = 2.0
"""The line is stored once the keys rest so long ..."""
LATEST_SECONDS = 5.0
"""... and so long after a key at the latest."""


class KeptLine:
    """What of the line on screen is in the record. Nothing is written while it is as it was."""

    def __init__(self) -> None:
        self._card_key: int | None = None
        self._stored = ""
        self._rest: Timer | None = None
        self._latest: Timer | None = None

    def typed(
        self, set_timer: Callable[[float, Callable[[], Awaitable[None]]], Timer], keep: Callable[[], Awaitable[object]]
    ) -> None:
        """A key changed the line: have it kept when the keys rest, or soon while they do not."""

        async def now() -> None:
            for timer in (self._rest, self._latest):
                if timer is not None:
                    timer.stop()
            self._rest = self._latest = None
            await keep()

        if self._rest is not None:
            self._rest.stop()
        self._rest = set_timer(REST_SECONDS, now)
        self._latest = self._latest or set_timer(LATEST_SECONDS, now)

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
