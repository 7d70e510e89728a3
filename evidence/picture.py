"""What a run looked like, as plain text without words of any language: blocks, time lines and frames of steps.

A picture is made from the run's own arrays and counts. It holds each frame twice, for wide (76 columns) and narrow (38
columns) terminals, in a small set of one-column characters that each have an ASCII stand-in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

WIDE = 76
NARROW = 38

_ASCII = {
    "█": "#",
    "▓": "%",
    "▒": "=",
    "░": ".",
    "·": ".",
    "─": "-",
    "│": "|",
    "→": ">",
    "←": "<",
    "↔": "~",
    "×": "x",
    "Σ": "S",
    "Φ": "P",
    "≠": "!",
    "≈": "~",
    "…": "~",
}
_TO_ASCII = str.maketrans(_ASCII)

FULL, DENSE, HALF, LIGHT = "█", "▓", "▒", "░"


@dataclass(frozen=True, slots=True)
class Frame:
    """One still of a picture, at both widths."""

    wide: tuple[str, ...]
    narrow: tuple[str, ...]

    def __post_init__(self) -> None:
        for lines, most in ((self.wide, WIDE), (self.narrow, NARROW)):
            for line in lines:
                if len(line) > most:
                    raise ValueError(f"a line of {len(line)} columns where {most} fit: {line!r}")
                if strange := {c for c in line if c not in _ASCII and not " " <= c <= "~"}:
                    raise ValueError(f"give these characters an ASCII stand-in: {sorted(strange)}")


@dataclass(frozen=True, slots=True)
class Picture:
    """Frames in the order in which they happened; a picture without movement has one."""

    frames: tuple[Frame, ...]

    def lines(self, frame: int = 0, *, width: int = WIDE, ascii_only: bool = False) -> tuple[str, ...]:
        """The lines of one frame (counted from 0, from the end if negative) for a terminal with `width` free columns."""
        still = self.frames[frame]
        lines = still.wide if width >= WIDE else still.narrow
        return tuple(line.translate(_TO_ASCII) for line in lines) if ascii_only else lines

    def to_json(self) -> list[dict[str, list[str]]]:
        """As plain lists, to be kept with the run."""
        return [{"wide": list(frame.wide), "narrow": list(frame.narrow)} for frame in self.frames]

    @classmethod
    def from_json(cls, data: Iterable[dict[str, Any]]) -> Picture:
        """The picture that `to_json` wrote.

        Raises:
            KeyError, ValueError: the data is no picture.
        """
        return cls(tuple(Frame(tuple(one["wide"]), tuple(one["narrow"])) for one in data))


def still(wide: Sequence[str], narrow: Sequence[str] | None = None) -> Frame:
    """One frame; lines that do not fit are cut and end in `…`. Without `narrow`, the wide lines are cut for it."""
    return Frame(
        tuple(cut(line, WIDE) for line in wide),
        tuple(cut(line, NARROW) for line in (wide if narrow is None else narrow)),
    )


def cut(line: str, width: int) -> str:
    """The line, without blanks at its end, at most `width` columns wide."""
    line = line.rstrip()
    return line if len(line) <= width else line[: width - 1] + "…"


def bar(parts: Iterable[tuple[float, str]], scale: float, width: int) -> str:
    """Stretches of (amount, character), `width` columns for an amount of `scale`; a part above 0 never vanishes."""
    out, total = "", 0.0
    for amount, character in parts:
        total += amount
        end = round(total / scale * width) if scale > 0 else 0
        if amount > 0:
            end = max(end, len(out) + 1)
        out += character * (end - len(out))
    return out[:width]


def bars(rows: Sequence[tuple[str, Sequence[tuple[float, str]], str]], width: int) -> tuple[str, ...]:
    """Rows of (label, parts, number as text) as bars to one common scale, labels left and numbers right."""
    left = max((len(label) for label, _, _ in rows), default=0)
    right = max((len(number) for _, _, number in rows), default=0)
    room = max(4, width - left - right - 3)
    scale = max((sum(amount for amount, _ in parts) for _, parts, _ in rows), default=0.0)
    return tuple(
        f"{label:<{left}} │{bar(parts, scale, room):<{room}} {number:>{right}}".rstrip()
        for label, parts, number in rows
    )


def grid(rows: Sequence[Sequence[str]], width: int, *, gap: str = " ") -> tuple[str, ...]:
    """Cells under each other, every column as wide as its widest cell; columns that do not fit become one `…`."""
    count = max((len(row) for row in rows), default=0)
    widths = [max((len(row[k]) for row in rows if k < len(row)), default=0) for k in range(count)]
    shown, used = 0, 0
    for k, column in enumerate(widths):
        used += column + (len(gap) if k else 0)
        if used > width - (2 if k + 1 < count else 0):
            break
        shown += 1
    more = " …" if shown < count else ""
    return tuple(
        (
            gap.join(f"{cell:<{widths[k]}}" for k, cell in enumerate(row[:shown])) + (more if len(row) > shown else "")
        ).rstrip()
        for row in rows
    )


def si(amount: float, unit: str = "") -> str:
    """A short number: 950, 1.5k, 28.67k, 3M; decimal thousands, as the course counts."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(amount) >= size:
            return f"{amount / size:.4g} {letter}{unit}".strip() if unit else f"{amount / size:.4g}{letter}"
    return f"{amount:.4g} {unit}".rstrip() if amount % 1 else f"{amount:.0f} {unit}".rstrip()
