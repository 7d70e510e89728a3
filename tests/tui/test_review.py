"""Review: the question, the answer, the ratings, and what each key does when."""

from __future__ import annotations

import json
from typing import Any

from content.events import Kind, Purpose
from grading.schedule import Rating
from tui.widgets.answer_field import AnswerField
from tui.widgets.rating_bar import RatingBar

Desk = Any  # the class of tests/tui/conftest.py


async def test_the_question_keeps_its_place_when_the_answer_appears(desk: Desk) -> None:
    async with desk.review() as sitting:
        before = sitting.rows
        row = next(number for number, text in enumerate(before) if "What does N count?" in text)
        assert "The data-parallel ranks." not in sitting.text
        await sitting.press("space")
        assert "What does N count?" in sitting.rows[row]
        assert any("The data-parallel ranks." in text for text in sitting.rows[row + 1 :])


async def test_an_answer_is_on_disk_before_the_next_card_is_shown(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "3")
        assert sitting.card == "why-free"
        stored = desk.attempts()
        assert [event.rating for event in stored] == [Rating.GOOD]
        assert stored[0].purpose is Purpose.REVIEW


async def test_the_interval_on_the_button_is_the_one_that_is_stored(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space")
        outcomes = sitting.review.session.outcomes
        shown = {button.action: button.detail for button in sitting.app.screen.query_one(RatingBar).buttons}
        assert shown["rate(4)"] == f"{outcomes.easy.interval_days}d"
        assert shown["rate(1)"] == "1m"
        await sitting.press("4")
    assert desk.attempts()[0].due_day == outcomes.day + outcomes.easy.interval_days


async def test_rating_keys_do_nothing_before_the_answer_is_shown(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("1", "2", "3", "4", "f4", "f6")
        assert sitting.card == "ranks"
        assert not sitting.review.revealed
    assert desk.attempts() == []


async def test_a_held_space_is_one_step(desk: Desk) -> None:
    desk.set(space_rates_good=True)
    async with desk.review() as sitting:
        await sitting.press("space")
        await sitting.press(*["space"] * 40, apart_ms=33)
        assert sitting.card == "ranks"
        assert desk.attempts() == []
        await sitting.press("space", apart_ms=700)
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD]


async def test_a_rating_key_pressed_twice_rates_one_card(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "3")
        await sitting.press("3", apart_ms=100)
        await sitting.press("space", apart_ms=100)
        await sitting.press("space", apart_ms=100)
        assert sitting.card == "why-free"
        assert sitting.review.revealed
        assert len(desk.attempts()) == 1


async def test_three_space_three_passes_at_any_speed(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "3", "space", "3", apart_ms=60)
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD, Rating.GOOD]


async def test_full_width_keys_act_as_their_plain_keys(desk: Desk) -> None:
    async with desk.review("zh") as sitting:
        await sitting.send("\u3000")
        assert sitting.review.revealed
        await sitting.send("１")
        assert [event.rating for event in desk.attempts()] == [Rating.AGAIN]
        await sitting.send("ｕ")
        assert sitting.card == "ranks"
        assert sitting.review.revealed


async def test_a_typed_line_is_kept_and_shown_beside_the_answer(desk: Desk) -> None:
    desk.cards = [desk.free, desk.plain]
    line = "all-reduce\u3000已经是\u00a0RS\u200b + AG"
    async with desk.review() as sitting:
        await sitting.press("tab")
        await sitting.type(line)
        await sitting.press("enter")
        assert sitting.review.revealed
        assert "> all-reduce" in sitting.text
        await sitting.press("3")
        assert json.loads(desk.attempts()[0].response)["typed"] == line
        await sitting.press("u")
        assert "> all-reduce" in sitting.text


async def test_cards_that_invite_no_line_have_no_field(desk: Desk) -> None:
    async with desk.review() as sitting:
        assert not sitting.app.screen.query_one(AnswerField).display
        await sitting.press("tab")
        assert sitting.app.focused is None


