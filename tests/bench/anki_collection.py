"""Builds an Anki collection of N cards with a made history: schema and options are Anki's own, rows are inserted in bulk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import histories
import numpy as np
from card_texts import card_texts
from timing import DATA

DAY_MS = 86_400_000


def anki_file(n: int) -> Path:
    return DATA / f"anki_{n}.anki2"


def build_anki(n: int, history: histories.History, reviewed: np.ndarray, now_s: float) -> None:
    """The schema and options come from Anki's own library; rows are inserted in bulk and checked by Anki afterwards."""
    from anki.collection import Collection

    path = anki_file(n)
    for name in (path.name, path.name + "-wal", path.name + "-shm"):
        (DATA / name).unlink(missing_ok=True)
    notetype_id, deck_id = _empty_collection(path)
    created_s = (int(now_s) // 86_400 - 3650) * 86_400 + 4 * 3600
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("UPDATE col SET crt = ?", (created_s,))
    indexes = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
        " AND tbl_name IN ('notes', 'cards', 'revlog')"
    ).fetchall()
    for name, _ in indexes:
        db.execute(f"DROP INDEX {name}")
    base = int(now_s * 1000) - 400 * DAY_MS - 2 * n
    db.execute("BEGIN")
    db.executemany("INSERT INTO notes VALUES (?,?,?,?,?,?,?,?,?,?,?)", _anki_notes(n, base, notetype_id, int(now_s)))
    db.executemany(
        "INSERT INTO cards VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
        _anki_cards(n, base, deck_id, created_s, int(now_s), history, reviewed),
    )
    db.executemany("INSERT INTO revlog VALUES (?,?,?,?,?,?,?,?,?)", _anki_revlog(base, history, reviewed))
    db.execute("COMMIT")
    for _, sql in indexes:
        db.execute(sql)
    db.execute("INSERT OR REPLACE INTO config VALUES ('nextPos', -1, 0, ?)", (str(n + 1).encode(),))
    db.close()
    collection = Collection(str(path))
    _, ok = collection.fix_integrity()
    collection.close()
    if not ok:
        raise RuntimeError(f"Anki found {path} faulty")


def _empty_collection(path: Path) -> tuple[int, int]:
    from anki import deck_config_pb2
    from anki.collection import Collection

    collection = Collection(str(path))
    notetype = collection.models.by_name("Basic")
    assert notetype is not None
    deck_id = int(collection.decks.id("Bench") or 0)
    update = collection._backend.get_deck_configs_for_update(1)
    config = update.all_config[0].config
    config.config.fsrs_params_6[:] = list(update.defaults.config.fsrs_params_6)
    config.config.new_per_day, config.config.reviews_per_day = 20, 200
    collection._backend.update_deck_configs(
        target_deck_id=1,
        configs=[config],
        removed_config_ids=[],
        mode=deck_config_pb2.UPDATE_DECK_CONFIGS_MODE_NORMAL,
        card_state_customizer="",
        limits=update.current_deck.limits,
        new_cards_ignore_review_limit=True,
        fsrs=True,
        apply_all_parent_limits=False,
        fsrs_reschedule=False,
        fsrs_health_check=False,
    )
    collection.decks.set_current(deck_id)
    collection.close()
    return int(notetype["id"]), deck_id


def _anki_notes(n: int, base: int, notetype_id: int, now_s: int) -> Iterator[tuple[object, ...]]:
    for i in range(n):
        front, back = card_texts(i)
        yield (base + i, f"g{i:09d}", notetype_id, now_s, -1, "", f"{front}\x1f{back}", front, i, 0, "")


def _anki_cards(
    n: int, base: int, deck_id: int, created_s: int, now_s: int, history: histories.History, reviewed: np.ndarray
) -> Iterator[tuple[object, ...]]:
    last = history.first + history.counts - 1
    row_of = dict(zip(reviewed.tolist(), range(len(reviewed)), strict=True))
    for i in range(n):
        c = row_of.get(i)
        if c is None:
            yield (base + i, base + i, deck_id, 0, now_s, -1, 0, 0, i + 1, 0, 0, 0, 0, 0, 0, 0, 0, "{}")
            continue
        at_s, days = int(history.at_ms[last[c]]) // 1000, max(1, int(history.interval[last[c]]))
        memory = {
            "pos": i + 1,
            "s": round(float(history.stability[c]), 4),
            "d": round(float(history.difficulty[c]), 3),
            "dr": 0.9,
            "decay": 0.154,
            "lrt": at_s,
        }
        due = (at_s - created_s) // 86_400 + days
        yield (
            base + i,
            base + i,
            deck_id,
            0,
            now_s,
            -1,
            2,
            2,
            due,
            days,
            2500,
            int(history.counts[c]),
            0,
            0,
            0,
            0,
            0,
            json.dumps(memory),
        )


def _anki_revlog(base: int, history: histories.History, reviewed: np.ndarray) -> Iterator[tuple[int, ...]]:
    phase = np.array([0, 0, 1, 2])[history.phase]
    for k in np.argsort(history.at_ms, kind="stable").tolist():
        yield (
            int(history.at_ms[k]),
            base + int(reviewed[history.card[k]]),
            -1,
            int(history.rating[k]),
            int(history.interval[k]),
            0,
            500,
            6000,
            int(phase[k]),
        )
