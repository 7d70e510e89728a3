"""Finding fault with an evidence document: every fault with its line, a rule and what to do.

Three things are held against it: its pack's template (keys, order, what is fixed), the runs of this record (every value must be
one that a run recorded), and the learner's repository (the commit is known, the artifacts are what ran).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from content.runs_store import Run
from content.safe_yaml import Document, Limits, load
from evidence import check_words as words
from evidence.check_shape import shape_findings
from evidence.check_words import Finding, Path_
from evidence.document import Status, agrees, concerns, metric_of, supported
from evidence.git import Repo, knows_commit
from evidence.privacy import Identity, personal
from evidence.standing import objections
from evidence.template import LISTS, NOTHING_FAILED, Template, is_placeholder

LIMITS = Limits(bytes=200_000, nodes=2_000, depth=8, scalar_chars=4_000, aliases=0)
_MILD = frozenset({"unquoted-value", "empty-value", "too-long"})
"""Faults of a hand-edited file. Any other fault of the reader's refuses the file."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found. `run` is the recorded run that supports every value, None where there is none."""

    file: Path
    status: Status | Literal["refused"]
    findings: tuple[Finding, ...]
    template: Template | None = None
    run: Run | None = None
    document: Document | None = field(default=None, repr=False)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """Findings beside places that are not filled yet."""
        return tuple(one for one in self.findings if one.rule != "placeholder")


def check(
    file: Path,
    templates: Sequence[Template],
    runs: Sequence[Run],
    repo_of: Callable[[Run | None], Repo | None],
    who: Identity,
) -> Checked:
    """Check a document. `repo_of` gives the learner's repository once it is known which run the document speaks of."""
    document = load(file, LIMITS)
    refused = [words.of_reader(fault) for fault in document.faults if fault.rule not in _MILD]
    if refused or not isinstance(document.value, dict):
        return Checked(file, "refused", tuple(refused) or (words.no_document(),))
    template = _template_for(document, templates)
    if template is None:
        return Checked(file, "refused", (words.unknown_module(document, [one.module for one in templates]),))
    findings = [words.of_reader(fault) for fault in document.faults]
    findings += shape_findings(template, document)
    status = status_of(template, document.value)
    claims = claims_of(template, document.value)
    run = None
    if status != "unfilled":
        run, unsupported = _support(template, document, claims, [one for one in runs if concerns(template, one)])
        findings += unsupported
        findings += _about_repository(document, claims, run, repo_of(run), who)
        findings += _about_failures(template, document, claims)
    findings += _personal(template, document, who)
    return Checked(file, status, words.ordered(findings), template, run, document)


def _template_for(document: Document, templates: Sequence[Template]) -> Template | None:
    wanted = document.value.get("module")
    return next((one for one in templates if one.module == wanted), None)


def status_of(template: Template, value: Mapping[str, Any]) -> Status:
    """How much of the template's places a document has filled."""
    waiting = [slot.path for slot in template.slots if is_placeholder(_at(template.value, slot.path))]
    done = sum(not _is_open(_at(value, path)) for path in waiting)
    lists = [value.get(key) for key in LISTS]
    open_items = any(is_placeholder(item) for items in lists if isinstance(items, list) for item in items)
    if done == len(waiting) and not open_items:
        return "complete"
    return "partial" if done else "unfilled"


def _is_open(value: object) -> bool:
    return value is None or is_placeholder(value)


def _at(value: Any, path: Path_) -> Any:
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def claims_of(template: Template, value: Mapping[str, Any]) -> dict[Path_, Any]:
    """What a document says of a run, by place; a list that is still open says nothing."""
    claims: dict[Path_, Any] = {}
    for key in ("commit", "verified_at", "environment", "seed"):
        if key in template.value and not _is_open(value.get(key)):
            claims[(key,)] = value[key]
    for key in LISTS:
        items = value.get(key)
        if key in template.value and isinstance(items, list) and not all(_is_open(item) for item in items):
            claims[(key,)] = [item for item in items if not _is_open(item)]
    for index in range(len(template.metric_names)):
        actual = _at(value, ("metrics", index, "actual"))
        if not _is_open(actual):
            claims[("metrics", index, "actual")] = actual
    return claims


