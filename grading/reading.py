"""From what was typed to plain text: widths folded, invisible characters dropped, decorations put aside.

Nothing is guessed here: a character keeps its meaning (a superscript is a power, never a digit; a fraction sign divides),
and what was put aside is named, so that the line "read as" can say it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

MAX_TYPED_CHARS = 400
"""Longer answers are refused before anything is worked out."""


class Unreadable(Exception):
    """What was typed has no reading. `code` says why, `detail` where; the interface has a sentence for each code."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Plain:
    """Folded text, and the names of the harmless decorations that were put aside."""

    text: str
    notes: tuple[str, ...] = ()


_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff]"
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPERSCRIPT_RUN = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+|[ⁿⁱ]")
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"
_MINUSES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\ufe58\ufe63\uff0d\uff70"
_TIMES = "×✕✖⨯⋅·∙•∗＊╳・"
_FOLDED = {
    **dict.fromkeys(_SPACES, " "),
    **dict.fromkeys(_MINUSES, "-"),
    **dict.fromkeys(_TIMES, "*"),
    "÷": "/",
    "∕": "/",
    "⁄": "/",
    "。": ".",
    "｡": ".",
    "、": ",",
    "，": ",",
    "‚": ",",
    "’": "'",
    "‘": "'",
    "＇": "'",
    "【": "(",
    "】": ")",
    "（": "(",
    "）": ")",
    "〜": "~",
    "∼": "~",
    "≃": "≈",
    "≅": "≈",
    "≒": "≈",
    "−": "-",
    "√": "sqrt",
    "⌈": "ceil(",
    "⌉": ")",
    "⌊": "floor(",
    "⌋": ")",
    "Φ": "phi",
    "φ": "phi",
    "ϕ": "phi",
    "𝛷": "phi",
    "𝜙": "phi",
    "π": "pi",
    "Σ": "sum",
    "∑": "sum",
}
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "η": "eta",
    "λ": "lambda",
    "σ": "sigma",
}
_HAN_DIGITS = re.compile("[〇零一二三四五六七八九十百千两]+[〇零一二三四五六七八九十百千万亿两]*")

_APPROXIMATELY = re.compile(
    r"^(?:about|approx(?:imately)?\.?|around|roughly|大约是?|大概是?|约为?|约等于|近似为?|答案?是?[:：]?|[≈~])\s*", re.I
)
_AFTERWARDS = re.compile(r"\s*(?:左右|上下|or so|approx\.?)$", re.I)
_EQUALS = re.compile(r"^(?:[A-Za-z_][A-Za-z_0-9]*\s*)?=\s*")
_SHARE = re.compile(
    r"(?<![A-Za-z])(?:(?:per|each|/)\s*(?:gpu|card|device|rank|卡|张卡)s?|每张?(?:卡|gpu|显卡)|(?:/|每)\s*(?:卡|张卡)|单卡)(?![A-Za-z-])",
    re.I,
)


def fold(typed: str) -> Plain:
    """Fold widths and spellings, put decorations aside.

    Raises:
        Unreadable: nothing typed, too long, Han numerals, or a character that has no place in an answer.
    """
    if len(typed) > MAX_TYPED_CHARS:
        raise Unreadable("too-long", str(MAX_TYPED_CHARS))
    text = fold_characters(typed)
    text, notes = _put_aside(text.strip())
    if not text:
        raise Unreadable("empty")
    return Plain(text, tuple(notes))


def fold_characters(typed: str) -> str:
    """Every character in the one spelling that the parser knows. Superscripts become powers, ½ becomes a fraction."""
    text = _INVISIBLE.sub("", typed)
    text = _mixed_fractions(text)
    text = _SUPERSCRIPT_RUN.sub(_as_power, text)
    text = "".join(_fold_one(ch) for ch in text)
    return text.replace("**", "^")


def _as_power(run: re.Match[str]) -> str:
    return f"^({run.group().translate(_SUPERSCRIPTS).replace('ⁿ', 'n').replace('ⁱ', 'i')})"


def _fold_one(ch: str) -> str:
    if ch in _FOLDED:
        return _FOLDED[ch]
    if ch in _GREEK:
        return _GREEK[ch]
    if ch in "µμ":
        return "u"
    if ch.isascii():
        return ch
    folded = unicodedata.normalize("NFKC", ch)
    return "".join(_FOLDED.get(part, part) for part in folded)


def _mixed_fractions(text: str) -> str:
    out: list[str] = []
    for i, ch in enumerate(text):
        name = unicodedata.name(ch, "")
        if not name.startswith("VULGAR FRACTION"):
            out.append(ch)
            continue
        value = unicodedata.normalize("NFKC", ch).replace("⁄", "/")
        if not re.fullmatch(r"\d+/\d+", value):
            raise Unreadable("character", ch)
        after_digit = i > 0 and text[i - 1].isdigit()
        out.append(f"+{value}" if after_digit else f"({value})")
        if after_digit:
            start = len(out) - 1
            while start > 0 and re.fullmatch(r"[\d.]+", out[start - 1]):
                start -= 1
            out.insert(start, "(")
            out.append(")")
    return "".join(out)


def _put_aside(text: str) -> tuple[str, list[str]]:
    notes: list[str] = []

    def drop(pattern: re.Pattern[str], note: str) -> None:
        nonlocal text
        shorter = pattern.sub("", text).strip()
        if shorter != text and shorter:
            notes.append(note)
            text = shorter

    drop(_EQUALS, "equals")
    drop(_APPROXIMATELY, "approximately")
    drop(_EQUALS, "equals")
    drop(_AFTERWARDS, "approximately")
    drop(_SHARE, "per-card")
    if len(text) > 1 and text.endswith("."):
        text = text[:-1].rstrip()
    if text and _HAN_DIGITS.match(text):
        raise Unreadable("han-digits", text)
    return text, notes
