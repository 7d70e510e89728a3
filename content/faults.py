"""What is wrong with a pack, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing to mend in a pack. `rule` is a stable slug; `line` counts from 1; a warning refuses nothing."""

    file: Path
    line: int
    rule: str
    what_to_do: str
    warning: bool = False

    def __str__(self) -> str:
        mark = "warning: " if self.warning else ""
        return f"{self.file}:{self.line}: {mark}{self.rule}: {self.what_to_do}"


def ordered(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once, by file and line."""
    return sorted(set(faults), key=lambda fault: (str(fault.file), fault.line, fault.rule, fault.what_to_do))


class PackRefused(Exception):
    """A pack has faults and was not taken; `faults` says which. The message is one sentence that says what to do."""

    def __init__(self, folder: Path, faults: Iterable[Fault]) -> None:
        self.folder = folder
        self.faults = tuple(fault for fault in faults if not fault.warning)
        more = f" (and {len(self.faults) - 1} more)" if len(self.faults) > 1 else ""
        first = str(self.faults[0]) if self.faults else "no fault named"
        super().__init__(f"Pack {folder} was not taken, mend this first: {first}{more}")


__all__ = ["Fault", "PackRefused", "ordered"]
