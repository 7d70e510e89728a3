"""Oral answers that were begun and not finished: kept while they are typed, so that a kill costs a second at most.

A draft is no answer and no part of the log; it goes when the answer is stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import and_, delete, insert, select, update

from content.tables import draft as table

if TYPE_CHECKING:
    from content.store import Record

Form = Literal["skeleton", "full"]
FORMS: tuple[Form, ...] = ("skeleton", "full")
LINE = "line"
"""The form under which the half line is kept that was typed before a card's answer was shown."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed to a question so far; with `submitted` also which points were marked. Times in ms."""

    card_key: int
    form: Form
    card_rev: str
    text: str = ""
    confidence: int | None = None
    submitted: bool = False
    points: Mapping[str, float] = field(default_factory=dict)
    spent_ms: int = 0
    started_ms: int = 0
    updated_ms: int = 0


def load_draft(record: Record, card_key: int, form: Form) -> Draft | None:
    """The draft of a question in this form; None when there is none."""
    found = record.rows(select(table).where(_here(record, card_key, form)))
    return _draft(found[0]) if found else None


def drafts(record: Record) -> list[Draft]:
    """All drafts of oral answers of this learner, the one touched last first."""
    own = and_(table.c.learner == record.learner, table.c.form != LINE)
    query = select(table).where(own).order_by(table.c.updated_ms.desc())
    return [_draft(row) for row in record.rows(query)]


def save_draft(record: Record, draft: Draft) -> None:
    """Put a draft in place, durably."""
    values = {
        "card_rev": draft.card_rev,
        "text": draft.text,
        "confidence": draft.confidence,
        "submitted": int(draft.submitted),
        "points": json.dumps(dict(draft.points), sort_keys=True),
        "spent_ms": draft.spent_ms,
        "started_ms": draft.started_ms,
        "updated_ms": draft.updated_ms,
    }
    with record.transaction() as connection:
        here = update(table).where(_here(record, draft.card_key, draft.form)).values(values)
        if connection.execute(here).rowcount == 0:
            key = {"learner": record.learner, "card_key": draft.card_key, "form": draft.form}
            connection.execute(insert(table), {**key, **values})


def drop_draft(record: Record, card_key: int, form: Form) -> None:
    """Take a draft away; there need be none."""
    with record.transaction() as connection:
        connection.execute(delete(table).where(_here(record, card_key, form)))


def line_of(record: Record, card_key: int) -> str:
    """The line that was begun on this card and never answered with; empty when there is none."""
    found = record.rows(select(table.c.text).where(_here(record, card_key, LINE)))
    return str(found[0][0]) if found else ""


def save_line(record: Record, card_key: int, rev: str, text: str, now_ms: int) -> None:
    """Keep a half line, durably; an empty one takes it away."""
    here = _here(record, card_key, LINE)
    with record.transaction() as connection:
        connection.execute(delete(table).where(here))
        if text:
            times = {"spent_ms": 0, "started_ms": now_ms, "updated_ms": now_ms}
            row = {"card_rev": rev, "text": text, "submitted": 0, "points": "{}", **times}
            connection.execute(insert(table), {"learner": record.learner, "card_key": card_key, "form": LINE, **row})


def _here(record: Record, card_key: int, form: str) -> Any:
    return and_(table.c.learner == record.learner, table.c.card_key == card_key, table.c.form == form)


def _draft(row: Any) -> Draft:
    return Draft(
        card_key=row.card_key,
        form=row.form,
        card_rev=row.card_rev,
        text=row.text,
        confidence=row.confidence,
        submitted=bool(row.submitted),
        points=json.loads(row.points),
        spent_ms=row.spent_ms,
        started_ms=row.started_ms,
        updated_ms=row.updated_ms,
    )


__all__ = ["FORMS", "Draft", "Form", "drafts", "drop_draft", "line_of", "load_draft", "save_draft", "save_line"]
