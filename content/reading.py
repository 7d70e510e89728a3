"""What can be asked of a record: cards and their memory, lists and searches, topics, days, the events of a card."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from content import record_sql as sql
from content.errors import DamagedMemory
from content.events import Kind, NewEvent, Queue
from content.hanzi import finder
from content.rows import (
    CARD_NAMES,
    CardRow,
    CardState,
    MemoryRow,
    TopicRow,
    card_from,
    event_from,
    memory_from,
    state_from,
)

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
    """One page of a list; `next_after` asks for the one behind it, None at the end. Of cards whose memory is damaged
    there is the error instead."""

    cards: tuple[CardState, ...]
    next_after: tuple[int, int] | None
    damaged: tuple[DamagedMemory, ...] = ()


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

    def named_rows(self, statement: str, values: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """All rows of an SQL text with `:name` values, as the driver's own tuples."""
        raise NotImplementedError

    def card(self, card_id: str) -> CardRow | None:
        """The card with this full id, present or not."""
        found = self.named_rows(sql.CARD, {"card_id": card_id})
        return card_from(found[0]) if found else None

    def state(self, card_key: int) -> CardState | None:
        """A card's text and this learner's memory of it, in one query."""
        found = self.named_rows(sql.STATE, {"learner": self.learner, "card_key": card_key})
        return state_from(found[0]) if found else None

    def memory(self, card_key: int) -> MemoryRow | None:
        """This learner's memory of a card; None when there is no such card."""
        found = self.named_rows(sql.MEMORY, {"learner": self.learner, "card_key": card_key})
        return memory_from(found[0]) if found else None

    def memories(self) -> list[MemoryRow]:
        """All of this learner's memories by card key; heavy."""
        return [memory_from(row) for row in self.named_rows(sql.MEMORIES, {"learner": self.learner})]

    def revision(self, card_key: int, rev: str) -> str | None:
        """The text (canonical JSON) that a card had in a revision."""
        found = self.named_rows(sql.REVISION, {"card_key": card_key, "rev": rev})
        return str(found[0][0]) if found else None

    def topics(self, *, absent_too: bool = False) -> list[TopicRow]:
        """All topics in the order of their packs."""
        rows = self.named_rows(sql.TOPICS)
        topics = (
            TopicRow(key, pack, name, position, body, bool(here)) for key, pack, name, position, body, here in rows
        )
        return [topic for topic in topics if absent_too or topic.present]

    def topic_counts(self) -> dict[str, dict[Queue, int]]:
        """How many cards of each topic id wait in each queue; reads all memories, so call it from a worker."""
        counts: dict[str, dict[Queue, int]] = {}
        for topic_id, queue, count in self.named_rows(sql.TOPIC_COUNTS, {"learner": self.learner}):
            in_topic = counts.setdefault(topic_id, dict.fromkeys(Queue, 0))
            if queue in in_topic:  # a damaged row may wait nowhere
                in_topic[Queue(queue)] = count
        return counts

    def cards(self, wanted: CardFilter, *, after: tuple[int, int] | None = None, limit: int = 100) -> CardPage:
        """A page of the cards wanted, in the order in which they are introduced."""
        words = fold(wanted.search).split()
        found: list[CardState] = []
        damaged: list[DamagedMemory] = []
        while True:
            size = max(limit, SEARCH_PAGE) if words else limit
            page = self.named_rows(*listing(self.learner, wanted, after, size))
            for row in page:
                after = (row[_POSITION], row[_KEY])
                if not words or matches(row[_ID], row[_BODY], row[-1], words):
                    try:
                        found.append(state_from(row))
                    except DamagedMemory as fault:
                        damaged.append(fault)
                    if len(found) == limit:
                        return CardPage(tuple(found), after, tuple(damaged))
            if len(page) < size:
                return CardPage(tuple(found), None, tuple(damaged))

    def event(self, event_id: str) -> NewEvent | None:
        """One event of this learner's log."""
        found = self.named_rows(sql.EVENT, {"learner": self.learner, "event_id": event_id})
        return event_from(found[0]) if found else None

    def events_of(self, card_key: int, *, before: str | None = None, limit: int = -1) -> list[NewEvent]:
        """The events of a card, newest first; `before` is the last event id of the page before."""
        asked = {"learner": self.learner, "card_key": card_key, "before": before, "at_most": limit}
        return [event_from(row) for row in self.named_rows(sql.EVENTS_OF_CARD, asked)]

    def attempts_on(self, day: int) -> list[NewEvent]:
        """The attempts of a study day that were not retracted, oldest first."""
        found = self.named_rows(sql.ATTEMPTS_ON, {"learner": self.learner, "day": day})
        events = [event_from(row) for row in found]
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
        rows = self.named_rows(sql.UNDOING, {"learner": self.learner, "since": since})
        undoing_kinds = (Kind.RETRACT.value, Kind.RESTORE.value)
        last = {target: kind for _, target, kind in sorted(rows) if kind in undoing_kinds}  # the highest id comes last
        return {target for target, kind in last.items() if kind == Kind.RETRACT.value}

    def lessons_read(self) -> set[str]:
        """The ids of the topics whose lesson was read."""
        rows = self.named_rows(sql.LESSONS, {"learner": self.learner})
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


_KEY, _ID, _POSITION, _BODY = (CARD_NAMES.index(name) for name in ("card_key", "card_id", "position", "body"))


def listing(learner: str, wanted: CardFilter, after: tuple[int, int] | None, limit: int) -> tuple[str, dict[str, Any]]:
    """The statement of a page of cards and its values. Conditions on marks are those of their indexes, word for word."""
    position, key = after or (0, 0)
    asked = (
        (not wanted.absent_too, "c.present <> 0"),
        (wanted.topic_id is not None, "c.topic_key = (SELECT topic_key FROM topic WHERE topic_id = :topic_id)"),
        (wanted.flagged, "m.flag > 0"),
        (wanted.leech, "m.leech > 0"),
        (wanted.suspended, "m.suspended > 0"),
        (wanted.queue is not None, f"m.queue = {wanted.queue or 0:d}"),
        (after is not None, "(c.position, c.card_key) > (:position, :key)"),
    )
    conditions = " AND ".join(condition for holds, condition in asked if holds) or "1 = 1"
    values = {"learner": learner, "topic_id": wanted.topic_id, "position": position, "key": key, "at_most": limit}
    return f"{sql.STATES} WHERE {conditions} ORDER BY c.position, c.card_key LIMIT :at_most", values
