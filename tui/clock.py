"""The only place where the time is read, and where events get their ids."""

from __future__ import annotations

import os
import time
from datetime import datetime

from grading.days import Instant

_RANDOM_BITS = 80


class ClockError(ValueError):
    """SHARDRILL_NOW cannot be read as an instant."""


class Clock:
    """Reads the learner's clock and zone; `SHARDRILL_NOW` puts another instant in its place.

    `SHARDRILL_NOW=2026-11-30T10:00:00+08:00` starts there and runs on; with `!` at the end it stands still. Without an
    offset it is local time, and the zone's own offset is taken at every moment, so that clocks change on their night.
    """

    def __init__(self, override: str | None = None) -> None:
        text = os.environ.get("SHARDRILL_NOW", "") if override is None else override
        self._frozen = text.endswith("!")
        self._start, self._offset_given = _parse(text.rstrip("!")) if text else (None, False)
        self._started_ns = time.monotonic_ns()
        self.new_event_id = EventIds()

    def now(self) -> Instant:
        """The instant of this moment, with the offset from UTC that holds at this moment."""
        if self._start is not None:
            gone_ms = 0 if self._frozen else (time.monotonic_ns() - self._started_ns) // 1_000_000
            at_ms = self._start.at_ms + gone_ms
            return Instant(at_ms, self._start.utc_offset_min if self._offset_given else _local_offset_min(at_ms))
        at_ms = time.time_ns() // 1_000_000
        return Instant(at_ms, _local_offset_min(at_ms))


class EventIds:
    """Makes event ids: 48 bits of milliseconds and 80 random bits, as 32 hex digits.

    Within one process every id is greater than the one before, also within a millisecond and when the clock is set
    back, because of two events that speak of the same attempt the greater id wins.
    """

    def __init__(self) -> None:
        self._last = 0

    def __call__(self, at_ms: int) -> str:
        fresh = (at_ms << _RANDOM_BITS) | int.from_bytes(os.urandom(_RANDOM_BITS // 8))
        self._last = fresh if fresh > self._last else self._last + 1
        return f"{self._last:032x}"


new_event_id = EventIds()


def _local_offset_min(at_ms: int) -> int:
    return int(time.localtime(at_ms / 1000).tm_gmtoff) // 60


def _parse(text: str) -> tuple[Instant | None, bool]:
    """The instant, and whether it was written with an offset of its own."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ClockError(
            f"SHARDRILL_NOW={text!r} is not an instant; write it like 2026-11-30T10:00:00+08:00, or unset it."
        ) from None
    at_ms = int(moment.timestamp() * 1000)
    offset = moment.utcoffset()
    if offset is None:
        return Instant(at_ms, _local_offset_min(at_ms)), False
    return Instant(at_ms, int(offset.total_seconds()) // 60), True
