"""A throw-away record with ninety days of history, for `shardrill --demo`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from content.settings import Settings
    from tui.cli import Options
    from tui.clock import Clock
    from tui.paths import Places


class demo_places:  # noqa: N801 - used like a function
    """The places to work in: the learner's own, or with --demo a folder that is gone afterwards."""

    def __init__(self, options: Options, settings: Settings) -> None:
        self._options, self._settings = options, settings
        self._folder: TemporaryDirectory[str] | None = None

    def __enter__(self) -> Places:
        if not self._options.demo:
            return self._options.places
        import tempfile

        from tui.clock import Clock
        from tui.paths import find_places

        self._folder = tempfile.TemporaryDirectory(prefix="shardrill-demo-", ignore_cleanup_errors=True)
        places = find_places(self._folder.name)
        make_demo(places, self._settings, Clock())
        return places

    def __exit__(self, *_exc: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def make_demo(places: Places, settings: Settings, clock: Clock) -> None:
    """Write a record into the empty folder of `places`, its history ending the day before `clock`'s now."""
    from content.demo import build_demo
    from content.store import Record
    from tui.opening import sync_packs

    with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
        sync_packs(record, places, clock)
        build_demo(record, settings, clock.now())
