"""Runs in the record: one row for each execution of a lab or of the learner's own script, added and read back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, Literal

from sqlalchemy import func, insert, select

from content.store import Record
from content.tables import run as run_table

Metric = bool | int | float
SHORT = 8
"""Characters at the end of a run's id by which it is shown and may be named."""
_JSON = ("params", "argv", "metrics", "findings")


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of the learner's repository as it was in a run.

    `path` is relative to the repository, with `/`. `sha256` counts line ends as one byte in text files, as git may. `committed`
    says whether the run's commit held the same bytes.
    """

    path: str
    sha256: str
    committed: bool


@dataclass(frozen=True, slots=True)
class Run:
    """One execution. The fields are the columns of `run`; see there for their units and for what stays in the record."""

    run_id: str
    kind: Literal["lab", "script"]
    seed: int
    command: str
    argv: tuple[str, ...]
    started_ms: int
    ended_ms: int
    python: str
    numpy: str | None
    platform: str
    cpu: str | None
    status: Literal["ok", "failed"]
    lab: str | None = None
    lab_version: int | None = None
    pack_id: str | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    findings: Mapping[str, Any] = field(default_factory=dict)
    output_hash: str | None = None
    repo_folder: str | None = None
    commit_sha: str | None = None
    dirty: bool | None = None
    script_path: str | None = None
    script_sha256: str | None = None
    artifacts: tuple[Artifact, ...] = ()
    reason: str | None = None
    reason_detail: str | None = None
    device: str = ""

    @property
    def short_id(self) -> str:
        """The end of the id, by which a learner names it."""
        return self.run_id[-SHORT:]

    @property
    def passed(self) -> bool:
        """It ran to its end and no yes-or-no metric came out no."""
        return self.status == "ok" and all(value for value in self.metrics.values() if isinstance(value, bool))


_FIELDS = tuple(one.name for one in fields(Run))
_COLUMNS = tuple(run_table.c[name] for name in _FIELDS)


def add_run(record: Record, new: Run) -> Run:
    """Append a run and return it as it was written; it is on the disk then.

    Its id becomes the next one above all others when the clock was set back meanwhile: the newest run has the highest.
    """
    with record.transaction() as connection:
        own = run_table.c.learner == record.learner
        newest = connection.execute(select(func.max(run_table.c.run_id)).where(own)).scalar() or ""
        if new.run_id <= newest:
            new = replace(new, run_id=f"{int(newest, 16) + 1:032x}")
        new = replace(new, device=new.device or record.device)
        connection.execute(insert(run_table), {**_values(new), "learner": record.learner})
    return new


def _values(run: Run) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(run, name) for name in _FIELDS}
    for name in _JSON:
        plain = list(values[name]) if name == "argv" else dict(values[name])
        values[name] = json.dumps(plain, ensure_ascii=False, sort_keys=name != "metrics", allow_nan=False)
    values["artifacts"] = json.dumps([asdict(artifact) for artifact in run.artifacts])
    values["dirty"] = None if run.dirty is None else int(run.dirty)
    return values


def all_runs(record: Record, limit: int = 1000) -> list[Run]:
    """This learner's runs, the newest first."""
    query = select(*_COLUMNS).where(run_table.c.learner == record.learner)
    return [_run_from(row) for row in record.rows(query.order_by(run_table.c.run_id.desc()).limit(limit))]


def named(runs: Sequence[Run], name: str) -> Run | None:
    """The one run whose id is `name`, or begins or ends with it (at least four characters); None when none or several do."""
    wanted = name.strip().lower()
    exact = [run for run in runs if run.run_id == wanted]
    near = [run for run in runs if len(wanted) >= 4 and (run.run_id.endswith(wanted) or run.run_id.startswith(wanted))]
    found = exact or near
    return found[0] if len(found) == 1 else None


def _run_from(row: Sequence[Any]) -> Run:
    values = dict(zip(_FIELDS, row, strict=True))
    for name in _JSON:
        values[name] = json.loads(values[name])
    values["argv"] = tuple(values["argv"])
    values["artifacts"] = tuple(Artifact(**one) for one in json.loads(values["artifacts"]))
    values["dirty"] = None if values["dirty"] is None else bool(values["dirty"])
    return Run(**values)


__all__ = ["Artifact", "Metric", "Run", "add_run", "all_runs", "named"]
