"""`shardrill lab`: list, run and record the built-in labs and the learner's own scripts."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tui.clock import Clock
from tui.lab_words import number_text, value_text
from tui.recorded import desk, record_run, recorded_runs, see_that_it_can_be_recorded, templates
from tui.run_words import metric_text, reason_text, run_line, state_text
from tui.words import _, current

if TYPE_CHECKING:
    from content.runs_store import Run
    from content.settings import Settings
    from evidence.lab import Lab, Progress
    from evidence.runs import Ran
    from evidence.template import Template
    from tui.paths import Places

NO, USAGE = 1, 2


class BadUse(click.UsageError):
    """What was asked has no meaning; the message says what to write instead."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the options of `lab run` said."""

    words: tuple[str, ...]
    seed: int = 0
    assignments: tuple[str, ...] = ()
    script: Path | None = None
    python: str | None = None
    time_limit_s: float | None = None
    repo: Path | None = None
    pack: str | None = None
    as_json: bool = False


def list_labs(*, as_json: bool) -> int:
    """Print every lab: id, title, parameters with their limits, metrics."""
    from evidence.lab import registry

    labs = list(registry().values())
    if as_json:
        body = {"schema": "shardrill.lab-list.v1", "labs": [_lab_json(lab) for lab in labs]}
        click.echo(json.dumps(body, ensure_ascii=False))
        return 0
    for lab in labs:
        click.echo(f"{lab.id:<16} {lab.title.of(current())}")
        for param in lab.params:
            click.echo(f"    {param.key}={value_text(param.default)}  {param.limits}  {param.label.of(current())}")
    return 0


def _lab_json(lab: Lab) -> dict[str, Any]:
    return {
        "id": lab.id,
        "version": lab.version,
        "title": {"en": lab.title.en, "zh": lab.title.zh},
        "about": {"en": lab.about.en, "zh": lab.about.zh},
        "params": {
            param.key: {"kind": param.kind, "default": param.default, "limits": param.limits} for param in lab.params
        },
        "metrics": {spec.name: {"kind": spec.kind, "unit": spec.unit} for spec in lab.metrics},
    }


def list_runs(places: Places, settings: Settings, *, as_json: bool) -> int:
    """Print the recorded runs, the newest first."""
    runs = recorded_runs(places, settings)
    if as_json:
        body = {"schema": "shardrill.lab-runs.v1", "runs": [run_json(run) for run in runs]}
        click.echo(json.dumps(body, ensure_ascii=False))
        return 0
    for run in runs:
        click.echo(run_line(run))
    if not runs:
        click.echo(_("No runs yet: shardrill lab run weighted-mean"), err=True)
    return 0


def write_starter(lab_id: str, file: Path) -> int:
    """Write the starter script of a lab to a file that does not exist yet."""
    from evidence.errors import RunRefused
    from evidence.starter import write_starter as write

    try:
        write(lab_id, file)
    except RunRefused as refused:
        raise BadUse(refused.text.of(current())) from None
    click.echo(_("Wrote {file}. Commit it, then: shardrill lab run --script {file}").format(file=file), err=True)
    return 0


def run(places: Places, settings: Settings, options: RunOptions) -> int:
    """Run a lab or a script, record it, and say how it came out; 1 when it failed or a metric is false."""
    from evidence.errors import EvidenceError
    from evidence.lab import NoSuchLab, ParamRefused

    see_that_it_can_be_recorded(places, settings)
    with ended_by_signals(), ProgressLine() as progress:
        try:
            ran = _run_script(places, options, progress) if options.script else _run_lab(options, progress)
        except (EvidenceError, ParamRefused) as refused:
            raise BadUse(refused.text.of(current())) from None
        except NoSuchLab as unknown:
            raise BadUse(str(unknown)) from None
    ran = replace(ran, run=record_run(places, settings, ran.run))
    if options.as_json:
        click.echo(json.dumps({"schema": "shardrill.lab-run.v1", **run_json(ran.run)}, ensure_ascii=False))
    else:
        _say(ran, ascii_only=settings.ascii)
    return 0 if ran.run.passed else NO


def _run_lab(options: RunOptions, progress: Progress) -> Ran:
    from evidence.runs import run_lab

    if len(options.words) != 1:
        raise BadUse(_("name one lab (shardrill lab list), or a script with --script"))
    values = {}
    for assignment in options.assignments:
        key, mark, value = assignment.partition("=")
        if not mark:
            raise BadUse(_("write parameters as name=value, not {text}").format(text=assignment))
        values[key.strip()] = value
    folder = options.repo or Path.cwd()
    return run_lab(options.words[0], values, options.seed, desk(Clock()), folder=folder, progress=progress)


