"""The evidence document: a template's own text, with its places filled by what one recorded run supports and nothing else."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from content.cards import Text
from content.runs_store import Metric, Run
from content.safe_yaml import Key
from evidence.environment import environment_text
from evidence.errors import ExportRefused
from evidence.git import Repo
from evidence.privacy import Identity, personal
from evidence.standing import Objection, objections
from evidence.template import NOTHING_FAILED, Slot, Template

Status = Literal["unfilled", "partial", "complete"]
Path_ = tuple[Key, ...]
Scalar = str | bool | int | float


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A line as it will be written: the template's own, filled from the run, or still waiting (`<...>` is in it)."""

    text: str
    state: Literal["fixed", "filled", "unfilled"]


@dataclass(frozen=True, slots=True)
class Filled:
    """A document and what it says of itself. `failures` are its known failures, in the words of the document."""

    lines: tuple[DocumentLine, ...]
    status: Status
    failures: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line.text}\n" for line in self.lines)


@dataclass(frozen=True, slots=True)
class Export:
    """What an export would write. `run` is None when nothing is recorded; a failed run fills nothing."""

    template: Template
    run: Run | None
    filled: Filled
    objections: tuple[Objection, ...] = ()

    @property
    def is_false(self) -> bool:
        """The run failed, or a metric is not what the document expects."""
        return self.run is not None and (self.run.status != "ok" or bool(false_metrics(self.template, self.run)))


def concerns(template: Template, run: Run) -> bool:
    """Whether the run was made for this template: its lab, or a script run for its pack."""
    return run.pack_id == template.pack_id if run.kind == "script" else run.lab == template.lab


def latest_for(template: Template, runs: Sequence[Run]) -> Run | None:
    """The newest run for a template, failed or not."""
    return max((run for run in runs if concerns(template, run)), key=lambda run: run.run_id, default=None)


def default_template(templates: Sequence[Template], runs: Sequence[Run], run: Run | None = None) -> Template | None:
    """The template that `run`, else the newest run of all, was made for; else the first."""
    newest_first = sorted(runs, key=lambda one: one.run_id, reverse=True)
    for one in (run,) if run is not None else newest_first:
        for template in templates:
            if concerns(template, one):
                return template
    return templates[0] if templates and run is None else None


def export(
    template: Template, run: Run | None, repo: Repo | None, who: Identity, *, allow_dirty: bool = False
) -> Export:
    """The document that a run supports with the repository as it is now.

    Raises:
        ExportRefused: the run does not stand, and it is not something that `allow_dirty` lets be stated.
    """
    if run is None or run.status != "ok":
        return Export(template, run, fill(template, None))
    against = objections(run, repo, who)
    refused = [one for one in against if not (allow_dirty and one.allowed_when_stated)]
    if refused:
        raise ExportRefused(refused[0].text)
    made = fill(template, run, [one.statement for one in against])
    for line in made.lines:
        is_own = line.state == "filled" and not line.text.startswith("environment:")
        if is_own and personal(line.text, who):
            raise ExportRefused(
                Text(
                    f"The document would hold something personal ({', '.join(personal(line.text, who))}): run without it.",
                    f"文档会含有个人信息（{', '.join(personal(line.text, who))}）：请去掉它再运行。",
                )
            )
    return Export(template, run, made, against)


def preview(template: Template, run: Run | None) -> Filled:
    """The document as it would be if the repository has no objection; asks nobody."""
    return fill(template, run if run is not None and run.status == "ok" else None)


def fill(template: Template, run: Run | None, statements: Sequence[str] = ()) -> Filled:
    """Put what the run supports in the template's places; `statements` are known failures beside false metrics."""
    values = {} if run is None else supported(template, run)
    failures = () if run is None else (*_false_statements(template, run), *statements)
    by_line = {slot.line: slot for slot in template.slots if slot.path[0] != "known_failures"}
    replaced, after = _failure_lines(template, failures)
    lines: list[DocumentLine] = []
    for number, text in enumerate(template.lines):
        slot = by_line.get(number)
        lines += replaced.get(number) or _line(text, slot, values)
        lines += after.get(number, ())
    return Filled(tuple(lines), _status(template, values), failures)


def _line(text: str, slot: Slot | None, values: Mapping[Path_, tuple[Scalar, ...]]) -> list[DocumentLine]:
    if slot is None:
        return [DocumentLine(text, "fixed")]
    found = values.get(slot.path)
    if not found:
        return [DocumentLine(text, "fixed" if slot.path == ("seed",) and "<" not in text else "unfilled")]
    return [DocumentLine(f"{text[: slot.start]}{written(one)}{text[slot.end :]}", "filled") for one in found]


