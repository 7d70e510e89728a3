"""The value of a tree: exact rationals while they stay small, floats beyond, numpy arrays where arrays are put in.

Values are in base units. `ceil` and `floor` see exact rationals; over floats and arrays a value within 1e-9 of a whole number
is taken for it, which is safe because quotients of realistic counts lie further away (1/q for a denominator q).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from grading.expr import Bin, Call, Name, Neg, Node, Num, Scaled
from grading.reading import Trouble, Unreadable
from grading.units import NONE, Dimension

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scalar = Fraction | float
MAX_BITS = 1200
"""A rational with a longer numerator or denominator goes on as a float."""
MAX_SIZE_BITS = 960
"""Values stay between 2^-960 and 2^960, so that no unit takes them out of a float's range."""
NEARLY_WHOLE = 1e-9


def value_of(node: Node, names: Mapping[str, Scalar]) -> Scalar:
    """The value in base units.

    Raises:
        Unreadable: division by zero, a root of a negative number, or a result that is not finite.
    """
    try:
        return in_range(_scalar(node, names))
    except ZeroDivisionError:
        raise Unreadable(Trouble.DIVISION_BY_ZERO) from None
    except OverflowError:
        raise Unreadable(Trouble.NOT_FINITE) from None


def _scalar(node: Node, names: Mapping[str, Scalar]) -> Scalar:
    match node:
        case Num(value):
            return value
        case Name(key):
            return names[key]
        case Neg(of):
            return -_scalar(of, names)
        case Scaled(of, unit):
            return _small(_scalar(of, names) * unit.factor)
        case Bin(op, left, right):
            return _small(_OPERATIONS[op](_scalar(left, names), _scalar(right, names)))
        case Call(function, arguments):
            return _small(_CALLS[function]([_scalar(argument, names) for argument in arguments]))


def _small(value: Scalar) -> Scalar:
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            shortened = value.numerator / value.denominator
            if shortened == 0:
                raise Unreadable(Trouble.NOT_FINITE)
            return _finite(shortened)
        return value
    return _finite(value)


def _finite(value: Scalar) -> Scalar:
    if isinstance(value, float) and not math.isfinite(value):
        raise Unreadable(Trouble.NOT_FINITE)
    return value


def in_range(value: Scalar) -> Scalar:
    """The value itself, where it may go on as a float in any unit.

    Raises:
        Unreadable: `not-finite` from about 1e289 up and below 1e-289.
    """
    if isinstance(value, float):
        value = _finite(value)
        return in_range(Fraction(value)) and value if value else value
    size = value.numerator.bit_length() - value.denominator.bit_length()
    if value and abs(size) > MAX_SIZE_BITS:
        raise Unreadable(Trouble.NOT_FINITE)
    return value


def _divide(a: Scalar, b: Scalar) -> Scalar:
    if b == 0:
        raise Unreadable(Trouble.DIVISION_BY_ZERO)
    return a / b


def _power(a: Scalar, b: Scalar) -> Scalar:
    if isinstance(b, Fraction) and b.denominator == 1 and isinstance(a, Fraction):
        if a == 0 and b < 0:
            raise Unreadable(Trouble.DIVISION_BY_ZERO)
        bits = max(a.numerator.bit_length(), a.denominator.bit_length())
        if abs(b.numerator) * max(bits - 1, 1) <= MAX_BITS and abs(b.numerator) <= MAX_BITS:
            return a**b.numerator
    if a < 0 and float(b) != int(float(b)):
        raise Unreadable(Trouble.NOT_REAL)
    result: float = float(a) ** float(b)
    if result == 0 and a != 0:
        raise Unreadable(Trouble.NOT_FINITE)
    return result


def _sqrt(a: Scalar) -> Scalar:
    if a < 0:
        raise Unreadable(Trouble.NOT_REAL)
    if isinstance(a, Fraction):
        top, bottom = math.isqrt(a.numerator), math.isqrt(a.denominator)
        if top * top == a.numerator and bottom * bottom == a.denominator:
            return Fraction(top, bottom)
    return math.sqrt(a)


def _log2(a: Scalar) -> Scalar:
    if a <= 0:
        raise Unreadable(Trouble.NOT_REAL)
    if isinstance(a, Fraction) and a.numerator.bit_count() == 1 and a.denominator.bit_count() == 1:
        return Fraction(a.numerator.bit_length() - a.denominator.bit_length())
    return math.log2(a)


def _whole(a: Scalar, rounded: Callable[[Scalar], int]) -> Scalar:
    if isinstance(a, float) and abs(a - round(a)) <= NEARLY_WHOLE * max(1.0, abs(a)):
        return Fraction(round(a))
    return Fraction(rounded(a))


