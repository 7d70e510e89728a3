"""Today's queue: what is in it, in which order, what is left for another day, and what it costs."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from content import day_sql, today
from content.events import Kind, Purpose
from content.queue import Waiting, build_queue, contrasts_together, in_order, rows_of
from content.today import Candidate
from grading.memory import Phase


def names(desk, queue):
    """The short ids of the queue's main part, in order."""
    by_key = {desk.key(card.id.removeprefix("p/")): card.id.removeprefix("p/") for card in desk.cards}
    return [by_key[waiting.card_key] for waiting in queue.main]


def queue_of(desk, **how):
    return build_queue(desk.record, desk.settings, desk.clock.now, **how)


def many(desk, prefix, count, **fields):
    found = [f"{prefix}{index:03}" for index in range(count)]
    for name in found:
        desk.add(name, **fields)
    return found


def test_holds_due_reviews_oldest_first_then_new_cards_in_their_order(new_desk):
    desk = new_desk(order="reviews-first")
    desk.add("n1", "n2", "late", "due", "early")
    desk.sync()
    desk.put("due", due_in=0)
    desk.put("late", due_in=-9)
    desk.put("early", due_in=1)
    assert names(desk, queue_of(desk)) == ["late", "due", "n1", "n2"]


def test_cards_in_steps_wait_apart_by_their_instant(desk):
    desk.add("a", "b", "tomorrow")
    desk.sync()
    desk.put_in_steps("a", due_in_s=60)
    desk.put_in_steps("b", due_in_s=-60)
    desk.put_in_steps("tomorrow", due_in_s=86_400)
    queue = queue_of(desk)
    now = desk.clock.now.at_ms
    assert queue.steps == {desk.key("a"): now + 60_000, desk.key("b"): now - 60_000}
    assert queue.main == ()


def test_suspended_buried_and_absent_cards_are_left_out(desk):
    desk.add("suspended", "buried", "absent", "new-buried", "kept")
    desk.sync()
    desk.put("suspended", "buried", "absent", "kept")
    now = desk.clock.now
    desk.actions.suspend(desk.key("suspended"), now)
    desk.actions.bury(desk.key("buried"), now)
    desk.actions.bury(desk.key("new-buried"), now)
    gone = [card for card in desk.cards if card.id == "p/absent"]
    desk.cards.remove(gone[0])
    desk.sync()
    assert names(desk, queue_of(desk)) == ["kept"]
    desk.clock.pass_s(86_400)
    assert sorted(names(desk, queue_of(desk))) == ["buried", "kept", "new-buried"]


class TestLimits:
    def test_exactly_the_limit_is_shown_after_siblings_are_left_out(self, new_desk):
        """SES-11: limit 20, new limit 5, sibling hiding on, 60 due in pairs."""
        desk = new_desk(reviews_per_day=20, new_per_day=5)
        due = [f"d{index:02}" for index in range(60)]
        for index, name in enumerate(due):
            desk.add(name, sibling=f"p/pair{index // 2}")
        for index in range(12):
            desk.add(f"n{index:02}", sibling=f"p/newpair{index // 2}")
        desk.sync()
        desk.put(*due)
        queue = queue_of(desk)
        assert sum(not waiting.is_new for waiting in queue.main) == 20
        assert sum(waiting.is_new for waiting in queue.main) == 5
        assert queue.more_due
        assert queue.more_new
        assert queue.hidden_siblings > 0

    def test_a_limit_that_is_just_met_holds_nothing_back(self, new_desk):
        desk = new_desk(reviews_per_day=3)
        desk.add("a", "b", "c")
        desk.sync()
        desk.put("a", "b", "c")
        assert not queue_of(desk).more_due

    def test_what_was_done_today_counts_towards_the_limits(self, new_desk):
        desk = new_desk(reviews_per_day=4, new_per_day=3)
        due, new = many(desk, "d", 6), many(desk, "n", 6)
        desk.add("old1", "old2", "intro")
        desk.sync()
        desk.put(*due)
        desk.put("old1", "old2", "intro", due_in=5)
        desk.logged("old1", Phase.REVIEW)
        desk.logged("old2", Phase.REVIEW, purpose=Purpose.PRACTICE)
        desk.logged("intro", Phase.NEW)
        desk.logged("intro", Phase.LEARNING)
        queue = queue_of(desk)
        assert sum(not waiting.is_new for waiting in queue.main) == 3
        assert sum(waiting.is_new for waiting in queue.main) == 2
        assert (queue.reviewed, queue.introduced, queue.done_today) == (1, 1, 4)
        assert new

    def test_a_retracted_answer_does_not_count_and_a_restored_one_does(self, new_desk):
        desk = new_desk(reviews_per_day=4)
        desk.add("a")
        desk.sync()
        desk.put("a", due_in=5)
        desk.logged("a", Phase.REVIEW)
        [attempt] = desk.events(Kind.ATTEMPT)
        assert queue_of(desk).reviewed == 1
        desk.actions.retract(attempt.event_id, desk.clock.now)
        assert queue_of(desk).reviewed == 0
        desk.actions.restore(attempt.event_id, desk.clock.now)
        assert queue_of(desk).reviewed == 1

    def test_going_beyond_the_limits_brings_another_helping(self, new_desk):
        desk = new_desk(reviews_per_day=0, new_per_day=0)
        due = many(desk, "d", 60)
        many(desk, "n", 20)
        desk.sync()
        desk.put(*due)
        assert queue_of(desk).main == ()
        more = queue_of(desk, beyond=True).main
        assert sum(waiting.is_new for waiting in more) == today.MORE_NEW
        assert sum(not waiting.is_new for waiting in more) == today.MORE_REVIEWS


