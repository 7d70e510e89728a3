"""What is kept of a run: enough to say exactly what ran, and to run it again."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from content.runs_store import add_run, all_runs, named
from content.store import Record
from evidence.errors import RunRefused
from evidence.runs import Limits, ScriptRequest, rerun, run_lab, run_script
from evidence.starter import STARTERS, write_starter

METRICS = (
    "weighted_mean_equals_global_mean",
    "unequal_counts_allreduce_mismatches",
    "equal_counts_allreduce_matches",
)


def test_a_run_of_the_starter_says_what_ran(work: Any) -> None:
    run = work.run("--seed", "3")
    assert run.status == "ok"
    assert run.metrics == dict.fromkeys(METRICS, True)
    assert run.seed == 3
    assert run.command.split()[1:] == ["parity.py", "--seed", "3"]
    assert run.argv == (sys.executable, "parity.py", "--seed", "3")
    assert (run.commit_sha, run.dirty) == (work.git("rev-parse", "HEAD"), False)
    assert (run.script_path, run.script_sha256) == (
        "parity.py",
        hashlib.sha256(STARTERS["weighted-mean"].encode()).hexdigest(),
    )
    (artifact,) = run.artifacts
    assert (artifact.path, artifact.committed) == ("parity.py", True)
    assert run.pack_id == "distributed-training-map"
    assert run.findings["values"]["weighted"]["value"] == run.findings["values"]["global_mean"]["value"]
    assert run.started_ms <= run.ended_ms


def test_a_wrong_weight_in_the_script_turns_a_metric_false(work: Any) -> None:
    work.write(STARTERS["weighted-mean"].replace("n1 / (n1 + n2) *", "n2 / (n1 + n2) *"))
    work.commit()
    run = work.run()
    assert run.status == "ok"
    assert run.metrics["weighted_mean_equals_global_mean"] is False
    assert not run.passed


def test_equal_counts_turn_the_second_metric_false(work: Any) -> None:
    assert work.run("--n1", "8").metrics["unequal_counts_allreduce_mismatches"] is False


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("raise SystemExit(2)", "exit-code"),
        ("print('{}')", "no-metrics"),
        ('print(\'{"metrics": {"weighted_mean_equals_global_mean": 1}}\')', "not-boolean"),
        ('print(\'{"metrics": {"weighted_mean_equals_global_mean": true}}\')', "missing-metric"),
    ],
)
def test_a_script_without_the_metrics_of_the_document_is_recorded_as_failed(work: Any, body: str, reason: str) -> None:
    work.write(body)
    work.commit()
    run = work.run()
    assert (run.status, run.reason, dict(run.metrics)) == ("failed", reason, {})
    assert not run.passed


def test_a_run_in_a_changed_tree_says_so(work: Any) -> None:
    work.write(STARTERS["weighted-mean"] + "# more\n")
    run = work.run()
    assert run.dirty
    assert not run.artifacts[0].committed


def test_a_script_outside_any_repository_is_run_without_commit(work: Any, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    write_starter("weighted-mean", alone / "parity.py")
    run = run_script(ScriptRequest(alone / "parity.py"), work.template, work.desk).run
    assert (run.status, run.commit_sha, run.dirty, run.artifacts) == ("ok", None, None, ())
    assert run.command.split()[1:] == ["parity.py"]


def test_a_script_in_a_folder_starts_at_the_root(work: Any) -> None:
    work.write(STARTERS["weighted-mean"], "labs/my parity.py")
    work.commit()
    run = work.run(name="labs/my parity.py")
    assert run.command.endswith("'labs/my parity.py'")
    assert run.artifacts[0].path == "labs/my parity.py"


def test_artifacts_that_the_script_names_are_hashed_and_must_exist(work: Any) -> None:
    report = STARTERS["weighted-mean"].replace('"seed": options.seed', '"artifacts": ["out/table.csv"], "seed": 0')
    work.write(report)
    work.commit()
    assert work.run().reason == "missing-artifact"
    work.write("1,2\n", "out/table.csv")
    work.commit()
    run = work.run()
    assert [(one.path, one.committed) for one in run.artifacts] == [("parity.py", True), ("out/table.csv", True)]


def test_a_script_that_changes_itself_fails(work: Any) -> None:
    work.write("import sys\nopen(sys.argv[0], 'a').write('# more')\n" + STARTERS["weighted-mean"].split('"""\n', 1)[1])
    work.commit()
    assert work.run().reason == "script-changed"


