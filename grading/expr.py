"""One small expression language, for learners' answers and for the formulas of packs. Text becomes a tree of its own.

Nothing is evaluated as a program: the tree has numbers, names, six operations and a handful of functions. Length, depth
and the number of nodes are bounded before anything is worked out. An implied product (2Φ, 14Φ/N) is read where it has one
reading; `1/2(3)` has two and is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from grading import units
from grading.reading import Unreadable
from grading.units import Unit

MAX_NODES = 300
MAX_DEPTH = 40
MAX_EXPONENT_DIGITS = 4
MAX_DIGITS = 400

FUNCTIONS = frozenset({"sqrt", "log2", "min", "max", "ceil", "floor", "sum", "abs"})


@dataclass(frozen=True, slots=True)
class Num:
    """A number as written: how many figures it shows, and `half_step`, half a unit of the last of them."""

    value: Fraction
    figures: int | None = None
    half_step: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Name:
    key: str


@dataclass(frozen=True, slots=True)
class Neg:
    of: Node


@dataclass(frozen=True, slots=True)
class Bin:
    op: str  # + - * / ^
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Scaled:
    """A part with a unit: 26 GB, 2[B]."""

    of: Node
    unit: Unit


Node = Num | Name | Neg | Bin | Call | Scaled


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


def names_in(node: Node) -> frozenset[str]:
    """The keys of all names in a tree."""
    return frozenset(part.key for part in walk(node) if isinstance(part, Name))


def walk(node: Node) -> Iterator[Node]:
    """Every node of a tree, the root first."""
    yield node
    for child in _children(node):
        yield from walk(child)


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Neg(of) | Scaled(of, _):
            return (of,)
        case Bin(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case _:
            return ()


# --- tokens ---------------------------------------------------------------------------------------------------------


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


# --- tree -----------------------------------------------------------------------------------------------------------


def parse(text: str, context: Context) -> Node:
    """The tree of a folded text (see `grading.reading.fold`). A unit at the very end, alone, holds for the whole.

    Raises:
        Unreadable: with the reason's code.
    """
    found = tokens(text, context)
    found = _leading_dollar(found)
    written = [token for token in found if token.kind == "unit" and not token.text.startswith("[")]
    whole: Unit | None = None
    if len(written) == 1 and found[-2] is written[0] and len(found) > 2:
        whole = written[0].unit
        found = [*found[:-2], found[-1]]
    node = _Parser(found, context).whole()
    return node if whole is None else Scaled(node, whole)


def _leading_dollar(found: list[Token]) -> list[Token]:
    """$5.576M is 5.576M $; where the unit is written twice ($5 USD) once is enough."""
    if found[0].kind != "unit":
        return found
    if len(found) == 2:
        raise Unreadable("unit-alone", found[0].text)
    body = found[1:-1]
    return [*body, found[-1]] if body[-1].kind == "unit" else [*body, found[0], found[-1]]


class _Parser:
    def __init__(self, found: list[Token], context: Context) -> None:
        self.found = found
        self.context = context
        self.at = 0
        self.depth = 0
        self.nodes = 0

    @property
    def next(self) -> Token:
        return self.found[self.at]

    def take(self) -> Token:
        token = self.found[self.at]
        self.at += 1
        return token

    def made(self, node: Node) -> Node:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise Unreadable("too-long", str(MAX_NODES))
        return node

    def whole(self) -> Node:
        if self.next.kind == "end":
            raise Unreadable("empty")
        if self.next.kind == "unit":
            raise Unreadable("unit-alone", self.next.text)
        node = self.sum()
        if self.next.kind == ",":
            raise Unreadable("two-values", ",")
        if self.next.kind != "end":
            raise Unreadable("unexpected", self.next.text)
        return node

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable("too-deep", str(MAX_DEPTH))

    def sum(self) -> Node:
        self.deeper()
        node = self.product()
        while self.next.kind == "op" and self.next.text in "+-":
            op = self.take().text
            node = self.made(Bin(op, node, self.product()))
        self.depth -= 1
        return node

    def product(self) -> Node:
        node = self.signed()
        divided = False
        while True:
            token = self.next
            if token.kind == "op" and token.text in "*/":
                self.take()
                divided = token.text == "/"
                node = self.made(Bin(token.text, node, self.signed()))
            elif token.kind in ("name", "("):
                if divided:
                    raise Unreadable("two-readings", self._around())
                node = self.made(Bin("*", node, self.signed()))
            elif token.kind == "number":
                raise Unreadable("two-values", token.text)
            else:
                return node

    def _around(self) -> str:
        return "".join(token.text for token in self.found[max(0, self.at - 3) : self.at + 3])

    def signed(self) -> Node:
        if self.next.kind == "op" and self.next.text in "+-":
            self.deeper()
            sign = self.take().text
            node = self.signed()
            self.depth -= 1
            return self.made(Neg(node)) if sign == "-" else node
        return self.power()

    def power(self) -> Node:
        base = self.measured()
        if self.next.kind == "op" and self.next.text == "^":
            self.deeper()
            self.take()
            exponent = self.signed()
            self.depth -= 1
            return self.made(Bin("^", base, exponent))
        return base

    def measured(self) -> Node:
        node = self.primary()
        while self.next.kind == "unit":
            unit = self.take().unit
            assert unit is not None
            node = self.made(Scaled(node, unit))
        return node

    def primary(self) -> Node:
        token = self.take()
        if token.kind == "number" and token.number is not None:
            return self.made(token.number)
        if token.kind == "(":
            node = self.sum()
            self.close()
            return node
        if token.kind == "name":
            return self.named(token)
        if token.kind == "end":
            raise Unreadable("unfinished")
        raise Unreadable("unexpected", token.text)

    def close(self) -> None:
        if self.next.kind == ",":
            raise Unreadable("two-values", ",")
        if self.next.kind != ")":
            raise Unreadable("bracket")
        self.take()

    def named(self, token: Token) -> Node:
        if token.text in FUNCTIONS:
            return self.call(token.text)
        if (key := self.context.key_of(token.text)) is not None:
            return self.made(Name(key))
        if token.text == "pi":
            return self.made(Num(Fraction(3141592653589793, 10**15)))
        return self.run_together(token)

    def run_together(self, token: Token) -> Node:
        """`sbh` is s·b·h where all three are known and the split is the only one."""
        splits = list(_splits(token.text, self.context, limit=2))
        if len(splits) != 1:
            known = ", ".join(sorted(set(self.context.names.values()))) if self.context.names else ""
            raise Unreadable("unknown-name" if known else "unknown-word", token.text[:40])
        node: Node = self.made(Name(splits[0][0]))
        for key in splits[0][1:]:
            node = self.made(Bin("*", node, Name(key)))
        return node

    def call(self, function: str) -> Node:
        if self.next.kind != "(":
            if function == "sqrt":
                return self.made(Call("sqrt", (self.primary(),)))
            raise Unreadable("bracket")
        self.take()
        arguments = [self.sum()]
        while self.next.kind == ",":
            self.take()
            arguments.append(self.sum())
        self.close()
        if function in ("sqrt", "log2", "ceil", "floor", "abs") and len(arguments) != 1:
            raise Unreadable("arguments", function)
        return self.made(Call(function, tuple(arguments)))


def _splits(word: str, context: Context, limit: int) -> Iterator[list[str]]:
    if limit <= 0 or len(word) > 12:
        return
    if not word:
        yield []
        return
    for length in range(len(word), 0, -1):
        head = word[:length]
        key = context.names.get(head)
        if key is not None:
            for rest in _splits(word[length:], context, limit):
                yield [key, *rest]
