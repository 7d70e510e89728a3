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

from content.errors import RecordError
from content.log_arrays import MANY, PLAIN, REAL, Log, Stored, as_stored, read_log
from content.record_sql import CARD_PLACE, WAITS
from content.rows import MemoryRow
from grading.schedule import Memory, Phase

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from content.log_arrays import Columns, Ints
    from content.store import Record
    from grading.schedule import Plan

AGAIN, LEARNING, REVIEW, RELEARNING = 1, 1, 2, 3  # of grading's Rating and Phase, whose enums arrays do not need


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild found: cards with a history, and those whose stored memory had differed from the log."""

    cards: int
    attempts: int
    changed: int


def rebuild(record: Record, default: Plan) -> Rebuilt:
    """Derive every memory of the record's learner from its log and put right those that differ, in one transaction.

    Each answer counts under the plan it was given under; `default` stands in where the record does not know that plan.
    """
    import numpy as np

    from content.params import known_plans

    known = known_plans(record)
    numbered = list(known)[: MANY - 1]  # answers under any beyond are followed event by event
    plans = [default, *(known[params_id] for params_id in numbered)]
    log, memories_to_come = read_log(record, numbered)
    if not len(log.card):
        nothing = {name: np.empty(0, np.int64) for name in PLAIN}
        return Rebuilt(0, 0, _put(record, nothing, memories_to_come(), [], default))
    starts = np.flatnonzero(np.r_[True, log.card[1:] != log.card[:-1]])
    ends = np.r_[starts[1:], len(log.card)]
    plain = _plain_cards(log, starts, ends, plans)
    values = _fold_plain(log, starts[plain], ends[plain], plans)
    slow = log.card[starts[~plain]].tolist()
    changed = _put(record, values, memories_to_come(), slow, default)
    return Rebuilt(len(starts), int(np.count_nonzero(log.rating)), changed)


def _plain_cards(log: Log, starts: Ints, ends: Ints, plans: Sequence[Plan]) -> NDArray[np.bool_]:
    """Which cards can be folded together: only scheduling answers, all under equal weights and leech rule."""
    import numpy as np

    kinds: dict[object, int] = {}
    kind_of_plan = np.array(
        [kinds.setdefault((p.weights, p.desired_retention, p.leech_lapses), len(kinds)) for p in plans]
    )
    kind = kind_of_plan[log.plan]
    same = np.minimum.reduceat(kind, starts) == np.maximum.reduceat(kind, starts)
    plain: NDArray[np.bool_] = same & (np.minimum.reduceat(log.rating, starts) > 0)
    plain &= ~np.isin(log.card[starts], log.other)
    # A card can only be relearning after a failure; should a log say otherwise, it is followed event by event.
    plain &= _is_plausible(log, ends - 1)
    plain &= ~((log.phase[ends - 1] == RELEARNING) & (np.minimum.reduceat(log.rating, starts) > AGAIN))
    return plain


def _is_plausible(log: Log, last: Ints) -> NDArray[np.bool_]:
    """Whether the last answers say what an answer can: values beyond what the packed integers hold have spilt over."""
    import numpy as np

    day, at_ms, due = log.day[last], log.at_ms[last], log.due[last]
    wait: Ints = np.where(log.due_is_day[last], due - day, (due - at_ms) // DAY_MS)
    plausible: NDArray[np.bool_] = (np.abs(at_ms // DAY_MS - day) <= 2) & (wait >= 0) & (wait <= LONGEST_DAYS)
    return plausible


def _fold_plain(log: Log, starts: Ints, ends: Ints, plans: Sequence[Plan]) -> Columns:
    """The columns of PLAIN for these cards, NULL as -1."""
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
    return dict(zip(PLAIN, (*decided, *counted), strict=True))


def _states(
    log: Log, index: Ints, rows: Ints, last: Ints, plans: Sequence[Plan]
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


DAY_MS = 86_400_000
LONGEST_DAYS = 40_000
"""No interval is longer than a settings file may say."""
CLOSE = 1e-9
"""Powers of arrays and of floats may differ in the last bits; a memory that is this close is right."""


def _put(record: Record, plain: Columns, stored: Stored, slow: list[int], default: Plan) -> int:
    """Put right the memories that differ; returns how many did."""
    import numpy as np

    keys = plain["card_key"]
    without = np.setdiff1d(stored.card, np.r_[keys, slow])  # claims something of which the log knows nothing
    folded = {*slow, *without.tolist(), *stored.astray.tolist()}
    rows = list(_folded_slowly(record, sorted(folded), default))
    drifted, moved = _differ(plain, stored)
    astray = np.isin(keys, stored.astray)
    wrong = np.flatnonzero(moved & ~astray)
    for values in zip(*(plain[name][wrong].tolist() for name in PLAIN), strict=True):
        place = _place_of(record, values[-1])
        if place is not None:
            rows.append(_row_from(values, place))
    only_drifted = np.flatnonzero(drifted & ~moved & ~astray)
    states = list(zip(*(plain[name][only_drifted].tolist() for name in (*REAL, "card_key")), strict=True))
    if rows or states:
        record.put_right(rows, states)
    return len(rows) + len(states)


def _place_of(record: Record, card_key: int) -> MemoryRow | None:
    """A memory with nothing in it, where the card's pack has it; None when there is no such card."""
    found = record.named_rows(CARD_PLACE, {"card_key": card_key})
    return MemoryRow(card_key, found[0][0], present=bool(found[0][1])) if found else None


def _differ(plain: Columns, stored: Stored) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of the plain cards have another stability or difficulty, and which have no such memory or differ in more."""
    import numpy as np

    keys, known = plain["card_key"], stored.card
    if not len(known):
        return np.zeros(len(keys), np.bool_), np.ones(len(keys), np.bool_)
    place = np.searchsorted(known, keys).clip(0, len(known) - 1)
    moved: NDArray[np.bool_] = (stored.more[place] != 0) | (known[place] != keys)
    for packed, here in zip((stored.where, stored.due, stored.counts, stored.last_ms), as_stored(plain), strict=True):
        moved |= packed[place] != here
    drifted = np.zeros(len(keys), np.bool_)
    for name, there in zip(REAL, (stored.stability, stored.difficulty), strict=True):
        drifted |= ~np.isclose(plain[name], there[place], rtol=CLOSE, atol=0.0)
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


def _row_from(values: tuple[Any, ...], place: MemoryRow) -> MemoryRow:
    named = dict(zip(PLAIN, values, strict=True))
    named |= {name: None for name in ("due_day", "due_ms") if named[name] == -1}
    named |= {"phase": Phase(named["phase"]), "leech": bool(named["leech"])}
    del named["card_key"]
    return replace(place, memory=Memory(**named))


def _folded_slowly(record: Record, keys: Sequence[int], default: Plan) -> Iterator[MemoryRow]:
    """Those of these cards, folded event by event, whose stored row differs, is missing or says what no row can."""
    from content.history import fold, plans_of

    plan_for = plans_of(record, default)
    for key in keys:
        place = _place_of(record, key)
        if place is None:
            continue
        right = fold(place, record.events_of(key), plan_for)
        try:
            present = record.memory(key)
        except (RecordError, ValueError):
            present = None
        waits_right = record.named_rows(WAITS, {"learner": record.learner, "card_key": key}) == [(right.queue,)]
        if present is None or not waits_right or not _same(right, present):
            yield right
