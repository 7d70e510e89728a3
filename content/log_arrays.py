"""The log, and the memories stored beside it, as arrays: what a rebuild reads.

Fetching is what it spends most of its time on. Three packed integers an event and eight numbers a memory leave SQLite as
text, by several threads at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any

from content import sqlite
from content.kinds import SCHEDULING, Kind, Purpose, Queue
from grading.memory import Phase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from content.store import Record

    Ints = NDArray[np.int64]
    Columns = dict[str, NDArray[Any]]

# Layout of the packed integers; together with the sign they fit 64 bits.
DAY_BITS, CODE_BITS, STEP_BITS, PLAN_BITS, COUNT_BITS = 21, 5, 7, 10, 20
MANY = (1 << PLAN_BITS) - 1
"""In place of a plan that has no number here."""

PLAIN = (
    *("stability", "difficulty", "phase", "step", "due_day", "due_ms"),
    *("scheduled_days", "last_day", "last_ms", "attempts", "lapses", "leech", "card_key"),
)
"""The columns that plain answers decide; the key comes last."""
REAL = ("stability", "difficulty")


@dataclass(frozen=True, slots=True)
class Log:
    """One row per event, ordered by card and then by id. `rating` is 0 for what is not a scheduling answer, or one that
    cannot be told in numbers: its card must be followed event by event."""

    card: Ints
    day: Ints
    rating: Ints
    phase: Ints
    step: Ints
    at_ms: Ints
    plan: Ints
    due: Ints  # a study day or an instant, as the phase says; -1 for none
    due_is_day: NDArray[np.bool_]
    other: Ints  # the cards (one row each) with events that are no attempts, or that are not in this log at all


@dataclass(frozen=True, slots=True)
class Stored:
    """The memories that claim anything, by card: the columns of PLAIN packed as `as_stored` packs them, NULL as -1.
    `more` says that one claims what those do not tell, or what no answer could have made. `astray` are the cards whose
    memory is missing, or waits in another queue or place than the card's."""

    card: Ints
    where: Ints
    due: Ints
    counts: Ints
    last_ms: Ints
    stability: NDArray[np.float64]
    difficulty: NDArray[np.float64]
    more: Ints
    astray: Ints


_OTHER = f"""
SELECT DISTINCT card_key FROM event WHERE learner = :learner AND event_id IN (SELECT event_id FROM event
  WHERE learner = :learner AND kind <> '{Kind.ATTEMPT.value}') AND card_key IS NOT NULL
UNION SELECT card_key FROM event WHERE learner = :learner AND day < 0 AND card_key IS NOT NULL
UNION SELECT card_key FROM event WHERE learner = :learner AND day >= {1 << DAY_BITS} AND card_key IS NOT NULL
"""  # noqa: S608  constants of this program; each part walks an index
_ENDS = """
SELECT (SELECT MIN(card_key) FROM event WHERE learner = :learner), (SELECT MAX(card_key) FROM event WHERE learner = :learner)
"""
PARTS, SAMPLED_CARDS = 8, 400
"""Into how many stretches the log is cut, to be read by as many threads as help, and by how many cards' events its length
is judged: the time between the first and the last event says nothing of how the others lie."""
LAST = "\U0010ffff"
BIGGEST = 2.0**62


_CLAIMS = sqlite.columns_as_text(
    (
        "card_key",
        f"((coalesce(last_day, -1) * 4 + phase) * {1 << STEP_BITS} + step) * 2 + leech",
        "coalesce(due_day * 2 + 1, due_ms * 2, -2)",
        f"(scheduled_days * {1 << COUNT_BITS} + attempts) * {1 << COUNT_BITS} + lapses",
        "coalesce(last_ms, -1)",
        "coalesce(stability, -1.0)",
        "coalesce(difficulty, -1.0)",
        f"""suspended <> 0 OR flag <> 0 OR note IS NOT NULL OR buried_day IS NOT NULL OR due_day + due_ms IS NOT NULL
        OR phase >> 2 OR leech >> 1 OR step >> {STEP_BITS} OR (attempts | lapses) >> {COUNT_BITS}""",
    ),
    """FROM memory WHERE learner = :learner AND (note IS NOT NULL
    OR (phase | step | scheduled_days | attempts | lapses | leech | suspended | flag) <> 0
    OR coalesce(stability, difficulty, due_day, due_ms, last_day, last_ms, buried_day) IS NOT NULL) ORDER BY card_key""",
)
"""The memories that claim anything, packed as `Stored` has them."""
_ASTRAY = sqlite.columns_as_text(
    ("c.card_key",),
    f"""FROM card c LEFT JOIN memory m ON m.learner = :learner AND m.card_key = c.card_key
    WHERE m.card_key IS NULL OR m.position <> c.position OR m.queue <> CASE WHEN c.present = 0 THEN {Queue.ABSENT:d}
      WHEN m.suspended <> 0 THEN {Queue.SUSPENDED:d} WHEN m.phase = {Phase.NEW:d} THEN {Queue.NEW:d}
      WHEN m.phase = {Phase.REVIEW:d} THEN {Queue.REVIEW:d} ELSE {Queue.STEPS:d} END ORDER BY c.card_key""",
)


