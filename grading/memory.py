"""The words of scheduling: ratings, phases, a card's memory, the plan it follows, what an answer makes of it."""

from __future__ import annotations

from dataclasses import dataclass

from grading import fsrs
from grading.fsrs import DEFAULT_WEIGHTS
from grading.phases import Phase, Rating
from grading.steps import SECONDS_PER_DAY


class PlanError(ValueError):
    """A plan that cannot be followed; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known of one card: its FSRS state and when it is due.

    `step` counts the steps left, the current one included, and is 0 outside steps. A card in steps is due at an
    instant (`due_ms`), one in review on a study day (`due_day`). `stability` is in days, `difficulty` runs from 1 to
    10; both are None until the first answer. `leech` stays set once the card was marked.
    """

    phase: Phase = Phase.NEW
    step: int = 0
    stability: float | None = None
    difficulty: float | None = None
    due_day: int | None = None
    due_ms: int | None = None
    scheduled_days: int = 0
    last_day: int | None = None
    last_ms: int | None = None
    attempts: int = 0
    lapses: int = 0
    leech: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The learner's settings that decide intervals; raises PlanError or fsrs.WeightsError when they cannot be followed.

    `first_interval_cap_days` limits the interval with which a card leaves learning (twice the days just survived are
    always allowed). As the published weights give eight days at most there, it is off here, which keeps intervals equal
    to Anki's; it is meant for weights fitted to a small history. `leech_lapses` 0 turns the leech mark off.
    """

    weights: tuple[float, ...] = DEFAULT_WEIGHTS
    desired_retention: float = 0.90
    learning_steps_s: tuple[int, ...] = (60, 600)
    relearning_steps_s: tuple[int, ...] = (600,)
    maximum_interval_days: int = 36_500
    first_interval_cap_days: int = 36_500
    leech_lapses: int = 8
    fuzz: bool = True
    rollover_hour: int = 4

    def __post_init__(self) -> None:
        fsrs.validate_weights(self.weights)
        if not 0 < self.desired_retention < 1:
            raise PlanError(
                "The desired retention must lie between 0 and 1: 0.90 asks again at a 90 % chance of recall."
            )
        if any(delay <= 0 for delay in self.learning_steps_s + self.relearning_steps_s):
            raise PlanError("A learning or relearning step must last at least one second.")
        if self.maximum_interval_days < 1 or self.first_interval_cap_days < 1:
            raise PlanError("The longest interval must be at least one day.")
        if not 0 <= self.rollover_hour < 24:
            raise PlanError("The day must start at an hour from 0 to 23.")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one rating would make of a card. Due is the press plus either `delay_s` (steps) or `interval_days`.

    `leech_now` says that this very answer sets or raises the leech mark.
    """

    rating: Rating
    phase: Phase
    step: int
    stability: float
    difficulty: float
    delay_s: int | None
    interval_days: int | None
    lapses: int
    leech_now: bool = False

    @property
    def wait_s(self) -> int:
        """The time until due in seconds, counting a day as 24 hours: for comparing, not for dates."""
        return self.delay_s if self.delay_s is not None else (self.interval_days or 0) * SECONDS_PER_DAY


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The four outcomes as computed on study day `day`.

    When `on_schedule` is False the card was scheduled that day already: the answer is practice and nothing of it is
    stored in the memory.
    """

    again: Outcome
    hard: Outcome
    good: Outcome
    easy: Outcome
    day: int
    on_schedule: bool

    def of(self, rating: Rating) -> Outcome:
        """The outcome of one rating."""
        return (self.again, self.hard, self.good, self.easy)[rating - 1]


__all__ = ["Memory", "Outcome", "Outcomes", "Phase", "Plan", "PlanError", "Rating"]
