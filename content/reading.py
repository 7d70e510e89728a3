"""What can be asked of a record: cards and their memory, lists and searches, topics, days, the events of a card."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select, and_, bindparam, func, or_, select

from content.events import Kind, NewEvent, Queue
from content.hanzi import finder
from content.rows import (
    CARD_COLUMNS,
    EVENT_COLUMNS,
    MEMORY_COLUMNS,
    CardRow,
    CardState,
    MemoryRow,
    Statement,
    TopicRow,
    card_from,
    event_from,
    memory_from,
)
from content.tables import card, card_rev, event, flagged, leeches, memory, not_attempt, suspended, targeted, topic

SEARCH_PAGE = 500
"""Cards whose texts are read at once while searching."""


@dataclass(frozen=True, slots=True)
class CardFilter:
    """Which cards to list; a default does not narrow. `search` folds width and case, and all its words must occur."""

    search: str = ""
    topic_id: str | None = None
    flagged: bool = False
    leech: bool = False
    suspended: bool = False
    queue: Queue | None = None
    absent_too: bool = False


@dataclass(frozen=True, slots=True)
class CardPage:
    """One page of a list; `next_after` asks for the one behind it, None at the end."""

    cards: tuple[CardState, ...]
    next_after: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class DayTotals:
    """What was answered on one study day, retracted answers left out."""

    attempts: int
    took_ms: int
    new_cards: int
    again: int


class Reading:
    """The questions half of a record; `content.store.Record` adds opening and writing."""

    learner: str

    def rows(self, statement: Statement, values: dict[str, Any] | None = None) -> Sequence[Any]:
        raise NotImplementedError

    def _run(self, name: str, make: Callable[[], Any], values: dict[str, Any]) -> Sequence[Any]:
        raise NotImplementedError

    def card(self, card_id: str) -> CardRow | None:
        """The card with this full id, present or not."""
        found = self._run("card by id", _card_by_id, {"card_id": card_id})
        return card_from(found[0]) if found else None

    def state(self, card_key: int) -> CardState | None:
        """A card's text and this learner's memory of it, in one query."""
        found = self._run("state", _state_by_key, {"learner": self.learner, "card_key": card_key})
        return _state_from(found[0]) if found else None

    def memory(self, card_key: int) -> MemoryRow | None:
        """This learner's memory of a card; None when there is no such card."""
        found = self._run("memory", _memory_by_key, {"learner": self.learner, "card_key": card_key})
        return memory_from(found[0]) if found else None

    def memories(self) -> list[MemoryRow]:
        """All of this learner's memories by card key; heavy, for a rebuild."""
        query = select(*MEMORY_COLUMNS).where(memory.c.learner == self.learner).order_by(memory.c.card_key)
        return [memory_from(row) for row in self.rows(query)]

    def revision(self, card_key: int, rev: str) -> str | None:
        """The text (canonical JSON) that a card had in a revision."""
        found = self.rows(select(card_rev.c.body).where(card_rev.c.card_key == card_key, card_rev.c.rev == rev))
        return str(found[0][0]) if found else None

    def topics(self, *, absent_too: bool = False) -> list[TopicRow]:
        """All topics in the order of their packs."""
        columns = (
            topic.c.topic_key,
            topic.c.pack_id,
            topic.c.topic_id,
            topic.c.position,
            topic.c.body,
            topic.c.present,
        )
        query = select(*columns).order_by(topic.c.pack_id, topic.c.position, topic.c.topic_key)
        if not absent_too:
            query = query.where(topic.c.present != 0)
        return [TopicRow(row[0], row[1], row[2], row[3], row[4], bool(row[5])) for row in self.rows(query)]

    def counts(self) -> dict[Queue, int]:
        """How many cards wait in each queue; reads an index of all cards, so call it from a worker."""
        query = select(memory.c.queue, func.count()).where(memory.c.learner == self.learner).group_by(memory.c.queue)
        found = {Queue(queue): count for queue, count in self.rows(query)}
        return {queue: found.get(queue, 0) for queue in Queue}

    def topic_counts(self) -> dict[str, dict[Queue, int]]:
        """The same by topic id."""
        query = (
            select(topic.c.topic_id, memory.c.queue, func.count())
            .join_from(memory, card, card.c.card_key == memory.c.card_key)
            .join(topic, topic.c.topic_key == card.c.topic_key)
            .where(memory.c.learner == self.learner)
            .group_by(topic.c.topic_id, memory.c.queue)
        )
        counts: dict[str, dict[Queue, int]] = {}
        for topic_id, queue, count in self.rows(query):
            counts.setdefault(topic_id, dict.fromkeys(Queue, 0))[Queue(queue)] = count
        return counts

    def cards(self, wanted: CardFilter, *, after: tuple[int, int] | None = None, limit: int = 100) -> CardPage:
        """A page of the cards wanted, in the order in which they are introduced."""
        words = fold(wanted.search).split()
        found: list[CardState] = []
        while True:
            size = max(limit, SEARCH_PAGE) if words else limit
            page = self.rows(_listing(self.learner, wanted, after, size))
            for row in page:
                after = (row[_POSITION], row[_KEY])
                if not words or matches(row[_ID], row[_BODY], row[-1], words):
                    found.append(_state_from(row))
                    if len(found) == limit:
                        return CardPage(tuple(found), after)
            if len(page) < size:
                return CardPage(tuple(found), None)

    def events_of(self, card_key: int, *, before: str | None = None, limit: int | None = None) -> list[NewEvent]:
        """The events of a card, newest first; `before` is the last event id of the page before."""
        of_card = and_(event.c.learner == self.learner, event.c.card_key == card_key)
        query = select(*EVENT_COLUMNS).where(of_card).order_by(event.c.event_id.desc())
        if before is not None:
            query = query.where(event.c.event_id < before)
        if limit is not None:
            query = query.limit(limit)
        return [event_from(row) for row in self.rows(query)]

    def attempts_on(self, day: int) -> list[NewEvent]:
        """The attempts of a study day that were not retracted, oldest first."""
        own = event.c.learner == self.learner
        # The ids come from the index of days alone; asked for whole rows, SQLite would rather read the whole log.
        found = select(event.c.event_id).where(own, event.c.day == day, event.c.kind == Kind.ATTEMPT.value)
        query = select(*EVENT_COLUMNS).where(own, event.c.event_id.in_(found))
        events = [event_from(row) for row in self.rows(query)]
        undone = self.retracted(since=min(e.event_id for e in events)) if events else set()
        return sorted((e for e in events if e.event_id not in undone), key=lambda e: e.event_id)

    def day_totals(self, day: int) -> DayTotals:
        """Sums over the attempts of a study day."""
        attempts = self.attempts_on(day)
        new = {e.card_key for e in attempts if e.moves_schedule and e.phase_before == 0}
        again = sum(e.rating == 1 for e in attempts)
        return DayTotals(len(attempts), sum(e.took_ms or 0 for e in attempts), len(new), again)

    def retracted(self, *, since: str = "") -> set[str]:
        """The ids of events that did not happen after all; `since` leaves out those with smaller ids."""
        undoing = and_(event.c.learner == self.learner, targeted, event.c.target_id >= since)
        rows = self.rows(select(event.c.event_id, event.c.target_id, event.c.kind).where(undoing))
        undoing_kinds = (Kind.RETRACT.value, Kind.RESTORE.value)
        last = {target: kind for _, target, kind in sorted(rows) if kind in undoing_kinds}  # the highest id comes last
        return {target for target, kind in last.items() if kind == Kind.RETRACT.value}

    def lessons_read(self) -> set[str]:
        """The ids of the topics whose lesson was read."""
        own = event.c.learner == self.learner
        found = select(event.c.event_id).where(
            own, not_attempt, event.c.kind == Kind.LESSON.value
        )  # from the index alone
        rows = self.rows(select(event.c.event_id, event.c.response).where(own, event.c.event_id.in_(found)))
        undone = self.retracted() if rows else set()
        return {topic_of_lesson(response) for event_id, response in rows if event_id not in undone} - {""}


