"""`shardrill due`: today's counts for a shell prompt, from bare sqlite3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.glance import Glance, GlanceError, glance
from grading.days import date_of
from tui.clock import Clock
from tui.words import _, ngettext

if TYPE_CHECKING:
    from content.settings import Settings
    from tui.paths import Places


class NothingToRead(GlanceError):
    """The record is there and cannot be read; the message says what to do."""


def report(places: Places, settings: Settings, as_json: bool) -> str:
    """One line, or one JSON object. Raises NothingToRead."""
    now = Clock().now()
    try:
        seen = glance(places.data, settings, now)
    except GlanceError as error:
        raise NothingToRead(f"{error} Start shardrill: it says what can be done.") from error
    return _json(seen) if as_json else _line(seen)


def _json(seen: Glance) -> str:
    import json

    minutes = round(seen.expected_minutes, 1)
    return json.dumps(
        {
            "schema": "shardrill.due.v1",
            "day": date_of(seen.day).isoformat(),
            "due": {"value": seen.due, "unit": "cards"},
            "drills": {"value": seen.drills, "unit": "drills"},
            "new": {"value": seen.new, "unit": "cards"},
            "coming_back": {"value": seen.steps, "unit": "cards"},
            "expected": {"value": round(minutes * 60), "unit": "s"},
            "answered_today": {"value": seen.done_today, "unit": "answers"},
            "days_studied_of_7": {"value": seen.days_studied_of_7, "unit": "days"},
            "first_run": seen.first_run,
        }
    )


def _line(seen: Glance) -> str:
    if seen.first_run:
        return _("no record yet: start shardrill")
    if not seen.left:
        return _("nothing due")
    parts = [_("{count} due").format(count=seen.due)]
    if seen.drills:
        parts.append(ngettext("{count} drill", "{count} drills", seen.drills).format(count=seen.drills))
    if seen.steps:
        parts.append(ngettext("{count} coming back", "{count} coming back", seen.steps).format(count=seen.steps))
    parts.append(_("{count} new").format(count=seen.new))
    minutes = max(1, round(seen.expected_minutes))
    return ", ".join([*parts, _("about {minutes} min").format(minutes=minutes)])
