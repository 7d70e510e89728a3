"""The guides in `tui/docs`, laid out for a terminal: headings, paragraphs, lists, code; no tables, no links to follow."""

from __future__ import annotations

import re
from pathlib import Path

from textual.content import Content

from tui.wrap import line_spans

FOLDER = Path(__file__).parent / "docs"
NAMES = ("keys", "data", "settings", "packs", "evidence")

_INLINE = re.compile(r"\*\*(.+?)\*\*|`([^`]+)`|!?\[([^\]]*)\]\([^)]*\)")


def read_guide(name: str, language: str) -> str:
    """The Markdown of one guide; English where a translation is missing."""
    file = FOLDER / language / f"{name}.md"
    return (file if file.is_file() else FOLDER / "en" / f"{name}.md").read_text(encoding="utf-8")


def lay_out(markdown: str, width: int) -> list[Content]:
    """Lines of at most `width` columns. What our guides use is known; anything else comes out as its own text."""
    lines: list[Content] = []
    for kind, text in _blocks(markdown):
        if kind == "blank":
            if lines and lines[-1].plain:
                lines.append(Content(""))
        elif kind == "code":
            lines.append(Content.styled("    " + text, ""))
        elif kind == "heading":
            lines += _paragraph(Content.styled(text, "bold"), width, "", "")
        else:
            first = {"item": "- "}.get(kind, f"{kind} " if kind[0].isdigit() else "")
            lines += _paragraph(inline(text), width, first, " " * len(first))
    return lines


def _blocks(markdown: str) -> list[tuple[str, str]]:
    """(kind, text) of each block; a paragraph's source lines are joined, with no space between two Han characters."""
    blocks: list[tuple[str, str]] = []
    code = False
    for line in markdown.splitlines():
        if line.startswith("```"):
            code = not code
        elif code:
            blocks.append(("code", line))
        elif not line.strip() or line.startswith(("<!--", "![")):
            blocks.append(("blank", ""))
        elif line.startswith("#"):
            blocks += [("blank", ""), ("heading", line.lstrip("# ")), ("blank", "")]
        elif line.startswith("- "):
            blocks.append(("item", line[2:]))
        elif found := re.match(r"(\d+\.) (.*)", line):
            blocks.append((found[1], found[2]))
        elif blocks and blocks[-1][0] not in {"blank", "code", "heading"}:
            kind, before = blocks[-1]
            blocks[-1] = (kind, _joined(before, line.strip()))
        else:
            blocks.append(("text", line.strip()))
    return blocks


def _joined(before: str, after: str) -> str:
    tight = before and after and ord(before[-1]) > 0x2E7F and ord(after[0]) > 0x2E7F
    return before + ("" if tight else " ") + after


def inline(text: str) -> Content:
    """`**bold**` and `code` as bold; a link as its words."""
    parts: list[str | tuple[str, str]] = []
    at = 0
    for found in _INLINE.finditer(text):
        parts.append(text[at : found.start()])
        strong, code, link = found.groups()
        parts.append(link if link is not None else (strong or code, "bold"))
        at = found.end()
    return Content.assemble(*parts, text[at:])


def _paragraph(content: Content, width: int, first: str, rest: str) -> list[Content]:
    spans = line_spans(content.plain, max(width - len(first), 4))
    return [Content(first if i == 0 else rest) + content[start:end] for i, (start, end) in enumerate(spans)]
