"""Drills in a sitting: the problem on screen, what answers are worth and propose, what the log keeps of them."""

from __future__ import annotations

import itertools
import json

import pytest

from content.drilling import ask_for, give_up, grade_typed, problem_again, seed_from, sure_miss_pending
from content.drills import drill_of
from content.events import Kind, Purpose
from content.library import SHIPPED_PACKS, load_pack
from content.queue import DrillRun, mixed_rounds
from content.session import NotNow
from grading.answer import Reason
from grading.memory import Memory, Phase, Rating
from grading.shown import number_text

AGAIN, HARD, GOOD, EASY = Rating


@pytest.fixture(scope="module")
def shipped():
    """The drills of the shipped pack by their short names."""
    pack = load_pack(SHIPPED_PACKS / "distributed-training-map")
    return {card.id.partition("/")[2]: card for card in pack.cards if card.kind == "drill"}


@pytest.fixture
def drill_desk(desk, shipped):
    """A desk with the drill zero-2-memory as p/zero."""
    add_drill(desk, shipped["zero-2-memory"], "zero")
    return desk.sync()


def add_drill(desk, card, name, topic="t", **fields):
    from dataclasses import replace

    desk.add(name, topic=topic)
    plain = desk.cards.pop()
    values = {"requires": (), "sibling": plain.sibling, **fields}
    desk.cards.append(replace(card, id=plain.id, topic=plain.topic, **values))


def right(session, times=1.0):
    """The right answer as it would be typed, or a multiple of it."""
    asked = session.item.ask.problem.asked
    return number_text(float(asked.value) / float(asked.unit.factor) * times, 8)


def wrong(session):
    return right(session, 3.7) + "1"


def answer(session, desk, typed, rating=None, took_s=30):
    graded = grade_typed(session.item.ask, typed)
    session.reveal(desk.clock.now, graded)
    return session.answer(rating or graded.rating, desk.clock.pass_s(took_s), took_ms=took_s * 1000, response={})


def practice(desk, **how):
    return desk.sit(purpose=Purpose.PRACTICE, drills=DrillRun(**how))


