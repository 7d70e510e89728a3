"""Signs whose width a Chinese terminal may double, and their ASCII stand-ins behind the setting `ascii`."""

from __future__ import annotations

from dataclasses import dataclass

_ASCII = str.maketrans(
    {
        "·": "-",
        "×": "x",
        "−": "-",
        "±": "~",
        "→": ">",
        "←": "<",
        "↑": "^",
        "↓": "v",
        "…": "~",
        "─": "-",
        "│": "|",
        "█": "#",
        "░": ".",
        "━": "#",
        "•": "*",
        "–": "-",
        "—": "-",
        "“": '"',
        "”": '"',
        "‘": "'",
        "’": "'",
        "≤": "<",
        "≥": ">",
        "≈": "~",
    }
)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs the screens draw with; each is one column wide."""

    ascii: bool = False

    @property
    def rule(self) -> str:
        return "-" if self.ascii else "─"

    @property
    def dot(self) -> str:
        """Between two facts on one line."""
        return "-" if self.ascii else "·"

    @property
    def more(self) -> str:
        """Where a text was cut."""
        return "~" if self.ascii else "…"

    @property
    def bullet(self) -> str:
        return "*" if self.ascii else "•"

    def bar(self, share: float, width: int) -> str:
        """A bar of `width` columns, filled to `share` (0..1); a share above nothing shows at least one block."""
        filled = min(width, max(round(share * width), 1 if share > 0 else 0))
        full, empty = ("#", ".") if self.ascii else ("━", "─")
        return full * filled + empty * (width - filled)

    def blocks(self, count: int) -> str:
        """`count` blocks without a rest."""
        return ("#" if self.ascii else "━") * count

    def text(self, text: str) -> str:
        """An interface text, its ambiguous signs replaced when the setting asks for it. Card texts stay as they are."""
        return text.translate(_ASCII) if self.ascii else text
