"""Numbers and quantities as they are printed: to the figures that matter, grouped, with their unit."""

from __future__ import annotations

from fractions import Fraction

from grading.evaluate import Scalar
from grading.units import BYTES, FLOP, SECONDS, Dimension, Unit

_SCALES: dict[Dimension, tuple[tuple[str, Fraction], ...]] = {
    BYTES: tuple((name, Fraction(1000) ** k) for k, name in enumerate(("B", "kB", "MB", "GB", "TB", "PB"))),
    (1, 0, -1, 0): tuple((name, Fraction(1000) ** k) for k, name in enumerate(("B/s", "kB/s", "MB/s", "GB/s", "TB/s"))),
    FLOP: tuple((f"{p}FLOP", Fraction(1000) ** k) for k, p in enumerate(("", "k", "M", "G", "T", "P"))),
    (0, 1, -1, 0): tuple((f"{p}FLOP/s", Fraction(1000) ** k) for k, p in enumerate(("", "k", "M", "G", "T", "P"))),
    SECONDS: (("ns", Fraction(1, 10**9)), ("µs", Fraction(1, 10**6)), ("ms", Fraction(1, 1000)), ("s", Fraction(1)),
              ("min", Fraction(60)), ("h", Fraction(3600)), ("days", Fraction(86_400))),
    (0, 0, 0, 1): (("USD", Fraction(1)),),
    (0, 0, -1, 0): (("/s", Fraction(1)),),
}  # fmt: skip


def number_text(value: Scalar, figures: int = 5) -> str:
    """A plain number: whole ones in full up to a million, others to `figures` figures; 1.5e12 where zeros would hide it."""
    number = float(value)
    if number == 0:
        return "0"
    if number == int(number) and abs(number) < 10**7:
        return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
    if not 1e-4 <= abs(number) < 1e7:
        mantissa, exponent = f"{number:.{figures - 1}e}".split("e")
        shortened = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
        return f"{shortened}e{int(exponent)}"
    text = f"{number:.{figures}g}"
    if "e" in text:
        text = f"{number:.0f}"
    return f"{float(text):,.10g}" if abs(number) >= 10_000 else text


def exact_text(value: Scalar) -> str:
    """A number in so many figures that it reads back as the same: what the line "read as" shows."""
    number = float(value)
    if number == int(number) and abs(number) < 10**15:
        return f"{int(number):,}" if abs(number) >= 10_000 else str(int(number))
    text = f"{number:.12g}"
    if "e" not in text and abs(number) >= 10_000:
        return f"{float(text):,.12g}"
    return text.replace("e-0", "e-").replace("e+", "e")


def reading_text(value: Scalar, unit: Unit, asked: Unit) -> str:
    """How an answer was read: in the asked unit where it is of its kind, else in its own."""
    shown = asked if unit.dimension == asked.dimension and unit.noun in ("", asked.noun) else unit
    return with_symbol(exact_text(Fraction(value) / shown.factor), shown.symbol)


def quantity_text(value: Scalar, unit: Unit, figures: int = 5) -> str:
    """A value in base units, in the given unit."""
    return with_symbol(number_text(Fraction(value) / unit.factor, figures), unit.symbol)


def handy_text(value: Scalar, dimension: Dimension) -> str:
    """A value in base units, in the handiest unit of its dimension."""
    scales = _SCALES.get(dimension)
    if scales is None:
        return number_text(value)
    size = abs(Fraction(value))
    name, factor = next(((n, f) for n, f in reversed(scales) if size >= f), scales[0])
    return with_symbol(number_text(Fraction(value) / factor), name)


def with_symbol(number: str, symbol: str) -> str:
    """`48.75 GB`, `42.5 %`, `1.5x`; a plain count has no unit."""
    if not symbol:
        return number
    return f"{number}{symbol}" if symbol in ("x", "×") else f"{number} {symbol}"
