"""A placement for those who do not start from nothing: a dozen questions, and what was known of whole topics is not taught anew.

Nothing is written before `finish`. A topic is known when every question of it was answered right: the cards asked get an
Easy (purpose ladder, since no interval was kept), its other cards a date within the next weeks, spread so that no pile
comes. All of it is one step that can be taken back, in this sitting or later.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from content.actions import Actions, Change, response_text
from content.cards import Card, Text, card_from_json, topic_from_json
from content.events import Kind, NewEvent, Purpose, Queue
from content.history import applied, fold_card
from content.queue import rows_of
from content.rows import CardState
from grading import schedule
from grading.days import Instant
from grading.memory import Rating

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record

QUESTIONS = 12
FIRST_DAYS, LAST_DAYS = 5, 30
"""The other cards of a known topic come due within so many days from now, evenly spread."""
META = "placement."

NEW_CARDS = f"""
SELECT c.card_key, t.topic_id, c.kind FROM card c JOIN topic t ON t.topic_key = c.topic_key
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE m.queue = {Queue.NEW:d} AND c.kind IN ('concept', 'cloze') ORDER BY c.position, c.card_key
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class Asked:
    """One question of a placement. `known` is None before it was answered."""

    card: Card
    card_key: int
    topic_id: str
    known: bool | None = None
    took_ms: int = 0


@dataclass(frozen=True, slots=True)
class Placed:
    """What a placement says of one topic: `known`, of the `asked` questions `right`, and so many `cards` it has that are new."""

    topic_id: str
    title: Text
    asked: int
    right: int
    cards: int

    @property
    def known(self) -> bool:
        """Whether every question of it was answered right."""
        return self.asked > 0 and self.right == self.asked


class Placement:
    """`item` is the question on screen, None when all were answered; then `finish` writes what was found."""

    def __init__(
        self,
        record: Record,
        settings: Settings,
        now: Instant,
        *,
        new_id: Callable[[int], str],
        count: int = QUESTIONS,
        seed: int | None = None,
    ) -> None:
        from content.drilling import seed_from

        self._record = record
        self._actions = Actions(record, settings, new_id)
        self._new: dict[str, list[int]] = {}
        concepts: dict[str, list[int]] = {}
        for card_key, topic_id, kind in rows_of(record)(NEW_CARDS, {"learner": settings.learner}):
            self._new.setdefault(topic_id, []).append(card_key)
            if kind == "concept":
                concepts.setdefault(topic_id, []).append(card_key)
        drawn = draw_questions(concepts, count, seed_from(new_id(now.at_ms)) if seed is None else seed)
        self.asked: list[Asked] = [self._question(topic, key) for topic, key in drawn]
        self.at = 0
        self.event_ids: tuple[str, ...] = ()

    def _question(self, topic_id: str, card_key: int) -> Asked:
        state = self._state(card_key)
        return Asked(card_from_json(state.card.body), card_key, topic_id)

    @property
    def item(self) -> Asked | None:
        """The question on screen."""
        return self.asked[self.at] if self.at < len(self.asked) else None

    def answer(self, known: bool, *, took_ms: int = 0) -> None:
        """Say whether the question on screen was known, and go on; nothing is written yet."""
        if self.item is not None:
            self.asked[self.at] = replace(self.item, known=known, took_ms=took_ms)
            self.at += 1

    def back(self) -> bool:
        """Go back to the question before; False at the first."""
        if self.at == 0:
            return False
        self.at -= 1
        self.asked[self.at] = replace(self.asked[self.at], known=None, took_ms=0)
        return True

    def found(self) -> tuple[Placed, ...]:
        """What the answers so far say of every topic, in the order of their packs."""
        topics = []
        for row in self._record.topics():
            of_topic = [one for one in self.asked if one.topic_id == row.topic_id and one.known is not None]
            right, new = sum(bool(one.known) for one in of_topic), len(self._new.get(row.topic_id, ()))
            title = topic_from_json(row.topic_id, row.body).title
            topics.append(Placed(row.topic_id, title, len(of_topic), right, new))
        return tuple(topics)

    def finish(self, now: Instant) -> tuple[Placed, ...]:
        """Write the placement durably, in one step; returns what was found. Raises ValueError the second time."""
        if self.event_ids:
            raise ValueError("This placement was written already.")
        _ = self._actions.params_id  # may write, and must not do so within the step
        known = {placed.topic_id for placed in self.found() if placed.known}
        changes = [self._attempt(one, one.topic_id in known, now) for one in self.asked if one.known is not None]
        done = {change.row.card_key for change in changes}
        for topic_id in sorted(known):
            rest = [key for key in self._new[topic_id] if key not in done]
            changes += [self._dated(key, days, now) for key, days in zip(rest, spread(len(rest)), strict=True)]
        self.event_ids = tuple(change.event.event_id for change in changes)
        self._record.write([change.event for change in changes], [change.row for change in changes])
        _remember(self._record, self.event_ids)
        return self.found()

    def undo(self, now: Instant) -> bool:
        """Take back what `finish` wrote; the answers are still here. False when nothing was written."""
        if not self.event_ids:
            return False
        undo_events(self._record, self._actions, self.event_ids, now)
        self.event_ids = ()
        return True

    def _attempt(self, one: Asked, topic_known: bool, now: Instant) -> Change:
        """A right answer in a known topic moves its card; every other answer is only logged, as practice."""
        state = self._state(one.card_key)
        moves = topic_known and bool(one.known)
        rating = Rating.EASY if moves else Rating.GOOD if one.known else Rating.AGAIN
        row = state.row
        if moves:
            outcome = schedule.outcomes(row.memory, now, self._actions.plan, one.card.id).easy
            row = replace(row, memory=schedule.after(row.memory, outcome, now, self._actions.plan))
        event = self._actions.event(
            Kind.ATTEMPT,
            now,
            state=state,
            rating=int(rating),
            took_ms=one.took_ms,
            purpose=Purpose.LADDER if moves else Purpose.PRACTICE,
            response=response_text({"because": "placement"}),
            **self._actions.moved(state.row, row),
        )
        return Change(event, row)

    def _dated(self, card_key: int, days: int, now: Instant) -> Change:
        state = self._state(card_key)
        memory = schedule.set_due(state.row.memory, days, now, self._actions.plan)
        columns = self._actions.moved(state.row, replace(state.row, memory=memory))
        said = response_text({"because": "placement"})
        event = self._actions.event(Kind.SET_DUE, now, state=state, response=said, **columns)
        return Change(event, applied(state.row, event, self._actions.plan))

    def _state(self, card_key: int) -> CardState:
        state = self._record.state(card_key)
        if state is None:
            raise LookupError(f"There is no card with key {card_key} in the record.")
        return state


