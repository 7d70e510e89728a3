"""The placement: a dozen questions over the topics; what was known is not taught anew; one step that can be taken back."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content import placement as place
from content.events import Kind, Purpose, Queue
from content.library import load_pack
from content.pack_rows import sync
from content.placement import Placement, draw_questions, last_placement, spread, undo_placement
from grading.memory import Phase, Rating

PACK = Path(__file__).parents[2] / "content" / "packs" / "distributed-training-map"


@pytest.fixture
def two_topics(desk: Any) -> Any:
    desk.add(*(f"a{n}" for n in range(6)), topic="ta")
    desk.add(*(f"b{n}" for n in range(6)), topic="tb")
    return desk.sync()


def begin(desk: Any, **how: Any) -> Placement:
    return Placement(desk.record, desk.settings, desk.clock.now, new_id=desk.new_id, **{"seed": 3, **how})


def answer_all(placement: Placement, known_topic: str) -> None:
    while placement.item is not None:
        placement.answer(placement.item.topic_id == known_topic, took_ms=4000)


def test_a_dozen_questions_over_all_topics_of_the_page(desk: Any) -> None:
    sync(desk.record, load_pack(PACK), 0)
    placement = begin(desk)
    assert len(placement.asked) == 12
    topics = Counter(one.topic_id for one in placement.asked)
    assert len(topics) == len([t for t in desk.record.topics() if t.topic_id in topics])
    assert len(topics) >= 10
    assert max(topics.values()) <= 2
    assert {one.card.kind for one in placement.asked} == {"concept"}


@given(sizes=st.lists(st.integers(0, 8), max_size=6), count=st.integers(0, 15), seed=st.integers(0, 2**63 - 1))
def test_questions_are_drawn_in_turn_from_the_topics(sizes: list[int], count: int, seed: int) -> None:
    concepts = {f"t{index}": list(range(index * 10, index * 10 + size)) for index, size in enumerate(sizes)}
    drawn = draw_questions(concepts, count, seed)
    later_halves = sum(size - size // 2 for size in sizes)
    assert len(drawn) == min(count, later_halves)
    assert len({key for _, key in drawn}) == len(drawn)
    assert all(key in concepts[topic] for topic, key in drawn)
    asked = Counter(topic for topic, _ in drawn)
    if count >= sum(size > 0 for size in sizes):
        assert all(asked[f"t{index}"] for index, size in enumerate(sizes) if size)


def test_nothing_is_written_before_the_end(two_topics: Any) -> None:
    placement = begin(two_topics, count=4)
    before = two_topics.record.writes
    placement.answer(True)
    assert placement.back()
    assert not placement.back()
    answer_all(placement, "p/ta")
    assert two_topics.record.writes == before
    assert two_topics.events() == []


def test_a_known_topic_is_not_taught_anew(two_topics: Any) -> None:
    placement = begin(two_topics, count=4)
    answer_all(placement, "p/ta")
    found = {placed.topic_id: placed for placed in placement.finish(two_topics.clock.now)}
    assert (found["p/ta"].known, found["p/tb"].known) == (True, False)
    assert found["p/ta"].asked == found["p/ta"].right == 2
    rows = [two_topics.row(f"a{n}") for n in range(6)]
    assert all(row.queue is Queue.REVIEW for row in rows)
    assert all(two_topics.row(f"b{n}").queue is Queue.NEW for n in range(6))
    asked = {one.card.id for one in placement.asked if one.topic_id == "p/ta"}
    for n, row in enumerate(rows):
        is_asked = f"p/a{n}" in asked
        assert (row.memory.stability is not None) == is_asked
        days = row.memory.due_day - two_topics.clock.day
        assert days > 0
        assert is_asked or place.FIRST_DAYS <= days <= place.LAST_DAYS


def test_it_is_logged_as_what_it_is(two_topics: Any) -> None:
    placement = begin(two_topics, count=4)
    answer_all(placement, "p/ta")
    placement.finish(two_topics.clock.now)
    attempts = two_topics.events(Kind.ATTEMPT)
    assert Counter((e.purpose, e.rating) for e in attempts) == {
        (Purpose.LADDER, Rating.EASY): 2,
        (Purpose.PRACTICE, Rating.AGAIN): 2,
    }
    assert all(json.loads(event.response)["because"] == "placement" for event in two_topics.events())
    assert len(two_topics.events(Kind.SET_DUE)) == 4
    with pytest.raises(ValueError, match="already"):
        placement.finish(two_topics.clock.now)


def test_one_wrong_answer_leaves_the_whole_topic_to_be_learnt(two_topics: Any) -> None:
    placement = begin(two_topics, count=4)
    answers = iter([True, False, True, True])
    while placement.item is not None:
        placement.answer(next(answers))
    found = {placed.topic_id: placed.known for placed in placement.finish(two_topics.clock.now)}
    assert found == {"p/ta": False, "p/tb": True}
    assert all(two_topics.row(f"a{n}").queue is Queue.NEW for n in range(6))


def test_it_can_be_taken_back_at_once_and_finished_again(two_topics: Any) -> None:
    before = {card.id: two_topics.row(card.id.removeprefix("p/")) for card in two_topics.cards}
    placement = begin(two_topics, count=4)
    answer_all(placement, "p/ta")
    placement.finish(two_topics.clock.now)
    assert placement.undo(two_topics.clock.now)
    assert not placement.undo(two_topics.clock.now)
    assert {card.id: two_topics.row(card.id.removeprefix("p/")) for card in two_topics.cards} == before
    placement.finish(two_topics.clock.now)
    assert two_topics.row("a0").queue is Queue.REVIEW


def test_it_can_be_taken_back_later_and_answers_given_since_stay(two_topics: Any) -> None:
    placement = begin(two_topics, count=4)
    answer_all(placement, "p/ta")
    placement.finish(two_topics.clock.now)
    assert len(last_placement(two_topics.record)) == 8
    two_topics.clock.set("2026-05-10 10:00")
    session = two_topics.sit(topic="p/ta")
    answered = two_topics.answer(session, Rating.GOOD)
    assert undo_placement(two_topics.record, two_topics.settings, two_topics.clock.now, new_id=two_topics.new_id)
    assert last_placement(two_topics.record) == ()
    for n in range(6):
        row = two_topics.row(f"a{n}")
        assert row.memory.phase is (Phase.NEW if f"a{n}" != answered else row.memory.phase)
        assert (row.memory.attempts > 0) == (f"a{n}" == answered)
    assert not undo_placement(two_topics.record, two_topics.settings, two_topics.clock.now, new_id=two_topics.new_id)


@given(count=st.integers(0, 300))
def test_the_dates_are_spread_evenly(count: int) -> None:
    days = spread(count)
    assert len(days) == count
    assert all(place.FIRST_DAYS <= day <= place.LAST_DAYS for day in days)
    per_day = Counter(days)
    assert max(per_day.values(), default=0) - min(per_day.values(), default=0) <= 1


def test_with_nothing_new_there_is_nothing_to_ask(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    desk.put("a")
    assert begin(desk).item is None
