"""The packs on this machine: find them, see cheaply whether they changed, check and load them.

Finding and comparing reads folder entries only. YAML and pydantic are imported when a pack is really parsed, since they
cost more than the app's first screen may take.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from content.cards import Card, Text, Topic
from content.faults import Fault, PackRefused

PACK_FILE = "pack.yaml"
SHIPPED_PACKS = Path(__file__).resolve().parent / "packs"
NOT_CARDS = frozenset({"evidence.template.yaml", "evidence.yaml"})
"""Files of a pack that hold no cards: the evidence document's template and its bindings."""
READING = 4
"""Raised when the same files would load as other cards, so that packs are parsed again after an update."""


@dataclass(frozen=True, slots=True)
class FoundPack:
    """A folder with a `pack.yaml`, and a signature of its files that changes when one of them does."""

    folder: Path
    signature: str


@dataclass(frozen=True, slots=True)
class LoadedPack:
    """A pack without faults. `topics` are in the pack's order, `cards` in the order of introduction."""

    id: str
    title: Text
    folder: Path
    signature: str
    topics: tuple[Topic, ...]
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class PackReport:
    """What `pack check` has to say: the counts are of what could be read."""

    folder: Path
    pack_id: str | None
    topics: int
    entries: int
    cards: int
    faults: tuple[Fault, ...]

    @property
    def refused(self) -> bool:
        """Whether the pack cannot be used as it is; warnings alone refuse nothing."""
        return any(not fault.warning for fault in self.faults)


def pack_files(folder: Path) -> list[Path]:
    """The YAML files that make the pack, `pack.yaml` first, the others by name."""
    files = (file for file in folder.glob("*.yaml") if file.name not in NOT_CARDS and not file.name.startswith("."))
    return sorted(files, key=lambda file: (file.name != PACK_FILE, file.name))


def signature_of(folder: Path) -> str:
    """A hash of the names, sizes and change times of a pack's files; nothing is opened."""
    digest = hashlib.sha256(f"reading {READING}".encode())
    for file in pack_files(folder):
        status = file.stat()
        digest.update(f"\0{file.name}\0{status.st_size}\0{status.st_mtime_ns}".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:32]


def find_packs(folders: Iterable[Path]) -> list[FoundPack]:
    """Every pack in the given folders of packs, in their order and then by name; a folder that is missing has none."""
    return [
        FoundPack(folder.absolute(), signature_of(folder))
        for parent in folders
        if parent.is_dir()
        for folder in sorted(parent.iterdir())
        if not folder.name.startswith(".") and (folder / PACK_FILE).is_file()
    ]


def check_pack(path: Path, lab_ids: Sequence[str] | None = None) -> list[Fault]:
    """Every fault and warning of the pack at `path` (its folder or its `pack.yaml`), by file and line."""
    return list(report_on(path, lab_ids).faults)


def report_on(path: Path, lab_ids: Sequence[str] | None = None, *, trust: bool = False) -> PackReport:
    """Check the pack at `path` and count what is in it; with `trust` its drills are not drawn and tried."""
    from content.pack_check import marks_of, read_draft

    folder = path.parent if path.name == PACK_FILE else path
    draft = read_draft(folder, lab_ids=None if lab_ids is None else frozenset(lab_ids), trust=trust)
    models = [placed.model for placed in draft.entries.values()]
    return PackReport(
        folder,
        draft.pack.id if draft.pack else None,
        len(draft.topics),
        len(models),
        sum(max(1, marks_of(model)) for model in models),
        tuple(draft.faults),
    )


def load_pack(path: Path) -> LoadedPack:
    """The pack in folder `path`; raises PackRefused with its faults when it has any."""
    from content.pack_build import build
    from content.pack_check import read_draft

    folder = path.absolute()
    signature = signature_of(folder)  # before reading: a file saved meanwhile is then read again next time
    draft = read_draft(folder, trust=folder.parent == SHIPPED_PACKS)  # tests prove the shipped pack's drills
    if any(not fault.warning for fault in draft.faults):
        raise PackRefused(folder, draft.faults)
    return build(draft, signature)


def same_ids(packs: Iterable[tuple[str, Path]]) -> list[Fault]:
    """A fault for every pack id that a second folder has too; `packs` holds ids and folders, first come first kept."""
    first: dict[str, Path] = {}
    faults = []
    for pack_id, folder in packs:
        kept = first.setdefault(pack_id, folder)
        if kept != folder:
            advice = f"give one pack another id: `{pack_id}` is in {kept} and in {folder}; the first is used"
            faults.append(Fault(folder / PACK_FILE, 1, "duplicate-pack", advice))
    return faults


__all__ = [
    "PACK_FILE",
    "SHIPPED_PACKS",
    "Fault",
    "FoundPack",
    "LoadedPack",
    "PackRefused",
    "PackReport",
    "check_pack",
    "find_packs",
    "load_pack",
    "pack_files",
    "report_on",
    "same_ids",
    "signature_of",
]
