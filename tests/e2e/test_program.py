"""The installed program as a learner meets it: keys sent to a real terminal, its screen read."""

from __future__ import annotations

import os
import pty
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e

COMMAND = Path(sys.executable).parent / "shardrill"
QUIET = 0.8
"""Seconds after which a repeated Space or rating key counts again."""


def to_first_question(term: Any) -> None:
    """Past the lesson, to a question."""
    if term.wait_for("on to the cards", "show answer") == "on to the cards":
        term.keys("Enter")
        term.wait_for("show answer")


def rate(term: Any, key: str) -> None:
    """Show the answer and rate it."""
    term.keys("Space")
    term.wait_for("1 Again")
    term.keys(key)
    term.wait_for("show answer")


def test_from_the_first_start_to_an_answer_that_survives_kill_9(start: Any, log: Any, tmp_path: Path) -> None:
    home = tmp_path / "fresh"
    term = start(home)
    term.wait_for("Which language?")
    for _ in range(3):
        term.keys("Enter")
        time.sleep(0.3)
    to_first_question(term)
    rate(term, "4")
    os.kill(term.pid, signal.SIGKILL)
    term.wait_until_ended()
    assert [event for event in log(home) if event[0] == "attempt"] == [("attempt", 4)]
    again = start(home, "review")
    again.wait_for("show answer")
    again.keys("Escape")
    again.wait_for("start")
    again.keys("c")
    again.wait_for("in 7d", "in 8d", "in 6d", "in 9d")


def test_ten_answers_are_there_after_kill_9(start: Any, log: Any, home: Path, ended_by: Any) -> None:
    term = start(home, "review")
    for _ in range(10):
        to_first_question(term)
        rate_once(term)
    ended_by(term, signal.SIGKILL)
    term.wait_until_ended()
    assert sum(kind == "attempt" for kind, _rating in log(home)) == 10
    again = start(home, "review")
    again.wait_for("show answer", "on to the cards")


def rate_once(term: Any) -> None:
    """Show the answer, rate Easy, and wait until the key counts again."""
    term.keys("Space")
    term.wait_for("1 Again")
    term.keys("4")
    term.wait_for("show answer", "on to the cards")


def test_the_language_is_switched_on_a_card_and_everywhere(start: Any, home: Path) -> None:
    term = start(home, "review")
    to_first_question(term)
    term.keys("F3")
    term.wait_for("看答案")
    assert "show answer" not in term.text
    term.keys("Space")
    term.wait_for("1 重来")
    term.keys("F3")
    term.wait_for("1 Again")


def test_undo_takes_the_slip_back(start: Any, log: Any, home: Path) -> None:
    term = start(home, "review")
    to_first_question(term)
    rate(term, "1")
    term.keys("u")
    term.wait_for("Undone: Again")
    term.wait_for("1 Again")
    assert [kind for kind, _rating in log(home)][-2:] == ["attempt", "retract"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=["TERM", "HUP"])
def test_the_terminal_is_restored_after_a_signal(start: Any, home: Path, ended_by: Any, number: int) -> None:
    term = start(home, "review")
    to_first_question(term)
    ended_by(term, number)
    term.wait_until_ended()
    if term.kind == "pty":
        assert term.modes == term.modes_before
        tail = term.raw[term.raw.rindex(b"\x1b[?1049l") - 400 :]
        assert b"\x1b[?25h" in tail
        assert b"\x1b[?1000l" in term.raw


def test_a_shell_is_usable_after_the_program_was_ended(start: Any, home: Path) -> None:
    shell = start(home, command=["sh"])
    shell.keys(f"{shlex.quote(str(COMMAND))} review", "Enter")
    to_first_question(shell)
    found = subprocess.run(["pgrep", "-P", str(shell.pid)], capture_output=True, text=True, check=True).stdout.split()
    assert len(found) == 1
    os.kill(int(found[0]), signal.SIGTERM)
    time.sleep(1.0)
    shell.keys("echo back-$((40+2))", "Enter")
    shell.wait_for("back-42")
    if shell.kind == "pty":  # pyte keeps no second screen, so the way back to the first is looked for
        assert b"\x1b[?1049l" in shell.raw
    else:
        assert "show answer" not in shell.text


def own_pack(home: Path) -> Path:
    """A learner's own pack of one card."""
    pack = home / "packs" / "mine"
    pack.mkdir(parents=True)
    (pack / "pack.yaml").write_text('id: mine\ntitle: {en: "Mine", zh: "我的"}\ntopics: [own]\n', encoding="utf-8")
    (pack / "cards.yaml").write_text(OWN_CARDS, encoding="utf-8")
    return pack


def edit_the_zebra(term: Any) -> None:
    """From Today to the card's info, and the key that edits it."""
    term.wait_for("start")
    term.keys("c")
    term.wait_for("What ")
    term.keys("/zebra", "Enter")
    term.wait_for("1 card")
    term.keys("Enter")
    term.wait_for("What colour")
    term.keys("e")


