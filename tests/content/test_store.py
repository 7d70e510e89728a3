"""The record: durable answers, typed rows, lists and searches."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from content.errors import RecordError
from content.events import Kind, NewEvent, Purpose, Queue
from content.reading import CardFilter, fold, listing
from content.rows import MemoryRow, queue_of
from content.store import Record
from grading.schedule import Memory, Phase, Plan, Rating

ANSWERING = """
import sys
from pathlib import Path
from content.events import Kind, NewEvent, Purpose
from content.rows import MemoryRow
from content.store import Record
from grading.schedule import Memory, Phase
with Record.open(Path(sys.argv[1])) as record:
    record.make_room()
    for number in range(1, 100_000):
        event = NewEvent(f"{number:032x}", Kind.ATTEMPT, number, 0, 1, 1, rating=3, purpose=Purpose.REVIEW)
        memory = Memory(Phase.REVIEW, due_day=number, attempts=number)
        record.write([event], [MemoryRow(1, memory=memory)])
        print(number, flush=True)
"""


def listed(record: Record, **wanted: Any) -> list[str]:
    return [state.card.card_id.removeprefix("p/") for state in record.cards(CardFilter(**wanted)).cards]


def test_what_is_read_back_is_what_was_written(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    key = desk.key("a")
    event = NewEvent(
        event_id="0" * 31 + "1",
        kind=Kind.ATTEMPT,
        at_ms=1,
        utc_offset_min=-480,
        day=2,
        card_key=key,
        card_rev="r",
        rating=3,
        proposed_rating=2,
        took_ms=4,
        purpose=Purpose.AHEAD,
        params_id="x",
        phase_before=1,
        phase_after=2,
        step_after=0,
        due_day=5,
        due_ms=6,
        response='{"typed":"键值 缓存"}',
    )
    memory = Memory(Phase.RELEARNING, 1, 1.5, 2.5, None, 7, 8, 9, 10, 11, 12, leech=True)
    row = MemoryRow(key, 13, memory, present=True, suspended=True, buried_day=14, flag=2, note="说明")
    desk.record.write([event], [row])
    assert desk.record.events_of(key) == [replace(event, learner="me", device="this")]
    assert desk.record.memory(key) == row
    state = desk.record.state(key)
    assert state.row == row
    assert state.card == desk.record.card("p/a")
    assert '"en":"a?"' in state.card.body


def test_an_answer_is_written_whole_or_not_at_all(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    before = desk.row("a")
    event = NewEvent("0" * 32, Kind.FLAG, 0, 0, 0, card_key=desk.key("a"))
    with pytest.raises(RecordError):
        desk.record.write([event, event], [replace(before, flag=1)])
    assert desk.row("a") == before
    assert desk.record.events_of(desk.key("a")) == []
    desk.record.write([event], [replace(before, flag=1)])
    assert desk.row("a").flag == 1


def test_an_event_of_a_card_that_does_not_exist_is_refused(desk: Any) -> None:
    with pytest.raises(RecordError):
        desk.record.append(NewEvent("0" * 32, Kind.FLAG, 0, 0, 0, card_key=12345))


def test_an_event_must_say_what_it_is_about() -> None:
    with pytest.raises(ValueError, match="must name"):
        NewEvent("0", Kind.RETRACT, 0, 0, 0)
    with pytest.raises(ValueError, match="needs a card"):
        NewEvent("0", Kind.ATTEMPT, 0, 0, 0, card_key=1, purpose=Purpose.REVIEW)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_every_acknowledged_answer_survives_a_kill(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    desk.record.close()
    chance = random.Random(5)
    acknowledged = 0
    command = [sys.executable, "-c", ANSWERING, str(desk.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(chance.randint(30, 80)):
            acknowledged = int(process.stdout.readline())
        time.sleep(chance.random() / 50)
        process.send_signal(signal.SIGKILL)
        for line in process.stdout:  # what it had said before it died
            acknowledged = int(line)
    with Record.open(desk.folder) as record:
        events = record.events_of(1)
        memory = record.memory(1)
    assert acknowledged <= len(events) <= acknowledged + 1
    assert memory is not None
    assert memory.memory.attempts == len(events), "answer and memory are one"


def test_a_record_is_opened_in_one_thread_and_used_from_another(tmp_path: Path) -> None:
    opened: list[Record] = []
    worker = threading.Thread(target=lambda: opened.append(Record.open(tmp_path)))
    worker.start()
    worker.join()
    with opened[0] as record:
        record.append(NewEvent("0" * 32, Kind.LESSON, 0, 0, 1, response='{"topic":"p/t"}'))
        assert record.lessons_read() == {"p/t"}


def test_ids_stay_in_order_when_the_clock_is_set_back(tmp_path: Path) -> None:
    with Record.open(tmp_path) as record:
        late = record.ordered_id(f"{10**12:012x}" + "0" * 20)
        record.append(NewEvent(late, Kind.LESSON, 0, 0, 1, response="{}"))
    with Record.open(tmp_path) as record:
        ids = [record.ordered_id(f"{number:012x}" + "0" * 20) for number in (5, 4, 10**12 + 1, 3)]
        assert late < ids[0]
        assert ids == sorted(set(ids))
        assert ids[2] == f"{10**12 + 1:012x}" + "0" * 20
        assert all(len(found) == 32 for found in ids)


def test_each_learner_has_memories_of_their_own(desk: Any) -> None:
    desk.add("a", "b")
    desk.sync()
    desk.answer(desk.sit(), Rating.GOOD)
    desk.record.close()
    with Record.open(desk.folder, learner="two") as record:
        assert sum(topic[Queue.NEW] for topic in record.topic_counts().values()) == 2
        assert record.events_of(1) == []
    with Record.open(desk.folder) as record:
        assert sum(topic[Queue.NEW] for topic in record.topic_counts().values()) == 1


def test_a_card_waits_by_presence_then_suspension_then_phase() -> None:
    assert queue_of(Phase.REVIEW, suspended=True, present=False) is Queue.ABSENT
    assert queue_of(Phase.REVIEW, suspended=True, present=True) is Queue.SUSPENDED
    assert queue_of(Phase.NEW, suspended=False, present=True) is Queue.NEW
    assert queue_of(Phase.LEARNING, suspended=False, present=True) is Queue.STEPS
    assert queue_of(Phase.RELEARNING, suspended=False, present=True) is Queue.STEPS
    assert queue_of(Phase.REVIEW, suspended=False, present=True) is Queue.REVIEW


def test_the_plan_of_an_answer_is_kept_once(desk: Any) -> None:
    first = desk.record.params_id(Plan())
    assert desk.record.params_id(Plan()) == first
    assert desk.record.params_id(Plan(desired_retention=0.8)) != first
    desk.record.close()
    with Record.open(desk.folder) as record:
        assert record.params_id(Plan()) == first


def test_an_edit_keeps_the_old_text(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    old = desk.record.card("p/a")
    edit = NewEvent("0" * 32, Kind.EDIT, 0, 0, 1, card_key=old.card_key, card_rev="new")
    desk.record.set_revision(old.card_key, "new", '{"front":{"en":"b","zh":"乙"}}', 5, [edit])
    assert desk.record.card("p/a").rev == "new"
    assert desk.record.revision(old.card_key, old.rev) == old.body
    assert [event.kind for event in desk.record.events_of(old.card_key)] == [Kind.EDIT]
    desk.record.set_revision(old.card_key, old.rev, old.body, 6)
    assert desk.record.card("p/a") == old


def test_cards_are_listed_by_topic_mark_and_queue(desk: Any) -> None:
    desk.add("a", "b", "c", topic="one")
    desk.add("d", "e", topic="two")
    desk.sync()
    desk.put("b", "d")
    desk.record.write((), [replace(desk.row("a"), flag=1), replace(desk.row("d"), suspended=True)])
    desk.record.write((), [replace(desk.row("c"), memory=Memory(leech=True))])
    assert listed(desk.record) == ["a", "b", "c", "d", "e"]
    assert listed(desk.record, topic_id="p/two") == ["d", "e"]
    assert listed(desk.record, flagged=True) == ["a"]
    assert listed(desk.record, leech=True) == ["c"]
    assert listed(desk.record, suspended=True) == ["d"]
    assert listed(desk.record, suspended=True, topic_id="p/one") == []
    assert listed(desk.record, queue=Queue.REVIEW) == ["b"]
    assert desk.record.topic_counts()["p/two"] == {**dict.fromkeys(Queue, 0), Queue.SUSPENDED: 1, Queue.NEW: 1}


@pytest.mark.parametrize(
    ("mark", "index"), [("flagged", "memory_flagged"), ("leech", "memory_leeches"), ("suspended", "memory_suspended")]
)
def test_marked_cards_are_found_by_an_index_and_not_by_reading_all(desk: Any, mark: str, index: str) -> None:
    query, values = listing("me", CardFilter(**{mark: True}), None, 10)
    assert index in str(desk.record.named_rows(f"EXPLAIN QUERY PLAN {query}", values))


def test_search_folds_width_and_case_over_both_languages_id_and_note(desk: Any) -> None:
    desk.add("kv", "plain")
    desk.sync()
    card = desk.record.card("p/kv")
    body = '{"front":{"en":"Why a \\"KV Cache\\"?","zh":"为何要键值缓存"},"kind":"concept"}'
    desk.record.set_revision(card.card_key, "new", body, 0)
    desk.record.write((), [replace(desk.row("plain"), note="ＺｅＲＯ stage")])
    for query in ("kv cache", "ＫＶ　ｃａｃｈｅ", "cache KV", "键值 CACHE", '"kv', "P/KV"):
        assert listed(desk.record, search=query) == ["kv"], query
    assert listed(desk.record, search="zero") == ["plain"]
    assert listed(desk.record, search="front") == [], "the names of fields are no text"
    assert listed(desk.record, search="显存") == []
    assert listed(desk.record, search="  ") == ["kv", "plain"]


def test_folding_knows_more_than_lower_case() -> None:
    assert fold("Straße ＦＰ８ ①") == fold("STRASSE fp8 1")


def test_pages_join_to_the_whole_list(desk: Any) -> None:
    desk.add(*(f"card{number}" for number in range(1100)))
    desk.sync()
    for search, limit in (("", 300), ("card", 300), ("card7", 20)):
        found: list[str] = []
        page = desk.record.cards(CardFilter(search=search), limit=limit)
        while True:
            found += [state.card.card_id for state in page.cards]
            assert len(page.cards) <= limit
            if page.next_after is None:
                break
            page = desk.record.cards(CardFilter(search=search), after=page.next_after, limit=limit)
        assert found == [f"p/card{number}" for number in range(1100) if search in f"card{number}"]


def test_a_day_counts_what_was_not_taken_back(desk: Any) -> None:
    desk.add("a", "b")
    desk.sync()
    desk.logged("a", Phase.NEW, took_s=3, rating=1)
    desk.logged("a", Phase.LEARNING, took_s=4)
    desk.logged("b", Phase.NEW, took_s=5)
    day = desk.clock.day
    totals = desk.record.day_totals(day)
    assert (totals.attempts, totals.took_ms, totals.new_cards, totals.again) == (3, 12_000, 2, 1)
    last = desk.record.attempts_on(day)[-1]
    for kind, attempts in ((Kind.RETRACT, 2), (Kind.RESTORE, 3)):
        event_id = desk.record.ordered_id("0" * 32)
        undo = NewEvent(event_id, kind, 0, 0, day, card_key=last.card_key, target_id=last.event_id)
        desk.record.append(undo)
        assert desk.record.day_totals(day).attempts == attempts
    assert desk.record.day_totals(day + 1).attempts == 0


def test_a_lesson_counts_as_read_until_that_is_undone(tmp_path: Path) -> None:
    with Record.open(tmp_path) as record:
        record.append(NewEvent("1" * 32, Kind.LESSON, 0, 0, 1, response='{"topic":"p/t","v":1}'))
        record.append(NewEvent("2" * 32, Kind.LESSON, 0, 0, 1, response="not JSON"))
        assert record.lessons_read() == {"p/t"}
        record.append(NewEvent("3" * 32, Kind.RETRACT, 0, 0, 1, target_id="1" * 32))
        assert record.lessons_read() == set()


def test_events_of_a_card_come_in_pages_newest_first(desk: Any) -> None:
    desk.add("a")
    desk.sync()
    for _ in range(5):
        desk.logged("a", Phase.REVIEW)
    key = desk.key("a")
    whole = desk.record.events_of(key)
    first = desk.record.events_of(key, limit=2)
    rest = desk.record.events_of(key, before=first[-1].event_id)
    assert first + rest == whole
    assert [event.event_id for event in whole] == sorted((event.event_id for event in whole), reverse=True)


def test_a_record_says_what_it_is(desk: Any) -> None:
    desk.add("a", "b")
    desk.sync()
    info = desk.record.info()
    assert (info.cards, info.events, info.learner, info.device, info.read_only) == (2, 0, "me", "this", False)
    assert info.path == desk.folder / "record.sqlite3"
    assert info.last_backup_day is None


def test_no_question_of_a_sitting_reads_the_whole_log(desk: Any) -> None:
    """The planner's choice is the same in a new record as in a large one: an index narrower than the learner."""
    asked: list[str] = []
    desk.add("a")
    desk.sync()
    desk.logged("a", Phase.NEW)
    driver = desk.driver
    driver.set_trace_callback(asked.append)
    desk.sit()
    desk.record.events_of(1, limit=10)
    desk.record.day_totals(desk.clock.day)
    desk.record.lessons_read()
    desk.record.retracted()
    driver.set_trace_callback(None)
    # A maximum, and the newest few without a condition, are one step in an index whatever its name.
    quick = ("max(", "event_id DESC LIMIT")
    plans = {
        sql: [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {sql}")]
        for sql in asked
        if sql.lstrip().upper().startswith(("SELECT", "WITH")) and not any(part in sql for part in quick)
    }
    assert any("event_day" in step for steps in plans.values() for step in steps)
    whole = ("PRIMARY KEY (learner=?)", "SCAN event", "SCAN memory")
    assert {sql: steps for sql, steps in plans.items() if any(step.endswith(whole) for step in steps)} == {}
