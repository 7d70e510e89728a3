"""All memory derived from the log again, in one vectorised pass.

Nearly all cards only ever had answers that moved their schedule. Those are folded together as arrays; a card with
anything else in its log (an undo, a suspension, a note, practice, a manual date, a change of weights half-way) is folded
event by event with `content.history`, as the live path does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, case, func, or_, select

from content import sqlite
from content.events import SCHEDULING, Kind, NewEvent, Queue
from content.rows import EVENT_COLUMNS, MEMORY_COLUMNS, MemoryRow, event_from, memory_from
from content.tables import event, memory, params
from grading.schedule import Memory, Phase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from content.store import Record
    from grading.schedule import Plan

    Ints = NDArray[np.int64]
    Columns = dict[str, NDArray[Any]]

CHUNK = 500
"""Cards whose events are read at once."""
AGAIN, LEARNING, REVIEW, RELEARNING = 1, 1, 2, 3  # of grading's Rating and Phase, whose enums arrays do not need
# Layout of the packed integers; together with the sign they fit 64 bits.
DAY_BITS, CODE_BITS, STEP_BITS, PLAN_BITS = 21, 5, 7, 10


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild found: cards with a history, and those whose stored memory had differed from the log."""

    cards: int
    attempts: int
    changed: int


@dataclass(frozen=True, slots=True)
class _Log:
    """One row per event, ordered by card and then by id. `rating` is 0 for what is not a plain scheduling answer."""

    card: Ints
    day: Ints
    rating: Ints
    phase: Ints
    step: Ints
    at_ms: Ints
    plan: Ints
    due: Ints  # a study day or an instant, as the phase says; -1 for none
    due_is_day: NDArray[np.bool_]


def rebuild(record: Record, default: Plan) -> Rebuilt:
    """Derive every memory of the record's learner from its log and put right those that differ, in one transaction.

    Each answer counts under the plan it was given under; `default` stands in where the record does not know that plan.
    """
    import numpy as np

    from content.params import plan_from

    known = [(row[0], plan_from(row[1])) for row in record.rows(select(params.c.params_id, params.c.body))]
    known = known[: (1 << PLAN_BITS) - 1]
    plans = [default, *(plan for _, plan in known)]
    log = _read(record, [params_id for params_id, _ in known])
    if not len(log.card):
        return Rebuilt(0, 0, _put(record, {name: np.empty(0, np.int64) for name in _PLAIN}, [], default))
    starts = np.flatnonzero(np.r_[True, log.card[1:] != log.card[:-1]])
    ends = np.r_[starts[1:], len(log.card)]
    plain = _plain_cards(log, starts, ends, plans)
    values = _fold_plain(log, starts[plain], ends[plain], plans)
    slow = log.card[starts[~plain]].tolist()
    changed = _put(record, values, slow, default)
    return Rebuilt(len(starts), int(np.count_nonzero(log.rating)), changed)


def _read(record: Record, plan_ids: Sequence[str]) -> _Log:
    """The log as arrays. Three packed integers an event, since fetching is what a rebuild spends most of its time on."""
    import numpy as np

    e = event.c
    moves = and_(e.kind == Kind.ATTEMPT.value, or_(*(e.purpose == purpose.value for purpose in SCHEDULING)))
    code = case((moves, e.rating * 4 + func.coalesce(e.phase_after, REVIEW)), else_=0)
    plan = case(*((e.params_id == params_id, i + 1) for i, params_id in enumerate(plan_ids)), else_=0)
    what = (e.card_key * (1 << DAY_BITS) + e.day) * (1 << CODE_BITS) + code
    when = e.at_ms * (1 << PLAN_BITS) + (plan if plan_ids else 0)
    due = func.coalesce(e.due_day * 2 + 1, e.due_ms * 2, -2) * (1 << STEP_BITS) + func.coalesce(e.step_after, 0)
    columns = (what.label("what"), when.label("at"), due.label("due"))
    query = select(*columns).where(e.learner == record.learner, e.card_key.is_not(None)).order_by(e.event_id)
    texts = record.raw_rows(sqlite.columns_as_text(query))[0]
    packed = [np.fromstring(text or "", np.int64, sep=" ") for text in texts]
    by_card = np.argsort(packed[0] >> (DAY_BITS + CODE_BITS), kind="stable")
    first, second, third = (column[by_card] for column in packed)
    code_of = first & ((1 << CODE_BITS) - 1)
    due_of = third >> STEP_BITS
    return _Log(
        card=first >> (DAY_BITS + CODE_BITS),
        day=(first >> CODE_BITS) & ((1 << DAY_BITS) - 1),
        rating=code_of >> 2,
        phase=code_of & 3,
        step=third & ((1 << STEP_BITS) - 1),
        at_ms=second >> PLAN_BITS,
        plan=second & ((1 << PLAN_BITS) - 1),
        due=due_of >> 1,
        due_is_day=(due_of & 1) == 1,
    )


