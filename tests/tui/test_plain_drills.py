"""Drills in a plain sitting, and the commands around them: the same texts as on the screen, by pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "tui"]
SEED_7 = ["drill", "zero-2-memory", "--plain", "--seed", "7", "--count", "1"]  # 34B on 128 GPUs: 71.719 GB


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plain-drills")


def run(home: Path, *arguments: str, typed: str = "", code: int = 0) -> str:
    environment = {**os.environ, "SHARDRILL_HOME": str(home), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [*PROGRAM, *arguments],
        input=typed,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


def test_the_same_seed_asks_the_same_problem_in_both_languages(home: Path) -> None:
    assert "A 34B model is trained on 128 GPUs" in run(home, *SEED_7, typed="q\n")
    assert "34B" in run(home, "--lang", "zh", *SEED_7, typed="q\n")


def test_a_right_answer_and_a_known_mistake(home: Path) -> None:
    said = run(home, *SEED_7, typed="what?\n71.719 GB!\n\nq\n")
    assert said.index("? Could not read that.") < said.index("read as 71.719 GB, sure") < said.index("+ Right.")
    said = run(home, *SEED_7, typed="139.1875\nt\nq\n")
    assert "- Not quite." in said
    assert said.index("4Φ + 12Φ/N") < said.index("2Φ + 14Φ/N = 68 + 3.7188 = 71.719 GB")


def test_a_dispute_is_listed_and_exported(home: Path) -> None:
    run(home, *SEED_7, typed="100\nd I read 12 GPUs\n\nq\n")
    listed = run(home, "drills", "--disputed")
    assert "I read 12 GPUs" in listed
    assert "zero-2-memory  ZeRO-2: state on one card" in listed
    [one] = [
        found
        for found in json.loads(run(home, "drills", "--disputed", "--json").splitlines()[0])["disputes"]
        if found["note"] == "I read 12 GPUs"
    ]
    assert (one["drill"], one["response"]["typed"], one["response"]["reason"]) == ("zero-2-memory", "100", "wrong")
    assert one["response"]["drawn"]["n"]["text"] == "128"


def test_what_was_judged_is_stored_when_the_sitting_is_left_before_the_next(home: Path) -> None:
    for typed in ("101\nd I left with q\nq\n", "102\nd the input ended\n"):
        assert "Kept with this answer" in run(home, *SEED_7, typed=typed)
    disputes = json.loads(run(home, "drills", "--disputed", "--json").splitlines()[0])["disputes"]
    noted = {found["note"]: found["response"]["typed"] for found in disputes}
    assert (noted["I left with q"], noted["the input ended"]) == ("101", "102")


def test_grading_again_changes_nothing_while_the_drill_is_the_same(home: Path) -> None:
    said = json.loads(run(home, "regrade", "zero-2-memory", "--json").splitlines()[0])
    assert said["schema"] == "shardrill.regrade.v1"
    assert not any(answer["kept"] for answer in said["answers"])


def test_an_unknown_topic_names_those_there_are(home: Path) -> None:
    assert "topics with drills: " in run(home, "drill", "nothing-like-it", "--plain", code=2)


def test_where_an_id_has_to_be_typed_the_name_stands_beside_it(home: Path) -> None:
    assert "table.zero (DDP 与 ZeRO 对照表)" in run(home, "--lang", "zh", "table", "none", "--plain", code=2)
    lines = run(home, "--lang", "zh", "map").splitlines()
    assert "    ZeRO-2：一张卡上的训练状态  新  (计算题 zero-2-memory)" in lines
    assert "    显存三本账  新" in lines
