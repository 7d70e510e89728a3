"""Review: undo and redo, putting cards away, notes, the leech notice, the end of a sitting."""

from __future__ import annotations

from typing import Any

from content.events import Kind
from grading.schedule import Rating
from tui.screens.card_info import CardInfoScreen
from tui.screens.done import DoneScreen
from tui.screens.leech import LeechScreen
from tui.screens.note import NoteScreen, clean_note

Desk = Any  # the class of tests/tui/conftest.py


async def test_undo_brings_the_card_back_with_its_answer_shown(desk: Desk) -> None:
    async with desk.review() as sitting:
        before = sitting.review.session.progress
        await sitting.press("space", "1", "u")
        assert sitting.card == "ranks"
        assert sitting.review.revealed
        assert "Undone: Again on “What does N count?”." in sitting.text
        after = sitting.review.session.progress
        assert (after.done, after.total) == (before.done, before.total)


async def test_undo_goes_back_many_steps_and_redo_forward(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "3", "space", "4", "u", "u")
        assert sitting.card == "ranks"
        await sitting.press("u")
        assert "Nothing to undo" in sitting.text
        await sitting.press("r", "r")
        assert sitting.card == "in-flight#1"
    kinds = [event.kind for event in desk.events()]
    assert kinds == [Kind.ATTEMPT] * 2 + [Kind.RETRACT] * 2 + [Kind.RESTORE] * 2


async def test_undo_works_on_the_done_screen(desk: Desk) -> None:
    desk.cards = [desk.plain]
    async with desk.review() as sitting:
        await sitting.press("space", "4")
        assert isinstance(sitting.app.screen, DoneScreen)
        await sitting.press("u")
        assert sitting.card == "ranks"
        assert sitting.review.revealed
        await sitting.press("3")
    assert [event.rating for event in desk.attempts()] == [Rating.EASY, Rating.GOOD]


async def test_undo_right_after_a_slip_works_on_a_card_that_invites_a_line(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "1")
        assert sitting.card == "why-free"
        await sitting.press("u")
        assert sitting.card == "ranks"


async def test_a_skipped_card_comes_back_later_in_the_sitting(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("s")
        assert sitting.card != "ranks"
        await sitting.press("space", "4", "space", "4")
        assert sitting.card == "ranks"


async def test_suspending_and_burying_take_the_card_away_and_undo_returns_it(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("x")
        assert "Suspended" in sitting.text
        assert sitting.card == "why-free"
        await sitting.press("u")
        assert sitting.card == "ranks"
        await sitting.press("b")
        assert sitting.card == "why-free"
        await sitting.press("u")
        assert sitting.card == "ranks"
    assert desk.attempts() == []


async def test_a_flag_stays_on_the_card_and_shows(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("f")
        assert "[flag]" in sitting.rows[0]
        assert sitting.card == "ranks"
    async with desk.review() as sitting:
        assert "[flag]" in sitting.rows[0]


async def test_every_card_key_has_a_ctrl_key_for_when_an_input_method_holds_the_letters(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("ctrl+f")
        assert "[flag]" in sitting.rows[0]
        await sitting.press("ctrl+u")
        assert "[flag]" not in sitting.rows[0]
        await sitting.press("enter", "f6")
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD]


async def test_a_note_is_kept_by_leaving_and_survives_a_restart(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("n")
        assert isinstance(sitting.app.screen, NoteScreen)
        await sitting.type("记住：N 是数据并行度")
        await sitting.press("escape")
        assert sitting.card == "ranks"
    async with desk.review() as sitting:
        await sitting.press("n")
        assert "记住：N 是数据并行度" in sitting.text


def test_a_note_keeps_its_lines_and_no_control_characters() -> None:
    assert clean_note("a\tb \r\n\x1b[31m显存\u3000\n\n") == "a    b\n[31m显存"


async def test_card_info_opens_from_review_and_a_suspended_card_makes_room(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("c")
        assert isinstance(sitting.app.screen, CardInfoScreen)
        await sitting.press("x", "escape")
        assert sitting.card == "why-free"


async def test_a_leech_is_announced_with_what_can_be_done(desk: Desk) -> None:
    desk.set(leech_lapses=1)
    async with desk.review() as sitting:
        await sitting.press("space", "4", "s", "space", "4")
    sitting.clock.set("2027-06-30T10:00:00+08:00")
    async with desk.review() as sitting:
        while sitting.card != "ranks":
            await sitting.press("space", "4")
        await sitting.press("space", "1")
        assert isinstance(sitting.app.screen, LeechScreen)
        assert "What does N count?" in sitting.text
        await sitting.press("x")
        assert "Suspended" in sitting.text
    assert Kind.SUSPEND in {event.kind for event in desk.events()}


async def test_the_key_line_names_every_key_and_does_what_the_key_does(desk: Desk) -> None:
    from tui.widgets.key_line import KeyLine

    async with desk.review() as sitting:
        bottom = sitting.rows[-2] + sitting.rows[-1]
        for entry in ("u undo", "n note", "f flag", "s skip", "b bury", "x suspend", "c card"):
            assert entry in bottom
        row = next(number for number, text in enumerate(sitting.rows) if "f flag" in text)
        first = sitting.app.screen.query_one(KeyLine).region.y
        await sitting.pilot.click(KeyLine, offset=(sitting.rows[row].index("f flag"), row - first))
        await sitting.pilot.pause()
        assert "[flag]" in sitting.rows[0]


async def test_any_size_is_survived_and_the_typed_line_kept(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab")
        await sitting.type("kept")
        for width, height in ((1, 1), (10, 3), (20, 5), (40, 10), (200, 60), (40, 12)):
            await sitting.pilot.resize_terminal(width, height)
            await sitting.pilot.pause()
        assert "> kept" in sitting.text


async def test_nothing_is_redrawn_while_nobody_does_anything(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("w")
        drawn = []
        original = sitting.app._display
        sitting.app._display = lambda *args: (drawn.append(args), original(*args))  # type: ignore[method-assign]
        await sitting.pilot.pause(2.5)
        assert drawn == []


async def test_the_keys_wanted_most_stand_first_whatever_key_they_share(desk: Desk) -> None:
    from tui.widgets.key_line import KeyLine

    async with desk.review() as sitting:
        actions = [entry.action for entry in sitting.app.screen.query_one(KeyLine).entries()]
        assert actions[:3] == ["undo", "note", "source"]
        assert actions.index("flag") < actions.index("skip") < actions.index("suspend") < actions.index("redo")


async def test_a_note_too_long_is_shown_cut_before_it_is_kept(desk: Desk) -> None:
    from textual.widgets import TextArea

    from tui.screens.note import MAX_CHARACTERS

    async with desk.review() as sitting:
        await sitting.press("n")
        area = sitting.app.screen.query_one(TextArea)
        area.load_text("显存\n" * MAX_CHARACTERS)
        await sitting.press("escape")
        assert isinstance(sitting.app.screen, NoteScreen)
        assert "Too long: cut to 10000 characters" in sitting.text
        assert len(area.text) == MAX_CHARACTERS
        await sitting.press("escape")
        assert not isinstance(sitting.app.screen, NoteScreen)
