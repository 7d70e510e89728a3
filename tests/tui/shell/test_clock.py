"""The clock, event ids and the folders."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tui.clock import Clock, ClockError, EventIds
from tui.paths import find_places


def test_now_can_be_set_from_outside_and_runs_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDRILL_NOW", "2026-11-30T10:00:00+08:00")
    clock = Clock()
    first = clock.now()
    time.sleep(0.02)
    assert first.utc_offset_min == 480
    assert 1_796_004_000_000 <= first.at_ms < clock.now().at_ms < 1_796_004_005_000


def test_a_mark_at_the_end_makes_it_stand_still() -> None:
    clock = Clock("2026-11-30T10:00:00+05:30!")
    assert clock.now() == clock.now()
    assert clock.now().utc_offset_min == 330


def test_a_time_that_cannot_be_read_is_named() -> None:
    with pytest.raises(ClockError, match="unset it"):
        Clock("tomorrow")


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
@pytest.mark.parametrize(
    ("zone", "winter", "summer"), [("America/Los_Angeles", -480, -420), ("Asia/Kolkata", 330, 330)]
)
def test_the_offset_is_the_one_of_the_moment(
    monkeypatch: pytest.MonkeyPatch, zone: str, winter: int, summer: int
) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        for at_s, offset in ((1_768_471_200, winter), (1_784_109_600, summer)):
            monkeypatch.setattr(time, "time_ns", lambda at_s=at_s: at_s * 1_000_000_000)
            assert Clock("").now().utc_offset_min == offset
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system cannot change its zone")
def test_a_time_without_an_offset_is_local_and_clocks_change_on_their_night(monkeypatch: pytest.MonkeyPatch) -> None:
    """SCH-04: Paris, from 01:59 winter time to 03:09 summer time in ten minutes; a given offset stays."""
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    try:
        local, given = Clock("2026-03-29T01:59:00"), Clock("2026-03-29T01:59:00+01:00")
        assert (local.now().utc_offset_min, given.now().utc_offset_min) == (60, 60)
        later = time.monotonic_ns() + 600 * 1_000_000_000
        monkeypatch.setattr(time, "monotonic_ns", lambda: later)
        assert (local.now().utc_offset_min, given.now().utc_offset_min) == (120, 60)
        assert local.now().at_ms - given.now().at_ms < 1000
    finally:
        monkeypatch.undo()
        time.tzset()


def test_event_ids_rise_within_a_millisecond_and_when_the_clock_is_set_back() -> None:
    new_id = EventIds()
    ids = [new_id(at_ms) for at_ms in (5_000, 5_000, 5_000, 4_000, 6_000)]
    assert ids == sorted(set(ids))
    assert all(len(name) == 32 for name in ids)
    assert int(ids[0][:12], 16) == 5_000
    assert int(ids[-1][:12], 16) == 6_000


def test_two_processes_never_make_the_same_id() -> None:
    assert EventIds()(7) != EventIds()(7)


def test_option_wins_over_variable_and_both_move_everything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SHARDRILL_HOME", str(tmp_path / "home"))
    assert find_places().settings == tmp_path / "home" / "settings.toml"
    places = find_places(tmp_path / "other")
    assert {path.parent for path in (places.settings, places.record, places.packs)} == {tmp_path / "other"}


def test_without_either_the_platform_decides(tmp_path: Path) -> None:
    places = find_places()
    assert places.data != places.settings.parent or places.data.name == "shardrill"
    assert "shardrill" in str(places.data)
