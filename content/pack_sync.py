"""Brings the packs in their folders into the record; those whose files are as they were cost a look at each file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from content.faults import Fault, PackRefused
from content.library import LoadedPack, find_packs, load_pack, same_ids
from content.record_sql import PACKS

if TYPE_CHECKING:
    from content.pack_rows import Synced
    from content.store import Record


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What `refresh` did. A pack with faults keeps the cards that were last taken from it."""

    synced: tuple[Synced, ...]
    absent: tuple[str, ...]
    faults: tuple[Fault, ...]


def refresh(record: Record, folders: Iterable[Path], now_ms: int) -> Refreshed:
    """Bring every pack in these folders of packs into the record, and mark absent those that are no longer there.

    A pack whose signature is known is not opened. Of two packs with the same id the first is taken. Nothing is written
    when nothing changed. A record that is open to read only is left as it is.
    """
    if record.read_only:
        return Refreshed((), (), ())
    known = {folder: (pack_id, signature) for pack_id, folder, signature in record.named_rows(PACKS)}
    kept: list[tuple[str, Path]] = []
    changed: list[LoadedPack] = []
    faults: list[Fault] = []
    for found in find_packs(folders):
        pack_id, signature = known.get(str(found.folder), ("", ""))
        if pack_id and signature == found.signature:
            kept.append((pack_id, found.folder))
            continue
        try:
            loaded = load_pack(found.folder)
        except PackRefused as refused:
            faults += refused.faults
            kept += [(pack_id, found.folder)] if pack_id else []
            continue
        if loaded.id not in (other for other, _ in kept):
            changed.append(loaded)
        kept.append((loaded.id, found.folder))
    absent = sorted({pack_id for pack_id, _ in known.values()} - {pack_id for pack_id, _ in kept})
    synced: tuple[Synced, ...] = ()
    if changed or absent:
        from content.pack_rows import mark_absent, sync  # with SQLAlchemy, which an unchanged pack does without

        synced = tuple(sync(record, loaded, now_ms) for loaded in changed)
        if absent:
            mark_absent(record, absent)
    return Refreshed(synced, tuple(absent), (*faults, *same_ids(kept)))