def _packed(plans: int) -> str:
    """The statement that packs each event into three integers: fetching is what a rebuild spends most of its time on.

    Nearly all answers have the first purpose and the first plan asked for, which is why these are asked one by one. Only
    where the numbers of `plans` are used up may a plan be known and have none.
    """
    first, *others = sorted(SCHEDULING, key=lambda purpose: purpose is not Purpose.REVIEW)
    moves = f"purpose = '{first.value}' OR purpose IN ({', '.join(repr(purpose.value) for purpose in others)})"
    named = "".join(f" WHEN :plan{number} THEN {number}" for number in range(1, plans + 1))
    other = f"CASE WHEN params_id IS NULL THEN 0 ELSE {MANY} END" if plans >= MANY - 1 else "0"
    phase = f"coalesce(phase_after, {Phase.REVIEW:d})"
    is_whole = f"(rating - 1 | {phase}) BETWEEN 0 AND 3"  # both are, in one comparison
    code = f"CASE WHEN ({moves}) AND {is_whole} THEN rating * 4 + {phase} ELSE 0 END"
    due = f"coalesce(due_day * 2 + 1, due_ms * 2, -2) * {1 << STEP_BITS} + coalesce(step_after, 0)"
    columns = (
        f"(card_key * {1 << DAY_BITS} + day) * {1 << CODE_BITS} + {code}",
        f"at_ms * {1 << PLAN_BITS} + " + (f"CASE params_id{named} ELSE {other} END" if plans else other),
        due,
    )
    days = f"day BETWEEN 0 AND {(1 << DAY_BITS) - 1}"
    where = f"learner = :learner AND card_key IS NOT NULL AND event_id >= :since AND event_id < :until AND {days}"
    return sqlite.columns_as_text(columns, f"FROM event WHERE {where} ORDER BY event_id")


def read_log(record: Record, plan_ids: Sequence[str]) -> tuple[Log, Callable[[], Stored]]:
    """The log as arrays, and what gives the stored memories: those are still being read when this returns."""
    import numpy as np

    mine = {"learner": record.learner}
    asked = mine | {f"plan{number}": params_id for number, params_id in enumerate(plan_ids, 1)}
    events = _packed(len(plan_ids))
    parts = [(events, asked | {"since": since, "until": until}) for since, until in pairwise(_cuts(record))]
    found = record.rows_at_once([*parts, (_CLAIMS, mine), (_ASTRAY, mine)], _numbers)
    log = list(islice(found, len(parts)))  # what is left of `found` are the memories
    what, when, then = (
        np.concatenate([part[column].astype(np.int64, copy=False) for part in log]) for column in range(3)
    )
    by_card = _order(what >> (DAY_BITS + CODE_BITS))
    what, when, then = what[by_card], when[by_card], then[by_card]
    code, due = what & ((1 << CODE_BITS) - 1), then >> STEP_BITS
    plan = when & MANY
    known = plan <= len(plan_ids)
    return Log(
        card=what >> (DAY_BITS + CODE_BITS),
        day=(what >> CODE_BITS) & ((1 << DAY_BITS) - 1),
        rating=np.where(known, code >> 2, 0),
        phase=code & 3,
        step=then & ((1 << STEP_BITS) - 1),
        at_ms=when >> PLAN_BITS,
        plan=np.where(known, plan, 0),
        due=due >> 1,
        due_is_day=(due & 1) == 1,
        other=np.array([row[0] for row in record.named_rows(_OTHER, mine)], np.int64),
    ), lambda: _stored(found)


def _stored(found: Iterator[list[NDArray[Any]]]) -> Stored:
    memories, astray = found
    return Stored(*memories, *astray)


def _order(card: Ints) -> Ints:
    """The rows by card, those of one card as they were. Numpy sorts 16 bits by counting, a quarter of the time."""
    import numpy as np

    if len(card) and int(card.max()) >= 1 << 32:
        return np.argsort(card, kind="stable")
    low = np.argsort((card & 0xFFFF).astype(np.uint16), kind="stable")
    ordered: Ints = low[np.argsort((card[low] >> 16).astype(np.uint16), kind="stable")]
    return ordered


def _cuts(record: Record) -> list[str]:
    """Event ids between which there is about as much of the log, with one before and one after all."""
    first, last = record.named_rows(_ENDS, {"learner": record.learner})[0]
    if first is None:
        return ["", LAST]
    keys = sorted({first + (last - first) * number // SAMPLED_CARDS for number in range(SAMPLED_CARDS + 1)})
    sampled = f"SELECT event_id FROM event WHERE learner = :learner AND card_key IN ({', '.join(map(str, keys))})"  # noqa: S608
    found = sorted(row[0] for row in record.named_rows(sampled, {"learner": record.learner}))
    return ["", *(found[len(found) * part // PARTS] for part in range(1, PARTS)), LAST]


def _numbers(rows: Sequence[Sequence[str | None]]) -> list[NDArray[Any]]:
    """The columns of the one row that `sqlite.columns_as_text` gives."""
    import numpy as np

    kinds = [np.float64 if text and "." in text else np.int64 for text in rows[0]]
    numbers = [np.fromstring(text or "", kind, sep=" ") for text, kind in zip(rows[0], kinds, strict=True)]
    # An integer that outgrew 64 bits comes as a fraction: it is nothing an answer could have made.
    return [column if column.dtype == np.int64 else np.nan_to_num(column).clip(-BIGGEST, BIGGEST) for column in numbers]


def as_stored(plain: Columns) -> tuple[Ints, Ints, Ints, Ints]:
    """These columns as `_CLAIMS` packs a memory's."""
    import numpy as np

    c = plain
    where = ((c["last_day"] * 4 + c["phase"]) * (1 << STEP_BITS) + c["step"]) * 2 + c["leech"]
    due = np.where(c["due_day"] >= 0, c["due_day"] * 2 + 1, c["due_ms"] * 2)
    counts = (c["scheduled_days"] * (1 << COUNT_BITS) + c["attempts"]) * (1 << COUNT_BITS) + c["lapses"]
    return where, due, counts, c["last_ms"]