def draw_questions(concepts: dict[str, list[int]], count: int, seed: int) -> list[tuple[str, int]]:
    """So many questions over the topics: one of each in turn, from the later half of a topic, which builds on the rest of it."""
    from grading.drill import seeds_from

    pools = {
        topic: _shuffled(keys[len(keys) // 2 :], seed ^ index) for index, (topic, keys) in enumerate(concepts.items())
    }
    drawn: list[tuple[str, int]] = []
    order = [t for _, t in sorted(zip(seeds_from(seed, len(pools)), pools, strict=True))] if pools else []
    depth = 0
    while len(drawn) < count and any(depth < len(pool) for pool in pools.values()):
        ready = [topic for topic in (pools if depth == 0 else order) if depth < len(pools[topic])]
        drawn += [(topic, pools[topic][depth]) for topic in ready[: count - len(drawn)]]
        depth += 1
    place = {topic: index for index, topic in enumerate(pools)}
    return sorted(drawn, key=lambda pair: place[pair[0]])


def _shuffled(keys: Sequence[int], seed: int) -> list[int]:
    from grading.drill import seeds_from

    return [key for _, key in sorted(zip(seeds_from(seed, len(keys)), keys, strict=True))]


def spread(count: int) -> list[int]:
    """Days from now for so many cards, evenly from `FIRST_DAYS` to `LAST_DAYS`."""
    width = LAST_DAYS - FIRST_DAYS + 1
    return [FIRST_DAYS + index * width // max(count, 1) for index in range(count)]


def last_placement(record: Record) -> tuple[str, ...]:
    """The events of the last placement that was not taken back; empty when there is none."""
    kept = json.loads(record.meta(META + record.learner) or "[]")
    return tuple(str(event_id) for event_id in kept)


def undo_placement(record: Record, settings: Settings, now: Instant, *, new_id: Callable[[int], str]) -> bool:
    """Take the last placement back, however long ago; False when there is none."""
    event_ids = last_placement(record)
    if event_ids:
        undo_events(record, Actions(record, settings, new_id), event_ids, now)
    return bool(event_ids)


def undo_events(record: Record, actions: Actions, event_ids: Sequence[str], now: Instant) -> None:
    """Retract these events in one transaction; answers given since stay, each card is folded without the placement."""
    events: list[NewEvent] = []
    rows = {}
    for event_id in reversed(event_ids):
        card_key = _card_of(record, event_id)
        if card_key is None:
            continue
        state = record.state(card_key)
        event = actions.event(Kind.RETRACT, now, state=state, target_id=event_id)
        events.append(event)
        rows[card_key] = fold_card(record, card_key, actions.plan, [event])
    record.write(events, list(rows.values()))
    _remember(record, ())


def _card_of(record: Record, event_id: str) -> int | None:
    query = "SELECT card_key FROM event WHERE learner = :learner AND event_id = :event_id"
    found = rows_of(record)(query, {"learner": record.learner, "event_id": event_id})
    return found[0][0] if found else None


def _remember(record: Record, event_ids: Sequence[str]) -> None:
    record.set_meta(META + record.learner, json.dumps(list(event_ids)))


__all__ = [
    "QUESTIONS",
    "Asked",
    "Placed",
    "Placement",
    "draw_questions",
    "last_placement",
    "spread",
    "undo_placement",
]
