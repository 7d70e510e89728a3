"""From what was typed to plain text; every trouble has a code of its own."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import grading
from grading.answer import Asked, grade, read
from grading.reading import MAX_TYPED_CHARS, Trouble, Unreadable, fold
from grading.shown import exact_text, reading_text
from grading.table import expected
from grading.units import parse

SOURCES = sorted(Path(grading.__file__).parent.glob("*.py"))


def trouble_of(typed: str, asked: Asked) -> Trouble | None:
    verdict = grade(typed, asked)
    return verdict.trouble.code if verdict.trouble else None


@pytest.mark.parametrize(
    ("typed", "code", "detail"),
    [
        ("", "empty", ""), ("\u200b \u3000", "empty", ""), ("1" * 401, "too-long", "400"), ("(" * 60 + "1", "too-deep", "40"),
        ("48.75 \U0001f600", "character", "\U0001f600"), ("<48", "character", "<"), ("0x30", "character", "0"),
        ("七十亿", "han-digits", "七十亿"), ("12,34,567", "bad-groups", "12,34,567"), ("48.75.1", "two-points", "48.75.1"),
        ("48.75, 26", "two-values", ","), ("5 5 GB", "two-values", "5"), ("1/2(3)", "two-readings", "1/2(3)"),
        ("100000000!", "factorial", "100000000!"), ("nan", "not-finite", "nan"), ("1e400", "not-finite", "1e400"),
        ("9**9**9", "not-finite", ""), ("10^-400", "not-finite", ""), ("sqrt(-1)", "not-real", ""), ("log2(0)", "not-real", ""),
        ("1/0", "division-by-zero", ""), ("abc", "unknown-word", "abc"), ("48.75 m", "unknown-unit", "m"),
        ("5 GB/GB", "unknown-unit", "GB/GB"), ("5 GB*GB", "unknown-unit", "GB·GB"), ("GB", "unit-alone", "GB"),
        ("48.75 元", "unknown-unit", "元"), ("5 apples", "unknown-unit", "apples"),
        ("$", "unit-alone", "$"), ("26 GB + 2 s", "mixed-units", ""), ("390 gb", "bits-or-bytes", "gb"),
        ("2*13B+14*13B/8", "bytes-or-billions", ""), (")", "unexpected", ")"), ("2*", "unfinished", ""),
        ("(2", "bracket", ""), ("ceil(1,2)", "arguments", "ceil"),
    ],
)  # fmt: skip
def test_each_trouble(typed: str, code: str, detail: str) -> None:
    trouble = grade(typed, expected("48.75 GB")).trouble
    assert trouble is not None
    assert (str(trouble.code), trouble.detail) == (code, detail)


def test_names_are_told_from_words(zero_2, set_to) -> None:
    from grading.drill import problem_of

    asked = problem_of(zero_2, set_to(zero_2, phi="13B", n=8)).asked
    assert trouble_of("2Ψ + 14Ψ/N", asked) == "unknown-name"
    assert trouble_of("14P/N", asked) == "unknown-name"
    assert trouble_of("48.75 foo", asked) == "unknown-unit"
    assert trouble_of("foo", asked) == "unknown-name"


def test_every_code_that_is_raised_is_listed() -> None:
    """`Unreadable` refuses others when raised; here the sources are read, so that none waits to be found by a learner."""
    used = set()
    for source in SOURCES:
        for part in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "Trouble":
                used.add(part.attr)
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id == "Unreadable":
                assert not isinstance(part.args[0], ast.Constant), f"{source.name}:{part.lineno}"
    assert used == {trouble.name for trouble in Trouble}


def test_an_unlisted_code_is_refused() -> None:
    with pytest.raises(ValueError, match="not a valid Trouble"):
        Unreadable("something-else")


def test_the_limit_is_on_what_was_typed() -> None:
    assert fold("1" * MAX_TYPED_CHARS).text
    with pytest.raises(Unreadable, match="too-long"):
        fold(" " * (MAX_TYPED_CHARS + 1))


@pytest.mark.parametrize(
    ("typed", "notes"),
    [
        ("≈ 48.75", ("approximately",)), ("x = 48.75 GB", ("equals",)), ("每卡约 48.75 GB", ("per-card", "approximately")),
        ("48.75?", ("unsure",)), ("48.75！", ("sure",)), ("48.75 GB 左右.", ("punctuation", "approximately")), ("48.75", ()),
        ("26+22.75=48.75", ("working",)),
    ],
)  # fmt: skip
def test_what_was_put_aside_is_named(typed: str, notes: tuple[str, ...]) -> None:
    assert read(typed, expected("48.75 GB")).notes == notes


def test_confidence_reaches_the_verdict() -> None:
    assert grade("48.75 GB!", expected("48.75 GB")).notes == ("sure",)
    assert grade("26?", expected("48.75 GB")).notes == ("unsure",)


@pytest.mark.parametrize(
    ("typed", "asked", "shown"),
    [
        ("71,5", "48.75 GB", "71.5 GB"), ("1.38×10^-1", "0.138", "0.138"), ("45.4 GiB", "48.75 GB", "48.7478788096 GB"),
        ("-(3)", "3", "-3"), ("2*(57-1)", "112", "112"), ("1.2*10^4 GB", "12000 GB", "12,000 GB"),
        ("48.75 s", "48.75 GB", "48.75 s"),
        ("30%", "0.3", "30 %"), ("0.425", "42.5 %", "0.425 %"), ("1e-9 s", "1 ms", "1e-6 ms"), ("1.5倍", "1.5 x", "1.5x"),
        ("100 GB/s", "48.75 GB", "100 GB/s"), ("12 345.678", "1", "12,345.678"), ("1e30", "1", "1e30"),
    ],
)  # fmt: skip
def test_the_line_read_as(typed: str, asked: str, shown: str) -> None:
    wanted = expected(asked)
    reading = read(typed, wanted)
    assert reading_text(reading.value, reading.unit, wanted.unit) == shown


def test_exact_text_keeps_the_value() -> None:
    assert exact_text(1 / 14) == "0.0714285714286"
    assert parse("GB/s").symbol == "GB/s"
