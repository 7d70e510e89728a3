"""Which rating a graded answer proposes, and how soon a sure miss must come back.

A right answer is Good (never Easy by itself), or Hard when it took the second try. What is no real miss (another unit, too
few figures, another authority's convention, the formula in place of the number) is asked again once at no cost. What
cannot be read is no attempt. Time never lowers a rating.
"""

from __future__ import annotations

from dataclasses import replace

from grading.answer import Reason, Verdict
from grading.memory import Outcome, Outcomes, Rating

ASKED_AGAIN = frozenset({Reason.UNIT, Reason.IMPRECISE, Reason.CONVENTION, Reason.FORMULA})
"""Reasons that get one more try at no cost."""
MISSES = frozenset({Reason.MISTAKE, Reason.WRONG})
SURE_MISS_DAYS = 7
"""A wrong answer given as sure comes back within so many days, whatever the schedule says."""


def proposed(reason: Reason, *, second_try: bool) -> Rating | None:
    """The rating that an answer proposes; None where it is asked again at no cost."""
    if reason is Reason.UNREADABLE or (reason in ASKED_AGAIN and not second_try):
        return None
    if reason is Reason.CORRECT:
        return Rating.HARD if second_try else Rating.GOOD
    return Rating.AGAIN


def confidence_of(verdict: Verdict) -> str | None:
    """`sure` for 48.75!, `unsure` for 48.75?, else None."""
    notes = verdict.reading.notes if verdict.reading is not None else verdict.notes
    return next((note for note in ("sure", "unsure") if note in notes), None)


def is_sure_miss(reason: str, confidence: str | None) -> bool:
    """Whether a wrong answer was given as sure."""
    return confidence == "sure" and reason in MISSES


def within_days(outcomes: Outcomes, days: int = SURE_MISS_DAYS) -> Outcomes:
    """The outcomes with no interval longer than `days`; steps and the memory itself stay as they are."""

    def cut(outcome: Outcome) -> Outcome:
        longer = outcome.interval_days is not None and outcome.interval_days > days
        return replace(outcome, interval_days=days) if longer else outcome

    return replace(
        outcomes,
        again=cut(outcomes.again),
        hard=cut(outcomes.hard),
        good=cut(outcomes.good),
        easy=cut(outcomes.easy),
    )
