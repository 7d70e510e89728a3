"""From a new script to a document that holds, and one that no longer does: the installed program in a git repository."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from content.store import Record

COMMAND = Path(sys.executable).parent / "shardrill"
SECOND = Path(__file__).parents[1] / "evidence" / "packs" / "second"


class Learner:
    """A learner with a repository and a data folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.repo, self.home = folder / "repo", folder / "home"
        self.repo.mkdir()
        self.git("init", "-q")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=n", "-c", "user.email=e@x.example", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *words], cwd=self.repo, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "work")

    def shardrill(self, *words: str, code: int = 0) -> str:
        """What the program prints; its exit code must be `code`, and standard error holds no traceback."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        env = {
            **kept,
            "LANG": "C.UTF-8",
            "SHARDRILL_HOME": str(self.home),
            "SHARDRILL_NOW": "2026-11-30T23:30:00-05:00",
        }
        done = subprocess.run(
            [COMMAND, *words], cwd=self.repo, env=env, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        self.said = done.stderr
        return done.stdout


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


def test_new_commit_run_export_check_edit_check_again(learner: Learner) -> None:
    unfilled = learner.shardrill("evidence", "export", code=3)
    assert "commit: <learner-commit-sha>" in unfilled

    learner.shardrill("lab", "new", "weighted-mean", "-o", "parity.py")
    learner.shardrill("lab", "new", "weighted-mean", "-o", "parity.py", code=2)
    learner.commit()
    told = json.loads(learner.shardrill("lab", "run", "--script", "parity.py", "--json", "--", "--seed", "3"))
    assert told["schema"] == "shardrill.lab-run.v1"
    assert (told["status"], told["passed"], told["seed"], told["dirty"]) == ("ok", True, 3, False)

    learner.shardrill("evidence", "export", "-o", "evidence.yaml")
    text = (learner.repo / "evidence.yaml").read_text(encoding="utf-8")
    assert learner.shardrill("evidence", "export") == text
    value = yaml.safe_load(text)
    assert value["commit"] == learner.git("rev-parse", "HEAD")
    assert value["verified_at"] == "2026-12-01"  # UTC
    assert value["artifacts"] == ["parity.py"]
    assert [one["actual"] for one in value["metrics"]] == [True, True, True]
    assert str(learner.repo) not in text

    assert learner.shardrill("evidence", "check", "evidence.yaml", "--rerun") == ""
    with (learner.repo / "parity.py").open("a", encoding="utf-8") as script:
        script.write("# edited\n")
    found = learner.shardrill("evidence", "check", "evidence.yaml", code=1)
    assert found.startswith("evidence.yaml:20: artifact-changed: parity.py was changed since the run")
    refused = json.loads(learner.shardrill("evidence", "check", "evidence.yaml", "--json", code=1))
    assert [(one["line"], one["rule"]) for one in refused["faults"]] == [(20, "artifact-changed")]
    learner.shardrill("evidence", "export", code=5)
    learner.shardrill("evidence", "export", "--allow-dirty")
    assert "Known failure" in learner.said


def test_a_built_in_lab_gives_a_partial_document(learner: Learner) -> None:
    learner.git("commit", "-q", "--allow-empty", "-m", "empty")
    learner.shardrill("lab", "run", "weighted-mean", "--set", "counts=3,9")
    assert "\r" not in learner.said  # no progress line where there is no terminal
    text = learner.shardrill("evidence", "export", "-o", "evidence.yaml", code=4)
    assert text == ""
    learner.shardrill("evidence", "check", "evidence.yaml", "--rerun", code=4)
    runs = json.loads(learner.shardrill("lab", "runs", "--json"))["runs"]
    assert [run["command"] for run in runs] == ["shardrill lab run weighted-mean --seed 0 --set counts=3,9"]
    assert learner.shardrill("evidence", "export", "--run", runs[0]["run"][-8:], code=4).startswith("schema: ")
    learner.shardrill("evidence", "export", "--run", "ffffffff", code=2)


def test_a_failed_run_and_a_false_metric_end_with_one(learner: Learner) -> None:
    (learner.repo / "parity.py").write_text("import time; time.sleep(60)", encoding="utf-8")
    learner.commit()
    learner.shardrill("lab", "run", "--script", "parity.py", "--time-limit", "0.5", code=1)
    assert "longer than 0.5 s" in learner.said
    assert "<recorded-value>" in learner.shardrill("evidence", "export", code=1)
    (learner.repo / "parity.py").unlink()
    learner.shardrill("lab", "new", "weighted-mean", "-o", "parity.py")
    learner.commit()
    learner.shardrill("lab", "run", "--script", "parity.py", "--", "--n1", "8", code=1)
    text = learner.shardrill("evidence", "export", code=1)
    assert "actual: false" in text
    assert "expected true, the recorded run gave false" in text


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_script_does_not_outlive_the_program(learner: Learner, number: int) -> None:
    body = "import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n"
    (learner.repo / "parity.py").write_text(body, encoding="utf-8")
    env = {**os.environ, "SHARDRILL_HOME": str(learner.home)}
    words = [COMMAND, "lab", "run", "--script", "parity.py"]
    program = subprocess.Popen(words, cwd=learner.repo, env=env, stderr=subprocess.PIPE)
    pid = learner.repo / "pid"
    wait_until(lambda: pid.exists() and pid.read_text() != "")
    program.send_signal(number)
    _, said = program.communicate(timeout=20)
    assert program.returncode == 128 + number
    assert b"Traceback" not in said
    wait_until(lambda: not is_running(int(pid.read_text())))
    assert json.loads(learner.shardrill("lab", "runs", "--json"))["runs"] == []


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(400):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come")


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_second_pack_brings_its_own_document(learner: Learner) -> None:
    shutil.copytree(SECOND, learner.home / "packs" / "second")
    learner.git("commit", "-q", "--allow-empty", "-m", "empty")
    learner.shardrill("lab", "run", "ring")
    text = learner.shardrill("evidence", "export", code=4)  # the newest run says which document
    assert "module: ring-all-reduce" in text
    assert "module: distributed-training-map" in learner.shardrill(
        "evidence", "export", "--pack", "distributed-training-map", code=3
    )
    (learner.repo / "mine.py").write_text('print(\'{"metrics": {"bytes_fit_the_formula": true}}\')', encoding="utf-8")
    learner.commit()
    learner.shardrill("lab", "run", "--script", "mine.py", "--pack", "second-page")
    learner.shardrill("evidence", "export", "-o", "ring.yaml")
    learner.shardrill("evidence", "check", "ring.yaml")


def test_documents_can_be_written_while_another_program_has_the_record_and_runs_are_refused_before_they_begin(
    learner: Learner,
) -> None:
    learner.git("commit", "-q", "--allow-empty", "-m", "empty")
    learner.shardrill("lab", "run", "weighted-mean")
    with Record.open(learner.home):
        learner.shardrill("evidence", "export", code=4)
        learner.shardrill("lab", "run", "weighted-mean", code=5)
        assert "in use by another shardrill" in learner.said


def test_pack_check_reads_the_template_too(learner: Learner) -> None:
    pack = shutil.copytree(SECOND, learner.repo / "second")
    assert learner.shardrill("pack", "check", "second") == ""
    (pack / "evidence.yaml").write_text("lab: nowhere\n", encoding="utf-8")
    assert "evidence.yaml:1: unknown-lab: " in learner.shardrill("pack", "check", "second", code=1)


@pytest.mark.parametrize(
    "words",
    [
        ("lab", "run"),
        ("lab", "run", "nowhere"),
        ("lab", "run", "weighted-mean", "--set", "counts"),
        ("lab", "run", "weighted-mean", "--set", "counts=0,1"),
        ("lab", "run", "weighted-mean", "--seed", "-1"),
        ("lab", "run", "--script", "missing.py"),
        ("lab", "new", "nowhere", "-o", "x.py"),
        ("evidence", "export", "--pack", "nowhere"),
        ("evidence", "export", "-o", "notes.txt"),
        ("evidence", "check", "missing.yaml"),
    ],
)
def test_wrong_usage_is_one_sentence_and_code_2(learner: Learner, words: tuple[str, ...]) -> None:
    (learner.repo / "notes.txt").write_text("mine", encoding="utf-8")
    learner.shardrill(*words, code=2)
    assert (learner.repo / "notes.txt").read_text(encoding="utf-8") == "mine"
    assert not (learner.repo / "x.py").exists()


def test_a_hostile_document_is_refused_with_a_line(learner: Learner) -> None:
    (learner.repo / "bad.yaml").write_text(
        "schema: x\nmodule: !!python/object/apply:os.system [ls]\n", encoding="utf-8"
    )
    assert "bad.yaml:2: tag: " in learner.shardrill("evidence", "check", "bad.yaml", code=5)
    assert "bad.yaml:2: tag: 去掉标签" in learner.shardrill("--lang", "zh", "evidence", "check", "bad.yaml", code=5)


def test_labs_are_listed(learner: Learner) -> None:
    listed = json.loads(learner.shardrill("lab", "list", "--json"))["labs"]
    assert listed[0]["id"] == "weighted-mean"
    assert "token 数不等" in learner.shardrill("--lang", "zh", "lab", "list")
