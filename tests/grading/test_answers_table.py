"""Typed answers and what must be said to them: the shared table, and other spellings of the same kinds."""

from __future__ import annotations

from pathlib import Path

import pytest

from grading.answer import Reason
from grading.table import BadTable, Row, difference, expected, rows_of, tolerance_of
from grading.units import parse

HERE = Path(__file__).parent
TABLES = ("answers.tsv", "spellings.tsv", "fuzz_finds.tsv")
ROWS = [(name, row) for name in TABLES for row in rows_of((HERE / name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize(("table", "row"), ROWS, ids=[f"{name}:{row.line}" for name, row in ROWS])
def test_row(table: str, row: Row, drills) -> None:
    assert difference(row, drills) is None


def test_every_reason_has_rows() -> None:
    assert {row.reason for _, row in ROWS} == set(Reason)


def test_escapes_stand_for_their_character() -> None:
    (row,) = rows_of("\t123 GB\t\t\\u3000123\tcorrect\t\t")
    assert row.typed == "\u3000123"


@pytest.mark.parametrize("line", ["a\tb", "\t1 GB\t\t1\tright\t\t"])
def test_a_bad_line_is_named(line: str) -> None:
    with pytest.raises(BadTable, match="line 1"):
        rows_of(line)


def test_an_unknown_drill_or_a_missing_value_is_named(drills) -> None:
    row = Row(7, "nothing n=1", "1", "", "1", Reason.CORRECT, None, "")
    with pytest.raises(BadTable, match="line 7: there is no drill nothing"):
        difference(row, drills)
    row = Row(7, "zero-2-memory phi=13B", "1", "", "1", Reason.CORRECT, None, "")
    with pytest.raises(BadTable, match="needs n="):
        difference(row, drills)


def test_what_is_expected_is_read_in_base_units() -> None:
    assert expected("48.75 GB").value == 48_750_000_000
    assert expected("42.5 %").value * 1000 == 425
    assert tolerance_of("abs 5", parse("kB")).amount == 5000
    assert tolerance_of("2 %", parse("GB")).amount * 50 == 1
    assert tolerance_of("", parse("GB")).amount * 100 == 1
