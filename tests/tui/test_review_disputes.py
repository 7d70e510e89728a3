"""Disputes, and judged answers that are on screen when the learner leaves: what is said to be kept is on the disk."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from content.events import Kind, Purpose
from content.library import SHIPPED_PACKS, load_pack
from content.queue import DrillRun
from content.store import Record
from grading.memory import Memory, Phase
from grading.schedule import Rating
from tui.screens.note import DisputeScreen
from tui.screens.review import ReviewScreen

Desk = Any  # the class of tests/tui/conftest.py
LISTED = "shardrill drills --disputed lists it."


@pytest.fixture(scope="module")
def zero() -> Any:
    pack = load_pack(SHIPPED_PACKS / "distributed-training-map")
    return next(card for card in pack.cards if card.id.endswith("/zero-2-memory"))


@pytest.fixture
def drills(desk: Desk, zero: Any) -> Desk:
    """A desk on which one drill is due, alone."""
    plain = desk.concept("zero-2", "-", "-")
    desk.cards = [replace(zero, id=plain.id, topic=plain.topic, sibling=plain.sibling, requires=())]
    with Record.open(desk.places.data) as record:
        desk.sync(record)
        day = desk.clock.now().at_ms // 86_400_000
        row = record.memory(record.card(plain.id).card_key)
        memory = Memory(Phase.REVIEW, 0, 40.0, 5.0, day - 3, None, 10, day - 13, desk.clock.now().at_ms, 4)
        record.write((), [replace(row, memory=memory)])
    desk.set(new_per_day=0)
    return desk


class Run:
    """A run of drills over Today, its first problem on screen."""

    def __init__(self, desk: Desk, count: int = 3) -> None:
        self.desk, self.app = desk, desk.app(start="today")
        self.count = count

    async def __aenter__(self) -> Any:
        self.test = self.app.run_test(size=(100, 30))
        self.sitting = self.desk.sitting(self.app, await self.test.__aenter__())
        await self.sitting.until(lambda: self.app.record is not None)
        self.app.push_screen(ReviewScreen(purpose=Purpose.PRACTICE, drills=DrillRun(count=self.count, seed=7)))
        await self.sitting.until_ready()
        return self.sitting

    async def __aexit__(self, *raised: Any) -> None:
        await self.test.__aexit__(*raised)


async def dispute(sitting: Any, *words: str) -> None:
    await sitting.press("x")
    assert isinstance(sitting.app.screen, DisputeScreen)
    await sitting.press(*words, "escape")


def held(desk: Desk) -> list[tuple[Any, ...]]:
    """The answers that hold, each with its rating, purpose and the dispute that targets it."""
    events = desk.events()
    undone = {
        event.target_id: event.kind is Kind.RETRACT for event in events if event.kind in (Kind.RETRACT, Kind.RESTORE)
    }
    said = {
        event.target_id: json.loads(event.response)["note"]
        for event in events
        if event.kind is Kind.DISPUTE and not undone.get(event.event_id)
    }
    return [
        (Rating(event.rating), event.purpose, said.get(event.event_id))
        for event in events
        if event.kind is Kind.ATTEMPT and not undone.get(event.event_id)
    ]


MISSED = (Rating.AGAIN, Purpose.PRACTICE, None)


@pytest.mark.parametrize("key", ["q", "escape"])
async def test_leaving_a_run_stores_the_judged_answer_with_its_dispute_once(drills: Desk, key: str) -> None:
    async with Run(drills) as sitting:
        await sitting.type("1 GB")
        await sitting.press("enter")
        assert sitting.review.revealed
        await dispute(sitting, "n", "o")
        assert LISTED in sitting.text
        await sitting.press(key)
        assert held(drills) == [(Rating.AGAIN, Purpose.PRACTICE, "no")]
    assert len(drills.attempts()) == 1
    assert json.loads(drills.attempts()[0].response)["typed"] == "1 GB"


async def test_it_is_stored_however_the_program_ends(drills: Desk) -> None:
    async with Run(drills) as sitting:
        await sitting.press("f9", "l")  # the lesson is open over it
        sitting.app.exit(return_code=129)  # what the signal HUP does
        sitting.app.exit(return_code=129)
    assert held(drills) == [MISSED]


async def test_a_judged_answer_is_stored_though_the_study_day_turned_before_one_leaves(drills: Desk) -> None:
    async with Run(drills) as sitting:
        await sitting.press("f9")
        sitting.clock.set("2026-12-01T10:00:00+08:00")
        await sitting.press("q")
    assert held(drills) == [MISSED]


async def test_one_more_of_a_drill_is_stored_when_it_is_left_and_the_card_below_is_as_it_was(drills: Desk) -> None:
    async with drills.review() as sitting:
        first = sitting.review
        await sitting.press("f9", "r")
        await sitting.until_ready()
        await sitting.press("f9", "escape")
        await sitting.until(lambda: sitting.app.screen is first)
        assert held(drills) == [MISSED]
        await sitting.press("enter")
        assert held(drills) == [MISSED, (Rating.AGAIN, Purpose.REVIEW, None)]
        await sitting.press("escape", "u")
        assert held(drills) == [MISSED], "undo takes back the answer given here"


async def test_without_a_verdict_on_screen_leaving_stores_nothing(drills: Desk) -> None:
    async with Run(drills) as sitting:
        await sitting.type("1 GB")
        sitting.review.keep_typed()
        await sitting.press("escape", "escape")
    assert drills.attempts() == []


async def test_an_answer_taken_back_stays_taken_back_when_one_leaves(drills: Desk) -> None:
    async with Run(drills) as sitting:
        await sitting.press("f9", "enter", "escape", "u")
        assert sitting.review.revealed
        await sitting.press("q")
    assert held(drills) == []


async def test_an_answer_taken_back_and_disputed_then_is_stored_with_the_dispute(drills: Desk) -> None:
    async with Run(drills) as sitting:
        await sitting.press("f9", "enter", "escape", "u")
        await dispute(sitting, "n", "o")
        await sitting.press("q")
    assert held(drills) == [(Rating.AGAIN, Purpose.PRACTICE, "no")]


async def test_in_review_a_dispute_waits_for_the_rating_and_says_so(drills: Desk) -> None:
    async with drills.review(size=(100, 30)) as sitting:
        first = sitting.review
        await sitting.press("f9")
        await dispute(sitting, "n", "o")
        assert "You dispute this" in sitting.text
        assert "Kept once you rate this answer; then " + LISTED in sitting.text
        sitting.clock.set("2026-12-01T10:00:00+08:00")  # the study day turns: the intervals are new, the dispute is not
        await sitting.press("r")
        await sitting.until_ready()
        await sitting.press("escape", "escape")
        await sitting.until(lambda: sitting.app.screen is first)
        assert held(drills) == []
        await sitting.press("enter")
        assert held(drills) == [(Rating.AGAIN, Purpose.REVIEW, "no")]
        await sitting.press("escape", "u")
        assert held(drills) == []
        assert "You dispute this" in sitting.text
        await sitting.press("enter")
        assert held(drills) == [(Rating.AGAIN, Purpose.REVIEW, "no")]


async def test_leaving_review_before_the_rating_invents_none(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.press("f9", "q")
        await sitting.pilot.pause()
    assert drills.events() == []
