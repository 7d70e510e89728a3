"""counting: parameters from real shapes, FLOPs from real products, and bytes of activations really held."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Recorded, Tolerance, Values, recorded, residual
from evidence.lab_params import whole
from evidence.labs.draw import F64, Stream
from evidence.labs.layer_memory import Held, held_by_layer
from evidence.labs.transformer import MATRICES, Block, Step, matmul_flops, step
from evidence.picture import DENSE, FULL, HALF, LIGHT, NARROW, WIDE, Picture, bars, si, still

TOLERANCE = 1e-5
"""Relative, of the gradients against a difference of losses; counts are compared exactly."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    flops: Callable[[F64, F64], int] = matmul_flops
    step: Callable[..., Step] = step
    held: Callable[[int, int, int, int, int], Held] = held_by_layer


def llama_shapes(layers: int, h: int, kv: int, d: int, ff: int, vocab: int) -> list[tuple[int, ...]]:
    """Every array of a model with grouped-query attention, SwiGLU, norms, untied embeddings and no biases."""
    layer = [(h, h), (h, kv * d), (h, kv * d), (h, h), (h, ff), (h, ff), (ff, h), (h,), (h,)]
    return layer * layers + [(vocab, h), (h, vocab), (h,)]


@dataclass(frozen=True, slots=True)
class Shape:
    """The network that was run, and the grouped-query SwiGLU model of its size whose parameters are counted."""

    layers: int
    h: int
    heads: int
    s: int
    b: int
    phi: int

    @property
    def tokens(self) -> int:
        """Tokens of the step."""
        return self.b * self.s

    @property
    def llama(self) -> tuple[int, int, int]:
        """Head size, MLP size and vocabulary of that model, with one key-value head."""
        return self.h // self.heads, 3 * self.h, 16 * self.h

    def llama_parameters(self) -> int:
        """Entries of its arrays, made one by one."""
        shapes = llama_shapes(self.layers, self.h, 1, *self.llama)
        return sum(np.empty(shape, dtype=np.float16).size for shape in shapes)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Counts exactly. Gradients: along one direction within 1e-5 of a difference of losses.",
        "计数完全相等。梯度：沿一个方向与损失差商之差不超过 1e-5。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """One training step without and one with checkpointing; then one layer's activations; h is a multiple of the heads."""
    layers, heads, s, b = (whole(values, key) for key in ("layers", "a", "s", "b"))
    h = -(-whole(values, "h") // heads) * heads
    stream = Stream(seed)
    blocks = [Block.drawn(stream, h, heads) for _ in range(layers)]
    x, target = stream.bell(b, s, h), stream.bell(b, s, h)
    phi, tokens = sum(block.size for block in blocks), b * s
    plain = parts.step(blocks, x, target, parts.flops, recompute=False)
    progress(0.3, "1/4")
    again = parts.step(blocks, x, target, parts.flops, recompute=True)
    progress(0.5, "2/4")
    gap = _gradient_gap(blocks, x, target, plain, parts)
    progress(0.7, "3/4")
    held = parts.held(s, b, h, heads, seed)
    shape = Shape(layers, h, heads, s, b, phi)
    return Findings(
        _counts(shape, plain, again, held)
        | {"gradients_are_right": gap <= TOLERANCE and _same_gradients(plain, again)},
        _numbers(shape, plain, again, held) | {"gradient_gap": residual(gap, "relative")},
        EQUAL,
        _picture(plain, again, phi * tokens, held),
    )


def _counts(at: Shape, plain: Step, again: Step, held: Held) -> dict[str, bool | int | float]:
    """Each count against its formula, to the last one."""
    layers, h, s, b, tokens, phi = at.layers, at.h, at.s, at.b, at.tokens, at.phi
    d, ff, vocab = at.llama
    llama = layers * (2 * h * h + 2 * h * d + 3 * h * ff + 2 * h) + 2 * vocab * h + h
    return {
        "parameters_are_12_l_h_h": phi == 12 * layers * h * h,
        "llama_parameters_match": at.llama_parameters() == llama,
        "forward_is_2_phi": plain.forward.weights == 2 * phi * tokens,
        "backward_is_4_phi": plain.backward.weights == 4 * phi * tokens,
        "checkpointing_adds_2_phi": again.again.weights == 2 * phi * tokens and plain.again.weights == 0,
        "scores_are_12_l_h_s": plain.forward.scores + plain.backward.scores == 12 * layers * h * s * tokens,
        "activations_are_34_sbh_5_as": _bytes(held) == 34 * s * b * h + 5 * at.heads * s * s * b,
        "checkpoint_keeps_one_input": 2 * again.held_entries == 2 * s * b * h * layers,
    }


def _numbers(at: Shape, plain: Step, again: Step, held: Held) -> dict[str, Recorded]:
    scores = plain.forward.scores + plain.backward.scores
    return {
        "h": recorded(at.h, ""),
        "phi": recorded(at.phi, "parameters"),
        "llama_parameters": recorded(at.llama_parameters(), "parameters"),
        "forward_flops_per_token": recorded(plain.forward.weights / at.tokens, "FLOP"),
        "backward_flops_per_token": recorded(plain.backward.weights / at.tokens, "FLOP"),
        "recomputed_flops_per_token": recorded(again.again.weights / at.tokens, "FLOP"),
        "score_flops_per_token": recorded(scores / at.tokens, "FLOP"),
        "score_share_of_6_phi": recorded(scores / (6 * at.phi * at.tokens), "share"),
        "hfu_over_mfu": recorded(_total(again) / _total(plain), "x"),
        "layer_activation_bytes": recorded(_bytes(held), "B"),
        "checkpointed_layer_bytes": recorded(2 * at.s * at.b * at.h, "B"),
    }


def _bytes(held: Held) -> int:
    return sum(one.nbytes for one in held.values())


def _total(one: Step) -> int:
    return one.forward.weights + one.backward.weights + one.again.weights


def _gradient_gap(blocks: list[Block], x: F64, target: F64, done: Step, parts: Parts) -> float:
    """All gradients along one drawn direction, against the loss a little ahead less that a little behind."""
    stream, tiny = Stream(len(blocks)), 1e-5
    ways = [{name: stream.bell(*getattr(block, name).shape) for name in MATRICES} for block in blocks]
    slope = sum(
        float((grads[name] * way[name]).sum())
        for grads, way in zip(done.gradients, ways, strict=True)
        for name in MATRICES
    )
    losses = []
    for sign in (1, -1):
        moved = [
            replace(block, **{name: getattr(block, name) + sign * tiny * way[name] for name in MATRICES})
            for block, way in zip(blocks, ways, strict=True)
        ]
        losses.append(parts.step(moved, x, target, parts.flops, recompute=False).loss)
    measured = (losses[0] - losses[1]) / (2 * tiny)
    return abs(slope - measured) / max(abs(measured), 1e-12)


def _same_gradients(a: Step, b: Step) -> bool:
    return all(
        np.allclose(one[name], other[name], rtol=1e-12, atol=1e-12)
        for one, other in zip(a.gradients, b.gradients, strict=True)
        for name in MATRICES
    )


def _picture(plain: Step, again: Step, phi_tokens: int, held: Held) -> Picture:
    """FLOPs in units of Φ a token (forward, backward, recomputed, scores), then the bytes each kept array takes."""
    rows = []
    for name, one in (("", plain), ("+2Φ", again)):
        parts = [
            (one.forward.weights / phi_tokens, FULL),
            (one.backward.weights / phi_tokens, DENSE),
            (one.again.weights / phi_tokens, HALF),
            ((one.forward.scores + one.backward.scores + one.again.scores) / phi_tokens, LIGHT),
        ]
        rows.append((f"{sum(p[0] for p in parts[:3]):.4g}Φ {name}".strip(), parts, f"{sum(p[0] for p in parts):.3g}"))
    kept = [(name, [(float(array.nbytes), FULL)], si(array.nbytes, "B")) for name, array in held.items()]
    return Picture(
        (still(bars(rows, WIDE), bars(rows, NARROW)), still(bars(kept, WIDE), bars(kept, NARROW))),
    )


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Layers, hidden size, heads, tokens and batch of a drill."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    names = {"layers": ("l", "layers"), "h": ("h",), "a": ("a", "heads"), "s": ("s",), "b": ("b", "mb")}
    for key, known in names.items():
        for name in known:
            if name in drill:
                wished[key] = drill[name]
                break
    return wished


LAB = Lab(
    id="counting",
    version=1,
    title=Text("Counting parameters, FLOPs and activations", "数参数、FLOPs 与激活"),
    about=Text(
        "A transformer of L layers (no biases, norms or embedding; attention over all s tokens) is trained for one step on real"
        " arrays. Each matrix product is counted from its shapes: forward, backward, and again with checkpointing; its gradients"
        " are checked by a difference of losses. A GPT layer with norms, GeLU and dropout masks is run in half precision and the"
        " bytes it keeps are added up. h is rounded up to a multiple of the heads.",
        "在真实数组上把一个 L 层 transformer（无偏置、归一化和词嵌入；注意力覆盖全部 s 个 token）训练一步，"
        "按形状统计每次矩阵乘：前向、反向、以及重计算；梯度用损失差商检验。"
        "再以半精度跑一层带归一化、GeLU 和 dropout 掩码的 GPT 层，"
        "把保留的字节数加起来。h 向上取整为头数的倍数。",
    ),
    params=(
        LabParam("layers", Text("Layers L", "层数 L"), "int", 2, 1, 4),
        LabParam("h", Text("Hidden size h", "隐藏维 h"), "int", 32, 4, 128),
        LabParam("a", Text("Heads a", "头数 a"), "int", 4, 1, 8),
        LabParam("s", Text("Tokens in a sequence s", "序列长度 s"), "int", 32, 1, 128),
        LabParam("b", Text("Sequences b", "序列数 b"), "int", 2, 1, 2),
    ),
    metrics=(
        MetricSpec("parameters_are_12_l_h_h", Text("Matrices hold 12 L h² parameters", "矩阵参数共 12Lh²")),
        MetricSpec(
            "llama_parameters_match",
            Text("GQA and SwiGLU: L(2h²+2h·kv·d+3h·ff+2h)+2Vh+h", "GQA 与 SwiGLU：L(2h²+2h·kv·d+3h·ff+2h)+2Vh+h"),
        ),
        MetricSpec("forward_is_2_phi", Text("Forward: 2Φ FLOPs a token", "前向：每 token 2Φ FLOPs")),
        MetricSpec("backward_is_4_phi", Text("Backward: 4Φ FLOPs a token", "反向：每 token 4Φ FLOPs")),
        MetricSpec("checkpointing_adds_2_phi", Text("Full checkpointing adds 2Φ", "完全重计算再加 2Φ")),
        MetricSpec("scores_are_12_l_h_s", Text("Scores: 12 L h s FLOPs a token", "注意力分数：每 token 12Lhs FLOPs")),
        MetricSpec("gradients_are_right", Text("The counted backward is a right one", "被计数的反向确实正确")),
        MetricSpec(
            "activations_are_34_sbh_5_as",
            Text("A GPT layer keeps 34sbh + 5as²b bytes", "一层 GPT 保留 34sbh + 5as²b 字节"),
        ),
        MetricSpec(
            "checkpoint_keeps_one_input", Text("A checkpointed layer keeps 2sbh bytes", "重计算的层只留 2sbh 字节")
        ),
    ),
    simulate=simulate,
    wish=wish,
    sizes={"h": 64, "s": 128},
    largest={"layers": 4, "h": 128, "a": 8, "s": 128, "b": 2},
)
