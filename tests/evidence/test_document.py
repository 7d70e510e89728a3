"""The document: the template's own text, filled only with what a run recorded, read alike by YAML 1.1 and 1.2."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from content.safe_yaml import load_text
from evidence.document import default_template, fill, latest_for, preview, written
from evidence.errors import ExportRefused, TemplateRefused
from evidence.starter import STARTERS
from evidence.template import Template, find_templates, load_template, read_template

STARTER = STARTERS["weighted-mean"]
COURSE_TEMPLATE = """\
schema: learn-llm.evidence.v1
module: distributed-training-map
commit: <learner-commit-sha>
verified_at: <iso-date>
environment: <sanitized-python-device>
seed: 0
commands:
  - <your-numpy-allreduce-parity-command-if-run>
metrics:
  - name: weighted_mean_equals_global_mean
    expected: true
    actual: <recorded-value>
  - name: unequal_counts_allreduce_mismatches
    expected: true
    actual: <recorded-value>
  - name: equal_counts_allreduce_matches
    expected: true
    actual: <recorded-value>
artifacts:
  - <your-numpy-script-repo-relative-path>
cost:
  gross_usd: 0
  credit_usd: 0
licenses:
  - source: learn-llm chapters 09/12 and reference pages (harvest-only consolidation)
    license: internal
known_failures:
  - none
"""


class CoreSafeLoader(yaml.SafeLoader):
    """YAML 1.2's core schema: the other way in which readers take plain values."""


CoreSafeLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"^(true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("null", r"^(~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("int", r"^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?)$", "-+.0123456789"),
):
    CoreSafeLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)


def both(text: str) -> Any:
    """The document as both kinds of readers and our own see it, which must be the same."""
    one, two = yaml.safe_load(text), yaml.load(text, Loader=CoreSafeLoader)
    ours = load_text(text, Path("evidence.yaml"))
    assert not ours.faults
    assert one == two == ours.value
    return one


def test_the_shipped_template_is_that_of_the_page(course: Template) -> None:
    assert (course.folder / "evidence.template.yaml").read_text(encoding="utf-8") == COURSE_TEMPLATE


def test_with_nothing_recorded_the_template_comes_out_as_it_is(work: Any) -> None:
    made = work.export()
    assert made.filled.text == COURSE_TEMPLATE
    assert made.filled.status == "unfilled"
    assert not made.is_false
    assert {line.state for line in made.filled.lines if "<" in line.text} == {"unfilled"}
    assert {line.state for line in made.filled.lines if "<" not in line.text} == {"fixed"}


def test_a_script_run_fills_every_place_and_nothing_else(work: Any) -> None:
    run = work.run("--seed", "3")
    made = work.export()
    assert made.filled.status == "complete"
    value = both(made.filled.text)
    expected = yaml.safe_load(COURSE_TEMPLATE)
    assert list(value) == list(expected)
    expected |= {
        "commit": run.commit_sha,
        "verified_at": "2026-11-30",
        "environment": value["environment"],
        "seed": 3,
        "commands": [run.command],
        "artifacts": ["parity.py"],
        "metrics": [{**one, "actual": True} for one in expected["metrics"]],
    }
    assert value == expected
    assert value["environment"].startswith(f"Python {run.python}, numpy {run.numpy}, ")
    untouched = [line for line in COURSE_TEMPLATE.splitlines() if "<" not in line and line != "seed: 0"]
    assert [line.text for line in made.filled.lines if line.state == "fixed"] == untouched


def test_exporting_twice_gives_the_same_bytes(work: Any) -> None:
    run = work.run()
    assert work.export(run).filled.text == work.export(run).filled.text


def test_texts_stand_in_quotes_also_where_they_look_like_numbers_or_dates(work: Any) -> None:
    work.run()
    work.change(commit_sha=None, artifacts=(), command="0123")
    text = fill(work.template, replace(work.runs[-1], commit_sha="1234567" + "8" * 33)).text
    value = both(text)
    assert value["commit"] == "1234567" + "8" * 33
    assert value["commands"] == ["0123"]
    assert value["verified_at"] == "2026-11-30"


ODD_TEXTS = (
    *("1e5", "6E01", "25921e05", "1_000", "0x1F", "0123", "12:30", "2026-01-02", ".nan", ".inf"),
    *("no", "NO", "on", "y", "~", "null", "=", "", " a ", "a: b # c", "- x", "*id001", "&id001"),
    *("!!python/object:os.system", 'say "hi"', "back\\n", "第9章"),
    *("tab\there", "two\nlines", "\x1b[31m", "\u2028", "\U000e0001"),
)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_every_text_reads_back_as_that_text(text: str) -> None:
    assert both(f"key: {written(text)}\n" if text.isprintable() else "key: x\n")
    assert yaml.safe_load(written(text)) == yaml.load(written(text), Loader=CoreSafeLoader) == text
    assert written(text).isprintable()


