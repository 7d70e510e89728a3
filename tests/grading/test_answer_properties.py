"""Whatever is typed is answered, fast; the same value in any spelling gets the same verdict."""

from __future__ import annotations

import sys
import time
import tracemalloc
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading import units
from grading.answer import Asked, Reason, accepts, grade, is_right, read
from grading.drill import problem_of
from grading.shown import exact_text, reading_text
from grading.table import choice_of, expected

MOST_MS = 50
ASKED = [expected(*row) for row in (("48.75 GB", ""), ("0.3", ""), ("42.5 %", ""), ("1024", "exact"), ("2 ms", ""),
     ("7000000000", ""),
                                    ("100 GB/s", ""), ("5576000 USD", ""), ("0", "abs 1e-6"))]  # fmt: skip

PIECES = ["1", "9", "13", "48.75", "0", "1e9", "1e9999", "e", "E5", ".", ",", "'", "_", " ", "\u00a0", "(", ")",
     "+", "-", "*", "**", "^",
          "/", "×", "²", "⁻¹", "½", "√", "ceil(", "log2(", "max(", "sum(", "min(", "[B]", "[", "]", "=", "?", "!",
          "GB", "GiB", "gb", "B", "b",
          "bit", "s", "/s", "per", "%", "‰", "x", "亿", "万", "字节", "秒", "每", "约", "左右", "七", "Φ", "phi",
          "N", "n", "k", "M", "T", "$", "∞",
          "nan", "inf", "__", "lambda", "0x", "\u200b", "\u202e", "①", "٣", "😀", "\n", "\x00", ";", ":", "'", '"',
          "#"]  # fmt: skip
typed_texts = st.one_of(
    st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.text("0123456789.,'_ eE+-*/^()", max_size=80)
)  # fmt: skip


@pytest.fixture(scope="module")
def asked_zero_2(drills) -> Asked:
    drill = drills["zero-2-memory"]
    drawn = {param.key: choice_of(param, text) for param, text in zip(drill.params, ("13B", "8"), strict=True)}
    return problem_of(drill, drawn).asked


def took_ms(typed: str, asked: Asked) -> float:
    """Processor time, the best of three: neighbours on the machine do not count."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        grade(typed, asked)
        best = min(best, (time.process_time() - start) * 1000)
        if best < MOST_MS:
            break
    return best


@settings(max_examples=600, deadline=None)
@given(typed=typed_texts, which=st.integers(0, len(ASKED)))
def test_any_text_gets_a_verdict_in_time(typed: str, which: int, asked_zero_2) -> None:
    asked = asked_zero_2 if which == len(ASKED) else ASKED[which]
    assert took_ms(typed, asked) < MOST_MS
    verdict = grade(typed, asked)
    assert (verdict.reading is None) is (verdict.reason is Reason.UNREADABLE)
    assert (verdict.trouble is None) is (verdict.reason is not Reason.UNREADABLE)


HOSTILE = ["-" * 399 + "1", "(" * 400, "(" * 199 + "1" + ")" * 199, "1+" * 199 + "1", "1^" * 199 + "1",
     "9^" * 199 + "9", "2**" * 130 + "2",
           "1" * 400, "1" * 199 + "e9999", "√" * 60 + "2", "ceil(" * 70 + "1" + ")" * 70, "9" * 390 + "^9",
           "max(" + "1," * 190 + "1)",
           "phi" * 130, "Φ" * 300, "2Φ+" * 100 + "N", "½" * 200, "1½" * 130, "²" * 400, "1" + "²" * 300, "," * 400,
           "1," * 199, "1 " * 200,
           "000 " * 100, "1'" * 200, ".,;" * 130, "约" * 300 + "1", "≈" * 300 + "1", "=" * 400, "1=" * 199 + "1",
           "?!" * 199, "GB/" * 130,
           "1 " + "GB*" * 130, "1" + "个" * 300, "1[" + "B" * 300 + "]", "(1)" * 130, "1/" * 199 + "1", "sbh" * 130,
           "n" * 400, "Nphi" * 3,
           "ﷺ" * 300, "\u0301" * 400, "a\u0301" * 200, "-" * 10_000 + "1", "(" * 500, "1+" * 100_000 + "1",
           "1" * 1_000_000, "5" * 5_000,
           "99**99**99", "((9**64)**64)**64", "2^-1074", "10^-400*10^400", "1e289*1e289", "(1e250)^2", "1/3^400",
           "(1/3)^700-(1/7)^400",
           "log2(2^1000)", "sqrt(10^300)", "ceil(1e280)", "floor(-1e280)*1e9", "x=" * 100 + "1"]  # fmt: skip


@pytest.mark.parametrize("typed", HOSTILE, ids=[text[:16] for text in HOSTILE])
def test_hostile_input_is_answered_in_time_and_memory(typed: str, asked_zero_2) -> None:
    assert took_ms(typed, asked_zero_2) < MOST_MS
    tracemalloc.start()
    grade(typed, asked_zero_2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 8 * 2**20


def test_depth_never_reaches_pythons_limit(asked_zero_2) -> None:
    """The app's own frames stand below: half of the limit must do."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(__import__("inspect").stack()) + 450)
    try:
        for typed in HOSTILE:
            verdict = grade(typed, asked_zero_2)
            assert verdict.reason in set(Reason)
    finally:
        sys.setrecursionlimit(before)


# --- the same value, the same verdict -------------------------------------------------------------------------------

