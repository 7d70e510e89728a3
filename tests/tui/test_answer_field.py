"""The one-line field: everything typed or pasted is kept, one grapheme at a time."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Offset

from tui.widgets.answer_field import MAX_CHARACTERS, AnswerField, clean


class FieldApp(App[None]):
    def compose(self) -> ComposeResult:
        yield AnswerField(id="line")

    @property
    def field(self) -> AnswerField:
        return self.query_one(AnswerField)

    def on_mount(self) -> None:
        self.field.focus()


def test_pasted_lines_are_joined_and_control_characters_left_out() -> None:
    assert clean("第一行\r\n第二行\n第三行") == "第一行 第二行 第三行"
    assert clean("a\x1b[2Jb\x00\x9bc\ud800") == "a[2Jbc"
    assert clean("\u3000\u00a0\u2009\u200b") == "\u3000\u00a0\u2009\u200b"


async def test_three_pasted_lines_arrive_whole() -> None:
    app = FieldApp()
    async with app.run_test() as pilot:
        app.field.post_message(events.Paste("梯度\n参数\n优化器状态"))
        await pilot.pause()
        assert app.field.value == "梯度 参数 优化器状态"


async def test_a_huge_paste_is_cut_and_the_screen_stays_alive() -> None:
    app = FieldApp()
    async with app.run_test() as pilot:
        app.field.post_message(events.Paste("显" * 1_000_000))
        await pilot.pause()
        assert len(app.field.value) == MAX_CHARACTERS


@pytest.mark.parametrize(
    ("text", "left"),
    [("概念", "概"), ("a😀", "a"), ("e\u0301", ""), ("x👩\u200d💻", "x"), ("⚠\ufe0f", "")],
)
async def test_backspace_takes_one_grapheme(text: str, left: str) -> None:
    app = FieldApp()
    async with app.run_test() as pilot:
        app.field.set_text(text)
        await pilot.press("backspace")
        assert app.field.value == left


async def test_arrows_home_and_end_move_by_grapheme_and_the_cursor_of_the_terminal_follows() -> None:
    app = FieldApp()
    async with app.run_test() as pilot:
        app.field.set_text("概念a念😀é")
        await pilot.press("home")
        await pilot.pause()
        left = app.cursor_position.x
        columns = []
        for _ in range(6):
            await pilot.press("right")
            await pilot.pause()
            columns.append(app.cursor_position.x - left)
        assert columns == [2, 4, 5, 7, 9, 10]
        await pilot.press("left", "left", "x")
        assert app.field.value == "概念a念x😀é"


async def test_a_click_puts_the_caret_between_wide_characters() -> None:
    app = FieldApp()
    async with app.run_test() as pilot:
        app.field.set_text("概念a")
        await pilot.pause()
        await pilot.click(AnswerField, offset=(2 + 2, 0))
        assert app.field.caret == 1


async def test_a_long_line_wraps_and_nothing_is_hidden() -> None:
    app = FieldApp()
    async with app.run_test(size=(20, 10)) as pilot:
        app.field.set_text("概" * 20)
        await pilot.pause()
        assert app.field.size.height == 3


async def test_a_long_text_takes_a_third_of_the_window_and_the_caret_stays_in_view() -> None:
    app = FieldApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.field.post_message(events.Paste("显存" * 500))
        await pilot.pause()
        assert app.field.size.height == 4
        assert app.cursor_position.y == app.field.content_region.y + 3
        await pilot.press("home")
        await pilot.pause()
        assert app.cursor_position == app.field.content_region.offset + Offset(2, 0)
        await pilot.resize_terminal(40, 24)
        await pilot.pause()
        assert app.field.size.height == 8


async def test_a_click_puts_the_caret_into_the_row_that_is_shown() -> None:
    app = FieldApp()
    async with app.run_test(size=(40, 12)) as pilot:
        app.field.set_text("".join(f"{number:04}" for number in range(1000)))
        await pilot.pause()
        await pilot.mouse_down(AnswerField, offset=(2, 0))
        # 4000 digits in rows of 38: the last row holds 10 of them; three more stand above it
        assert app.field.caret == 4000 - 10 - 3 * 38


async def test_text_that_has_no_room_is_told_of() -> None:
    told: list[AnswerField.Full] = []

    class Listening(FieldApp):
        def on_answer_field_full(self, message: AnswerField.Full) -> None:
            told.append(message)

    app = Listening()
    async with app.run_test() as pilot:
        app.field.post_message(events.Paste("x" * MAX_CHARACTERS))
        await pilot.pause()
        assert not told
        await pilot.press("y")
        assert len(told) == 1
        assert app.field.value == "x" * MAX_CHARACTERS
