"""What git says of the learner's repository. Git is only asked: no hooks, no pager, no prompt, nothing is written."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

Why = Literal["no-git", "no-repository", "no-commit"]
MAX_FILE_BYTES = 50_000_000
_TIMEOUT_S = 30
_FIXED = (
    "--no-pager",
    "-c",
    f"core.hooksPath={os.devnull}",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
)
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Repo:
    """A working tree as it is now. `changed` are its files that differ from HEAD, and Python files HEAD does not know."""

    root: Path
    head: str
    changed: tuple[str, ...]

    @property
    def dirty(self) -> bool:
        return bool(self.changed)

    def path_of(self, file: Path) -> str | None:
        """The file's path inside the repository, with `/`; None when it lies outside."""
        try:
            return file.resolve().relative_to(self.root).as_posix()
        except ValueError:
            return None

    def file(self, path: str) -> Path | None:
        """The ordinary file at a repository path; None when there is none, or when the path leads out."""
        parts = PurePosixPath(path).parts
        if not parts or PurePosixPath(path).is_absolute() or ".." in parts or ".git" in parts:
            return None
        found = self.root.joinpath(*parts)
        return found if found.is_file() and self.path_of(found) is not None else None


def find_repo(folder: Path) -> Repo | Why:
    """The repository that a folder lies in, or why there is none that could be named in a document."""
    try:
        top = _git(folder, "rev-parse", "--show-toplevel")
    except FileNotFoundError:
        return "no-git" if folder.is_dir() else "no-repository"
    except (OSError, subprocess.TimeoutExpired):
        return "no-repository"
    if top is None or not top.strip():
        return "no-repository"
    root = Path(os.fsdecode(top.rstrip(b"\r\n"))).resolve()
    head = _git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    sha = (head or b"").decode("ascii", "replace").strip()
    if not _COMMIT.fullmatch(sha):
        return "no-commit"
    return Repo(root, sha, _changed(root))


def _changed(root: Path) -> tuple[str, ...]:
    listed = _git(root, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    if listed is None:
        return ("?",)  # what cannot be examined is not called clean
    entries = [os.fsdecode(one) for one in listed.split(b"\0") if one]
    return tuple(
        sorted(entry[3:] for entry in entries if not entry.startswith("??") or entry.endswith((".py", ".pyi")))
    )


def knows_commit(repo: Repo, commit: str) -> bool:
    """Whether the repository has this commit."""
    return bool(_COMMIT.fullmatch(commit)) and _git(repo.root, "cat-file", "-e", f"{commit}^{{commit}}") is not None


def hash_at(repo: Repo, commit: str, path: str) -> str | None:
    """The hash of a file in a commit; None when the commit does not have it (or it is larger than is read)."""
    if not _COMMIT.fullmatch(commit):
        return None
    size = _git(repo.root, "cat-file", "-s", f"{commit}:{path}")
    if size is None or int(size) > MAX_FILE_BYTES:
        return None
    blob = _git(repo.root, "cat-file", "blob", f"{commit}:{path}")
    return None if blob is None else content_hash(blob)


def hash_now(repo: Repo, path: str) -> str | None:
    """The hash of a file as it is now; None when it is missing or larger than is read."""
    file = repo.file(path)
    return None if file is None else hash_of(file)


def hash_of(file: Path) -> str | None:
    """The hash of any file; None when it cannot be read or is larger than is read."""
    try:
        return None if file.stat().st_size > MAX_FILE_BYTES else content_hash(file.read_bytes())
    except OSError:
        return None


def content_hash(data: bytes) -> str:
    """SHA-256 (hex). In a text file CR LF counts as LF, since git may store the one and check out the other."""
    if b"\0" not in data:
        data = data.replace(b"\r\n", b"\n")
    return hashlib.sha256(data).hexdigest()


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None when it says no.

    Raises:
        FileNotFoundError: there is no git on this machine (or no such folder).
    """
    # Variables such as GIT_DIR would point git at another repository than the folder's own.
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}
    done = subprocess.run(  # noqa: S603 - git itself, with fixed arguments and no shell
        ["git", *_FIXED, *arguments],  # noqa: S607 - the learner's git, found as their shell finds it
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    return done.stdout if done.returncode == 0 else None


__all__ = ["Repo", "Why", "content_hash", "find_repo", "hash_at", "hash_now", "hash_of", "knows_commit"]
