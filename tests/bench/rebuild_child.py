"""Derives every memory state from the log again. usage: rebuild_child.py FOLDER -> JSON of seconds"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from content.history import rebuild
from content.settings import load
from content.store import Record


def main() -> None:
    folder = Path(sys.argv[1])
    settings = load(folder / "settings.toml")
    record = Record.open(folder)
    started = time.perf_counter()
    rebuild(record, settings.plan())
    print(json.dumps({"took_s": time.perf_counter() - started}))
    record.close()


if __name__ == "__main__":
    main()
