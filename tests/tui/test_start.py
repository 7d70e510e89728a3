"""What the start does in which order: the first card at once, everything that can wait later."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tui.record_keeper
import tui.screens.today
from content.backup import list_backups
from content.events import Kind, NewEvent, Purpose
from content.lock import WriterLock
from content.settings import Settings
from content.store import Record
from grading.days import study_day
from tui import opening
from tui.app import ShardrillApp
from tui.paths import find_places
from tui.screens.today import TodayScreen


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How often the counts of Today were read."""
    seen: list[int] = []
    real = tui.screens.today.glance

    def counted(*arguments: Any) -> Any:
        seen.append(1)
        return real(*arguments)

    monkeypatch.setattr(tui.screens.today, "glance", counted)
    return seen


async def test_a_sitting_asked_for_begins_without_todays_counts(desk: Any, looks: list[int]) -> None:
    async with desk.review() as sitting:
        assert sitting.card == "ranks"
        assert not looks
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, TodayScreen)
        assert looks
        assert "3 new" in sitting.text


async def test_a_first_start_asks_its_questions_whatever_was_asked_for(tmp_path: Path) -> None:
    app = ShardrillApp(find_places(tmp_path), Settings(), start="review")
    async with app.run_test() as pilot:
        for _ in range(100):
            await pilot.pause(0.01)
            if type(app.screen).__name__ == "WelcomeScreen":
                return
    raise AssertionError("no questions were asked")


@pytest.mark.parametrize("answered", [False, True])
async def test_only_a_start_without_settings_announces_questions(tmp_path: Path, *, answered: bool) -> None:
    places = find_places(tmp_path)
    if answered:
        places.settings.write_text("minutes_per_day = 20\n", encoding="utf-8")
    app = ShardrillApp(places, Settings())
    said = []

    def note_first_lines(*_arguments: object, **_named: object) -> None:
        said.append(str(app.screen_stack[0].lines(80)))  # type: ignore[attr-defined]

    app.open_record = note_first_lines  # type: ignore[method-assign]  # it stays at the moment before the record is open
    async with app.run_test() as pilot:
        await pilot.pause()
    assert ["three short questions" in text for text in said] == [not answered]


async def test_the_daily_copy_is_made_once_the_first_card_is_shown(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tui.record_keeper, "SETTLE_AFTER_S", 0.05)
    async with desk.review() as sitting:
        for _ in range(300):
            await sitting.pilot.pause(0.01)
            if list_backups(desk.places.data):
                break
        assert len(list_backups(desk.places.data)) == 1
        await sitting.press("space", "3")
    assert [event.rating for event in desk.attempts()] == [3]


async def test_a_study_day_that_begins_while_the_app_is_open_gets_its_copy_too(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui.record_keeper, "SETTLE_AFTER_S", 0.0)
    monkeypatch.setattr("content.store.Record.needs_room", False)
    monkeypatch.setattr(tui.record_keeper, "DAY_LOOK_S", 0.02)
    made = []
    monkeypatch.setattr(opening, "settle_in", lambda _record, _settings, clock: made.append(study_day(clock.now())))
    app = desk.app(start="today")
    async with app.run_test() as pilot:
        today = study_day(desk.clock.now())
        for text, days in (
            ("2026-12-01T03:59:00+08:00", [today]),
            ("2026-12-01T04:00:00+08:00", [today, today + 1]),
            ("2026-12-01T23:00:00+08:00", [today, today + 1]),
        ):
            desk.clock.set(text)
            await desk.sitting(app, pilot).until(lambda days=days: made == days)
            await pilot.pause(0.1)
            assert made == days, "once a day"


async def test_what_can_wait_is_left_alone_when_the_app_is_left_first(
    desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tui.record_keeper, "SETTLE_AFTER_S", 0.0)
    app = desk.app(start="review")
    async with app.run_test() as pilot:
        app.exit()
        await pilot.pause(0.05)


async def test_today_tells_what_the_weeks_wrong_answers_have_in_common(desk: Any) -> None:
    drill = replace(desk.plain, id="sample/memory", kind="drill", drill={"params": {}, "mistakes": []})
    desk.cards = [*desk.cards, drill]
    with Record.open(desk.places.data) as record:
        desk.sync(record)
        key, now = record.card("sample/memory").card_key, desk.clock.now()
        for number in range(3):
            said = json.dumps({"reason": "mistake", "mistakes": ["gib-for-gb"], "confidence": "sure"})
            event = NewEvent(f"{number + 1:032x}", Kind.ATTEMPT, now.at_ms, 0, study_day(now), key, rating=1,
                             purpose=Purpose.PRACTICE, response=said)  # fmt: skip
            record.append(event)
    app = desk.app(lang="zh", start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = desk.sitting(app, pilot)
        for _ in range(200):
            await pilot.pause(0.01)
            if "GiB" in sitting.text:
                break
        assert "有把握却答错   3  最近一次：今天" in sitting.text
        assert "GB 算成 GiB    本周 3 题中 3 次" in sitting.text


async def test_a_record_that_was_in_use_is_opened_once_it_is_free(tmp_path: Path) -> None:
    """The other window had made nothing yet that could be read: Enter tries again."""
    places = find_places(tmp_path)
    places.settings.write_text("", encoding="utf-8")
    lock = WriterLock(places.data)
    app = ShardrillApp(places, Settings(new_per_day=20))
    async with app.run_test() as pilot:
        for _ in range(200):
            await pilot.pause(0.01)
            if app.can_try_again:
                break
        await pilot.press("enter")
        for _ in range(100):
            await pilot.pause(0.01)
            if app.can_try_again:
                break
        assert app.record is None
        lock.release()
        await pilot.press("enter")
        for _ in range(600):
            await pilot.pause(0.01)
            if app.record is not None:
                break
        assert app.record is not None
        assert app.screen.state == "open"
