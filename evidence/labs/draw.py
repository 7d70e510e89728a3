"""Random arrays that are the same on every numpy: our own mapping over the raw stream of PCG64, additions and products only."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
F32 = npt.NDArray[np.float32]
I64 = npt.NDArray[np.int64]


class Stream:
    """A seeded source of numbers. Only `random_raw` is used, the one stream that numpy promises not to change."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed % 2**64)

    def raw(self, count: int) -> npt.NDArray[np.uint64]:
        """The next `count` raw 64-bit numbers."""
        return np.asarray(self._bits.random_raw(count), dtype=np.uint64).reshape(count)

    def uniform(self, *shape: int) -> F64:
        """Numbers in [0, 1), 53 bits each."""
        count = int(np.prod(shape, dtype=np.int64))
        return ((self.raw(count) >> np.uint64(11)).astype(np.float64) * 2.0**-53).reshape(shape)

    def bell(self, *shape: int) -> F64:
        """Numbers spread like a standard normal, within +-3.47: the sum of four uniforms, centred and scaled.

        Sums of uniforms need no logarithm or cosine, whose last bit differs between machines.
        """
        total = self.uniform(*shape)
        for _ in range(3):
            total += self.uniform(*shape)
        total -= 2.0
        total *= np.sqrt(3.0)
        return total

    def below(self, limit: int, *shape: int) -> I64:
        """Whole numbers from 0 to `limit` - 1."""
        count = int(np.prod(shape, dtype=np.int64))
        return (self.raw(count) % np.uint64(limit)).astype(np.int64).reshape(shape)


def largest_gap(a: npt.ArrayLike, b: npt.ArrayLike) -> float:
    """The largest difference, relative to the largest entry of `b` (absolute where `b` is all zero)."""
    x, y = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if x.shape != y.shape:
        return float("inf")
    if not x.size:
        return 0.0
    gap, size = float(np.max(np.abs(x - y))), float(np.max(np.abs(y)))
    return gap / size if size else gap
