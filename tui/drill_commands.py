"""`shardrill drills`, `solve` and `grade`: the map as a pocket calculator, and the answer engine without a screen."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from content.cards import Card
from content.cluster import Cluster, defaults
from content.drill_index import DrillIndex, UnknownDrill, drill_index
from content.drills import DrillFault, drill_of, solve, tolerance_of
from content.faults import PackRefused
from content.library import SHIPPED_PACKS, find_packs, load_pack
from content.settings import load
from grading import units
from grading.answer import Asked, Reason, Tolerance, Verdict, grade
from grading.drill import Problem, question_text, render
from grading.evaluate import Scalar, value_of
from grading.expr import Context, parse
from grading.reading import Unreadable, fold_characters
from grading.shown import quantity_text
from tui.fault_words import printable
from tui.verdict_words import verdict_lines
from tui.words import _, current

if TYPE_CHECKING:
    from tui.paths import Places

NO, USAGE = 1, 2


class BadUse(click.UsageError):
    """What was asked has no meaning; the message says what to write instead."""


def index_of(places: Places) -> DrillIndex:
    """The drills of the shipped and the learner's own packs; one with faults is named and left out."""
    folders = (SHIPPED_PACKS, places.packs)
    try:
        return drill_index(folders, places.record)
    except PackRefused:
        return _sound_drills(folders)


def _sound_drills(folders: tuple[Path, ...]) -> DrillIndex:
    cards: dict[str, Card] = {}
    for pack in find_packs(folders):
        try:
            loaded = load_pack(pack.folder)
        except PackRefused as refused:
            click.echo(printable(str(refused)), err=True)
            continue
        for card in loaded.cards:
            if card.kind == "drill":
                cards.setdefault(card.id, card)  # of two packs with one id the first is taken
    return DrillIndex(cards)


def list_drills(places: Places, topic: str | None, *, as_json: bool) -> int:
    """Print every drill: its name, parameters, unit and title."""
    cards = index_of(places).of_topic(topic)
    if as_json:
        click.echo(_json("drills", {"drills": [_drill_json(card) for card in cards]}))
        return 0
    for card in cards:
        drill = drill_of(card)
        params = " ".join(f"{param.key}={param.choices[0].text.replace(' ', '')}" for param in drill.params)
        click.echo(
            f"{card.id.partition('/')[2]:<32} {card.front.of(current())}\n    {params}  ->  {drill.unit.symbol or '1'}"
        )
    return 0


def _drill_json(card: Card) -> dict[str, Any]:
    drill = drill_of(card)
    return {
        "id": card.id.partition("/")[2],
        "pack": card.pack_id,
        "topic": card.topic.partition("/")[2],
        "title": {"en": card.front.en, "zh": card.front.zh},
        "question": dict(drill.question),
        "convention": dict(drill.convention),
        "params": {
            param.key: {
                "symbol": param.symbol,
                "aliases": list(param.aliases),
                "unit": param.unit.symbol,
                "choices": [choice.text for choice in param.choices],
            }
            for param in drill.params
        },
        "formula": drill.formula_text,
        "unit": drill.unit.symbol,
        "unknowns": list(drill.unknowns),
        "mistakes": [mistake.id for mistake in drill.mistakes],
        "conventions": [convention.id for convention in drill.conventions],
    }


def _json(command: str, body: dict[str, Any]) -> str:
    return json.dumps({"schema": f"shardrill.{command}.v1", **body}, ensure_ascii=False)


def _card(index: DrillIndex, name: str) -> Card:
    try:
        return index.find(name)
    except UnknownDrill as fault:
        raise BadUse(str(fault)) from None


def _problem(
    places: Places, name: str, settings: Sequence[str], unknown: str | None, cluster: Cluster | None = None
) -> Problem:
    drill = drill_of(_card(index_of(places), name))
    values = {}
    for setting in settings:
        key, mark, value = setting.partition("=")
        if not mark:
            raise BadUse(_("write parameters as name=value, not {text}").format(text=setting))
        values[key] = value
    try:
        values = defaults(drill, cluster, values)
        return solve(drill, values, unknown)
    except DrillFault as fault:
        raise BadUse(fault.what_to_do) from None


def solve_drill(places: Places, name: str, settings: Sequence[str], *, unknown: str | None, as_json: bool) -> int:
    """Print the answer and the worked steps of a drill for given values."""
    problem = _problem(places, name, settings, unknown, load(places.settings).cluster)
    drill, lang = problem.drill, current()
    if as_json:
        steps = {lang: [render(step[lang], problem) for step in drill.steps] for lang in ("en", "zh")}
        drawn = {key: {"value": _number(choice.value), "text": choice.text} for key, choice in problem.drawn.items()}
        body = {
            "drill": drill.id,
            "set": drawn,
            "answer": _quantity(problem.asked.value, problem.asked),
            "steps": steps,
        }
        click.echo(_json("solve", body))
        return 0
    click.echo(question_text(problem, lang))
    click.echo(drill.convention[lang])
    for step in drill.steps:
        click.echo(f"  {render(step[lang], problem)}")
    figures = 12 if problem.asked.tolerance.kind == "exact" else 6
    click.echo(quantity_text(problem.asked.value, problem.asked.unit, figures))
    return 0


def _number(value: Scalar) -> int | float:
    return int(value) if Fraction(value).denominator == 1 else float(value)