def _plain_cards(log: _Log, starts: Ints, ends: Ints, plans: Sequence[Plan]) -> NDArray[np.bool_]:
    """Which cards can be folded together: only scheduling answers, all under equal weights and leech rule."""
    import numpy as np

    kinds: dict[object, int] = {}
    kind_of_plan = np.array(
        [kinds.setdefault((p.weights, p.desired_retention, p.leech_lapses), len(kinds)) for p in plans]
    )
    kind = kind_of_plan[log.plan]
    same = np.minimum.reduceat(kind, starts) == np.maximum.reduceat(kind, starts)
    plain: NDArray[np.bool_] = same & (np.minimum.reduceat(log.rating, starts) > 0)
    # A card can only be relearning after a failure; should a log say otherwise, it is followed event by event.
    plain &= ~((log.phase[ends - 1] == RELEARNING) & (np.minimum.reduceat(log.rating, starts) > AGAIN))
    return plain


def _fold_plain(log: _Log, starts: Ints, ends: Ints, plans: Sequence[Plan]) -> Columns:
    """The columns of _PLAIN for these cards, NULL as -1."""
    import numpy as np

    counts = ends - starts
    index = np.repeat(np.arange(len(starts)), counts)
    offset = np.cumsum(counts) - counts
    rows = np.arange(len(index)) - np.repeat(offset, counts) + np.repeat(starts, counts)
    last = ends - 1
    stability, difficulty, left_days = _states(log, index, rows, last, plans)
    before = np.r_[0, log.phase[rows][:-1]]
    before[offset] = 0
    failed = (log.rating[rows] == AGAIN) & (before == REVIEW)
    lapses = np.bincount(index[failed], minlength=len(starts))
    threshold = np.array([plan.leech_lapses for plan in plans])[log.plan[last]]
    leech = (threshold > 0) & (lapses >= threshold)
    phase, due, is_day = log.phase[last], log.due[last], log.due_is_day[last]
    scheduled = np.select([is_day, phase == LEARNING], [due - log.day[last], 0], left_days)
    due_day, due_ms = np.where(is_day, due, -1), np.where(is_day, -1, due)
    decided = (stability, difficulty, phase, log.step[last], due_day, due_ms, scheduled)
    counted = (log.day[last], log.at_ms[last], counts, lapses, leech.astype(np.int64), log.card[last])
    return dict(zip(_PLAIN, (*decided, *counted), strict=True))


def _states(
    log: _Log, index: Ints, rows: Ints, last: Ints, plans: Sequence[Plan]
) -> tuple[NDArray[np.float64], NDArray[np.float64], Ints]:
    """Stability, difficulty, and the interval in days that a failure leaves, folded apart for each set of weights."""
    import numpy as np

    from grading import fsrs
    from grading.fold import fold_memory_states

    cards = len(last)
    stability, difficulty = np.full(cards, np.nan), np.full(cards, np.nan)
    left_days = np.zeros(cards, np.int64)
    groups: dict[tuple[tuple[float, ...], float], list[int]] = defaultdict(list)
    for number, plan in enumerate(plans):
        groups[plan.weights, plan.desired_retention].append(number)
    plan_of_card = log.plan[last]
    for (weights, wanted), numbers in groups.items():
        chosen = np.isin(plan_of_card, numbers)
        if not chosen.any():
            continue
        of_card, of_rows = (np.cumsum(chosen) - 1)[index[chosen[index]]], rows[chosen[index]]
        arrays = (of_card, log.rating[of_rows], log.day[of_rows])
        count = int(chosen.sum())
        stability[chosen], difficulty[chosen] = fold_memory_states(*arrays, cards=count, weights=weights)
        relearning = (log.phase[last[chosen]] == RELEARNING)[of_card]
        left = _left_by_failure(*(array[relearning] for array in arrays), cards=count, weights=weights)
        days: NDArray[np.float64] = fsrs.interval_days(weights, left, wanted)
        left_days[chosen] = np.floor(np.nan_to_num(days) + 0.5).clip(1).astype(np.int64)
    return stability, difficulty, left_days


def _left_by_failure(
    card: Ints, rating: Ints, day: Ints, *, cards: int, weights: Sequence[float]
) -> NDArray[np.float64]:
    """The stability that each card's last Again left; the rows are sorted by card."""
    import numpy as np

    from grading.fold import fold_memory_states

    last = np.full(cards, -1, np.int64)
    failures = np.flatnonzero(rating == AGAIN)
    last[card[failures]] = failures  # of one card's failures the later overwrites the earlier
    until = np.arange(len(card)) <= last[card]
    stability, _ = fold_memory_states(card[until], rating[until], day[until], cards=cards, weights=weights)
    return stability


_PLAIN = (
    *("stability", "difficulty", "phase", "step", "due_day", "due_ms"),
    *("scheduled_days", "last_day", "last_ms", "attempts", "lapses", "leech", "card_key"),
)
"""The columns that plain answers decide; the key comes last."""
_REAL = ("stability", "difficulty")
CLOSE = 1e-9
"""Powers of arrays and of floats may differ in the last bits; a memory that is this close is right."""


