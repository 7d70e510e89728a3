"""What Today tells below the counts once the record is open: a backlog, the way to an exam, answers begun and not finished."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui.words import _, ngettext

if TYPE_CHECKING:
    from content.practice import Backlog
    from content.settings import Settings
    from content.store import Record
    from content.sweeping import SweepPlan
    from grading.days import Instant

NEAR_DAYS = 14
"""From so many days before the exam on Today speaks of it."""


@dataclass(frozen=True, slots=True)
class TodayNotes:
    """Facts; they become sentences when they are shown, in the language of that moment."""

    backlog: Backlog | None = None
    sweep: SweepPlan | None = None
    drafts: int = 0

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

    return TodayNotes(backlog(record, settings, now), plan_sweep(record, settings, now), len(drafts(record)))


__all__ = ["NEAR_DAYS", "TodayNotes", "read_notes", "sweep_line"]
