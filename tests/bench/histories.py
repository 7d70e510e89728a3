"""One synthetic review history for every program that is compared: half the cards reviewed, ten attempts each.

Cards are simulated with slightly changed FSRS-6 weights, the default steps (1m 10m, relearning 10m), random lateness
and random recall, so the log has same-day attempts, lapses and realistic intervals. Arrays are card by card.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grading.fsrs import DEFAULT_WEIGHTS

DAY_S = 86_400
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class History:
    """`first[c]`..`first[c] + counts[c]` are the attempts of reviewed card c."""

    counts: Ints
    first: Ints
    card: Ints
    at_ms: Ints
    rating: Ints
    phase: Ints  # before the attempt: 0 new, 1 learning, 2 review, 3 relearning
    interval: Ints  # given by the attempt: days where positive, seconds where negative
    stability: Floats
    difficulty: Floats


def make(reviewed_cards: int, attempts: int, now_s: float, seed: int = 7) -> History:
    """`attempts` attempts over `reviewed_cards` cards, each history ending 1 day to 1.1 intervals before `now_s`."""
    rng = np.random.default_rng(seed)
    counts = _counts(reviewed_cards, attempts, rng)
    first = np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64)
    rating = np.zeros(attempts, np.int64)
    at_s = np.zeros(attempts)
    phase = np.zeros(attempts, np.int64)
    interval = np.zeros(attempts, np.int64)
    state = _Cards.fresh(reviewed_cards)
    for k in range(int(counts.max())):
        live = np.flatnonzero(counts > k)
        rows = first[live] + k
        phase[rows] = state.phase[live]
        at_s[rows] = state.at_s[live]
        rating[rows], interval[rows] = state.step_on(live, k == 0, rng)
    last = first + counts - 1
    given = np.where(interval[last] > 0, interval[last], 1)
    ends = (
        now_s
        - np.maximum(1, np.floor(rng.random(reviewed_cards) * given * 1.1)) * DAY_S
        - rng.uniform(60, 8 * 3600, reviewed_cards)
    )
    at_ms = np.floor((at_s + np.repeat(ends - at_s[last], counts)) * 1000).astype(np.int64)
    at_ms = _distinct(at_ms, int(now_s * 1000))
    card = np.repeat(np.arange(reviewed_cards), counts)
    return History(counts, first, card, at_ms, rating, phase, interval, state.stability, state.difficulty)


def _counts(cards: int, total: int, rng: np.random.Generator) -> Ints:
    """At least two attempts a card, skewed as a real collection is, with the given sum."""
    mean = total / cards
    counts = 2 + rng.negative_binomial(4, 4 / (4 + mean - 2), cards)
    while missing := total - int(counts.sum()):
        step = 1 if missing > 0 else -1
        chosen = rng.choice(cards, min(abs(missing), cards), replace=False)
        counts[chosen[counts[chosen] + step >= 2]] += step
    return counts.astype(np.int64)


def _distinct(at_ms: Ints, latest: int) -> Ints:
    """Strictly increasing in time order, as ids made from them must be."""
    order = np.argsort(at_ms, kind="stable")
    ramp = np.arange(len(at_ms))
    ordered = np.maximum.accumulate(at_ms[order] - ramp) + ramp
    result = np.empty_like(at_ms)
    result[order] = ordered - max(0, int(ordered[-1]) - latest + 1)
    return result


@dataclass(slots=True)
class _Cards:
    phase: Ints
    passed: Ints
    stability: Floats
    difficulty: Floats
    at_s: Floats
    last_s: Floats

    @classmethod
    def fresh(cls, n: int) -> _Cards:
        return cls(np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n))

    def step_on(self, live: Ints, is_first: bool, rng: np.random.Generator) -> tuple[Ints, Ints]:
        n = len(live)
        elapsed = np.floor((self.at_s[live] - self.last_s[live]) / DAY_S)
        if is_first:
            rating = rng.choice([1, 2, 3, 4], n, p=[0.24, 0.10, 0.50, 0.16])
        else:
            recalled = rng.random(n) < np.where(elapsed < 1, 0.93, _recall(elapsed, self.stability[live]))
            rating = np.where(recalled, rng.choice([2, 3, 4], n, p=[0.10, 0.80, 0.10]), 1)
        stability, difficulty = _next(self.stability[live], self.difficulty[live], rating, elapsed, is_first)
        self.stability[live], self.difficulty[live] = stability, difficulty
        return rating, self._schedule(live, rating, stability, rng)

    def _schedule(self, live: Ints, rating: Ints, stability: Floats, rng: np.random.Generator) -> Ints:
        n = len(live)
        before, passed = self.phase[live], self.passed[live]
        learning, relearning, review = before <= 1, before == 3, before == 2
        graduates = (
            ((rating == 4) & ~review)
            | ((rating == 3) & ((learning & (passed >= 1)) | relearning))
            | (review & (rating > 1))
        )
        days = np.clip(np.round(stability + rng.uniform(-0.05, 0.05, n) * stability), 1, 365)
        hard_s = np.where(learning & (passed == 0), 330, 600)
        delay_s = np.where(rating == 1, np.where(learning, 60, 600), np.where(rating == 2, hard_s, 600))
        self.phase[live] = np.where(graduates, 2, np.where(review, 3, np.where(relearning, 3, 1)))
        self.passed[live] = np.where(
            graduates | (rating == 1), 0, np.where((rating == 3) & learning, passed + 1, passed)
        )
        late = np.where(rng.random(n) < 0.8, 0, rng.geometric(0.3, n))
        wait = np.where(
            graduates, (days + late) * DAY_S + rng.uniform(0, 6 * 3600, n), delay_s * rng.uniform(1.0, 1.5, n) + 5
        )
        self.last_s[live] = self.at_s[live]
        self.at_s[live] += np.floor(wait)
        return np.where(graduates, days, -delay_s).astype(np.int64)


_W = np.array(DEFAULT_WEIGHTS) * np.array([1, 1, 0.8, 1, 1, 1, 1, 1, 0.93, *[1] * 12])
_DECAY = -0.2
_FACTOR = 0.9 ** (1 / _DECAY) - 1


def _recall(elapsed_days: Floats, stability: Floats) -> Floats:
    result: Floats = (1 + _FACTOR * elapsed_days / stability) ** _DECAY
    return result


def _next(s: Floats, d: Floats, rating: Ints, elapsed: Floats, is_first: bool) -> tuple[Floats, Floats]:
    """The simulated learners' memory; not the scheduler under test (that one is in `grading.fsrs`)."""
    w = _W
    if is_first:
        return w[:4][rating - 1].copy(), np.clip(w[4] - np.exp(w[5] * (rating - 1)) + 1, 1, 10)
    recall = _recall(elapsed, s)
    grown = s * (
        1
        + np.exp(w[8])
        * (11 - d)
        * s ** -w[9]
        * np.expm1((1 - recall) * w[10])
        * np.where(rating == 2, w[15], 1)
        * np.where(rating == 4, w[16], 1)
    )
    lapsed = np.minimum(
        w[11] * d ** -w[12] * ((s + 1) ** w[13] - 1) * np.exp((1 - recall) * w[14]), s / np.exp(w[17] * w[18])
    )
    gain = np.exp(w[17] * (rating - 3 + w[18])) * s ** -w[19]
    same_day = s * np.where(rating >= 2, np.maximum(gain, 1), gain)
    stability = np.maximum(np.where(elapsed < 1, same_day, np.where(rating == 1, lapsed, grown)), 0.001)
    eased = d - (10 - d) * w[6] * (rating - 3) / 9
    difficulty = np.clip(w[7] * (w[4] - np.exp(w[5] * 3) + 1) + (1 - w[7]) * eased, 1, 10)
    return stability, difficulty


def now_s() -> float:
    return time.time()
