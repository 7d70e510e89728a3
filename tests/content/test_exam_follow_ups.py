"""Follow-ups to an oral question: one parameter is changed, three deep at most, and a wrong answer ends them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from content.cards import Card
from content.drilling import GIVEN_UP, give_up, grade_typed
from content.drills import drill_of
from content.events import Purpose
from content.follow_ups import FollowUps, one_changed
from content.library import SHIPPED_PACKS, load_pack
from content.pack_rows import sync
from grading.drill import draw

PACK = SHIPPED_PACKS / "distributed-training-map"


@pytest.fixture(scope="module")
def page() -> dict[str, Card]:
    return {card.id.partition("/")[2]: card for card in load_pack(PACK).cards}


def test_a_follow_up_changes_one_parameter_and_the_answer(page: dict[str, Card]) -> None:
    for card in (card for card in page.values() if card.kind == "drill"):
        base = draw(drill_of(card), 7)
        found = one_changed(base, 11)
        assert found is not None, card.id
        problem, changed = found
        different = {key for key in base.drawn if base.drawn[key].text != problem.drawn[key].text}
        assert different == {changed.key}
        assert problem.answer != base.answer
        assert changed.after in changed.words.en


def test_follow_ups_go_three_deep_and_a_wrong_answer_ends_them(desk: Any) -> None:
    loaded = load_pack(PACK)
    sync(desk.record, loaded, 0)
    question = next(card for card in loaded.cards if card.kind == "oral" and "zero" in card.topic)

    def new() -> FollowUps:
        return FollowUps(desk.record, desk.settings, question, desk.clock.now, new_id=desk.new_id)

    chain = new()
    depths = []
    while chain.item is not None:
        item = chain.item
        depths.append(item.depth)
        assert item.question("en") != item.question("zh")
        asked = item.ask.problem.asked
        graded = grade_typed(item.ask, f"{float(asked.value / asked.unit.factor)!r} {asked.unit.symbol}")
        chain.answer(graded, desk.clock.pass_s(20), took_ms=20_000)
    assert depths == [1, 2, 3]
    chain = new()
    item = chain.item
    assert item is not None
    event_id = chain.answer(give_up(), desk.clock.pass_s(5), took_ms=5000)
    assert chain.item is None
    (event,) = [event for event in desk.record.events_of(item.card_key) if event.event_id == event_id]
    said = json.loads(event.response)
    assert (event.purpose, said["follow_up_of"], said["depth"], said["reason"]) == (
        Purpose.EXAM, question.id, 1, GIVEN_UP,
    )  # fmt: skip
    assert set(said["drawn"]) == set(item.ask.problem.drawn)
