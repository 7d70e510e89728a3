"""The shape of a recall table in a pack's file, and what its cells must agree on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from content.drill_schema import Formula, Written
from content.pack_schema import CaveatModel, English, NamedEntry, PackId, StrictModel, TextModel
from content.safe_yaml import Key
from content.tables_recall import LABEL, cells_of
from grading.reading import Unreadable
from grading.table_cells import Cell, grade_cell

ColumnType = Literal["formula", "number", "choice", "terms"]
Answer = TextModel | Formula
"""Words in both languages, or a formula, number or word that is the same in both."""
CellId = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$", max_length=121)]


def _as_lists(value: object) -> object:
    """`accept: [a, b]` is one list of alternatives."""
    return [value] if isinstance(value, list) and value and all(isinstance(item, str) for item in value) else value


Accept = Annotated[
    list[Annotated[list[English], Field(min_length=1)]], Field(max_length=12), BeforeValidator(_as_lists)
]
Choices = Annotated[list[TextModel | Written], Field(min_length=2, max_length=12)]


class RowModel(StrictModel):
    """A row: what stands at its left. `accept` says what is enough where the label itself is recalled (order free)."""

    id: PackId
    label: TextModel
    accept: Accept = []


class ColumnModel(StrictModel):
    """A column: its head, and how its cells are read. `choices`, `unit` and `tolerance` hold where a cell has none of its own."""

    id: PackId
    label: TextModel
    type: ColumnType
    choices: Choices | None = None
    unit: str = ""
    tolerance: str = ""


class CellModel(StrictModel):
    """A cell: its answer; `accept` are lists of words of which each list must be met by one."""

    answer: Answer
    accept: Accept = []
    choices: Choices | None = None
    unit: str | None = None
    tolerance: str | None = None


class TableModel(NamedEntry):
    """A table whose cells are recalled. `absent` names the cells that are empty; every other one must be written."""

    kind: Literal["table"] = "table"
    title: TextModel
    rows: Annotated[list[RowModel], Field(min_length=1, max_length=12)]
    columns: Annotated[list[ColumnModel], Field(min_length=1, max_length=6)]
    cells: Annotated[dict[CellId, CellModel], Field(min_length=1)]
    absent: list[CellId] = []
    row_order: Literal["fixed", "free"] = "fixed"
    names: dict[English, English] = {}
    caveat: CaveatModel | None = None


Found = tuple[tuple[Key, ...], str, str]
"""Where, the rule, what to do."""


def check_table(model: TableModel) -> Iterator[Found]:
    """Every fault of a table whose shape was found right: cells missing or too many, answers that cannot be given."""
    yield from _twice(model)
    wanted = [f"{row.id}.{column.id}" for row in model.rows for column in model.columns]
    written = set(model.cells)
    for index, name in enumerate(model.absent):
        if name not in wanted or name in written:
            why = "it is written" if name in written else "there is no such row and column"
            yield ("absent", index), "table-cells", f"take `{name}` off absent: {why}"
    for name in model.cells:
        if name not in wanted:
            yield ("cells", name), "table-cells", f"correct `{name}`: there is no such row and column"
    for name in wanted:
        if name not in written and name not in model.absent:
            yield ("cells",), "table-cells", f"write the cell `{name}`, or name it under absent"
    cells = cells_of(model.model_dump(exclude_none=True))
    for name in wanted:
        if name in cells:
            yield from _cell_faults(model, cells[name])


def _twice(model: TableModel) -> Iterator[Found]:
    for index, column in enumerate(model.columns):
        if column.id == LABEL:
            yield (
                ("columns", index, "id"),
                "bad-id",
                f"give the column another id: `{LABEL}` stands for a row's own label",
            )
    for key, ids in (("rows", [row.id for row in model.rows]), ("columns", [column.id for column in model.columns])):
        for index, name in enumerate(ids):
            if name in ids[:index]:
                yield (key, index, "id"), "duplicate-id", f"give one of the two another id: `{name}`"


def _cell_faults(model: TableModel, cell: Cell) -> Iterator[Found]:
    """A cell whose own answer would not be graded right cannot be asked."""
    where = ("cells", cell.id)
    spec = model.cells[cell.id]
    if cell.type == "choice" and not cell.choices:
        yield (*where, "answer"), "table-choices", f"give `{cell.id}` choices, or its column"
        return
    if cell.type in ("formula", "number") and not isinstance(spec.answer, str):
        yield (
            (*where, "answer"),
            "table-answer",
            f"write the answer of `{cell.id}` once: it is the same in both languages",
        )
        return
    for lang in ("en", "zh"):
        answer = cell.answer if isinstance(cell.answer, str) else cell.answer[lang]
        verdict = _graded(cell, answer, lang)
        if verdict != "correct":
            yield (*where, "answer"), "table-answer", _advice(cell, answer, verdict)
            return


def _graded(cell: Cell, answer: str, lang: str) -> str:
    try:
        verdict = grade_cell(cell, f"{answer} {cell.unit}".strip() if cell.type == "number" else answer, lang)
    except (Unreadable, ValueError, ZeroDivisionError):
        return "unreadable"
    return "unreadable" if verdict.trouble is not None else str(verdict.reason)


def _advice(cell: Cell, answer: str, verdict: str) -> str:
    if cell.type == "choice":
        return f"put {answer!r} among the choices of `{cell.id}`, each of them once"
    if cell.type == "terms":
        return f"let the answer of `{cell.id}` say what `accept` asks for: {answer!r} does not"
    return f"correct the {cell.type} {answer!r} of `{cell.id}`: it is {verdict}"


def table_data(model: TableModel) -> dict[str, Any]:
    """What a card keeps of the table."""
    data = model.model_dump(exclude_none=True, exclude_defaults=True)
    kept = ("title", "rows", "columns", "cells", "absent", "names")
    return {key: data[key] for key in kept if key in data} | {"row_order": model.row_order}


__all__ = ["CellModel", "ColumnModel", "RowModel", "TableModel", "check_table", "table_data"]
