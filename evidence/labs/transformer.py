"""A tiny transformer, forward and backward by hand, whose every matrix product is counted from the shapes it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from evidence.labs.draw import F64, Stream

Multiply = Callable[[F64, F64], F64]
MATRICES = ("qkv", "out", "up", "down")


def matmul_flops(a: F64, b: F64) -> int:
    """Multiplications and additions of a product, two for each pair of entries that meet."""
    return int(2 * a.size * b.shape[-1])


@dataclass(slots=True)
class Counter:
    """Multiplies, and adds up FLOPs apart for products with weights and for attention's scores."""

    flops: Callable[[F64, F64], int] = matmul_flops
    weights: int = 0
    scores: int = 0

    def weight(self, a: F64, b: F64) -> F64:
        """A product in which a weight matrix, or the gradient of one, takes part."""
        self.weights += self.flops(a, b)
        return np.asarray(a @ b)

    def score(self, a: F64, b: F64) -> F64:
        """A product of two activations."""
        self.scores += self.flops(a, b)
        return np.asarray(a @ b)


@dataclass(frozen=True, slots=True)
class Block:
    """One layer: attention with `heads` heads, then an MLP of 4h; both added to what came in. No bias, no norm.

    The MLP squares its relu, which has no kink, so that a difference of losses can check the gradients.
    """

    qkv: F64
    out: F64
    up: F64
    down: F64
    heads: int

    @classmethod
    def drawn(cls, stream: Stream, h: int, heads: int) -> Block:
        """Entries small enough that a few layers stay tame."""
        qkv, out, up, down = (
            stream.bell(rows, columns) * 0.3 / np.sqrt(rows)
            for rows, columns in ((h, 3 * h), (h, h), (h, 4 * h), (4 * h, h))
        )
        return cls(qkv, out, up, down, heads)

    @property
    def size(self) -> int:
        """Parameters, from the arrays: 12 h squared."""
        return sum(getattr(self, name).size for name in MATRICES)


@dataclass(slots=True)
class Saved:
    """What a layer's backward needs of its forward."""

    x: F64
    q: F64
    k: F64
    v: F64
    shares: F64
    mixed: F64
    y: F64
    hidden: F64


def forward(block: Block, x: F64, count: Counter) -> tuple[F64, Saved]:
    """[batch, tokens, h] to the same, and what must be kept."""
    batch, tokens, h = x.shape
    packed = count.weight(x, block.qkv).reshape(batch, tokens, 3, block.heads, h // block.heads)
    q, k, v = (np.ascontiguousarray(packed[:, :, part].swapaxes(1, 2)) for part in range(3))
    scores = count.score(q, k.swapaxes(2, 3)) / np.sqrt(h / block.heads)
    scores = np.exp(scores - scores.max(axis=3, keepdims=True))
    shares = scores / scores.sum(axis=3, keepdims=True)
    mixed = count.score(shares, v).swapaxes(1, 2).reshape(batch, tokens, h)
    y = x + count.weight(mixed, block.out)
    hidden = np.maximum(count.weight(y, block.up), 0.0)
    return y + count.weight(hidden * hidden, block.down), Saved(x, q, k, v, shares, mixed, y, hidden)


def backward(block: Block, saved: Saved, d_out: F64, count: Counter) -> tuple[F64, dict[str, F64]]:
    """Gradients of the layer's input and of its four matrices."""
    batch, tokens, h = d_out.shape

    def flat(a: F64) -> F64:
        return a.reshape(batch * tokens, -1)

    grads = {"down": count.weight(flat(saved.hidden * saved.hidden).T, flat(d_out))}
    d_up = count.weight(d_out, block.down.T) * (2 * saved.hidden)
    grads["up"] = count.weight(flat(saved.y).T, flat(d_up))
    d_y = d_out + count.weight(d_up, block.up.T)
    grads["out"] = count.weight(flat(saved.mixed).T, flat(d_y))
    d_mixed = count.weight(d_y, block.out.T).reshape(batch, tokens, block.heads, h // block.heads).swapaxes(1, 2)
    d_shares = count.score(d_mixed, saved.v.swapaxes(2, 3))
    d_v = count.score(saved.shares.swapaxes(2, 3), d_mixed)
    d_scores = saved.shares * (d_shares - (d_shares * saved.shares).sum(axis=3, keepdims=True))
    d_scores /= np.sqrt(h / block.heads)
    d_q, d_k = count.score(d_scores, saved.k), count.score(d_scores.swapaxes(2, 3), saved.q)
    d_packed = np.stack([one.swapaxes(1, 2) for one in (d_q, d_k, d_v)], axis=2).reshape(batch, tokens, 3 * h)
    grads["qkv"] = count.weight(flat(saved.x).T, flat(d_packed))
    return d_y + count.weight(d_packed, block.qkv.T), grads


@dataclass(slots=True)
class Step:
    """One training step: FLOPs of its parts, its gradients, and what was held between forward and backward."""

    loss: float = 0.0
    forward: Counter = field(default_factory=Counter)
    backward: Counter = field(default_factory=Counter)
    again: Counter = field(default_factory=Counter)
    gradients: list[dict[str, F64]] = field(default_factory=list)
    held_entries: int = 0


def step(blocks: list[Block], x: F64, target: F64, flops: Callable[[F64, F64], int], *, recompute: bool) -> Step:
    """Forward and backward of the loss sum(output x target); with `recompute` only each layer's input is kept."""
    done = Step(forward=Counter(flops), backward=Counter(flops), again=Counter(flops))
    kept: list[Saved | F64] = []
    for block in blocks:
        entered = x
        x, saved = forward(block, x, done.forward)
        kept.append(entered if recompute else saved)
    done.loss = float((x * target).sum())
    done.held_entries = sum(_entries(one) for one in kept)
    back = target
    for block, one in zip(reversed(blocks), reversed(kept), strict=True):
        saved = one if isinstance(one, Saved) else forward(block, one, done.again)[1]
        back, grads = backward(block, saved, back, done.backward)
        done.gradients.insert(0, grads)
    return done


def _entries(kept: Saved | F64) -> int:
    if not isinstance(kept, Saved):
        return kept.size
    return sum(getattr(kept, name).size for name in Saved.__slots__)
