"""The queries of a day, for `content.today`: each has a LIMIT and walks one index of `memory`, of one kind of card, or of
one day of `event`. They are plain text, so that the glance can run them without a database library."""

from __future__ import annotations

from content.kinds import Queue

RECENT_EVENTS = 400
STEPS_LIMIT = 1000

_GIVES = "CASE WHEN r.body LIKE '%\"gives_away\":%' THEN r.body END"
_CARD = "JOIN card c ON c.card_key = m.card_key JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev"
_RELATES = """CASE WHEN r.body LIKE '%"gives_away":%' OR r.body LIKE '%"contrast":%' THEN r.body END"""
_CANDIDATE = "m.card_key, c.card_id, c.sibling, c.topic_key, c.kind, m.stability, m.last_day"
_NOT_BURIED = "(m.buried_day IS NULL OR m.buried_day <> :day)"
_IN_TOPIC = "AND (:topic = -1 OR c.topic_key = :topic)"

# S608: only the constants above are put together, never a value.
DUE = f"""
SELECT {_CANDIDATE}, m.due_day, {_GIVES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.REVIEW:d} AND m.due_day <= :day
  AND (m.due_day, m.card_key) > (:after, :after_key) AND c.kind NOT IN ('oral', 'table')
  AND {_NOT_BURIED} AND (m.last_day IS NULL OR m.last_day < :day OR m.last_day > :day + 1) {_IN_TOPIC}
ORDER BY m.due_day, m.card_key LIMIT :page
"""  # noqa: S608
NEW = f"""
SELECT {_CANDIDATE}, m.position, {_RELATES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.NEW:d}
  AND (m.position, m.card_key) > (:after, :after_key) AND c.kind NOT IN ('drill', 'oral', 'table')
  AND {_NOT_BURIED} {_IN_TOPIC}
ORDER BY m.position, m.card_key LIMIT :page
"""  # noqa: S608
NEW_OF_KIND = f"""
SELECT {_CANDIDATE}, m.position, r.body FROM card c CROSS JOIN memory m CROSS JOIN card_rev r
WHERE c.kind = :kind AND (c.position, c.card_key) > (:after, :after_key)
  AND m.learner = :learner AND m.card_key = c.card_key AND m.queue = {Queue.NEW:d}
  AND r.card_key = c.card_key AND r.rev = c.rev AND {_NOT_BURIED} {_IN_TOPIC}
  AND EXISTS (SELECT 1 FROM card tc JOIN memory tm ON tm.card_key = tc.card_key AND tm.learner = :learner
    WHERE tc.topic_key = c.topic_key AND tm.queue > {Queue.NEW:d})
ORDER BY c.position, c.card_key LIMIT :page
"""  # noqa: S608  the joins are crossed so that SQLite goes through the few cards of the kind
DUE_OF_KIND = f"""
SELECT {_CANDIDATE}, m.due_day, {_GIVES} FROM card c CROSS JOIN memory m CROSS JOIN card_rev r
WHERE c.kind = :kind AND m.learner = :learner AND m.card_key = c.card_key AND m.queue = {Queue.REVIEW:d}
  AND m.due_day <= :day AND (m.due_day, m.card_key) > (:after, :after_key)
  AND {_NOT_BURIED} AND (m.last_day IS NULL OR m.last_day < :day OR m.last_day > :day + 1) {_IN_TOPIC}
  AND r.card_key = c.card_key AND r.rev = c.rev
ORDER BY m.due_day, m.card_key LIMIT :page
"""  # noqa: S608
IS_NEW = f"""
SELECT 1 FROM card c JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.card_id = :card_id AND m.queue = {Queue.NEW:d} AND c.kind <> :but
"""  # noqa: S608
STEPS = f"""
SELECT {_CANDIDATE}, m.due_ms, {_GIVES} FROM memory m {_CARD}
WHERE m.learner = :learner AND m.queue = {Queue.STEPS:d} AND m.due_ms < :ends AND {_NOT_BURIED} {_IN_TOPIC}
ORDER BY m.due_ms, m.card_key LIMIT {STEPS_LIMIT}
"""  # noqa: S608
DONE = f"""
SELECT e.event_id, e.kind, e.target_id, e.purpose, e.phase_before, e.took_ms, e.card_key, c.card_id, c.sibling, c.kind, {_GIVES}
FROM event e LEFT JOIN card c ON c.card_key = e.card_key
  LEFT JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
WHERE e.learner = :learner AND e.day = :day AND e.kind IN ('attempt', 'retract', 'restore')
"""  # noqa: S608
RECENT = f"""
SELECT e.kind, e.purpose, e.phase_before, e.took_ms, c.kind FROM event e LEFT JOIN card c ON c.card_key = e.card_key
WHERE e.learner = :learner ORDER BY e.event_id DESC LIMIT {RECENT_EVENTS}
"""  # noqa: S608
STUDIED = "SELECT 1 FROM event WHERE learner = :learner AND day = :day AND kind = 'attempt' LIMIT 1"
ANY_IN_QUEUE = {
    queue: f"SELECT 1 FROM memory WHERE learner = :learner AND queue = {queue:d} LIMIT 1"  # noqa: S608
    for queue in (Queue.NEW, Queue.STEPS, Queue.REVIEW)
}
ANY_SUSPENDED = "SELECT 1 FROM memory WHERE learner = :learner AND suspended > 0 LIMIT 1"
NEXT_DUE_DAY = f"""
SELECT due_day FROM memory WHERE learner = :learner AND queue = {Queue.REVIEW:d} AND due_day > :day
ORDER BY due_day LIMIT 1
"""  # noqa: S608
DUE_BY = f"""
SELECT COUNT(*) FROM (SELECT 1 FROM memory WHERE learner = :learner AND queue = {Queue.REVIEW:d}
  AND due_day <= :day LIMIT :cap) AS due
"""  # noqa: S608
