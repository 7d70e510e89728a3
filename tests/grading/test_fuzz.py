"""Fuzz stays within Anki's documented ranges and is the same every time it is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.fuzz import fuzz_bounds, fuzz_fraction, whole_days


@pytest.mark.parametrize(
    ("interval", "bounds"),
    [
        (1.0, (1, 1)),
        (2.49, (2, 2)),
        (2.5, (2, 4)),
        (7.0, (5, 9)),
        (17.0, (14, 20)),
        (37.0, (33, 41)),
        (100.0, (93, 107)),
    ],
)
def test_the_range_grows_with_the_interval(interval: float, bounds: tuple[int, int]) -> None:
    assert fuzz_bounds(interval, 1, 36_500) == bounds


def test_limits_narrow_the_range_but_leave_a_choice() -> None:
    assert fuzz_bounds(100.0, 101, 1000) == (101, 108)
    assert fuzz_bounds(100.0, 1, 99) == (92, 99)
    assert fuzz_bounds(2.0, 3, 1000) == (3, 4)
    assert fuzz_bounds(2.0, 3, 3) == (3, 3)


@given(
    interval=st.floats(0.1, 36_500),
    minimum=st.integers(1, 1000),
    maximum=st.integers(1, 36_500),
    card=st.text(max_size=20),
    attempts=st.integers(0, 500),
)
def test_the_day_chosen_lies_in_the_range(
    interval: float, minimum: int, maximum: int, card: str, attempts: int
) -> None:
    lower, upper = fuzz_bounds(interval, minimum, maximum)
    days = whole_days(interval, minimum, maximum, fuzz_fraction(card, attempts))
    assert min(minimum, maximum) <= lower <= days <= upper <= maximum
    assert days == whole_days(interval, minimum, maximum, fuzz_fraction(card, attempts))


def test_every_day_of_the_range_is_chosen_about_as_often() -> None:
    days = [whole_days(7.0, 1, 100, fuzz_fraction(f"pack/card-{i}", 3)) for i in range(5000)]
    assert set(days) == {5, 6, 7, 8, 9}
    assert all(850 < days.count(day) < 1150 for day in set(days))


def test_the_choice_changes_with_card_and_attempt_only() -> None:
    assert fuzz_fraction("zero/1", 2) == 0.9477268870341399, "the same on every machine and in every version"
    assert len({fuzz_fraction("zero/1", n) for n in range(100)}) == 100
    assert len({fuzz_fraction(f"zero/{n}", 1) for n in range(100)}) == 100