class TestIntake:
    def test_minutes_left_beside_the_reviews_decide_how_many_new_cards_come(self, new_desk):
        desk = new_desk(minutes_per_day=10, new_per_day=20)
        due = many(desk, "d", 20)
        many(desk, "n", 30)
        desk.sync()
        assert sum(waiting.is_new for waiting in queue_of(desk).main) == int(600 / today.NEW_S)
        desk.put(*due)
        assert sum(waiting.is_new for waiting in queue_of(desk).main) == int((600 - 20 * today.REVIEW_S) / today.NEW_S)

    def test_a_day_full_of_reviews_brings_no_new_cards(self, new_desk):
        desk = new_desk(minutes_per_day=5)
        due = many(desk, "d", 40)
        many(desk, "n", 5)
        desk.sync()
        desk.put(*due)
        queue = queue_of(desk)
        assert sum(waiting.is_new for waiting in queue.main) == 0
        assert queue.more_new

    def test_the_learners_own_times_replace_the_defaults_once_there_are_enough(self, desk):
        desk.add("a")
        desk.sync()
        for _ in range(19):
            desk.logged("a", Phase.REVIEW, took_s=4)
        assert today.recent_pace(rows_of(desk.record), "me") == today.Pace()
        desk.logged("a", Phase.REVIEW, took_s=4)
        for _ in range(10):
            desk.logged("a", Phase.NEW, took_s=20)
            desk.logged("a", Phase.LEARNING, took_s=5)
            desk.logged("a", Phase.LEARNING, took_s=5)
        assert today.recent_pace(rows_of(desk.record), "me") == today.Pace(review_s=4, new_s=30)

    def test_a_break_in_the_middle_of_a_card_is_not_study(self, desk):
        desk.add("a")
        desk.sync()
        desk.logged("a", Phase.REVIEW, took_s=7200)
        assert queue_of(desk).spent_ms == today.COUNTED_MS


class TestApart:
    @pytest.mark.parametrize("apart", [True, False])
    def test_at_most_one_of_a_sibling_group_a_day(self, new_desk, apart):
        """SES-08: two clozes of one note due, and a third that is new."""
        desk = new_desk(siblings_apart=apart)
        desk.add("c#1", "c#2", "c#3", sibling="p/c")
        desk.sync()
        desk.put("c#1", "c#2")
        queue = queue_of(desk)
        assert len(queue.main) == (1 if apart else 3)
        assert queue.hidden_siblings == (2 if apart else 0)

    def test_a_sibling_answered_today_or_in_steps_keeps_the_others_away(self, desk):
        desk.add("a#1", "a#2", sibling="p/a")
        desk.add("b#1", "b#2", sibling="p/b")
        desk.sync()
        desk.put("a#1", due_in=6)
        desk.logged("a#1", Phase.REVIEW)
        desk.put("a#2")
        desk.put_in_steps("b#1")
        queue = queue_of(desk)
        assert queue.main == ()
        assert set(queue.steps) == {desk.key("b#1")}

    def test_practice_of_a_sibling_keeps_nothing_away(self, desk):
        desk.add("a#1", "a#2", sibling="p/a")
        desk.sync()
        desk.put("a#1", due_in=6)
        desk.put("a#2")
        desk.logged("a#1", Phase.REVIEW, purpose=Purpose.PRACTICE)
        assert names(desk, queue_of(desk)) == ["a#2"]

    @pytest.mark.parametrize("giver", ["first", "second"])
    def test_a_card_that_gives_another_away_is_not_asked_on_the_same_day(self, desk, giver):
        other = {"first": "second", "second": "first"}[giver]
        for name in ("first", "second"):
            desk.add(name, gives_away=(f"p/{other}",) if name == giver else ())
        desk.add("third")
        desk.sync()
        assert names(desk, queue_of(desk)) == ["first", "third"]

    def test_giving_a_whole_cloze_note_away_covers_each_of_its_cards(self, desk):
        desk.add("giver", gives_away=("p/c",))
        desk.add("c#1", "c#2", sibling="p/c")
        desk.sync()
        assert names(desk, queue_of(desk)) == ["giver"]


