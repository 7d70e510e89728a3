"""Typed rows of a table whose order does not matter: each is matched with the answer row that gives the most marks in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grading.table_cells import Cell, CellVerdict, grade_cell


def match_rows(marks: Sequence[Sequence[float]]) -> tuple[int | None, ...]:
    """For each typed row the answer row that it stands for, so that the sum of marks is greatest; None for a row too many.

    `marks[i][j]` is what typed row i is worth as answer row j. The Hungarian method (Kuhn, Munkres) with potentials, O(n^3).
    """
    typed, answers = len(marks), max((len(row) for row in marks), default=0)
    size = max(typed, answers)
    # a hair for the same place, so that rows worth nothing stay where they were typed
    cost = [
        [-(marks[i][j] if i < typed and j < len(marks[i]) else 0.0) - (1e-9 if i == j else 0.0) for j in range(size)]
        for i in range(size)
    ]
    row_of = _assigned(cost)
    column_of = {row: column for column, row in enumerate(row_of)}
    return tuple(column_of[i] if column_of[i] < answers else None for i in range(typed))


def _assigned(cost: Sequence[Sequence[float]]) -> list[int]:
    """For each column its row at the least total cost."""
    size = len(cost)
    u, v = [0.0] * (size + 1), [0.0] * (size + 1)
    row_of = [0] * (size + 1)  # rows and columns from 1; 0 is free
    for row in range(1, size + 1):
        row_of[0] = row
        way, column = _path(cost, u, v, row_of)
        while column:
            row_of[column] = row_of[way[column]]
            column = way[column]
    return [row - 1 for row in row_of[1:]]


def _path(
    cost: Sequence[Sequence[float]], u: list[float], v: list[float], row_of: Sequence[int]
) -> tuple[list[int], int]:
    """The cheapest way from the row in place 0 to a free column, as the column before each; the potentials are kept up."""
    size = len(cost)
    least, way = [float("inf")] * (size + 1), [0] * (size + 1)
    used, column = [0], 0
    while row_of[column]:
        row = row_of[column]
        free = [j for j in range(1, size + 1) if j not in used]
        for j in free:
            reduced = cost[row - 1][j - 1] - u[row] - v[j]
            if reduced < least[j]:
                least[j], way[j] = reduced, column
        nearest = min(free, key=lambda j: least[j])
        delta = least[nearest]
        for j in used:
            u[row_of[j]] += delta
            v[j] -= delta
        for j in free:
            least[j] -= delta
        column = nearest
        used.append(column)
    return way, column


@dataclass(frozen=True, slots=True)
class RowVerdict:
    """One typed row: the answer row it was matched with (None: one too many) and the verdict of each of its cells."""

    row: str | None
    cells: Mapping[str, CellVerdict]


def grade_rows(
    rows: Mapping[str, Mapping[str, Cell]], typed: Sequence[Mapping[str, str]], lang: str = "en", *, free: bool = False
) -> tuple[RowVerdict, ...]:
    """Grade whole rows: in order, or where the order is free so that the marks are greatest.

    Each row maps columns to cells or to texts.
    """
    names = list(rows)
    if not free:
        order: Sequence[int | None] = [i if i < len(names) else None for i in range(len(typed))]
    else:
        order = match_rows([[_row_mark(rows[name], row, lang) for name in names] for row in typed])
    return tuple(
        RowVerdict(None, {}) if j is None else RowVerdict(names[j], _row(rows, names[j], row, lang))
        for j, row in zip(order, typed, strict=True)
    )


def _row_mark(cells: Mapping[str, Cell], typed: Mapping[str, str], lang: str) -> float:
    return sum(grade_cell(cells[column], text, lang).mark for column, text in typed.items() if column in cells)


def _row(
    rows: Mapping[str, Mapping[str, Cell]], name: str, typed: Mapping[str, str], lang: str
) -> dict[str, CellVerdict]:
    return {
        column: grade_cell(
            rows[name][column],
            text,
            lang,
            [cells[column] for row, cells in rows.items() if row != name and column in cells],
        )
        for column, text in typed.items()
        if column in rows[name]
    }
