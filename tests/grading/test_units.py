"""Units: exact factors, dimensions, and what is no unit."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grading import units
from grading.reading import Unreadable
from grading.units import BYTES, DOLLARS, FLOP, NONE, SECONDS


@pytest.mark.parametrize(
    ("text", "dimension", "factor"),
    [
        ("", NONE, 1), ("B", BYTES, 1), ("byte", BYTES, 1), ("字节", BYTES, 1), ("kB", BYTES, 1000), ("KB", BYTES, 1000),
        ("GB", BYTES, 10**9), ("GiB", BYTES, 2**30), ("Gib", BYTES, 2**30), ("MiB", BYTES, 2**20), ("TB", BYTES, 10**12),
        ("bit", BYTES, Fraction(1, 8)), ("Gbit", BYTES, Fraction(10**9, 8)), ("Gb", BYTES, Fraction(10**9, 8)),
        ("Gibit", BYTES, 2**27), ("gb", BYTES, 10**9), ("FLOP", FLOP, 1), ("TFLOP", FLOP, 10**12), ("ZFLOP", FLOP, 10**21),
        ("TFLOP/s", (0, 1, -1, 0), 10**12), ("TFLOPS", (0, 1, -1, 0), 10**12), ("GB/s", (1, 0, -1, 0), 10**9),
        ("Gbps", (1, 0, -1, 0), Fraction(10**9, 8)), ("GBps", (1, 0, -1, 0), 10**9), ("bps", (1, 0, -1, 0), Fraction(1, 8)),
        ("s", SECONDS, 1), ("ms", SECONDS, Fraction(1, 1000)), ("us", SECONDS, Fraction(1, 10**6)), ("h", SECONDS, 3600),
        ("days", SECONDS, 86_400), ("天", SECONDS, 86_400), ("GPU-hours", SECONDS, 3600), ("卡时", SECONDS, 3600),
        ("GPU hours", SECONDS, 3600), ("H800 hours", SECONDS, 3600), ("USD", DOLLARS, 1), ("$", DOLLARS, 1),
        ("美元", DOLLARS, 1),
        ("%", NONE, Fraction(1, 100)), ("points", NONE, Fraction(1, 100)), ("‰", NONE, Fraction(1, 1000)),
        ("tokens", NONE, 1),
        ("tokens/s", (0, 0, -1, 0), 1), ("tokens/s/GPU", (0, 0, -1, 0), 1), ("tokens/min", (0, 0, -1, 0), Fraction(1, 60)),
        ("USD/h", (0, 0, -1, 1), Fraction(1, 3600)), ("parameters", NONE, 1), ("x", NONE, 1), ("GB per layer",
        BYTES, 10**9),
    ],
)  # fmt: skip
def test_unit(text: str, dimension: units.Dimension, factor: Fraction | int) -> None:
    unit = units.parse(text)
    assert (unit.dimension, unit.factor) == (dimension, factor)
    assert unit.symbol == text


@pytest.mark.parametrize(
    "text", ["m", "XB", "GBX", "qubits", "元", "GB GB", "5 GB", "/s", "GB/", "GB/m", "bananas", "GB/GB", "_", "[B]"]
)
def test_what_is_no_unit(text: str) -> None:
    with pytest.raises(Unreadable, match="unknown-unit"):
        units.parse(text)


def test_every_unit_that_is_offered_is_known() -> None:
    for text in units.SHOWN.split(", "):
        units.parse(text.replace("µ", "u"))


def test_every_spelling_reads_as_itself() -> None:
    for spelling, unit in units.KNOWN.items():
        found = units.scan(spelling)
        assert found is not None, spelling
        assert (found[0].dimension, found[0].factor, found[1]) == (unit.dimension, unit.factor, len(spelling)), spelling


def test_things_that_are_counted_keep_their_noun() -> None:
    assert [units.parse(text).noun for text in ("GPUs", "tokens", "%", "GB", "GPU-hours", "tokens/s")] == [
        "GPU", "token", "%", "", "GPU", "token"]  # fmt: skip


@pytest.mark.parametrize(
    ("dimension", "symbol"),
    [
        (BYTES, "B"),
        ((1, 0, -1, 0), "B/s"),
        ((0, 0, -1, 0), "1/s"),
        (NONE, ""),
        ((2, 0, 0, -1), "B^2/USD"),
        ((0, 1, -2, 0), "FLOP/s^2"),
    ],
)
def test_base_units_are_named(dimension: units.Dimension, symbol: str) -> None:
    assert units.base(dimension).symbol == symbol
