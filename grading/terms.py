"""The words of a rubric in a typed answer: either language, any width, case, hyphen, plural and the usual endings of a verb."""

from __future__ import annotations

import re
from functools import lru_cache

from grading.saying import Saying, Span, folded_width, has_han, lowered, numerals_folded

MAX_PLACES = 60
"""Places at which one term is looked at."""
_PART = re.compile(r"[a-z\u0370-\u03ff]+|\d+(?:\.\d+)*|[\u3400-\u9fff]|[^\s\-_]")

_AS_THEY_ARE = frozenset(
    ("the", "for", "and", "with", "not", "kept", "than", "into", "small", "same", "again", "freed", "loss", "counts")
)


def places(term: str, saying: Saying) -> list[Span]:
    """Where a term stands in an answer."""
    pattern = _pattern(term)
    if pattern is None:
        return []
    found = []
    for match in pattern.finditer(saying.matched):
        found.append(match.span())
        if len(found) == MAX_PLACES:
            break
    return found


@lru_cache(maxsize=2048)
def _pattern(term: str) -> re.Pattern[str] | None:
    parts = _PART.findall(numerals_folded(lowered(folded_width(term))))
    if not parts:
        return None
    pieces = [_piece(part, i, parts) for i, part in enumerate(parts)]
    before = r"(?<![a-z0-9])" if parts[0].isascii() and parts[0].isalpha() else ""
    before = r"(?<![\d.])" if parts[0][0].isdigit() else before
    after = r"(?![a-z])" if parts[-1].isascii() and parts[-1].isalpha() else ""
    after = r"(?![\d]|\.\d)" if parts[-1][0].isdigit() else after
    return re.compile(before + r"[\s\-_]*".join(pieces) + after)


def _piece(part: str, index: int, parts: list[str]) -> str:
    if part in ("per", "each", "every"):
        return (
            r"(?:per|each|every|a\b|one)" if index and parts[index - 1] in ("once", "twice") else r"(?:per|each|every)"
        )
    if part == "%":
        return r"(?:%|percent|per cent|个?百分点)"
    if part in ("times", "x", "×") and index and parts[index - 1][0].isdigit():
        return r"(?:times|x|×|fold)(?![\d×])"
    if part == "倍" and index and parts[index - 1][0].isdigit():
        return r"(?:倍|x|×)"
    if part.isascii() and part.isalpha() and len(part) > 2:
        return _inflected(part)
    if part == "·":
        return r"[·*×⋅•∙]?"
    return re.escape(part)


def _inflected(word: str) -> str:
    """A word with the endings it may take; short words only their plural."""
    if word in _AS_THEY_ARE:
        return word
    if word in ("gpus", "gpu", "cards", "card"):
        return r"(?:gpus?|cards?|devices?|ranks?)"
    if word.endswith("ed") and len(word) >= 6:
        return re.escape(word[:-2]) + r"(?:ed|ing|es|e|s)?"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    if word.endswith("e") and len(word) > 3:
        return re.escape(word[:-1]) + r"(?:e|es|ed|ing|ion|ions|ence|er)"
    if word.endswith("y") and len(word) > 3:
        return re.escape(word[:-1]) + r"(?:y|ies|ied|ying)"
    last = re.escape(word[-1])
    return re.escape(word) + rf"(?:s|es|ed|ing|{last}ed|{last}ing)?"


def shows_han(term: str) -> bool:
    """Whether a term is Chinese."""
    return has_han(term)
