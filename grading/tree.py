"""The tree that an answer or a pack's formula is read into: numbers, names, six operations, a handful of functions, units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from grading.units import Unit

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


def names_in(node: Node) -> frozenset[str]:
    """The keys of all names in a tree."""
    return frozenset(part.key for part in walk(node) if isinstance(part, Name))


def walk(node: Node) -> list[Node]:
    """Every node of a tree, parents before their parts, left before right."""
    found: list[Node] = []
    waiting = [node]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if not isinstance(part, (Num, Name)):
            waiting.extend(reversed(_children(part)))
    return found


def with_values(node: Node, values: Mapping[str, Fraction]) -> Node:
    """The tree with numbers in the places of some names."""
    match node:
        case Name(key):
            return Num(values[key]) if key in values else node
        case Neg(of):
            return Neg(with_values(of, values))
        case Scaled(of, unit):
            return Scaled(with_values(of, values), unit)
        case Bin(op, left, right):
            return Bin(op, with_values(left, values), with_values(right, values))
        case Call(function, arguments):
            return Call(function, tuple(with_values(argument, values) for argument in arguments))
        case _:
            return node


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
