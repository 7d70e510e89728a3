"""Builds a shardrill record of N cards with a made history, row by row, and sets what a copy of it needs."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import histories
import numpy as np
from card_texts import card_texts
from timing import DATA

DAY_MS = 86_400_000
ROLLOVER_MS = 4 * 3_600_000
LEARNER = "me"


def shardrill_folder(n: int) -> Path:
    return DATA / f"shardrill_{n}"


def build_shardrill(n: int, history: histories.History, reviewed: np.ndarray, now_ms: int) -> None:
    from content.library import SHIPPED_PACKS, signature_of
    from content.pack_sync import refresh
    from content.store import Record

    folder = shardrill_folder(n)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    set_limits(folder, 20, 200)
    pack_folder = folder / "packs" / "bench"
    pack_folder.mkdir(parents=True)
    (pack_folder / "pack.yaml").write_text('id: bench\ntitle: {en: "Bench", zh: "基准"}\ntopics: [t]\n')
    with Record.open(folder) as record:
        refresh(record, (SHIPPED_PACKS, folder / "nothing"), now_ms)  # the shipped pack is there, and suspended below
    db = sqlite3.connect(folder / "record.sqlite3", isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("BEGIN")
    title = json.dumps({"en": "Bench", "zh": "基准"}, ensure_ascii=False)
    db.execute("UPDATE memory SET queue = -1, suspended = 1")
    first_key = db.execute("SELECT coalesce(max(card_key), 0) FROM card").fetchone()[0] + 1
    signature = signature_of(pack_folder)
    _insert(
        db,
        "pack",
        pack_id="bench",
        title=title,
        folder=str(pack_folder),
        signature=signature,
        present=1,
        loaded_ms=now_ms,
    )
    lesson = {"id": "bench/t", "title": {"en": "Bench", "zh": "基准"}, "lesson": {"en": "A lesson.", "zh": "一课。"}}
    _insert(
        db,
        "topic",
        topic_key=1000,
        pack_id="bench",
        topic_id="bench/t",
        position=0,
        body=json.dumps(lesson, ensure_ascii=False),
        present=1,
    )
    _insert_many(db, "card", _cards(n, first_key))
    _insert_many(db, "card_rev", _revisions(n, first_key, now_ms))
    _insert_many(db, "memory", _memories(n, first_key, history, reviewed))
    _insert_many(db, "event", _events(first_key, history, reviewed))
    _insert(
        db,
        "event",
        learner=LEARNER,
        event_id=f"{now_ms - 10 * DAY_MS:012x}{0:020x}",
        device="bench",
        kind="lesson",
        at_ms=now_ms - 10 * DAY_MS,
        utc_offset_min=0,
        day=_day(now_ms) - 10,
        response='{"topic":"bench/t"}',
    )
    db.execute("COMMIT")
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()


def set_limits(folder: Path, new: int, reviews: int) -> None:
    """The daily limits; the day's minutes are set so that they alone decide."""
    text = f'minutes_per_day = 600\nnew_per_day = {new}\nreviews_per_day = {reviews}\nlanguage = "en"\n'
    (folder / "settings.toml").write_text(text)


def settle(folder: Path) -> None:
    """After a copy: the bench pack is where the copy is, and the shipped one, as it now is, is there and suspended."""
    from content.library import SHIPPED_PACKS, signature_of
    from content.pack_sync import refresh
    from content.store import Record

    db = sqlite3.connect(folder / "record.sqlite3")
    pack = folder / "packs" / "bench"
    known = (str(pack), signature_of(pack))  # the pack has no cards of its own: a start must not read it again
    with db:
        db.execute("UPDATE pack SET folder = ?, signature = ? WHERE pack_id = 'bench'", known)
    with Record.open(folder) as record:
        found = refresh(record, (SHIPPED_PACKS, folder / "packs"), int(time.time() * 1000))
        assert not found.faults, found.faults
    with db:
        others = "SELECT card_key FROM card WHERE pack_id != 'bench'"
        db.execute(f"UPDATE memory SET queue = -1, suspended = 1 WHERE card_key IN ({others})")
    db.close()


def _insert(db: sqlite3.Connection, table: str, **values: object) -> None:
    db.execute(
        f"INSERT INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", tuple(values.values())
    )