def _put(record: Record, plain: Columns, slow: list[int], default: Plan) -> int:
    """Put right the memories that differ; returns how many did."""
    import numpy as np

    stored = _stored(record)
    keys = plain["card_key"]
    without = np.setdiff1d(stored["card_key"], np.r_[keys, slow])  # claims something of which the log knows nothing
    folded = _folded_slowly(record, slow + without.tolist(), default)
    rows = [row for row, present in folded if not _same(row, present)]
    drifted, moved = _differ(plain, stored)
    wrong = np.flatnonzero(moved)
    if len(wrong):
        own = memory.c.learner == record.learner
        present = memory.c.queue != int(Queue.ABSENT)
        places = record.raw_rows(select(memory.c.card_key, memory.c.position, present).where(own))
        known = {key: (position, bool(here)) for key, position, here in places}
        listed = zip(*(plain[name][wrong].tolist() for name in _PLAIN), strict=True)
        rows += [_row_from(values, *known[values[-1]]) for values in listed if values[-1] in known]
    if rows:
        record.put_memories(rows)
    only_drifted = np.flatnonzero(drifted & ~moved)
    if len(only_drifted):
        names = ("card_key", *_REAL)
        record.put_states(list(zip(*(plain[name][only_drifted].tolist() for name in names), strict=True)))
    return len(rows) + len(only_drifted)


def _stored(record: Record) -> Columns:
    """The columns of _PLAIN of all memories that claim anything, NULL as -1, and whether they claim more than those."""
    import numpy as np

    c = memory.c
    more = or_(c.suspended != 0, c.flag != 0, c.note.is_not(None), c.buried_day.is_not(None))
    claims = or_(c.phase != 0, c.attempts != 0, c.stability.is_not(None), c.due_day.is_not(None), more)
    columns = [func.coalesce(c[name], -1).label(name) for name in _PLAIN] + [more.label("more")]
    query = select(*columns).where(c.learner == record.learner, claims).order_by(c.card_key)
    texts = record.raw_rows(sqlite.columns_as_text(query))[0]
    kinds = [np.float64 if name in _REAL else np.int64 for name in (*_PLAIN, "more")]
    arrays = (np.fromstring(text or "", kind, sep=" ") for text, kind in zip(texts, kinds, strict=True))
    return dict(zip((*_PLAIN, "more"), arrays, strict=True))


def _differ(plain: Columns, stored: Columns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the plain cards have another stability or difficulty, and which have no such memory or differ in more."""
    import numpy as np

    keys, known = plain["card_key"], stored["card_key"]
    if not len(known):
        return np.zeros(len(keys), np.bool_), np.ones(len(keys), np.bool_)
    place = np.searchsorted(known, keys).clip(0, len(known) - 1)
    moved: NDArray[np.bool_] = stored["more"][place] != 0
    drifted = np.zeros(len(keys), np.bool_)
    for name in _PLAIN:
        here, there = plain[name], stored[name][place]
        if name in _REAL:
            drifted |= ~np.isclose(here, there, rtol=CLOSE, atol=0.0)
        else:
            moved |= here != there
    return drifted, moved


def _same(one: MemoryRow, other: MemoryRow) -> bool:
    a, b = one.memory, other.memory
    if not (_close(a.stability, b.stability) and _close(a.difficulty, b.difficulty)):
        return False
    return replace(one, memory=replace(a, stability=b.stability, difficulty=b.difficulty)) == other


def _close(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= CLOSE * abs(one)


def _row_from(values: tuple[Any, ...], position: int, present: bool) -> MemoryRow:
    named = dict(zip(_PLAIN, values, strict=True))
    named |= {name: None for name in ("due_day", "due_ms") if named[name] == -1}
    key = named.pop("card_key")
    named |= {"phase": Phase(named["phase"]), "leech": bool(named["leech"])}
    return MemoryRow(key, position, Memory(**named), present)


def _folded_slowly(record: Record, keys: list[int], default: Plan) -> Iterator[tuple[MemoryRow, MemoryRow]]:
    """These cards folded event by event, each with the row stored now."""
    from content.history import fold, plans_of

    plan_for = plans_of(record, default)
    for start in range(0, len(keys), CHUNK):
        some = keys[start : start + CHUNK]
        events: dict[int | None, list[NewEvent]] = defaultdict(list)
        of_cards = and_(event.c.learner == record.learner, event.c.card_key.in_(some))
        for found in map(event_from, record.rows(select(*EVENT_COLUMNS).where(of_cards))):
            events[found.card_key].append(found)
        own = and_(memory.c.learner == record.learner, memory.c.card_key.in_(some))
        for row in map(memory_from, record.rows(select(*MEMORY_COLUMNS).where(own))):
            yield fold(row, events[row.card_key], plan_for), row
