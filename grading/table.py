"""Tables of typed answers and the verdicts they must get, as `shardrill grade --table` and the tests read them.

Tab-separated: context, asked, tolerance, typed, reason, read_as, note. Lines that start with # are comments. The first
line of a table names its columns.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from grading import units
from grading.answer import EXACT, Asked, Reason, Tolerance, Verdict, grade
from grading.drill import Choice, Drill, Param, problem_of
from grading.evaluate import value_of
from grading.expr import Context, parse
from grading.reading import fold

COLUMNS = ("context", "asked", "tolerance", "typed", "reason", "read_as", "note")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
CLOSE_ENOUGH = 5e-5
"""How near the value read must be to the table's, which prints it rounded."""


class BadTable(ValueError):
    """A table that cannot be used; the message names the line and what to do."""


@dataclass(frozen=True, slots=True)
class Row:
    """One typed answer and what must be said to it. `read_as` is in the asked unit; None is not checked."""

    line: int
    context: str
    asked: str
    tolerance: str
    typed: str
    reason: Reason
    read_as: float | None
    note: str


def rows_of(text: str) -> list[Row]:
    """The rows of a table.

    Raises:
        BadTable: a line without a typed answer or with an unknown reason.
    """
    found: list[Row] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#") or line.split("\t")[0] == "context":
            continue
        cells = [*line.split("\t"), "", "", ""][: len(COLUMNS)]
        if len(cells) < len(COLUMNS) or cells[4] not in set(Reason):
            raise BadTable(f"line {number}: needs {', '.join(COLUMNS)}, separated by tabs, with a reason code")
        typed = _ESCAPE.sub(lambda escape: chr(int(escape.group(1), 16)), cells[3])
        read_as = float(cells[5]) if cells[5].strip() else None
        found.append(Row(number, cells[0], cells[1], cells[2], typed, Reason(cells[4]), read_as, cells[6]))
    return found


def expected(asked: str, tolerance: str = "") -> Asked:
    """What is asked where there is no drill: `48.75 GB` within 1 %, `exact`, or `abs 1e-6` in the asked unit.

    Raises:
        Unreadable: the value or its unit has no reading.
    """
    number, _, unit_text = asked.strip().partition(" ")
    unit = units.parse(unit_text)
    value = value_of(parse(fold(number).text, Context()), {}) * unit.factor
    return Asked(value, unit, tolerance_of(tolerance, unit))


def tolerance_of(text: str, unit: units.Unit) -> Tolerance:
    """`exact`, `abs X` in the asked unit, `X %`, or nothing for the default of 1 %."""
    text = text.strip()
    if text == "exact":
        return EXACT
    if text.startswith("abs "):
        return Tolerance("absolute", Fraction(text.removeprefix("abs ").strip()) * unit.factor)
    return Tolerance("relative", Fraction(text.rstrip(" %")) / 100) if text else Tolerance()


def choice_of(param: Param, text: str) -> Choice:
    """A parameter's value from its text, as a learner would type it: `13B`, `8`, `50 GB/s`.

    Raises:
        Unreadable: it has no reading.
    """
    node = parse(fold(text).text, Context({}, param.unit))
    value = value_of(node, {})
    has_unit = type(node).__name__ == "Scaled"
    return Choice(text, value if has_unit else value * param.unit.factor)


def asked_by(row: Row, drills: Mapping[str, Drill]) -> Asked:
    """What a row asks: a drill at its values, or a bare value.

    Raises:
        BadTable: the drill or one of its parameters is not known.
    """
    if not row.context.strip():
        return expected(row.asked, row.tolerance)
    name, *settings = row.context.split()
    drill = drills.get(name)
    if drill is None:
        raise BadTable(f"line {row.line}: there is no drill {name}")
    given = dict(setting.split("=", 1) for setting in settings if "=" in setting)
    missing = [param.key for param in drill.params if param.key not in given]
    if missing:
        raise BadTable(f"line {row.line}: {name} needs {', '.join(f'{key}=...' for key in missing)}")
    return problem_of(drill, {param.key: choice_of(param, given[param.key]) for param in drill.params}).asked


def difference(row: Row, drills: Mapping[str, Drill]) -> str | None:
    """What is said otherwise than the row wants, or None."""
    asked = asked_by(row, drills)
    verdict = grade(row.typed, asked)
    if verdict.reason is not row.reason:
        return f"line {row.line}: {row.typed!r} is {said(verdict)}, not {row.reason}"
    if row.read_as is None or verdict.reading is None:
        return None
    read_as = verdict.reading.in_unit(asked.unit)
    if abs(read_as - row.read_as) > CLOSE_ENOUGH * max(abs(row.read_as), 1e-9):
        return f"line {row.line}: {row.typed!r} is read as {read_as:g}, not {row.read_as:g}"
    return None


def said(verdict: Verdict) -> str:
    """A verdict in one line: the reason, and which rivals or which trouble."""
    if verdict.trouble is not None:
        return f"{verdict.reason} ({verdict.trouble})"
    names = ", ".join(rival.id for rival in verdict.found)
    return f"{verdict.reason} ({names})" if names else str(verdict.reason)
