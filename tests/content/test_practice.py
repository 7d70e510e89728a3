"""Practice of any selection, review ahead, the backlog after a break, and the day's mix of kinds."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from content import stats
from content.cards import Card, RubricPoint, Text
from content.events import Kind, Purpose
from content.glance import glance
from content.practice import Selection, backlog, count_of, selected
from content.queue import build_queue
from content.session import CardItem
from grading.memory import Phase, Rating


def rows(desk: Any) -> dict[str, Any]:
    return {card.id: desk.row(card.id.removeprefix("p/")) for card in desk.cards}


def names(desk: Any, what: str, **how: Any) -> list[str]:
    found = selected(desk.record, desk.settings, desk.clock.now, Selection(what, **how))  # type: ignore[arg-type]
    return [desk.record.state(waiting.card_key).card.card_id.removeprefix("p/") for waiting in found]


# -- SES-05


def test_practice_changes_nothing_of_the_schedule(desk: Any) -> None:
    """SES-05: five Agains and five Easies on a topic before the exam."""
    desk.add(*(f"c{n}" for n in range(10)))
    desk.sync()
    desk.put(*(f"c{n}" for n in range(10)), due_in=5)
    before = rows(desk)
    retention = stats.retention(desk.record, desk.settings, desk.clock.day)
    session = desk.sit(purpose=Purpose.PRACTICE, topic="p/t", selection=Selection("topic"))
    for rating in [Rating.AGAIN] * 5 + [Rating.EASY] * 5:
        desk.answer(session, rating)
    assert rows(desk) == before
    assert stats.retention(desk.record, desk.settings, desk.clock.day) == retention
    events = desk.events(Kind.ATTEMPT)
    assert [event.purpose for event in events] == [Purpose.PRACTICE] * 10
    assert all(stats.card_summary(desk.record, desk.key(f"c{n}")).attempts == 0 for n in range(10))
    assert desk.sit().progress.total == 0
    assert glance(desk.folder, desk.settings, desk.clock.now).spent_ms == 0


def test_misses_of_practice_come_again_and_then_it_is_over(desk: Any) -> None:
    desk.add("a", "b")
    desk.sync()
    desk.put("a", "b", due_in=5)
    session = desk.sit(purpose=Purpose.PRACTICE, selection=Selection("topic"))
    assert desk.answer(session, Rating.AGAIN) == "a"
    assert desk.answer_all(session) == ["b", "a"]
    assert session.finish.reason == "practice"


# -- what can be selected


@pytest.fixture
def stocked(desk: Any) -> Any:
    desk.add("new1", "new2", "due", "soon", "later", "leech", "out")
    desk.add("other", topic="u")
    desk.sync()
    desk.put("due", due_in=0)
    desk.put("soon", due_in=3)
    desk.put("later", due_in=30, last_day=desk.clock.day - 5)
    desk.put("leech", due_in=40, leech=True, last_day=desk.clock.day - 5)
    desk.put("out", due_in=0)
    desk.actions.suspend(desk.key("out"), desk.clock.now)
    desk.actions.flag(desk.key("later"), desk.clock.now)
    desk.actions.flag(desk.key("out"), desk.clock.now)
    return desk


def test_every_selection_holds_its_cards_and_no_suspended_ones(stocked: Any) -> None:
    assert names(stocked, "topic") == ["new1", "new2", "due", "soon", "later", "leech", "other"]
    assert names(stocked, "flagged") == ["later"]
    assert names(stocked, "leeches") == ["leech"]
    assert names(stocked, "new") == ["new1", "new2", "other"]
    assert names(stocked, "new", limit=2) == ["new1", "new2"]
    assert names(stocked, "ahead") == ["soon"]
    assert names(stocked, "ahead", days=60) == ["soon", "later", "leech"]
    keys = tuple(stocked.key(name) for name in ("later", "out", "due"))
    assert names(stocked, "cards", keys=keys) == ["later", "due"]
    session = stocked.sit(purpose=Purpose.PRACTICE, topic="p/u", selection=Selection("topic"))
    assert stocked.answer_all(session) == ["other"]
    assert count_of(stocked.record, stocked.settings, stocked.clock.now, Selection("new")) == 3


def test_missed_today_are_the_cards_rated_again_today(stocked: Any) -> None:
    session = stocked.sit(purpose=Purpose.PRACTICE, selection=Selection("cards", keys=(stocked.key("later"),)))
    stocked.answer(session, Rating.AGAIN)
    session = stocked.sit()
    assert stocked.answer(session, Rating.AGAIN) == "due"
    assert names(stocked, "missed") == ["later", "due"]
    session.undo(stocked.clock.now)
    assert names(stocked, "missed") == ["later"]
    stocked.clock.set("2026-03-11 10:00")
    assert names(stocked, "missed") == []


def test_a_selection_stays_the_same_while_it_is_gone_through_and_over_midnight(stocked: Any) -> None:
    stocked.clock.set("2026-03-11 03:59")
    session = stocked.sit(purpose=Purpose.PRACTICE, selection=Selection("topic"))
    seen = [stocked.answer(session, Rating.GOOD)]
    stocked.clock.set("2026-03-11 04:01")
    session.tick(stocked.clock.now)
    seen += stocked.answer_all(session)
    assert seen == ["new1", "new2", "due", "soon", "later", "leech", "other"]


def test_review_ahead_moves_the_schedule_and_undo_moves_it_back(stocked: Any) -> None:
    before = stocked.row("soon")
    session = stocked.sit(purpose=Purpose.AHEAD, selection=Selection("ahead"))
    assert stocked.answer(session, Rating.GOOD) == "soon"
    after = stocked.row("soon")
    assert after.memory.due_day > before.memory.due_day
    assert after.memory.stability > before.memory.stability
    assert stocked.events(Kind.ATTEMPT)[0].purpose is Purpose.AHEAD
    assert stocked.events(Kind.ATTEMPT)[0].moves_schedule
    assert session.finish.reason == "practice"
    session.undo(stocked.clock.now)
    assert stocked.row("soon") == before


def test_the_day_being_full_does_not_end_a_practice(new_desk: Any) -> None:
    desk = new_desk(minutes_per_day=1)
    desk.add(*(f"c{n}" for n in range(8)))
    desk.sync()
    desk.put(*(f"c{n}" for n in range(8)), due_in=2)
    session = desk.sit(purpose=Purpose.AHEAD, selection=Selection("ahead"))
    assert len(desk.answer_all(session)) == 8


# -- SES-07


def test_after_a_break_the_backlog_is_capped_told_and_not_lost(new_desk: Any) -> None:
    """SES-07: 300 cards, 60 days away."""
    desk = new_desk(reviews_per_day=100, minutes_per_day=600, new_per_day=0)
    desk.add(*(f"c{n}" for n in range(300)))
    desk.sync()
    for n in range(300):
        desk.put(f"c{n}", due_in=-(n % 60))
    seen = backlog(desk.record, desk.settings, desk.clock.now)
    assert (seen.due, seen.today, seen.is_one) == (300, 100, True)
    left = 300
    for day in range(11, 14):
        desk.answer_all(desk.sit(), Rating.EASY)
        left -= 100
        assert backlog(desk.record, desk.settings, desk.clock.now).today == 0
        desk.clock.set(f"2026-03-{day} 10:00")
        seen = backlog(desk.record, desk.settings, desk.clock.now)
        assert (seen.due, seen.today) == (left, min(left, 100))
    assert all(desk.row(f"c{n}").memory.lapses == 0 for n in range(300))


# -- the day's mix


def point(*cards: str) -> RubricPoint:
    return RubricPoint("p", Text("p", "p"), cards=tuple(f"p/{name}" for name in cards))


TABLE = {
    "rows": [{"id": "r", "label": {"en": "r", "zh": "r"}}],
    "columns": [{"id": "c", "label": {"en": "c", "zh": "c"}, "type": "number"}],
    "cells": {"r.c": {"answer": "4"}},
    "row_order": "fixed",
}


def typed(name: str, kind: str, *cards: str) -> Card:
    sides = (Text(name, name), Text("r: c 4" if kind == "table" else name, "r：c 4" if kind == "table" else name))
    more: dict[str, Any] = {"table": {**TABLE, "title": {"en": name, "zh": name}}} if kind == "table" else {}
    if kind == "oral":
        more = {"rubric": (point(*cards),), "model_answer": sides[1], "minutes": 5}
    requires = tuple(f"p/{card}" for card in cards) if kind == "table" else ()
    return Card(f"p/{name}", kind, "p/t", *sides, ("s",), f"p/{name}", requires=requires, **more)  # type: ignore[arg-type]


@pytest.fixture
def mixed(new_desk: Any) -> Any:
    desk = new_desk(minutes_per_day=60, new_per_day=0)
    desk.add(*(f"c{n}" for n in range(20)), "later")
    desk.cards += [typed(f"o{n}", "oral", "c0") for n in range(4)] + [typed(f"t{n}", "table", "c0") for n in range(4)]
    desk.sync()
    desk.put(*(f"c{n}" for n in range(20)), due_in=0)
    return desk


def kinds(desk: Any) -> list[str]:
    queue = build_queue(desk.record, desk.settings, desk.clock.now)
    return [desk.record.state(waiting.card_key).card.kind for waiting in queue.main]


def test_oral_questions_and_tables_have_daily_limits_and_are_spread(mixed: Any) -> None:
    found = kinds(mixed)
    assert Counter(found) == {"concept": 20, "oral": 1, "table": 2}
    places = [index for index, kind in enumerate(found) if kind != "concept"]
    assert min(places) > 0
    assert max(places) < len(found) - 1
    assert all(b - a > 1 for a, b in pairwise(places))
    seen = glance(mixed.folder, mixed.settings, mixed.clock.now)
    assert (seen.due, seen.oral, seen.tables, seen.left) == (20, 1, 2, 23)


def test_due_ones_come_before_new_ones_and_count_towards_the_same_limit(mixed: Any) -> None:
    mixed.put("o2", "t3", "o3", due_in=-1)
    queue = build_queue(mixed.record, mixed.settings, mixed.clock.now)
    shown = {mixed.record.state(w.card_key).card.card_id: w.is_new for w in queue.main}
    assert shown["p/o2"] is False
    assert shown["p/t3"] is False
    assert {name for name in shown if name[2] in "ot"} == {"p/o2", "p/t3", "p/t0"}


def test_what_was_done_today_is_not_asked_once_more(mixed: Any) -> None:
    mixed.logged("o0", Phase.NEW, took_s=150)
    mixed.logged("t0", Phase.REVIEW, took_s=60)
    assert Counter(kinds(mixed)) == {"concept": 20, "table": 1}
    mixed.set(oral_per_day=2, table_per_day=0)
    assert Counter(kinds(mixed)) == {"concept": 20, "oral": 1}


def test_a_new_one_waits_until_its_cards_were_introduced(mixed: Any) -> None:
    mixed.cards += [typed("waits", "oral", "later"), typed("waits2", "table", "later")]
    mixed.set(oral_per_day=9, table_per_day=9)
    mixed.sync()
    assert Counter(kinds(mixed)) == {"concept": 20, "oral": 4, "table": 4}
    mixed.put("later", due_in=3)
    assert Counter(kinds(mixed)) == {"concept": 20, "oral": 5, "table": 5}


def test_new_ones_come_only_as_far_as_the_minutes_go(mixed: Any) -> None:
    mixed.set(minutes_per_day=4)  # 20 reviews at 12 s
    assert Counter(kinds(mixed)) == {"concept": 20}
    mixed.set(minutes_per_day=7)  # three minutes more: one skeleton
    assert Counter(kinds(mixed)) == {"concept": 20, "oral": 1}


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_queue_and_glance_agree_whatever_the_mix(new_desk: Any, data: st.DataObject) -> None:
    desk = new_desk(
        minutes_per_day=data.draw(st.integers(1, 30)),
        oral_per_day=data.draw(st.integers(0, 3)),
        table_per_day=data.draw(st.integers(0, 3)),
        reviews_per_day=data.draw(st.integers(0, 9)),
        order=data.draw(st.sampled_from(["mixed", "reviews-first", "new-first"])),
    )
    drawn = data.draw(st.lists(st.tuples(st.sampled_from(["concept", "oral", "table"]), st.booleans()), max_size=14))
    desk.add("c0")
    for index, (kind, _) in enumerate(drawn):
        if kind == "concept":
            desk.add(f"x{index}")
        else:
            desk.cards.append(typed(f"x{index}", kind, "c0"))
    desk.sync()
    desk.put("c0", *(f"x{index}" for index, (_, due) in enumerate(drawn) if due), due_in=0)
    seen, found = glance(desk.folder, desk.settings, desk.clock.now), kinds(desk)
    assert seen.left == len(found)
    assert (seen.oral, seen.tables) == (found.count("oral"), found.count("table"))
    assert seen.oral <= desk.settings.oral_per_day
    assert seen.tables <= desk.settings.table_per_day
    desk.record.close()


def test_a_table_in_the_queue_shows_the_same_blanks_after_undo(mixed: Any) -> None:
    from content.tables_recall import grade_table

    session = mixed.sit()
    while not (isinstance(session.item, CardItem) and session.item.table is not None):
        if session.item.card.kind == "oral":
            session.pass_over(mixed.clock.now)
        else:
            mixed.answer(session, Rating.GOOD)
    asked = session.item.table
    graded = grade_table(asked, dict.fromkeys(asked.blanks, "4"))
    session.reveal(mixed.clock.now, graded)
    session.answer(graded.rating, mixed.clock.pass_s(20), took_ms=20_000)
    session.undo(mixed.clock.now)
    assert session.item.table == asked
    assert session.table_graded == graded
    session.redo(mixed.clock.now)
    (event,) = [e for e in mixed.events(Kind.ATTEMPT) if e.response and "cells" in e.response]
    assert (event.rating, event.proposed_rating) == (3, 3)
    assert replace(event, response=None).purpose is Purpose.REVIEW
