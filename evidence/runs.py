"""Running something and saying exactly what ran: a built-in lab here, or the learner's own script in a process of its own.

Nothing here writes the record; `content.runs_store.add_run` does, with the Run that comes back.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from content.cards import Text
from content.runs_store import Artifact, Run
from evidence import environment, git, script
from evidence.errors import RunRefused
from evidence.git import Repo
from evidence.lab import Cancelled, Lab, LabResult, ParamRefused, Progress, check_params, registry
from evidence.privacy import HIDDEN, Identity, has_secret, masked
from evidence.script import Limits, Outcome, Report, Stopped
from evidence.template import Template

MOST_SEED = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Desk:
    """What a run is handed from outside: the time in ms since 1970 UTC, ids that sort by time, whose names to hide."""

    now_ms: Callable[[], int]
    new_id: Callable[[int], str]
    who: Identity = field(default_factory=Identity)


@dataclass(frozen=True, slots=True)
class Ran:
    """A run to be recorded, with what is shown of it once: the lab's result, or the end of a script's standard error."""

    run: Run
    result: LabResult | None = None
    tail: str = ""


@dataclass(frozen=True, slots=True)
class ScriptRequest:
    """A script to run. `repo` is a folder of its repository (default: where the script lies); `seed` what it is run with."""

    script: Path
    arguments: tuple[str, ...] = ()
    python: str | None = None
    repo: Path | None = None
    seed: int = 0
    limits: Limits = field(default_factory=Limits)


def run_lab(
    lab_id: str, values: Mapping[str, object], seed: int, desk: Desk, *, folder: Path, progress: Progress
) -> Ran:
    """Run a built-in lab; `folder` lies in the learner's repository, or in none.

    Raises:
        NoSuchLab, ParamRefused: it cannot be asked so.
        Cancelled: the progress report raised it.
    """
    lab = registry()[lab_id]
    params = check_params(lab, values)
    _check_seed(seed)
    repo = _repo_or_none(git.find_repo(folder))
    started = desk.now_ms()
    result, reason, detail = _simulated(lab, params, seed, progress)
    ended = desk.now_ms()
    on = environment.here()
    command = lab_command(lab, params, seed)
    run = Run(
        desk.new_id(started), "lab", seed, command, tuple(shlex.split(command)), started, ended,
        on.python, on.numpy, on.platform, on.cpu, "failed" if reason else "ok",
        lab=lab.id, lab_version=lab.version, params=_plain(params), reason=reason, reason_detail=detail or None,
    )  # fmt: skip
    if result is not None:
        run = replace(run, metrics=result.metrics, findings=findings_of(result), output_hash=result.output_hash)
    return Ran(_at(run, repo), result)


def _simulated(
    lab: Lab, params: Mapping[str, Any], seed: int, progress: Progress
) -> tuple[LabResult | None, str | None, str]:
    try:
        result = lab.run(params, seed, progress)
    except (Cancelled, ParamRefused, KeyboardInterrupt):
        raise
    except Exception as error:  # a lab that breaks is recorded as failed, not hidden
        return None, "lab-error", type(error).__name__
    strange = [name for name, value in result.metrics.items() if not abs(value) <= 1e300]
    return (None, "bad-values", strange[0]) if strange else (result, None, "")


def findings_of(result: LabResult) -> dict[str, Any]:
    """What is kept of a result beside its metrics: values with units, what "equal" meant, the picture."""
    tolerance = result.tolerance
    return {
        "values": dict(result.values),
        "tolerance": {
            "value": tolerance.value,
            "unit": tolerance.unit,
            "about": {"en": tolerance.about.en, "zh": tolerance.about.zh},
        },
        "picture": result.picture.to_json(),
    }


def lab_command(lab: Lab, params: Mapping[str, Any], seed: int) -> str:
    """The command line that runs a lab in the same way; parameters at their defaults are left out."""
    words = ["shardrill", "lab", "run", lab.id, "--seed", str(seed)]
    for param in lab.params:
        value = params[param.key]
        if value != param.default:
            shown = ",".join(str(one) for one in value) if isinstance(value, tuple) else str(value)
            words += ["--set", f"{param.key}={shown}"]
    return shlex.join(words)


def run_script(
    request: ScriptRequest, template: Template | None, desk: Desk, stop: Callable[[], bool] = lambda: False
) -> Ran:
    """Run the learner's script for a template, whose metrics it must report. It starts in the root of its repository.

    Raises:
        RunRefused: there is no such script or interpreter, it lies outside the repository, an argument looks like a secret.
        Stopped: `stop` said so.
    """
    _check_seed(request.seed)
    file, repo = _script_and_repo(request)
    folder = file.parent if repo is None else repo.root
    path = file.name if repo is None else (repo.path_of(file) or file.name)
    before = git.hash_of(file)
    if before is None:
        raise RunRefused(Text(f"{path} cannot be read.", f"无法读取 {path}。"))
    python = sys.executable if request.python is None else _interpreter(request.python)
    on = environment.here() if python == sys.executable else environment.of_interpreter(python)
    argv = (python, path, *request.arguments)
    started = desk.now_ms()
    outcome = _outcome(argv, folder, request.limits, template, stop)
    ended = desk.now_ms()
    if outcome.reason is None and git.hash_of(file) != before:
        outcome = replace(outcome, report=None, reason="script-changed", detail=path)
    run = Run(
        desk.new_id(started), "script", request.seed, shown_command(argv, folder, desk.who), argv, started, ended,
        on.python, on.numpy, on.platform, on.cpu, "failed" if outcome.reason else "ok",
        pack_id=template.pack_id if template is not None else None, output_hash=outcome.output_hash,
        script_path=path, script_sha256=before, reason=outcome.reason, reason_detail=outcome.detail or None,
    )  # fmt: skip
    run = _at(run, repo)
    if repo is not None:
        run = replace(run, artifacts=(_artifact(repo, path, before),))
    if outcome.report is not None:
        run = _with_report(run, outcome.report, repo)
    return Ran(run, None, outcome.tail)


def _outcome(
    argv: Sequence[str], folder: Path, limits: Limits, template: Template | None, stop: Callable[[], bool]
) -> Outcome:
    try:
        outcome = script.run_script(argv, folder, limits, (), stop)
    except OSError as error:
        name = Path(argv[0]).name
        raise RunRefused(
            Text(f"{name} cannot be started ({error.strerror}).", f"无法启动 {name}（{error.strerror}）。")
        ) from None
    if outcome.report is None or template is None:
        return outcome
    said = outcome.report.metrics
    missing = [name for name in template.metric_names if not {name, template.metrics.get(name, name)} & said.keys()]
    return replace(outcome, report=None, reason="missing-metric", detail=", ".join(missing)) if missing else outcome


def _with_report(run: Run, report: Report, repo: Repo | None) -> Run:
    run = replace(
        run,
        metrics=report.metrics,
        seed=run.seed if report.seed is None else report.seed,
        findings={"values": {name: {"value": value, "unit": ""} for name, value in report.values.items()}},
    )
    artifacts = list(run.artifacts)
    for path in report.artifacts if repo is not None else ():
        assert repo is not None
        found = git.hash_now(repo, path)
        if found is None:
            return replace(run, status="failed", reason="missing-artifact", reason_detail=path, metrics={}, findings={})
        artifacts.append(_artifact(repo, path, found))
    return replace(run, artifacts=tuple({one.path: one for one in artifacts}.values()))


def _artifact(repo: Repo, path: str, sha256: str) -> Artifact:
    return Artifact(path, sha256, git.hash_at(repo, repo.head, path) == sha256)


def _script_and_repo(request: ScriptRequest) -> tuple[Path, Repo | None]:
    file = request.script.resolve()
    if not file.is_file():
        raise RunRefused(Text(f"There is no script {request.script}.", f"没有脚本 {request.script}。"))
    for argument in (str(file), *request.arguments):
        if not _is_text(argument):
            raise RunRefused(Text("Give names and arguments in UTF-8.", "文件名和参数必须是 UTF-8。"))
    if has_secret(" ".join(request.arguments)):
        raise RunRefused(
            Text(
                "An argument looks like a token or a password: hand it over in an environment variable.",
                "有参数看起来像令牌或密码：请改用环境变量传递。",
            )
        )
    repo = _repo_or_none(git.find_repo(request.repo or file.parent))
    if repo is not None and repo.path_of(file) is None:
        raise RunRefused(
            Text(
                f"{file.name} lies outside the repository: name its own with --repo.",
                f"{file.name} 不在该仓库中：请用 --repo 指定它所在的仓库。",
            )
        )
    return file, repo


def _interpreter(name: str) -> str:
    """The full path of an interpreter, links kept: a virtual environment's `python` is one."""
    found = shutil.which(name)
    if found is None:
        raise RunRefused(
            Text(
                f"There is no interpreter {Path(name).name}; name one with --python.",
                f"没有解释器 {Path(name).name}；请用 --python 指定。",
            )
        )
    return os.path.abspath(found)  # noqa: PTH100 - Path.resolve would follow the link


