"""Ratings and intervals in words, the same on buttons, in history and in plain sessions."""

from __future__ import annotations

from typing import Protocol

from grading.schedule import Phase, Rating
from tui.words import N_, _, ngettext

RATING_NAMES = {
    Rating.AGAIN: N_("Again"),
    Rating.HARD: N_("Hard"),
    Rating.GOOD: N_("Good"),
    Rating.EASY: N_("Easy"),
}
PHASE_NAMES = {
    Phase.NEW: N_("new"),
    Phase.LEARNING: N_("learning"),
    Phase.REVIEW: N_("in review"),
    Phase.RELEARNING: N_("learning again"),
}


class Interval(Protocol):
    """What both an outcome and an answered card have: a delay in seconds or an interval in days."""

    @property
    def delay_s(self) -> int | None: ...

    @property
    def interval_days(self) -> int | None: ...


def rating_name(rating: int) -> str:
    """The name of a rating in the current language."""
    return _(RATING_NAMES[Rating(rating)])


def phase_name(phase: int) -> str:
    """The name of a phase in the current language."""
    return _(PHASE_NAMES[Phase(phase)])


def short_interval(interval: Interval) -> str:
    """`10m`, `6d`, `2.7y`: as short as a button needs it; empty when nothing is scheduled."""
    if interval.delay_s is not None:
        return short_seconds(interval.delay_s)
    return "" if interval.interval_days is None else short_days(interval.interval_days)


def short_seconds(seconds: int) -> str:
    """A delay within a day: `30s`, `10m`, `2h`."""
    if seconds < 60:
        return _("{n}s").format(n=seconds)
    if seconds < 5400:
        return _("{n}m").format(n=round(seconds / 60))
    return _("{n}h").format(n=f"{seconds / 3600:.1f}".removesuffix(".0"))


def short_days(days: int) -> str:
    """An interval of whole days: `6d`, `400d`, `2.7y`."""
    if days < 730:
        return _("{n}d").format(n=days)
    return _("{n}y").format(n=f"{days / 365.25:.1f}".removesuffix(".0"))


def long_interval(interval: Interval) -> str:
    """`in 10 minutes`, `in 6 days`: for a sentence."""
    if interval.delay_s is not None:
        minutes = max(1, round(interval.delay_s / 60))
        return ngettext("in {n} minute", "in {n} minutes", minutes).format(n=minutes)
    if interval.interval_days is None:
        return ""
    return ngettext("in {n} day", "in {n} days", interval.interval_days).format(n=interval.interval_days)