def _quantity(value: Scalar, asked: Asked) -> dict[str, Any]:
    base = {(1, 0, 0, 0): "B", (0, 1, 0, 0): "FLOP", (0, 0, 1, 0): "s", (0, 0, 0, 1): "USD", (1, 0, -1, 0): "B/s"}
    unit = base.get(asked.unit.dimension, "FLOP/s" if asked.unit.dimension == (0, 1, -1, 0) else "1")
    shown = float(Fraction(value) / asked.unit.factor)
    return {"value": _number(value), "unit": unit, "shown": shown, "shown_unit": asked.unit.symbol}


def grade_drill(
    places: Places, name: str, settings: Sequence[str], answer: str, *, unknown: str | None, as_json: bool
) -> int:
    """Grade one typed answer to a drill with given values; 1 when it is not right."""
    problem = _problem(places, name, settings, unknown)
    return _say(grade(answer, problem.asked), problem, as_json)


def grade_value(expect: str, answer: str, tolerance: str | None, *, as_json: bool) -> int:
    """Grade one typed answer against a value, without a drill."""
    return _say(grade(answer, asked_of(expect, tolerance)), None, as_json)


def asked_of(expect: str, tolerance: str | None) -> Asked:
    """What `--expect` asks: `48.75 GB`, `42.5 %`, `1024`."""
    found = _split_expected(fold_characters(expect).strip())
    if found is None:
        raise BadUse(_("--expect takes a number and a unit, such as 48.75 GB, not {text}").format(text=expect))
    value, unit = found
    truth = value * unit.factor if isinstance(value, Fraction) else value * float(unit.factor)
    try:
        return Asked(truth, unit, tolerance_of(tolerance, unit) if tolerance else Tolerance())
    except DrillFault as fault:
        raise BadUse(fault.what_to_do) from None


_UNIT_MAY_START = re.compile(r"(?<![A-Za-z])[A-Za-z%$/]|$")
_BILLIONS = re.compile(r"\$?[\d.]+B")


def _split_expected(text: str) -> tuple[Scalar, units.Unit] | None:
    """Number and unit of an expected value: the longest unit whose front is a number. `13B` is a count, `13 B` bytes."""
    money = text.startswith("$")
    text = text.removeprefix("$").strip()
    places = [found.start() for found in _UNIT_MAY_START.finditer(text)]
    places = sorted({*places, *(place + 1 for place in places if place < len(text))})
    if _BILLIONS.fullmatch(text):
        places = [len(text)]
    for place in places:
        symbol = ("USD" if money and text[place : place + 1] in ("", "/") else "") + text[place:].strip()
        try:
            return value_of(parse(text[:place], Context()), {}), units.parse(symbol)
        except Unreadable:
            continue
    return None


def _say(verdict: Verdict, problem: Problem | None, as_json: bool) -> int:
    code = 0 if verdict.reason == Reason.CORRECT else NO
    if as_json:
        click.echo(_json("grade", verdict_json(verdict)))
        return code
    for line in verdict_lines(verdict, problem):
        click.echo(line)
    return code


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the command line and the record write it."""
    reading = verdict.reading
    return {
        "reason": verdict.reason.value,
        "right": verdict.reason == Reason.CORRECT,
        "read": None if reading is None else {
            **_quantity(reading.value, verdict.asked),
            "typed_unit": reading.unit.symbol if reading.has_unit else None,
        },
        "expected": _quantity(verdict.asked.value, verdict.asked),
        "mistake": next((rival.id for rival in verdict.found), None),
        "mistakes": [rival.id for rival in verdict.found],
        "notes": list(verdict.notes),
        "why": verdict.trouble.code if verdict.trouble is not None else None,
    }  # fmt: skip


def grade_table(places: Places, path: Path) -> int:
    """Grade every row of a table in the form of the guide's `answers.tsv`; prints the rows that differ."""
    index = index_of(places)
    rows = differing = 0
    for line, row in _rows(path):
        rows += 1
        try:
            asked = _row_asked(index, row)
        except (click.UsageError, DrillFault) as fault:
            raise BadUse(f"{path}:{line}: {fault}") from None
        verdict = grade(row["typed"], asked)
        read = None if verdict.reading is None else verdict.reading.in_unit(asked.unit)
        if verdict.reason.value != row["reason"] or not _same_reading(row["read_as"], read):
            differing += 1
            told = f"{verdict.reason.value} {read if read is not None else ''}".strip()
            click.echo(
                f"{path}:{line}: {row['typed']!r}: {row['reason']} {row['read_as']}".rstrip() + f", graded {told}"
            )
    click.echo(_("{rows} rows, {differing} differ").format(rows=rows, differing=differing), err=True)
    return NO if differing else 0


_COLUMNS = ("context", "asked", "tolerance", "typed", "reason", "read_as", "note")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        for number, cells in enumerate(csv.reader(stream, delimiter="\t", quoting=csv.QUOTE_NONE), start=1):
            if not cells or cells[0].startswith("#") or tuple(cells[:2]) == _COLUMNS[:2]:
                continue
            row = dict(zip(_COLUMNS, [*cells, *[""] * len(_COLUMNS)], strict=False))
            row["typed"] = _ESCAPE.sub(lambda code: chr(int(code.group(1), 16)), row["typed"])
            yield number, row


def _row_asked(index: DrillIndex, row: dict[str, str]) -> Asked:
    name, *settings = row["context"].split() or [""]
    if not name:
        return asked_of(row["asked"], row["tolerance"] or None)
    values = dict(setting.partition("=")[::2] for setting in settings)
    return solve(drill_of(_card(index, name)), values).asked


def _same_reading(expected: str, read: float | None) -> bool:
    if not expected:
        return True
    if read is None:
        return False
    wanted = float(expected)
    return abs(read - wanted) <= 1e-4 * abs(wanted) if wanted else read == 0