@pytest.mark.parametrize(
    ("request_of", "what"),
    [
        (lambda work: ScriptRequest(work.folder / "missing.py"), "There is no script"),
        (
            lambda work: ScriptRequest(work.folder / "parity.py", ("--token=ghp_abcdefghijklmnop",)),
            "looks like a token",
        ),
        (lambda work: ScriptRequest(work.folder / "parity.py", ("\udcff",)), "UTF-8"),
        (lambda work: ScriptRequest(work.folder / "parity.py", python="no-such-python"), "no interpreter"),
        (lambda work: ScriptRequest(work.folder / "parity.py", python="/bin/true"), "cannot be started as Python"),
        (lambda work: ScriptRequest(work.folder / "parity.py", seed=-1), "seed"),
    ],
)
def test_what_cannot_be_run_is_refused(work: Any, request_of: Any, what: str) -> None:
    with pytest.raises(RunRefused, match=what):
        run_script(request_of(work), work.template, work.desk)


def test_a_script_of_another_repository_is_refused(work: Any, second_work: Any) -> None:
    with pytest.raises(RunRefused, match="outside the repository"):
        run_script(ScriptRequest(work.folder / "parity.py", repo=second_work.folder), work.template, work.desk)


def test_a_lab_run_says_what_ran(work: Any) -> None:
    run = work.lab(seed=5, counts="3,9")
    assert run.command == "shardrill lab run weighted-mean --seed 5 --set counts=3,9"
    assert (run.lab, run.lab_version, run.params["counts"]) == ("weighted-mean", 1, [3, 9])
    assert run.passed
    assert run.numpy is not None
    assert run.findings["picture"]
    assert (run.commit_sha, run.artifacts) == (work.git("rev-parse", "HEAD"), ())


def test_a_lab_that_breaks_is_recorded_as_failed(work: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import evidence.runs

    class Broken(dict[str, Any]):
        def __getitem__(self, key: str) -> Any:
            from dataclasses import replace

            from evidence.lab import registry

            def broken(*_: Any) -> Any:
                raise ZeroDivisionError

            return replace(registry()[key], simulate=broken)

    monkeypatch.setattr(evidence.runs, "registry", Broken)
    run = run_lab("weighted-mean", {}, 0, work.desk, folder=work.folder, progress=lambda *_: None).run
    assert (run.status, run.reason, run.reason_detail) == ("failed", "lab-error", "ZeroDivisionError")


def test_runs_come_back_from_the_record_as_they_were(work: Any, tmp_path: Path) -> None:
    made = [work.lab(), work.run("--seed", "1")]
    with Record.open(tmp_path / "record", device="desk") as record:
        for run in made:
            add_run(record, run)
        back = all_runs(record)
    assert [run.run_id for run in back] == [made[1].run_id, made[0].run_id]
    assert back[0].metrics == made[1].metrics
    assert back[0].artifacts == made[1].artifacts
    assert back[1].findings == {**made[0].findings}
    assert back[0].device == "desk"
    assert named(back, made[0].run_id) == back[1]
    assert named(back, made[1].short_id) == back[0]
    assert named(back, made[0].run_id[:8]) is None  # both began in the same moment
    assert named(back, "") is None


def test_the_newest_run_has_the_highest_id_also_after_the_clock_was_set_back(work: Any, tmp_path: Path) -> None:
    first = work.lab()
    work.now_ms -= 60_000
    second = work.lab()
    assert second.run_id < first.run_id
    with Record.open(tmp_path / "record") as record:
        add_run(record, first)
        written = add_run(record, second)
        assert [run.run_id for run in all_runs(record)] == [written.run_id, first.run_id]
    assert written.started_ms == second.started_ms


@pytest.mark.parametrize("kind", ["lab", "script"])
def test_a_run_can_be_run_again(work: Any, kind: str) -> None:
    first = work.lab(seed=2, counts=(5, 6)) if kind == "lab" else work.run("--seed", "2")
    again = rerun(first, work.template, work.desk, folder=work.folder, limits=Limits(), progress=lambda *_: None).run
    assert (again.metrics, again.output_hash, again.command) == (first.metrics, first.output_hash, first.command)


def test_a_starter_is_written_once_and_only_for_its_lab(tmp_path: Path) -> None:
    write_starter("weighted-mean", tmp_path / "parity.py")
    with pytest.raises(RunRefused, match="left as it is") as refused:
        write_starter("weighted-mean", tmp_path / "parity.py")
    assert "未改动" in refused.value.text.zh
    with pytest.raises(RunRefused, match="no starter for ring"):
        write_starter("ring", tmp_path / "ring.py")
    with pytest.raises(RunRefused, match="cannot be written"):
        write_starter("weighted-mean", tmp_path / "missing" / "parity.py")