def test_an_own_card_is_edited_in_the_editor_and_the_screen_comes_back(start: Any, home: Path, tmp_path: Path) -> None:
    pack = own_pack(home)
    editor = tmp_path / "editor"
    editor.write_text(f"#!{sys.executable}\n{EDITOR}", encoding="utf-8")
    editor.chmod(0o755)
    term = start(home, EDITOR=str(editor))
    edit_the_zebra(term)
    term.wait_for("Edited; the history is kept.")
    term.wait_for("What pattern has a zebra?")
    assert "What pattern" in (pack / "cards.yaml").read_text(encoding="utf-8")


OWN_CARDS = """\
topics:
  - id: own
    title: {en: "Own", zh: "自己的"}
    lesson: {en: "LESSON_EN", zh: "LESSON_ZH"}
cards:
  - id: own.zebra
    kind: concept
    topic: own
    front: {en: "What colour has a zebra?", zh: "斑马是什么颜色？"}
    back: {en: "Black and white.", zh: "黑白。"}
    ideas:
      - {en: "black and white", zh: "黑白"}
    source: ["a zoo"]
    revision: 1
""".replace("LESSON_EN", "word " * 120).replace("LESSON_ZH", "课文" * 100)
EDITOR = """\
import pathlib, sys
file = pathlib.Path(sys.argv[1])
file.write_text(file.read_text(encoding="utf-8").replace("What colour", "What pattern"), encoding="utf-8")
"""


def test_without_an_editor_the_learner_is_told_what_to_do(start: Any, home: Path) -> None:
    own_pack(home)
    term = start(home)
    edit_the_zebra(term)
    term.wait_for("No editor is set.")


def test_a_small_terminal_shows_whole_characters(start: Any, home: Path) -> None:
    term = start(home, "--lang", "zh", "review", size=(40, 12))
    term.wait_for("看答案", "开始卡片")
    assert "\ufffd" not in term.text


def test_a_plain_sitting_goes_by_pipe_on_a_dumb_terminal(home: Path, log: Any) -> None:
    env = {"PATH": "/usr/bin:/bin", "SHARDRILL_HOME": str(home), "TERM": "dumb", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [COMMAND, "--lang", "zh", "review", "--plain"],
        input="\n\n3\nq\n",
        env=env,
        text=True,
        capture_output=True,
        check=True,
    )
    assert "问题：" in done.stdout
    assert re.search(r"[\x00-\x08\x0b-\x1f\x7f]", done.stdout) is None
    assert ("attempt", 3) in log(home)


def test_without_a_terminal_the_app_says_so_in_one_line(home: Path) -> None:
    env = {"PATH": "/usr/bin:/bin", "SHARDRILL_HOME": str(home), "TERM": "xterm", "LANG": "C.UTF-8"}
    done = subprocess.run(
        [COMMAND], stdin=subprocess.DEVNULL, env=env, text=True, capture_output=True, check=False, timeout=20
    )
    assert done.returncode != 0
    assert len((done.stdout + done.stderr).strip().splitlines()) == 1
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("told", [True, False], ids=["hang-up", "no signal"])
def test_a_window_that_is_closed_leaves_no_process_behind(home: Path, told: bool) -> None:
    """With the signal the program is gone within its grace; without it, once it looks at its terminal."""
    pid, window = pty.fork()
    if pid == 0:
        if not told:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.execve(
            str(COMMAND),
            [str(COMMAND), "review"],
            {**os.environ, "SHARDRILL_HOME": str(home), "TERM": "xterm-256color"},
        )
    until = time.monotonic() + 20
    seen = b""
    while b"\x1b[?1049h" not in seen and time.monotonic() < until:  # the app has taken the screen
        seen += os.read(window, 65536)
    time.sleep(1.0)
    os.close(window)
    gone, _status = 0, 0
    until = time.monotonic() + 20
    while not gone and time.monotonic() < until:
        time.sleep(0.2)
        gone, _status = os.waitpid(pid, os.WNOHANG)
    if not gone:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    assert gone == pid


def test_a_drill_is_typed_read_and_graded(start: Any, home: Path, log: Any) -> None:
    term = start(home, "drill", "zero-2-memory", "--seed", "7", "--count", "2")  # first 34B on 128 GPUs
    term.wait_for("A 34B model is trained on 128 GPUs")
    term.keys("139,1875 GB")
    term.wait_for("read as 139.1875 GB")
    term.keys("Enter")
    term.wait_for("Not quite")
    term.wait_for("2Φ + 14Φ/N")
    time.sleep(QUIET)
    term.keys("Enter")
    term.wait_for("1 of 2")
    term.keys("F9")
    term.wait_for("The answer")
    time.sleep(QUIET)
    term.keys("Enter")
    term.wait_for("Practice is over")
    assert [event[0] for event in log(home)].count("attempt") == 2