SPELLED = ["{v} GB", "{v}GB", "{v} gigabytes", "≈{v} GB", "= {v} GB", "{v} GB per card", "每卡 {v} GB", "{v}*GB",
     "({v}) GB", "+{v} GB", "x={v}",
           "{v}", "\u200b{v}\u3000", "{v}。", "{v}?"]  # fmt: skip
values = st.decimals(min_value="0.001", max_value="9999", places=3).map(lambda d: format(d.normalize(), "f"))


@settings(max_examples=80, deadline=None)
@given(value=values)
def test_a_decoration_never_changes_the_verdict(value: str, asked_zero_2) -> None:
    verdicts = {
        (v.reason, tuple(r.id for r in v.found)) for v in (grade(s.format(v=value), asked_zero_2) for s in SPELLED)
    }
    assert len(verdicts) == 1


def full_width(text: str) -> str:
    return "".join(chr(ord(ch) + 0xFEE0) if "!" <= ch <= "~" else ch for ch in text)


@settings(max_examples=80, deadline=None)
@given(value=values)
def test_a_spelling_of_the_number_never_changes_the_verdict(value: str, asked_zero_2) -> None:
    wanted = grade(value, asked_zero_2)
    spelled = [full_width(value), f"{value}e0", f"{value}×10^0", value.replace(".", "．"), value.replace(".", "。")]
    if "." in value and len(value.partition(".")[2]) != 3:
        spelled.append(value.replace(".", ","))
    for text in spelled:
        verdict = grade(text, asked_zero_2)
        assert verdict.reading is not None
        assert wanted.reading is not None
        assert verdict.reading.value == wanted.reading.value
        assert verdict.reason is wanted.reason or wanted.reading.figures == 1 or "." not in value


UNITS = ["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "bit", "Gbit"]


@settings(max_examples=80, deadline=None)
@given(value=st.fractions(Fraction(1, 100), 5000), unit=st.sampled_from(UNITS))
def test_a_right_value_is_right_in_every_unit(value: Fraction, unit: str) -> None:
    asked = Asked(value * 10**9, units.parse("GB"))
    typed = Fraction(asked.value) / units.parse(unit).factor
    assert grade(f"{typed.numerator}/{typed.denominator} {unit}", asked).reason is Reason.CORRECT
    assert grade(f"{float(typed):.6e} {unit}", asked).reason is Reason.CORRECT
    assert grade(f"-{float(typed):.6e} {unit}", asked).reason is Reason.WRONG


@settings(max_examples=150, deadline=None)
@given(truth=st.fractions(Fraction(1, 1000), 10**6), share=st.integers(1, 20), side=st.sampled_from([-1, 1]))
def test_exactly_at_the_edge_is_right_and_beyond_it_is_not(truth: Fraction, share: int, side: int) -> None:
    from grading.answer import Tolerance

    asked = Asked(truth, units.PLAIN, Tolerance("relative", Fraction(share, 1000)))
    edge = truth * (1 + side * Fraction(share, 1000))
    beyond = truth * (1 + side * Fraction(share * 10**6 + 1, 10**9))
    assert is_right(read(f"({edge.numerator})/{edge.denominator}", asked), asked)
    assert not is_right(read(f"({beyond.numerator})/{beyond.denominator}", asked), asked)
    as_float = Asked(float(truth), units.PLAIN, asked.tolerance)
    assert is_right(read(f"({edge.numerator})/{edge.denominator}", as_float), as_float)


@settings(max_examples=150, deadline=None)
@given(truth=st.floats(1e-3, 1e6), figures=st.integers(2, 12))
def test_right_to_the_figures_typed_is_right(truth: float, figures: int) -> None:
    asked = Asked(Fraction(truth), units.PLAIN)
    assert grade(f"{truth:.{figures - 1}e}", asked).reason is Reason.CORRECT


@settings(max_examples=200, deadline=None)
@given(
    typed=st.one_of(
        values, values.map(lambda v: f"{v} MB"), values.map(lambda v: f"{v}e7 B"), values.map(lambda v: f"{v} GB")
    )
)
def test_what_is_shown_reads_back_to_the_same_verdict(typed: str, asked_zero_2) -> None:
    verdict = grade(typed, asked_zero_2)
    assert verdict.reading is not None
    shown = reading_text(verdict.reading.value, verdict.reading.unit, asked_zero_2.unit)
    again = grade(shown, asked_zero_2)
    assert again.reading is not None
    assert float(again.reading.value) == pytest.approx(float(verdict.reading.value), rel=1e-11)
    shows_as_much = again.reading.figures is not None and again.reading.figures == verdict.reading.figures
    assert again.reason is verdict.reason or not shows_as_much or "MB" in typed or "B" in typed


@settings(max_examples=300, deadline=None)
@given(
    value=st.one_of(st.floats(1e-250, 1e250), st.integers(-(10**15), 10**15).map(float), st.fractions(-(10**9), 10**9))
)
def test_a_shown_number_reads_back(value: float | Fraction) -> None:
    asked = Asked(Fraction(1), units.PLAIN)
    assert float(read(exact_text(value), asked).value) == pytest.approx(float(value), rel=1e-11)


def test_zero_has_no_figures_and_its_own_rule() -> None:
    zero = expected("0", "abs 1e-6")
    assert accepts(zero.value, read("1e-6", zero), zero.tolerance)
    assert not accepts(zero.value, read("0.0000011", zero), zero.tolerance)
    exactly = expected("0 GB")
    assert grade("0", exactly).reason is Reason.CORRECT
    assert grade("1e-20", exactly).reason is Reason.WRONG
