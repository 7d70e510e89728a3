"""The language of answers and formulas: precedence, implied products, numbers as written, limits."""

from __future__ import annotations

from fractions import Fraction

import pytest

from grading import units
from grading.evaluate import value_of
from grading.expr import Context, Num, names_in, parse, walk
from grading.reading import Unreadable, fold
from grading.tokens import MAX_DIGITS

NAMES = {"phi": "phi", "N": "n", "n": "n", "s": "s", "b": "b", "h": "h", "a": "a", "n_i": "n_i", "cf": "cf"}
VALUES = {"phi": Fraction(13), "n": Fraction(8), "s": Fraction(3), "b": Fraction(2), "h": Fraction(5),
     "a": Fraction(7), "n_i": Fraction(4),
          "cf": Fraction(5, 4)}  # fmt: skip


def worth(text: str, asked: str | None = None) -> Fraction:
    context = Context(NAMES, None if asked is None else units.parse(asked))
    return Fraction(value_of(parse(fold(text).text, context), VALUES))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7), ("(1+2)*3", 9), ("2^3^2", 512), ("-2^2", -4), ("(-2)^2", 4), ("2^-1", Fraction(1, 2)),
        ("2*-3", -6), ("6/2/3", 1),
        ("6/2*3", 9), ("1-2-3", -4), ("--2", 2), ("+2", 2), ("2 - -2", 4), ("4^0.5", 2), ("4^(1/2)", 2), ("2(3)",
        6), ("2(3)(4)", 24), ("(2)(3)", 6),
        ("2Φ", 26), ("2 Φ", 26), ("14Φ/N", Fraction(91, 4)), ("2Φ+14Φ/N", Fraction(195, 4)), ("2NΦ", 208), ("sbh",
        30), ("2sbh", 60), ("as²", 63),
        ("as^2b", 126), ("5as/h", 21), ("5as/bh", Fraction(105, 10)), ("s b h", 30), ("(1+2)Φ", 39), ("Φ(1+2)", 39),
        ("n_i/N", Fraction(1, 2)), ("2cf", Fraction(5, 2)), ("PHI", 13),
        ("sqrt(16)", 4), ("√16", 4), ("2√16", 8), ("√(9)", 3), ("log2(8)", 3), ("log2(1/4)", -2), ("min(3, 2)", 2),
        ("max(1,024, 5)", 24), ("sum(1, 2, 3)", 6),
        ("ceil(13.75)", 14), ("floor(13.75)", 13), ("ceil(-1.5)", -1), ("ceil(100*1.1)", 110), ("⌈7/2⌉", 4),
        ("⌊7/2⌋", 3), ("abs(-3)", 3), ("10²", 100), ("2³⁰", 2**30), ("10⁻³", Fraction(1, 1000)),
        ("2ⁿ", 256), ("½", Fraction(1, 2)), ("3½", Fraction(7, 2)), ("1⁄2", Fraction(1, 2)), ("2x3", 6), ("2 x 3",
        6), ("2 × N", 16), ("Φ x N", 104), ("2 x Φ", 26), ("(2)x(3)", 6),
        ("1e3", 1000), ("1.5E-2", Fraction(3, 200)), ("1,5", Fraction(3, 2)), ("1,500", 1500), ("0,500", Fraction(1,
        2)), ("1.234,5", Fraction(2469, 2)), ("1 234 567", 1234567), (".5", Fraction(1, 2)), ("5.", 5),
        ("1.2亿", 120_000_000), ("3万亿", 3 * 10**12), ("5千", 5000), ("7B", 7 * 10**9), ("1.5k", 1500),
        ("2 million", 2_000_000), ("16000.5", Fraction(32001, 2)), ("16 000.5", Fraction(32001, 2)),
    ],
)  # fmt: skip
def test_value(text: str, value: Fraction | int) -> None:
    assert worth(text) == value


def test_pi_is_close_enough() -> None:
    assert float(worth("2π")) == pytest.approx(6.283185307179586)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1/2(3)", "two-readings"), ("Φ/2N", "two-readings"), ("14/2Φ", "two-readings"), ("Φ2", "unknown-name"),
        ("Φ 2", "two-values"), ("2 3", "two-values"), ("(2, 3)", "two-values"),
        ("2+", "unfinished"), ("*2", "unexpected"), ("2)", "unexpected"), ("()", "unexpected"), ("(2", "bracket"),
        ("ceil 2", "bracket"), ("ceil(1, 2)", "arguments"),
        ("log2()", "unexpected"), ("q", "unknown-name"), ("sq", "unknown-name"), ("2[m]", "unknown-unit"), ("[B]",
        "character"), ("2[B", "character"), ("2[]", "unreadable"), ("a.b", "character"),
        ("0x10", "character"), ("2!", "read"), ("1" * (MAX_DIGITS + 1), "too-long"), ("1e99999", "not-finite"),
        ("x" * 50, "unknown-name"),
    ],
)  # fmt: skip
def test_what_has_no_tree(text: str, code: str) -> None:
    if code in ("read", "unreadable"):
        worth(text)  # 2! is sure; empty brackets are a plain count
        return
    with pytest.raises(Unreadable) as caught:
        worth(text)
    assert caught.value.code == code


def test_a_letter_is_a_unit_only_where_nothing_speaks_for_the_symbol() -> None:
    assert worth("2 s", "s") == 2  # two seconds
    assert worth("2s*h", "s") == 30
    assert worth("2sbh", "MB") == 60
    assert worth("5as^2b", "MB") == 630
    assert worth("2 h + 30 s", "s") == 7230


def test_b_is_bytes_where_bytes_are_asked() -> None:
    assert worth("7B", "parameters") == 7 * 10**9
    assert worth("7B", "GB") == 7
    assert worth("7B", "FLOP") == 7 * 10**9
    assert worth("7T", "TFLOP/s") == 7 * 10**12
    assert worth("7G", "GB") == 7 * 10**9


@pytest.mark.parametrize(
    ("text", "figures"),
    [("1.0000", 5), ("80", 1), ("8.0e1", 2), ("0.0120", 3), ("1200", 2), ("1200.", 4), ("3.140", 4), ("100", 1),
         ("1.0e2", 2), ("0", 0), ("48.75", 4),
     ("16,000", 2), ("1.2亿", 2), ("０．０１２", 2)],
)  # fmt: skip
def test_figures(text: str, figures: int) -> None:
    node = parse(fold(text).text, Context())
    assert isinstance(node, Num)
    assert node.figures == figures


def test_symbols_ignore_case_unless_two_differ_by_it_only() -> None:
    both = Context({"N": "cards", "n": "tokens"})
    assert names_in(parse("N", both)) == {"cards"}
    assert names_in(parse("n", both)) == {"tokens"}
    assert names_in(parse("PHI", Context({"phi": "phi"}))) == {"phi"}


def test_limits_are_on_nodes_and_depth() -> None:
    assert len(walk(parse("+".join("1" * 150), Context()))) == 299
    with pytest.raises(Unreadable, match="too-long"):
        parse("+".join("1" * 200), Context())
    with pytest.raises(Unreadable, match="too-deep"):
        parse("(" * 60 + "1" + ")" * 60, Context())
