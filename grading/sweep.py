"""Study towards a date: a sweep in the last days, and what it is expected to change.

In each of the last days the cards with the lowest recall predicted *for the date* are reviewed once, so many a day that
nothing is left over on the last and the day's minutes hold. The prediction is FSRS's: recall of a card that is not touched
is R(days since, S); one that is reviewed on a day is remembered then with R and gets the stability that success or failure
gives, weighted by R.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading import fsrs
from grading.memory import Memory, Rating

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

SWEEP_DAYS = 5
SECONDS_PER_CARD = 20.0
"""Seconds of one review where nothing is known of the learner's own times."""
WORTHWHILE = 0.002
"""A review must raise a card's predicted recall by so much to be planned."""


@dataclass(frozen=True, slots=True)
class SweepDay:
    """One day: `cards` are indices of the memories, the lowest predicted recall first; `due` reviews come on top of them."""

    day: int
    cards: tuple[int, ...]
    due: int
    minutes: float


@dataclass(frozen=True, slots=True)
class Sweep:
    """The plan and its prediction: mean recall on `exam_day` over all cards that were ever answered, without and with it.

    `left_over` cards would gain by a review and find no place within the minutes.
    """

    exam_day: int
    per_day: int
    days: tuple[SweepDay, ...]
    recall_without: float
    recall_with: float
    left_over: int

    @property
    def gain(self) -> float:
        return self.recall_with - self.recall_without


def recall_on(
    stability: ArrayLike, last_day: ArrayLike, day: float, weights: Sequence[float] = fsrs.DEFAULT_WEIGHTS
) -> Floats:
    """The predicted recall of each card on a day; `stability` in days, `last_day` the study day of its last answer."""
    import numpy as np

    elapsed = (day - np.asarray(last_day, dtype=np.float64)).clip(0.0)
    recall: Floats = fsrs.retrievability(weights, elapsed, np.asarray(stability, dtype=np.float64))
    return recall


def recall_if_reviewed(
    stability: ArrayLike,
    difficulty: ArrayLike,
    last_day: ArrayLike,
    on_day: ArrayLike,
    exam_day: int,
    weights: Sequence[float] = fsrs.DEFAULT_WEIGHTS,
) -> Floats:
    """The recall expected on `exam_day` of cards that are reviewed once on `on_day`: Good if remembered, else Again and Good."""
    import numpy as np

    s, d = np.asarray(stability, dtype=np.float64), np.asarray(difficulty, dtype=np.float64)
    day = np.broadcast_to(np.asarray(on_day, dtype=np.float64), s.shape)
    elapsed = (day - np.asarray(last_day, dtype=np.float64)).clip(0.0)
    now: Floats = fsrs.retrievability(weights, elapsed, s)
    good, again = np.full(s.shape, float(Rating.GOOD)), np.full(s.shape, float(Rating.AGAIN))
    passed = fsrs.next_stability(weights, s, d, elapsed, good)
    failed = fsrs.next_stability(weights, s, d, elapsed, again)
    relearned = fsrs.next_stability(weights, failed, d, np.zeros(s.shape), good)
    rest = (exam_day - day).clip(0.0)
    then: Floats = now * fsrs.retrievability(weights, rest, passed) + (1 - now) * fsrs.retrievability(
        weights, rest, relearned
    )
    return then


def sweep_plan(
    memories: Sequence[Memory],
    today: int,
    exam_day: int,
    minutes_per_day: float,
    *,
    seconds_per_card: float = SECONDS_PER_CARD,
    days: int = SWEEP_DAYS,
    weights: Sequence[float] = fsrs.DEFAULT_WEIGHTS,
) -> Sweep:
    """The sweep of the last `days` days before `exam_day` (study days), and the recall predicted without and with it.

    Cards due before the exam are counted as reviewed on their day in both; they take their minutes first, the sweep has the
    rest. Cards never answered are left out. Where the exam is nearer than `days`, the sweep is shorter; where it is past or
    today there is none.
    """
    import numpy as np

    known = [i for i, m in enumerate(memories) if m.stability is not None and m.last_day is not None]
    if not known:
        return Sweep(exam_day, 0, (), 0.0, 0.0, 0)
    s, d, last, due = _columns([memories[i] for i in known], today, exam_day)
    is_due = due < exam_day
    reviewed = recall_if_reviewed(s, d, last, due, exam_day, weights)
    without = np.where(is_due, reviewed, recall_on(s, last, exam_day, weights))
    sweep_days = range(max(today, exam_day - days), exam_day)
    best = recall_if_reviewed(s, d, last, exam_day - 1, exam_day, weights)
    wanted = np.flatnonzero((best - without > WORTHWHILE) & ~(is_due & (due >= exam_day - days)))
    wanted = wanted[np.argsort(without[wanted], kind="stable")]
    loads = [int(np.count_nonzero(is_due & (due == day))) for day in sweep_days]
    capacity = max(0, math.floor(minutes_per_day * 60 / max(seconds_per_card, 0.1) + 1e-9))
    picks, per_day = _spread(wanted, loads, capacity)
    with_it = without.copy()
    for day, chosen in zip(sweep_days, picks, strict=True):
        after = recall_if_reviewed(s[chosen], d[chosen], last[chosen], day, exam_day, weights)
        with_it[chosen] = np.maximum(after, without[chosen])
    plan = tuple(
        SweepDay(day, tuple(known[i] for i in chosen), load, (load + len(chosen)) * seconds_per_card / 60)
        for day, chosen, load in zip(sweep_days, picks, loads, strict=True)
    )
    left = len(wanted) - sum(map(len, picks))
    return Sweep(exam_day, per_day, plan, float(without.mean()), float(with_it.mean()), left)


def _columns(memories: Sequence[Memory], today: int, exam_day: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Stability, difficulty, last day and due day; what is overdue is due today, what has no day not before the exam."""
    import numpy as np

    due = [exam_day if m.due_day is None else max(m.due_day, today) for m in memories]
    columns = [[m.stability for m in memories], [m.difficulty or 5.0 for m in memories], [m.last_day for m in memories]]
    s, d, last = (np.array(column, dtype=np.float64) for column in columns)
    return s, d, last, np.array(due, dtype=np.float64)


def _spread(wanted: NDArray[np.int64], loads: Sequence[int], capacity: int) -> tuple[list[NDArray[np.int64]], int]:
    """The cards of each day: at most k, and never more than the day's room; k is the least that leaves nothing over.

    Cards with the lowest recall come first in `wanted`; where not all have room it is the others that are left out. The
    weakest are put on the last days, nearest to the exam, where a review is worth most for them.
    """
    room = [max(0, capacity - load) for load in loads]
    total = min(len(wanted), sum(room))
    per_day = next((k for k in range(max(room, default=0) + 1) if sum(min(k, r) for r in room) >= total), 0)
    chosen = wanted[:total]
    picks: list[NDArray[np.int64]] = []
    at = 0
    for r in reversed(room):
        size = min(per_day, r, total - at)
        picks.append(chosen[at : at + size])
        at += size
    return picks[::-1], per_day
