"""accumulation: K cards of data parallelism against K micro-batches on one card, with equal and unequal token counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, Values, recorded, residual
from evidence.lab_params import whole
from evidence.labs.collectives import RULES, Meter, Rules, all_reduced
from evidence.labs.draw import F64, I64, Stream, largest_gap
from evidence.labs.model import Softmax
from evidence.picture import FULL, HALF, NARROW, WIDE, Picture, bars, si, still

TOLERANCE = 1e-10
"""Relative, over all steps. Adding in another order costs about 1e-15 a step."""
CLASSES = 5
RATE = 0.5

Batch = tuple[F64, I64]
Share = Callable[[int, int, int], float]


def plain_share(_tokens: int, _total: int, groups: int) -> float:
    """Every group counts the same: 1/K."""
    return 1.0 / groups


def token_share(tokens: int, total: int, _groups: int) -> float:
    """Every token counts the same: n_i/S."""
    return tokens / total


def every_batch(batches: Sequence[Batch]) -> Sequence[Batch]:
    """The micro-batches that accumulation goes over: all of them."""
    return batches


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    plain: Share = plain_share
    weighted: Share = token_share
    micro_batches: Callable[[Sequence[Batch]], Sequence[Batch]] = every_batch
    ring: Rules = RULES


def whole_batch(model: Softmax, steps: Sequence[Sequence[Batch]]) -> Softmax:
    """The truth: one gradient over all tokens of a step together."""
    for batches in steps:
        inputs = np.concatenate([batch[0] for batch in batches])
        targets = np.concatenate([batch[1] for batch in batches])
        model = model.stepped(model.gradient_sum(inputs, targets) / len(targets), RATE)
    return model


def accumulated(model: Softmax, steps: Sequence[Sequence[Batch]], share: Share, parts: Parts) -> Softmax:
    """One card: each micro-batch's mean gradient times its share is added to one buffer, then one optimizer step."""
    for batches in steps:
        total = sum(len(targets) for _, targets in batches)
        buffer = np.zeros_like(model.weight)
        for inputs, targets in parts.micro_batches(batches):
            mean = model.gradient_sum(inputs, targets) / len(targets)
            buffer += share(len(targets), total, len(batches)) * mean
        model = model.stepped(buffer, RATE)
    return model


def data_parallel(
    model: Softmax, steps: Sequence[Sequence[Batch]], share: Share, parts: Parts, meter: Meter
) -> list[Softmax]:
    """K cards, each with its own copy of the model: one all-reduce of the gradients a step. Every card's last model."""
    replicas = [model] * meter.cards
    for batches in steps:
        total = sum(len(targets) for _, targets in batches)
        mine = [
            share(len(targets), total, len(batches)) * (replica.gradient_sum(inputs, targets) / len(targets))
            for replica, (inputs, targets) in zip(replicas, batches, strict=True)
        ]
        summed = all_reduced(mine, meter, parts.ring)
        replicas = [replica.stepped(one, RATE) for replica, one in zip(replicas, summed, strict=True)]
    return replicas


@dataclass(frozen=True, slots=True)
class Compared:
    """One choice of token counts: how far each way ends from the truth and from the other."""

    plain_gap: float
    weighted_gap: float
    pair_gap: float
    sent: int


