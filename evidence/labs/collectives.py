"""Ring collectives over cards that are rows of one array, with every byte that goes over a wire counted where it is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from evidence.labs.draw import I64

Array = npt.NDArray[Any]
OnStep = Callable[[int, I64, Array], None]


def reduce_chunk(ranks: I64, step: int, cards: int) -> I64:
    """The chunk that each card passes to its right neighbour in a reduce-scatter; card r ends as the owner of chunk r."""
    return (ranks - step - 1) % cards


def gather_chunk(ranks: I64, step: int, cards: int) -> I64:
    """The chunk that each card passes on in an all-gather: first its own, then the one it was just handed."""
    return (ranks - step) % cards


def add(mine: Array, handed: Array) -> Array:
    """What a card does with a chunk it is handed in a reduce-scatter."""
    return np.asarray(mine + handed)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the ring consists of; a test exchanges one of them."""

    reduce_chunk: Callable[[I64, int, int], I64] = reduce_chunk
    gather_chunk: Callable[[I64, int, int], I64] = gather_chunk
    add: Callable[[Array, Array], Array] = add


RULES = Rules()


@dataclass(slots=True)
class Meter:
    """Bytes, elements and messages that each card sent."""

    cards: int
    bytes: I64 = field(init=False)
    elements: I64 = field(init=False)
    steps: int = 0

    def __post_init__(self) -> None:
        self.bytes = np.zeros(self.cards, dtype=np.int64)
        self.elements = np.zeros(self.cards, dtype=np.int64)

    def count(self, messages: Array) -> None:
        """One step: row r of `messages` is what card r sends; rows of one array are alike in size."""
        self.bytes += messages[0].nbytes
        self.elements += messages[0].size
        self.steps += 1


def reduce_scatter(data: Array, meter: Meter, rules: Rules = RULES, on_step: OnStep | None = None) -> None:
    """Sum over cards in place: `data[card, chunk]`; afterwards `data[r, r]` is the whole sum of chunk r."""
    _ring(data, meter, rules.reduce_chunk, rules.add, on_step)


def all_gather(data: Array, meter: Meter, rules: Rules = RULES, on_step: OnStep | None = None) -> None:
    """Card r's own chunk `data[r, r]` reaches all cards, in place."""
    _ring(data, meter, rules.gather_chunk, lambda _mine, handed: handed, on_step)


def all_reduce(data: Array, meter: Meter, rules: Rules = RULES, on_step: OnStep | None = None) -> None:
    """A reduce-scatter and an all-gather: every card ends with the whole sum."""
    reduce_scatter(data, meter, rules, on_step)
    all_gather(data, meter, rules, on_step)


def all_reduced(arrays: Sequence[Array], meter: Meter, rules: Rules = RULES) -> list[Array]:
    """The sum of one array a card, as each card gets it; filled up with zeros to a multiple of the cards for the wire."""
    cards, size = len(arrays), arrays[0].size
    data = np.zeros((cards, cards, -(-size // cards)), dtype=arrays[0].dtype)
    rows = data.reshape(cards, -1)
    for card, array in enumerate(arrays):
        rows[card, :size] = array.ravel()
    all_reduce(data, meter, rules)
    return [rows[card, :size].reshape(arrays[0].shape) for card in range(cards)]


def _ring(
    data: Array,
    meter: Meter,
    chunk_of: Callable[[I64, int, int], I64],
    take: Callable[[Array, Array], Array],
    on_step: OnStep | None,
) -> None:
    cards = data.shape[0]
    ranks = np.arange(cards, dtype=np.int64)
    right = (ranks + 1) % cards
    for step in range(cards - 1):
        sent = chunk_of(ranks, step, cards)
        messages = data[ranks, sent]  # a copy: all cards send before any takes
        meter.count(messages)
        data[right, sent] = take(data[right, sent], messages)
        if on_step:
            on_step(step, sent, data)
