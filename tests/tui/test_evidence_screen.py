"""Evidence on screen: the document with what is open marked, what to do next, export, check, and the choice of the run."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from content.runs_store import Artifact, Run, add_run
from content.store import Record
from evidence import git
from tui.evidence_state import Shown, next_step
from tui.screens.evidence import EvidenceScreen
from tui.screens.evidence_check import CheckScreen
from tui.screens.evidence_runs import RunsScreen
from tui.screens.labs import LabsScreen
from tui.screens.path import PathScreen

Desk = Any  # the class of tests/tui/conftest.py

METRICS = (
    "weighted_mean_equals_global_mean",
    "unequal_counts_allreduce_mismatches",
    "equal_counts_allreduce_matches",
)
STARTED = 1_796_004_000_000  # 2026-11-30 10:00 at +08:00


class Work:
    """A learner's repository in which the program was started, and runs as the record keeps them."""

    def __init__(self, folder: Path, desk: Desk) -> None:
        self.folder, self.desk = folder, desk
        self._count = 0
        folder.mkdir()
        self.git("init", "-q")
        self.script = folder / "parity.py"
        self.script.write_text("print('{}')\n", encoding="utf-8")
        self.commit()

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=n", "-c", "user.email=e@x.example", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *who, *words], cwd=self.folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "work", "--date", "2026-11-30T09:00:00+0800")
        return self.git("rev-parse", "HEAD")

    def add(self, **fields: Any) -> Run:
        """Record a run of the script; `fields` are what is different about it."""
        self._count += 1
        sha256 = git.hash_of(self.script) or ""
        values: dict[str, Any] = {
            "run_id": f"{STARTED:012x}{self._count:020x}",
            "kind": "script",
            "seed": 3,
            "command": "python3 parity.py --seed 3",
            "argv": ("python3", "parity.py", "--seed", "3"),
            "started_ms": STARTED,
            "ended_ms": STARTED + 60,
            "python": "3.11.7",
            "numpy": "2.1.0",
            "platform": "Linux x86_64",
            "cpu": None,
            "status": "ok",
            "pack_id": "distributed-training-map",
            "metrics": dict.fromkeys(METRICS, True),
            "repo_folder": str(self.folder),
            "commit_sha": self.git("rev-parse", "HEAD"),
            "dirty": False,
            "script_path": "parity.py",
            "script_sha256": sha256,
            "artifacts": (Artifact("parity.py", sha256, True),),
        }
        run = Run(**(values | fields))
        self.desk.places.data.mkdir(exist_ok=True)
        with Record.open(self.desk.places.data) as record:
            return add_run(record, run)

    def add_lab(self, **fields: Any) -> Run:
        """Record a run of the built-in lab."""
        lab: dict[str, Any] = {
            "kind": "lab",
            "seed": 0,
            "command": "shardrill lab run weighted-mean --seed 0",
            "argv": (),
            "lab": "weighted-mean",
            "lab_version": 1,
            "pack_id": None,
            "script_path": None,
            "script_sha256": None,
            "artifacts": (),
        }
        return self.add(**(lab | fields))


