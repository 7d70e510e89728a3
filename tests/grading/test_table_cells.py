"""Cells of a recalled table: graded by type, blanked by past misses, rows matched in any order."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.answer import Reason
from grading.table_cells import FLOOR, Cell, blank_chance, draw_blanks, grade_cell
from grading.table_rows import grade_rows, match_rows

BYTES = [
    Cell("ddp.bytes", "formula", "16*phi"),
    Cell("zero-1.bytes", "formula", "4*phi + 12*phi/n"),
    Cell("zero-2.bytes", "formula", "2*phi + 14*phi/n"),
]
VOLUME = Cell(
    "zero-3.volume",
    "choice",
    "+50 %",
    choices=({"en": "less", "zh": "更少"}, {"en": "same", "zh": "相同"}, "+50 %", "3x"),
)
SHARDED = [
    Cell("ddp.sharded", "terms", {"en": "nothing", "zh": "不切"}),
    Cell("zero-1.sharded", "terms", {"en": "optimizer states", "zh": "优化器状态"}, (("optimizer",), ("优化器",))),
    Cell("zero-2.sharded", "terms", {"en": "optimizer states and gradients", "zh": "优化器和梯度"},
         (("optimizer", "优化器"), ("gradient", "梯度"))),
]  # fmt: skip


@pytest.mark.parametrize(
    "typed", ["4Φ+12Φ/N", "(4+12/N)Φ", "４φ＋１２φ／ｎ", "M = 4Φ + 12Φ/N bytes", "4 phi + 12 phi / N", "4Ψ+12Ψ/N 字节"]
)
def test_a_formula_cell_takes_every_form(typed: str) -> None:
    assert grade_cell(BYTES[1], typed).reason is Reason.CORRECT


def test_another_rows_formula_is_a_mistake_that_says_whose_it_is() -> None:
    verdict = grade_cell(BYTES[1], "2Φ+14Φ/N", others=[BYTES[0], BYTES[2]])
    assert (verdict.reason, verdict.matched) == (Reason.MISTAKE, "zero-2.bytes")
    assert grade_cell(BYTES[1], "3Φ").reason is Reason.WRONG


@pytest.mark.parametrize("typed", ["", "  ", "4Φ +", "about four", "4Φ+12Φ/Q", "(" * 300, "x" * 5000])
def test_what_cannot_be_read_asks_again(typed: str) -> None:
    verdict = grade_cell(BYTES[1], typed)
    assert verdict.reason is Reason.UNREADABLE
    assert verdict.trouble is not None


def test_a_number_cell_is_graded_like_a_drill() -> None:
    cell = Cell("h800.nvlink", "number", "400", unit="GB/s", tolerance="exact")
    assert [str(grade_cell(cell, typed).reason) for typed in ("400", "400 GB/s", "0.4 TB/s", "160", "many", "400 GB")] == [
        "correct", "correct", "correct", "wrong", "unreadable", "unit",
    ]  # fmt: skip


@pytest.mark.parametrize("typed", ["+50 %", "50%", "＋５０％", "3", "c", "C)", "+50"])
def test_a_choice_by_text_number_or_letter(typed: str) -> None:
    assert grade_cell(VOLUME, typed).reason is Reason.CORRECT


@pytest.mark.parametrize(
    ("typed", "matched"), [("same", "same"), ("相同", "same"), ("b", "same"), ("3x", "3x"), ("3×", "3x"), ("d", "3x")]
)
def test_a_wrong_choice_says_which_it_was(typed: str, matched: str) -> None:
    verdict = grade_cell(VOLUME, typed)
    assert (verdict.reason, verdict.matched) == (Reason.WRONG, matched)


@pytest.mark.parametrize("typed", ["e", "9", "0", "perhaps", "?"])
def test_no_choice_asks_again(typed: str) -> None:
    assert grade_cell(VOLUME, typed).reason is Reason.UNREADABLE


@pytest.mark.parametrize("typed", ["optimizer states", "the Optimizer", "优化器", "切优化器状态"])
def test_terms_in_either_language(typed: str) -> None:
    assert grade_cell(SHARDED[1], typed).reason is Reason.CORRECT


def test_every_list_must_be_met_and_the_missing_ones_are_named() -> None:
    assert grade_cell(SHARDED[2], "gradients and 优化器").reason is Reason.CORRECT
    verdict = grade_cell(SHARDED[2], "gradients")
    assert (verdict.reason, verdict.missing) == (Reason.WRONG, (("optimizer", "优化器"),))
    assert grade_cell(SHARDED[2], "gradients, not the optimizer").reason is Reason.WRONG


def test_saying_more_than_is_right_is_another_rows_answer() -> None:
    verdict = grade_cell(SHARDED[1], "optimizer and gradients", others=[SHARDED[0], SHARDED[2]])
    assert (verdict.reason, verdict.matched) == (Reason.MISTAKE, "zero-2.sharded")
    assert grade_cell(SHARDED[2], "optimizer and gradients", others=[SHARDED[1]]).reason is Reason.CORRECT


@given(st.sampled_from([*BYTES, VOLUME, *SHARDED, Cell("a.b", "number", "7.5", unit="GB")]), st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_raises(cell: Cell, typed: str) -> None:
    assert grade_cell(cell, typed, "zh", SHARDED).mark in (0.0, 1.0)


# --- blanks -----------------------------------------------------------------------------------------------------------

CELLS = [f"{row}.{column}" for row in ("dp", "tp", "pp", "ep") for column in ("what", "volume", "where")]


@pytest.mark.parametrize("share", ["some", "row", "column"])
def test_every_cell_is_blanked_in_a_fifth_of_all_draws_however_well_it_is_known(share) -> None:
    known = dict.fromkeys(CELLS, (100, 0))
    draws = [set(draw_blanks(CELLS, known, seed, share)) for seed in range(2000)]
    assert all(draws)
    for cell in CELLS:
        assert sum(cell in drawn for drawn in draws) / len(draws) >= FLOOR - 0.03


def test_missed_cells_come_more_often() -> None:
    misses = {**dict.fromkeys(CELLS, (20, 1)), "tp.volume": (20, 18)}
    draws = [draw_blanks(CELLS, misses, seed) for seed in range(1000)]
    counts = {cell: sum(cell in drawn for drawn in draws) for cell in CELLS}
    assert max(counts, key=counts.__getitem__) == "tp.volume"
    assert counts["tp.volume"] > 3 * counts["dp.what"]


def test_shares_are_whole_rows_whole_columns_or_all() -> None:
    assert draw_blanks(CELLS, {}, 3, "all") == tuple(CELLS)
    for seed in range(50):
        drawn = draw_blanks(CELLS, {}, seed, "row")
        rows = {cell.split(".")[0] for cell in drawn}
        assert drawn == tuple(cell for cell in CELLS if cell.split(".")[0] in rows)
        drawn = draw_blanks(CELLS, {}, seed, "column")
        columns = {cell.split(".")[1] for cell in drawn}
        assert drawn == tuple(cell for cell in CELLS if cell.split(".")[1] in columns)
    assert draw_blanks([], {}, 1) == ()


def test_a_seed_draws_the_same_everywhere() -> None:
    assert draw_blanks(CELLS, {}, 42) == draw_blanks(CELLS, {}, 42) == draw_blanks(CELLS, {}, 42 + 2**64)
    assert draw_blanks(CELLS, {}, 1) == ("dp.where", "tp.volume", "tp.where", "pp.volume", "ep.what")


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_chance_is_between_the_floor_and_one(asked: int, missed: int) -> None:
    assert FLOOR <= blank_chance(asked, missed) <= 1
    assert blank_chance(asked, missed) <= blank_chance(asked, missed + 1) + 1e-12


# --- rows in any order ------------------------------------------------------------------------------------------------


@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(st.sampled_from([0, 0.5, 1, 2, 3]), min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
@settings(deadline=None)
def test_the_match_is_the_best_of_all_orders(marks: list[list[float]]) -> None:
    size = len(marks)
    order = match_rows(marks)
    best = max(sum(marks[i][j] for i, j in enumerate(way)) for way in permutations(range(size)))
    assert sorted(j for j in order if j is not None) == list(range(size))
    assert sum(marks[i][j] for i, j in enumerate(order) if j is not None) == pytest.approx(best)


def test_rows_too_many_or_too_few() -> None:
    assert match_rows([[0, 1], [1, 0], [0, 0]]) == (1, 0, None)
    assert match_rows([[0, 0, 1]]) == (2,)
    assert match_rows([]) == ()


def test_free_rows_are_graded_where_they_fit_best() -> None:
    rows = {cell.id.split(".")[0]: {"bytes": cell} for cell in BYTES}
    typed = [{"bytes": "2Φ+14Φ/N"}, {"bytes": "16Φ"}, {"bytes": "7Φ"}]
    free = grade_rows(rows, typed, free=True)
    assert [verdict.row for verdict in free] == ["zero-2", "ddp", "zero-1"]
    assert [verdict.cells["bytes"].mark for verdict in free] == [1, 1, 0]
    fixed = grade_rows(rows, typed)
    assert [verdict.cells["bytes"].reason for verdict in fixed] == [Reason.MISTAKE, Reason.MISTAKE, Reason.WRONG]
