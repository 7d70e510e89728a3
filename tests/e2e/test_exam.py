"""Oral answers in real terminals: what was typed is there again, however the program ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e

ANSWER = "ZeRO-1 shards the optimizer states"


def begin_an_answer(term: Any) -> None:
    """From Today into the editor of the first question, and half an answer."""
    term.wait_for("start")
    term.keys("o")
    term.wait_for("Mock exam")
    term.keys("Down", "Enter")
    term.wait_for("How much of it will you say?")
    term.keys("3")
    term.wait_for("of 1:30")
    term.keys(ANSWER, "Enter", "优化器状态切成 N 份")
    term.wait_for("切成 N 份")


def draft_is_there(term: Any) -> None:
    """The list offers the draft, and it holds both lines."""
    term.wait_for("start")
    term.keys("o")
    term.wait_for("draft: skeleton")
    term.keys("Down", "Enter")
    term.wait_for("Your draft is here again.")
    assert ANSWER in term.text
    assert "切成 N 份" in term.text


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGHUP, signal.SIGTERM], ids=["KILL", "HUP", "TERM"])
def test_a_draft_outlives_the_end_of_the_program_in_the_middle_of_an_answer(
    start: Any, log: Any, home: Path, ended_by: Any, number: int
) -> None:
    term = start(home)
    begin_an_answer(term)
    if number == signal.SIGKILL:
        time.sleep(1.5)  # a kill may cost the last second
    ended_by(term, number)
    term.wait_until_ended()
    assert not [event for event in log(home) if event[0] == "attempt"]
    again = start(home)
    draft_is_there(again)


def test_an_answer_goes_from_typing_to_its_rating(start: Any, log: Any, home: Path) -> None:
    term = start(home)
    begin_an_answer(term)
    term.keys("F9")
    term.wait_for("take these marks")
    term.keys("h", "h", "h", "Enter")
    term.wait_for("Score")
    term.keys("2")
    term.wait_for("Kept: Hard")
    assert [rating for kind, rating in log(home) if kind == "attempt"] == [2]


def test_the_map_is_printed_as_plain_text(home: Path) -> None:
    command = Path(sys.executable).parent / "shardrill"
    env = {**os.environ, "SHARDRILL_HOME": str(home), "LANG": "C.UTF-8"}
    done = subprocess.run([command, "--lang", "en", "map"], env=env, capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout
    assert "    traffic of ZeRO-1 and ZeRO-2  new" in done.stdout
