"""Oral answers that were begun and not finished: kept while they are typed, so that a kill costs a second at most.

A draft is no answer and no part of the log; it goes when the answer is stored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from content import record_sql as sql

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
    found = record.named_rows(sql.DRAFT, _key(record, card_key, form))
    return _draft(found[0]) if found else None


def drafts(record: Record) -> list[Draft]:
    """All drafts of oral answers of this learner that can be taken up, the one touched last first."""
    found = record.named_rows(sql.DRAFTS, {"learner": record.learner, "but": LINE})
    return [draft for draft in map(_draft, found) if draft.form in FORMS]


def save_draft(record: Record, draft: Draft) -> None:
    """Put a draft in place, durably."""
    values = {name: getattr(draft, name) for name in sql.DRAFT_NAMES}
    values["submitted"] = int(draft.submitted)
    values["points"] = json.dumps(dict(draft.points), sort_keys=True)
    with record.writing() as driver:
        driver.execute(sql.DROP_DRAFT, _key(record, draft.card_key, draft.form))
        driver.execute(sql.ADD_DRAFT, {"learner": record.learner, **values})


def drop_draft(record: Record, card_key: int, form: Form) -> None:
    """Take a draft away; there need be none."""
    with record.writing() as driver:
        driver.execute(sql.DROP_DRAFT, _key(record, card_key, form))


def line_of(record: Record, card_key: int) -> str:
    """The line that was begun on this card and never answered with; empty when there is none."""
    found = record.named_rows(sql.DRAFT, _key(record, card_key, LINE))
    return _draft(found[0]).text if found else ""


def save_line(record: Record, card_key: int, rev: str, text: str, now_ms: int) -> None:
    """Keep a half line, durably; an empty one takes it away."""
    times = {"spent_ms": 0, "started_ms": now_ms, "updated_ms": now_ms}
    row = {"card_rev": rev, "text": text, "confidence": None, "submitted": 0, "points": "{}", **times}
    key = _key(record, card_key, LINE)
    with record.writing() as driver:
        driver.execute(sql.DROP_DRAFT, key)
        if text:
            driver.execute(sql.ADD_DRAFT, {**key, **row})


def _key(record: Record, card_key: int, form: str) -> dict[str, Any]:
    return {"learner": record.learner, "card_key": card_key, "form": form}


def _draft(row: Sequence[Any]) -> Draft:
    """A draft as stored; of one that was garbled the text is kept, and what cannot have been chosen counts as not chosen."""
    values = dict(zip(sql.DRAFT_NAMES, row, strict=True))
    confidence = values["confidence"]
    return Draft(
        **values
        | {
            "confidence": confidence if confidence is None or 0 <= confidence <= 100 else None,
            "submitted": bool(values["submitted"]),
            "points": _points(values["points"]),
            "spent_ms": max(0, values["spent_ms"]),
        }
    )


def _points(stored: str) -> dict[str, float]:
    try:
        read = json.loads(stored)
    except (ValueError, RecursionError):
        return {}
    marks = read.items() if isinstance(read, dict) else ()
    return {point: float(mark) for point, mark in marks if isinstance(mark, (int, float)) and 0 <= mark <= 1}


__all__ = ["FORMS", "Draft", "Form", "drafts", "drop_draft", "line_of", "load_draft", "save_draft", "save_line"]
