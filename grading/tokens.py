"""Folded text to tokens: numbers in every spelling, names, operators, units.

A number is read once, here: grouped thousands, decimal comma, powers of ten, 万 and 亿, k M B G T.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from grading import units
from grading.reading import Trouble, Unreadable
from grading.tree import FUNCTIONS, Num
from grading.units import Unit

MAX_EXPONENT_DIGITS = 4
MAX_DIGITS = 400
MAX_RUN_TOGETHER = 12


@dataclass(frozen=True, slots=True)
class Context:
    """Where a text is read: `names` maps every spelling to its key; `asked` decides how `B` and `G` read.

    `units_win` is set while reading: letters that are both, as in 2 s, are units.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    asked: Unit | None = None
    units_win: bool = False

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


_RUN = re.compile(r"(?:\d+(?:[.,'_]\d+)*(?: \d{3}(?!\d))*(?:[.,]\d+)*\.?|\.\d+)")
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
_SUFFIX = re.compile(
    r" ?((?i:thousand|million|billion|trillion|bn|mn)|[kKMBGTbm])(?![A-Za-z_0-9]|\s*/\s*(?:s|sec|second|min|h)\b)"
)
_TIMES_X = re.compile(r"\s*[xX](?=\s*[\d.(]|\s+[A-Za-z])")
_RATIO = re.compile(r"\s*(?:[xX]|-?\s?fold)\s*$")
_OTHER_BASE = re.compile(r"0[xX][0-9A-Fa-f]|0[oO][0-7]|0[bB][01]+(?![\d.])")
_NOT_FINITE = frozenset({"nan", "inf", "infinity", "infinite", "∞", "无穷", "无穷大", "无限"})
_BRACKETED_WORD = re.compile(r"\(\s*([A-Za-z%$\u4e00-\u9fff][^()]*?)\s*\)")
_MONEY = re.compile(r"US\$|\$|USD(?=\s*[\d.])")
_VALUE_ENDS = ("number", ")", "name", "unit")


def tokens(text: str, context: Context) -> list[Token]:
    """Split folded text into tokens.

    Raises:
        Unreadable: a character, number or group of digits without a reading.
    """
    found: list[Token] = []
    calls: list[bool] = []
    at = 0
    context = replace(context, units_win=_letters_are_units(text, context))
    while at < len(text):
        ch = text[at]
        if ch == " ":
            at += 1
        elif ch == "(" and (bracketed := _unit_in_brackets(text, at, context, found)) is not None:
            at = bracketed
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
    if run is None or _OTHER_BASE.match(text, at):
        raise Unreadable(Trouble.CHARACTER, text[at])
    written, end = run.group(), run.end()
    digits = _plain_decimal(written)
    exponent = 0
    if power := _EXPONENT.match(text, end):
        if len(power.group(1).lstrip("+-0")) > MAX_EXPONENT_DIGITS:
            raise Unreadable(Trouble.NOT_FINITE, text[at : power.end()][:40])
        exponent, end = int(power.group(1)), power.end()
    number = _measured(digits, exponent)
    number, end = _with_suffix(text, end, number, context)
    found.append(Token("number", text[at:end], at, number=number))
    if (ratio := _RATIO.match(text, end)) and (context.asked is None or context.asked.dimension == units.NONE):
        found.append(Token("unit", ratio.group(), end, unit=units.KNOWN["x"]))
        return ratio.end()
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
    if marks := {mark for mark in " '_" if mark in body}:
        if len(marks) > 1 or not re.fullmatch(r"\d{1,3}(?:[ '_]\d{3})+(?:[.,]\d*)?", body):
            raise Unreadable(Trouble.BAD_GROUPS, written)
        return re.sub(r"[ '_]", "", body).replace(",", ".")
    if commas and points:
        if re.fullmatch(r"\d{1,3}(?:,\d{3})+\.\d*", body):
            return body.replace(",", "")
        if re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", body):
            return body.replace(".", "").replace(",", ".")
        raise Unreadable(Trouble.BAD_GROUPS, written)
    if points > 1:
        raise Unreadable(Trouble.TWO_POINTS, written)
    if commas == 1:
        groups = re.fullmatch(r"[1-9]\d{0,2},\d{3}", body)
        return body.replace(",", "" if groups else ".")
    if commas > 1:
        if not re.fullmatch(r"[1-9]\d{0,2}(?:,\d{3})+", body):
            raise Unreadable(Trouble.BAD_GROUPS, written)
        return body.replace(",", "")
    return body


