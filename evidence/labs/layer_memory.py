"""What one GPT layer holds for its backward, as real arrays: FP16 activations and one-byte dropout masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from evidence.labs.draw import Stream

F16 = npt.NDArray[np.float16]
Held = dict[str, npt.NDArray[Any]]

KEEP = 0.9


def held_by_layer(s: int, b: int, h: int, a: int, seed: int) -> Held:
    """Run a layer forward in half precision as Korthikanti et al. 2022 (section 4.1) take it, and keep what they count.

    LayerNorm, attention with dropout on its shares and its output, LayerNorm, MLP with GeLU and dropout. Kept: the inputs of
    every matrix product, of the softmax's own backward its output, of GeLU and the norms their inputs, and the masks.
    """
    stream = Stream(seed)
    held: Held = {}

    def half(x: npt.NDArray[np.floating]) -> F16:
        return x.astype(np.float16)

    def matrix(rows: int, columns: int) -> npt.NDArray[np.float32]:
        return np.asarray(stream.bell(rows, columns) / np.sqrt(rows), dtype=np.float32)

    def mask(*shape: int) -> npt.NDArray[np.uint8]:
        return (stream.uniform(*shape) < KEEP).astype(np.uint8)

    def norm(x: F16) -> F16:
        wide = x.astype(np.float32)
        return half((wide - wide.mean(axis=-1, keepdims=True)) / (wide.std(axis=-1, keepdims=True) + 1e-5))

    x = held["norm1_input"] = half(stream.bell(b, s, h))
    entered = held["qkv_input"] = norm(x)
    packed = half(entered @ matrix(h, 3 * h)).reshape(b, s, 3, a, h // a)
    q, k, v = (np.ascontiguousarray(packed[:, :, part].swapaxes(1, 2)) for part in range(3))
    held |= {"q": q, "k": k, "v": v}
    scores = q.astype(np.float32) @ k.astype(np.float32).swapaxes(2, 3) / np.float32(np.sqrt(h / a))
    scores = np.exp(scores - scores.max(axis=3, keepdims=True))
    shares = held["softmax_output"] = half(scores / scores.sum(axis=3, keepdims=True))
    drop = held["shares_mask"] = mask(b, a, s, s)
    dropped = held["shares_dropped"] = half(shares * drop / KEEP)
    mixed = held["projection_input"] = half((dropped @ v).swapaxes(1, 2).reshape(b, s, h))
    out_mask = held["attention_mask"] = mask(b, s, h)
    y = held["norm2_input"] = half(x + mixed @ matrix(h, h) * out_mask / KEEP)
    wide = held["mlp_input"] = norm(y)
    before = held["gelu_input"] = half(wide @ matrix(h, 4 * h))
    w = before.astype(np.float32)
    held["mlp_second_input"] = half(0.5 * w * (1 + np.tanh(0.7978846 * (w + 0.044715 * w**3))))
    held["mlp_mask"] = mask(b, s, h)
    return held
