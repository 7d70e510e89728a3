"""The glance: today's counts without the weight of the app, equal to what a sitting holds."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from content.glance import GlanceError, glance
from content.queue import build_queue
from content.settings import Settings
from grading.memory import Phase, Rating


def look(desk):
    return glance(desk.folder, desk.settings, desk.clock.now)


def test_a_folder_without_a_record_is_a_first_run(tmp_path, clock):
    seen = glance(tmp_path, Settings(), clock.now)
    assert (seen.first_run, seen.left, seen.day) == (True, 0, clock.day)
    assert list(tmp_path.iterdir()) == []


def test_tells_counts_minutes_titles_and_days_studied(desk):
    desk.add("a", "b", "new", "s", "later")
    desk.sync()
    desk.put("a", "b")
    desk.put_in_steps("s", due_in_s=60)
    desk.put("later", due_in=2)
    desk.clock.pass_s(-2 * 86_400)
    desk.logged("later", Phase.REVIEW)
    desk.clock.pass_s(2 * 86_400)
    desk.logged("later", Phase.REVIEW, took_s=30)
    seen = look(desk)
    assert (seen.due, seen.new, seen.steps, seen.steps_now, seen.left) == (2, 1, 1, 0, 4)
    assert (seen.done_today, seen.spent_ms, seen.days_studied_of_7) == (1, 30_000, 2)
    assert seen.expected_minutes == pytest.approx((3 * 12 + 35) / 60)
    assert seen.titles == (("Pack", "包"),)
    assert not seen.first_run


def test_reads_while_another_connection_has_answers_in_the_write_ahead_log(desk):
    desk.add("a")
    desk.sync()
    session = desk.sit()
    desk.answer(session, Rating.EASY)
    assert (desk.folder / "record.sqlite3-wal").stat().st_size > 0
    seen = look(desk)
    assert (seen.new, seen.done_today) == (0, 1)
    desk.record.close()
    assert look(desk) == seen


def test_a_file_that_is_no_record_is_named(tmp_path, clock):
    (tmp_path / "record.sqlite3").write_bytes(b"not a database, but long enough to have a header" * 20)
    with pytest.raises(GlanceError, match=r"record\.sqlite3"):
        glance(tmp_path, Settings(), clock.now)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
def test_counts_what_the_queue_holds(new_desk, data):
    desk = new_desk(
        reviews_per_day=data.draw(st.integers(0, 12)),
        new_per_day=data.draw(st.integers(0, 8)),
        minutes_per_day=data.draw(st.integers(1, 8)),
        siblings_apart=data.draw(st.booleans()),
        review_order=data.draw(st.sampled_from(["due", "easiest"])),
    )
    states = data.draw(st.lists(st.sampled_from(["new", "due", "later", "steps", "done"]), max_size=25))
    groups = data.draw(st.lists(st.integers(0, 10), min_size=len(states), max_size=len(states)))
    given_away = data.draw(st.lists(st.integers(0, 30), min_size=len(states), max_size=len(states)))
    for index, (group, given_index) in enumerate(zip(groups, given_away, strict=True)):
        desk.add(f"c{index}", sibling=f"p/g{group}", gives_away=(f"p/c{given_index}",) if index % 3 == 0 else ())
    desk.sync()
    for index, state in enumerate(states):
        name = f"c{index}"
        if state in ("due", "later", "done"):
            desk.put(name, due_in=-index if state == "due" else 1 + index, stability=1.0 + index)
        elif state == "steps":
            desk.put_in_steps(name, due_in_s=index)
        if state == "done":
            desk.logged(name, Phase.NEW if index % 2 else Phase.REVIEW)
    seen, queue = look(desk), build_queue(desk.record, desk.settings, desk.clock.now)
    new = sum(waiting.is_new for waiting in queue.main)
    assert (seen.due, seen.new, seen.steps) == (len(queue.main) - new, new, len(queue.steps))
    assert (seen.hidden_siblings, seen.more_due) == (queue.hidden_siblings, queue.more_due)
    assert (seen.expected_minutes, seen.spent_ms) == (queue.expected_minutes, queue.spent_ms)
    progress = desk.sit().progress
    assert (seen.due, seen.new, seen.steps) == (progress.reviews_left, progress.new_left, progress.steps_left)
    desk.record.close()


def test_loads_nothing_heavy():
    """Today's first paint and the shell prompt wait for this module."""
    heavy = ("sqlalchemy", "numpy", "yaml", "pydantic", "textual", "tomlkit")
    code = f"import sys, content.glance, content.settings; print([n for n in {heavy!r} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("how", ["missing", "empty"])
def test_a_record_that_was_lost_is_no_first_run(tmp_path, clock, how):
    (tmp_path / "backups").mkdir()
    (tmp_path / "backups" / "record-2026-11-29.sqlite3").touch()
    if how == "empty":
        (tmp_path / "record.sqlite3").touch()
    with pytest.raises(GlanceError, match="backups"):
        glance(tmp_path, Settings(), clock.now)


def test_a_later_version_is_not_guessed_at(desk):
    desk.record.set_meta("schema_version", "999")
    with pytest.raises(GlanceError, match="999"):
        look(desk)