def compare(model: Softmax, steps: Sequence[Sequence[Batch]], groups: int, parts: Parts) -> Compared:
    """Run all five ways from the same model over the same tokens."""
    meter = Meter(groups)
    truth = whole_batch(model, steps).weight
    ends = {}
    for name, share in (("plain", parts.plain), ("weighted", parts.weighted)):
        one = accumulated(model, steps, share, parts).weight
        cards = [card.weight for card in data_parallel(model, steps, share, parts, meter)]
        ends[name] = (
            max(largest_gap(one, truth), *(largest_gap(card, truth) for card in cards)),
            max(largest_gap(card, one) for card in cards),
        )
    pair = max(ends["plain"][1], ends["weighted"][1])
    return Compared(ends["plain"][0], ends["weighted"][0], pair, int(meter.bytes.max()) // (2 * len(steps)))


def unequal_counts(stream: Stream, groups: int, tokens: int) -> tuple[int, ...]:
    """Counts from 1 to 2 x `tokens` - 1, not all the same."""
    counts = [1 + int(one) for one in stream.below(2 * tokens - 1, groups)]
    if len(set(counts)) == 1:
        counts[0] = counts[0] % (2 * tokens - 1) + 1
    return tuple(counts)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Equal: after all steps no weight differs by more than 1e-10 of the largest.",
        "相等：全部步数之后，任一权重之差不超过最大权重的 1e-10。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Equal counts, then unequal ones."""
    groups, tokens = whole(values, "k"), whole(values, "tokens")
    features, steps = whole(values, "features"), whole(values, "steps")
    stream = Stream(seed)
    model = Softmax.drawn(stream, features, CLASSES)
    counts = unequal_counts(stream, groups, tokens)
    equal = compare(model, _steps(stream, (tokens,) * groups, features, steps), groups, parts)
    progress(0.5, "1/2")
    unequal = compare(model, _steps(stream, counts, features, steps), groups, parts)
    progress(0.9, "2/2")
    size = -(-model.weight.size // groups) * groups * 8
    metrics: dict[str, bool | int | float] = {
        "ddp_equals_accumulation": max(equal.pair_gap, unequal.pair_gap) <= TOLERANCE,
        "equal_tokens_match_whole_batch": max(equal.plain_gap, equal.weighted_gap) <= TOLERANCE,
        "unequal_tokens_plain_mismatches": unequal.plain_gap > TOLERANCE,
        "unequal_tokens_weighted_matches": unequal.weighted_gap <= TOLERANCE,
        "one_all_reduce_per_step": unequal.sent * groups == 2 * (groups - 1) * size,
    }
    return Findings(
        metrics,
        {
            "unequal_counts": recorded(list(counts), "tokens"),
            "unequal_plain_gap": recorded(unequal.plain_gap, "relative"),
            "equal_plain_gap": residual(equal.plain_gap, "relative"),
            "unequal_weighted_gap": residual(unequal.weighted_gap, "relative"),
            "ddp_accumulation_gap": residual(max(equal.pair_gap, unequal.pair_gap), "relative"),
            "gradient_size": recorded(size, "B"),
            "ddp_sent_each_step": recorded(unequal.sent, "B"),
            "accumulation_sent_each_step": recorded(0, "B"),
        },
        EQUAL,
        _picture(counts),
    )


def _steps(stream: Stream, counts: Sequence[int], features: int, steps: int) -> list[list[Batch]]:
    return [[(stream.bell(n, features), stream.below(CLASSES, n)) for n in counts] for _ in range(steps)]


def _picture(counts: Sequence[int]) -> Picture:
    """Shares: what n_i/S and 1/K give each group."""
    total, rows = sum(counts), []
    for k, count in enumerate(counts[:10], start=1):
        rows.append((f"{k} n={si(count)} n/S", [(count / total, FULL)], f"{count / total:.4f}"))
        rows.append(("1/K", [(1 / len(counts), HALF)], f"{1 / len(counts):.4f}"))
    return Picture((still(bars(rows, WIDE), bars(rows, NARROW)),))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """K from k (or ga, n, dp)."""
    for name in ("k", "ga", "n", "dp"):
        if name in drill:
            return {"k": drill[name]}
    return {}


LAB = Lab(
    id="accumulation",
    version=1,
    title=Text("Gradient accumulation is data parallelism's shadow", "梯度累积是数据并行的单机影子"),
    about=Text(
        "A small softmax classifier is trained for some steps in five ways: all tokens at once, K micro-batches accumulated on"
        " one card and K cards with one ring all-reduce, each with shares 1/K and n_i/S. First with the same token count for"
        " every group, then with counts drawn by the seed.",
        "用五种方式训练一个小型 softmax 分类器若干步：全部 token 一次算完；单卡累积 K 个 micro-batch；K 张卡各算一份再做一次环形"
        " All-Reduce；后两者各用 1/K 和 n_i/S 两种权重。先让各组 token 数相同，再用种子抽出的不等数目。",
    ),
    params=(
        LabParam("k", Text("Micro-batches, or cards, K", "micro-batch 数（或卡数）K"), "int", 4, 2, 64),
        LabParam("tokens", Text("Tokens in each (mean)", "每组 token 数（平均）"), "int", 16, 2, 1024),
        LabParam("features", Text("Inputs of the model", "模型输入维数"), "int", 8, 1, 16),
        LabParam("steps", Text("Optimizer steps", "优化器步数"), "int", 3, 1, 4),
    ),
    metrics=(
        MetricSpec(
            "ddp_equals_accumulation", Text("K cards equal K micro-batches", "K 卡与 K 个 micro-batch 结果相同")
        ),
        MetricSpec(
            "equal_tokens_match_whole_batch",
            Text("Equal counts: both equal the mean over all tokens", "token 数相等：两者都等于全体平均"),
        ),
        MetricSpec(
            "unequal_tokens_plain_mismatches", Text("Unequal counts: 1/K is off", "token 数不等：按 1/K 平均有偏差")
        ),
        MetricSpec(
            "unequal_tokens_weighted_matches", Text("Unequal counts: n_i/S is right", "token 数不等：按 n_i/S 加权正确")
        ),
        MetricSpec("one_all_reduce_per_step", Text("One all-reduce a step", "每步只有一次 All-Reduce")),
    ),
    simulate=simulate,
    wish=wish,
    largest={"k": 64, "tokens": 1024, "features": 16, "steps": 4},
)
