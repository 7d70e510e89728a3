"""The command line of labs and evidence. What a command needs is imported in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tui.cli import Options

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_SECONDS = click.FloatRange(0.1, 86_400)


@click.group()
def lab() -> None:
    """Run what proves the map, and record it."""


@lab.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def lab_list(options: Options, as_json: bool) -> int:
    """List the built-in labs: parameters, defaults and limits."""
    from tui.lab_commands import list_labs

    options.settings()
    return list_labs(as_json=as_json)


@lab.command("runs")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def lab_runs(options: Options, as_json: bool) -> int:
    """List the recorded runs, the newest first."""
    from tui.lab_commands import list_runs

    return list_runs(options.places, options.settings(), as_json=as_json)


@lab.command("new")
@click.argument("lab_id", metavar="LAB")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The file to write."
)
@click.pass_obj
def lab_new(options: Options, lab_id: str, output: Path) -> int:
    """Write a short script of your own to start from; nothing is overwritten."""
    from tui.lab_commands import write_starter

    options.settings()
    return write_starter(lab_id, output)


@lab.command("run")
@click.argument("words", nargs=-1, metavar="LAB | -- [ARGS]...")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=0, help="Seed; of a script, if it reports none.")
@click.option("--set", "assignments", multiple=True, metavar="NAME=VALUE", help="A parameter of the lab.")
@click.option("--script", type=_FILE, help="Run your own script in a process of its own.")
@click.option("--python", metavar="EXE", help="The script's interpreter (default: this program's own).")
@click.option("--time-limit", type=_SECONDS, metavar="S", help="Seconds a script may take (default 120).")
@click.option("--repo", type=_FOLDER, help="Your git repository (default: where the script or you are).")
@click.option("--pack", metavar="ID", help="The pack whose metrics the script reports (default: the first).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def lab_run(
    options: Options,
    words: tuple[str, ...],
    seed: int,
    assignments: tuple[str, ...],
    script: Path | None,
    python: str | None,
    time_limit: float | None,
    repo: Path | None,
    pack: str | None,
    as_json: bool,
) -> int:
    """Run a lab, or your own script, and record the run.

    A script starts in the root of its repository and ends with one line of JSON: {"metrics": {"name": true}}; it may add
    "seed", "values" and "artifacts". Exit codes: 0 all metrics true, 1 one is false or the run failed, 2 wrong usage.
    """
    from tui.lab_commands import RunOptions, run

    wanted = RunOptions(words, seed, assignments, script, python, time_limit, repo, pack, as_json)
    return run(options.places, options.settings(), wanted)


@click.group()
def evidence() -> None:
    """The document that says what was run."""


@evidence.command("export")
@click.option("--run", "run_name", metavar="ID", help="The run to fill it with (default: the newest, failed or not).")
@click.option("--repo", type=_FOLDER, help="Your git repository (default: where the run was made).")
@click.option("--pack", metavar="ID", help="The pack whose template is filled (default: that of the run).")
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
@click.option("--allow-dirty", is_flag=True, help="Let uncommitted changes pass; the document then says so.")
@click.pass_obj
def evidence_export(
    options: Options, run_name: str | None, repo: Path | None, pack: str | None, output: Path | None, allow_dirty: bool
) -> int:
    """Fill the template with what a recorded run supports.

    Exit codes: 0 complete, 1 a metric is false or the run failed, 3 unfilled, 4 partial, 5 refused.
    """
    from tui.evidence_commands import export_document

    return export_document(
        options.places,
        options.settings(),
        run_name=run_name,
        repo=repo,
        pack=pack,
        output=output,
        allow_dirty=allow_dirty,
    )


@evidence.command("check")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--repo", type=_FOLDER, help="Your git repository (default: where the run was made).")
@click.option("--rerun", is_flag=True, help="Run again what the record says was run, and compare.")
@click.option("--time-limit", type=_SECONDS, metavar="S", help="Seconds the second run may take (default 120).")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def evidence_check(
    options: Options, file: Path, repo: Path | None, rerun: bool, time_limit: float | None, as_json: bool
) -> int:
    """Report status and every fault of a document as file:line: rule, and what to do.

    Exit codes: 0 complete, 1 faults, 3 unfilled, 4 partial, 5 it cannot be read as a document.
    """
    from tui.evidence_commands import check_document

    return check_document(
        options.places, options.settings(), file, repo=repo, rerun=rerun, time_limit_s=time_limit, as_json=as_json
    )


__all__ = ["evidence", "lab"]
