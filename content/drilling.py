"""A drill on screen: the problem that is asked, what typed answers were worth, and what the log keeps of them.

The problem comes from a seed of its own, never from the card's id; seed and drawn values are stored with the answer, so
that the same problem can be shown, and graded, again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from content.cards import Card
from content.cluster import Cluster, with_cluster
from content.drills import DrillFault, drill_of, solve
from content.events import Kind
from grading.answer import Reason, Verdict, grade
from grading.drill import Drill, Problem, Undrawable, draw, steps_shown
from grading.evaluate import Scalar
from grading.memory import Memory, Phase, Rating
from grading.proposal import confidence_of, is_sure_miss, proposed
from grading.units import BYTES, FLOP, NONE, SECONDS

if TYPE_CHECKING:
    from content.events import NewEvent

SEED_BITS = 63
"""A seed fits a signed 64-bit integer."""
OTHER_UNKNOWN_FROM_DAYS = 7.0
"""From this stability on a drill may ask for another unknown: the skill has survived its first reviews."""
TRIES_TO_DIFFER = 8
GIVEN_UP = "given_up"
"""The reason that the log holds where the learner asked to see the answer."""

_BASE = {
    NONE: "1",
    BYTES: "B",
    FLOP: "FLOP",
    SECONDS: "s",
    (0, 0, 0, 1): "USD",
    (1, 0, -1, 0): "B/s",
    (0, 1, -1, 0): "FLOP/s",
}


@dataclass(frozen=True, slots=True)
class DrillAsk:
    """A problem on screen; the first `steps_shown` of its worked steps stand beside the question."""

    card_id: str
    rev: str
    seed: int
    problem: Problem
    steps_shown: int

    @property
    def numbers(self) -> tuple[str, ...]:
        """What this problem has of its own: the drawn values and the unknown."""
        return (*(choice.text for choice in self.problem.drawn.values()), self.problem.unknown or "")


@dataclass(frozen=True, slots=True)
class Graded:
    """What was answered to a problem so far.

    `verdict` is None where the learner gave up. `rating` is the proposed one; None means that the problem is asked again.
    `tries` are the earlier answers that were asked again, with their reasons; what could not be read is not among them.
    """

    typed: str
    verdict: Verdict | None
    rating: Rating | None
    tries: tuple[tuple[str, str], ...] = ()
    dispute: str = ""

    @property
    def reason(self) -> str:
        """The reason as the log holds it."""
        return GIVEN_UP if self.verdict is None else self.verdict.reason.value

    @property
    def confidence(self) -> str | None:
        """How sure the learner was: `sure`, `unsure` or None."""
        return None if self.verdict is None else confidence_of(self.verdict)

    @property
    def sure_miss(self) -> bool:
        """A wrong answer given as sure: it comes back soon."""
        return is_sure_miss(self.reason, self.confidence)

    @property
    def is_right(self) -> bool:
        return self.reason == Reason.CORRECT


def seed_from(event_id: str) -> int:
    """A seed from the random bits of a fresh event id (its last 80)."""
    return int(event_id, 16) & ((1 << SEED_BITS) - 1)


def ask_for(
    card: Card,
    rev: str,
    memory: Memory,
    seed: int,
    *,
    vary: bool = True,
    unlike: tuple[str, ...] | None = None,
    cluster: Cluster | None = None,
) -> DrillAsk | None:
    """The problem of a seed at this state of the skill; None where the drill cannot be drawn (an own pack's fault).

    With `vary` a skill past its first reviews may be asked for another unknown (there the answer is given, so that no
    worked steps are shown), and the values of the learner's own `cluster` are among those that are drawn. A problem with
    the numbers of `unlike` gives way to one of a seed that follows from this one.
    """
    for _ in range(TRIES_TO_DIFFER):
        ask = _ask(card, rev, memory, seed, vary=vary, cluster=cluster if vary else None)
        if ask is None or ask.numbers != unlike:
            break
        seed = (seed * 6364136223846793005 + 1442695040888963407) & ((1 << SEED_BITS) - 1)
    return ask


def _ask(card: Card, rev: str, memory: Memory, seed: int, *, vary: bool, cluster: Cluster | None) -> DrillAsk | None:
    try:
        drill = with_cluster(drill_of(card), cluster)
        unknown = _unknown(drill, memory, seed) if vary else None
        problem = _drawn(drill, seed, unknown)
    except (DrillFault, Undrawable):
        return None
    lapsed = memory.phase is Phase.RELEARNING
    shown = 0 if problem.unknown else steps_shown(len(drill.steps), memory.stability, after_lapse=lapsed)
    return DrillAsk(card.id, rev, seed, problem, shown)


def _unknown(drill: Drill, memory: Memory, seed: int) -> str | None:
    first_reviews = memory.phase is not Phase.REVIEW or (memory.stability or 0.0) < OTHER_UNKNOWN_FROM_DAYS
    if first_reviews or not drill.unknowns:
        return None
    choices = (None, *drill.unknowns)
    return choices[(seed >> 32) % len(choices)]


def _drawn(drill: Drill, seed: int, unknown: str | None) -> Problem:
    if unknown is not None:
        try:
            return draw(drill, seed, unknown)
        except Undrawable:  # the inverse decides nothing for these choices: ask for the answer itself
            pass
    return draw(drill, seed)


def grade_typed(ask: DrillAsk, typed: str, before: Graded | None = None) -> Graded:
    """Grade what was typed; `before` is what an earlier try to the same problem was worth."""
    verdict = grade(typed, ask.problem.asked)
    tries = before.tries if before is not None else ()
    rating = proposed(verdict.reason, second_try=bool(tries))
    if rating is None and verdict.reason is not Reason.UNREADABLE:
        tries = (*tries, (typed, verdict.reason.value))
    return Graded(typed, verdict, rating, tries)


def give_up(before: Graded | None = None) -> Graded:
    """The learner asks to see the answer."""
    return Graded("", None, Rating.AGAIN, before.tries if before is not None else ())


def with_dispute(graded: Graded, note: str) -> Graded:
    """The same with the learner's word against the verdict; an empty one takes it back."""
    return replace(graded, dispute=note.strip())


def response_of(ask: DrillAsk, graded: Graded) -> dict[str, Any]:
    """What the log keeps of an answer: all that is needed to show and to grade it again."""
    kept: dict[str, Any] = {
        "seed": ask.seed,
        "drawn": {
            key: {"text": choice.text, "value": _number(choice.value)} for key, choice in ask.problem.drawn.items()
        },
        "reason": graded.reason,
        "steps_shown": ask.steps_shown,
    }
    if ask.problem.unknown is not None:
        kept["unknown"] = ask.problem.unknown
    if graded.typed:
        kept["typed"] = graded.typed
    if graded.confidence is not None:
        kept["confidence"] = graded.confidence
    if graded.tries:
        kept["tries"] = [{"typed": typed, "reason": reason} for typed, reason in graded.tries]
    if graded.verdict is not None:
        kept |= verdict_parts(graded.verdict)
    return kept


def verdict_parts(verdict: Verdict) -> dict[str, Any]:
    """The value that was graded, in base units, and the mistakes it was traced to."""
    parts: dict[str, Any] = {}
    if verdict.reading is not None:
        unit = _BASE.get(verdict.reading.unit.dimension, verdict.reading.unit.symbol)
        parts["read"] = {"value": _number(verdict.reading.value), "unit": unit}
    if verdict.found:
        parts["mistakes"] = [rival.id for rival in verdict.found]
    return parts


def _number(value: Scalar) -> int | float:
    whole = Fraction(value)
    return int(whole) if whole.denominator == 1 and abs(whole) < 2**63 else float(value)


def problem_again(card: Card, response: Mapping[str, Any]) -> Problem:
    """The problem of a stored answer, by its drawn values (`card` in the text that is to be shown or graded).

    Raises:
        DrillFault: the values no longer fit the drill, or the answer holds none.
    """
    drawn = response.get("drawn")
    if not isinstance(drawn, Mapping) or not drawn:
        raise DrillFault((), "this answer holds no drawn values")
    texts = {
        str(key): str(value["text"]) for key, value in drawn.items() if isinstance(value, Mapping) and "text" in value
    }
    unknown = response.get("unknown")
    return solve(drill_of(card), texts, unknown if isinstance(unknown, str) else None)


def stored(event: NewEvent) -> dict[str, Any]:
    """The response of an event; empty where it has none that can be read."""
    try:
        found = json.loads(event.response or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def sure_miss_pending(events: Iterable[NewEvent]) -> bool:
    """Whether a card in its steps is there because of a sure miss: `events` are those that hold, oldest first."""
    for event in reversed(list(events)):
        if event.kind is Kind.RESET:
            return False
        if not event.moves_schedule:
            continue
        if event.phase_after == Phase.REVIEW:
            return False
        if event.rating == Rating.AGAIN:
            response = stored(event)
            if is_sure_miss(str(response.get("reason", "")), response.get("confidence")):
                return True
        if event.phase_before in (Phase.NEW, Phase.REVIEW):
            return False  # the answer that brought the card into its steps
    return False
