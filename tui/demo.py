"""A throw-away record with ninety days of history, for `shardrill --demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.settings import Settings
    from tui.clock import Clock
    from tui.paths import Places


def make_demo(places: Places, settings: Settings, clock: Clock) -> None:
    """Write a record into the empty folder of `places`, its history ending the day before `clock`'s now."""
    from content.demo import build_demo
    from content.store import Record
    from tui.opening import sync_packs

    with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
        sync_packs(record, places, clock)
        build_demo(record, settings, clock.now())
