"""What a key press costs on the line to the terminal, and that nothing is sent while nobody presses one."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.e2e

MOST_BYTES = 4_096
"""A fifth of a second on a link of 20 kB/s."""


def settled(term: Any) -> int:
    """The bytes written so far, once no more have come for a while."""
    before = -1
    while before != len(term.raw):
        before = len(term.raw)
        time.sleep(0.6)
        term.text  # noqa: B018 - reads what has come
    return before


def test_no_key_press_costs_more_than_4_kb_and_no_letter_more_than_200_bytes(start: Any, home: Path) -> None:
    term = start(home)
    if term.kind != "pty":
        pytest.skip("tmux keeps no count")
    term.wait_for("[ Enter ]")
    sent = settled(term)
    costs: dict[str, int] = {}
    for number, key in enumerate(["Enter", "Space", "Space", "n", "a", "b", "Escape", "Escape", "c", "Escape"]):
        term.keys(key)
        now = settled(term)
        costs[f"{number} {key}"], sent = now - sent, now
    assert max(costs.values()) < MOST_BYTES, costs
    assert max(cost for key, cost in costs.items() if key[-1] in "ab") < 200, costs
    assert settled(term) == sent
