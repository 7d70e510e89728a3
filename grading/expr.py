"""One small expression language, for learners' answers and for the formulas of packs. Text becomes a tree of its own.

Nothing is evaluated as a program: the tree has numbers, names, six operations and a handful of functions. Length, depth
and the number of nodes are bounded before anything is worked out. An implied product (2Φ, 14Φ/N) is read where it has one
reading; `1/2(3)` has two and is refused.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from grading.reading import Trouble, Unreadable
from grading.tokens import Context, Token, splits, tokens
from grading.tree import FUNCTIONS, Bin, Call, Name, Neg, Node, Num, Scaled, names_in, walk

__all__ = ["FUNCTIONS", "Bin", "Call", "Context", "Name", "Neg", "Node", "Num", "Scaled", "names_in", "parse", "walk"]

MAX_NODES = 300
MAX_DEPTH = 40


def parse(text: str, context: Context, *, loose: bool = False) -> Node:
    """The tree of a folded text (see `grading.reading.fold`). A unit at the very end, alone, holds for the whole.

    Elsewhere a unit belongs to what it stands behind (14 GB / 50 GB/s); with `loose` to the whole product before it
    (14Φ/N B), which is tried where the first way gives bytes plus bytes a card.

    Raises:
        Unreadable: with the reason's code.
    """
    found = _leading_dollar(tokens(text, context))
    written = [token for token in found if token.kind == "unit" and not token.text.startswith("[")]
    if len(written) != 1 or found[-2] is not written[0] or len(found) < 3 or written[0].unit is None:
        return _Parser(found, context, loose).whole()
    node = _Parser([*found[:-2], found[-1]], context, loose).whole()
    unit = written[0].unit
    if unit.noun == "%" and isinstance(node, Bin) and node.op in "+-":
        if context.asked is not None and context.asked.noun == "%":
            raise Unreadable(Trouble.TWO_READINGS, written[0].text)
        return _Parser(found, context, loose).whole()
    return Scaled(node, unit)


def _leading_dollar(found: list[Token]) -> list[Token]:
    """$5.576M is 5.576M $; where the unit is written twice ($5 USD) once is enough."""
    if found[0].kind != "unit":
        return found
    if len(found) == 2:
        raise Unreadable(Trouble.UNIT_ALONE, found[0].text)
    body = found[1:-1]
    return [*body, found[-1]] if body[-1].kind == "unit" else [*body, found[0], found[-1]]


class _Parser:
    def __init__(self, found: list[Token], context: Context, loose: bool) -> None:
        self.found = found
        self.context = context
        self.loose = loose
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
            raise Unreadable(Trouble.TOO_LONG, str(MAX_NODES))
        return node

    def whole(self) -> Node:
        if self.next.kind == "end":
            raise Unreadable(Trouble.EMPTY)
        if self.next.kind == "unit":
            raise Unreadable(Trouble.UNIT_ALONE, self.next.text)
        node = self.sum()
        if self.next.kind == ",":
            raise Unreadable(Trouble.TWO_VALUES, ",")
        if self.next.kind != "end":
            raise Unreadable(Trouble.UNEXPECTED, self.next.text)
        return node

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise Unreadable(Trouble.TOO_DEEP, str(MAX_DEPTH))

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
                    raise Unreadable(Trouble.TWO_READINGS, self._around())
                node = self.made(Bin("*", node, self.signed()))
            elif token.kind == "number":
                raise Unreadable(Trouble.TWO_VALUES, token.text)
            elif token.kind == "unit" and self.loose:
                node, divided = self.scaled(node), False
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
        is_word = self.next.kind == "name"
        base = self.measured()
        if self.next.kind == "op" and self.next.text == "^":
            self.deeper()
            self.take()
            exponent = self.signed()
            self.depth -= 1
            if is_word and isinstance(base, Bin):  # as² is a·s²
                return self.made(Bin("*", base.left, self.made(Bin("^", base.right, exponent))))
            return self.made(Bin("^", base, exponent))
        return base

    def measured(self) -> Node:
        node = self.primary()
        while self.next.kind == "unit" and not self.loose:
            node = self.scaled(node)
        return node

    def scaled(self, node: Node) -> Node:
        unit = self.take().unit
        assert unit is not None
        return self.made(Scaled(node, unit))

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
            raise Unreadable(Trouble.UNFINISHED)
        raise Unreadable(Trouble.UNEXPECTED, token.text)

    def close(self) -> None:
        if self.next.kind == ",":
            raise Unreadable(Trouble.TWO_VALUES, ",")
        if self.next.kind != ")":
            raise Unreadable(Trouble.BRACKET)
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
        found = list(islice(splits(token.text, self.context), 2))
        if len(found) != 1:
            raise Unreadable(Trouble.UNKNOWN_NAME, token.text[:40])
        node: Node = self.made(Name(found[0][0]))
        for key in found[0][1:]:
            node = self.made(Bin("*", node, Name(key)))
        return node

    def call(self, function: str) -> Node:
        if self.next.kind != "(":
            if function == "sqrt":
                return self.made(Call("sqrt", (self.primary(),)))
            raise Unreadable(Trouble.BRACKET)
        self.take()
        arguments = [self.sum()]
        while self.next.kind == ",":
            self.take()
            arguments.append(self.sum())
        self.close()
        if function in ("sqrt", "log2", "ceil", "floor", "abs") and len(arguments) != 1:
            raise Unreadable(Trouble.ARGUMENTS, function)
        return self.made(Call(function, tuple(arguments)))
