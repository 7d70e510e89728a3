"""`shardrill evidence`: write the document that recorded runs support, and find fault with one."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tui.clock import Clock
from tui.lab_commands import BadUse, ProgressLine, ended_by_signals, template_named
from tui.recorded import desk, recorded_runs, repository, templates
from tui.run_words import reason_text
from tui.words import _, current, ngettext

if TYPE_CHECKING:
    from content.runs_store import Run
    from content.settings import Settings
    from evidence.check import Checked
    from evidence.document import Export
    from evidence.git import Repo
    from evidence.template import Template
    from tui.paths import Places

DONE, NO, UNFILLED, PARTIAL, REFUSED = 0, 1, 3, 4, 5
_STATUS_CODES = {"complete": DONE, "partial": PARTIAL, "unfilled": UNFILLED, "refused": REFUSED}


def export_document(
    places: Places,
    settings: Settings,
    *,
    run_name: str | None,
    repo: Path | None,
    pack: str | None,
    output: Path | None,
    allow_dirty: bool,
) -> int:
    """Write the document, to standard output or a file. 0 complete, 3 unfilled, 4 partial, 1 a metric false, 5 refused."""
    from evidence.document import export
    from evidence.errors import ExportRefused
    from evidence.git import Repo
    from evidence.privacy import identity

    template, run = chosen(templates(places), recorded_runs(places, settings), run_name, pack)
    found = repository(repo, run, Path.cwd())
    try:
        made = export(template, run, found if isinstance(found, Repo) else None, identity(), allow_dirty=allow_dirty)
    except ExportRefused as refused:
        click.echo(refused.text.of(current()), err=True)
        return REFUSED
    if output is None:
        click.echo(made.filled.text, nl=False)
    else:
        write_document(output, made.filled.text)
    for line in notes(made):
        click.echo(line, err=True)
    return NO if made.is_false else _STATUS_CODES[made.filled.status]


def chosen(
    found: Sequence[Template], runs: Sequence[Run], run_name: str | None, pack: str | None
) -> tuple[Template, Run | None]:
    """The template and the run to fill it with: those named, else the newest run and the template it was made for."""
    from content.runs_store import named
    from evidence.document import concerns, default_template, latest_for

    run = None
    if run_name is not None and (run := named(runs, run_name)) is None:
        raise BadUse(_("no single run has the id {name}; see: shardrill lab runs").format(name=run_name))
    template = template_named(found, pack) if pack is not None else default_template(found, runs, run)
    if template is None:
        raise BadUse(_("no pack has an evidence template for this run; name a pack with --pack"))
    if run is None:
        return template, latest_for(template, runs)
    if not concerns(template, run):
        raise BadUse(
            _("run {id} was not made for the document of {pack}").format(id=run.short_id, pack=template.pack_id)
        )
    return template, run


def notes(made: Export) -> list[str]:
    """What to know of a document beside its text: on what it rests, what is open and why, what it admits."""
    run = made.run
    if run is None:
        return [_("Nothing is recorded for this document yet: shardrill lab run --script parity.py")]
    lines = [_("From run {id}: {command}").format(id=run.short_id, command=run.command)]
    if run.status != "ok":
        lines.append(_("The run failed: {reason}.").format(reason=reason_text(run)))
        lines.append(_("A failed run fills nothing: mend it and run again, or name another with --run."))
        return lines
    lines += [_("Known failure: {text}").format(text=text) for text in made.filled.failures]
    if run.commit_sha is None:
        lines.append(_("It ran outside a git repository: commit and artifacts stay open."))
    elif run.kind == "lab":
        lines.append(_("A built-in lab ran: artifacts stay open until your own script runs (shardrill lab new)."))
    if "[hidden]" in run.command:
        lines.append(_("Something personal in the command was replaced by [hidden]."))
    return lines


def write_document(file: Path, text: str) -> None:
    """Write a file whole or not at all; what is no evidence document is not overwritten."""
    if file.exists() and not _is_document(file):
        raise BadUse(_("{file} is no evidence document and was left as it is; name another file").format(file=file))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
            mode = file.stat().st_mode & 0o777 if file.exists() else 0o644
            Path(name).chmod(mode)
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadUse(_("{file} cannot be written ({why})").format(file=file, why=error.strerror)) from None


def _is_document(file: Path) -> bool:
    from content.safe_yaml import load

    if not file.is_file():
        return False
    value = load(file).value
    return isinstance(value, dict) and ".evidence." in str(value.get("schema", ""))


def check_document(
    places: Places,
    settings: Settings,
    file: Path,
    *,
    repo: Path | None,
    rerun: bool,
    time_limit_s: float | None,
    as_json: bool,
) -> int:
    """Print status and faults of a document. 0 complete, 3 unfilled, 4 partial, 1 with faults, 5 refused."""
    from evidence.check import check, rerun_findings
    from evidence.check_words import ordered
    from evidence.git import Repo
    from evidence.privacy import identity

    beside = file.absolute().parent

    def repo_of(run: Run | None) -> Repo | None:
        found = repository(repo, run, beside)
        return found if isinstance(found, Repo) else None

    checked = check(file, templates(places), recorded_runs(places, settings), repo_of, identity())
    findings = checked.findings
    if rerun and checked.status != "refused":
        if checked.run is None:
            click.echo(_("There is no recorded run behind this document: nothing was run again."), err=True)
        else:
            again = _run_again(checked, repo_of(checked.run), time_limit_s)
            findings = ordered((*findings, *rerun_findings(checked, again)))
    code = _exit_code(checked, [one.rule for one in findings])
    if as_json:
        click.echo(json.dumps(_checked_json(checked, findings), ensure_ascii=False))
        return code
    for one in findings:
        click.echo(f"{file}:{one.line}: {one.rule}: {one.text.of(current())}")
    click.echo(_summary(file, checked, sum(one.rule != "placeholder" for one in findings)), err=True)
    return code


def _summary(file: Path, checked: Checked, faults: int) -> str:
    status = status_text(checked.status)
    if checked.status == "refused":
        return _("{file}: {status}").format(file=file, status=status)
    told = ngettext("{count} fault", "{count} faults", faults).format(count=faults) if faults else _("no faults")
    return _("{file}: {status}, {told}").format(file=file, status=status, told=told)


def _run_again(checked: Checked, repo: Repo | None, time_limit_s: float | None) -> Run:
    from evidence.errors import EvidenceError
    from evidence.lab import NoSuchLab, ParamRefused
    from evidence.runs import Limits, rerun

    run = checked.run
    assert run is not None
    if run.kind == "script" and repo is None:
        raise BadUse(_("name the repository of the script with --repo"))
    folder = repo.root if repo is not None else Path.cwd()
    limits = Limits() if time_limit_s is None else Limits(time_s=time_limit_s)
    try:
        with ended_by_signals(), ProgressLine() as progress:
            ran = rerun(run, checked.template, desk(Clock()), folder=folder, limits=limits, progress=progress)
    except (EvidenceError, ParamRefused) as refused:
        raise BadUse(refused.text.of(current())) from None
    except NoSuchLab as unknown:
        raise BadUse(str(unknown)) from None
    return ran.run


def _exit_code(checked: Checked, rules: Sequence[str]) -> int:
    if checked.status == "refused":
        return REFUSED
    return NO if any(rule != "placeholder" for rule in rules) else _STATUS_CODES[checked.status]


def _checked_json(checked: Checked, findings: Sequence[Any]) -> dict[str, Any]:
    return {
        "schema": "shardrill.evidence-check.v1",
        "file": str(checked.file),
        "status": checked.status,
        "pack": checked.template.pack_id if checked.template is not None else None,
        "run": checked.run.run_id if checked.run is not None else None,
        "faults": [
            {"line": one.line, "rule": one.rule, "what_to_do": {"en": one.text.en, "zh": one.text.zh}}
            for one in findings
        ],
    }


def status_text(status: str) -> str:
    """A document's status in words."""
    return {
        "complete": _("complete"),
        "partial": _("partial"),
        "unfilled": _("unfilled"),
        "refused": _("refused: it cannot be read as an evidence document"),
    }[status]


__all__ = ["check_document", "chosen", "export_document", "notes", "status_text", "write_document"]
