"""experts: top-k routing over experts spread on cards; dispatch and combine by all-to-all, equal to dense; drops counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, Values, recorded, residual
from evidence.lab_params import number, whole
from evidence.labs.draw import F64, I64, Stream, largest_gap
from evidence.picture import FULL, HALF, LIGHT, NARROW, WIDE, Picture, bars, cut, still

Mask = npt.NDArray[np.bool_]

TOLERANCE = 1e-12
"""Relative. The same products in batches of other shapes."""


@dataclass(frozen=True, slots=True)
class Routing:
    """Each token's k experts, best first, and their weights, which add up to 1."""

    experts: I64
    """[tokens, k]"""
    weights: F64


def top_k(scores: F64, k: int) -> Routing:
    """The k highest scores of each token (the lower expert wins a tie), softmax over those k."""
    chosen = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    picked = np.take_along_axis(scores, chosen, axis=1)
    weights = np.exp(picked - picked.max(axis=1, keepdims=True))
    return Routing(chosen.astype(np.int64), np.asarray(weights / weights.sum(axis=1, keepdims=True)))


def capacity(tokens: int, k: int, experts: int, factor: Fraction) -> int:
    """Places of each expert: ceil(T k / E x factor), over exact fractions."""
    return -((-tokens * k * factor.numerator) // (experts * factor.denominator))


def within(experts: I64, limit: int) -> Mask:
    """Which copies find a place: first come, first served, in the order of tokens, then of their choices."""
    flat = experts.ravel()
    order = np.argsort(flat, kind="stable")
    starts = np.searchsorted(flat[order], np.arange(flat.max() + 1))
    place = np.empty_like(flat)
    place[order] = np.arange(len(flat)) - starts[flat[order]]
    return np.asarray(place < limit).reshape(experts.shape)


def exchange(outgoing: Sequence[Sequence[F64]]) -> list[list[F64]]:
    """All-to-all: what card i has for card j arrives at j in place i."""
    return [[outgoing[i][j] for i in range(len(outgoing))] for j in range(len(outgoing))]


def mixed(results: F64, weights: F64) -> F64:
    """A token's output: its experts' results, [tokens, k, h], by their weights."""
    return np.asarray((results * weights[:, :, np.newaxis]).sum(axis=1))


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    exchange: Callable[[Sequence[Sequence[F64]]], list[list[F64]]] = exchange
    capacity: Callable[[int, int, int, Fraction], int] = capacity
    mixed: Callable[[F64, F64], F64] = mixed


@dataclass(frozen=True, slots=True)
class Layer:
    """The experts: relu(x A) B each, expert e living on card e // (E / cards)."""

    first: F64
    """[experts, h, 2h]"""
    second: F64
    cards: int

    @property
    def count(self) -> int:
        """All experts, E."""
        return len(self.first)

    def apply(self, expert: int, x: F64) -> F64:
        """One expert's result for some tokens."""
        return np.asarray(np.maximum(x @ self.first[expert], 0.0) @ self.second[expert])

    def card_of(self, experts: I64) -> I64:
        """The card on which each expert lives."""
        return np.asarray(experts // (self.count // self.cards))


def dense(layer: Layer, x: F64, routing: Routing, keep: Mask) -> F64:
    """The truth on one card: each expert does all tokens; a token takes its chosen experts' results, kept ones only."""
    out = np.zeros_like(x)
    for expert in range(layer.count):
        share = np.where((routing.experts == expert) & keep, routing.weights, 0.0).sum(axis=1)
        if share.any():
            out += share[:, np.newaxis] * layer.apply(expert, x)
    return out


@dataclass(frozen=True, slots=True)
class Sent:
    """What one layer's dispatch and combine moved, forward, and what came out."""

    out: F64
    dispatched: int
    """Bytes of all messages of the dispatch, those to the own card included."""
    dispatched_away: int
    combined_away: int
    copies: int


def spread(layer: Layer, x: F64, routing: Routing, keep: Mask, parts: Parts) -> Sent:
    """Tokens lie in equal parts on the cards: pack copies by destination, exchange, compute, exchange back, mix."""
    cards, each = layer.cards, len(x) // layer.cards
    plans: list[list[tuple[I64, I64]]] = []
    outgoing: list[list[F64]] = []
    for card in range(cards):
        mine = slice(card * each, (card + 1) * each)
        token, slot = np.nonzero(keep[mine])
        goal = layer.card_of(routing.experts[mine][token, slot])
        plan = [(token[goal == other], slot[goal == other]) for other in range(cards)]
        plans.append(plan)
        outgoing.append([x[mine][tokens] for tokens, _ in plan])
    arrived = parts.exchange(outgoing)
    wanted = exchange_ids(plans, routing, each)
    done = [
        [_computed(layer, batch, ids) for batch, ids in zip(arrived[card], wanted[card], strict=True)]
        for card in range(cards)
    ]
    back = parts.exchange(done)
    out = np.zeros_like(x)
    for card in range(cards):
        results = np.zeros((each, routing.experts.shape[1], x.shape[1]))
        for (token, slot), batch in zip(plans[card], back[card], strict=True):
            results[token[: len(batch)], slot[: len(batch)]] = batch
        mine = slice(card * each, (card + 1) * each)
        out[mine] = parts.mixed(results, np.where(keep[mine], routing.weights[mine], 0.0))
    return Sent(
        out, _bytes(outgoing, own=True), _bytes(outgoing), _bytes(done), sum(len(b) for r in arrived for b in r)
    )


def exchange_ids(plans: list[list[tuple[I64, I64]]], routing: Routing, each: int) -> list[list[I64]]:
    """The expert numbers that travel with the copies (not counted as bytes here)."""
    cards = range(len(plans))
    ids = [[routing.experts[i * each + plans[i][j][0], plans[i][j][1]] for j in cards] for i in cards]
    return [[ids[i][j] for i in cards] for j in cards]


def _computed(layer: Layer, batch: F64, ids: I64) -> F64:
    out = np.zeros_like(batch)
    ids = ids[: len(batch)]
    for expert in np.unique(ids):
        out[ids == expert] = layer.apply(int(expert), batch[ids == expert])
    return out


def _bytes(messages: Sequence[Sequence[F64]], *, own: bool = False) -> int:
    return sum(batch.nbytes for i, row in enumerate(messages) for j, batch in enumerate(row) if own or i != j)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Equal: no entry differs by more than 1e-12 of the largest. Copies and bytes exactly.",
        "相等：任一元素之差不超过最大元素的 1e-12；副本数与字节数完全相等。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Without a capacity, with one, and with perfectly even routing; E is rounded up to a multiple of the cards."""
    cards, each, h = whole(values, "ep"), whole(values, "tokens"), whole(values, "h")
    experts = -(-whole(values, "experts") // cards) * cards
    k, factor = min(whole(values, "k"), experts), Fraction(repr(number(values, "cf")))
    stream, total = Stream(seed), cards * each
    layer = Layer(stream.bell(experts, h, 2 * h) / np.sqrt(h), stream.bell(experts, 2 * h, h) / np.sqrt(2 * h), cards)
    x = stream.bell(total, h)
    routing = top_k(x @ stream.bell(h, experts) + 2 * stream.bell(experts), k)
    everything = np.ones(routing.experts.shape, dtype=bool)
    free = spread(layer, x, routing, everything, parts)
    progress(0.2, "1/6")
    gap = largest_gap(free.out, dense(layer, x, routing, everything))
    progress(0.4, "2/6")
    limit = parts.capacity(total, k, experts, factor)
    loads = np.bincount(routing.experts.ravel(), minlength=experts)
    keep = within(routing.experts, limit)
    tight = spread(layer, x, routing, keep, parts)
    progress(0.5, "3/6")
    tight_gap = largest_gap(tight.out, dense(layer, x, routing, keep))
    dropped = int(np.maximum(loads - limit, 0).sum())
    progress(0.7, "4/6")
    even = Routing((np.arange(total * k) % experts).reshape(total, k).astype(np.int64), routing.weights)
    level = spread(layer, x, even, everything, parts)
    progress(0.9, "5/6")
    away = int((layer.card_of(routing.experts) != np.arange(total)[:, np.newaxis] // each).sum())
    even_away = int((layer.card_of(even.experts) != np.arange(total)[:, np.newaxis] // each).sum())
    even_local, row = total * k - even_away, h * x.itemsize
    exact = Fraction(total * k, experts) * factor
    metrics: dict[str, bool | int | float] = {
        "dispatch_combine_equals_dense": gap <= TOLERANCE,
        "capacity_run_equals_dense_without_dropped": tight_gap <= TOLERANCE,
        "capacity_is_exact_ceil": limit - 1 < exact <= limit,
        "drops_match": tight.copies == total * k - dropped and free.copies == level.copies == total * k,
        "bytes_match": free.dispatched_away == free.combined_away == away * row and free.dispatched == total * k * row,
        "even_routing_keeps_one_over_ep": level.dispatched_away == level.combined_away == even_away * row
        and abs(even_local * cards - total * k) <= (experts * cards if each * k % experts else 0),
    }
    return Findings(
        metrics,
        {
            "experts": recorded(experts, "experts"),
            "copies": recorded(total * k, "copies"),
            "capacity": recorded(limit, "tokens"),
            "dropped": recorded(dropped, "copies"),
            "loads": recorded([int(one) for one in loads], "copies"),
            "max_over_mean_load": recorded(float(loads.max() / loads.mean()), "x"),
            "dispatch_bytes_away": recorded(free.dispatched_away, "B"),
            "combine_bytes_away": recorded(free.combined_away, "B"),
            "local_share": recorded(1 - away / (total * k), "share"),
            "even_local_share": recorded(even_local / (total * k), "share"),
            "one_over_ep": recorded(1 / cards, "share"),
            "gap": residual(gap, "relative"),
            "capacity_gap": residual(tight_gap, "relative"),
        },
        EQUAL,
        _picture(loads, limit, routing, layer, each),
    )


def _picture(loads: I64, limit: int, routing: Routing, layer: Layer, each: int) -> Picture:
    """The load of each expert against its places (dropped copies lighter); then copies from card to card."""
    rows = []
    for expert, load in enumerate(loads[:12]):
        kept = min(int(load), limit)
        rows.append(
            (f"E{expert}", [(float(kept), FULL), (float(load - kept), LIGHT)], f"{kept}/{limit} -{load - kept}")
        )
    goal = layer.card_of(routing.experts)
    shown = min(layer.cards, 10)
    lines = [" " * 4 + "".join(f"→{card:<5}" for card in range(shown))]
    for card in range(shown):
        counts = np.bincount(goal[card * each : (card + 1) * each].ravel(), minlength=layer.cards)[:shown]
        lines.append(f"{card:<4}" + "".join(f"{HALF if c == card else ' '}{n:<5}" for c, n in enumerate(counts)))
    frames = [still(bars(rows, WIDE), bars(rows, NARROW))]
    frames.append(still([cut(line, WIDE) for line in lines], [cut(line, NARROW) for line in lines]))
    return Picture(tuple(frames))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Cards ep, experts E, k, tokens T a card, hidden size h, capacity factor cf."""
    wished: dict[str, float | str | tuple[float, ...]] = {}
    names = {
        "ep": ("ep", "n"),
        "experts": ("e", "experts"),
        "k": ("k",),
        "tokens": ("t", "tokens"),
        "h": ("h",),
        "cf": ("cf", "c"),
    }
    for key, known in names.items():
        for name in known:
            if name in drill:
                wished[key] = drill[name]
                break
    if "k" not in drill and "tokens" not in drill:
        wished.pop("tokens", None)  # a `t` beside no `k` is a tensor-parallel degree or a time
    return wished


LAB = Lab(
    id="experts",
    version=1,
    title=Text("Expert parallelism: dispatch and combine", "专家并行：分发与合并"),
    about=Text(
        "Tokens lie on the cards in equal parts, each expert on one card. A gate chooses k experts a token; copies go out in one"
        " all-to-all, results come back in another and are mixed. Compared with one dense card; then with a capacity, where the"
        " copies that find no place are dropped; then with every expert chosen equally often. Bytes are counted message by"
        " message in FP64 rows of h entries, those to the own card apart.",
        "token 均分在各卡上，每个专家只在一张卡上。门控为每个 token 选 k 个专家，"
        "副本经一次 all-to-all 分发，结果再经一次收回并加权合并，与单卡稠密计算对比；再加容量限制，放不下的副本丢弃；"
        "最后让各专家被选次数相同。按消息逐条计字节（h 个 FP64），发给本卡的另计。",
    ),
    params=(
        LabParam("ep", Text("Cards EP", "卡数 EP"), "int", 4, 2, 32),
        LabParam("experts", Text("Experts E", "专家数 E"), "int", 8, 2, 256),
        LabParam("k", Text("Chosen a token k", "每 token 选 k 个"), "int", 2, 1, 8),
        LabParam("tokens", Text("Tokens on each card T", "每卡 token 数 T"), "int", 64, 1, 64),
        LabParam("h", Text("Hidden size h", "隐藏维 h"), "int", 16, 1, 16),
        LabParam("cf", Text("Capacity factor", "容量因子"), "float", 1.25, 0.1, 8.0),
    ),
    metrics=(
        MetricSpec("dispatch_combine_equals_dense", Text("Dispatch and combine equal dense", "分发与合并等于稠密计算")),
        MetricSpec(
            "capacity_run_equals_dense_without_dropped",
            Text("With a capacity: dense without the dropped copies", "有容量限制：等于去掉丢弃副本的稠密计算"),
        ),
        MetricSpec(
            "capacity_is_exact_ceil", Text("Capacity is ceil(T k / E x cf), exactly", "容量恰为 ceil(T·k/E·cf)")
        ),
        MetricSpec("drops_match", Text("Copies over capacity, and no others, are dropped", "只丢弃超出容量的副本")),
        MetricSpec("bytes_match", Text("Bytes both ways: copies off the card x h", "双向字节数：出卡副本数 × h")),
        MetricSpec(
            "even_routing_keeps_one_over_ep",
            Text("Even routing: 1/EP of the copies stay (to E copies)", "均匀路由：1/EP 的副本留在本卡（至多差 E 个）"),
        ),
    ),
    simulate=simulate,
    wish=wish,
    sizes={"tokens": 64, "h": 16},
    largest={"ep": 32, "experts": 256, "k": 8, "tokens": 64, "h": 16},
)
