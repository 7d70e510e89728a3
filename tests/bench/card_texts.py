"""The words of made cards: the same on both sides, so that neither has less to read."""

from __future__ import annotations

TOPICS = ("ring", "shard", "stage", "bubble", "expert", "router", "kernel", "bucket")
TOPICS += ("slice", "tile", "batch", "token", "layer", "head", "rank", "mesh")


def card_texts(i: int) -> tuple[str, str]:
    a, b, c = TOPICS[i % 16], TOPICS[(i * 7 + 3) % 16], TOPICS[(i * 5 + 11) % 16]
    front = f"Question {i}: what does the {a} of the {b} hold under {c} number {i * 31 % 9973}?"
    back = (
        f"Answer {i}: the {a} holds {i * 17 % 1000 / 10} GB because the {b} and the {c} are sharded (topic {i % 40})."
    )
    return front, back
