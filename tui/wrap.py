"""Breaking mixed Chinese and English text into lines of a given width in columns.

A break may come after a space and between two Han characters; never before closing punctuation, never after opening
punctuation, never inside a grapheme, so that no character is halved. A number and what it counts (`48.75 GB`, `2 字节`)
stay on one line where that is possible. A word longer than a whole line is cut between graphemes, so that nothing is lost.
"""

from __future__ import annotations

from functools import lru_cache

from rich.cells import cell_len, split_graphemes

_NEVER_FIRST = frozenset("，。、；：？！）」』】》〉〕”’…—～％·,.;:?!)]}%′″")
_NEVER_LAST = frozenset("（「『【《〈〔“‘([{")


def graphemes(text: str) -> list[tuple[int, int, int]]:
    """Return (start, end, cells) of each user-perceived character of `text`, in order and without gaps."""
    spans: list[tuple[int, int, int]] = split_graphemes(text)[0]
    return spans


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between these two graphemes (spaces are handled by the caller)."""
    if after[0] in _NEVER_FIRST or before[0] in _NEVER_LAST:
        return False
    if before == "-" and after.isalpha():
        return True
    return cell_len(before) > 1 or cell_len(after) > 1


@lru_cache(maxsize=512)
def line_spans(text: str, width: int) -> tuple[tuple[int, int], ...]:
    """Break `text` into lines of at most `width` cells; returns (start, end) offsets, spaces at line ends left out.

    Existing line ends are kept. A word longer than a line is broken between graphemes.
    """
    lines: list[tuple[int, int]] = []
    start = 0
    for paragraph in text.split("\n"):
        lines.extend((start + a, start + b) for a, b in _wrap_paragraph(paragraph, max(2, width)))
        start += len(paragraph) + 1
    return tuple(lines)


def _wrap_paragraph(text: str, width: int) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    spans = graphemes(text)
    first = 0  # index of the line's first grapheme
    break_at = 0  # index at which the line may end, 0 or `first` = nowhere yet
    torn_at = 0  # the same, between a number and its unit: only where there is no better place
    cells = 0
    index = 0
    while index < len(spans):
        begin, end, size = spans[index]
        piece = text[begin:end]
        if index > first and (
            text[spans[index - 1][0]] == " " or _may_break(text[spans[index - 1][0] : spans[index - 1][1]], piece)
        ):
            if _parts_a_number(text, begin):
                torn_at = index
            else:
                break_at = index
        if cells + size > width and piece != " " and index > first:
            cut = break_at if break_at > first else torn_at if torn_at > first else index
            lines.append(_trimmed(text, spans[first][0], spans[cut][0]))
            first, index, cells, break_at = cut, cut, 0, cut
            continue
        cells += size
        index += 1
    lines.append(_trimmed(text, spans[first][0] if spans else 0, len(text)))
    return lines


def _parts_a_number(text: str, at: int) -> bool:
    """Whether a break before `at` would part a number from the unit or word after it."""
    before = at - 2 if text[at - 1] == " " else at - 1
    return before >= 0 and text[before].isdecimal() and (text[at].isalpha() or text[at] in "%°")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns; line breaks in `text` stay. An empty text is one empty line."""
    return [text[start:end] for start, end in line_spans(text, width)]
