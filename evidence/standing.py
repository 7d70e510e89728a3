"""How a recorded run stands against the learner's repository as it is now: what keeps it from being shown as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from content.cards import Text
from content.runs_store import Artifact, Run
from evidence.git import Repo, hash_at, hash_now, knows_commit
from evidence.privacy import Identity, personal

Code = Literal[
    "dirty",
    "not-in-commit",
    "changed-since",
    "differs-at-head",
    "missing",
    "unknown-commit",
    "no-repository",
    "personal-path",
]
ALLOWED_WHEN_STATED: frozenset[Code] = frozenset({"dirty", "not-in-commit", "changed-since", "differs-at-head"})
"""What `--allow-dirty` lets pass; the document then says it."""

_SAYS: dict[Code, Text] = {
    "dirty": Text(
        "The repository had uncommitted changes when this ran: commit them and run again, or pass --allow-dirty.",
        "运行时仓库有未提交的改动：请提交后重新运行，或加 --allow-dirty。",
    ),
    "not-in-commit": Text(
        "{path} as it ran is not in the commit: commit it and run again, or pass --allow-dirty.",
        "运行时的 {path} 不在该提交中：请提交后重新运行，或加 --allow-dirty。",
    ),
    "changed-since": Text(
        "{path} was changed since the run: run it again, or put it back as it was.",
        "{path} 在运行之后被修改：请重新运行，或恢复原样。",
    ),
    "differs-at-head": Text(
        "{path} at HEAD is not what ran: commit what ran, or run what is committed.",
        "HEAD 中的 {path} 与运行的不同：请提交运行过的版本，或运行已提交的版本。",
    ),
    "missing": Text(
        "{path} is missing from the repository: put it back, or run again.",
        "仓库中没有 {path}：请恢复它，或重新运行。",
    ),
    "unknown-commit": Text(
        "The repository does not know the commit of this run: name the right one with --repo, or run again.",
        "该仓库中没有这次运行的提交：请用 --repo 指定正确的仓库，或重新运行。",
    ),
    "no-repository": Text(
        "The repository in which this ran was not found: name it with --repo.",
        "找不到这次运行所在的仓库：请用 --repo 指定。",
    ),
    "personal-path": Text(
        "{path} holds a personal name: rename it and run again.",
        "{path} 含有个人信息：请改名后重新运行。",
    ),
}
_STATES: dict[Code, str] = {
    "dirty": "the run was made with uncommitted changes in the repository",
    "not-in-commit": "{path} as it ran is not in the commit",
    "changed-since": "{path} was changed after the run",
    "differs-at-head": "{path} at HEAD is not what ran",
}


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that keeps a run from being shown as evidence. `path` is the artifact it is about, else empty."""

    code: Code
    path: str = ""

    @property
    def text(self) -> Text:
        """What it is and what to do."""
        said = _SAYS[self.code]
        return Text(said.en.format(path=self.path), said.zh.format(path=self.path))

    @property
    def statement(self) -> str:
        """How a document states it, where that is allowed."""
        return _STATES.get(self.code, self.code).format(path=self.path)

    @property
    def allowed_when_stated(self) -> bool:
        return self.code in ALLOWED_WHEN_STATED


def objections(run: Run, repo: Repo | None, who: Identity) -> tuple[Objection, ...]:
    """All that speaks against showing this run, with what the repository holds at this moment.

    A run outside a repository has none: its document leaves commit and artifacts open.
    """
    if run.commit_sha is None:
        return ()
    if repo is None:
        return (Objection("no-repository"),)
    if not knows_commit(repo, run.commit_sha):
        return (Objection("unknown-commit"),)
    found = [Objection("dirty")] if run.dirty else []
    for artifact in run.artifacts:
        found += _about(artifact, repo, who)
    return tuple(found)


def _about(artifact: Artifact, repo: Repo, who: Identity) -> Iterator[Objection]:
    path = artifact.path
    if personal(path, who):
        yield Objection("personal-path", path)
    if not artifact.committed:
        yield Objection("not-in-commit", path)
    now = hash_now(repo, path)
    if now is None:
        yield Objection("missing", path)
    elif now != artifact.sha256:
        yield Objection("changed-since", path)
    elif artifact.committed and hash_at(repo, repo.head, path) != artifact.sha256:
        yield Objection("differs-at-head", path)


__all__ = ["Code", "Objection", "objections"]
