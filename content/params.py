"""The plans under which answers were scheduled, kept once each, so that the log can be folded again as it was."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from typing import Any

from grading.schedule import Plan


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
