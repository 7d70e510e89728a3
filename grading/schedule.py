"""When to ask a card again: all four outcomes of an answer, computed at once from one frozen memory.

The memory equations are FSRS-6 (`grading.fsrs`). Steps, the order of the intervals, their minimums and the leech rule
follow Anki with FSRS on. Every answer, those in steps included, updates stability and difficulty with whole elapsed
study days, 0 of them meaning the same-day formula; steps only decide when the card is due.

Two rules are this program's own. Outside its steps a card is scheduled at most once a study day: a further pass that
day is practice (`Outcomes.on_schedule` is False, and `after` leaves the memory as it is). And a better rating never
brings a card back sooner than a worse one, whatever the steps and weights in the settings are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from grading import fsrs, steps
from grading.days import Instant, day_start_ms, study_day
from grading.fsrs import DEFAULT_WEIGHTS
from grading.fuzz import fuzz_bounds, fuzz_fraction, round_half_up, whole_days
from grading.memory import Memory, Outcome, Outcomes, Phase, Plan, PlanError, Rating
from grading.steps import SECONDS_PER_DAY

__all__ = [
    "DEFAULT_WEIGHTS",
    "Memory",
    "Outcome",
    "Outcomes",
    "Phase",
    "Plan",
    "PlanError",
    "Rating",
    "after",
    "leech_mark_due",
    "outcomes",
    "reset",
    "retrievability",
    "set_due",
]

_SHORT_TERM_DAYS = 0.5  # without steps, an interval below this is counted in seconds, as in Anki


def outcomes(memory: Memory, now: Instant, plan: Plan, card_id: str) -> Outcomes:
    """All four outcomes of answering a card now. Never fails, whatever the card has been through."""
    day = study_day(now, plan.rollover_hour)
    asked = _Asked.of(memory, day, plan, card_id)
    answered = _reviewed if memory.phase is Phase.REVIEW else _stepped
    again = answered(asked, Rating.AGAIN)
    hard = _not_sooner_than(answered(asked, Rating.HARD), again)
    good = _not_sooner_than(answered(asked, Rating.GOOD), hard)
    easy = _not_sooner_than(answered(asked, Rating.EASY), good)
    return Outcomes(again, hard, good, easy, day=day, on_schedule=not _was_scheduled_on(memory, day))


def after(memory: Memory, outcome: Outcome, now: Instant, plan: Plan) -> Memory:
    """The memory once an outcome has happened. Practice (see `Outcomes.on_schedule`) returns the memory unchanged."""
    day = study_day(now, plan.rollover_hour)
    if _was_scheduled_on(memory, day):
        return memory
    return Memory(
        phase=outcome.phase,
        step=outcome.step,
        stability=outcome.stability,
        difficulty=outcome.difficulty,
        due_day=None if outcome.interval_days is None else day + outcome.interval_days,
        due_ms=_due_ms(outcome.delay_s, day, now, plan),
        scheduled_days=_scheduled_days(memory, outcome, plan),
        last_day=day,
        last_ms=now.at_ms,
        attempts=memory.attempts + 1,
        lapses=outcome.lapses,
        leech=memory.leech or outcome.leech_now,
    )


def retrievability(memory: Memory, day: int, plan: Plan) -> float | None:
    """The probability of recall on a study day; None for a card that was never answered, or with a stability none has."""
    if memory.stability is None or not memory.stability > 0:
        return None
    return fsrs.retrievability(plan.weights, float(_elapsed_days(memory, day)), memory.stability)


def set_due(memory: Memory, in_days: int, now: Instant, plan: Plan) -> Memory:
    """Put a card in review, due `in_days` study days from now; what is remembered of it stays as it is.

    A card that was never answered has no stability yet: its first rating then sets it, as for a new card.
    """
    day = study_day(now, plan.rollover_hour)
    due_day = day + max(in_days, 0)
    since = day if memory.last_day is None else min(memory.last_day, day)
    return replace(
        memory, phase=Phase.REVIEW, step=0, due_day=due_day, due_ms=None, scheduled_days=max(due_day - since, 1)
    )


def reset(memory: Memory) -> Memory:  # noqa: ARG001 - takes what it replaces, as the other manual operations do
    """A card made new again: nothing of its past counts, though its history stays in the log."""
    return Memory()


def leech_mark_due(lapses: int, threshold: int) -> bool:
    """True at the threshold of lapses and every half-threshold (rounded up) after it; never when it is 0."""
    if threshold <= 0 or lapses < threshold:
        return False
    return (lapses - threshold) % max(math.ceil(threshold / 2), 1) == 0


@dataclass(frozen=True, slots=True)
class _Asked:
    """A card at the moment it is asked: its memory, and the FSRS state that each rating would give it."""

    memory: Memory
    plan: Plan
    maximum_days: int
    fraction: float | None  # of the fuzz range; None when fuzz is off
    states: tuple[tuple[float, float], ...]  # stability and difficulty by rating
    intervals: tuple[float, ...]  # days, not rounded, by rating

    @classmethod
    def of(cls, memory: Memory, day: int, plan: Plan, card_id: str) -> _Asked:
        elapsed = _elapsed_days(memory, day)
        maximum = plan.maximum_interval_days
        if memory.phase in (Phase.NEW, Phase.LEARNING):
            maximum = min(maximum, max(plan.first_interval_cap_days, 2 * elapsed))
        states = tuple(_next_state(memory, float(elapsed), rating, plan.weights) for rating in Rating)
        return cls(
            memory=memory,
            plan=plan,
            maximum_days=maximum,
            fraction=fuzz_fraction(card_id, memory.attempts) if plan.fuzz else None,
            states=states,
            intervals=tuple(fsrs.interval_days(plan.weights, s, plan.desired_retention) for s, _ in states),
        )

    def interval(self, rating: Rating) -> float:
        return self.intervals[rating - 1]

    def days(self, interval: float, minimum: int = 1) -> int:
        """An interval as whole days, fuzz and limits applied."""
        return whole_days(interval, max(minimum, 1), self.maximum_days, self.fraction)

    def outcome(
        self,
        rating: Rating,
        phase: Phase,
        *,
        step: int = 0,
        delay_s: int | None = None,
        interval_days: int | None = None,
    ) -> Outcome:
        stability, difficulty = self.states[rating - 1]
        failed = rating is Rating.AGAIN and self.memory.phase is Phase.REVIEW
        lapses = self.memory.lapses + failed
        leech_now = failed and leech_mark_due(lapses, self.plan.leech_lapses)
        return Outcome(rating, phase, step, stability, difficulty, delay_s, interval_days, lapses, leech_now)

    def short_term(self, rating: Rating, phase: Phase) -> Outcome | None:
        """Without steps a very short interval is a delay in seconds; None when the interval is no such one."""
        if self.interval(rating) >= _SHORT_TERM_DAYS or not (self.plan.weights[17] > 0 and self.plan.weights[18] > 0):
            return None
        return self.outcome(rating, phase, delay_s=max(int(self.interval(rating) * SECONDS_PER_DAY), 1))


def _next_state(memory: Memory, elapsed: float, rating: Rating, weights: tuple[float, ...]) -> tuple[float, float]:
    grade = float(rating)
    if memory.stability is None or memory.difficulty is None:
        return fsrs.initial_stability(weights, grade), fsrs.initial_difficulty(weights, grade)
    return (
        fsrs.next_stability(weights, memory.stability, memory.difficulty, elapsed, grade),
        fsrs.next_difficulty(weights, memory.difficulty, grade),
    )


def _elapsed_days(memory: Memory, day: int) -> int:
    """Whole study days since the last answer; a clock that was set back counts as the same day."""
    return 0 if memory.last_day is None else max(day - memory.last_day, 0)


def _was_scheduled_on(memory: Memory, day: int) -> bool:
    """Whether a card outside its steps was answered on this study day already.

    A day further back than the last answer's is the same day seen from a zone further west; more than one day back
    means that the clock was wrong, which must not lock the card until the wrong date comes round.
    """
    return (
        memory.phase is Phase.REVIEW and memory.last_day is not None and memory.last_day - 1 <= day <= memory.last_day
    )


def _stepped(asked: _Asked, rating: Rating) -> Outcome:
    """The outcome of a new card or one in (re)learning."""
    memory, plan = asked.memory, asked.plan
    relearning = memory.phase is Phase.RELEARNING
    phase = Phase.RELEARNING if relearning else Phase.LEARNING
    delays = plan.relearning_steps_s if relearning else plan.learning_steps_s
    left = len(delays) if memory.phase is Phase.NEW else memory.step
    if rating is Rating.EASY:
        good_days = asked.days(asked.interval(Rating.GOOD))
        days = asked.days(max(round_half_up(asked.interval(rating)), 1), good_days + 1)
        return asked.outcome(rating, Phase.REVIEW, interval_days=days)
    delay_s, left = {
        Rating.AGAIN: lambda: (steps.again_delay_s(delays), len(delays)),
        Rating.HARD: lambda: (steps.hard_delay_s(delays, left), left),
        Rating.GOOD: lambda: (steps.good_delay_s(delays, left), steps.left_after_good(delays, left)),
    }[rating]()
    if delay_s is not None:
        return asked.outcome(rating, phase, step=left, delay_s=delay_s)
    if not delays and (short := asked.short_term(rating, phase)):
        return short
    return asked.outcome(rating, Phase.REVIEW, interval_days=asked.days(max(round_half_up(asked.interval(rating)), 1)))


def _reviewed(asked: _Asked, rating: Rating) -> Outcome:
    """The outcome of a card in review."""
    if rating is Rating.AGAIN:
        return _lapsed(asked)
    return asked.outcome(rating, Phase.REVIEW, interval_days=_passing_days(asked, rating))


def _passing_days(asked: _Asked, rating: Rating) -> int:
    """Days after Hard, Good or Easy, each a day or more above the one before.

    Fuzz must not turn growth into a loss: an interval that grew stays above the last one, and one that did not, but
    whose fuzz range reaches the last one, stays at it. Only an interval that clearly shrank may be shorter.
    """
    interval, last = asked.interval(rating), asked.memory.scheduled_days
    minimum = 1 if rating is Rating.HARD else _passing_days(asked, Rating(rating - 1)) + 1
    if round_half_up(interval) > last:
        minimum = max(minimum, last + 1)
    elif last <= fuzz_bounds(interval, 1, asked.maximum_days)[1]:
        minimum = max(minimum, last)
    return asked.days(interval, minimum)


def _lapsed(asked: _Asked) -> Outcome:
    delays = asked.plan.relearning_steps_s
    delay_s = steps.again_delay_s(delays)
    if delay_s is not None:
        return asked.outcome(Rating.AGAIN, Phase.RELEARNING, step=len(delays), delay_s=delay_s)
    if short := asked.short_term(Rating.AGAIN, Phase.RELEARNING):
        return short
    days = min(max(round_half_up(asked.interval(Rating.AGAIN)), 1), asked.maximum_days)
    return asked.outcome(Rating.AGAIN, Phase.REVIEW, interval_days=days)


def _not_sooner_than(outcome: Outcome, worse: Outcome) -> Outcome:
    """The outcome, put off where a worse rating would bring the card back later."""
    if outcome.wait_s >= worse.wait_s:
        return outcome
    if outcome.delay_s is not None:
        return replace(outcome, delay_s=worse.wait_s)
    return replace(outcome, interval_days=math.ceil(worse.wait_s / SECONDS_PER_DAY))


def _due_ms(delay_s: int | None, day: int, now: Instant, plan: Plan) -> int | None:
    """When a card in steps is due: a delay below a day counts from the press, whole days from the start of a day."""
    if delay_s is None:
        return None
    if delay_s < SECONDS_PER_DAY:
        return now.at_ms + delay_s * 1000
    return day_start_ms(day + round_half_up(delay_s / SECONDS_PER_DAY), now.utc_offset_min, plan.rollover_hour)


def _scheduled_days(memory: Memory, outcome: Outcome, plan: Plan) -> int:
    """The interval a card is on, in days: 0 while learning, while relearning that which its failure left it."""
    if outcome.interval_days is not None:
        return outcome.interval_days
    if outcome.phase is Phase.LEARNING:
        return 0
    if outcome.rating is not Rating.AGAIN:
        return memory.scheduled_days
    return max(round_half_up(fsrs.interval_days(plan.weights, outcome.stability, plan.desired_retention)), 1)
