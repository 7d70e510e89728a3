"""Derives every memory state from the log again. usage: rebuild_child.py FOLDER [FACTOR] -> JSON of seconds

FACTOR multiplies the third weight, as `anki_peer.py recompute` does with Anki's.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy  # noqa: F401  Anki's import is not counted either

import grading.fold  # noqa: F401
from content.rebuilding import rebuild
from content.settings import load
from content.store import Record


def main() -> None:
    folder, factor = Path(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    plan = load(folder / "settings.toml").plan()
    weights = [weight * factor if place == 2 else weight for place, weight in enumerate(plan.weights)]
    record = Record.open(folder)
    started = time.perf_counter()
    found = rebuild(record, replace(plan, weights=tuple(weights)))
    print(json.dumps({"took_s": time.perf_counter() - started, "changed": found.changed, "attempts": found.attempts}))
    record.close()


if __name__ == "__main__":
    main()
