"""The log is the truth: whatever happened, folding it gives what the live path gave, and undo gives back what was."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from content.events import Kind, NewEvent, Purpose
from content.history import applied, card_history, effective, fold, fold_card
from content.pack_rows import mark_absent
from content.params import body_of, id_of, plan_from
from content.rebuilding import rebuild
from content.rows import MemoryRow
from content.settings import Settings
from grading.days import Instant, study_day
from grading.schedule import Memory, Phase, Plan, Rating, after, outcomes, reset, set_due

DAY_MS = 86_400_000
START = Instant(20_500 * DAY_MS + 10 * 3_600_000, 0)
PLANS = (
    Plan(),
    Plan(desired_retention=0.8, leech_lapses=2, learning_steps_s=(), relearning_steps_s=(60, 600)),
    Plan(weights=(0.3, 1.0, 3.0, 9.0, *Plan().weights[4:]), relearning_steps_s=()),
)

STEP = st.one_of(
    st.tuples(
        st.just("answer"), st.sampled_from(Rating), st.sampled_from([30, 700, 40_000, 90_000, 900_000, 9_000_000])
    ),
    st.tuples(st.just("answer"), st.sampled_from(Rating), st.sampled_from([90_000, 300_000, 2_000_000])),
    st.tuples(st.just("practice"), st.sampled_from(Rating), st.just(10)),
    st.tuples(st.just("set_due"), st.integers(0, 30), st.just(10)),
    st.tuples(st.sampled_from(["reset", "suspend", "unsuspend", "bury", "flag", "unflag"]), st.just(0), st.just(10)),
    st.tuples(st.just("note"), st.sampled_from(["", "see ＺｅＲＯ", "键值"]), st.just(10)),
    st.tuples(st.just("plan"), st.integers(0, len(PLANS) - 1), st.just(1)),
    st.tuples(st.sampled_from(["undo", "redo"]), st.just(0), st.just(5)),
)


class Life:
    """One card lived live: every step through the scheduler and by hand, nothing folded; undo gives back a snapshot."""

    def __init__(self, card_key: int = 1) -> None:
        self.row = MemoryRow(card_key)
        self.now = START
        self.plan = PLANS[0]
        self.events: list[NewEvent] = []
        self.done: list[tuple[NewEvent, MemoryRow, MemoryRow]] = []
        self.undone: list[tuple[NewEvent, MemoryRow, MemoryRow]] = []
        self._ids = itertools.count(card_key << 40)

    def live(self, what: str, value: Any, seconds: int) -> None:
        self.now = replace(self.now, at_ms=self.now.at_ms + seconds * 1000)
        if what == "plan":
            self.plan = PLANS[value]
        elif what == "undo":
            if self.done:
                step = self.done.pop()
                self.undone.append(step)
                self._log(Kind.RETRACT, target_id=step[0].event_id)
                self.row = step[1]
        elif what == "redo":
            if self.undone:
                step = self.undone.pop()
                self.done.append(step)
                self._log(Kind.RESTORE, target_id=step[0].event_id)
                self.row = step[2]
        else:
            before = self.row
            event = self._step(what, value)
            self.done.append((event, before, self.row))
            self.undone.clear()

    def _step(self, what: str, value: Any) -> NewEvent:
        row, day = self.row, study_day(self.now)
        if what in ("answer", "practice"):
            return self._answer(value, practice=what == "practice")
        if what == "set_due":
            self.row = replace(row, memory=set_due(row.memory, value, self.now, self.plan))
            return self._log(Kind.SET_DUE, due_day=self.row.memory.due_day)
        if what == "reset":
            self.row = replace(row, memory=reset(row.memory))
        elif what in ("suspend", "unsuspend"):
            self.row = replace(row, suspended=what == "suspend")
        elif what == "bury":
            self.row = replace(row, buried_day=day)
        elif what in ("flag", "unflag"):
            self.row = replace(row, flag=int(what == "flag"))
        elif what == "note":
            self.row = replace(row, note=value or None)
            return self._log(Kind.NOTE, response=json.dumps({"note": value}))
        return self._log(Kind(what))

    def _answer(self, rating: Rating, *, practice: bool) -> NewEvent:
        memory = self.row.memory
        offered = outcomes(memory, self.now, self.plan, "p/a")
        if practice or not offered.on_schedule:
            return self._log(Kind.ATTEMPT, rating=int(rating), purpose=Purpose.PRACTICE)
        new = after(memory, offered.of(rating), self.now, self.plan)
        self.row = replace(self.row, memory=new)
        return self._log(
            Kind.ATTEMPT,
            rating=int(rating),
            purpose=Purpose.REVIEW,
            phase_before=int(memory.phase),
            phase_after=int(new.phase),
            step_after=new.step,
            due_day=new.due_day,
            due_ms=new.due_ms,
        )

    def _log(self, kind: Kind, **columns: Any) -> NewEvent:
        event = NewEvent(
            f"{next(self._ids):032x}",
            kind,
            self.now.at_ms,
            self.now.utc_offset_min,
            study_day(self.now),
            card_key=self.row.card_key,
            params_id=id_of(body_of(self.plan)),
            **columns,
        )
        self.events.append(event)
        return event


def plan_for(params_id: str | None) -> Plan:
    return {id_of(body_of(plan)): plan for plan in PLANS}[params_id or ""]


def lived(steps: list[tuple[str, Any, int]], card_key: int = 1) -> Life:
    life = Life(card_key)
    for what, value, seconds in steps:
        life.live(what, value, seconds)
    return life


def close(one: MemoryRow, other: MemoryRow) -> bool:
    """Equal, stability and difficulty to 1e-9."""
    a, b = one.memory, other.memory
    same = replace(b, stability=a.stability, difficulty=a.difficulty)
    approx = (b.stability, b.difficulty) == pytest.approx((a.stability, a.difficulty), rel=1e-9)
    return approx and replace(other, memory=same) == one


@given(st.lists(STEP, max_size=40))
def test_folding_the_log_gives_what_was_lived(steps: list[tuple[str, Any, int]]) -> None:
    life = lived(steps)
    assert fold(MemoryRow(1), life.events, plan_for) == life.row


@given(st.lists(STEP, max_size=25), st.integers(1, 25))
def test_undoing_everything_gives_a_card_never_seen(steps: list[tuple[str, Any, int]], back: int) -> None:
    life = lived(steps)
    rows = [before for _, before, _ in life.done]
    for _ in range(min(back, len(rows))):
        life.live("undo", 0, 5)
        assert fold(MemoryRow(1), life.events, plan_for) == rows.pop()


@given(st.lists(STEP, max_size=30), st.randoms(use_true_random=False))
def test_two_logs_join_to_the_same_in_any_order(steps: list[tuple[str, Any, int]], chance: random.Random) -> None:
    life = lived(steps)
    here = [event for event in life.events if chance.random() < 0.7]
    there = [event for event in life.events if event not in here or chance.random() < 0.5]
    joined = [*there, *here]
    chance.shuffle(joined)
    assert fold(MemoryRow(1), joined, plan_for) == fold(MemoryRow(1), life.events, plan_for) == life.row


@given(st.lists(st.lists(STEP, max_size=25), min_size=1, max_size=30))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_rebuild_equals_live_for_every_card(new_desk: Any, lives: list[list[tuple[str, Any, int]]]) -> None:
    desk = new_desk()
    desk.add(*(f"c{number}" for number in range(len(lives))))
    desk.sync()
    for plan in PLANS:
        desk.record.params_id(plan)
    lived_rows: dict[int, MemoryRow] = {}
    events: list[NewEvent] = []
    for number, steps in enumerate(lives):
        key = desk.key(f"c{number}")
        life = lived(steps, key)
        lived_rows[key] = replace(life.row, position=desk.row(f"c{number}").position)
        events += life.events
    desk.record.write(events)
    rebuild(desk.record, Plan())
    for key, row in lived_rows.items():
        assert close(row, desk.record.memory(key))
        assert close(row, fold_card(desk.record, key, Plan()))
    assert rebuild(desk.record, Plan()).changed == 0
    desk.record.close()


def test_rebuild_puts_right_what_the_log_does_not_say(desk: Any) -> None:
    desk.add("answered", "wrong", "untouched", "gone")
    desk.sync()
    session = desk.sit()
    desk.answer(session, Rating.GOOD)
    right = desk.record.memories()
    spoilt = [replace(row, memory=replace(row.memory, lapses=7, stability=99.0), flag=1) for row in right[:2]]
    desk.record.write((), spoilt)
    found = rebuild(desk.record, desk.settings.plan())
    assert found.changed == 2
    assert desk.record.memories() == right


def test_rebuild_leaves_absent_cards_absent(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    desk.answer(desk.sit(), Rating.EASY)
    mark_absent(desk.record, ["p"])
    desk.record.write((), [replace(desk.row("a"), memory=Memory())])
    rebuild(desk.record, desk.settings.plan())
    assert not desk.row("a").present
    assert desk.row("a").memory.phase is Phase.REVIEW


def test_an_empty_record_rebuilds_to_nothing(desk: Any) -> None:
    assert rebuild(desk.record, Plan()).cards == 0


def test_long_and_short_histories_rebuild_alike(desk: Any) -> None:
    desk.add("long", "short")
    desk.sync()
    desk.record.params_id(PLANS[0])
    lives = {
        name: lived([("answer", Rating(1 + i * i % 4), 90_000 * (1 + i % 5)) for i in range(length)], desk.key(name))
        for name, length in (("long", 300), ("short", 3))
    }
    desk.record.write([event for life in lives.values() for event in life.events])
    rebuild(desk.record, Plan())
    for name, life in lives.items():
        assert close(replace(life.row, position=desk.row(name).position), desk.row(name))


def test_the_highest_id_decides_whether_an_event_holds() -> None:
    answer = NewEvent("1", Kind.FLAG, 0, 0, 0, card_key=1)
    undo = NewEvent("2", Kind.RETRACT, 0, 0, 0, card_key=1, target_id="1")
    redo = NewEvent("3", Kind.RESTORE, 0, 0, 0, card_key=1, target_id="1")
    assert effective([redo, undo, answer]) == [answer]
    assert effective([undo, answer]) == []
    assert effective([replace(redo, event_id="1b"), undo, answer]) == []


def test_practice_and_exams_do_not_move_the_schedule() -> None:
    row = MemoryRow(1)
    for purpose in (Purpose.PRACTICE, Purpose.EXAM):
        event = NewEvent("1", Kind.ATTEMPT, 0, 0, 0, card_key=1, rating=1, purpose=purpose)
        assert applied(row, event, Plan()) == row


def test_undoing_the_eighth_lapse_takes_the_mark_with_it() -> None:
    life = Life()
    for _ in range(8):
        life.live("answer", Rating.EASY, 9_000_000)
        life.live("answer", Rating.AGAIN, 9_000_000)
        life.live("answer", Rating.EASY, 9_000_000)
    assert life.row.memory.leech
    while life.row.memory.lapses == 8:
        life.live("undo", 0, 5)
    folded = fold(MemoryRow(1), life.events, plan_for)
    assert folded.memory.lapses == 7
    assert not folded.memory.leech
    assert folded == life.row


def test_history_shows_the_text_that_was_answered_in_pages(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    card = desk.record.card("p/a")
    for number in range(5):
        desk.logged("a", Phase.REVIEW, card_rev=card.rev if number < 4 else "newer", took_s=number)
    desk.record.set_revision(card.card_key, "newer", '{"front":{"en":"newer","zh":"新"}}', 0)
    first, *_ = events = desk.record.events_of(card.card_key)
    desk.record.append(NewEvent("f" * 32, Kind.RETRACT, 0, 0, 0, card_key=card.card_key, target_id=events[1].event_id))
    page = card_history(desk.record, card.card_key, limit=3)
    rest = card_history(desk.record, card.card_key, limit=3, before=page[-1].event.event_id)
    assert [row.event.took_ms for row in page + rest] == [4000, 3000, 2000, 1000, 0]
    assert [row.holds for row in page + rest] == [True, False, True, True, True]
    assert page[0].body is not None
    assert "newer" in page[0].body
    assert page[1].body == card.body
    assert first.card_rev == "newer"


def test_a_plan_is_kept_whole_under_a_name_made_from_it(tmp_path: Path) -> None:
    for plan in PLANS:
        assert plan_from(body_of(plan)) == plan
    assert len({id_of(body_of(plan)) for plan in PLANS}) == len(PLANS)
    assert id_of(body_of(Settings().plan())) == id_of(body_of(Settings().plan()))
