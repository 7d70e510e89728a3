"""A recall table on screen: which cells are blank, what was typed into them, and what the log keeps of it.

The blanks come from a seed and the learner's past misses, and are stored with the answer, cell by cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from content.cards import Card
from grading.answer import Reason
from grading.memory import Memory, Rating
from grading.recall import AGAIN_BELOW, HARD_BELOW
from grading.table_cells import Cell, CellVerdict, Share, draw_blanks, grade_cell
from grading.table_rows import grade_rows

if TYPE_CHECKING:
    from content.events import NewEvent

LABEL = "label"
"""The column name under which a row's own label is recalled, where rows may come in any order."""
SHARES: tuple[Share, ...] = ("some", "row", "column", "all")
WIDER_FROM_DAYS, ALL_FROM_DAYS = 7.0, 21.0
"""From these stabilities on a whole row or column, and the whole table, is blank."""
GIVEN_UP = "given_up"
"""The reason that the log holds for a cell left empty."""
SECOND_TRY = 0.5
"""What a cell is worth that was right at the second try."""
ASKED_AGAIN = frozenset({Reason.UNIT, Reason.IMPRECISE, Reason.CONVENTION, Reason.FORMULA})


class NoTable(Exception):
    """A card that is no table was asked for as one."""


@dataclass(frozen=True, slots=True)
class TableAsk:
    """A table on screen. `rows` are in the order shown; `blanks` in reading order, "row.column".

    With `labels_hidden` the rows may be typed in any order: their labels are blanks too ("row.label"), and a row is taken
    for the one it fits best.
    """

    card_id: str
    rev: str
    seed: int
    share: Share
    table: Mapping[str, Any]
    rows: tuple[str, ...]
    blanks: tuple[str, ...]
    labels_hidden: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The ids of the columns, in order."""
        return tuple(column["id"] for column in self.table["columns"])

    def head(self, column: str, lang: str) -> str:
        """The head of a column."""
        return _label(self.table["columns"], column, lang)

    def label(self, row: str, lang: str) -> str:
        """The label of a row."""
        return _label(self.table["rows"], row, lang)

    def cell(self, cell_id: str) -> Cell | None:
        """The cell with this id; None where the table is empty there."""
        return all_cells(self.table).get(cell_id)

    def shown(self, cell_id: str, lang: str) -> str:
        """A cell's answer as printed; empty where the table is."""
        cell = self.cell(cell_id)
        return "" if cell is None else answer_text(cell, lang)


@dataclass(frozen=True, slots=True)
class TableGraded:
    """What was typed into the blanks of a table. Keys are the cells as they stand on screen.

    `verdicts` lacks cells left empty. `again` are cells that may be typed once more at no cost; while there are any and the
    learner does not insist, `rating` is None. `results` tells each asked cell of the answer what it is worth (0, 1/2, 1),
    `stands_for` which row each typed row was taken for.
    """

    typed: Mapping[str, str]
    verdicts: Mapping[str, CellVerdict]
    results: Mapping[str, float]
    again: tuple[str, ...] = ()
    tried: Mapping[str, str] = field(default_factory=dict)
    stands_for: Mapping[str, str | None] = field(default_factory=dict)
    rating: Rating | None = None
    given_up: bool = False
    dispute: str = ""

    @property
    def share(self) -> float:
        """The share of the blanks that was right."""
        return sum(self.results.values()) / len(self.results) if self.results else 0.0

    @property
    def sure_miss(self) -> bool:
        return False

    @property
    def missed(self) -> tuple[str, ...]:
        """The cells of the answer that earned nothing."""
        return tuple(cell for cell, mark in self.results.items() if mark == 0)


# -- a table as a card keeps it


def cells_of(table: Mapping[str, Any]) -> dict[str, Cell]:
    """The cells of a table by id, in reading order; a column's choices, unit and tolerance hold where a cell has none."""
    found: dict[str, Cell] = {}
    for row in table["rows"]:
        for column in table["columns"]:
            name = f"{row['id']}.{column['id']}"
            spec = table["cells"].get(name)
            if spec is not None:
                found[name] = Cell(
                    id=name,
                    type=column["type"],
                    answer=spec["answer"],
                    accept=tuple(map(tuple, spec.get("accept", ()))),
                    choices=tuple(spec.get("choices") or column.get("choices") or ()),
                    unit=spec.get("unit", column.get("unit", "")),
                    tolerance=spec.get("tolerance", column.get("tolerance", "")),
                    names=table.get("names", {}),
                )
    return found


def all_cells(table: Mapping[str, Any]) -> dict[str, Cell]:
    """The cells and, as "row.label", the labels of the rows."""
    labels = {
        f"{row['id']}.{LABEL}": Cell(
            f"{row['id']}.{LABEL}", "terms", row["label"], tuple(map(tuple, row.get("accept", ())))
        )
        for row in table["rows"]
    }
    return labels | cells_of(table)


