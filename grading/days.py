"""From an instant to a study day.

A study day is a whole number: days since 1970-01-01 of the local date, where the local date changes at the rollover
hour (04:00 unless set otherwise) rather than at midnight. It is computed from the instant and the offset from UTC
that was in force at that instant, so that a log can be replayed anywhere without knowing the learner's time zone.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass

MS_PER_MINUTE = 60_000
MINUTES_PER_DAY = 24 * 60
_EPOCH = datetime.date(1970, 1, 1)
_FIRST_DAY, _LAST_DAY = (datetime.date.min - _EPOCH).days, (datetime.date.max - _EPOCH).days


@dataclass(frozen=True, slots=True)
class Instant:
    """One reading of the clock: ms since 1970-01-01 UTC, and local time minus UTC in minutes at that moment."""

    at_ms: int
    utc_offset_min: int


def study_day(now: Instant, rollover_hour: int = 4) -> int:
    """The study day an instant belongs to, in days since 1970-01-01."""
    local_min = now.at_ms // MS_PER_MINUTE + now.utc_offset_min
    return (local_min - rollover_hour * 60) // MINUTES_PER_DAY


def date_of(day: int) -> datetime.date:
    """The calendar date on which a study day starts; of a day beyond the calendar its first or last date."""
    return _EPOCH + datetime.timedelta(days=min(max(day, _FIRST_DAY), _LAST_DAY))


def day_start_ms(day: int, utc_offset_min: int, rollover_hour: int) -> int:
    """The instant (ms since 1970-01-01 UTC) at which a study day starts under the given offset from UTC."""
    return (day * MINUTES_PER_DAY + rollover_hour * 60 - utc_offset_min) * MS_PER_MINUTE