def _measured(digits: str, exponent: int) -> Num:
    whole, _, part = digits.partition(".")
    if len(whole) + len(part) > MAX_DIGITS:
        raise Unreadable(Trouble.TOO_LONG, str(MAX_DIGITS))
    significant = (whole + part).lstrip("0")
    last = exponent - len(part)
    if "." not in digits or (digits.endswith(".") and not part):
        shown = significant.rstrip("0") if "." not in digits else significant
        last += len(significant) - len(shown)
        significant = shown
    size = len((whole + part).lstrip("0")) - len(part) + exponent
    if significant and not -320 < size < 309:
        raise Unreadable(Trouble.NOT_FINITE, f"{digits}e{exponent}"[:40])
    if not significant:  # 0e309 is nothing, however far its point is moved
        return Num(Fraction(0), 0, Fraction(0))
    value = Fraction(int(whole + part)) * Fraction(10) ** (exponent - len(part))
    return Num(value, len(significant), Fraction(10) ** last / 2)


def _scaled_number(number: Num, factor: int) -> Num:
    assert number.half_step is not None
    return Num(number.value * factor, number.figures, number.half_step * factor)


def _with_suffix(text: str, end: int, number: Num, context: Context) -> tuple[Num, int]:
    rest = text[end:]
    for suffix, power in _HAN_SUFFIX.items():
        if rest.lstrip(" ").startswith(suffix):
            return _scaled_number(number, power), end + len(rest) - len(rest.lstrip(" ")) + len(suffix)
    if (found := _SUFFIX.match(text, end)) is None:
        return number, end
    letter = found.group(1)
    if letter.casefold() in _LONG_SUFFIX:
        return _scaled_number(number, _LONG_SUFFIX[letter.casefold()]), found.end()
    factor = _factor_of(letter, context)
    return (number, end) if factor is None else (_scaled_number(number, factor), found.end())


def _factor_of(letter: str, context: Context) -> int | None:
    """What a letter behind a number multiplies by; None where it is a unit (B for bytes) or a name.

    B is bytes where bytes are asked and a billion elsewhere. k, M, G, T of bytes or of TFLOP/s are units as well.
    """
    asked = context.asked
    if letter in context.names:
        return None
    if letter in "bm":
        counts = asked is not None and asked.dimension in (units.NONE, units.DOLLARS)
        return {"b": 10**9, "m": 10**6}[letter] if counts else None
    if asked is None:
        return None if letter == "G" else _LATIN_SUFFIX[letter]
    if asked.dimension[0] or (asked.dimension[1] and asked.factor != 1 and letter != "B"):
        return None
    return _LATIN_SUFFIX[letter]


def _bracketed_unit(text: str, at: int, found: list[Token]) -> int:
    close = text.find("]", at)
    if close < 0 or not found or found[-1].kind not in ("number", ")"):
        raise Unreadable(Trouble.CHARACTER, "[")
    found.append(Token("unit", text[at : close + 1], at, unit=units.parse(text[at + 1 : close])))
    return close + 1