def run_claims(template: Template, run: Run) -> dict[Path_, Any]:
    """The same for what a recorded run supports."""
    said = supported(template, run)
    claims: dict[Path_, Any] = {path: values[0] for path, values in said.items() if path[0] not in LISTS}
    for key in LISTS:
        found = list(said.get((key, 0), ()))
        fixed = [item for item in template.value.get(key, []) if not is_placeholder(item)]
        if found or fixed:
            claims[(key,)] = found if not fixed else [*fixed, *found]
    return claims


def _support(
    template: Template, document: Document, claims: Mapping[Path_, Any], runs: Sequence[Run]
) -> tuple[Run | None, list[Finding]]:
    """The run that supports all claims, or what the nearest one says otherwise."""
    nearest: tuple[Run, list[Path_]] | None = None
    for run in sorted((one for one in runs if one.status == "ok"), key=lambda one: one.run_id, reverse=True):
        said = run_claims(template, run)
        wrong = [path for path, value in claims.items() if not _same(value, said.get(path))]
        if not wrong:
            return run, []
        if nearest is None or len(wrong) < len(nearest[1]):
            nearest = run, wrong
    if nearest is None:
        return None, [words.no_run(document, path) for path in claims if path != ("seed",)]
    run, wrong = nearest
    said = run_claims(template, run)
    return None, [words.unsupported(document, path, run, said.get(path)) for path in wrong]


def _same(claimed: Any, said: Any) -> bool:
    if isinstance(claimed, list) and isinstance(said, list):
        return sorted(map(str, claimed)) == sorted(map(str, said))
    return type(claimed) is type(said) and agrees(claimed, said)


def _about_repository(
    document: Document,
    claims: Mapping[Path_, Any],
    run: Run | None,
    repo: Repo | None,
    who: Identity,
) -> Iterator[Finding]:
    stated = document.value.get("known_failures")
    stated = stated if isinstance(stated, list) else []
    if run is not None:
        for one in objections(run, repo, who):
            if not one.allowed_when_stated or one.statement not in stated:
                yield words.objection(document, one)
        return
    commit = claims.get(("commit",))
    if commit is not None and repo is None:
        yield Finding(document.line_of(("commit",)), "no-repository", words.NO_REPOSITORY)
    elif repo is not None and commit is not None and not (isinstance(commit, str) and knows_commit(repo, commit)):
        yield Finding(document.line_of(("commit",)), "unknown-commit", words.UNKNOWN_COMMIT)
    for index, path in enumerate(document.value.get("artifacts") or ()):
        if repo is not None and isinstance(path, str) and not is_placeholder(path) and repo.file(path) is None:
            yield words.missing_artifact(document, index, path)


def _about_failures(template: Template, document: Document, claims: Mapping[Path_, Any]) -> Iterator[Finding]:
    """A metric that is not as expected: the document may say so, and must."""
    is_silent = document.value.get("known_failures") == [NOTHING_FAILED]
    for index, name in enumerate(template.metric_names):
        expected = template.value["metrics"][index]["expected"]
        path: Path_ = ("metrics", index, "actual")
        if path in claims and not agrees(expected, claims[path]):
            yield words.false_metric(document, path, name, is_silent=is_silent)


def _personal(template: Template, document: Document, who: Identity) -> Iterator[Finding]:
    own = set(template.lines)
    for number, line in enumerate(document.text.split("\n"), start=1):
        if line in own:
            continue
        kinds = personal(line, who)
        if line.startswith("environment:"):  # a processor may be named like somebody
            kinds = tuple(kind for kind in kinds if kind not in ("user", "host"))
        if kinds:
            yield words.personal(number, kinds)


def rerun_findings(checked: Checked, again: Run) -> tuple[Finding, ...]:
    """How a second run differs from what the document says of the first."""
    document, template = checked.document, checked.template
    assert document is not None
    assert template is not None
    if again.status != "ok":
        return (words.rerun_failed(document),)
    found = []
    for path, value in claims_of(template, document.value).items():
        if path[0] == "metrics":
            now = metric_of(template, again, template.metric_names[int(path[1])])
            if not _same(value, now):
                found.append(words.rerun_differs(document, path, now))
    return tuple(found)


__all__ = ["Checked", "Finding", "check", "claims_of", "rerun_findings", "run_claims", "status_of"]
