"""Undo and redo: every step of a sitting can be taken back, and everything is then as it was."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from content.cards import Text
from content.events import Kind
from content.history import effective, fold_card
from content.rebuilding import rebuild
from content.session import CardItem, LessonItem
from grading.memory import Rating

AGAIN, HARD, GOOD, EASY = Rating


def standing(desk, session):
    """All that undo must give back: every memory row, the counts, the item, whether the answer is shown."""
    rows = tuple(desk.record.memory(key) for key in sorted(desk.keys))
    item = session.item.topic.id if isinstance(session.item, LessonItem) else session.item
    return rows, session.progress, item, session.outcomes is not None


@pytest.fixture
def studied(desk):
    """A desk with cards due, new, in steps and kept apart."""
    desk.add("n1", "n2", "n3", topic="new", lesson="Read me.")
    desk.add("d1", "d2", "d3", "s1")
    desk.add("p#1", "p#2", sibling="p/p")
    desk.sync()
    desk.put("d1", "d2", "d3", "p#1", "p#2")
    desk.put_in_steps("s1", due_in_s=30)
    desk.keys = [desk.key(card.id.removeprefix("p/")) for card in desk.cards]
    return desk


def test_a_wrong_key_is_taken_back(studied, on_screen):
    """UND-01: same card, answer shown, same state and counts; the log row is marked undone."""
    session = studied.sit()
    session.reveal(studied.clock.now)
    before = standing(studied, session)
    name = on_screen(session)
    outcomes = session.outcomes
    session.answer(AGAIN, studied.clock.now, took_ms=1000)
    assert standing(studied, session) != before
    undone = session.undo(studied.clock.now)
    assert (undone.kind, undone.card_id, undone.rating) == (Kind.ATTEMPT, f"p/{name}", AGAIN)
    assert standing(studied, session) == before
    assert session.outcomes == outcomes
    assert effective(studied.events()) == []
    assert [event.kind for event in studied.events()] == [Kind.ATTEMPT, Kind.RETRACT]


def test_the_last_answer_can_be_taken_back_on_the_finish_line(desk, on_screen):
    """UND-02."""
    desk.add("a")
    desk.sync()
    desk.put("a")
    session = desk.sit()
    desk.answer(session, GOOD)
    assert session.item is None
    session.undo(desk.clock.now)
    assert on_screen(session) == "a"
    assert session.finish is None
    assert session.outcomes is not None
    session.answer(AGAIN, desk.clock.now, took_ms=1000)
    assert desk.row("a").memory.lapses == 1


def test_steps_are_undone_newest_first_and_named(desk, on_screen):
    """UND-04: rate A, edit B, rate B; undo, undo, undo."""
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    session = desk.sit()
    desk.answer(session, GOOD)
    old = session.item.card
    desk.cards[1] = replace(old, front=Text("new words?", "新字？"))
    desk.sync()
    session.edited(desk.clock.now)
    assert session.item.card.front.en == "new words?"
    desk.answer(session, GOOD)
    steps = []
    for _ in range(3):
        undone = session.undo(desk.clock.now)
        steps.append((undone.kind, undone.card_id, session.item.card.front.en))
    assert steps == [
        (Kind.ATTEMPT, "p/b", "new words?"),
        (Kind.EDIT, "p/b", "b?"),
        (Kind.ATTEMPT, "p/a", "a?"),
    ]
    assert session.undo(desk.clock.now) is None
    assert desk.record.card("p/b").rev == old.rev
    assert [session.redo(desk.clock.now).kind for _ in range(3)] == [Kind.ATTEMPT, Kind.EDIT, Kind.ATTEMPT]
    assert session.redo(desk.clock.now) is None
    assert desk.record.card("p/b").body == desk.cards[1].to_json()


def test_counts_come_back_exactly(studied):
    """SES-17: siblings that were hidden are not counted anew."""
    session = studied.sit()
    seen = [session.progress]
    while session.item is not None:
        studied.answer(session, EASY)
        seen.append(session.progress)
    assert len({progress.hidden_siblings for progress in seen}) == 1
    while session.undo(studied.clock.now) is not None:
        if isinstance(session.item, CardItem) and session.outcomes is not None:
            assert session.progress in seen
    assert session.progress == seen[0]


def test_undo_after_the_day_turned_brings_the_card_back_into_the_new_day(desk, on_screen):
    desk.clock.set("2026-03-11 03:58")
    desk.add("a", "b", "tomorrow")
    desk.sync()
    desk.put("a", "b")
    desk.put("tomorrow", due_in=1)
    session = desk.sit()
    desk.answer(session, GOOD)
    desk.clock.set("2026-03-11 04:05")
    session.undo(desk.clock.now)
    assert on_screen(session) == "a"
    assert session.outcomes.day == desk.clock.day
    assert session.progress.reviews_left == 3
    session.answer(GOOD, desk.clock.now, took_ms=1000)
    assert sorted(desk.answer_all(session)) == ["b", "tomorrow"]


def test_what_was_done_elsewhere_meanwhile_stays(desk):
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    session = desk.sit()
    name = desk.answer(session, GOOD)
    desk.actions.flag(desk.key(name), desk.clock.now)
    session.undo(desk.clock.now)
    assert session.item.flag == 1


def test_an_older_answer_retracted_meanwhile_stays_retracted(desk):
    desk.add("a")
    desk.sync()
    desk.answer(desk.sit(), EASY)
    first = desk.events(Kind.ATTEMPT)[0].event_id
    desk.clock.pass_s(60 * 86_400)
    session = desk.sit()
    desk.answer(session, GOOD)
    desk.actions.retract(first, desk.clock.now)
    session.undo(desk.clock.now)
    assert desk.row("a").memory.attempts == 0
    session.redo(desk.clock.now)
    assert desk.row("a").memory.attempts == 1
    assert rebuild(desk.record, desk.settings.plan()).changed == 0


def test_a_new_step_drops_what_could_be_done_again(desk):
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b")
    session = desk.sit()
    desk.answer(session, GOOD)
    session.undo(desk.clock.now)
    session.flag(desk.clock.now)
    assert session.redo(desk.clock.now) is None


STEPS = st.sampled_from(
    [
        "again",
        "hard",
        "good",
        "easy",
        "skip",
        "bury",
        "suspend",
        "flag",
        "note",
        "due0",
        "due3",
        "reset",
        "undo",
        "redo",
    ]
)


def act(desk, session, step, serial):
    """Do one step if it applies to what is on screen; returns whether it did."""
    now = desk.clock.pass_s(3)
    if step in ("undo", "redo"):
        return (session.undo if step == "undo" else session.redo)(now) is not None
    if step == "sleep":
        return session.tick(desk.clock.pass_s(86_400))
    if isinstance(session.item, LessonItem):
        session.lesson_read(now)
        return True
    if session.item is None:
        return False
    ratings = {"again": AGAIN, "hard": HARD, "good": GOOD, "easy": EASY}
    if step in ratings:
        session.reveal(now)
        session.answer(ratings[step], now, took_ms=3000)
    elif step == "note":
        session.note(f"note {serial}", now)
    elif step in ("due0", "due3"):
        session.set_due(int(step[-1]), now)
    else:
        getattr(session, step)(now)
    return True


def make_studied(new_desk, **how):
    desk = new_desk(leech_action="suspend", leech_lapses=1, **how)
    desk.add("n1", "n2", "n3", topic="new", lesson="Read me.")
    desk.add("d1", "d2", "d3", "s1")
    desk.add("p#1", "p#2", sibling="p/p")
    desk.sync()
    desk.keys = [desk.key(card.id.removeprefix("p/")) for card in desk.cards]
    return desk


FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@FEW
@given(st.lists(STEPS.filter(lambda step: step not in ("undo", "redo")), max_size=25))
def test_undoing_every_step_restores_everything(new_desk, steps):
    desk = make_studied(new_desk)
    desk.put("d1", "d2", "d3", "p#1", "p#2")
    desk.put_in_steps("s1", due_in_s=30)
    session = desk.sit()
    places = []
    for serial, step in enumerate(steps):
        before = standing(desk, session)
        if act(desk, session, step, serial):
            places.append((before, standing(desk, session)))
    for before, after in reversed(places):
        assert standing(desk, session)[:3] == after[:3]
        assert session.undo(desk.clock.now) is not None
        assert standing(desk, session)[:3] == before[:3]
    assert session.undo(desk.clock.now) is None
    for before, after in places:
        assert standing(desk, session)[:3] == before[:3]
        assert session.redo(desk.clock.now) is not None
        assert standing(desk, session)[:3] == after[:3]
    desk.record.close()


@FEW
@given(st.lists(st.lists(st.one_of(STEPS, st.just("sleep")), max_size=15), min_size=1, max_size=5))
def test_any_sitting_adds_up_to_what_its_log_says(new_desk, days):
    """Whatever was done, undone and done again over some days, folding the log gives the rows that were stored."""
    desk = make_studied(new_desk, fuzz=True)
    serial = itertools.count()
    for steps in days:
        session = desk.sit()
        for step in steps:
            act(desk, session, step, next(serial))
            assert_counts_hold(session)
        desk.clock.pass_s(86_400)
    for key in desk.keys:
        live, folded = desk.record.memory(key), fold_card(desk.record, key, desk.settings.plan())
        assert replace(live, memory=rounded(live.memory)) == replace(folded, memory=rounded(folded.memory))
    assert rebuild(desk.record, desk.settings.plan()).changed == 0
    desk.record.close()


def rounded(memory):
    """Stability and difficulty to 1e-9, the promise of a rebuild."""
    if memory.stability is None:
        return memory
    return replace(memory, stability=round(memory.stability, 8), difficulty=round(memory.difficulty, 8))


def assert_counts_hold(session):
    """Counts are never negative, and a card on screen is counted."""
    progress = session.progress
    left = (progress.new_left, progress.reviews_left, progress.steps_left)
    assert min(left) >= 0
    assert (sum(left) > 0) or session.item is None
