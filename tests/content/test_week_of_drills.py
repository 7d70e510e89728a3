"""What Today tells of a week's wrong answers to drills: how often sure and wrong, and the mistake made again and again."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from content.cards import Text
from content.events import Kind, NewEvent
from content.week_of_drills import Habit, WeekOfDrills, week_of_drills
from grading.memory import Phase

WHY = {"en": "the gradients were left whole", "zh": "梯度没有切分"}
DRILL = {"params": {}, "mistakes": [{"id": "zero-1", "formula": "4*phi", "why": WHY}]}


@pytest.fixture
def drilling(desk: Any) -> Any:
    """A desk with two drills and a card, and a way to log an answer to one of them."""
    desk.add("memory", "volume")
    desk.cards = [replace(card, kind="drill", drill=DRILL) for card in desk.cards]
    desk.add("card")
    desk.sync()
    return desk


def say(desk: Any, name: str, reason: str, *mistakes: str, sure: bool = False) -> None:
    response = {"reason": reason, "mistakes": list(mistakes)} | ({"confidence": "sure"} if sure else {})
    desk.logged(name, Phase.REVIEW, response=json.dumps(response))


def test_a_week_without_drills_tells_nothing(drilling: Any) -> None:
    say(drilling, "card", "mistake", "gib-for-gb")
    assert week_of_drills(drilling.record, drilling.clock.day) == WeekOfDrills()


def test_a_mistake_made_once_is_no_habit(drilling: Any) -> None:
    say(drilling, "memory", "mistake", "gib-for-gb")
    say(drilling, "volume", "correct")
    assert week_of_drills(drilling.record, drilling.clock.day) == WeekOfDrills(2)


def test_the_mistake_made_most_often_is_named_whatever_drill_it_was_made_in(drilling: Any) -> None:
    for name in ("memory", "volume", "memory"):
        say(drilling, name, "mistake", "gib-for-gb")
    for _ in range(2):
        say(drilling, "memory", "mistake", "zero-1")
    assert week_of_drills(drilling.record, drilling.clock.day).habit == Habit("gib-for-gb", 3)


def test_a_drills_own_mistake_is_told_in_its_words(drilling: Any) -> None:
    for _ in range(2):
        say(drilling, "memory", "mistake", "zero-1", "gib-for-gb")
    found = week_of_drills(drilling.record, drilling.clock.day)
    assert found.habit == Habit("zero-1", 2, Text(WHY["en"], WHY["zh"]))


def test_another_authoritys_convention_is_no_mistake(drilling: Any) -> None:
    for _ in range(2):
        say(drilling, "memory", "convention", "with-fp32-gradients")
    assert week_of_drills(drilling.record, drilling.clock.day).habit is None


def test_what_was_said_as_sure_counts_only_when_it_was_wrong(drilling: Any) -> None:
    say(drilling, "memory", "wrong", sure=True)
    say(drilling, "memory", "correct", sure=True)
    day = drilling.clock.day
    drilling.clock.pass_s(2 * 86_400)
    found = week_of_drills(drilling.record, drilling.clock.day)
    assert (found.sure_misses, found.last_sure_miss_day) == (1, day)


def test_the_week_ends_after_seven_study_days(drilling: Any) -> None:
    say(drilling, "memory", "wrong", sure=True)
    drilling.clock.pass_s(6 * 86_400)
    assert week_of_drills(drilling.record, drilling.clock.day).answers == 1
    drilling.clock.pass_s(86_400)
    assert week_of_drills(drilling.record, drilling.clock.day) == WeekOfDrills()


def test_an_answer_that_was_taken_back_does_not_count(drilling: Any) -> None:
    say(drilling, "memory", "wrong", sure=True)
    (event,) = drilling.record.events_of(drilling.key("memory"))
    now, new_id = drilling.clock.now, drilling.record.ordered_id("0" * 32)
    undo = NewEvent(new_id, Kind.RETRACT, now.at_ms, 0, event.day, card_key=event.card_key, target_id=event.event_id)
    drilling.record.append(undo)
    assert week_of_drills(drilling.record, drilling.clock.day).answers == 0


@pytest.mark.parametrize(
    "response", [None, "not JSON", "[]", '{"mistakes": [], "reason": 3}', '{"mistakes": [1]}', '{"mistakes": 3}']
)
def test_a_garbled_response_is_an_answer_and_no_more(drilling: Any, response: str | None) -> None:
    drilling.logged("memory", Phase.REVIEW, response=response)
    assert week_of_drills(drilling.record, drilling.clock.day) == WeekOfDrills(1)
