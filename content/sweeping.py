"""Study towards a date: what the sweep of the last days asks today, and what it changes. Reads all studied cards: a worker's
job.

A sitting over it is `Session(..., purpose=Purpose.AHEAD, selection=plan.selection)`: the reviews move the schedule.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from content import today
from content.events import Kind, Purpose, Queue
from content.practice import Selection
from content.queue import rows_of
from grading.days import Instant, study_day
from grading.memory import Memory, Phase
from grading.sweep import SWEEP_DAYS, Sweep, sweep_plan

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record

_Card = tuple[int, Memory]
CHUNK = 20_000
EPOCH = datetime.date(1970, 1, 1)
STUDIED = f"""
SELECT m.card_key, m.stability, m.difficulty, m.last_day, m.due_day FROM memory m
WHERE m.learner = :learner AND m.queue IN ({Queue.STEPS:d}, {Queue.REVIEW:d})
  AND m.stability > 0 AND m.difficulty BETWEEN 1 AND 10 AND m.last_day IS NOT NULL AND m.card_key > :after
ORDER BY m.card_key LIMIT {CHUNK}
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """The way to the date. `today` are the keys of the cards to review ahead today, the weakest first.

    `recall_without` and `recall_with` are the mean chances of recall on the date over all cards ever answered; `per_day`
    cards come in each of the last days, and `left_over` find no place within the minutes. `done_today` were swept today
    already.
    """

    exam_day: int
    days_left: int
    first_day: int
    today: tuple[int, ...]
    done_today: int
    recall_without: float
    recall_with: float
    per_day: int
    left_over: int
    studied: int
    days: tuple[tuple[int, int, int], ...]  # (study day, cards of the sweep, reviews due besides)

    @property
    def is_on(self) -> bool:
        """Whether today is one of the days of the sweep."""
        return any(day == self.exam_day - self.days_left for day, _, _ in self.days)

    @property
    def selection(self) -> Selection:
        """Today's cards, for a sitting."""
        return Selection("cards", len(self.today), keys=self.today)


def exam_day(settings: Settings) -> int | None:
    """The study day of the exam; None where no date is set."""
    return None if settings.exam_date is None else (settings.exam_date - EPOCH).days


def plan_sweep(record: Record, settings: Settings, now: Instant, days: int = SWEEP_DAYS) -> SweepPlan | None:
    """The sweep towards the date in the settings; None without a date, or when it is today or past."""
    date, day = exam_day(settings), study_day(now, settings.rollover_hour)
    if date is None or date <= day:
        return None
    first = max(day, date - days)
    fresh, swept = _studied(record, settings, date - days)
    pace = today.recent_pace(rows_of(record), settings.learner)
    how: dict[str, Any] = {"seconds_per_card": pace.review_s, "days": days, "weights": settings.plan().weights}
    found = sweep_plan([memory for _, memory in fresh], day, date, settings.minutes_per_day, **how)
    behind = sweep_plan([memory for _, memory in swept], day, date, 0.0, **how)
    done = _swept_on(record, day)
    due_again = {one.day: one.due for one in behind.days}

    def mean(recall: float) -> float:
        total = len(fresh) + len(swept)
        return (recall * len(fresh) + behind.recall_without * len(swept)) / total if total else 0.0

    return SweepPlan(
        exam_day=date,
        days_left=date - day,
        first_day=first,
        today=tuple(fresh[index][0] for index in _share_of_today(found, day, done)),
        done_today=done,
        recall_without=mean(found.recall_without),
        recall_with=mean(found.recall_with),
        per_day=found.per_day,
        left_over=found.left_over,
        studied=len(fresh) + len(swept),
        days=tuple((one.day, len(one.cards), one.due + due_again.get(one.day, 0)) for one in found.days),
    )


def _share_of_today(found: Sweep, day: int, done: int) -> tuple[int, ...]:
    """Today's cards less those swept today: what is done must not make room for tomorrow's."""
    cards = next((one.cards for one in found.days if one.day == day), ())
    if not done or not found.days:
        return cards
    planned = sum(len(one.cards) for one in found.days) + done
    return cards[: max(0, math.ceil(planned / len(found.days)) - done)]


def _studied(record: Record, settings: Settings, first: int) -> tuple[list[_Card], list[_Card]]:
    """All studied cards, those answered since the day `first` apart: the sweep asks each card once."""
    fresh: list[_Card] = []
    swept: list[_Card] = []
    rows, after = rows_of(record), -1
    while chunk := rows(STUDIED, {"learner": settings.learner, "after": after}):
        after = chunk[-1][0]
        for card_key, stability, difficulty, last_day, due_day in chunk:
            memory = Memory(Phase.REVIEW, 0, stability, difficulty, due_day, last_day=last_day, attempts=1)
            (fresh if last_day < first else swept).append((card_key, memory))
    return fresh, swept


def _swept_on(record: Record, day: int) -> int:
    """How many cards were reviewed ahead on a day."""
    ahead = (e for e in record.attempts_on(day) if e.kind is Kind.ATTEMPT and e.purpose is Purpose.AHEAD)
    return len({event.card_key for event in ahead})


__all__ = ["SweepPlan", "exam_day", "plan_sweep"]
