"""The plans under which answers were scheduled, kept once each, so that the log can be folded again as it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from content.record_sql import PLANS
from grading.schedule import Plan

if TYPE_CHECKING:
    from content.store import Record


def body_of(plan: Plan) -> str:
    """Canonical JSON of a plan."""
    return json.dumps(asdict(plan), sort_keys=True, separators=(",", ":"))


def id_of(body: str) -> str:
    """The id of a plan: the first 16 hex digits of its body's SHA-256."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def plan_from(body: str) -> Plan:
    """The plan of a body; fields that a later version added keep their default, unknown ones are left out."""
    known = {f.name for f in fields(Plan)}
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in json.loads(body).items()
        if key in known
    }
    return Plan(**values)


def known_plans(record: Record) -> dict[str, Plan]:
    """The plans the record knows, by params_id. One that cannot be read is as if it were unknown."""
    plans = {}
    for params_id, body in record.named_rows(PLANS):
        try:
            plans[params_id] = plan_from(body)
        except (ValueError, TypeError, AttributeError):
            continue
    return plans
