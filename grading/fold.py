"""The memory of many cards from their whole history, in one vectorised pass.

It gives the stability and difficulty that answering one by one gave (to 1e-9: powers of arrays and of floats may differ
in the last bit). The k-th answers of all cards are computed together, so that half a million answers are a few dozen
array operations. Cards with a history much longer than the others' are finished one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from grading import fsrs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

RESET = 0
"""In place of a rating: the card was made new again, what came before no longer counts."""

_FEW = 24  # below so many cards at once, plain floats are faster than arrays


def fold_memory_states(
    card_index: ArrayLike,
    rating: ArrayLike,
    day: ArrayLike,
    *,
    cards: int,
    weights: Sequence[float] = fsrs.DEFAULT_WEIGHTS,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Stability (days) and difficulty of cards 0 to `cards` - 1 after all their answers; NaN where there is none.

    The three arrays have one row for each answer that moved a schedule (no practice, nothing retracted), each card's
    rows in the order they happened: the card's index, the rating 1-4 or RESET, the study day. Raises ValueError when
    the arrays differ in length or name a card or rating that does not exist.
    """
    import numpy as np

    card = np.asarray(card_index, dtype=np.int64)
    grade = np.asarray(rating, dtype=np.float64)
    days = np.asarray(day, dtype=np.float64)
    _check(card, grade, days, cards)
    if (card[1:] < card[:-1]).any():
        order = np.argsort(card, kind="stable")
        card, grade, days = card[order], grade[order], days[order]
    if (grade == RESET).any():
        kept = _after_last_reset(card, grade, cards)
        card, grade, days = card[kept], grade[kept], days[kept]
    counts = np.bincount(card, minlength=cards)
    # Cards with the longest history first: those that still have a k-th answer are then always a leading slice.
    answered = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    starts = (np.cumsum(counts) - counts)[answered]
    stability, difficulty = np.full(cards, np.nan), np.full(cards, np.nan)
    stability[answered], difficulty[answered] = _fold_slices(starts, counts[answered], grade, days, weights)
    return stability, difficulty


def _fold_slices(
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    grade: NDArray[np.float64],
    days: NDArray[np.float64],
    weights: Sequence[float],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fold the rows `starts` to `starts + lengths` of each card; the lengths fall from card to card."""
    import numpy as np

    s: NDArray[np.float64] = fsrs.initial_stability(weights, grade[starts])
    d: NDArray[np.float64] = fsrs.initial_difficulty(weights, grade[starts])
    k, active = 1, int(np.count_nonzero(lengths > 1))
    while active > _FEW:
        rows = starts[:active] + k
        elapsed = (days[rows] - days[rows - 1]).clip(0.0)
        s[:active] = fsrs.next_stability(weights, s[:active], d[:active], elapsed, grade[rows])
        d[:active] = fsrs.next_difficulty(weights, d[:active], grade[rows])
        k += 1
        active = int(np.count_nonzero(lengths > k))
    for i in range(active):
        rest = slice(starts[i] + k - 1, starts[i] + lengths[i])
        s[i], d[i] = _finish(float(s[i]), float(d[i]), grade[rest].tolist(), days[rest].tolist(), weights)
    return s, d


def _check(card: NDArray[np.int64], grade: NDArray[np.float64], days: NDArray[np.float64], cards: int) -> None:
    import numpy as np

    if not len(card) == len(grade) == len(days):
        raise ValueError("Cards, ratings and days must be as many as each other.")
    if len(card) and not (card.min() >= 0 and card.max() < cards):
        raise ValueError(f"A card's index must lie from 0 to {cards - 1}.")
    if len(card) and not (grade.min() >= RESET and grade.max() <= 4 and (np.floor(grade) == grade).all()):
        raise ValueError("A rating must be 1, 2, 3 or 4, or 0 for a reset.")


def _after_last_reset(card: NDArray[np.int64], grade: NDArray[np.float64], cards: int) -> NDArray[np.bool_]:
    """Which rows, sorted by card, come after their card's last reset."""
    import numpy as np

    last = np.full(cards, -1, dtype=np.int64)
    resets = np.flatnonzero(grade == RESET)
    last[card[resets]] = resets  # of one card's resets the later overwrites the earlier
    kept: NDArray[np.bool_] = np.arange(len(card)) > last[card]
    return kept


def _finish(
    stability: float, difficulty: float, grades: list[float], days: list[float], weights: Sequence[float]
) -> tuple[float, float]:
    """One card's remaining answers; the first row is the answer that led to the state given."""
    for grade, day, before in zip(grades[1:], days[1:], days, strict=False):
        elapsed = max(day - before, 0.0)
        stability = fsrs.next_stability(weights, stability, difficulty, elapsed, grade)
        difficulty = fsrs.next_difficulty(weights, difficulty, grade)
    return stability, difficulty
