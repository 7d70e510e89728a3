"""Folded text to tokens: numbers in every spelling, names, operators, units.

A number is read once, here: grouped thousands, decimal comma, powers of ten, 万 and 亿, k M B G T.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grading import units
from grading.reading import Unreadable
from grading.tree import FUNCTIONS, Num
from grading.units import Unit

MAX_EXPONENT_DIGITS = 4
MAX_DIGITS = 400


@dataclass(frozen=True, slots=True)
class Context:
    """Where a text is read: `names` maps every spelling to its key; `asked` decides how `B` and `G` read."""

    names: Mapping[str, str] = field(default_factory=dict)
    asked: Unit | None = None

    def key_of(self, word: str) -> str | None:
        if word in self.names:
            return self.names[word]
        folded = [key for spelling, key in self.names.items() if spelling.casefold() == word.casefold()]
        return folded[0] if len(set(folded)) == 1 else None


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # number name op ( ) , unit end
    text: str
    at: int
    number: Num | None = None
    unit: Unit | None = None


_RUN = re.compile(r"(?:\d+(?:[.,'_]\d+)*(?: \d{3}(?![\d.]))*(?:[.,]\d+)*\.?|\.\d+)")
_RUN_IN_CALL = re.compile(r"(?:\d+(?:[.'_]\d+)*\.?|\.\d+)")
_EXPONENT = re.compile(r"[eE]([+-]?\d+)(?![\d.])")
_WORD = re.compile(r"[A-Za-z\u0370-\u03ff_][A-Za-z\u0370-\u03ff_0-9]*")
_HAN = re.compile(r"[\u4e00-\u9fff]+")
_HAN_SUFFIX = {
    "万亿": 10**12,
    "百亿": 10**10,
    "十亿": 10**9,
    "千万": 10**7,
    "百万": 10**6,
    "亿": 10**8,
    "万": 10**4,
    "千": 10**3,
}
_LATIN_SUFFIX = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12}
_LONG_SUFFIX = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "bn": 10**9, "mn": 10**6}
_SUFFIX = re.compile(r" ?(thousand|million|billion|trillion|bn|mn|[kKMBGT])(?![A-Za-z_0-9/])")
_TIMES_X = re.compile(r"\s*[xX](?=\s*[\d.(])")
_DECIMAL_FORM = re.compile(r"\d*\.?\d*\.?")


def tokens(text: str, context: Context) -> list[Token]:
    """Split folded text into tokens.

    Raises:
        Unreadable: a character, number or group of digits without a reading.
    """
    found: list[Token] = []
    calls: list[bool] = []
    at = 0
    while at < len(text):
        ch = text[at]
        if ch == " ":
            at += 1
        elif ch in "()":
            if ch == "(":
                calls.append(bool(found) and found[-1].kind == "name" and found[-1].text in FUNCTIONS)
            elif calls:
                calls.pop()
            found.append(Token(ch, ch, at))
            at += 1
        elif ch in "+-*/^,":
            found.append(Token("," if ch == "," else "op", ch, at))
            at += 1
        elif ch.isascii() and (ch.isdigit() or ch == "."):
            at = _number_token(text, at, context, in_call=bool(calls and calls[-1]), found=found)
        elif ch == "[":
            at = _bracketed_unit(text, at, found)
        else:
            at = _word_token(text, at, context, found)
    found.append(Token("end", "", len(text)))
    return found


def _number_token(text: str, at: int, context: Context, *, in_call: bool, found: list[Token]) -> int:
    run = (_RUN_IN_CALL if in_call else _RUN).match(text, at)
    if run is None:
        raise Unreadable("character", text[at])
    written, end = run.group(), run.end()
    digits = _plain_decimal(written)
    exponent = 0
    if power := _EXPONENT.match(text, end):
        if len(power.group(1).lstrip("+-0")) > MAX_EXPONENT_DIGITS:
            raise Unreadable("not-finite", text[at : power.end()][:40])
        exponent, end = int(power.group(1)), power.end()
    number = _measured(digits, exponent)
    number, end = _with_suffix(text, end, number, context)
    found.append(Token("number", text[at:end], at, number=number))
    if times := _TIMES_X.match(text, end):
        found.append(Token("op", "*", end))
        end = times.end()
    return end


def _plain_decimal(written: str) -> str:
    """Digits with at most one decimal point, groups of thousands closed up.

    One comma before exactly three digits groups thousands unless the number starts with 0; otherwise it is decimal.
    """
    points, commas = written.count("."), written.count(",")
    body = written
    if any(mark in body for mark in " '_"):
        marks = {mark for mark in " '_" if mark in body}
        head = re.split(r"[.]", body, maxsplit=1)[0] if not commas else body
        if commas or len(marks) > 1 or not re.fullmatch(r"\d{1,3}(?:[ '_]\d{3})+", head):
            raise Unreadable("bad-groups", written)
        body = re.sub(r"[ '_]", "", body)
    if commas and points:
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d*", body):
            return body.replace(",", "")
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", body):
            return body.replace(".", "").replace(",", ".")
        raise Unreadable("bad-groups", written)
    if points > 1:
        raise Unreadable("two-points", written)
    if commas == 1:
        groups = re.fullmatch(r"[1-9]\d{0,2},\d{3}", body)
        return body.replace(",", "" if groups else ".")
    if commas > 1:
        if not re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", body):
            raise Unreadable("bad-groups", written)
        return body.replace(",", "")
    return body


def _measured(digits: str, exponent: int) -> Num:
    whole, _, part = digits.partition(".")
    if len(whole) + len(part) > MAX_DIGITS:
        raise Unreadable("too-long", str(MAX_DIGITS))
    significant = (whole + part).lstrip("0")
    last = exponent - len(part)
    if "." not in digits or (digits.endswith(".") and not part):
        shown = significant.rstrip("0") if "." not in digits else significant
        last += len(significant) - len(shown)
        significant = shown
    size = len((whole + part).lstrip("0")) - len(part) + exponent
    if significant and not -320 < size < 309:
        raise Unreadable("not-finite", f"{digits}e{exponent}"[:40])
    value = Fraction(int(whole + part or "0")) * Fraction(10) ** (exponent - len(part))
    return Num(value, len(significant), Fraction(10) ** last / 2)


def _scaled_number(number: Num, factor: int) -> Num:
    assert number.half_step is not None
    return Num(number.value * factor, number.figures, number.half_step * factor)


def _with_suffix(text: str, end: int, number: Num, context: Context) -> tuple[Num, int]:
    rest = text[end:]
    for suffix, factor in _HAN_SUFFIX.items():
        if rest.lstrip(" ").startswith(suffix):
            return _scaled_number(number, factor), end + len(rest) - len(rest.lstrip(" ")) + len(suffix)
    if (found := _SUFFIX.match(text, end)) is None:
        return number, end
    letter = found.group(1)
    if letter in _LONG_SUFFIX:
        return _scaled_number(number, _LONG_SUFFIX[letter]), found.end()
    asked = context.asked
    bytes_asked = asked is not None and (asked.dimension[0] != 0 or asked.dimension[1] != 0)
    if bytes_asked or letter in context.names or (letter == "G" and asked is None):
        return number, end
    return _scaled_number(number, _LATIN_SUFFIX[letter]), found.end()


def _bracketed_unit(text: str, at: int, found: list[Token]) -> int:
    close = text.find("]", at)
    if close < 0 or not found or found[-1].kind not in ("number", ")"):
        raise Unreadable("character", "[")
    found.append(Token("unit", text[at : close + 1], at, unit=units.parse(text[at + 1 : close])))
    return close + 1


def _word_token(text: str, at: int, context: Context, found: list[Token]) -> int:
    after_value = bool(found) and found[-1].kind in ("number", ")", "name", "unit")
    word = _WORD.match(text, at) or _HAN.match(text, at)
    name = word.group() if word else ""
    is_known = bool(name) and (name in FUNCTIONS or name == "pi" or context.key_of(name) is not None)
    prefers_unit = found and found[-1].kind == "number" and _same_kind(text, at, context)
    if after_value and (not is_known or prefers_unit) and (unit := _unit_at(text, at, context)):
        found.append(Token("unit", text[at : unit[1]], at, unit=unit[0]))
        return unit[1]
    if text.startswith(("$", "US$"), at) and not after_value:
        mark = "US$" if text.startswith("US$", at) else "$"
        found.append(Token("unit", mark, at, unit=units.KNOWN["$"]))
        return at + len(mark)
    if word is None or not (word.group()[0].isascii() or context.key_of(name)):
        raise Unreadable("character", text[at])
    found.append(Token("name", name, at))
    return word.end()


def _same_kind(text: str, at: int, context: Context) -> bool:
    """A unit of the asked dimension right behind a number wins over a symbol of the same letter (2 s, 3 h)."""
    unit = _unit_at(text, at, context)
    return unit is not None and context.asked is not None and unit[0].dimension == context.asked.dimension != units.NONE


def _unit_at(text: str, at: int, context: Context) -> tuple[Unit, int] | None:
    found = units.scan(text, at)
    if found is not None and context.asked is not None:
        found = units.as_rate(found[0], context.asked), found[1]
    if found is None and context.asked is not None and re.match(r"[kKMGT](?![A-Za-z_0-9])", text[at:]):
        unit = units.prefixed(text[at], context.asked)
        return (unit, at + 1) if unit else None
    if found is None and context.asked is not None and context.asked.dimension[0]:
        binary = re.match(r"([KMGTPE])i(?![A-Za-z_0-9])", text[at:])
        return (units.KNOWN[f"{binary.group(1)}iB"], at + 2) if binary else None
    return found
