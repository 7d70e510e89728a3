"""After a good oral answer: the same thing in numbers, a drill with one parameter changed, up to three deep."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from content.actions import Actions, response_text
from content.cards import Card, Text, card_from_json
from content.drilling import DrillAsk, Graded, response_of, seed_from
from content.drills import DrillFault, drill_of
from content.events import Kind, Purpose, Queue
from content.queue import rows_of
from grading.drill import Problem, Undrawable, draw, is_acceptable, problem_of, question_text, seeds_from
from grading.reading import Unreadable

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record
    from grading.days import Instant

T = TypeVar("T")

DEEPEST = 3
"""So many follow-ups at most, one from the other."""
MOST_DRILLS = 200

_OF_TOPICS = f"""
SELECT c.card_key, c.rev, r.body FROM card c JOIN topic t ON t.topic_key = c.topic_key
  JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE t.topic_id = :topic AND c.kind = 'drill' AND m.queue >= {Queue.NEW:d} ORDER BY c.position LIMIT {MOST_DRILLS}
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class Changed:
    """The one parameter that is different now, and what it was."""

    key: str
    symbol: str
    before: str
    after: str

    @property
    def words(self) -> Text:
        """The change as a sentence."""
        en = f"Now {self.symbol} = {self.after} (before: {self.before})."
        return Text(en, f"现在 {self.symbol} = {self.after}（原来是 {self.before}）。")


@dataclass(frozen=True, slots=True)
class FollowUp:
    """One follow-up question: a drill's problem that differs from `base` in one parameter. `depth` counts from 1."""

    card: Card
    card_key: int
    ask: DrillAsk
    base: Problem
    changed: Changed
    depth: int

    def question(self, lang: str) -> str:
        """The problem's own question with its numbers."""
        return question_text(self.ask.problem, lang)


@dataclass(frozen=True, slots=True)
class _Related:
    card_key: int
    rev: str
    card: Card


class FollowUps:
    """The follow-ups of one question, one after the other: a right answer leads one deeper, any other ends them.

    `item` is the one to ask, None when there is none (left). Answers are logged as exam attempts: no schedule moves.
    """

    def __init__(
        self, record: Record, settings: Settings, oral: Card, now: Instant, *, new_id: Callable[[int], str]
    ) -> None:
        self._record = record
        self._actions = Actions(record, settings, new_id)
        self._oral = oral
        self._seed = seed_from(new_id(now.at_ms))
        self._drills = iter(related_drills(record, settings, oral, self._seed))
        self.item: FollowUp | None = self._first(1)

    def _first(self, depth: int) -> FollowUp | None:
        for drill in self._drills:
            try:
                base = draw(drill_of(drill.card), self._seed)
            except (DrillFault, Undrawable):
                continue
            found = self._changed(drill, base, depth)
            if found is not None:
                return found
        return None

    def _changed(self, drill: _Related, base: Problem, depth: int, but: str | None = None) -> FollowUp | None:
        found = one_changed(base, self._seed + depth, but)
        if found is None:
            return None
        problem, changed = found
        ask = DrillAsk(drill.card.id, drill.rev, self._seed, problem, 0)
        return FollowUp(drill.card, drill.card_key, ask, base, changed, depth)

    def answer(self, graded: Graded, now: Instant, *, took_ms: int) -> str:
        """Log what was answered to the present one and go on; returns the id of the event.

        Raises ValueError where nothing is asked, or the answer is to be typed once more.
        """
        item = self.item
        if item is None or graded.rating is None:
            raise ValueError("There is no follow-up that this could answer.")
        state = self._record.state(item.card_key)
        said = {**response_of(item.ask, graded), "follow_up_of": self._oral.id, "depth": item.depth}
        event = self._actions.event(
            Kind.ATTEMPT,
            now,
            state=state,
            rating=int(graded.rating),
            proposed_rating=int(graded.rating),
            took_ms=took_ms,
            purpose=Purpose.EXAM,
            phase_before=None if state is None else int(state.row.memory.phase),
            response=response_text(said),
        )
        self._record.append(event)
        self.item = self._deeper(item) if graded.is_right and item.depth < DEEPEST else None
        return event.event_id

    def _deeper(self, item: FollowUp) -> FollowUp | None:
        drill = _Related(item.card_key, item.ask.rev, item.card)
        found = self._changed(drill, item.ask.problem, item.depth + 1, but=item.changed.key)
        return found or self._first(item.depth + 1)

    def stop(self) -> None:
        """No more of them."""
        self.item = None


def one_changed(base: Problem, seed: int, but: str | None = None) -> tuple[Problem, Changed] | None:
    """The same problem with one parameter given another of its choices, so that the answer changes; None if none does.

    The parameter `but` is changed only where no other can be.
    """
    drill = base.drill
    params = [param for param in drill.params if len(param.choices) > 1]
    for param in sorted(_turned(params, seed), key=lambda param: param.key == but):
        for choice in _turned(param.choices, seed >> 8):
            if choice.text == base.drawn[param.key].text:
                continue
            try:
                problem = problem_of(drill, {**base.drawn, param.key: choice}, base.seed)
            except Unreadable:
                continue
            if is_acceptable(problem) and problem.answer != base.answer:
                return problem, Changed(param.key, param.symbol, base.drawn[param.key].text, choice.text)
    return None


def _turned(items: Sequence[T], seed: int) -> list[T]:
    at = seed % len(items) if items else 0
    return [*items[at:], *items[:at]]


def related_drills(record: Record, settings: Settings, oral: Card, seed: int) -> list[_Related]:
    """The drills that belong to a question, nearest first: those its rubric names, those that need a card it names, then
    those of the topics of these cards. Within one degree the seed decides."""
    named = {card_id for point in oral.rubric for card_id in point.cards}
    topics = {oral.topic} | {row.topic_id for card_id in sorted(named) if (row := record.card(card_id)) is not None}
    found: list[tuple[int, int, _Related]] = []
    drills = list(_of_topics(record, settings, sorted(topics)))
    for order, drill in zip(seeds_from(seed, len(drills)), drills, strict=True):
        card = drill.card
        degree = 0 if card.id in named else 1 if named & set(card.requires) else 2 if card.topic == oral.topic else 3
        found.append((degree, order, drill))
    return [drill for _, _, drill in sorted(found, key=lambda item: item[:2])]


def _of_topics(record: Record, settings: Settings, topics: Sequence[str]) -> Iterator[_Related]:
    for topic in topics:
        for card_key, rev, body in rows_of(record)(_OF_TOPICS, {"learner": settings.learner, "topic": topic}):
            yield _Related(card_key, rev, card_from_json(body))


__all__ = ["DEEPEST", "Changed", "FollowUp", "FollowUps", "one_changed", "related_drills"]
