"""Only changed cells are written, and what stands on the terminal afterwards is what the whole update would have left."""

from __future__ import annotations

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from tui.painting import Painted, cells_of

WIDTH, HEIGHT = 20, 3
CONSOLE = Console(force_terminal=True, color_system="truecolor", width=WIDTH, legacy_windows=False)
TEXT = st.text(alphabet="ab 显存，─", max_size=WIDTH)
STYLE = st.sampled_from([Style(), Style(bold=True), Style(color="red")])


def strip_of(*parts: tuple[str, Style]) -> Strip:
    return Strip([Segment(text, style) for text, style in parts]).adjust_cell_length(WIDTH, Style())


def full(strips: list[Strip]) -> LayoutUpdate:
    return LayoutUpdate([[strip] for strip in strips], Region(0, 0, WIDTH, len(strips)))


class Terminal:
    def __init__(self) -> None:
        self.screen = pyte.Screen(WIDTH, HEIGHT)
        self._stream = pyte.Stream(self.screen)

    def write(self, text: str) -> None:
        self._stream.feed(text)

    @property
    def cells(self) -> list[list[pyte.screens.Char]]:
        return [[self.screen.buffer[y][x] for x in range(WIDTH)] for y in range(HEIGHT)]


frames = st.lists(st.lists(st.lists(st.tuples(TEXT, STYLE), max_size=3), min_size=HEIGHT, max_size=HEIGHT), max_size=6)


@given(frames)
@settings(max_examples=150, deadline=None)
def test_the_terminal_shows_the_same_as_after_whole_updates(frames: list[list[list[tuple[str, Style]]]]) -> None:
    ours, whole, painted = Terminal(), Terminal(), Painted()
    for frame in frames:
        strips = [strip_of(*parts) for parts in frame]
        ours.write(painted.paint(full(strips), CONSOLE))
        whole.write(full(strips).render_segments(CONSOLE))
        assert ours.cells == whole.cells


def test_nothing_is_written_for_what_stands_there_already() -> None:
    painted, strips = Painted(), [strip_of(("显存 memory", Style(bold=True)))]
    assert "显存" in painted.paint(full(strips), CONSOLE)
    assert painted.paint(full(strips), CONSOLE) == ""
    painted.forget()
    assert "显存" in painted.paint(full(strips), CONSOLE)


@pytest.mark.parametrize(
    ("before", "after", "written"),
    [
        ("memory of a card", "memory of a cord", "o"),
        ("显存是什么", "显卡是什么", "卡"),
        ("显存", "ab存", "ab"),
        ("a……b", "c……b", "c……b" + " " * 16),  # of doubtful width: the row again
    ],
)
def test_as_little_is_written_as_is_safe(before: str, after: str, written: str) -> None:
    painted = Painted()
    painted.paint(full([strip_of((before, Style()))]), CONSOLE)
    told = painted.paint(full([strip_of((after, Style()))]), CONSOLE)
    assert told.partition("H")[2] == written
    assert told.count("\x1b[") == 1


def test_a_part_of_a_row_is_compared_with_what_a_whole_screen_left_there() -> None:
    painted = Painted()
    painted.paint(full([strip_of(("0123456789abcdefghij", Style()))]), CONSOLE)
    chops = [{0: None, 5: Strip([Segment("56x89")], 5), 10: Strip([Segment("abcdefghij")], 10)}]
    part = ChopsUpdate(chops, [(0, 5, 20)], [[5, 10, 20]])
    assert painted.paint(part, CONSOLE) == "\x1b[1;8Hx"


def test_of_a_row_of_doubtful_width_what_is_left_of_the_change_stays() -> None:
    def of(*texts: str) -> LayoutUpdate:
        return LayoutUpdate([[Strip([Segment(text)], len(text)) for text in texts]], Region(0, 0, WIDTH, 1))

    painted = Painted()
    painted.paint(of("a…b", "cd", "ef"), CONSOLE)
    assert painted.paint(of("a…b", "cX", "ef"), CONSOLE) == "\x1b[1;4HcX\x1b[1;6Hef"


def test_a_wide_character_takes_two_cells_and_a_joined_one_stays_one() -> None:
    strip = Strip([Segment("显e\u0301a")])
    assert [character for character, _style in cells_of(strip)] == ["显", "", "e\u0301", "a"]
    assert len(cells_of(strip)) == strip.cell_length


def test_what_the_compositor_did_not_make_passes_and_all_is_forgotten() -> None:
    painted = Painted()
    painted.paint(full([strip_of(("a", Style()))]), CONSOLE)
    assert painted.only_changed("something else") == "something else"
    assert painted.paint(full([strip_of(("a", Style()))]), CONSOLE) != ""
    assert painted.only_changed(None) is None