class TestTheProblem:
    def test_comes_from_the_random_bits_of_a_fresh_id(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        assert session.item.ask.seed == session.item.ask.problem.seed > 0
        assert seed_from("f" * 32) == 2**63 - 1
        assert drill_desk.sit().item.ask.seed != session.item.ask.seed

    def test_an_answer_is_graded_before_it_can_be_rated(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        with pytest.raises(NotNow):
            session.reveal(drill_desk.clock.now)
        with pytest.raises(NotNow):
            session.reveal(drill_desk.clock.now, grade_typed(session.item.ask, "what?"))

    def test_undo_shows_the_same_problem_with_its_verdict(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        ask = session.item.ask
        answer(session, drill_desk, wrong(session))
        session.undo(drill_desk.clock.now)
        assert session.item.ask == ask
        assert session.graded.reason == "wrong"
        assert session.outcomes is not None

    def test_the_next_review_draws_anew(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        seeds = [session.item.ask.seed]
        session.skip(drill_desk.clock.now)
        seeds.append(session.item.ask.seed)
        assert len(set(seeds)) == 2

    def test_steps_fade_with_stability_and_return_after_a_lapse(self, shipped):
        card = shipped["zero-2-memory"]
        total = len(drill_of(card).steps)

        def shown(phase, stability):
            return ask_for(card, "r", Memory(phase, stability=stability), 7, vary=False).steps_shown

        assert shown(Phase.NEW, None) == total - 1
        assert shown(Phase.REVIEW, 30.0) == 0
        assert shown(Phase.RELEARNING, 30.0) == total - 1

    def test_the_same_numbers_do_not_come_twice_running(self, shipped):
        card = shipped["zero-2-memory"]
        first = ask_for(card, "r", Memory(), 5)
        assert ask_for(card, "r", Memory(), 5).numbers == first.numbers
        other = ask_for(card, "r", Memory(), 5, unlike=first.numbers)
        assert other.numbers != first.numbers
        assert other == ask_for(card, "r", Memory(), 5, unlike=first.numbers)

    def test_another_unknown_is_asked_only_past_the_first_reviews(self, shipped):
        card = shipped["zero-1-memory"]

        def unknowns(memory):
            return {ask_for(card, "r", memory, seed << 32).problem.unknown for seed in range(8)}

        assert unknowns(Memory()) == {None}
        assert unknowns(Memory(Phase.REVIEW, stability=3.0)) == {None}
        assert unknowns(Memory(Phase.REVIEW, stability=30.0)) == {None, "n"}
        other = next(
            ask for seed in range(8)
            if (ask := ask_for(card, "r", Memory(Phase.REVIEW, stability=8.0), seed << 32)).problem.unknown
        )  # fmt: skip
        assert other.steps_shown == 0, "the steps would give it away"


class TestTries:
    @pytest.fixture
    def ask(self, shipped):
        from dataclasses import replace

        from content.drills import solve

        card = shipped["zero-2-memory"]
        asked = ask_for(card, "r", Memory(), 1)
        return replace(asked, problem=solve(drill_of(card), {"phi": "13B", "n": "8"}))

    @pytest.mark.parametrize(
        ("typed", "reason", "rating"),
        [
            ("48.75", "correct", GOOD),
            ("48,75 GB", "correct", GOOD),
            ("71.5", "mistake", AGAIN),
            ("12345", "wrong", AGAIN),
            ("48.75 FLOP", "unit", None),
            ("50", "imprecise", None),
            ("2Φ + 14Φ/N", "formula", None),
            ("about so much", "unreadable", None),
        ],
    )
    def test_the_first_try(self, ask, typed, reason, rating):
        graded = grade_typed(ask, typed)
        assert (graded.reason, graded.rating) == (reason, rating)

    def test_the_second_try_is_hard_when_right_and_again_otherwise(self, ask):
        first = grade_typed(ask, "50")
        assert grade_typed(ask, "48.75", first).rating is HARD
        assert grade_typed(ask, "50.1", first).rating is AGAIN
        assert grade_typed(ask, "71.5", first).rating is AGAIN

    def test_what_cannot_be_read_is_no_try_however_often(self, ask):
        graded = grade_typed(ask, "?")
        for _ in range(3):
            graded = grade_typed(ask, "1,23 GB GB", graded)
            assert graded.rating is None
        assert graded.tries == ()
        assert grade_typed(ask, "48.75", graded).rating is GOOD

    def test_giving_up_is_again(self):
        assert (give_up().reason, give_up().rating) == ("given_up", AGAIN)

    @pytest.mark.parametrize(("typed", "sure"), [("48.75?", "unsure"), ("48.75!", "sure"), ("48.75", None)])
    def test_confidence_is_typed_behind_the_answer(self, ask, typed, sure):
        graded = grade_typed(ask, typed)
        assert (graded.confidence, graded.reason) == (sure, "correct")


class TestTheLog:
    def test_keeps_all_that_is_needed_to_grade_again(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        ask, typed = session.item.ask, right(session) + " GB!"
        answer(session, drill_desk, typed)
        [event] = drill_desk.events(Kind.ATTEMPT)
        kept = json.loads(event.response)
        assert (event.rating, event.proposed_rating) == (3, 3)
        assert (kept["v"], kept["typed"], kept["seed"], kept["reason"]) == (1, typed, ask.seed, "correct")
        assert kept["confidence"] == "sure"
        assert kept["read"] == {"value": pytest.approx(float(ask.problem.asked.value), rel=1e-6), "unit": "B"}
        assert {key: value["text"] for key, value in kept["drawn"].items()} == {
            key: choice.text for key, choice in ask.problem.drawn.items()
        }
        again = problem_again(session_card(drill_desk), kept)
        assert again.asked.value == ask.problem.asked.value

    def test_names_the_mistake_and_keeps_the_chosen_rating_beside_the_proposed(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        mistake = session.item.ask.problem.asked.rivals[0]
        typed = number_text(float(mistake.value) / 1e9, 9)
        answer(session, drill_desk, typed, HARD)
        [event] = drill_desk.events(Kind.ATTEMPT)
        assert (event.rating, event.proposed_rating) == (2, 1)
        assert mistake.id in json.loads(event.response)["mistakes"]

    def test_a_dispute_is_stored_with_the_attempt_and_undone_with_it(self, drill_desk):
        drill_desk.put("zero")
        session = drill_desk.sit()
        session.reveal(drill_desk.clock.now, grade_typed(session.item.ask, wrong(session)))
        session.dispute("I hit the wrong key")
        session.answer(AGAIN, drill_desk.clock.now, took_ms=1000)
        [attempt], [dispute] = drill_desk.events(Kind.ATTEMPT), drill_desk.events(Kind.DISPUTE)
        assert dispute.target_id == attempt.event_id
        assert json.loads(dispute.response)["note"] == "I hit the wrong key"
        session.undo(drill_desk.clock.now)
        assert session.graded.dispute == "I hit the wrong key"
        assert {event.target_id for event in drill_desk.events(Kind.RETRACT)} == {attempt.event_id, dispute.event_id}


def session_card(desk):
    from content.cards import card_from_json

    return card_from_json(desk.record.card("p/zero").body)


class TestSureMisses:
    def sure_miss(self, desk, mark="!", stability=60.0):
        desk.put("zero", stability=stability)
        session = desk.sit()
        answer(session, desk, wrong(session) + mark)
        desk.clock.pass_s(700)
        session.tick(desk.clock.now)
        return session

    @pytest.mark.parametrize(("mark", "at_most"), [("!", 7), ("?", 999)])
    def test_come_back_within_a_week_whatever_the_schedule_says(self, drill_desk, mark, at_most):
        drill_desk.settings = drill_desk.settings.__class__(fuzz=False, desired_retention=0.7)
        session = self.sure_miss(drill_desk, mark, stability=5000.0)
        assert session.item.ask is not None
        answered = answer(session, drill_desk, right(session), EASY)
        assert answered.interval_days <= at_most
        assert (answered.interval_days > 7) == (mark == "?")

    def test_the_cap_ends_with_the_steps(self, drill_desk):
        session = self.sure_miss(drill_desk)
        answer(session, drill_desk, right(session))
        events = [event for event in drill_desk.events() if event.card_key == drill_desk.key("zero")]
        assert not sure_miss_pending(events)

    def test_without_steps_the_miss_itself_is_capped(self, new_desk, shipped):
        desk = new_desk(relearning_steps=(), desired_retention=0.7)
        add_drill(desk, shipped["zero-2-memory"], "zero")
        desk.sync()
        desk.put("zero", stability=5000.0)
        session = desk.sit()
        assert answer(session, desk, wrong(session) + "!").interval_days <= 7


class TestPractice:
    def test_leaves_the_schedule_alone_and_is_logged_as_practice(self, drill_desk):
        drill_desk.put("zero", due_in=5)
        before = drill_desk.row("zero")
        session = practice(drill_desk, count=3)
        for _ in range(3):
            answer(session, drill_desk, wrong(session))
        assert session.item is None
        assert drill_desk.row("zero") == before
        assert {event.purpose for event in drill_desk.events(Kind.ATTEMPT)} == {Purpose.PRACTICE}

    def test_the_same_seed_gives_the_same_problems(self, desk, shipped):
        for name in ("zero-2-memory", "zero-1-memory", "total-state"):
            if name in shipped:
                add_drill(desk, shipped[name], name)
        desk.sync()
        desk.put("zero-1-memory", stability=50.0)

        def problems(seed):
            session, found = practice(desk, count=6, seed=seed), []
            while session.item is not None:
                found.append((session.item.card.id, session.item.ask.seed, dict(session.item.ask.problem.drawn)))
                answer(session, desk, "1")
            return found

        first = problems(0)
        assert len(first) == 6
        assert first == problems(0)
        assert first != problems(1)
        assert all(a[0] != b[0] for a, b in itertools.pairwise(first))

    def test_of_one_drill(self, drill_desk):
        session = practice(drill_desk, count=2, card_id="p/zero")
        assert session.progress.total == 2

    @pytest.mark.parametrize(("keys", "count", "length"), [([], 5, 0), ([1], 3, 3), ([1, 2, 3], 0, 0), ([1, 2], 5, 5)])
    def test_rounds(self, keys, count, length):
        assert len(mixed_rounds(keys, count, 4)) == length


class TestTheDay:
    def test_new_drills_fill_what_minutes_cards_leave_at_most_so_many(self, new_desk, shipped):
        desk = new_desk(drill_per_day=2, minutes_per_day=20)
        desk.add("learnt")
        for index in range(4):
            add_drill(desk, shipped["zero-2-memory"], f"d{index}")
        desk.sync()
        assert drills_in(desk) == [], "nothing of the topic was learnt yet"
        desk.put("learnt", due_in=9)
        assert drills_in(desk) == ["d0", "d1"]
        session = desk.sit()
        answer(session, desk, right(session), EASY)
        assert drills_in(desk) == ["d1"]

    def test_a_day_full_of_cards_has_no_room_for_new_drills(self, new_desk, shipped):
        desk = new_desk(minutes_per_day=2)
        due = [f"c{index}" for index in range(12)]
        desk.add(*due)
        add_drill(desk, shipped["zero-2-memory"], "drill")
        desk.sync()
        desk.put(*due)
        assert drills_in(desk) == []

    def test_a_drill_waits_for_the_cards_it_requires(self, desk, shipped):
        desk.add("learnt", "not-yet")
        add_drill(desk, shipped["zero-2-memory"], "drill", requires=("p/not-yet",))
        desk.sync()
        desk.put("learnt", due_in=9)
        assert drills_in(desk) == []
        desk.put("not-yet", due_in=9)
        assert drills_in(desk) == ["drill"]

    def test_drills_are_spread_among_the_cards(self, desk, shipped):
        due = [f"c{index}" for index in range(6)]
        desk.add(*due)
        for index in range(2):
            add_drill(desk, shipped["zero-2-memory"], f"d{index}")
        desk.sync()
        desk.put(*due, "d0", "d1")
        order = names(desk)
        assert order == ["c0", "c1", "d0", "c2", "c3", "d1", "c4", "c5"]

    def test_a_drill_counts_a_minute_until_own_times_are_known(self, desk, shipped):
        from content.queue import build_queue

        add_drill(desk, shipped["zero-2-memory"], "drill")
        desk.sync()
        desk.put("drill")
        assert build_queue(desk.record, desk.settings, desk.clock.now).expected_minutes == 1.0


def names(desk):
    from content.queue import build_queue

    by_key = {desk.key(card.id.removeprefix("p/")): card.id.removeprefix("p/") for card in desk.cards}
    return [by_key[waiting.card_key] for waiting in build_queue(desk.record, desk.settings, desk.clock.now).main]


def drills_in(desk):
    kinds = {card.id.removeprefix("p/"): card.kind for card in desk.cards}
    return [name for name in names(desk) if kinds[name] == "drill"]


def test_every_shipped_drill_can_be_asked(shipped):
    for card in shipped.values():
        for stability in (None, 30.0):
            memory = Memory() if stability is None else Memory(Phase.REVIEW, stability=stability)
            assert ask_for(card, "r", memory, 5 << 32) is not None, card.id
            assert grade_typed(ask_for(card, "r", memory, 6 << 32), "0").reason in set(Reason)