def _is_text(word: str) -> bool:
    """Whether a word of the command line can be kept as text: bytes that were no UTF-8 cannot."""
    return all(not "\ud800" <= char <= "\udfff" for char in word)


def _check_seed(seed: int) -> None:
    if not 0 <= seed <= MOST_SEED:
        raise RunRefused(Text("Give a seed from 0 to 2^63 - 1.", "种子取 0 到 2^63 - 1。"))


def _repo_or_none(found: Repo | git.Why) -> Repo | None:
    return found if isinstance(found, Repo) else None


def _at(run: Run, repo: Repo | None) -> Run:
    if repo is None:
        return run
    folder = str(repo.root) if _is_text(str(repo.root)) else None
    return replace(run, repo_folder=folder, commit_sha=repo.head, dirty=repo.dirty)


def _plain(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in params.items()}


def shown_command(argv: Sequence[str], root: Path, who: Identity) -> str:
    """A command line as a document may show it: interpreter by name, paths relative to the repository, nothing personal."""
    python = re.sub(r"\.exe$", "", Path(argv[0]).name, flags=re.IGNORECASE)
    python = python if re.fullmatch(r"(python|pypy)[0-9.]*", python) else "python"
    return shlex.join([python, *(_shown(word, root, who) for word in argv[1:])])


