"""The recall tables of the record, found by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from content.cards import Card, card_from_json

if TYPE_CHECKING:
    from content.store import Record

_TABLES = """
SELECT c.card_key, r.body FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.kind = 'table' AND m.queue >= -1 ORDER BY c.position, c.card_key
"""


@dataclass(frozen=True, slots=True)
class NamedCard:
    """A card with its key in the record."""

    card_key: int
    card: Card


def tables_of(record: Record) -> list[NamedCard]:
    """All tables in the order of their packs."""
    rows = record.named_rows(_TABLES, {"learner": record.learner})
    return [NamedCard(card_key, card_from_json(body)) for card_key, body in rows]


def find_table(tables: Sequence[NamedCard], name: str) -> NamedCard | None:
    """The table with this id, whole or without its pack or the word before the dot; None where none or several fit."""
    folded = name.casefold()
    exact = [t for t in tables if folded in (t.card.id.casefold(), t.card.id.partition("/")[2].casefold())]
    found = exact or [t for t in tables if t.card.id.casefold().rpartition(".")[2] == folded]
    return found[0] if len(found) == 1 else None


__all__ = ["NamedCard", "find_table", "tables_of"]
