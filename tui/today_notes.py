"""What Today tells below the counts once the record is open: a backlog, the way to an exam, answers begun and not finished."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from content.week_of_drills import WeekOfDrills
from tui.widgets.flow import visible
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.practice import Backlog
    from content.settings import Settings
    from content.store import Record
    from content.sweeping import SweepPlan
    from grading.days import Instant

SHORT = {
    "gib-for-gb": N_("GiB for GB"),
    "gb-for-gib": N_("GB for GiB"),
    "bits-for-bytes": N_("bits for bytes"),
    "bytes-for-bits": N_("bytes for bits"),
    "power-of-1000": N_("a power of 1000 off"),
    "hundredfold": N_("percent for fraction"),
    "total-for-per-card": N_("total for one card's"),
    "off-by-one": N_("one off"),
}
"""General mistakes in as few words as a list has room for; `tui.verdict_words` explains them."""
NEAR_DAYS = 14
"""From so many days before the exam on Today speaks of it."""


@dataclass(frozen=True, slots=True)
class TodayNotes:
    """Facts; they become sentences when they are shown, in the language of that moment."""

    backlog: Backlog | None = None
    sweep: SweepPlan | None = None
    drafts: int = 0
    week: WeekOfDrills = field(default_factory=WeekOfDrills)
    day: int = 0

    def lines(self) -> list[str]:
        """One sentence each, the most pressing first."""
        found = []
        if self.drafts:
            told = ngettext(
                "{n} oral answer was begun and not finished: press o.",
                "{n} oral answers were begun and not finished: press o.",
                self.drafts,
            )
            found.append(told.format(n=self.drafts))
        if self.backlog is not None and self.backlog.is_one:
            told = _("{due} due, {today} today; the rest waits and is not lost.")
            found.append(told.format(due=self.backlog.due, today=self.backlog.today))
        if self.sweep is not None and self.sweep.days_left <= NEAR_DAYS and self.sweep.studied:
            found.append(sweep_line(self.sweep))
        return found

    def miss_lines(self, lang: str) -> list[tuple[str, str]]:
        """What the week's wrong answers to drills have in common: a name and what is told of it."""
        week, found = self.week, []
        if week.last_sure_miss_day is not None:
            ago = self.day - week.last_sure_miss_day
            when = _("last today") if ago <= 0 else ngettext("last {n} day ago", "last {n} days ago", ago).format(n=ago)
            found.append((_("Sure, and wrong"), f"{week.sure_misses}  {when}"))
        habit = week.habit
        if habit is not None:
            named = _(SHORT[habit.mistake_id]) if habit.mistake_id in SHORT else ""
            why = named or (visible(habit.why.of(lang)) if habit.why is not None else habit.mistake_id)
            told = _("{n} of {all} drills this week").format(n=habit.times, all=week.answers)
            found.append((why, told))
        return found


def sweep_line(plan: SweepPlan) -> str:
    """What is predicted for the date without and with a sweep, and what of it comes today."""
    when = ngettext("Exam in {n} day", "Exam in {n} days", plan.days_left).format(n=plan.days_left)
    told = _("{when}: recall then {without} as planned, {swept} with a sweep of the last days.").format(
        when=when, without=f"{plan.recall_without:.3f}", swept=f"{plan.recall_with:.3f}"
    )
    if plan.is_on and plan.today:
        cards = ngettext("{n} card of it today: press p.", "{n} cards of it today: press p.", len(plan.today))
        told += " " + cards.format(n=len(plan.today))
    return told


def read_notes(record: Record, settings: Settings, now: Instant) -> TodayNotes:
    """Read the facts; for a worker."""
    from content.drafts import drafts
    from content.practice import backlog
    from content.sweeping import plan_sweep
    from content.week_of_drills import week_of_drills
    from grading.days import study_day

    day = study_day(now, settings.rollover_hour)
    return TodayNotes(
        backlog(record, settings, now),
        plan_sweep(record, settings, now),
        len(drafts(record)),
        week_of_drills(record, day),
        day,
    )


__all__ = ["NEAR_DAYS", "TodayNotes", "read_notes", "sweep_line"]
