"""Tables line by line: the printed table with numbered blanks, then each blank in turn; `shardrill table --plain`."""

from __future__ import annotations

import io
import sys
import unicodedata
from typing import TYPE_CHECKING

import click

from content.tables_recall import LABEL, TableAsk, TableGraded, give_up, grade_table
from tui import table_words, words
from tui.clock import Clock
from tui.widgets.flow import visible
from tui.words import _, current

if TYPE_CHECKING:
    from content.settings import Settings
    from content.sitting import CardItem
    from tui.paths import Places
    from tui.plain import PlainSession
    from tui.table_index import NamedCard

GIVE_UP = "g"


def table_lines(ask: TableAsk) -> list[str]:
    """The table row by row, its blanks as numbers in brackets."""
    lines = []
    for row in ask.rows:
        name = f"{row}.{LABEL}"
        label = _number(ask, name) if name in ask.blanks else table_words.row_name(ask, row)
        parts = []
        for column in ask.columns:
            cell = f"{row}.{column}"
            text = _number(ask, cell) if cell in ask.blanks else visible(ask.shown(cell, current()))
            if text:
                parts.append(f"{table_words.column_name(ask, column)} = {text}")
        lines.append(_("{row}: {column}").format(row=label, column=_("; ").join(parts)))
    return lines


def _number(ask: TableAsk, cell_id: str) -> str:
    return f"[{ask.blanks.index(cell_id) + 1}]"


def ask_in_review(plain: PlainSession, item: CardItem) -> str:
    """The table of a plain sitting: "stay" once it is graded."""
    ask = item.table
    assert ask is not None
    plain.say(*table_lines(ask), _("g shows the answers; an empty line leaves a cell empty."))
    typed: dict[str, str] = {}
    before: TableGraded | None = None
    cells = ask.blanks
    while True:
        for cell_id in cells:
            done = _one(plain, ask, cell_id, typed)
            if done == GIVE_UP:
                graded = give_up(ask, grade_table(ask, typed, current(), before, insist=True))
                plain.session.reveal(plain.clock.now(), graded)
                return "stay"
            if done != "stay":
                return done
        graded = grade_table(ask, typed, current(), before, insist=_same(typed, before))
        if graded.rating is not None:
            plain.session.reveal(plain.clock.now(), graded)
            return "stay"
        plain.say(_("Some cells are asked again; the same answer once more is taken as it is."))
        before, cells = graded, graded.again
        for cell_id in cells:
            verdict = graded.verdicts[cell_id]
            told = table_words.why_unreadable(ask, cell_id, verdict)
            plain.say(_("{row}: {column}").format(row=table_words.cell_name(ask, cell_id), column=told))


def _same(typed: dict[str, str], before: TableGraded | None) -> bool:
    return before is not None and all(typed.get(c, "") == before.typed.get(c, "") for c in before.again)


def _one(plain: PlainSession, ask: TableAsk, cell_id: str, typed: dict[str, str]) -> str:
    cell = ask.cell(cell_id)
    assert cell is not None
    if cell.type == "choice":
        plain.say(*(f"    {n}  {visible(text)}" for n, text in enumerate(table_words.choice_texts(cell), start=1)))
    head = f"{_number(ask, cell_id)} {table_words.cell_name(ask, cell_id)} ({table_words.kind_text(cell)})"
    line = plain.ask(head)
    if line is None or unicodedata.normalize("NFKC", line).strip().casefold() == "q":
        return "quit"
    if unicodedata.normalize("NFKC", line).strip().casefold() == GIVE_UP:
        return GIVE_UP
    typed[cell_id] = line
    read = table_words.reading(ask, cell_id, line)
    if read:
        plain.say(f"    {visible(read)}")
    return "stay"


def say_in_review(plain: PlainSession, item: CardItem) -> None:
    """What each blank was worth, in words."""
    ask, graded = item.table, plain.session.table_graded
    if ask is None or graded is None:
        return
    plain.say(table_words.score_text(graded))
    for cell_id in ask.blanks:
        told = table_words.verdict_text(ask, graded, cell_id)
        line = _("{row}: {column}").format(row=table_words.cell_name(ask, cell_id), column=told)
        right = table_words.is_right(graded, cell_id)
        plain.say(line if right else f"{line} = {table_words.asked_text(ask, graded, cell_id)}")


def run(places: Places, settings: Settings, *, lang: str, table: str | None = None, clock: Clock | None = None) -> int:
    """Recall a table on standard input and output (the first one, or the one named); 2 where there is none of that name."""
    from content.events import Purpose
    from content.practice import Selection
    from content.session import Session
    from tui.opening import open_with_packs
    from tui.plain import PlainSession
    from tui.table_index import find_table, tables_of

    words.set_language(lang)
    clock = clock or Clock()
    record, _faults = open_with_packs(places, settings, clock)
    with record:
        tables = tables_of(record)
        found = find_table(tables, table) if table is not None else next(iter(tables), None)
        if found is None:
            names = _("; ").join(_id_and_name(one) for one in tables)
            told = _("There is no table {name}; there are: {names}").format(name=table or "", names=names)
            click.echo(told if tables else _("No pack has a table."), err=True)
            return 2
        session = Session(
            record,
            settings,
            clock.now(),
            new_id=clock.new_event_id,
            purpose=Purpose.PRACTICE,
            lang=lang,
            selection=Selection("cards", keys=(found.card_key,), repeats=False),
        )
        PlainSession(session, record, settings, clock, sys.stdin or io.StringIO(), sys.stdout or io.StringIO()).run()
    return 0


def _id_and_name(table: NamedCard) -> str:
    """The id, which is what has to be typed, and what the table is called."""
    short, name = table.card.id.partition("/")[2], table.card.called(current())
    return visible(f"{short} ({name})" if name else short)


__all__ = ["ask_in_review", "run", "say_in_review", "table_lines"]