def _run_script(places: Places, options: RunOptions, progress: Progress) -> Ran:
    from evidence.runs import Limits, ScriptRequest, run_script

    assert options.script is not None
    if options.assignments:
        raise BadUse(_("--set is for labs; give a script its arguments after --"))
    limits = Limits() if options.time_limit_s is None else Limits(time_s=options.time_limit_s)
    request = ScriptRequest(options.script, options.words, options.python, options.repo, options.seed, limits)
    progress(0.0, options.script.name)
    return run_script(request, template_named(templates(places), options.pack), desk(Clock()))


def template_named(found: Sequence[Template], pack_id: str | None) -> Template | None:
    """The template of a pack, the first when none is named; None when no pack has one."""
    if pack_id is None:
        return found[0] if found else None
    for template in found:
        if template.pack_id == pack_id:
            return template
    listed = ", ".join(template.pack_id for template in found)
    raise BadUse(_("no pack {name} has an evidence template; there are: {listed}").format(name=pack_id, listed=listed))


def run_json(run: Run) -> dict[str, Any]:
    """A run as the command line writes it; nothing that stays in the record is in it."""
    return {
        "run": run.run_id,
        "kind": run.kind,
        "lab": run.lab,
        "version": run.lab_version,
        "pack": run.pack_id,
        "params": dict(run.params),
        "seed": run.seed,
        "command": run.command,
        "started": {"value": run.started_ms, "unit": "ms"},
        "took": {"value": (run.ended_ms - run.started_ms) / 1000, "unit": "s"},
        "environment": {"python": run.python, "numpy": run.numpy, "platform": run.platform, "cpu": run.cpu},
        "status": run.status,
        "reason": run.reason,
        "detail": run.reason_detail,
        "passed": run.passed,
        "metrics": dict(run.metrics),
        "values": run.findings.get("values", {}),
        "output_hash": run.output_hash,
        "commit": run.commit_sha,
        "dirty": run.dirty,
        "script": None if run.script_path is None else {"path": run.script_path, "sha256": run.script_sha256},
        "artifacts": [{"path": one.path, "sha256": one.sha256, "committed": one.committed} for one in run.artifacts],
    }


def _say(ran: Ran, *, ascii_only: bool) -> None:
    run = ran.run
    width = shutil.get_terminal_size().columns - 2
    click.echo(run.command)
    if ran.result is not None:
        click.echo()
        for line in ran.result.picture.lines(-1, width=width, ascii_only=ascii_only):
            click.echo(f"  {line}")
        click.echo()
    for name, value in run.metrics.items():
        click.echo(f"  {metric_text(value):<6} {name}")
    for name, one in run.findings.get("values", {}).items():
        click.echo(f"  {number_text(one)}  {name}")
    if ran.result is not None:
        click.echo(f"  {ran.result.tolerance.about.of(current())}")
    if run.status != "ok":
        _say_failure(run, ran.tail)
    click.echo(_("Run {id} recorded: {state}.").format(id=run.short_id, state=state_text(run)), err=True)
    if run.status == "ok" and run.commit_sha is None:
        click.echo(_("It ran outside a git repository: a document will name no commit."), err=True)
    elif run.status == "ok" and run.dirty:
        click.echo(_("The repository has uncommitted changes: commit them and run again for a document."), err=True)


def _say_failure(run: Run, tail: str) -> None:
    for line in tail.splitlines()[-10:]:
        click.echo("  | " + "".join(c if c.isprintable() else " " for c in line)[:200], err=True)
    click.echo(_("The run failed: {reason}.").format(reason=reason_text(run)), err=True)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let TERM and HUP end the program as Ctrl-C does, so that a script does not outlive it."""

    def end(number: int, _frame: object) -> None:
        sys.exit(128 + number)

    names = [signal.Signals[name] for name in ("SIGTERM", "SIGHUP") if name in signal.Signals.__members__]
    before = [(name, signal.signal(name, end)) for name in names]
    try:
        yield
    finally:
        for name, handler in before:
            signal.signal(name, handler)


class ProgressLine:
    """A line on standard error that shows how far a run is, where that is a terminal."""

    def __init__(self) -> None:
        self._is_shown = sys.stderr.isatty()

    def __enter__(self) -> Callable[[float, str], None]:
        return self._show

    def _show(self, share: float, mark: str) -> None:
        if self._is_shown:
            filled = round(max(0.0, min(1.0, share)) * 20)
            sys.stderr.write(f"\r[{'#' * filled}{'.' * (20 - filled)}] {share:4.0%} {mark[:40]:<40}")
            sys.stderr.flush()

    def __exit__(self, *_exc: object) -> None:
        if self._is_shown:
            sys.stderr.write("\r" + " " * 70 + "\r")
            sys.stderr.flush()


__all__ = [
    "BadUse",
    "ProgressLine",
    "RunOptions",
    "ended_by_signals",
    "list_labs",
    "list_runs",
    "run",
    "run_json",
    "template_named",
    "write_starter",
]
