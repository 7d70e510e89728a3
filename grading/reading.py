"""From what was typed to plain text: widths folded, invisible characters dropped, decorations put aside.

Nothing is guessed here: a character keeps its meaning (a superscript is a power, never a digit; a fraction sign divides),
and what was put aside is named, so that the line "read as" can say it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

MAX_TYPED_CHARS = 400
"""Longer answers are refused before anything is worked out."""
MAX_DECORATIONS = 12
"""So many decorations come off an answer; what is left then has no reading."""


class Trouble(StrEnum):
    """Every reason why an answer has no reading; the interface has a sentence for each."""

    EMPTY = "empty"
    TOO_LONG = "too-long"
    TOO_DEEP = "too-deep"
    CHARACTER = "character"  # detail: the character
    HAN_DIGITS = "han-digits"
    BAD_GROUPS = "bad-groups"  # detail: the number as typed
    TWO_POINTS = "two-points"  # detail: the number as typed
    TWO_VALUES = "two-values"  # detail: where the second begins
    TWO_READINGS = "two-readings"  # detail: the part that needs * or brackets
    FACTORIAL = "factorial"  # detail: the number as typed
    NOT_FINITE = "not-finite"  # nan, inf, or too large or small
    NOT_REAL = "not-real"  # root of a negative number, logarithm of zero
    DIVISION_BY_ZERO = "division-by-zero"
    UNKNOWN_WORD = "unknown-word"  # detail: the word; no names are known here
    UNKNOWN_NAME = "unknown-name"  # detail: the word; the drill has names
    UNKNOWN_UNIT = "unknown-unit"  # detail: the unit; what is known is grading.units.SHOWN
    UNIT_ALONE = "unit-alone"  # detail: the unit
    MIXED_UNITS = "mixed-units"
    BITS_OR_BYTES = "bits-or-bytes"  # detail: the unit as typed
    BYTES_OR_BILLIONS = "bytes-or-billions"
    UNEXPECTED = "unexpected"  # detail: the sign that has no place there
    UNFINISHED = "unfinished"
    BRACKET = "bracket"
    ARGUMENTS = "arguments"  # detail: the function


class Unreadable(Exception):
    """What was typed has no reading. `code` says why, `detail` where.

    Raises:
        ValueError: a code that is no `Trouble`, so that none goes without its sentence.
    """

    def __init__(self, code: Trouble | str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}" if detail else str(code))
        self.code = Trouble(code)
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
    "√": " sqrt ",
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
    "Σ": " sum",
    "∑": " sum",
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
_HAN_DIGITS = re.compile("[〇零一二三四五六七八九十百千两]")

_CARD = r"(?:卡|显卡|gpu|card|device|rank)"
_LEADING = (
    (re.compile(r"(?:(?:the )?(?:answer|result)(?: is)?|it is|it's)\s*[:=]?\s*(?=[\s\d.+$(≈~-])", re.I), "equals"),
    (re.compile(r"(?:答案|结果|答)\s*(?:是|为)?\s*[:=]?\s*|(?:等于|总共|一共|共|是)\s*"), "equals"),
    (re.compile(r"(?:[A-Za-z_][A-Za-z_0-9]*\s*)?=\s*"), "equals"),
    (re.compile(r"about|approx(?:imately)?\.?|around|roughly|circa|ca\.", re.I), "approximately"),
    (re.compile(r"(?:大约|大概|约|近似)(?:是|为|等于)?\s*|[≈~]\s*"), "approximately"),
    (re.compile(rf"(?:每(?:一?[张个块])?{_CARD}|单卡|(?:per|each) {_CARD}s?)\s*", re.I), "per-card"),
    (re.compile(r"每(?:一?[个条])?(?:token|词元|层|步|step|layer|expert|专家)\s*", re.I), "per-thing"),
)
_TRAILING = (
    (re.compile(r"[?!]+"), "confidence"),
    (re.compile(r"(?:左右|上下|(?<![A-Za-z])(?:or so|approx\.?))", re.I), "approximately"),
    (
        re.compile(
            rf"(?:\(?\b(?:per|each|an?)[\s-]*{_CARD}s?\)?|\beach|\bapiece|/\s*{_CARD}s?|每[张个块]?{_CARD})", re.I
        ),
        "per-card",
    ),
    (re.compile(r"[,;:]+"), "punctuation"),
)
_QUOTED = re.compile(r"""(["'“”‘’「『])(.*)["'“”‘’」』]""")
_PER_SECOND = re.compile(r"每秒钟?\s*(?=[\d.])(.*)")
_OF_A_HUNDRED = re.compile(r"百分之\s*([\d.,]+)")
_MINUS_WORD = re.compile(r"^(?:负|minus )\s*(?=[\d.])", re.I)


def fold(typed: str) -> Plain:
    """Fold widths and spellings, put decorations aside.

    Raises:
        Unreadable: nothing typed, too long, Han numerals, or a character that has no place in an answer.
    """
    if len(typed) > MAX_TYPED_CHARS:
        raise Unreadable(Trouble.TOO_LONG, str(MAX_TYPED_CHARS))
    text = fold_characters(typed.rstrip().removesuffix("。").removesuffix("｡"))
    text, notes = _put_aside(text.strip())
    if not text:
        raise Unreadable(Trouble.EMPTY)
    return Plain(text, tuple(notes))


def fold_characters(typed: str) -> str:
    """Every character in the one spelling that the parser knows. Superscripts become powers, ½ becomes a fraction."""
    text = _INVISIBLE.sub("", typed)
    text = _mixed_fractions(text)
    text = _SUPERSCRIPT_RUN.sub(_as_power, text)
    text = re.sub(r"(?<=\d)\s*×\s*$", "x", text)
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
    decimal = unicodedata.decimal(ch, None)
    if decimal is not None:
        return str(decimal)
    folded = "".join(_FOLDED.get(part, part) for part in unicodedata.normalize("NFKC", ch))
    # A circled or lowered digit is none that one types in a number: 10₂ must not become 102.
    return ch if any(part.isdigit() for part in folded) else folded


def _mixed_fractions(text: str) -> str:
    out: list[str] = []
    for i, ch in enumerate(text):
        name = unicodedata.name(ch, "")
        if not name.startswith("VULGAR FRACTION"):
            out.append(ch)
            continue
        value = unicodedata.normalize("NFKC", ch).replace("⁄", "/")
        if not re.fullmatch(r"\d+/\d+", value):
            raise Unreadable(Trouble.CHARACTER, ch)
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
    """Drop what stands around an answer, from outside in, until nothing more comes off."""
    notes: list[str] = []
    for _ in range(MAX_DECORATIONS):
        shorter, note = _without_one(text)
        if shorter == text or not shorter:
            break
        text = shorter
        if note not in notes:
            notes.append(note)
    text = _OF_A_HUNDRED.sub(r"\1%", text)
    text = _MINUS_WORD.sub("-", text)
    if rate := _PER_SECOND.fullmatch(text):
        text = f"{rate.group(1).strip()}/s"
    if _HAN_DIGITS.match(text):
        raise Unreadable(Trouble.HAN_DIGITS, text)
    return text, notes


def _without_one(text: str) -> tuple[str, str]:
    for pattern, note in _LEADING:
        if (found := pattern.match(text)) and found.end():
            return text[found.end() :].strip(), note
    for pattern, note in _TRAILING:
        for found in pattern.finditer(text):
            if found.end() == len(text):
                mark = ("unsure" if "?" in found.group() else "sure") if note == "confidence" else note
                return text[: found.start()].strip(), mark
    # The point of `1200.` says that its zeros count.
    shows_figures = text[-2:-1].isdigit() and not {".", ","} & set(text[:-1])
    if len(text) > 1 and text.endswith(".") and not text.endswith("..") and not shows_figures:
        return text[:-1].strip(), "punctuation"
    if quoted := _QUOTED.fullmatch(text):
        return quoted.group(2).strip(), "punctuation"
    return text, ""