def _insert_many(db: sqlite3.Connection, table: str, rows: Iterator[dict[str, object]]) -> None:
    head = next(rows)
    statement = f"INSERT INTO {table} ({', '.join(head)}) VALUES ({', '.join('?' * len(head))})"
    db.execute(statement, tuple(head.values()))
    db.executemany(statement, (tuple(row.values()) for row in rows))


def _cards(n: int, first_key: int) -> Iterator[dict[str, object]]:
    for i in range(n):
        yield {
            "card_key": first_key + i,
            "card_id": f"bench/c{i:07d}",
            "pack_id": "bench",
            "topic_key": 1000,
            "kind": "concept",
            "sibling": f"bench/c{i:07d}",
            "position": i,
            "rev": f"{i:016x}",
            "present": 1,
        }


def _revisions(n: int, first_key: int, now_ms: int) -> Iterator[dict[str, object]]:
    from content.cards import Card, Text

    for i in range(n):
        front, back = card_texts(i)
        card = Card(
            id=f"bench/c{i:07d}",
            kind="concept",
            topic="bench/t",
            front=Text(front, front),
            back=Text(back, back),
            source=("bench",),
            sibling=f"bench/c{i:07d}",
        )
        yield {"card_key": first_key + i, "rev": f"{i:016x}", "body": card.to_json(), "first_seen_ms": now_ms}


def _memories(n: int, first_key: int, history: histories.History, reviewed: np.ndarray) -> Iterator[dict[str, object]]:
    last = history.first + history.counts - 1
    lapses = np.zeros(len(reviewed), np.int64)
    np.add.at(lapses, history.card[(history.rating == 1) & (history.phase == 2)], 1)
    row_of = dict(zip(reviewed.tolist(), range(len(reviewed)), strict=True))
    for i in range(n):
        row: dict[str, object] = {
            "learner": LEARNER,
            "card_key": first_key + i,
            "queue": 0,
            "position": i,
            "phase": 0,
            "step": 0,
            "stability": None,
            "difficulty": None,
            "due_day": None,
            "due_ms": None,
            "scheduled_days": 0,
            "last_day": None,
            "last_ms": None,
            "attempts": 0,
            "lapses": 0,
            "leech": 0,
            "suspended": 0,
            "buried_day": None,
            "flag": 0,
            "note": None,
        }
        c = row_of.get(i)
        if c is not None:
            at_ms, days = int(history.at_ms[last[c]]), max(1, int(history.interval[last[c]]))
            row |= {
                "queue": 2,
                "phase": 2,
                "stability": float(history.stability[c]),
                "difficulty": float(history.difficulty[c]),
                "due_day": _day(at_ms) + days,
                "scheduled_days": days,
                "last_day": _day(at_ms),
                "last_ms": at_ms,
                "attempts": int(history.counts[c]),
                "lapses": int(lapses[c]),
            }
        yield row


def _events(first_key: int, history: histories.History, reviewed: np.ndarray) -> Iterator[dict[str, object]]:
    order = np.argsort(history.at_ms, kind="stable")
    for k in order.tolist():
        at_ms, given = int(history.at_ms[k]), int(history.interval[k])
        key = int(reviewed[history.card[k]])
        yield {
            "learner": LEARNER,
            "event_id": f"{at_ms:012x}{k:020x}",
            "device": "bench",
            "kind": "attempt",
            "card_key": first_key + key,
            "card_rev": f"{key:016x}",
            "target_id": None,
            "at_ms": at_ms,
            "utc_offset_min": 0,
            "day": _day(at_ms),
            "rating": int(history.rating[k]),
            "proposed_rating": None,
            "took_ms": 6000,
            "purpose": "review",
            "params_id": "bench",
            "phase_before": int(history.phase[k]),
            "phase_after": 2 if given > 0 else (3 if history.phase[k] >= 2 else 1),
            "step_after": 0 if given > 0 else 1,
            "due_day": _day(at_ms) + given if given > 0 else None,
            "due_ms": None if given > 0 else at_ms - given * 1000,
            "response": None,
        }


def _day(at_ms: int) -> int:
    return (at_ms - ROLLOVER_MS) // DAY_MS
