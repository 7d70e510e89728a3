"""Topic strength, forecast, retention: what counts and what does not."""

from __future__ import annotations

import pytest

from content import stats
from content.events import Kind, Purpose
from grading.memory import Phase
from grading.schedule import Memory, retrievability


def test_strength_is_the_mean_chance_of_recall_now_by_topic(desk):
    desk.add("a1", "a2", "a3", topic="a")
    desk.add("b1", "b2", topic="b")
    desk.sync()
    desk.put("a1", stability=5.0, due_in=0)
    desk.put("a2", stability=50.0, due_in=0)
    desk.actions.suspend(desk.key("b1"), desk.clock.now)
    found = stats.topic_strength(desk.record, desk.settings, desk.clock.day)
    assert [(one.topic_id, one.title.zh, one.studied, one.new, one.suspended) for one in found] == [
        ("p/a", "a", 2, 1, 0),
        ("p/b", "b", 0, 1, 1),
    ]
    plan, day = desk.settings.plan(), desk.clock.day
    recalls = [retrievability(Memory(stability=s, last_day=day - 10), day, plan) for s in (5.0, 50.0)]
    assert found[0].strength == pytest.approx(sum(recalls) / 2, abs=1e-12)
    assert found[1].strength is None


def test_strength_of_many_cards_is_read_in_pieces(desk, monkeypatch):
    monkeypatch.setattr(stats, "STUDIED", stats.STUDIED.replace(str(stats.CHUNK), "2"))
    names = [f"c{index}" for index in range(7)]
    desk.add(*names)
    desk.sync()
    desk.put(*names)
    [topic] = stats.topic_strength(desk.record, desk.settings, desk.clock.day)
    assert topic.studied == 7


def test_forecast_counts_each_of_the_next_days(desk):
    names = [f"c{index}" for index in range(6)]
    desk.add(*names)
    desk.sync()
    for name, due_in in zip(names, (-3, 0, 1, 1, 3, 8), strict=True):
        desk.put(name, due_in=due_in)
    day = desk.clock.day
    counts = dict(stats.forecast(desk.record, desk.settings, day))
    assert counts == {day + 1: 2, day + 2: 0, day + 3: 1, day + 4: 0, day + 5: 0, day + 6: 0, day + 7: 0}
    assert sum(count for _, count in stats.forecast(desk.record, desk.settings, day, days=30)) == 4
    assert stats.due_by(desk.record, desk.settings, day + 1, cap=200) == 4
    assert stats.due_by(desk.record, desk.settings, day + 1, cap=3) == 3


def test_retention_leaves_practice_steps_and_retracted_answers_out(desk):
    desk.add("a", "b", "c")
    desk.sync()
    desk.logged("a", Phase.REVIEW, rating=3)
    desk.logged("b", Phase.REVIEW, rating=1)
    desk.logged("b", Phase.RELEARNING, rating=3)
    desk.logged("c", Phase.REVIEW, rating=1)
    wrong_key = desk.events(Kind.ATTEMPT)[-1].event_id
    desk.actions.retract(wrong_key, desk.clock.now)
    desk.logged("c", Phase.REVIEW, rating=3)
    desk.logged("a", Phase.REVIEW, rating=1, purpose=Purpose.PRACTICE)
    found = stats.retention(desk.record, desk.settings, desk.clock.day)
    assert (found.reviews, found.remembered, found.share) == (3, 2, pytest.approx(2 / 3))
    assert stats.retention(desk.record, desk.settings, desk.clock.day - 1).share is None


def test_days_studied_are_counted_by_study_days(desk):
    desk.add("a")
    desk.sync()
    for local in ("2026-03-08 09:00", "2026-03-09 23:50", "2026-03-10 00:20", "2026-03-10 10:00"):
        desk.clock.set(local)
        desk.logged("a", Phase.REVIEW)
    assert stats.days_studied(desk.record, desk.settings, desk.clock.day) == 3
    assert stats.days_studied(desk.record, desk.settings, desk.clock.day + 6) == 1


def test_a_cards_past_in_numbers(desk):
    desk.add("a")
    desk.sync()
    assert stats.card_summary(desk.record, desk.key("a")) == stats.CardSummary(0, 0, 0, None, None, None)
    desk.logged("a", Phase.NEW, rating=1, took_s=10)
    desk.clock.pass_s(86_400)
    desk.logged("a", Phase.REVIEW, rating=3, took_s=20)
    desk.logged("a", Phase.REVIEW, rating=1, took_s=30, purpose=Purpose.PRACTICE)
    day = desk.clock.day
    assert stats.card_summary(desk.record, desk.key("a")) == stats.CardSummary(2, 1, 1, day - 1, day, 20_000.0)
