"""A study day turns at the rollover hour of the learner's own clock, in every zone and on every night."""

from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.days import Instant, date_of, day_start_ms, study_day


def at(zone: str, year: int, month: int, day: int, hour: int, minute: int = 0, *, fold: int = 0) -> Instant:
    """What the clock gives at a local time; `fold=1` is the second pass of an hour that occurs twice."""
    moment = dt.datetime(year, month, day, hour, minute, tzinfo=ZoneInfo(zone), fold=fold)
    offset = moment.utcoffset()
    assert offset is not None
    return Instant(int(moment.timestamp() * 1000), int(offset.total_seconds()) // 60)


def studied_on(now: Instant, rollover_hour: int = 4) -> str:
    return date_of(study_day(now, rollover_hour)).isoformat()


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "Asia/Kolkata", "America/Los_Angeles", "Europe/Paris", "UTC"])
def test_the_night_belongs_to_the_day_before_in_every_zone(zone: str) -> None:
    assert studied_on(at(zone, 2026, 3, 10, 23, 30)) == "2026-03-10"
    assert studied_on(at(zone, 2026, 3, 11, 0, 30)) == "2026-03-10"
    assert studied_on(at(zone, 2026, 3, 11, 3, 59)) == "2026-03-10"
    assert studied_on(at(zone, 2026, 3, 11, 4, 0)) == "2026-03-11"
    assert studied_on(at(zone, 2026, 3, 11, 8, 0)) == "2026-03-11"


def test_the_rollover_hour_is_a_setting() -> None:
    assert studied_on(at("Asia/Shanghai", 2026, 3, 11, 0, 0), rollover_hour=0) == "2026-03-11"
    assert studied_on(at("Asia/Shanghai", 2026, 3, 11, 5, 59), rollover_hour=6) == "2026-03-10"


def test_paris_loses_an_hour_and_no_day() -> None:
    before, after = at("Europe/Paris", 2026, 3, 29, 1, 30), at("Europe/Paris", 2026, 3, 29, 3, 30)
    assert after.at_ms - before.at_ms == 3_600_000
    assert studied_on(before) == studied_on(after) == "2026-03-28"
    assert studied_on(at("Europe/Paris", 2026, 3, 29, 3, 59)) == "2026-03-28"
    assert studied_on(at("Europe/Paris", 2026, 3, 29, 4, 0)) == "2026-03-29"


def test_paris_gains_an_hour_and_no_day() -> None:
    first, second = at("Europe/Paris", 2026, 10, 25, 2, 30), at("Europe/Paris", 2026, 10, 25, 2, 30, fold=1)
    assert second.at_ms - first.at_ms == 3_600_000
    assert studied_on(first) == studied_on(second) == "2026-10-24"
    assert studied_on(at("Europe/Paris", 2026, 10, 25, 4, 0)) == "2026-10-25"


def test_early_mornings_around_a_change_fall_on_consecutive_days() -> None:
    for month, first in ((3, 27), (10, 23)):
        days = [study_day(at("Europe/Paris", 2026, month, first + i, 4, 30)) for i in range(5)]
        assert days == list(range(days[0], days[0] + 5))


def test_a_clock_set_back_gives_an_earlier_day_and_no_error() -> None:
    assert study_day(at("Asia/Shanghai", 1969, 12, 31, 12)) == -1
    assert study_day(at("Asia/Shanghai", 2020, 1, 1, 12)) < study_day(at("Asia/Shanghai", 2026, 1, 1, 12))


@given(
    day=st.integers(-40_000, 80_000),
    offset=st.sampled_from([-720, -480, -210, 0, 60, 330, 345, 480, 840]),
    rollover=st.integers(0, 23),
)
def test_a_day_starts_at_its_first_instant(day: int, offset: int, rollover: int) -> None:
    start = day_start_ms(day, offset, rollover)
    assert study_day(Instant(start, offset), rollover) == day
    assert study_day(Instant(start - 1, offset), rollover) == day - 1
