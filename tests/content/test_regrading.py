"""GEN-04, GEN-05: a mended drill grades stored answers again, never lower in silence; disputes are listed apart."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from content.cards import card_from_json
from content.drilling import grade_typed
from content.events import Kind
from content.library import SHIPPED_PACKS, load_pack
from content.regrading import disputes, keep, regraded


@pytest.fixture
def zero(desk):
    """A desk whose drill p/zero was answered with what is right once its formula is mended."""
    pack = load_pack(SHIPPED_PACKS / "distributed-training-map")
    card = next(card for card in pack.cards if card.id.endswith("/zero-2-memory"))
    desk.add("zero")
    desk.cards = [replace(card, id="p/zero", topic="p/t", sibling="p/zero", requires=())]
    desk.sync()
    desk.put("zero")
    return desk


def answered(desk, share, note=""):
    """Answer with a share of the right value."""
    session = desk.sit()
    asked = session.item.ask.problem.asked
    typed = f"{float(asked.value) / 1e9 * share:.9g}"
    session.reveal(desk.clock.now, grade_typed(session.item.ask, typed))
    if note:
        session.dispute(note)
    session.answer(session.graded.rating, desk.clock.now, took_ms=1000)
    return session


def mend(desk, formula):
    """Change the drill's formula."""
    card = desk.cards[0]
    desk.cards[0] = replace(card, drill={**card.drill, "answer": {**card.drill["answer"], "formula": formula}})
    desk.sync()
    return card_from_json(desk.record.card("p/zero").body)


def found(desk, card):
    return regraded(card, desk.record.events_of(desk.key("zero")))


def test_an_answer_that_was_right_after_all_gets_a_new_verdict_beside_the_old(zero):
    answered(zero, 3)
    row = zero.row("zero")
    card = mend(zero, "6[B]*phi + 42[B]*phi/n")
    [one] = found(zero, card)
    assert (one.before, one.after, one.lowered) == ("wrong", "correct", False)
    assert keep(zero.record, zero.settings, zero.new_id, [one], zero.clock.now) == [one]
    [attempt], [event] = zero.events(Kind.ATTEMPT), zero.events(Kind.REGRADE)
    assert json.loads(attempt.response)["reason"] == "wrong"
    said = json.loads(event.response)
    assert (event.target_id, event.card_rev, said["from"], said["to"]) == (
        attempt.event_id,
        card.rev,
        "wrong",
        "correct",
    )
    assert zero.row("zero") == row, "the schedule stays as it was lived"
    assert not any(one.changed for one in found(zero, card)), "once is enough"


def test_a_verdict_is_never_lowered_in_silence(zero):
    answered(zero, 1)
    card = mend(zero, "6[B]*phi + 42[B]*phi/n")
    [one] = found(zero, card)
    assert one.lowered
    assert keep(zero.record, zero.settings, zero.new_id, [one], zero.clock.now) == []
    assert keep(zero.record, zero.settings, zero.new_id, [one], zero.clock.now, lower_too=True) == [one]


def test_an_answer_whose_values_no_longer_fit_keeps_its_verdict(zero):
    answered(zero, 1)
    card = zero.cards[0]
    params = {"q": {"symbol": "Q", "unit": "B", "choices": ["1", "2"]}, "n": card.drill["params"]["n"]}
    body = {
        **card.drill,
        "params": params,
        "answer": {"formula": "q/n", "unit": "GB"},
        "mistakes": [],
        "conventions": [],
    }
    zero.cards[0] = replace(card, drill={key: value for key, value in body.items() if key not in ("steps", "unknowns")})
    zero.sync()
    [one] = found(zero, card_from_json(zero.record.card("p/zero").body))
    assert one.verdict is None
    assert not one.changed
    assert one.why_not


def test_disputes_are_listed_with_what_was_answered(zero):
    session = answered(zero, 3, "the table says otherwise")
    [one] = disputes(zero.record)
    assert (one.card_id, one.note, one.response["reason"]) == ("p/zero", "the table says otherwise", "wrong")
    assert card_from_json(one.body).id == "p/zero"
    session.undo(zero.clock.now)
    assert disputes(zero.record) == []
