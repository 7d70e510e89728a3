"""A learner's script in its own process: what counts as a report, and every way in which a run fails."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from evidence.script import Faulty, Limits, Outcome, Stopped, read_report, run_script

GOOD = '{"metrics": {"equal": true}}'


def outcome(tmp_path: Path, body: str, **limits: float) -> Outcome:
    (tmp_path / "s.py").write_text(body, encoding="utf-8")
    return run_script([sys.executable, "s.py"], tmp_path, Limits(**limits), ())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "no-json"),
        ("done", "no-json"),
        ("[1]", "no-json"),
        ('{"metrics": {"equal": true}', "no-json"),
        ('{"metrics": {"equal": true, "equal": true}}', "no-json"),
        ('{"metrics": {"equal": NaN}}', "no-json"),
        ('{"metrics": ' + "[" * 5000 + "]" * 5000 + "}", "no-json"),
        ("{}", "no-metrics"),
        ('{"metrics": {}}', "no-metrics"),
        ('{"metrics": [true]}', "no-metrics"),
        ('{"metrics": {"equal": 1}}', "not-boolean"),
        ('{"metrics": {"equal": "true"}}', "not-boolean"),
        ('{"metrics": {"equal": null}}', "not-boolean"),
        ('{"metrics": {"a b": true}}', "bad-name"),
        ('{"metrics": {"equal": true}, "seed": -1}', "bad-seed"),
        ('{"metrics": {"equal": true}, "seed": true}', "bad-seed"),
        ('{"metrics": {"equal": true}, "values": {"loss": 1e999}}', "bad-values"),
        ('{"metrics": {"equal": true}, "values": {"loss": "x"}}', "bad-values"),
        ('{"metrics": {"equal": true}, "artifacts": "a.txt"}', "bad-artifacts"),
    ],
)
def test_a_last_line_that_is_no_report(line: str, reason: str) -> None:
    with pytest.raises(Faulty) as faulty:
        read_report(f"working\n{line}\n".encode())
    assert faulty.value.reason == reason


def test_a_wanted_metric_must_be_there() -> None:
    with pytest.raises(Faulty, match="other") as faulty:
        read_report(GOOD.encode(), ["equal", "other"])
    assert faulty.value.reason == "missing-metric"


def test_the_last_line_that_is_not_blank_is_the_report() -> None:
    said = {"metrics": {"equal": False}, "seed": 7, "values": {"loss": 0.5, "n": 10**30}, "artifacts": ["out/a.csv"]}
    report = read_report(f"损失\n{{}}\n{json.dumps(said)}\r\n\n  \n".encode())
    assert report.metrics == {"equal": False}
    assert (report.seed, report.values, report.artifacts) == (7, {"loss": 0.5, "n": 10**30}, ("out/a.csv",))


def test_a_script_that_reports_is_read(tmp_path: Path) -> None:
    found = outcome(tmp_path, f"import sys\nprint('hello', file=sys.stderr)\nprint('{GOOD}')")
    assert found.reason is None
    assert found.report is not None
    assert found.report.metrics == {"equal": True}
    assert found.tail == "hello"


@pytest.mark.parametrize(
    ("body", "reason", "detail"),
    [
        (f"print('{GOOD}'); raise SystemExit(3)", "exit-code", "3"),
        (f"print('{GOOD}'); raise ValueError('x')", "exit-code", "1"),
        (f"import os, signal\nprint('{GOOD}', flush=True)\nos.kill(os.getpid(), signal.SIGTERM)", "signal", "15"),
        ("import sys; sys.stdout.buffer.write(bytes([255, 254]))", "no-json", ""),
        ("pass", "no-json", ""),
    ],
)
def test_a_script_that_ends_badly_reports_nothing(tmp_path: Path, body: str, reason: str, detail: str) -> None:
    found = outcome(tmp_path, body)
    assert (found.report, found.reason, found.detail) == (None, reason, detail)


def test_the_time_limit_ends_the_script_and_what_it_started(tmp_path: Path) -> None:
    body = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pid", "w").write(str(child.pid))
print('{GOOD}', flush=True)
time.sleep(60)
"""
    began = time.monotonic()
    found = outcome(tmp_path, body, time_s=1.0)
    assert (found.reason, found.detail) == ("time-out", "1")
    assert time.monotonic() - began < 10
    assert is_gone(int((tmp_path / "pid").read_text()))


def test_what_a_script_leaves_running_is_ended_with_it(tmp_path: Path) -> None:
    body = f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open("pid", "w").write(str(child.pid))
print('{GOOD}')
"""
    assert outcome(tmp_path, body).reason is None
    assert is_gone(int((tmp_path / "pid").read_text()))


def is_gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True  # ended; nobody has waited for it yet
        time.sleep(0.05)
    return False


def test_the_output_limit_ends_the_script(tmp_path: Path) -> None:
    found = outcome(tmp_path, "while True: print('x' * 1000)", output_bytes=10_000)
    assert (found.reason, found.detail) == ("too-much-output", "10000")


def test_a_script_can_be_stopped(tmp_path: Path) -> None:
    (tmp_path / "s.py").write_text("import time; time.sleep(60)", encoding="utf-8")
    asked = iter([False, False, True])
    with pytest.raises(Stopped):
        run_script([sys.executable, "s.py"], tmp_path, Limits(), (), lambda: next(asked))


def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    body = (
        'import sys, json\nprint(json.dumps({"metrics": {"same": sys.argv[1:] == ["$(touch x)", "; touch y", "*"]}}))'
    )
    (tmp_path / "s.py").write_text(body, encoding="utf-8")
    found = run_script([sys.executable, "s.py", "$(touch x)", "; touch y", "*"], tmp_path, Limits(), ())
    assert found.report is not None
    assert found.report.metrics == {"same": True}
    assert {file.name for file in tmp_path.iterdir()} == {"s.py"}
