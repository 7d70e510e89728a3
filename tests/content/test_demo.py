"""The simulated history: like a real one, the same each time, and quick to make."""

from __future__ import annotations

import time

import pytest

from content import stats
from content.demo import build_demo
from content.events import Kind
from content.glance import glance
from content.rebuilding import rebuild
from grading.memory import Phase


@pytest.fixture
def stocked(new_desk):
    """Makes desks with 140 cards in four topics."""

    def make():
        desk = new_desk(fuzz=True)
        for index in range(140):
            desk.add(f"c{index:03}", topic=f"t{index // 35}", lesson="Read.")
        return desk.sync()

    return make


def test_ninety_days_like_those_of_a_real_learner(stocked):
    desk = stocked()
    started = time.perf_counter()
    demo = build_demo(desk.record, desk.settings, desk.clock.now)
    assert time.perf_counter() - started < 8  # about half a second on an idle machine
    assert 70 <= demo.days <= 90
    assert demo.cards == round(0.85 * 140)
    attempts = desk.events(Kind.ATTEMPT)
    assert len(attempts) == demo.attempts > 500
    assert max(event.day for event in attempts) == desk.clock.day - 1
    assert [event.event_id for event in attempts] == sorted({event.event_id for event in attempts})
    assert desk.record.lessons_read() == {"p/t0", "p/t1", "p/t2", "p/t3"}
    assert 0.8 < stats.retention(desk.record, desk.settings, desk.clock.day).share < 1


def test_today_has_something_due_and_something_new(stocked):
    desk = stocked()
    build_demo(desk.record, desk.settings, desk.clock.now)
    seen = glance(desk.folder, desk.settings, desk.clock.now)
    assert seen.due > 0
    assert seen.new > 0
    assert seen.days_studied_of_7 >= 2
    assert any(one.strength for one in stats.topic_strength(desk.record, desk.settings, desk.clock.day))


def test_adds_up_to_its_own_log(stocked):
    desk = stocked()
    build_demo(desk.record, desk.settings, desk.clock.now)
    assert rebuild(desk.record, desk.settings.plan()).changed == 0


def test_the_same_seed_gives_the_same_history(stocked):
    def history(seed):
        desk = stocked()
        build_demo(desk.record, desk.settings, desk.clock.now, days=20, seed=seed)
        return [(event.event_id, event.card_key, event.rating, event.due_day) for event in desk.events()]

    assert history(1) == history(1)
    assert history(1) != history(2)


def test_is_never_mixed_into_a_learners_own_log(desk):
    desk.add("a")
    desk.sync()
    desk.logged("a", Phase.NEW)
    with pytest.raises(ValueError, match="empty folder"):
        build_demo(desk.record, desk.settings, desk.clock.now)