def _failure_lines(
    template: Template, failures: Sequence[str]
) -> tuple[dict[int, list[DocumentLine]], dict[int, list[DocumentLine]]]:
    """Lines that replace `- none`, and lines that follow what a template has listed already."""
    slots = [slot for slot in template.slots if slot.path[0] == "known_failures"]
    if not failures or not slots:
        return {}, {}
    last = slots[-1]
    prefix = template.lines[last.line][: last.start]
    lines = [DocumentLine(f"{prefix}{written(failure)}", "filled") for failure in failures]
    if template.value["known_failures"] == [NOTHING_FAILED]:
        return {last.line: lines}, {}
    return {}, {last.line: lines}


def supported(template: Template, run: Run) -> dict[Path_, tuple[Scalar, ...]]:
    """What this run supports, by place. Only what it recorded is in it; a list may take more than one value."""
    if run.status != "ok":
        return {}
    values: dict[Path_, tuple[Scalar, ...]] = {
        ("verified_at",): (verified_at(run),),
        ("environment",): (environment_of(run),),
        ("seed",): (run.seed,),
        ("commands", 0): (run.command,),
    }
    if run.commit_sha is not None:
        values[("commit",)] = (run.commit_sha,)
        if run.artifacts:
            values[("artifacts", 0)] = tuple(artifact.path for artifact in run.artifacts)
    for index, name in enumerate(template.metric_names):
        value = metric_of(template, run, name)
        if value is not None:
            values[("metrics", index, "actual")] = (value,)
    return values


def metric_of(template: Template, run: Run, name: str) -> Metric | None:
    """The run's value of a metric of the document; a script may use the document's name or the lab's."""
    lab_name = template.metrics.get(name, name)
    names = (lab_name,) if run.kind == "lab" else (name, lab_name)
    return next((run.metrics[one] for one in names if one in run.metrics), None)


def false_metrics(template: Template, run: Run) -> tuple[str, ...]:
    """The document's metrics whose value in this run is not the expected one."""
    found = []
    for one in template.value.get("metrics", []):
        value = metric_of(template, run, one["name"])
        if value is not None and not agrees(one["expected"], value):
            found.append(one["name"])
    return tuple(found)


def agrees(expected: object, actual: object) -> bool:
    """Whether a metric is what was expected: yes-or-no values alike, numbers to nine figures."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=1e-9, abs_tol=1e-12)
    return expected == actual


def _false_statements(template: Template, run: Run) -> tuple[str, ...]:
    expected = {one["name"]: one["expected"] for one in template.value.get("metrics", [])}
    return tuple(
        f"{name}: expected {_word(expected[name])}, the recorded run gave {_word(metric_of(template, run, name))}"
        for name in false_metrics(template, run)
    )


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def verified_at(run: Run) -> str:
    """The date of the run's end in UTC, ISO."""
    return datetime.datetime.fromtimestamp(run.ended_ms / 1000, tz=datetime.UTC).date().isoformat()


def environment_of(run: Run) -> str:
    """The line that a document says of where a run ran."""
    return environment_text(run.python, run.numpy, run.platform, run.cpu)


def _status(template: Template, values: Mapping[Path_, object]) -> Status:
    waiting = [slot for slot in template.slots if slot.path[0] != "known_failures" and _is_open(template, slot)]
    filled = sum(slot.path in values for slot in waiting)
    if filled == len(waiting):
        return "complete"
    return "partial" if filled else "unfilled"


def _is_open(template: Template, slot: Slot) -> bool:
    return "<" in template.lines[slot.line][slot.start : slot.end]


_SAFE_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def written(value: Scalar) -> str:
    """A value as YAML 1.1 and 1.2 readers both take it: texts in double quotes, numbers without exponent."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        plain = str(value) if isinstance(value, int) else format(Decimal(repr(value)), "f")
        return plain if _SAFE_NUMBER.fullmatch(plain) else f'"{value}"'
    return '"' + "".join(_ESCAPES.get(char) or _character(char) for char in value) + '"'


def _character(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


__all__ = [
    "DocumentLine",
    "Export",
    "Filled",
    "Status",
    "agrees",
    "concerns",
    "default_template",
    "environment_of",
    "export",
    "false_metrics",
    "fill",
    "latest_for",
    "metric_of",
    "preview",
    "supported",
    "verified_at",
    "written",
]
