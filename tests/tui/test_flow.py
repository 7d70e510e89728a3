"""Laying out text: widths in columns, Chinese and English breaks, nothing from outside obeyed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tui.tex import has_tex, readable
from tui.widgets.flow import Para, cut_lines, ellipsis, visible
from tui.wrap import line_spans, wrap

TEXTS = st.text(st.sampled_from("ab- \n概念，。（）「」·×Φ😀é-"), max_size=80)


@given(TEXTS, st.integers(4, 30))
def test_no_line_is_too_wide_and_only_spaces_are_left_out(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "").replace("\n", "")


@given(TEXTS, st.integers(4, 30), st.integers(1, 3))
def test_cut_lines_fit_and_say_where_something_is_missing(text: str, width: int, most: int) -> None:
    whole, lines = wrap(text, width), cut_lines(text, width, most)
    assert len(lines) <= most
    assert all(cell_len(line) <= width for line in lines)
    assert lines == whole if len(whole) <= most else lines[: most - 1] == whole[: most - 1]


@given(TEXTS, st.integers(4, 30))
def test_spans_are_in_order(text: str, width: int) -> None:
    end = 0
    for start, stop in line_spans(text, width):
        assert end <= start <= stop
        end = stop


def test_no_line_starts_with_a_closing_mark_or_ends_with_an_opening_one() -> None:
    for width in range(8, 40):
        for line in wrap("每个参数 16 字节，重复 N 遍（冗余）。切成「三步」，逐步去掉。", width):
            assert line[0] not in "，。）」"
            assert line[-1] not in "（「"


def test_an_emoji_of_several_code_points_is_never_cut() -> None:
    for line in wrap("👩\u200d💻" * 10, 7):
        assert line == "👩\u200d💻" * 3 or line == "👩\u200d💻"


@given(st.text(max_size=40), st.integers(1, 20))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert cell_len(ellipsis(visible(text).replace("\n", " "), width)) <= max(width, 0)


def test_controls_become_visible() -> None:
    assert visible("a\x1b[31mb\x07\r\nc\x9b\u202e") == "a␛[31mb␇\nc<U+009B><U+202E>"


def test_a_paragraph_hangs_under_its_mark() -> None:
    lines = [line.plain for line in Para("one two three", first="- ", rest="  ").lines(7)]
    assert lines == ["- one", "  two", "  three"]


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        (r"$\frac{a+b}{2} \le \alpha^{2}$", "(a+b)/2 ≤ α²"),
        (r"$2\Phi + \frac{14\Phi}{N}$ bytes", "2Φ + 14Φ/N bytes"),
        (r"\(W_{ij} \times x^{T}\)", "Wᵢⱼ × xᵀ"),
        (r"$$\sum_{i=1}^{n} \frac{n_i}{S} g_i$$", "∑ᵢ₌₁ⁿ (nᵢ/S) gᵢ"),
        (r"$\sqrt{d_k}$", "√d_k"),
        (r"${a+b}^2$", "(a+b)²"),
        (r"$\frac12x$", "(1/2)x"),
        (r"$x_{\max}$", "x_(max)"),
        (r"$\unknown{3}$", r"\unknown{3}"),
        ("it costs $5 and $6", "it costs $5 and $6"),
        (r"$\begin{pmatrix}1 & 2 \\ 3 & 4\end{pmatrix}$", "[1 2 ; 3 4]"),
    ],
)
def test_tex_becomes_readable_and_keeps_its_brackets(tex: str, plain: str) -> None:
    assert readable(tex) == plain
    assert has_tex(tex) == (tex != plain or "$\\" in tex)


@given(st.text(st.sampled_from("${}\\^_ab frac123"), max_size=60))
def test_no_formula_breaks_the_reader(text: str) -> None:
    readable(text)


def test_a_deeply_nested_formula_is_shown_as_typed() -> None:
    deep = "$" + "{" * 500 + "x" + "}" * 500 + "$"
    assert readable(deep) == deep


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("每卡放得下 48.75 GB 显存", 16, ["每卡放得下", "48.75 GB 显存"]),
        ("梯度再加上 2 字节", 13, ["梯度再加上", "2 字节"]),
        ("吞吐放大到4倍左右", 11, ["吞吐放大到", "4倍左右"]),
        ("Each card then holds 16 bytes of it", 24, ["Each card then holds", "16 bytes of it"]),
        ("about 1 % of it", 8, ["about", "1 % of", "it"]),
        ("123456 abcdefgh", 10, ["123456", "abcdefgh"]),  # there is no better place
        ("see 2019, 2020 and 2021", 14, ["see 2019,", "2020 and 2021"]),
    ],
)
def test_a_number_and_its_unit_stay_on_one_line(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines
