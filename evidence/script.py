"""Running the learner's own script in a process of its own, and reading its metrics from the last line it prints.

The last line that is not blank must be one JSON object:

    {"metrics": {"name": true, ...}, "seed": 0, "values": {"loss": 0.693}, "artifacts": ["out/table.csv"]}

Only `metrics` is required: true or false by name. `seed` is the seed the script used. `values` are numbers recorded along with
them. `artifacts` are files of the repository that the script wrote or rests on, relative to the repository.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Literal

Reason = Literal[
    "exit-code",
    "signal",
    "time-out",
    "too-much-output",
    "no-json",
    "no-metrics",
    "bad-name",
    "not-boolean",
    "missing-metric",
    "bad-seed",
    "bad-values",
    "bad-artifacts",
    "missing-artifact",
    "script-changed",
    "lab-error",
]
"""Why a run counts as failed. A detail goes with most: the exit code, the limit, the name of the metric."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,99}")
_MOST_METRICS = 64
_MOST_VALUES = 200
_MOST_ARTIFACTS = 32
_LINE_BYTES = 65_536
_TAIL_BYTES = 4_000
_POLL_S = 0.05
_PIPE_S = 2.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a script may run and how much it may print, standard output and standard error each."""

    time_s: float = 120.0
    output_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Report:
    """What a script said of itself."""

    metrics: Mapping[str, bool]
    seed: int | None = None
    values: Mapping[str, float | int] = field(default_factory=dict)
    artifacts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a script ended. `report` is None when `reason` says why not; `tail` is the end of its standard error."""

    report: Report | None
    reason: Reason | None
    detail: str
    output_hash: str
    tail: str


class Stopped(Exception):
    """The learner stopped the script; nothing of it counts."""


class Faulty(ValueError):
    """A last line that cannot be taken."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason} {detail}".strip())
        self.reason = reason
        self.detail = detail


def run_script(
    argv: Sequence[str], folder: Path, limits: Limits, wanted: Sequence[str], stop: Callable[[], bool] = lambda: False
) -> Outcome:
    """Start a program in `folder`, wait for it, and read its last line. `wanted` are metrics that must be in it.

    The whole process group is killed when the time is over, when too much is printed, when `stop` says so (asked some times
    a second), and what is left of it when the program itself has ended.

    Raises:
        OSError: it cannot be started.
        Stopped: `stop` said so.
    """
    process = _start(argv, folder)
    assert process.stdout is not None
    assert process.stderr is not None
    flooded, late = threading.Event(), threading.Event()
    out = _Reader(process.stdout, limits.output_bytes, flooded)
    said = _Reader(process.stderr, limits.output_bytes, flooded)

    def time_is_over() -> None:
        late.set()
        _kill(process)

    timer = threading.Timer(limits.time_s, time_is_over)
    timer.daemon = True
    timer.start()
    try:
        _wait(process, flooded, stop)
    finally:
        timer.cancel()
        _kill(process)
        process.wait()
    out.finish()
    said.finish()
    code = process.returncode
    reason, detail = _ending(code, limits, is_late=late.is_set(), is_flooded=flooded.is_set())
    return _outcome(reason, detail, out.data, said.tail, wanted)


def _outcome(reason: Reason | None, detail: str, out: bytes, tail: str, wanted: Sequence[str]) -> Outcome:
    digest = hashlib.sha256(out).hexdigest()
    if reason is not None:
        return Outcome(None, reason, detail, digest, tail)
    try:
        return Outcome(read_report(out, wanted), None, "", digest, tail)
    except Faulty as faulty:
        return Outcome(None, faulty.reason, faulty.detail, digest, tail)


def _ending(code: int, limits: Limits, *, is_late: bool, is_flooded: bool) -> tuple[Reason | None, str]:
    if is_flooded:
        return "too-much-output", str(limits.output_bytes)
    if code == 0:
        return None, ""  # it may have ended by itself in the moment in which the time was over
    if is_late:
        return "time-out", f"{limits.time_s:g}"
    return ("signal", str(-code)) if code < 0 else ("exit-code", str(code))


def _start(argv: Sequence[str], folder: Path) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(  # noqa: S603 - the learner's own script, without a shell
        list(argv),
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _wait(process: subprocess.Popen[bytes], flooded: threading.Event, stop: Callable[[], bool]) -> None:
    while True:
        try:
            process.wait(_POLL_S)
        except subprocess.TimeoutExpired:
            if flooded.is_set():
                _kill(process)
            elif stop():
                raise Stopped from None
        else:
            return


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the process and all it started (on Windows only itself: there are no groups to kill)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


class _Reader:
    """Takes what comes from a pipe in a thread of its own, up to a limit."""

    def __init__(self, pipe: IO[bytes], limit: int, flooded: threading.Event) -> None:
        self.data = b""
        self._pipe, self._limit, self._flooded = pipe, limit, flooded
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(self._pipe.fileno(), 65_536):
                self.data = (self.data + chunk)[: self._limit + 1]
                if len(self.data) > self._limit:
                    self._flooded.set()
                    return

    def finish(self) -> None:
        """Wait for the last bytes; something that left the group may keep the pipe open and is not waited for."""
        self._thread.join(_PIPE_S)
        if not self._thread.is_alive():
            self._pipe.close()

    @property
    def tail(self) -> str:
        """The end of what came, as text."""
        return self.data[-_TAIL_BYTES:].decode("utf-8", "replace").strip()


def read_report(output: bytes, wanted: Sequence[str] = ()) -> Report:
    """The report in the last line that is not blank.

    Raises:
        Faulty: the line is no report, or a wanted metric is missing.
    """
    lines = output.rstrip().rsplit(b"\n", 1)
    line = lines[-1].strip()
    if not line or len(line) > _LINE_BYTES:
        raise Faulty("no-json")
    try:
        said = json.loads(line.decode("utf-8"), object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except Faulty:
        raise
    except (ValueError, RecursionError):
        raise Faulty("no-json") from None
    if not isinstance(said, dict):
        raise Faulty("no-json")
    metrics = _metrics(said.get("metrics"))
    if missing := [name for name in wanted if name not in metrics]:
        raise Faulty("missing-metric", ", ".join(missing))
    return Report(metrics, _seed(said), _values(said.get("values", {})), _artifacts(said.get("artifacts", [])))


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Faulty("no-json", "duplicate key")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _metrics(said: object) -> dict[str, bool]:
    if not isinstance(said, dict) or not said or len(said) > _MOST_METRICS:
        raise Faulty("no-metrics")
    for name, value in said.items():
        if not _NAME.fullmatch(name):
            raise Faulty("bad-name", name[:40])
        if not isinstance(value, bool):
            raise Faulty("not-boolean", name)
    return dict(said)


def _seed(said: Mapping[str, object]) -> int | None:
    seed = said.get("seed")
    if seed is None:
        return None
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**63:
        raise Faulty("bad-seed")
    return seed


def _values(said: object) -> dict[str, float | int]:
    if not isinstance(said, dict) or len(said) > _MOST_VALUES:
        raise Faulty("bad-values")
    for name, value in said.items():
        if not _NAME.fullmatch(name) or isinstance(value, bool) or not isinstance(value, int | float):
            raise Faulty("bad-values", name[:40])
        if not abs(value) <= 1e300:  # NaN too; compared before a huge whole number is turned into a double
            raise Faulty("bad-values", name)
    return dict(said)


def _artifacts(said: object) -> tuple[str, ...]:
    if not isinstance(said, list) or len(said) > _MOST_ARTIFACTS:
        raise Faulty("bad-artifacts")
    for path in said:
        if not isinstance(path, str) or not 0 < len(path) <= 300 or not path.isprintable():
            raise Faulty("bad-artifacts")
    return tuple(dict.fromkeys(said))


__all__ = ["Faulty", "Limits", "Outcome", "Reason", "Report", "Stopped", "read_report", "run_script"]