def topic_of_lesson(response: str | None) -> str:
    """The topic that a lesson event names in its response, `{"topic": id}`."""
    try:
        read = json.loads(response or "{}")
    except ValueError:
        return ""
    named = read.get("topic") if isinstance(read, dict) else None
    return named if isinstance(named, str) else ""


def fold(text: str) -> str:
    """A text without differences of width and case, so that ＫＶ　Ｃａｃｈｅ and "kv cache" are equal."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def matches(card_id: str, body: str, note: str | None, words: Sequence[str]) -> bool:
    """Whether every folded word, in either script, is in a card's id, its texts in either language, or the note."""
    rough = fold(f"{card_id} {body} {note or ''}")
    if not all(finder(word)(rough) or '"' in word or "\\" in word for word in words):
        return False  # most cards end here, without their JSON being parsed
    said = " ".join(_texts(json.loads(body)))
    exact = fold(f"{card_id} {said} {note or ''}")
    return all(finder(word)(exact) for word in words)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in ("kind", "id", "sibling", "topic"):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _state_from(row: Sequence[Any]) -> CardState:
    split = len(CARD_COLUMNS)
    card_row, own = card_from(row[:split]), row[split:]
    if own[0] is None:  # a learner who only reads has no memories yet
        return CardState(card_row, MemoryRow(card_row.card_key, card_row.position, present=card_row.present))
    return CardState(card_row, memory_from(own))


