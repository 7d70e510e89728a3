"""A learner's repository in a temporary folder, in which scripts are really run and committed."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from content.library import SHIPPED_PACKS
from content.runs_store import Run
from evidence.check import Checked, check
from evidence.document import Export, export
from evidence.git import Repo, find_repo
from evidence.privacy import Identity
from evidence.runs import Desk, ScriptRequest, run_lab, run_script
from evidence.starter import STARTERS
from evidence.template import Template, load_template

COURSE = SHIPPED_PACKS / "distributed-training-map"
NOON = 1_796_040_000_000
"""2026-11-30 12:00 UTC."""


class Work:
    """A git repository with `parity.py` in it, and short ways to run, export and check."""

    def __init__(self, folder: Path, template: Template) -> None:
        self.folder, self.template = folder, template
        self.now_ms, self._ids = NOON, itertools.count(1)
        self.who = Identity("wangwei", "thinkpad-x1", "/data/wangwei")
        self.desk = Desk(lambda: self.now_ms, lambda at_ms: f"{at_ms:012x}{next(self._ids):020x}", self.who)
        self.runs: list[Run] = []

    def begin(self) -> Work:
        """Make the repository, with the starter committed."""
        self.folder.mkdir()
        self.git("init", "-q")
        self.write(STARTERS["weighted-mean"])
        self.commit()
        return self

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=n", "-c", "user.email=e@x.example", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def write(self, text: str, name: str = "parity.py") -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work")
        return self.git("rev-parse", "HEAD")

    def run(self, *arguments: str, name: str = "parity.py") -> Run:
        """Run a script and keep the run, as the record would."""
        self.runs.append(run_script(ScriptRequest(self.folder / name, arguments), self.template, self.desk).run)
        return self.runs[-1]

    def lab(self, lab_id: str = "weighted-mean", seed: int = 0, **values: object) -> Run:
        """Run a built-in lab and keep the run."""
        ran = run_lab(lab_id, values, seed, self.desk, folder=self.folder, progress=lambda _share, _mark: None)
        self.runs.append(ran.run)
        return ran.run

    def change(self, **fields: object) -> Run:
        """The last run as it would be with other fields."""
        self.runs[-1] = replace(self.runs[-1], **fields)  # type: ignore[arg-type]
        return self.runs[-1]

    @property
    def repo(self) -> Repo | None:
        found = find_repo(self.folder)
        return found if isinstance(found, Repo) else None

    def export(self, run: Run | None = None, **how: bool) -> Export:
        return export(self.template, run or (self.runs[-1] if self.runs else None), self.repo, self.who, **how)

    def check(self, text: str | bytes, *, with_runs: bool = True) -> Checked:
        """Check a document that lies in the repository."""
        file = self.folder / "evidence.yaml"
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return check(file, [self.template], self.runs if with_runs else [], lambda _run: self.repo, self.who)

    def rules(self, text: str | bytes, **how: bool) -> list[tuple[int, str]]:
        """Line and rule of every finding."""
        return [(one.line, one.rule) for one in self.check(text, **how).findings]


@pytest.fixture(scope="session")
def course() -> Template:
    """The course page's template."""
    return load_template(COURSE)


@pytest.fixture(scope="session")
def second() -> Template:
    """The template of another page: other keys, modules, metrics, and text that stays."""
    return load_template(Path(__file__).parent / "packs" / "second")


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory, course: Template) -> Path:
    """A repository that tests copy."""
    return Work(tmp_path_factory.mktemp("begun") / "work", course).begin().folder


@pytest.fixture
def work(tmp_path: Path, course: Template, begun: Path) -> Work:
    return Work(Path(shutil.copytree(begun, tmp_path / "work")), course)


@pytest.fixture
def second_work(tmp_path: Path, second: Template, begun: Path) -> Work:
    return Work(Path(shutil.copytree(begun, tmp_path / "second")), second)


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, course: Template) -> Work:
    """A repository with one run behind it that tests leave as it is."""
    made = Work(tmp_path_factory.mktemp("finished") / "work", course).begin()
    made.run("--seed", "3")
    return made