async def test_the_language_is_switched_in_the_middle_of_a_card_and_the_line_is_kept(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("tab")
        await sitting.type("half an an")
        await sitting.press("f3")
        assert "为什么 ZeRO-1/2 省下的显存不用多付通信？" in sitting.text
        assert "看答案" in sitting.text
        await sitting.type("swer")
        await sitting.press("enter")
        assert "> half an answer" in sitting.text
        await sitting.press("v", "f3")
        assert "[x] reduce-scatter leaves each card its slice" in sitting.text
        assert "[ ] 2Φ" in sitting.text


async def test_ticked_idea_units_are_kept_with_the_answer(desk: Desk) -> None:
    desk.cards = [desk.free, desk.plain]
    async with desk.review() as sitting:
        await sitting.press("space", "v", "2")
        assert json.loads(desk.attempts()[0].response)["points"] == {"1": 1, "2": 0}


async def test_source_is_shown_on_a_key(desk: Desk) -> None:
    desk.cards = [desk.free]
    async with desk.review() as sitting:
        await sitting.press("space")
        assert "Once per optimizer step." in sitting.text
        assert "course §3" not in sitting.text
        await sitting.press("i")
        assert "course §3" in sitting.text
        assert "fairscale issue 1041" in sitting.text


async def test_a_cloze_hides_its_mark_and_shows_it_in_place(desk: Desk) -> None:
    desk.cards = [desk.flight]
    async with desk.review() as sitting:
        assert "at most [...] micro-batches" in sitting.text
        await sitting.press("space")
        assert "at most [p] micro-batches" in sitting.text


async def test_formulas_are_readable_and_raw_on_a_key(desk: Desk) -> None:
    desk.cards = [desk.math]
    async with desk.review() as sitting:
        assert "What is 12Φ/N?" in sitting.text
        await sitting.press("t")
        assert r"$\frac{12\Phi}{N}$" in sitting.text


async def test_a_card_cannot_command_the_terminal_or_the_app(desk: Desk) -> None:
    desk.cards = [desk.concept("evil", "[@click=app.quit]press[/] \x1b[2J\x07 [bold]b[/bold]", "done")]
    async with desk.review() as sitting:
        assert "[@click=app.quit]press[/] ␛[2J␇ [bold]b[/bold]" in sitting.text


async def test_two_buttons_and_hidden_intervals_are_settings(desk: Desk) -> None:
    desk.set(two_buttons=True, show_intervals=False)
    async with desk.review() as sitting:
        await sitting.press("space")
        buttons = sitting.app.screen.query_one(RatingBar).buttons
        assert [(button.name, button.detail) for button in buttons] == [("Again", ""), ("Good", "")]
        await sitting.press("2", "4")
        assert desk.attempts() == []


async def test_ones_own_keys_replace_the_built_in_ones(desk: Desk) -> None:
    desk.set(keys={"again": "j", "hard": "k", "good": "l", "easy": "semicolon"})
    async with desk.review() as sitting:
        await sitting.press("space")
        assert [b.key for b in sitting.app.screen.query_one(RatingBar).buttons] == ["j", "k", "l", ";"]
        await sitting.press("l")
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD]


async def test_ratings_work_by_mouse_and_a_double_click_is_one(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.pilot.click(RatingBar, offset=(5, 0))
        await sitting.pilot.pause()
        assert sitting.review.revealed
        sitting.clock.pass_ms(1000)
        column = next(row for row in sitting.rows if "3 Good" in row).index("3 Good")
        await sitting.pilot.click(RatingBar, offset=(column, 0))
        await sitting.pilot.click(RatingBar, offset=(column, 0))
        await sitting.pilot.pause()
        assert [event.rating for event in desk.attempts()] == [Rating.GOOD]
        assert not sitting.review.revealed


async def test_a_lesson_comes_before_its_topics_first_new_card_and_on_a_key_later(desk: Desk) -> None:
    desk.lesson = desk.a_lesson
    async with desk.review() as sitting:
        assert "Stage 1 shards the optimizer states." in sitting.text
        await sitting.press("enter")
        assert "What does N count?" in sitting.text
        await sitting.press("l")
        assert "Stage 1 shards the optimizer states." in sitting.text
        await sitting.press("space")
        assert "What does N count?" in sitting.text
        assert not sitting.review.revealed
    assert Kind.LESSON in {event.kind for event in desk.events()}


async def test_a_new_study_day_keeps_the_card_and_drops_the_key_that_rated_it(desk: Desk) -> None:
    desk.clock.set("2026-11-30T03:58:00+08:00")
    async with desk.review() as sitting:
        await sitting.press("space")
        sitting.clock.pass_ms(5 * 60_000)
        await sitting.press("3")
        assert sitting.card == "ranks"
        assert sitting.review.revealed
        assert desk.attempts() == []
        assert "new study day" in sitting.text
        await sitting.press("3")
    day = sitting.clock.now().at_ms // 86_400_000  # 04:03 in Shanghai is still the day before in UTC
    assert [event.day for event in desk.attempts()] == [day + 1]


async def test_a_miss_at_first_sight_is_called_a_first_try(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space", "1")
        assert "First try" in sitting.text


async def test_time_away_from_the_keys_is_not_time_at_the_card(desk: Desk) -> None:
    async with desk.review() as sitting:
        await sitting.press("space")
        await sitting.press("3", apart_ms=3 * 3600 * 1000)
    assert desk.attempts()[0].took_ms == 61_000


async def test_the_elapsed_time_can_be_hidden(desk: Desk) -> None:
    async with desk.review() as sitting:
        assert "0:00" in sitting.rows[0]
        await sitting.press("w")
        assert "0:0" not in sitting.rows[0]


async def test_a_long_card_scrolls_and_says_so(desk: Desk) -> None:
    desk.lesson = desk.a_lesson
    async with desk.review("zh", (40, 12)) as sitting:
        assert "PgDn" in sitting.text
        for _ in range(20):
            await sitting.press("pagedown")
        assert "PgDn" not in sitting.text
        await sitting.press("home")
        assert "ZeRO：切开冗余" in sitting.text


async def test_no_row_is_wider_than_the_window_and_no_text_than_72_columns(desk: Desk) -> None:
    from rich.cells import cell_len

    desk.lesson = desk.a_lesson
    for size in ((40, 12), (80, 24), (200, 50), (53, 17)):
        async with desk.review("zh", size) as sitting:
            assert {cell_len(row) for row in sitting.rows} == {size[0]}
            body = sitting.rows[2:-5]
            assert max(cell_len(row.strip()) for row in body) <= 72


async def test_the_time_can_be_hidden_for_good_and_shown_for_the_moment(desk: Desk) -> None:
    desk.set(show_time=False)
    async with desk.review() as sitting:
        assert "0:0" not in sitting.rows[0]
        await sitting.press("w")
        assert "0:0" in sitting.rows[0]
