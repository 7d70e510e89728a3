"""The statements of every day, as text that the driver runs: what a sitting, the list of cards and a card's history ask.

They are text because SQLAlchemy takes longer to import (0.3 s) than the rest of the way to the first card, and to run a
statement in SQLite longer than SQLite does. Names of columns come from `content.rows`; a test holds them, and every
statement here, against `content.tables`. Nothing in them is of one database alone.
"""

from __future__ import annotations

from content.events import Kind, Queue
from content.rows import CARD_NAMES, EVENT_NAMES, MEMORY_NAMES

MEMORY_KEY = ("learner", "card_key")
TOPIC_NAMES = ("topic_key", "pack_id", "topic_id", "position", "body", "present")
DRAFT_NAMES = (
    *("card_key", "form", "card_rev", "text", "confidence", "submitted", "points"),
    *("spent_ms", "started_ms", "updated_ms"),
)


def _listed(names: tuple[str, ...], prefix: str = "") -> str:
    return ", ".join(f"{prefix}{name}" for name in names)


def _insert(table: str, names: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({_listed(names)}) VALUES ({_listed(names, ':')})"  # noqa: S608  names of columns


def _set(names: tuple[str, ...]) -> str:
    return ", ".join(f"{name} = :{name}" for name in names)


# S608: only names of columns and the constants of this file are put together, never a value.
_OF_CARD = {"topic_id": "t.topic_id", "body": "r.body"}
CARD = f"""
SELECT {", ".join(_OF_CARD.get(name, f"c.{name}") for name in CARD_NAMES)}
FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev JOIN topic t ON t.topic_key = c.topic_key
WHERE c.card_id = :card_id
"""  # noqa: S608
STATES = f"""
SELECT {", ".join(_OF_CARD.get(name, f"c.{name}") for name in CARD_NAMES)}, {_listed(MEMORY_NAMES, "m.")}
FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev JOIN topic t ON t.topic_key = c.topic_key
  LEFT JOIN memory m ON m.learner = :learner AND m.card_key = c.card_key
"""  # noqa: S608  the outer join makes the database go through cards in order, and not sort memories
STATE = f"{STATES} WHERE c.card_key = :card_key"
MEMORY = f"SELECT {_listed(MEMORY_NAMES)} FROM memory WHERE learner = :learner AND card_key = :card_key"  # noqa: S608
MEMORIES = f"SELECT {_listed(MEMORY_NAMES)} FROM memory WHERE learner = :learner ORDER BY card_key"  # noqa: S608
CARD_PLACE = "SELECT position, present FROM card WHERE card_key = :card_key"
WAITS = "SELECT queue FROM memory WHERE learner = :learner AND card_key = :card_key"
REVISION = "SELECT body FROM card_rev WHERE card_key = :card_key AND rev = :rev"
TOPICS = f"SELECT {_listed(TOPIC_NAMES)} FROM topic ORDER BY pack_id, position, topic_key"  # noqa: S608
TOPIC_COUNTS = """
SELECT t.topic_id, m.queue, COUNT(*) FROM memory m JOIN card c ON c.card_key = m.card_key
  JOIN topic t ON t.topic_key = c.topic_key
WHERE m.learner = :learner GROUP BY t.topic_id, m.queue
"""

_EVENTS = f"SELECT {_listed(EVENT_NAMES)} FROM event WHERE learner = :learner"  # noqa: S608
EVENT = f"{_EVENTS} AND event_id = :event_id"
DISPUTES = f"""
{_EVENTS} AND kind <> '{Kind.ATTEMPT.value}' AND kind = '{Kind.DISPUTE.value}' ORDER BY event_id
"""
EVENTS_OF_CARD = f"""
{_EVENTS} AND card_key = :card_key AND (:before IS NULL OR event_id < :before) ORDER BY event_id DESC LIMIT :at_most
"""
# The ids come from an index alone; asked for whole rows, SQLite would rather read the whole log.
ATTEMPTS_ON = f"""
{_EVENTS} AND event_id IN (SELECT event_id FROM event WHERE learner = :learner AND day = :day
  AND kind = '{Kind.ATTEMPT.value}')
"""  # noqa: S608
LESSONS = f"""
SELECT event_id, response FROM event WHERE learner = :learner AND event_id IN (SELECT event_id FROM event
  WHERE learner = :learner AND kind <> '{Kind.ATTEMPT.value}' AND kind = '{Kind.LESSON.value}')
"""  # noqa: S608  the first condition on kinds is that of the index, word for word
UNDOING = """
SELECT event_id, target_id, kind FROM event
WHERE learner = :learner AND target_id IS NOT NULL AND target_id >= :since
"""
NEWEST_EVENT = "SELECT MAX(event_id) FROM event WHERE learner = :learner"
COUNT_EVENTS = "SELECT COUNT(*) FROM event WHERE learner = :learner"
COUNT_CARDS = "SELECT COUNT(*) FROM card"
ADD_EVENT = _insert("event", EVENT_NAMES)

_ALL_OF_MEMORY = ("learner", *MEMORY_NAMES)
_CHANGING = tuple(name for name in _ALL_OF_MEMORY if name not in MEMORY_KEY)
PUT_MEMORY = f"UPDATE memory SET {_set(_CHANGING)} WHERE learner = :learner AND card_key = :card_key"  # noqa: S608
ADD_MEMORY = _insert("memory", _ALL_OF_MEMORY)
_ZEROS = ("phase", "step", "scheduled_days", "attempts", "lapses", "leech", "suspended", "flag")
FILL_MEMORIES = f"""
INSERT INTO memory (learner, card_key, queue, position, {_listed(_ZEROS)})
SELECT :learner, c.card_key, CASE WHEN c.present = 0 THEN {Queue.ABSENT:d} ELSE {Queue.NEW:d} END, c.position,
  {", ".join("0" for _ in _ZEROS)}
FROM card c WHERE NOT EXISTS (SELECT 1 FROM memory m WHERE m.learner = :learner AND m.card_key = c.card_key)
"""  # noqa: S608
PUT_STATE = "UPDATE memory SET stability = ?, difficulty = ? WHERE learner = ? AND card_key = ?"

PLANS = "SELECT params_id, body FROM params"
PLAN = "SELECT params_id FROM params WHERE params_id = :params_id"
ADD_PLAN = _insert("params", ("params_id", "body"))
META = "SELECT value FROM meta WHERE key = :key"
PUT_META = "UPDATE meta SET value = :value WHERE key = :key"
ADD_META = _insert("meta", ("key", "value"))
LEARNERS = "SELECT key FROM meta WHERE key LIKE 'learner.%'"
PACKS = "SELECT pack_id, folder, signature FROM pack WHERE present = 1"

ADD_REVISION = _insert("card_rev", ("card_key", "rev", "body", "first_seen_ms"))
PUT_REVISION = "UPDATE card SET rev = :rev WHERE card_key = :card_key"

_HERE = "learner = :learner AND card_key = :card_key AND form = :form"
DRAFT = f"SELECT {_listed(DRAFT_NAMES)} FROM draft WHERE {_HERE}"  # noqa: S608
DRAFTS = f"""
SELECT {_listed(DRAFT_NAMES)} FROM draft WHERE learner = :learner AND form <> :but ORDER BY updated_ms DESC
"""  # noqa: S608
DROP_DRAFT = f"DELETE FROM draft WHERE {_HERE}"  # noqa: S608
ADD_DRAFT = _insert("draft", ("learner", *DRAFT_NAMES))
