"""Finding fault with a document: each fault has the line it is on; hostile files are refused before anything else."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evidence.check import check, rerun_findings
from evidence.starter import STARTERS

STARTER = STARTERS["weighted-mean"]
OPEN_LINES = [3, 4, 5, 8, 12, 15, 18, 20]


def line_of(text: str, start: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if line.startswith(start))


@pytest.fixture
def document(work: Any) -> str:
    """A complete document, made from a run."""
    work.run("--seed", "3")
    return str(work.export().filled.text)


def test_a_complete_document_has_no_fault(work: Any, document: str) -> None:
    checked = work.check(document)
    assert (checked.status, checked.findings, checked.run) == ("complete", (), work.runs[0])


def test_the_template_itself_is_unfilled_and_names_each_open_place(work: Any) -> None:
    checked = work.check(work.template.document.text)
    assert checked.status == "unfilled"
    assert [(one.line, one.rule) for one in checked.findings] == [(line, "placeholder") for line in OPEN_LINES]
    assert checked.faults == ()


def test_the_document_of_a_built_in_lab_is_partial(work: Any) -> None:
    work.lab()
    checked = work.check(work.export().filled.text)
    assert checked.status == "partial"
    assert [(one.line, one.rule) for one in checked.findings] == [(20, "placeholder")]


@pytest.mark.parametrize(
    ("pattern", "instead", "line", "rule"),
    [
        (r"^commit: .*$", 'commit: "' + "0" * 40 + '"', 3, "unsupported"),
        (r"^commit: .*$", "commit: 2026-01-02", 3, "unquoted-value"),
        (r"^commit: .*$", "commit: [a]", 3, "wrong-type"),
        (r"^verified_at: .*$", 'verified_at: "2027-01-01"', 4, "unsupported"),
        (r"^verified_at: .*$", "verified_at: 2026-11-30", 4, "unquoted-value"),
        (r"^environment: .*$", 'environment: "Python 3.9.0"', 5, "unsupported"),
        (r"^seed: 3$", "seed: 4", 6, "unsupported"),
        (r"^seed: 3$", 'seed: "3"', 6, "unsupported"),
        (r"--seed 3", "--seed 5", 8, "unsupported"),
        (r"    actual: true\n  - name: unequal", "    actual: false\n  - name: unequal", 12, "unsupported"),
        (r"    actual: true\n  - name: unequal", '    actual: "true"\n  - name: unequal', 12, "unsupported"),
        (r"    actual: true\n  - name: unequal", "    actual: NO\n  - name: unequal", 12, "unquoted-value"),
        (r"expected: true\n    actual: true\n  - name: unequal", "expected: false\n    actual: true\n  - name: unequal", 11,
         "not-of-template"),
        (r"name: weighted_mean_equals", "name: weighted_means_equal", 10, "not-of-template"),
        (r'^  - "parity.py"$', '  - "other.py"', 20, "unsupported"),
        (r'^  - "parity.py"$', '  - "parity.py"\n  - "<more>"', 21, "placeholder"),
        (r"gross_usd: 0", "gross_usd: 5", 22, "not-of-template"),
        (r"license: internal", "license: MIT", 26, "not-of-template"),
        (r"^schema: .*$", "schema: learn-llm.evidence.v2", 1, "not-of-template"),
        (r"^seed: 3$", "seed: 3\nauthor: somebody", 7, "unknown-key"),
        (r"^cost:\n.*\n.*\n", "", 1, "missing-key"),
        (r"^(schema: .*)\n(module: .*)$", r"\2\n\1", 1, "key-order"),
        (r"^    expected: true\n    actual: true$", "    actual: true\n    expected: true", 11, "key-order"),
        (r"^  - none$", "  - none of bob@x.example", 28, "personal-data"),
        (r"^  - none$", "  - none  # /home/bob/notes", 28, "personal-data"),
        (r"^  - none$", "  - made by wangwei on thinkpad-x1", 28, "personal-data"),
        (r"^  - none$", "  - token ghp_abcdefghijklmnop1234", 28, "personal-data"),
        (r"^  - none$", "  - 12:30", 28, "unquoted-value"),
    ],
)  # fmt: skip
def test_each_change_is_a_fault_on_its_line(finished: Any, pattern: str, instead: str, line: int, rule: str) -> None:
    document = finished.export().filled.text
    changed = re.sub(pattern, instead, document, count=1, flags=re.MULTILINE)
    assert changed != document
    assert (line, rule) in finished.rules(changed)


def test_a_list_of_metrics_is_the_templates(work: Any, document: str) -> None:
    fewer = document.replace("  - name: equal_counts_allreduce_matches\n    expected: true\n    actual: true\n", "")
    assert (10, "list-length") in work.rules(fewer)


def test_values_without_any_run_are_not_supported(work: Any, document: str) -> None:
    assert [rule for _, rule in work.rules(document, with_runs=False)] == ["unsupported"] * 8


def test_a_failed_run_supports_nothing(work: Any, document: str) -> None:
    work.change(status="failed")
    assert {rule for _, rule in work.rules(document)} == {"unsupported"}


def test_an_edited_script_is_found(work: Any, document: str) -> None:
    work.write(STARTER + "# more\n")
    assert work.rules(document) == [(20, "artifact-changed")]
    work.commit()
    assert work.rules(document) == [(20, "artifact-changed")]
    work.write(STARTER)
    assert work.rules(document) == [(20, "artifact-differs")]
    work.commit()
    assert work.rules(document) == []


def test_a_missing_script_and_an_unknown_commit_are_found(work: Any, document: str) -> None:
    (work.folder / "parity.py").unlink()
    assert work.rules(document) == [(20, "artifact-missing")]
    sha = work.change(commit_sha="1" * 40).commit_sha
    assert work.rules(re.sub(r"commit: .*", f'commit: "{sha}"', document)) == [(3, "unknown-commit")]


def test_a_document_whose_repository_is_not_there(work: Any, document: str) -> None:
    (work.folder / ".git").rename(work.folder / "git")
    assert work.rules(document) == [(3, "no-repository")]


def test_what_a_document_states_is_not_held_against_it(work: Any) -> None:
    work.write(STARTER + "# more\n")
    work.run()
    text = work.export(allow_dirty=True).filled.text
    assert work.rules(text) == []
    silent = re.sub(r"known_failures:\n(?s:.*)", "known_failures:\n  - none\n", text)
    assert [rule for _, rule in work.rules(silent)] == ["dirty", "not-in-commit"]


def test_a_false_metric_is_a_fault_and_silence_about_it_a_worse_one(work: Any) -> None:
    work.run("--n1", "8")
    text = work.export().filled.text
    assert work.rules(text) == [(line_of(text, "  - name: unequal") + 2, "metric-false")]
    silent = re.sub(r"known_failures:\n(?s:.*)", "known_failures:\n  - none\n", text)
    assert work.rules(silent) == [(15, "unstated-failure")]


def test_artifacts_outside_the_repository_are_no_artifacts(work: Any, document: str) -> None:
    for path in ("../parity.py", "/etc/passwd", ".git/config"):
        assert (20, "artifact-missing") in work.rules(document.replace('- "parity.py"', f'- "{path}"'))


BOMB = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9))


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ('module: !!python/object/apply:os.system ["touch sprung"]\n', 1, "tag"),
        (BOMB, 2, "too-many-aliases"),
        ("a: b\n\tc: d\n", 2, "tab"),
        ("module: a\nseed: 0\nmodule: b\n", 3, "duplicate-key"),
        ("", 1, "empty-file"),
        ("a: b\n---\nc: d\n", 2, "more-than-one-document"),
        ("a: [b\n", 2, "syntax"),
        ("- a\n", 1, "wrong-type"),
        ("a: 1\n", 1, "unknown-module"),
        ("a: \x1b[31m\n", 1, "control-character"),
        (b"a: \xff\n", 1, "not-utf-8"),
        ("a: " + "[" * 50 + "]" * 50 + "\n", 1, "too-deep"),
        ("a:\n" + "  - b\n" * 30_000, 1999, "too-many-nodes"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)
def test_a_hostile_file_is_refused_with_a_line(finished: Any, text: str | bytes, line: int, rule: str) -> None:
    checked = finished.check(text)
    assert checked.status == "refused"
    assert rule in [one.rule for one in checked.findings if one.line == line]
    assert not (finished.folder / "sprung").exists()


def test_fifty_megabytes_are_not_read(work: Any) -> None:
    file = work.folder / "evidence.yaml"
    with file.open("wb") as stream:
        stream.truncate(50_000_000)
    checked = check(file, [work.template], [], lambda _run: None, work.who)
    assert [(one.line, one.rule) for one in checked.findings] == [(1, "too-large")]


def test_a_missing_file_and_a_folder_are_refused(work: Any, tmp_path: Path) -> None:
    for file in (tmp_path / "missing.yaml", tmp_path):
        assert check(file, [work.template], [], lambda _run: None, work.who).status == "refused"


def test_a_second_run_is_compared_metric_by_metric(work: Any, document: str) -> None:
    checked = work.check(document)
    first = work.runs[0]
    assert rerun_findings(checked, first) == ()
    other = replace(first, metrics={**first.metrics, "equal_counts_allreduce_matches": False})
    assert [(one.line, one.rule) for one in rerun_findings(checked, other)] == [(18, "rerun-differs")]
    failed = replace(first, status="failed")
    assert [(one.line, one.rule) for one in rerun_findings(checked, failed)] == [(9, "rerun-failed")]


def test_another_page_is_checked_without_code(second_work: Any) -> None:
    second_work.lab("ring", cards=4)
    text = second_work.export().filled.text
    assert second_work.rules(text) == [(line_of(text, "  - <script>"), "placeholder")]
    wrong = text.replace("actual: true", "actual: false")
    assert "unsupported" in [rule for _, rule in second_work.rules(wrong)]


def test_every_finding_speaks_both_languages(work: Any, document: str) -> None:
    changed = document.replace("seed: 3", "seed: 4\nmore: 1").replace("license: internal", "license: MIT")
    for one in work.check(changed).findings:
        assert one.text.en
        assert re.search(r"[\u4e00-\u9fff]", one.text.zh)
