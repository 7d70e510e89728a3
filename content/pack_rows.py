"""One pack's rows in the record: its topics, cards and texts, and a memory row for each new card.

Nothing is ever deleted. What a pack no longer has is marked absent and waits, with its history, for its return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, case, func, insert, select, update

from content.cards import rev_of, text_to_json
from content.events import Queue
from content.library import LoadedPack
from content.store import Record
from content.tables import card, card_rev, memory, pack, topic
from grading.schedule import Phase

STRIDE = 1_000_000
"""Positions of one pack's cards lie within one stride, so that packs are introduced one after the other."""


@dataclass(frozen=True, slots=True)
class Synced:
    """How many cards of a pack are new, have another text, went, or came back."""

    pack_id: str
    new: int
    changed: int
    gone: int
    back: int


def sync(record: Record, loaded: LoadedPack, now_ms: int) -> Synced:
    """Write one pack into the record, in one transaction; what is there already is only changed where it differs."""
    with record.transaction() as connection:
        _put_pack(connection, loaded, now_ms)
        topic_keys = _put_topics(connection, loaded)
        synced = _put_cards(connection, loaded, topic_keys, now_ms)
        _follow_presence(connection, [loaded.id])
        record.fill_memories()
    return synced


def mark_absent(record: Record, pack_ids: Sequence[str]) -> None:
    """Note that these packs are gone: their cards wait nowhere, their history stays."""
    with record.transaction() as connection:
        for table in (pack, topic, card):
            connection.execute(update(table).where(table.c.pack_id.in_(pack_ids)).values(present=0))
        _follow_presence(connection, pack_ids)


def _put_pack(connection: Connection, loaded: LoadedPack, now_ms: int) -> None:
    values = {
        "title": text_to_json(loaded.title),
        "folder": str(loaded.folder),
        "signature": loaded.signature,
        "present": 1,
        "loaded_ms": now_ms,
    }
    if connection.execute(update(pack).where(pack.c.pack_id == loaded.id).values(values)).rowcount == 0:
        connection.execute(insert(pack), {"pack_id": loaded.id, **values})


def _put_topics(connection: Connection, loaded: LoadedPack) -> dict[str, int]:
    """Write the topics; returns the key of each topic id of the pack."""
    wanted = {
        one.id: {"pack_id": loaded.id, "position": position, "body": one.to_json(), "present": 1}
        for position, one in enumerate(loaded.topics)
    }
    old = {row.topic_id: row for row in connection.execute(select(topic).where(topic.c.pack_id == loaded.id))}
    for row in old.values():
        values = wanted.get(row.topic_id, {"present": 0})
        if _differs(row, values):
            connection.execute(update(topic).where(topic.c.topic_key == row.topic_key).values(values))
    new = [{"topic_id": topic_id, **values} for topic_id, values in wanted.items() if topic_id not in old]
    if new:
        connection.execute(insert(topic), new)
    keys = connection.execute(select(topic.c.topic_id, topic.c.topic_key).where(topic.c.pack_id == loaded.id))
    return {row.topic_id: row.topic_key for row in keys}


def _put_cards(connection: Connection, loaded: LoadedPack, topic_keys: Mapping[str, int], now_ms: int) -> Synced:
    old = {row.card_id: row for row in connection.execute(select(card).where(card.c.pack_id == loaded.id))}
    bodies = {one.id: one.to_json() for one in loaded.cards}
    first = _first_position(connection, loaded.id)
    wanted = {
        one.id: {
            "pack_id": loaded.id,
            "topic_key": topic_keys[one.topic],
            "kind": one.kind,
            "sibling": one.sibling,
            "position": first + position,
            "rev": rev_of(bodies[one.id]),
            "present": 1,
        }
        for position, one in enumerate(loaded.cards)
    }
    new = [{"card_id": card_id, **values} for card_id, values in wanted.items() if card_id not in old]
    differing = [row for row in old.values() if row.card_id in wanted and _differs(row, wanted[row.card_id])]
    gone = [row for row in old.values() if row.card_id not in wanted and row.present]
    if new:
        connection.execute(insert(card), new)
    _change_cards(connection, [{"key": row.card_key, **wanted[row.card_id]} for row in differing])
    _change_cards(connection, [{"key": row.card_key, "present": 0} for row in gone])
    _put_texts(connection, loaded.id, bodies, now_ms)
    return Synced(
        loaded.id,
        new=len(new),
        changed=sum(row.rev != wanted[row.card_id]["rev"] for row in differing),
        gone=len(gone),
        back=sum(not row.present for row in differing),
    )


def _change_cards(connection: Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        changed: dict[str, Any] = {name: bindparam(name) for name in rows[0] if name != "key"}
        connection.execute(update(card).where(card.c.card_key == bindparam("key")).values(changed), rows)


def _put_texts(connection: Connection, pack_id: str, bodies: Mapping[str, str], now_ms: int) -> None:
    """Keep the present text of every card whose revision has none yet."""
    lacking = (
        select(card.c.card_key, card.c.card_id, card.c.rev)
        .outerjoin(card_rev, (card_rev.c.card_key == card.c.card_key) & (card_rev.c.rev == card.c.rev))
        .where(card.c.pack_id == pack_id, card.c.present == 1, card_rev.c.rev.is_(None))
    )
    rows = [
        {"card_key": key, "rev": rev, "body": bodies[card_id], "first_seen_ms": now_ms}
        for key, card_id, rev in connection.execute(lacking)
    ]
    if rows:
        connection.execute(insert(card_rev), rows)


def _first_position(connection: Connection, pack_id: str) -> int:
    """Where the positions of a pack begin: where they did, or one stride after every pack that came before it."""
    mine = connection.execute(select(func.min(card.c.position)).where(card.c.pack_id == pack_id)).scalar()
    if mine is not None:
        return int(mine) // STRIDE * STRIDE
    last = connection.execute(select(func.max(card.c.position))).scalar()
    return 0 if last is None else (int(last) // STRIDE + 1) * STRIDE


def _follow_presence(connection: Connection, pack_ids: Sequence[str]) -> None:
    """Bring queue and position of these packs' memory rows, of every learner, in line with their cards."""
    here = _keys(pack_ids, present=1)
    phase_queue = case(
        (memory.c.suspended == 1, int(Queue.SUSPENDED)),
        (memory.c.phase == int(Phase.NEW), int(Queue.NEW)),
        (memory.c.phase == int(Phase.REVIEW), int(Queue.REVIEW)),
        else_=int(Queue.STEPS),
    )
    absent = int(Queue.ABSENT)
    leaving = memory.c.card_key.in_(_keys(pack_ids, present=0)) & (memory.c.queue != absent)
    connection.execute(update(memory).where(leaving).values(queue=absent))
    returning = memory.c.card_key.in_(here) & (memory.c.queue == absent)
    connection.execute(update(memory).where(returning).values(queue=phase_queue))
    position = select(card.c.position).where(card.c.card_key == memory.c.card_key).scalar_subquery()
    moved = memory.c.card_key.in_(here) & (memory.c.position != position)
    connection.execute(update(memory).where(moved).values(position=position))


def _keys(pack_ids: Sequence[str], present: int) -> Select[tuple[int]]:
    return select(card.c.card_key).where(card.c.pack_id.in_(pack_ids), card.c.present == present)


def _differs(row: Row[Any], values: Mapping[str, object]) -> bool:
    return any(row._mapping[name] != value for name, value in values.items())