@given(st.text())
def test_any_text_reads_back_as_that_text(text: str) -> None:
    assert yaml.safe_load(written(text)) == text
    if all(ord(char) < 0x10000 for char in text):
        assert json.loads(written(text)) == text


@given(st.one_of(st.booleans(), st.integers(-(10**17), 10**17), st.floats(-1e15, 1e15, allow_nan=False).map(float)))
def test_any_number_reads_back_as_that_number_or_as_a_text(value: bool | int | float) -> None:
    read = both(f"key: {written(value)}\n")["key"]
    assert read == value or read == str(value)


def test_a_false_metric_is_written_false_and_stated(work: Any) -> None:
    work.run("--n1", "8")
    made = work.export()
    value = both(made.filled.text)
    assert [one["actual"] for one in value["metrics"]] == [True, False, True]
    assert value["known_failures"] == [
        "unequal_counts_allreduce_mismatches: expected true, the recorded run gave false"
    ]
    assert made.is_false
    assert made.filled.status == "complete"


def test_a_failed_run_fills_nothing(work: Any) -> None:
    work.write("raise SystemExit(1)")
    work.commit()
    work.run()
    made = work.export()
    assert made.filled.text == COURSE_TEMPLATE
    assert made.is_false


def test_the_latest_run_is_taken_failed_or_not(work: Any) -> None:
    good = work.run()
    work.now_ms += 1000
    work.write("raise SystemExit(1)")
    bad = work.run()
    assert latest_for(work.template, [bad, good]) == latest_for(work.template, [good, bad]) == bad
    assert latest_for(work.template, []) is None


def test_a_built_in_lab_leaves_the_artifacts_open(work: Any) -> None:
    run = work.lab(seed=4)
    made = work.export()
    assert made.filled.status == "partial"
    value = both(made.filled.text)
    assert value["artifacts"] == ["<your-numpy-script-repo-relative-path>"]
    assert (value["commit"], value["seed"]) == (run.commit_sha, 4)
    assert value["commands"] == ["shardrill lab run weighted-mean --seed 4"]
    assert [line.text for line in made.filled.lines if line.state == "unfilled"] == [
        "  - <your-numpy-script-repo-relative-path>"
    ]


def test_a_run_outside_a_repository_names_no_commit(work: Any) -> None:
    work.run()
    made = fill(work.template, replace(work.runs[-1], commit_sha=None, dirty=None, artifacts=()))
    assert made.status == "partial"
    assert {line.text for line in made.lines if line.state == "unfilled"} == {
        "commit: <learner-commit-sha>",
        "  - <your-numpy-script-repo-relative-path>",
    }


def test_a_run_in_a_changed_tree_is_refused_or_stated(work: Any) -> None:
    work.write(STARTER + "# more\n")
    work.run()
    with pytest.raises(ExportRefused, match="uncommitted changes"):
        work.export()
    made = work.export(allow_dirty=True)
    assert both(made.filled.text)["known_failures"] == [
        "the run was made with uncommitted changes in the repository",
        "parity.py as it ran is not in the commit",
    ]
    assert made.filled.status == "complete"


def test_a_script_changed_since_the_run_is_refused_or_stated(work: Any) -> None:
    work.run()
    work.write(STARTER + "# more\n")
    with pytest.raises(ExportRefused, match="changed since the run"):
        work.export()
    assert both(work.export(allow_dirty=True).filled.text)["known_failures"] == ["parity.py was changed after the run"]
    work.commit()
    with pytest.raises(ExportRefused, match="changed since the run"):
        work.export()


def test_a_script_that_differs_at_head_is_refused(work: Any) -> None:
    work.run()
    work.write(STARTER + "# more\n")
    work.commit()
    work.write(STARTER)  # put back, but not committed
    with pytest.raises(ExportRefused, match="at HEAD"):
        work.export()


def test_later_commits_that_leave_the_script_alone_do_no_harm(work: Any) -> None:
    run = work.run()
    work.write("x", "notes.md")
    assert work.commit() != run.commit_sha
    assert both(work.export().filled.text)["commit"] == run.commit_sha


@pytest.mark.parametrize("allow_dirty", [False, True])
def test_a_missing_script_an_unknown_commit_and_no_repository_are_refused_whatever_is_allowed(
    work: Any, allow_dirty: bool
) -> None:
    work.run()
    (work.folder / "parity.py").unlink()
    with pytest.raises(ExportRefused, match="missing"):
        work.export(allow_dirty=allow_dirty)
    work.change(commit_sha="0" * 40)
    with pytest.raises(ExportRefused, match="does not know the commit"):
        work.export(allow_dirty=allow_dirty)
    (work.folder / ".git").rename(work.folder / "git")
    with pytest.raises(ExportRefused, match="not found"):
        work.export(allow_dirty=allow_dirty)


def test_something_personal_in_a_recorded_command_is_refused(work: Any) -> None:
    run = work.run("--seed", "1")
    with pytest.raises(ExportRefused, match="something personal"):
        work.export(replace(run, command="python parity.py --who wangwei"))


