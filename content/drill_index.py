"""Every drill of the packs on this machine, by the shortest name that is its alone.

Where the record already holds these very packs their drills are read from it, in a few milliseconds; else the packs are
parsed. The record is only read, with bare sqlite3, so that `shardrill solve` starts at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from content.cards import Card, card_from_json
from content.library import FoundPack, find_packs, load_pack

_PACKS = "SELECT folder, signature FROM pack WHERE present = 1"
_DRILLS = (
    "SELECT card_rev.body FROM card JOIN card_rev ON card_rev.card_key = card.card_key AND card_rev.rev = card.rev"
    " WHERE card.kind = 'drill' AND card.present = 1 ORDER BY card.position"
)


class UnknownDrill(Exception):
    """No drill has this name, or several have; the message names some that come near."""


@dataclass(frozen=True, slots=True)
class DrillIndex:
    """Drill cards by full id, in the order of introduction."""

    cards: Mapping[str, Card]

    def find(self, name: str) -> Card:
        """The drill of a full id, or of the part behind the pack where only one pack has it.

        Raises:
            UnknownDrill: with names that come near.
        """
        if name in self.cards:
            return self.cards[name]
        wanted = name.strip().casefold()
        matching = [card for full, card in self.cards.items() if full.partition("/")[2].casefold() == wanted]
        if len(matching) == 1:
            return matching[0]
        if matching:
            raise UnknownDrill(f"{name} is in several packs: name one of {', '.join(card.id for card in matching)}.")
        import difflib

        short = [full.partition("/")[2] for full in self.cards]
        near = difflib.get_close_matches(wanted, short, n=3, cutoff=0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "`shardrill drills` lists them all."
        raise UnknownDrill(f"There is no drill {name!r}: {hint}")

    def of_topic(self, topic: str | None) -> list[Card]:
        """The drills of a topic, by its full id or the part behind the pack; all where `topic` is None."""
        return [
            card for card in self.cards.values() if topic is None or topic in (card.topic, card.topic.partition("/")[2])
        ]


def drill_index(folders: Iterable[Path], record: Path) -> DrillIndex:
    """The drills of the packs in `folders` (folders of packs), from the record where it is up to date with them.

    Raises:
        PackRefused: a pack that must be parsed has faults.
    """
    packs = find_packs(folders)
    cards = _from_record(packs, record)
    if cards is None:
        cards = [card for pack in packs for card in load_pack(pack.folder).cards if card.kind == "drill"]
    return DrillIndex({card.id: card for card in cards})


def _from_record(packs: list[FoundPack], record: Path) -> list[Card] | None:
    if not record.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{record.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            held = dict(connection.execute(_PACKS).fetchall())
            if held != {str(pack.folder): pack.signature for pack in packs}:
                return None
            return [card_from_json(body) for (body,) in connection.execute(_DRILLS)]
    except sqlite3.Error:  # a record that cannot be read is the start screen's business
        return None
