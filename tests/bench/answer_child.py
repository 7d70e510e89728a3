"""Answers N cards through the session as the review screen does. usage: answer_child.py FOLDER N -> JSON of seconds"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

from content.session import CardItem, Session
from content.settings import load
from content.store import Record
from grading.days import Instant
from grading.schedule import Rating


def main() -> None:
    folder, n = Path(sys.argv[1]), int(sys.argv[2])
    chooser = random.Random(3)
    counter = iter(range(1, 1 << 62))
    now = Instant(int(time.time() * 1000), 0)
    record = Record.open(folder)
    session = Session(
        record, load(folder / "settings.toml"), now, new_id=lambda at_ms: f"{at_ms:012x}{next(counter):020x}", lang="en"
    )
    took_s: list[float] = []
    revealed_s: list[float] = []
    while len(took_s) < n:
        record.make_room()  # the app looks every half minute whether there is any left
        now = Instant(int(time.time() * 1000), 0)
        if session.item is None:
            session.go_on(now)
        if not isinstance(session.item, CardItem):
            session.lesson_read(now)
            continue
        started = time.perf_counter()
        session.reveal(now)
        revealed_s.append(time.perf_counter() - started)
        rating = Rating(chooser.choices(range(1, 5), (10, 8, 72, 10))[0])
        started = time.perf_counter()
        session.answer(rating, now, took_ms=6000, response={})
        took_s.append(time.perf_counter() - started)
    record.close()
    print(json.dumps({"took_s": took_s, "revealed_s": revealed_s}))


if __name__ == "__main__":
    main()