def answer_text(cell: Cell, lang: str) -> str:
    """A cell's answer as printed, with its unit."""
    text = cell.answer if isinstance(cell.answer, str) else cell.answer.get(lang) or cell.answers()[0]
    return f"{text} {cell.unit}" if cell.unit and cell.type == "number" else text


def table_lines(table: Mapping[str, Any], lang: str) -> str:
    """The whole table as lines of plain text: `row: head answer; head answer`."""
    cells = cells_of(table)
    lines = []
    for row in table["rows"]:
        parts = [
            f"{column['label'][lang]} {answer_text(cells[name], lang)}"
            for column in table["columns"]
            if (name := f"{row['id']}.{column['id']}") in cells
        ]
        lines.append(f"{row['label'][lang]}: {'; '.join(parts)}" if lang != "zh" else _zh_line(row, parts))
    return "\n".join(lines)


def _zh_line(row: Mapping[str, Any], parts: Sequence[str]) -> str:
    return f"{row['label']['zh']}：{'；'.join(parts)}"


def _label(entries: Iterable[Mapping[str, Any]], name: str, lang: str) -> str:
    return next((str(entry["label"][lang]) for entry in entries if entry["id"] == name), "")


# -- asking


def cell_history(events: Iterable[NewEvent]) -> dict[str, tuple[int, int]]:
    """How often each cell was asked and how often it earned nothing; `events` are those of the card that hold."""
    from content.drilling import stored

    counts: dict[str, tuple[int, int]] = {}
    for event in events:
        cells = stored(event).get("cells")
        for name, result in cells.items() if isinstance(cells, Mapping) else ():
            mark = result.get("mark") if isinstance(result, Mapping) else None
            if isinstance(name, str) and isinstance(mark, int | float):
                asked, missed = counts.get(name, (0, 0))
                counts[name] = (asked + 1, missed + (mark <= 0))
    return counts


def share_for(memory: Memory, seed: int) -> Share:
    """How much is blank at this state of the card: some cells at first, later a row or a column, at last everything."""
    stability = memory.stability or 0.0
    if stability < WIDER_FROM_DAYS:
        return "some"
    if stability < ALL_FROM_DAYS:
        return "row" if (seed >> 32) % 2 else "column"
    return "all"


def ask_table(
    card: Card,
    rev: str,
    seed: int,
    *,
    memory: Memory | None = None,
    misses: Mapping[str, tuple[int, int]] | None = None,
    share: Share | None = None,
) -> TableAsk:
    """The blanks of a seed: the same seed and history always give the same.

    Raises:
        NoTable: the card is none.
    """
    if card.table is None:
        raise NoTable(f"{card.id} is no table: name a card of kind table")
    table = card.table
    share = share or share_for(memory or Memory(), seed)
    is_free = table.get("row_order") == "free"
    hidden = is_free and share == "all"
    names = list(all_cells(table) if hidden else cells_of(table))
    order = {row["id"]: at for at, row in enumerate(table["rows"])}
    rows = _shuffled(list(order), seed) if is_free else list(order)
    blanks = draw_blanks(names, misses or {}, seed, share)
    columns = {LABEL: -1} | {column["id"]: at for at, column in enumerate(table["columns"])}
    reading = sorted(blanks, key=lambda name: (rows.index(row_of(name)), columns[column_of(name)]))
    return TableAsk(card.id, rev, seed, share, table, tuple(rows), tuple(reading), hidden)


def row_of(cell_id: str) -> str:
    """The row of "row.column"."""
    return cell_id.rpartition(".")[0]


def column_of(cell_id: str) -> str:
    """The column of "row.column"."""
    return cell_id.rpartition(".")[2]


def _shuffled(rows: list[str], seed: int) -> list[str]:
    from grading.drill import seeds_from

    return [row for _, row in sorted(zip(seeds_from(seed ^ 0x7AB1E, len(rows)), rows, strict=True))]


# -- grading


def grade_table(
    ask: TableAsk,
    typed: Mapping[str, str],
    lang: str = "en",
    before: TableGraded | None = None,
    *,
    insist: bool = False,
) -> TableGraded:
    """Grade what was typed into the blanks, as far as anything was.

    What cannot be read is asked again at no cost, and so, once, is an answer in another unit or the like; `insist` takes the
    answers as they are. `before` is what the try before was worth.
    """
    given = {cell: typed.get(cell, "") for cell in ask.blanks}
    verdicts, stands_for = _free_verdicts(ask, given, lang) if ask.labels_hidden else (_verdicts(ask, given, lang), {})
    tried = dict(before.tried) if before is not None else {}
    again = tuple(
        cell
        for cell, verdict in verdicts.items()
        if verdict.reason is Reason.UNREADABLE or (verdict.reason in ASKED_AGAIN and cell not in tried)
    )
    results = _results(ask, verdicts, stands_for, tried)
    tried |= {cell: str(verdicts[cell].reason) for cell in again if verdicts[cell].reason in ASKED_AGAIN}
    graded = TableGraded(given, verdicts, results, () if insist else again, tried, stands_for)
    return graded if graded.again else replace(graded, rating=rating_for(graded.share))