@pytest.fixture
def work(tmp_path: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Work:
    made = Work(tmp_path / "work", desk)
    monkeypatch.chdir(made.folder)
    return made


async def until(sitting: Any, holds: Callable[[], object]) -> None:
    for _ in range(500):
        await sitting.pilot.pause(0.01)
        if holds():
            await sitting.pilot.pause()
            return
    raise AssertionError(f"did not happen: {sitting.text}")


@pytest.fixture
def evidence(desk: Desk, work: Work) -> Any:
    """Opens Evidence from Today."""

    @asynccontextmanager
    async def opened(lang: str = "en", size: tuple[int, int] = (80, 50)) -> AsyncIterator[Any]:
        app = desk.app(lang, start="today")
        async with app.run_test(size=size) as pilot:
            sitting = desk.sitting(app, pilot)
            await sitting.press("e")
            await until(sitting, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.shown is not None)
            yield sitting

    return opened


def lines(sitting: Any) -> list[str]:
    return [row.strip() for row in sitting.rows]


def text(sitting: Any) -> str:
    """What is on screen, lines joined: sentences may be broken anywhere."""
    return " ".join(sitting.text.split())


# --- the document


async def test_without_a_run_every_place_is_open_and_marked_by_a_sign(evidence: Any) -> None:
    async with evidence() as sitting:
        assert "? commit: <learner-commit-sha>" in lines(sitting)
        assert "schema: learn-llm.evidence.v1" in lines(sitting)
        assert sum(line.startswith("? ") for line in lines(sitting)) == 8
        assert "8 places open (?)" in sitting.text
        assert "unfilled" in sitting.rows[0]
        assert "Press l to run the lab; then write your own script: shardrill lab new weighted-mean" in text(sitting)


async def test_a_lab_leaves_the_artifact_open_and_the_next_step_is_an_own_script(work: Work, evidence: Any) -> None:
    work.add_lab()
    async with evidence() as sitting:
        assert [line for line in lines(sitting) if line.startswith("? ")] == [
            "?   - <your-numpy-script-repo-relative-path>"
        ]
        assert '- "shardrill lab run weighted-mean --seed 0"' in lines(sitting)
        assert "partial" in sitting.rows[0]
        assert "commit it, then: shardrill lab run --script parity.py" in text(sitting)


async def test_a_script_fills_everything(work: Work, evidence: Any) -> None:
    work.add_lab()
    work.add()
    async with evidence() as sitting:
        assert not [line for line in lines(sitting) if line.startswith("? ")]
        assert '- "parity.py"' in lines(sitting)
        assert "complete" in sitting.rows[0]
        assert "Everything is filled." in sitting.text


async def test_a_failed_run_fills_nothing_and_the_reason_is_told(work: Work, evidence: Any) -> None:
    work.add(status="failed", reason="time-out", reason_detail="120", metrics={})
    async with evidence() as sitting:
        assert "? seed" not in sitting.text
        assert "8 places open" in sitting.text
        assert "The run failed: it took longer than 120 s." in text(sitting)


async def test_a_false_metric_stands_in_the_document_and_in_the_next_step(work: Work, evidence: Any) -> None:
    work.add(metrics={**dict.fromkeys(METRICS, True), METRICS[1]: False})
    async with evidence() as sitting:
        assert "actual: false" in lines(sitting)
        assert "A metric came out false" in sitting.text


async def test_a_changed_script_is_refused_until_changes_may_be_stated(work: Work, evidence: Any) -> None:
    work.add()
    work.script.write_text("print('{ }')\n", encoding="utf-8")
    async with evidence() as sitting:
        assert "refused" in sitting.rows[0]
        assert "parity.py was changed since the run" in text(sitting)
        await sitting.press("x")
        assert isinstance(sitting.app.screen, EvidenceScreen)
        assert "Not written: the reason stands above." in sitting.text
        await sitting.press("a")
        await until(sitting, lambda: '- "parity.py was changed after the run"' in lines(sitting))
        assert "complete" in sitting.rows[0]


async def test_another_run_is_chosen_from_the_list(work: Work, evidence: Any) -> None:
    lab = work.add_lab()
    work.add()
    async with evidence() as sitting:
        await sitting.press("r")
        assert isinstance(sitting.app.screen, RunsScreen)
        assert "10:00  parity.py (shown)" in sitting.text
        await sitting.press("end", "enter")
        await until(sitting, lambda: "partial" in sitting.rows[0])
        assert sitting.app.screen.shown.run.run_id == lab.run_id
        await sitting.press("r", "home", "enter")
        await until(sitting, lambda: "complete" in sitting.rows[0])


async def test_the_labs_are_one_key_away_and_the_way_back_looks_again(work: Work, evidence: Any) -> None:
    async with evidence() as sitting:
        await sitting.press("b")
        await until(sitting, lambda: isinstance(sitting.app.screen, LabsScreen) and sitting.app.screen.labs)
        await sitting.press("escape", "l")
        await until(sitting, lambda: getattr(sitting.app.screen, "lab", None) is not None)
        await sitting.press("enter")
        await until(sitting, lambda: sitting.app.screen.has_class("-result"))
        await sitting.press("escape")
        await until(sitting, lambda: "partial" in sitting.rows[0])


async def test_everything_is_in_the_palette_and_under_the_mouse(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("ctrl+p", *"choose")
        await sitting.press("enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, RunsScreen))
        await sitting.press("escape")
        row = next(i for i, line in enumerate(sitting.rows) if "k check a file" in line)
        await sitting.pilot.click(offset=(sitting.rows[row].index("k check"), row))
        await until(sitting, lambda: isinstance(sitting.app.screen, PathScreen))


async def test_the_language_is_switched_in_place(work: Work, evidence: Any) -> None:
    work.add_lab()
    async with evidence() as sitting:
        await sitting.press("f3")
        assert "接下来写自己的脚本" in sitting.text
        assert "1 处未填（?）" in sitting.text


# --- export


async def test_the_file_that_is_written_is_the_document_on_screen(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("x", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, EvidenceScreen))
        assert "Written: " in sitting.text
        written = (work.folder / "evidence.yaml").read_text(encoding="utf-8")
        assert written == sitting.app.screen.shown.filled.text
        assert 'artifacts:\n  - "parity.py"\n' in written


async def test_a_path_that_cannot_be_written_is_refused_with_a_sentence(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("x")
        await sitting.type("/no/such")
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, PathScreen)
        assert "cannot be written" in text(sitting)
        await sitting.press("ctrl+u", "enter")
        assert "Type the path of a file" in sitting.text


async def test_what_is_no_document_is_left_as_it_is(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("x", "ctrl+u")
        await sitting.type("parity.py")
        await sitting.press("enter", "enter")
        assert "is no evidence document and was left as it is" in text(sitting)
    assert work.script.read_text(encoding="utf-8") == "print('{}')\n"


async def test_an_older_document_is_replaced_at_the_second_enter_only(work: Work, evidence: Any) -> None:
    work.add()
    old = work.folder / "evidence.yaml"
    old.write_text("schema: learn-llm.evidence.v1\n", encoding="utf-8")
    async with evidence() as sitting:
        await sitting.press("x", "enter")
        assert "Enter once more replaces it." in sitting.text
        assert old.read_text(encoding="utf-8") == "schema: learn-llm.evidence.v1\n"
        await sitting.press("enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, EvidenceScreen))
    assert "commit: " in old.read_text(encoding="utf-8")


# --- check


async def test_a_sound_document_has_no_faults(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("x", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, EvidenceScreen))
        await sitting.press("k", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, CheckScreen) and sitting.app.screen.found)
        assert "complete, no faults" in sitting.text
        assert "supports it: python3 parity.py --seed 3" in text(sitting)


async def test_faults_are_listed_by_line_and_gone_when_they_are_mended(work: Work, evidence: Any) -> None:
    work.add()
    async with evidence() as sitting:
        await sitting.press("x", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, EvidenceScreen))
        file = work.folder / "evidence.yaml"
        sound = file.read_text(encoding="utf-8")
        file.write_text(sound.replace("seed: 3", "seed: 4"), encoding="utf-8")
        await sitting.press("k", "enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, CheckScreen) and sitting.app.screen.found)
        assert "complete, 1 fault" in sitting.text
        assert "evidence.yaml:6  unsupported" in lines(sitting)
        file.write_text(sound, encoding="utf-8")
        await sitting.press("r")
        await until(sitting, lambda: "no faults" in sitting.text)


async def test_hostile_yaml_is_refused_and_a_missing_file_named(work: Work, evidence: Any) -> None:
    (work.folder / "bad.yaml").write_text("a: !!python/object:os.system x\n", encoding="utf-8")
    async with evidence() as sitting:
        await sitting.press("k", "ctrl+u")
        await sitting.type("none.yaml")
        await sitting.press("enter")
        assert "There is no file" in text(sitting)
        await sitting.press("ctrl+u")
        await sitting.type("bad.yaml")
        await sitting.press("enter")
        await until(sitting, lambda: isinstance(sitting.app.screen, CheckScreen) and sitting.app.screen.found)
        assert "refused" in sitting.text
        assert "bad.yaml:1  tag" in lines(sitting)


def test_without_a_template_the_next_step_says_so() -> None:
    assert next_step(Shown((), ()), "en") == "No pack has an evidence template."


# --- pictures

SCENES: dict[str, tuple[str, ...]] = {
    "unfilled": (),
    "partial": ("LAB", "end"),
    "runs": ("LAB", "r"),
    "export": ("LAB", "x", "ctrl+u", *"/none/x.yaml", "enter"),
    "check": ("LAB", "k", "ctrl+u", *"wrong.yaml", "enter", "CHECKED"),
}


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(work: Work, desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    if scene != "unfilled":
        work.add_lab(commit_sha=None, dirty=None, repo_folder=None)
    document = "schema: learn-llm.evidence.v1\nmodule: distributed-training-map\ncommit: <x>\nseed: 0\n"
    (work.folder / "wrong.yaml").write_text(document, encoding="utf-8")
    app = desk.app(lang, start="today")

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        await sitting.press("e")
        await until(sitting, lambda: isinstance(app.screen, EvidenceScreen) and app.screen.shown is not None)
        for key in SCENES[scene]:
            if key == "CHECKED":
                await until(sitting, lambda: isinstance(app.screen, CheckScreen) and app.screen.found)
            elif len(key) == 1 and scene in ("export", "check") and isinstance(app.screen, PathScreen):
                await sitting.type(key)
            elif key != "LAB":
                await sitting.press(key)
        sitting.review_messages_gone()
        await pilot.pause()

    assert snap_compare(app, terminal_size=size, run_before=play)
