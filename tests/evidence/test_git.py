"""The learner's repository is asked and never changed; what git would run on its own is not run."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evidence.git import Repo, content_hash, find_repo, hash_at, hash_now, knows_commit


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@x.example", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "work"
    made.mkdir()
    git(made, "init", "-q")
    (made / "parity.py").write_text("print(1)\n", encoding="utf-8")
    git(made, "add", ".")
    git(made, "commit", "-qm", "first")
    return made


def found(folder: Path) -> Repo:
    repo = find_repo(folder)
    assert isinstance(repo, Repo)
    return repo


def test_a_clean_repository_is_found_from_inside(folder: Path) -> None:
    (folder / "sub").mkdir()
    repo = found(folder / "sub")
    assert repo.root == folder.resolve()
    assert repo.head == git(folder, "rev-parse", "HEAD")
    assert not repo.dirty


def test_a_folder_without_repository_and_one_without_commit(tmp_path: Path) -> None:
    assert find_repo(tmp_path) == "no-repository"
    assert find_repo(tmp_path / "missing") == "no-repository"
    git(tmp_path, "init", "-q")
    assert find_repo(tmp_path) == "no-commit"


def test_a_machine_without_git(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_repo(folder) == "no-git"


def test_changes_and_unknown_python_files_make_it_dirty_and_other_new_files_do_not(folder: Path) -> None:
    (folder / "evidence.yaml").write_text("x", encoding="utf-8")
    assert not found(folder).dirty
    (folder / "helper.py").write_text("x", encoding="utf-8")
    assert found(folder).changed == ("helper.py",)
    (folder / "parity.py").write_text("print(2)\n", encoding="utf-8")
    assert found(folder).changed == ("helper.py", "parity.py")


def test_a_staged_change_is_a_change(folder: Path) -> None:
    (folder / "parity.py").write_text("print(2)\n", encoding="utf-8")
    git(folder, "add", ".")
    assert found(folder).changed == ("parity.py",)


def test_hooks_pagers_and_monitors_of_the_repository_are_not_run(folder: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n", encoding="utf-8")
    trap.chmod(0o755)
    git(folder, "config", "core.fsmonitor", str(trap))
    git(folder, "config", "core.pager", str(trap))
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "post-checkout"):
        (folder / ".git" / "hooks" / hook).symlink_to(trap)
    (folder / "parity.py").touch()
    before = (folder / ".git" / "index").read_bytes()
    repo = found(folder)
    hash_at(repo, repo.head, "parity.py")
    assert not (tmp_path / "sprung").exists()
    assert (folder / ".git" / "index").read_bytes() == before


def test_variables_that_name_another_repository_are_ignored(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert found(folder).root == folder.resolve()


def test_commits_are_known_by_their_whole_id_only(folder: Path) -> None:
    repo = found(folder)
    assert knows_commit(repo, repo.head)
    for name in ("HEAD", repo.head[:8], "0" * 40, "--help", ""):
        assert not knows_commit(repo, name)


def test_a_file_now_and_in_a_commit(folder: Path) -> None:
    repo = found(folder)
    assert hash_now(repo, "parity.py") == hash_at(repo, repo.head, "parity.py") == content_hash(b"print(1)\n")
    (folder / "parity.py").write_bytes(b"print(1)\r\n")
    assert hash_now(repo, "parity.py") == hash_at(repo, repo.head, "parity.py")  # only the line ends differ
    (folder / "parity.py").write_bytes(b"print(2)\n")
    assert hash_now(repo, "parity.py") != hash_at(repo, repo.head, "parity.py")
    assert hash_at(repo, repo.head, "missing.py") is None
    assert content_hash(b"\0\r\n") != content_hash(b"\0\n")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", ".git/config", "link", "", "sub"])
def test_paths_that_lead_out_or_are_no_files_are_no_files_of_the_repository(folder: Path, path: str) -> None:
    (folder.parent / "secret").write_text("x", encoding="utf-8")
    (folder / "sub").mkdir()
    (folder / "link").symlink_to(folder.parent / "secret")
    assert found(folder).file(path) is None
