"""Faults of packs as the learner meets them: on the command line, on their screen, and not in the way of other packs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from content.faults import Fault
from tui import words
from tui.app import ShardrillApp
from tui.fault_words import MEANINGS, fault_line, printable
from tui.paths import Places

MakeApp = Callable[..., ShardrillApp]
Text = Callable[[ShardrillApp], str]
Wait = Callable[..., Awaitable[None]]


def shardrill(home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own; its output as bytes."""
    command = [sys.executable, "-m", "tui", "--data-dir", str(home), *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


def test_a_line_says_the_rule_in_the_learners_language_too() -> None:
    fault = Fault(Path("p/c.yaml"), 7, "duplicate-id", "give one another id", warning=True)
    assert fault_line(fault) == "p/c.yaml:7: warning: duplicate-id: give one another id"
    words.set_language("zh")
    assert fault_line(fault) == "p/c.yaml:7: 警告: duplicate-id（同一个 id 出现两次）: give one another id"
    assert all(words._(text) != text for text in MEANINGS.values())


def test_names_cannot_reach_the_terminal() -> None:
    assert printable("a\x1b[31m\n\udcff显") == "a�[31m��显"


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux alone")
def test_folders_with_strange_names_are_told_without_their_control_characters(tmp_path: Path) -> None:
    for name in (b"esc\x1b[31m", b"\xff\xfe"):
        folder = tmp_path / "packs" / os.fsdecode(name)
        folder.mkdir(parents=True)
        (folder / "pack.yaml").write_text("id: [", encoding="utf-8")
    done = shardrill(tmp_path, "pack", "list")
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    done.stdout.decode("utf-8")
    assert done.stdout.count(b"has faults") == 2


@pytest.mark.parametrize("command", ["drills zero", "solve zero-2-memory phi=13B n=8"])
def test_a_pack_with_faults_is_named_and_hinders_no_other_pack(tmp_path: Path, command: str) -> None:
    folder = tmp_path / "packs" / "bad"
    folder.mkdir(parents=True)
    (folder / "pack.yaml").write_text("id: [", encoding="utf-8")
    done = shardrill(tmp_path, *command.split())
    assert done.returncode == 0, done.stderr
    assert b"GB" in done.stdout
    assert b"bad/pack.yaml" in done.stderr
    assert done.stderr.count(b"\n") == 1


async def test_the_screen_names_rules_in_chinese(
    make_app: MakeApp, places: Places, screen_text: Text, opened: Wait, until: Wait
) -> None:
    app = make_app(lang="zh")
    bad = places.packs / "bad\x1b[31m"
    bad.mkdir()
    (bad / "pack.yaml").write_text("", encoding="utf-8")
    async with app.run_test(size=(80, 24)) as pilot:
        await opened(pilot, app)
        await until(pilot, lambda: app.faults)
        await pilot.press("f")
        await until(pilot, lambda: "empty-file" in screen_text(app))
        assert "空文件" in screen_text(app)
        assert "\x1b" not in screen_text(app)
