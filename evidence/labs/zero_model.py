"""The network and the optimizer that the zero-sharding lab trains on every card at once.

Cards are the first axis of every array. Weights and gradients are held in half precision (2 bytes), the rest in FP32. Each
gradient is rounded to whole multiples of one grid step and kept as that whole number, so small that the sum over all cards and
micro-steps is exact in half precision in *any* order: sharded and unsharded training can then be asked for the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from evidence.labs.draw import F32, Stream

F16 = npt.NDArray[np.float16]

LAYERS = 4
WIDTH = 16
BATCH = 4
EXACT_TO = 2048
"""Whole numbers up to this one are exact in FP16, and so are all sums that stay within it."""

RATE, BETA1, BETA2, EPSILON, DECAY = (np.float32(x) for x in (0.01, 0.9, 0.95, 1e-8, 0.1))


@dataclass(frozen=True, slots=True)
class Sizes:
    """N cards, K micro-steps and Φ parameters: `LAYERS` layers of `WIDTH` x `inner` entries in N chunks of `chunk`."""

    cards: int
    micro: int
    inner: int

    @classmethod
    def at_least(cls, phi: int, cards: int, micro: int) -> Sizes:
        """The smallest network of at least `phi` parameters whose layers divide evenly among the cards."""
        return cls(cards, micro, -(-phi // (LAYERS * WIDTH * cards)) * cards)

    @property
    def phi(self) -> int:
        """All parameters, Φ."""
        return LAYERS * self.layer

    @property
    def layer(self) -> int:
        """Parameters of one layer."""
        return WIDTH * self.inner

    @property
    def chunk(self) -> int:
        """Parameters of one layer in one card's shard."""
        return self.layer // self.cards

    @property
    def grid(self) -> int:
        """The largest whole number a single gradient entry may be."""
        return max(1, min(64, EXACT_TO // (self.cards * self.micro)))


Weights = Callable[[int], F16]
"""The weights of a layer, [cards or 1, WIDTH, inner], put together when asked for."""
TakeGradient = Callable[[int, F32], None]
"""Handed a layer's gradients of all cards, [cards, WIDTH, inner], during the backward pass."""


def forward_backward(weights: Weights, inputs: F32, targets: F32, take: TakeGradient) -> F32:
    """One forward and one backward pass of h <- h + tanh(h W) W'/inner; asks for each layer once in each direction.

    Gives each card's loss, half the mean squared distance from the targets.
    """
    entered, active, h = [], [], inputs
    for layer in range(LAYERS):
        w = weights(layer).astype(np.float32)
        entered.append(h)
        active.append(np.tanh(h @ w))
        h = h + active[-1] @ w.swapaxes(1, 2) / np.float32(w.shape[2])
    gap = h - targets
    back = gap / np.float32(inputs.shape[1])
    for layer in reversed(range(LAYERS)):
        w = weights(layer).astype(np.float32)
        a, inner = active[layer], np.float32(w.shape[2])
        before = (back @ w / inner) * (1 - a * a)
        take(layer, back.swapaxes(1, 2) @ a / inner + entered[layer].swapaxes(1, 2) @ before)
        back = back + before @ w.swapaxes(1, 2)
    return np.asarray((gap * gap).mean(axis=(1, 2)) / 2, dtype=np.float32)


def to_grid(gradient: F32, step: float, most: int) -> F16:
    """The gradient in whole grid steps, clipped to `most` of them."""
    return np.asarray(np.clip(np.rint(gradient / np.float32(step)), -most, most), dtype=np.float16)


@dataclass(frozen=True, slots=True)
class Task:
    """What all ways of training share: first weights, the tokens of every card, micro-step and step, and the grid."""

    sizes: Sizes
    first: F16
    """[layer, WIDTH x inner]"""
    inputs: F32
    """[step, micro, card, BATCH, WIDTH]"""
    targets: F32
    grid_steps: tuple[float, ...]

    @classmethod
    def drawn(cls, seed: int, sizes: Sizes, steps: int) -> Task:
        """Draw it; the grid step of a layer is its largest first gradient over `sizes.grid`."""
        stream = Stream(seed)
        first = (stream.bell(LAYERS, sizes.layer) / 4).astype(np.float16)
        shape = (steps, sizes.micro, sizes.cards, BATCH, WIDTH)
        inputs, targets = (stream.bell(*shape).astype(np.float32) for _ in range(2))
        largest = [0.0] * LAYERS

        def see(layer: int, gradient: F32) -> None:
            largest[layer] = float(np.abs(gradient).max()) or 1.0

        shaped = first.reshape(LAYERS, 1, WIDTH, sizes.inner)
        forward_backward(lambda layer: np.asarray(shaped[layer]), inputs[0, 0], targets[0, 0], see)
        return cls(sizes, first, inputs, targets, tuple(one / sizes.grid for one in largest))


@dataclass(slots=True)
class Adam:
    """FP32 master weights and moments of one layer, whole or shards: any shape."""

    master: F32
    m: F32
    v: F32

    @classmethod
    def of(cls, weights: F16) -> Adam:
        """The state before the first step."""
        master = weights.astype(np.float32)
        return cls(master, np.zeros_like(master), np.zeros_like(master))


Update = Callable[[Adam, F16, float, int], F16]


def adamw(state: Adam, gradient: F16, scale: float, step: int) -> F16:
    """One AdamW step in FP32 (Loshchilov and Hutter 2019), in place; gives the new half-precision weights.

    `gradient` counts grid steps summed over all contributions, `scale` makes a mean of it. Only + - * / and the square root,
    all rounded exactly, so that an entry's bits do not depend on the array it lies in.
    """
    g = gradient.astype(np.float32) * np.float32(scale)
    state.m[...] = BETA1 * state.m + (1 - BETA1) * g
    state.v[...] = BETA2 * state.v + (1 - BETA2) * (g * g)
    m_hat = state.m / np.float32(1 - float(BETA1) ** step)
    v_hat = state.v / np.float32(1 - float(BETA2) ** step)
    state.master -= RATE * (m_hat / (np.sqrt(v_hat) + EPSILON) + DECAY * state.master)
    return state.master.astype(np.float16)


def unsharded(task: Task, tick: Callable[[], None]) -> tuple[list[F16], list[Adam]]:
    """The truth: one card that holds everything and adds up all gradients in FP64. Weights and state of each layer."""
    sizes = task.sizes
    weights = [one.copy() for one in task.first]
    states = [Adam.of(one) for one in weights]
    for step in range(len(task.inputs)):
        sums = np.zeros((LAYERS, sizes.layer))

        def take(layer: int, gradient: F32, sums: npt.NDArray[np.float64] = sums) -> None:
            whole = to_grid(gradient, task.grid_steps[layer], sizes.grid)
            sums[layer] += whole.astype(np.float64).sum(axis=0).ravel()

        for micro in range(sizes.micro):
            forward_backward(
                lambda layer: weights[layer].reshape(1, WIDTH, sizes.inner),
                task.inputs[step, micro],
                task.targets[step, micro],
                take,
            )
            tick()
        for layer, state in enumerate(states):
            scale = task.grid_steps[layer] / (sizes.cards * sizes.micro)
            weights[layer] = adamw(state, sums[layer].astype(np.float16), scale, step + 1)
    return weights, states
