"""The top line of Review: where the card belongs, how far the sitting is, and the time if it is wanted."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len

from tui.glyphs import Glyphs
from tui.widgets.flow import visible


@dataclass(frozen=True, slots=True)
class Standing:
    """What the line shows. `note` says in words what the numbers leave out, such as cards kept apart."""

    topic: str = ""
    badges: tuple[str, ...] = ()
    count: str = ""
    done: int = 0
    total: int = 0
    note: str = ""
    time: str = ""


def progress_texts(standing: Standing, width: int, glyphs: Glyphs) -> tuple[str, str]:
    """Left and right of the top line in `width` cells: gives up the note, then the bar, before the topic is cut."""
    s = standing
    cells = 16 if width >= 76 else 8 if width >= 52 else 0
    left = "  ".join((visible(s.topic), *(f"[{badge}]" for badge in s.badges)))
    right = ""
    for note, bar_cells in ((s.note, cells), ("", cells), ("", 0)):
        bar = glyphs.bar(s.done / s.total, bar_cells) if s.total > 0 and bar_cells else ""
        right = "  ".join(part for part in (note, s.time, s.count, bar) if part)
        if cell_len(left) + cell_len(right) + 4 <= width:
            break
    return left, right