def test_a_script_named_after_the_learner_is_refused(work: Any) -> None:
    work.write(STARTER, "wangwei/parity.py")
    work.commit()
    run = work.run(name="wangwei/parity.py")
    assert "wangwei" not in run.command
    with pytest.raises(ExportRefused, match="personal name"):
        work.export()


def test_every_artifact_gets_a_line_of_its_own(work: Any) -> None:
    work.write(STARTER.replace('"seed": options.seed', '"artifacts": ["out/table.csv"]'))
    work.write("1\n", "out/table.csv")
    work.commit()
    work.run()
    assert '\nartifacts:\n  - "parity.py"\n  - "out/table.csv"\ncost:' in work.export().filled.text


def test_the_preview_asks_nobody(work: Any) -> None:
    run = work.run()
    assert preview(work.template, run).text == work.export().filled.text
    assert preview(work.template, None).status == "unfilled"
    assert preview(work.template, replace(run, status="failed")).status == "unfilled"


def test_another_page_is_filled_without_code(second_work: Any) -> None:
    run = second_work.lab("ring", cards=4)
    text = second_work.export().filled.text
    value = both(text)
    assert list(value) == list(second_work.template.value)
    assert (value["module"], value["seed"], value["commit"]) == ("ring-all-reduce", 0, run.commit_sha)
    assert value["commands"] == ["shardrill lab run ring --seed 0 --set cards=4"]
    assert value["metrics"] == [{"name": "bytes_fit_the_formula", "actual": True, "expected": True}]
    assert f'commit: "{run.commit_sha}"   # of your repository\n' in text
    assert text.startswith("# Fill this in when the ring ran.\n")
    assert value["known_failures"] == ["only two cards were tried"]


@pytest.mark.parametrize("name", ["bytes_fit_the_formula", "all_reduce_bytes_match"])
def test_a_script_may_use_the_documents_name_or_the_labs(second_work: Any, name: str) -> None:
    second_work.write(f'print(\'{{"metrics": {{"{name}": false}}}}\')')
    second_work.commit()
    second_work.run()
    value = both(second_work.export().filled.text)
    assert value["metrics"][0]["actual"] is False
    assert value["known_failures"] == [
        "only two cards were tried",
        "bytes_fit_the_formula: expected true, the recorded run gave false",
    ]


def test_runs_belong_to_their_page(work: Any, second_work: Any) -> None:
    mine, ring = work.run(), second_work.lab("ring")
    both_templates = [work.template, second_work.template]
    assert latest_for(second_work.template, [mine, ring]) == ring
    assert latest_for(work.template, [mine, ring]) == mine
    later = replace(ring, run_id="f" * 32)
    assert default_template(both_templates, [mine, later]) == second_work.template
    assert default_template(both_templates, [mine, later], mine) == work.template
    assert default_template(both_templates, []) == work.template
    assert default_template([], []) is None


def test_templates_are_found_in_folders_of_packs(course: Template, second: Template) -> None:
    found = find_templates([course.folder.parent, second.folder.parent, Path("/no/such/folder")])
    assert [one.pack_id for one in found] == ["distributed-training-map", "second-page"]
    assert found[1].title.zh == "另一页课程"
    assert (found[1].lab, found[1].metrics) == ("ring", {"bytes_fit_the_formula": "all_reduce_bytes_match"})


@pytest.mark.parametrize(
    ("template", "binding", "where"),
    [
        ("schema: x\n", None, "evidence.template.yaml:1: missing-key"),
        ("- a\n", None, "evidence.template.yaml:1: wrong-type"),
        ("schema: x\nmodule: y\nmetrics: z\n", None, "evidence.template.yaml:3: wrong-type"),
        ("schema: x\nmodule: y\nmetrics:\n  - name: a\n", None, "evidence.template.yaml:4: wrong-type"),
        ("schema: x\nmodule: y\nother: <fill>\n", None, "evidence.template.yaml:3: placeholder"),
        ("schema: x\nmodule: y\ncommands: [<a>, <b>]\n", None, "evidence.template.yaml:3: layout"),
        ("schema: x\nmodule: !!str y\n", None, "evidence.template.yaml:2: tag"),
        ("schema: x\nmodule: y\n", "lab: nowhere\n", "evidence.yaml:1: unknown-lab"),
        ("schema: x\nmodule: y\n", "labs: ring\n", "evidence.yaml:1: unknown-key"),
        ("schema: x\nmodule: y\n", "metrics: {a: b}\n", "evidence.yaml:1: unknown-metric"),
    ],
)
def test_a_faulty_template_names_file_and_line(tmp_path: Path, template: str, binding: str | None, where: str) -> None:
    (tmp_path / "evidence.template.yaml").write_text(template, encoding="utf-8")
    if binding is not None:
        (tmp_path / "evidence.yaml").write_text(binding, encoding="utf-8")
    with pytest.raises(TemplateRefused, match=where):
        load_template(tmp_path)


def test_a_pack_without_template_has_no_fault(tmp_path: Path) -> None:
    assert read_template(tmp_path) == (None, [])