def _shown(word: str, root: Path, who: Identity) -> str:
    head, mark, value = word.partition("=")
    if mark and head.startswith("-"):
        return f"{masked(head, who)}={_shown(value, root, who)}"
    path = Path(word)
    if not path.is_absolute():
        return masked(word, who)
    try:
        return masked(path.relative_to(root).as_posix(), who)
    except ValueError:
        return HIDDEN


def rerun(run: Run, template: Template | None, desk: Desk, *, folder: Path, limits: Limits, progress: Progress) -> Ran:
    """Run again what a recorded run says was run (never what a document says); the new run is for comparing only.

    Raises:
        RunRefused, NoSuchLab, ParamRefused: it cannot be run any more.
        Cancelled, Stopped: it was stopped.
    """
    if run.kind == "lab":
        return run_lab(run.lab or "", run.params, run.seed, desk, folder=folder, progress=progress)
    request = ScriptRequest(
        folder / (run.script_path or ""), run.argv[2:], run.argv[0], repo=folder, seed=run.seed, limits=limits
    )
    return run_script(request, template, desk)


__all__ = [
    "Desk",
    "Limits",
    "Ran",
    "ScriptRequest",
    "Stopped",
    "findings_of",
    "lab_command",
    "rerun",
    "run_lab",
    "run_script",
    "shown_command",
]
