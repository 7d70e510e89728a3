"""Builds what is measured: a shardrill record and an Anki collection of N cards with the same history.

usage: python tests/bench/records.py 100 100000 1000000
Both files hold absolute due days: rebuild them when they are more than a few days old.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import histories
import numpy as np
from timing import DATA

TOPICS = ("ring", "shard", "stage", "bubble", "expert", "router", "kernel", "bucket")
TOPICS += ("slice", "tile", "batch", "token", "layer", "head", "rank", "mesh")
DAY_MS = 86_400_000
ROLLOVER_MS = 4 * 3_600_000
LEARNER = "me"


def card_texts(i: int) -> tuple[str, str]:
    a, b, c = TOPICS[i % 16], TOPICS[(i * 7 + 3) % 16], TOPICS[(i * 5 + 11) % 16]
    front = f"Question {i}: what does the {a} of the {b} hold under {c} number {i * 31 % 9973}?"
    back = (
        f"Answer {i}: the {a} holds {i * 17 % 1000 / 10} GB because the {b} and the {c} are sharded (topic {i % 40})."
    )
    return front, back


def shardrill_folder(n: int) -> Path:
    return DATA / f"shardrill_{n}"


def anki_file(n: int) -> Path:
    return DATA / f"anki_{n}.anki2"


def build(n: int) -> None:
    """Write both files for `n` cards."""
    DATA.mkdir(parents=True, exist_ok=True)
    now_s = time.time()
    history = histories.make(n // 2, n // 2 * 10, now_s)
    reviewed = np.sort(np.random.default_rng(11).permutation(n)[: n // 2])
    started = time.perf_counter()
    build_shardrill(n, history, reviewed, int(now_s * 1000))
    print(f"shardrill_{n}: {time.perf_counter() - started:.1f} s", flush=True)
    started = time.perf_counter()
    try:
        build_anki(n, history, reviewed, now_s)
    except ImportError:
        print("the anki package is not installed: no Anki collection built")
        return
    print(f"anki_{n}: {time.perf_counter() - started:.1f} s", flush=True)


# --- shardrill ------------------------------------------------------------------------------------------------------


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


# --- Anki -----------------------------------------------------------------------------------------------------------


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


if __name__ == "__main__":
    for size in sys.argv[1:]:
        build(int(size))
