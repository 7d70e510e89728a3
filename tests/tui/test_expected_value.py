"""What `shardrill grade --expect` takes for a value: number and unit in the spellings of papers and reports."""

from __future__ import annotations

import pytest

from grading.answer import Reason, grade
from tui.drill_commands import BadUse, asked_of


@pytest.mark.parametrize(
    ("expect", "typed"),
    [
        ("48.75 GB", "45.4 GiB"),
        ("5.88e23 FLOP", "5.88e8 PFLOP"),
        ("2.664M GPU-hours", "2664000"),
        ("37B parameters", "37e9"),
        ("13B", "13e9"),
        ("13 B", "13 bytes"),
        ("6.5B", "65亿"),
        ("1.83T tokens", "1.83e12"),
        ("$5.576M", "5.576e6 USD"),
        ("5.576e6 USD", "5.576M"),
        ("$2/h", "2"),
        ("42.5%", "0.425"),
        ("1/512", "0.001953125"),
        ("1.25 nats", "1.25"),
        ("1e9", "1e9"),
    ],
)
def test_the_value_itself_is_right(expect: str, typed: str) -> None:
    assert grade(typed, asked_of(expect, None)).reason is Reason.CORRECT


@pytest.mark.parametrize("expect", ["", "GB", "abc GB", "5 parsecs", "$", "4Φ", "1 2 GB x"])
def test_what_is_no_value_is_said(expect: str) -> None:
    with pytest.raises(BadUse, match="--expect"):
        asked_of(expect, None)
