"""One event of a card's history in words."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING

from content.events import Kind, Purpose
from grading.days import date_of
from tui.intervals import rating_name
from tui.screens.today import date_text
from tui.widgets.flow import visible
from tui.words import N_, _

if TYPE_CHECKING:
    from content.events import NewEvent

EVENT_NAMES = {
    Kind.SET_DUE: N_("date set by hand"),
    Kind.RESET: N_("made new again"),
    Kind.SUSPEND: N_("suspended"),
    Kind.UNSUSPEND: N_("back in rotation"),
    Kind.BURY: N_("buried for the day"),
    Kind.FLAG: N_("flagged"),
    Kind.UNFLAG: N_("flag taken off"),
    Kind.NOTE: N_("note changed"),
    Kind.EDIT: N_("text edited"),
    Kind.DISPUTE: N_("disputed"),
    Kind.REGRADE: N_("graded again"),
}
PURPOSE_NAMES = {
    Purpose.PRACTICE: N_("practice"),
    Purpose.AHEAD: N_("ahead of time"),
    Purpose.LADDER: N_("ladder"),
    Purpose.EXAM: N_("exam"),
}


def day_text(day: int, today: int) -> str:
    """A study day's date; with its year where that is not this one."""
    date, this_year = date_of(day), date_of(today).year
    return date_text(date) if date.year == this_year else with_year(date)


def with_year(date: datetime.date) -> str:
    """`Mon 30 Nov 2025`, `2025年11月30日 周一`."""
    return _("{date} {year}").format(date=date_text(date), year=date.year)


def event_parts(event: NewEvent, today: int) -> list[str]:
    """When it was, what was done, and what came of it."""
    parts = [day_text(event.day, today)]
    if event.kind is not Kind.ATTEMPT or event.rating is None:
        return [*parts, _(EVENT_NAMES.get(event.kind, event.kind.value))]
    parts.append(rating_name(event.rating))
    if event.took_ms:
        parts.append(_("{n}s").format(n=max(1, round(event.took_ms / 1000))))
    if event.purpose in PURPOSE_NAMES:
        parts.append(_(PURPOSE_NAMES[event.purpose]))
    if event.due_day is not None:
        parts.append(_("next {date}").format(date=day_text(event.due_day, today)))
    typed = _typed(event.response)
    return [*parts, "> " + visible(typed)] if typed else parts


def _typed(response: str | None) -> str:
    """The line that was typed before the answer."""
    try:
        read = json.loads(response or "{}")
    except ValueError:
        return ""
    typed = read.get("typed") if isinstance(read, dict) else None
    return typed if isinstance(typed, str) else ""