_OPERATIONS: dict[str, Callable[[Scalar, Scalar], Scalar]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _divide,
    "^": _power,
}
_CALLS: dict[str, Callable[[list[Scalar]], Scalar]] = {
    "sqrt": lambda parts: _sqrt(parts[0]),
    "log2": lambda parts: _log2(parts[0]),
    "abs": lambda parts: max(parts[0], -parts[0]),
    "ceil": lambda parts: _whole(parts[0], math.ceil),
    "floor": lambda parts: _whole(parts[0], math.floor),
    "min": min,
    "max": max,
    "sum": lambda parts: sum(parts, Fraction(0)),
}


def values_of(node: Node, names: Mapping[str, Any]) -> NDArray[Any]:
    """The values over arrays that broadcast; nan or inf where a scalar would be refused."""
    import numpy as np

    with np.errstate(all="ignore"):
        return np.asarray(array_of(node, names, np))


def array_of(node: Node, names: Mapping[str, Any], np: Any) -> Any:
    """As `values_of`, with numpy handed in and its warnings left to the caller; a plain number where no array is in it."""
    # By type rather than by pattern: this runs for every node of every comparison.
    if isinstance(node, Bin):
        return _array_operation(node.op, array_of(node.left, names, np), array_of(node.right, names, np), np)
    if isinstance(node, Name):
        return names[node.key]
    if isinstance(node, Num):
        return node.value.numerator / node.value.denominator
    if isinstance(node, Neg):
        return -array_of(node.of, names, np)
    if isinstance(node, Scaled):
        return array_of(node.of, names, np) * float(node.unit.factor)
    return _array_call(node.function, [array_of(argument, names, np) for argument in node.arguments], np)


def _array_operation(op: str, a: Any, b: Any, np: Any) -> Any:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/":
        return a / b if isinstance(b, float) and b != 0 else np.true_divide(a, b)
    return np.power(np.asarray(a, float), b)


def _array_call(function: str, parts: list[Any], np: Any) -> Any:
    first = parts[0]
    if function in ("ceil", "floor"):
        nearest = np.round(first)
        near = np.abs(first - nearest) <= NEARLY_WHOLE * np.maximum(1.0, np.abs(first))
        return np.where(near, nearest, np.ceil(first) if function == "ceil" else np.floor(first))
    if function in ("sqrt", "log2", "abs"):
        return getattr(np, function)(first)
    joined = {"min": np.minimum, "max": np.maximum, "sum": np.add}[function]
    for part in parts[1:]:
        first = joined(first, part)
    return first


def dimension_of(node: Node, names: Mapping[str, Dimension]) -> Dimension:
    """The dimension of a tree's value, by analysis of its parts.

    Raises:
        Unreadable: `mixed-units` where bytes are added to seconds, or an exponent has a unit.
    """
    match node:
        case Num():
            return NONE
        case Name(key):
            return names.get(key, NONE)
        case Neg(of):
            return dimension_of(of, names)
        case Scaled(of, unit):
            return _combined(dimension_of(of, names), unit.dimension, 1)
        case Bin(op, left, right):
            return _dimension_of_operation(op, left, right, names)
        case Call(function, arguments):
            return _dimension_of_call(function, [dimension_of(argument, names) for argument in arguments])


def _dimension_of_operation(op: str, left: Node, right: Node, names: Mapping[str, Dimension]) -> Dimension:
    a, b = dimension_of(left, names), dimension_of(right, names)
    if op in "+-":
        if a != b:
            raise Unreadable(Trouble.MIXED_UNITS)
        return a
    if op in "*/":
        return _combined(a, b, 1 if op == "*" else -1)
    if b != NONE:
        raise Unreadable(Trouble.MIXED_UNITS)
    if a == NONE:
        return NONE
    exponent = right.value if isinstance(right, Num) else None
    if exponent is None or exponent.denominator != 1 or abs(exponent) > 4:
        raise Unreadable(Trouble.MIXED_UNITS)
    power = exponent.numerator
    return (a[0] * power, a[1] * power, a[2] * power, a[3] * power)


def _dimension_of_call(function: str, parts: list[Dimension]) -> Dimension:
    first = parts[0]
    if any(part != first for part in parts):
        raise Unreadable(Trouble.MIXED_UNITS)
    if function == "sqrt":
        if any(exponent % 2 for exponent in first):
            raise Unreadable(Trouble.MIXED_UNITS)
        return (first[0] // 2, first[1] // 2, first[2] // 2, first[3] // 2)
    if function == "log2" and first != NONE:
        raise Unreadable(Trouble.MIXED_UNITS)
    return first


def _combined(a: Dimension, b: Dimension, sign: int) -> Dimension:
    return (a[0] + sign * b[0], a[1] + sign * b[1], a[2] + sign * b[2], a[3] + sign * b[3])
