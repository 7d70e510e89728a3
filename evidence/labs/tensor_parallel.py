"""tensor-parallel: column- and row-parallel products, a whole MLP and an attention block on t cards, equal to dense."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, Values, recorded, residual
from evidence.lab_params import whole
from evidence.labs.collectives import RULES, Meter, Rules, all_reduced
from evidence.labs.draw import F64, Stream, largest_gap
from evidence.picture import FULL, LIGHT, Picture, si, still

TOLERANCE = 1e-12
"""Relative. Splitting a sum over cards changes the order of adding only."""
HEAD = 4


def by_columns(matrix: F64, cards: int) -> list[F64]:
    """Each card's block of columns."""
    return np.split(matrix, cards, axis=1)


def by_rows(matrix: F64, cards: int) -> list[F64]:
    """Each card's block of rows."""
    return np.split(matrix, cards, axis=0)


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    first: Callable[[F64, int], list[F64]] = by_columns
    second: Callable[[F64, int], list[F64]] = by_rows
    ring: Rules = RULES


def gelu(x: F64) -> F64:
    """GeLU in its tanh form (Hendrycks and Gimpel 2016)."""
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def gelu_slope(x: F64) -> F64:
    """Derivative of `gelu`."""
    c = np.sqrt(2 / np.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    return np.asarray(0.5 * (1 + t) + 0.5 * x * (1 - t * t) * c * (1 + 3 * 0.044715 * x * x))


@dataclass(frozen=True, slots=True)
class Block:
    """A block's results: output, and gradients of input, first and second matrix."""

    out: F64
    d_in: F64
    d_first: F64
    d_second: F64


def dense_mlp(x: F64, first: F64, second: F64, d_out: F64) -> Block:
    """gelu(x A) B on one card, forward and backward."""
    before = x @ first
    active = gelu(before)
    d_before = (d_out @ second.T) * gelu_slope(before)
    return Block(active @ second, d_before @ first.T, x.T @ d_before, active.T @ d_out)


def parallel_mlp(x: F64, first: F64, second: F64, d_out: F64, meters: tuple[Meter, Meter], parts: Parts) -> list[Block]:
    """The same on t cards: A by columns, B by rows, so that one all-reduce ends the forward and one the backward pass."""
    cards = meters[0].cards
    firsts, seconds = parts.first(first, cards), parts.second(second, cards)
    before = [x @ a for a in firsts]
    active = [gelu(one) for one in before]
    outs = all_reduced([h @ b for h, b in zip(active, seconds, strict=True)], meters[0], parts.ring)
    d_before = [(d_out @ b.T) * gelu_slope(one) for b, one in zip(seconds, before, strict=True)]
    d_ins = all_reduced([d @ a.T for d, a in zip(d_before, firsts, strict=True)], meters[1], parts.ring)
    d_first = np.concatenate([x.T @ d for d in d_before], axis=1)
    d_second = np.concatenate([h.T @ d_out for h in active], axis=0)
    return [Block(out, d_in, d_first, d_second) for out, d_in in zip(outs, d_ins, strict=True)]


def attention(x: F64, qkv: F64) -> F64:
    """Causal attention of the heads whose columns are in `qkv` [h, 3, heads, HEAD]; their outputs side by side."""
    heads = qkv.shape[2]
    q, k, v = (np.einsum("sh,hnd->nsd", x, qkv[:, part]) for part in range(3))
    scores = q @ k.swapaxes(1, 2) / np.sqrt(HEAD)
    scores = np.where(np.tril(np.ones(scores.shape[1:], dtype=bool)), scores, -np.inf)
    shares = np.exp(scores - scores.max(axis=2, keepdims=True))
    shares /= shares.sum(axis=2, keepdims=True)
    return np.asarray((shares @ v).swapaxes(0, 1).reshape(len(x), heads * HEAD))


def parallel_attention(x: F64, qkv: F64, out: F64, meter: Meter, parts: Parts) -> list[F64]:
    """Heads divided among the cards, the output matrix by rows: one all-reduce."""
    heads = np.split(qkv, meter.cards, axis=2)
    rows = parts.second(out, meter.cards)
    return all_reduced([attention(x, a) @ b for a, b in zip(heads, rows, strict=True)], meter, parts.ring)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Equal: no entry differs by more than 1e-12 of the largest. Bytes to the last byte.",
        "相等：任一元素之差不超过最大元素的 1e-12；字节数逐字节相等。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Products, MLP and attention; h is rounded up so that the heads divide among the cards."""
    cards, tokens = whole(values, "t"), whole(values, "tokens")
    h = -(-whole(values, "h") // (cards * HEAD)) * cards * HEAD
    stream = Stream(seed)
    x, d_out = stream.bell(tokens, h), stream.bell(tokens, h)
    first, second = stream.bell(h, 4 * h) / np.sqrt(h), stream.bell(4 * h, h) / np.sqrt(4 * h)
    qkv, out = stream.bell(h, 3, h // HEAD, HEAD) / np.sqrt(h), stream.bell(h, h) / np.sqrt(h)
    progress(0.2, "1/4")
    gaps = _products(x, first, second, cards, parts)
    progress(0.4, "2/4")
    meters = (Meter(cards), Meter(cards))
    dense = dense_mlp(x, first, second, d_out)
    mlp = parallel_mlp(x, first, second, d_out, meters, parts)
    gaps["mlp"] = max(largest_gap(one.out, dense.out) for one in mlp)
    gaps["mlp_gradients"] = max(
        max(largest_gap(getattr(one, key), getattr(dense, key)) for key in ("d_in", "d_first", "d_second"))
        for one in mlp
    )
    progress(0.7, "3/4")
    meter = Meter(cards)
    truth = attention(x, qkv) @ out
    gaps["attention"] = max(largest_gap(one, truth) for one in parallel_attention(x, qkv, out, meter, parts))
    progress(0.9, "4/4")
    once = 2 * (cards - 1) * x.nbytes // cards
    counted = [int(one.bytes.max()) for one in (*meters, meter)]
    metrics: dict[str, bool | int | float] = {
        "column_equals_dense": gaps["column"] <= TOLERANCE,
        "row_equals_dense": gaps["row"] <= TOLERANCE,
        "mlp_equals_dense": gaps["mlp"] <= TOLERANCE,
        "mlp_gradients_equal_dense": gaps["mlp_gradients"] <= TOLERANCE,
        "attention_equals_dense": gaps["attention"] <= TOLERANCE,
        "one_all_reduce_each_way": all(one == once for one in counted),
        "gelu_of_partial_sums_mismatches": gaps["gelu_of_partials"] > TOLERANCE,
    }
    return Findings(
        metrics,
        {
            "h": recorded(h, ""),
            "activation_bytes": recorded(x.nbytes, "B"),
            "mlp_forward_sent_each": recorded(counted[0], "B"),
            "mlp_backward_sent_each": recorded(counted[1], "B"),
            "attention_forward_sent_each": recorded(counted[2], "B"),
            "weights_bytes_each": recorded(
                parts.first(first, cards)[0].nbytes + parts.second(second, cards)[0].nbytes, "B"
            ),
            "gelu_of_partials_gap": recorded(gaps["gelu_of_partials"], "relative"),
            **{f"{key}_gap": residual(gap, "relative") for key, gap in gaps.items() if key != "gelu_of_partials"},
        },
        EQUAL,
        _picture(cards, parts.first(first, cards)[0].nbytes, x.nbytes, counted),
    )


def _products(x: F64, first: F64, second: F64, cards: int, parts: Parts) -> dict[str, float]:
    """One product by columns (results side by side), one by rows (results added), and rows put before the GeLU."""
    wide = x @ first
    columns = np.concatenate([x @ one for one in parts.first(first, cards)], axis=1)
    pieces = np.split(wide, cards, axis=1)
    partial = [piece @ one for piece, one in zip(pieces, parts.second(second, cards), strict=True)]
    rows = all_reduced(partial, Meter(cards), parts.ring)
    return {
        "column": largest_gap(columns, wide),
        "row": max(largest_gap(one, wide @ second) for one in rows),
        "gelu_of_partials": largest_gap(sum((gelu(one) for one in partial), np.zeros(())), gelu(wide @ second)),
    }


def _picture(cards: int, block: int, activation: int, counted: list[int]) -> Picture:
    """Who holds which columns of A and rows of B, and what goes over the wire."""
    shown = min(cards, 8)
    lines = []
    for card in range(shown):
        mine = "".join(FULL if c == card else LIGHT for c in range(shown))
        lines.append(f"{card} A│{mine}│ → B─{mine}─  {si(block, 'B')}")
    if shown < cards:
        lines.append(f"… {cards - shown}")
    lines.append(f"Σ  {si(activation, 'B')} ×2({cards}-1)/{cards}")
    lines.append(f"MLP  → {si(counted[0], 'B')}  ← {si(counted[1], 'B')}")
    lines.append(f"QKV  → {si(counted[2], 'B')}")
    return Picture((still(lines),))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Cards t (tp), hidden size h, tokens s x b."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    for name in ("t", "tp", "n"):
        if name in drill:
            wished["t"] = drill[name]
            break
    if "h" in drill:
        wished["h"] = drill["h"]
    if "s" in drill:
        wished["tokens"] = drill["s"] * drill.get("b", 1.0)
    return wished


LAB = Lab(
    id="tensor-parallel",
    version=1,
    title=Text("Tensor parallelism: columns, then rows", "张量并行：先按列，再按行"),
    about=Text(
        "The first matrix of an MLP is cut by columns, the second by rows, so that GeLU works on whole entries and one"
        " all-reduce ends each pass. Attention is cut by heads. Outputs and gradients are compared with one dense card, and the"
        " bytes each card sends on a ring are counted. h is rounded up to a multiple of 4 x t.",
        "MLP 的第一个矩阵按列切、第二个按行切，GeLU 因此作用在完整的元素上，每个方向只需一次 All-Reduce。注意力按头切。"
        "输出与梯度都与单卡稠密计算对比，并统计每卡在环上发送的字节数。h 向上取整为 4×t 的倍数。",
    ),
    params=(
        LabParam("t", Text("Cards t", "卡数 t"), "int", 4, 2, 16),
        LabParam("h", Text("Hidden size h", "隐藏维 h"), "int", 64, 8, 256),
        LabParam("tokens", Text("Tokens", "token 数"), "int", 32, 1, 256),
    ),
    metrics=(
        MetricSpec("column_equals_dense", Text("Column-parallel product equals dense", "列并行乘积与稠密相等")),
        MetricSpec("row_equals_dense", Text("Row-parallel product equals dense", "行并行乘积与稠密相等")),
        MetricSpec("mlp_equals_dense", Text("MLP output equals dense", "MLP 输出与稠密相等")),
        MetricSpec("mlp_gradients_equal_dense", Text("MLP gradients equal dense", "MLP 梯度与稠密相等")),
        MetricSpec("attention_equals_dense", Text("Attention output equals dense", "注意力输出与稠密相等")),
        MetricSpec(
            "one_all_reduce_each_way",
            Text("Each block: one all-reduce forward, MLP one backward", "每块前向一次 All-Reduce，MLP 反向一次"),
        ),
        MetricSpec(
            "gelu_of_partial_sums_mismatches",
            Text("Rows first would apply GeLU to partial sums: wrong", "若先按行切，GeLU 作用在部分和上：结果错误"),
        ),
    ),
    simulate=simulate,
    wish=wish,
    sizes={"h": 128, "tokens": 64},
    largest={"t": 16, "h": 256, "tokens": 256},
)