def _word_token(text: str, at: int, context: Context, found: list[Token]) -> int:
    after_value = bool(found) and found[-1].kind in _VALUE_ENDS
    word = _WORD.match(text, at) or _HAN.match(text, at)
    name = word.group() if word else ""
    if name.casefold() in _NOT_FINITE or text[at] == "∞":
        raise Unreadable(Trouble.NOT_FINITE, name or text[at])
    is_known = bool(name) and (name in FUNCTIONS or name == "pi" or context.key_of(name) is not None)
    if after_value and name in ("x", "X") and not is_known and text[at + 1 :].strip():
        found.append(Token("op", "*", at))
        return at + 1
    if not is_known and (end := _unit_behind_operator(text, at, found)) is not None:
        return end
    prefers_unit = context.units_win and found and found[-1].kind == "number"
    if after_value and (not is_known or prefers_unit) and (unit := _unit_at(text, at, context)):
        found.append(Token("unit", text[at : unit[1]], at, unit=unit[0]))
        return unit[1]
    money = _MONEY.match(text, at)
    if money is not None and not after_value:
        found.append(Token("unit", money.group(), at, unit=units.KNOWN["$"]))
        return money.end()
    if word is None:
        raise Unreadable(Trouble.CHARACTER, text[at])
    if not is_known and next(splits(name, context), None) is None:
        raise Unreadable(_kind_of_unknown(text, at, name, context, found), name[:40])
    found.append(Token("name", name, at))
    return word.end()


def _kind_of_unknown(text: str, at: int, name: str, context: Context, found: list[Token]) -> Trouble:
    """5 apples has an unknown unit; 14P/N an unknown name where the drill has names; abc is an unknown word."""
    if units.scan(text, at) is not None:
        return Trouble.UNIT_ALONE
    behind_number = bool(found) and found[-1].kind in ("number", "unit")
    is_letter = len(name) == 1 and name.isalpha() and text[at - 1 : at] != " " and not "\u4e00" <= name <= "\u9fff"
    if behind_number and not (is_letter and context.names):
        return Trouble.UNKNOWN_UNIT
    return Trouble.UNKNOWN_NAME if context.names else Trouble.UNKNOWN_WORD


def _unit_behind_operator(text: str, at: int, found: list[Token]) -> int | None:
    """48.75*GB is 48.75 GB, and 1542/s is so many a second: the operator belongs to the unit."""
    if len(found) < 2 or found[-1].kind != "op" or found[-1].text not in "*/" or found[-2].kind not in _VALUE_ENDS:
        return None
    unit = units.scan(text, at)
    if unit is None:
        return None
    operator = found.pop()
    written = unit[0] if operator.text == "*" else units.PLAIN.times(unit[0], -1)
    found.append(Token("unit", text[operator.at : unit[1]], operator.at, unit=written))
    return unit[1]


def _unit_in_brackets(text: str, at: int, context: Context, found: list[Token]) -> int | None:
    """48.75 (GB)."""
    if not found or found[-1].kind not in _VALUE_ENDS or found[-1].text in FUNCTIONS:
        return None
    word = _BRACKETED_WORD.match(text, at)
    if word is None or context.key_of(word.group(1)) is not None:
        return None
    unit = _unit_at(text, word.start(1), context)
    if unit is None or unit[1] != word.end(1):
        return None
    found.append(Token("unit", word.group(1), at, unit=unit[0]))
    return word.end()


def _letters_are_units(text: str, context: Context) -> bool:
    """Whether letters that are symbols as well (2 s, 3 h) are units: each stands behind a number and is of the asked kind."""
    asked = context.asked
    if asked is None or asked.dimension == units.NONE:
        return False
    for word in _WORD.finditer(text):
        if context.key_of(word.group()) is None:
            if next(splits(word.group(), context), None) is not None:
                return False
            continue
        unit = _unit_at(text, word.start(), context)
        if unit is None or unit[0].dimension != asked.dimension or not text[: word.start()].rstrip()[-1:].isdigit():
            return False
    return True


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


def splits(word: str, context: Context) -> Iterator[list[str]]:
    """The ways to take a word apart into known names, as sbh is s·b·h."""
    if len(word) > MAX_RUN_TOGETHER:
        return
    if not word:
        yield []
        return
    for length in range(len(word), 0, -1):
        key = context.names.get(word[:length])
        if key is not None:
            for rest in splits(word[length:], context):
                yield [key, *rest]