_KEY, _ID, _POSITION, _BODY = (
    CARD_COLUMNS.index(c) for c in (card.c.card_key, card.c.card_id, card.c.position, card_rev.c.body)
)
_CURRENT_TEXT = and_(card_rev.c.card_key == card.c.card_key, card_rev.c.rev == card.c.rev)
_TOPIC_OF_CARD = topic.c.topic_key == card.c.topic_key


def _card_by_id() -> Any:
    tables = card.join(card_rev, _CURRENT_TEXT).join(topic, _TOPIC_OF_CARD)
    return select(*CARD_COLUMNS).select_from(tables).where(card.c.card_id == bindparam("card_id"))


def _states(learner: Any) -> Select[Any]:
    """Cards with their memory. The outer join makes the database go through cards in order, and not sort memories."""
    tables = (
        card.join(card_rev, _CURRENT_TEXT)
        .join(topic, _TOPIC_OF_CARD)
        .outerjoin(memory, and_(memory.c.learner == learner, memory.c.card_key == card.c.card_key))
    )
    return select(*CARD_COLUMNS, *MEMORY_COLUMNS).select_from(tables)


def _state_by_key() -> Any:
    return _states(bindparam("learner")).where(card.c.card_key == bindparam("card_key"))


def _memory_by_key() -> Any:
    own = and_(memory.c.learner == bindparam("learner"), memory.c.card_key == bindparam("card_key"))
    return select(*MEMORY_COLUMNS).where(own)


def _listing(learner: str, wanted: CardFilter, after: tuple[int, int] | None, limit: int) -> Select[Any]:
    query = _states(learner)
    if not wanted.absent_too:
        query = query.where(card.c.present != 0)
    if wanted.topic_id is not None:
        key = select(topic.c.topic_key).where(topic.c.topic_id == wanted.topic_id).scalar_subquery()
        query = query.where(card.c.topic_key == key)
    if wanted.flagged:
        query = query.where(flagged)
    if wanted.leech:
        query = query.where(leeches)
    if wanted.suspended:
        query = query.where(suspended)
    if wanted.queue is not None:
        query = query.where(memory.c.queue == int(wanted.queue))
    if after is not None:
        position, key_after = after
        later = or_(card.c.position > position, and_(card.c.position == position, card.c.card_key > key_after))
        query = query.where(card.c.position >= position, later)
    return query.order_by(card.c.position, card.c.card_key).limit(limit)