def give_up(ask: TableAsk, before: TableGraded | None = None) -> TableGraded:
    """The learner asks to see the answers: what was typed before is kept, every other blank is a miss."""
    graded = grade_table(ask, before.typed if before else {}, before=before, insist=True)
    return replace(graded, rating=Rating.AGAIN, given_up=True)


def rating_for(share: float) -> Rating:
    """The rating that a share of right cells proposes; the limits are those of an oral answer."""
    if share < AGAIN_BELOW - 1e-9:
        return Rating.AGAIN
    return Rating.HARD if share < HARD_BELOW - 1e-9 else Rating.GOOD


def _verdicts(ask: TableAsk, given: Mapping[str, str], lang: str) -> dict[str, CellVerdict]:
    cells = all_cells(ask.table)
    found = {}
    for name, text in given.items():
        if text.strip():
            others = [cells[key] for key in cells if column_of(key) == column_of(name) and key != name]
            found[name] = grade_cell(cells[name], text, lang, others)
    return found


def _free_verdicts(
    ask: TableAsk, given: Mapping[str, str], lang: str
) -> tuple[dict[str, CellVerdict], dict[str, str | None]]:
    """Each typed row against the row it fits best; a row in which nothing was typed stands for none."""
    by_row: dict[str, dict[str, Cell]] = {}
    for name, cell in all_cells(ask.table).items():
        by_row.setdefault(row_of(name), {})[column_of(name)] = cell
    typed: dict[str, dict[str, str]] = {}
    for name, text in given.items():
        if text.strip():
            typed.setdefault(row_of(name), {})[column_of(name)] = text
    shown = list(typed)
    verdicts: dict[str, CellVerdict] = {}
    stands_for: dict[str, str | None] = {}
    for row, verdict in zip(shown, grade_rows(by_row, [typed[row] for row in shown], lang, free=True), strict=True):
        stands_for[row] = verdict.row
        for column in typed[row]:
            verdicts[f"{row}.{column}"] = verdict.cells.get(column, CellVerdict(Reason.WRONG))
    return verdicts, stands_for


def _results(
    ask: TableAsk,
    verdicts: Mapping[str, CellVerdict],
    stands_for: Mapping[str, str | None],
    tried: Mapping[str, str],
) -> dict[str, float]:
    results = dict.fromkeys(ask.blanks, 0.0)
    for name, verdict in verdicts.items():
        row = stands_for.get(row_of(name), row_of(name)) if ask.labels_hidden else row_of(name)
        asked = f"{row}.{column_of(name)}"
        if row is not None and asked in results and verdict.reason is Reason.CORRECT:
            results[asked] = SECOND_TRY if name in tried else 1.0
    return results


def response_of(ask: TableAsk, graded: TableGraded) -> dict[str, Any]:
    """What the log keeps: the seed, how much was blank, and for each cell of the answer what was typed and what it earned."""
    reverse = {row: shown for shown, row in graded.stands_for.items() if row is not None}
    cells: dict[str, Any] = {}
    for name, mark in graded.results.items():
        shown = f"{reverse.get(row_of(name), '')}.{column_of(name)}" if ask.labels_hidden else name
        verdict = graded.verdicts.get(shown)
        kept: dict[str, Any] = {"mark": mark, "reason": GIVEN_UP if verdict is None else str(verdict.reason)}
        if graded.typed.get(shown, "").strip():
            kept["typed"] = graded.typed[shown]
        if verdict is not None and verdict.matched and verdict.reason is Reason.MISTAKE:
            kept["taken_for"] = verdict.matched
        cells[name] = kept
    response: dict[str, Any] = {"seed": ask.seed, "share": ask.share, "cells": cells, "score": round(graded.share, 4)}
    return response | ({"reason": GIVEN_UP} if graded.given_up else {})


__all__ = [
    "LABEL",
    "SHARES",
    "NoTable",
    "TableAsk",
    "TableGraded",
    "all_cells",
    "answer_text",
    "ask_table",
    "cell_history",
    "cells_of",
    "column_of",
    "give_up",
    "grade_table",
    "rating_for",
    "response_of",
    "row_of",
    "share_for",
    "table_lines",
]