class TestOrder:
    reviews = tuple(Waiting(key, is_new=False) for key in range(10))
    new = tuple(Waiting(key, is_new=True) for key in range(100, 110))

    def test_reviews_first_and_new_first(self):
        """SES-10."""
        assert in_order(self.reviews, self.new, "reviews-first") == [*self.reviews, *self.new]
        assert in_order(self.reviews, self.new, "new-first") == [*self.new, *self.reviews]

    def test_mixed_spreads_new_cards_evenly(self):
        kinds = "".join("n" if waiting.is_new else "r" for waiting in in_order(self.reviews, self.new[:4], "mixed"))
        assert kinds == "rrnrrnrrnrrnrr"

    @given(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["mixed", "reviews-first", "new-first"]))
    def test_no_order_loses_or_doubles_a_card(self, reviews, new, order):
        old = [Waiting(key, is_new=False) for key in range(reviews)]
        fresh = [Waiting(key, is_new=True) for key in range(100, 100 + new)]
        mixed = in_order(old, fresh, order)
        assert [waiting for waiting in mixed if not waiting.is_new] == old
        assert [waiting for waiting in mixed if waiting.is_new] == fresh

    def test_likeliest_remembered_first_is_a_setting(self, new_desk):
        desk = new_desk(review_order="easiest")
        desk.add("weak", "strong", "middle")
        desk.sync()
        desk.put("weak", stability=2.0, due_in=-30)
        desk.put("middle", stability=20.0, due_in=-20)
        desk.put("strong", stability=500.0, due_in=-1)
        assert names(desk, queue_of(desk)) == ["strong", "middle", "weak"]


class TestContrast:
    def test_a_contrast_partner_comes_right_after_its_card(self):
        cards = [Candidate(1, "p/a", "p/a", 1, contrast=("p/c",)), card(2, "b"), card(3, "c")]
        assert [c.card_key for c in contrasts_together(cards)] == [1, 3, 2]

    def test_but_not_before_a_card_it_builds_on(self):
        cards = [
            Candidate(1, "p/a", "p/a", 1, contrast=("p/c",)),
            card(2, "b"),
            Candidate(3, "p/c", "p/c", 1, contrast=("p/a",), requires=("p/b",)),
        ]
        assert [c.card_key for c in contrasts_together(cards)] == [1, 2, 3]


def card(key, name):
    return Candidate(key, f"p/{name}", f"p/{name}", 1)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_no_card_is_lost_or_doubled(new_desk, data):
    """Without limits and with siblings apart, every card that may be asked is in the queue once or kept from a sibling."""
    desk = new_desk(reviews_per_day=999, new_per_day=999, minutes_per_day=600, order="mixed")
    count = data.draw(st.integers(0, 30))
    groups = data.draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    states = data.draw(st.lists(st.sampled_from(["new", "due", "later", "steps"]), min_size=count, max_size=count))
    for index, group in enumerate(groups):
        desk.add(f"c{index}", sibling=f"p/g{group}")
    desk.sync()
    for index, state in enumerate(states):
        if state in ("due", "later"):
            desk.put(f"c{index}", due_in=-index if state == "due" else 1 + index)
        elif state == "steps":
            desk.put_in_steps(f"c{index}", due_in_s=index)
    queue = queue_of(desk)
    asked = [waiting.card_key for waiting in queue.main] + list(queue.steps)
    assert len(asked) == len(set(asked))
    active = [index for index, state in enumerate(states) if state != "later"]
    assert {groups[index] for index in active} == {
        groups[index] for index in active if desk.key(f"c{index}") in set(asked)
    }
    in_steps = sum(state == "steps" for state in states)
    assert len(queue.main) + queue.hidden_siblings + in_steps == len(active)
    desk.record.close()


def test_every_query_of_the_day_walks_an_index(desk):
    """What is read follows the day's limits: no query scans or sorts a table that grows with the collection."""
    values = {"learner": "me", "day": 1, "ends": 1, "topic": -1, "after": 0, "after_key": 0, "page": 1}
    for query, index in ((day_sql.DUE, "memory_due"), (day_sql.NEW, "memory_new"), (day_sql.STEPS, "memory_steps")):
        plan = [row[3] for row in desk.record.named_rows(f"EXPLAIN QUERY PLAN {query}", values)]
        assert any(f"SEARCH m USING INDEX {index}" in line for line in plan), plan
        assert not any("SCAN" in line or "TEMP B-TREE" in line for line in plan), plan
    for query in (day_sql.NEW_OF_KIND, day_sql.DUE_OF_KIND):
        plan = [row[3] for row in desk.record.named_rows(f"EXPLAIN QUERY PLAN {query}", {**values, "kind": "oral"})]
        assert "SEARCH c USING INDEX card_kind" in plan[0], plan
        assert not any("SCAN" in line for line in plan), plan
    for query in (
        day_sql.DONE,
        day_sql.RECENT,
        day_sql.STUDIED,
        day_sql.NEXT_DUE_DAY,
        day_sql.DUE_BY,
        *day_sql.ANY_IN_QUEUE.values(),
        day_sql.ANY_SUSPENDED,
    ):
        plan = [row[3] for row in desk.record.named_rows(f"EXPLAIN QUERY PLAN {query}", {**values, "cap": 1})]
        assert not any("TEMP B-TREE" in line or line in ("SCAN e", "SCAN m", "SCAN c") for line in plan), plan
