"""weighted-mean: the course's parity check. Mean of means against the mean over all tokens, of losses and of gradients."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from content.cards import Text
from evidence.lab import (
    Findings,
    Lab,
    LabParam,
    MetricSpec,
    Progress,
    Tolerance,
    Values,
    recorded,
    residual,
)
from evidence.lab_params import whole, wholes
from evidence.labs.draw import F64, I64, Stream, largest_gap
from evidence.labs.model import Softmax
from evidence.picture import FULL, HALF, Picture, bars, still

TOLERANCE = 1e-12
"""Relative. Means of up to a million doubles differ by a few 1e-15 between orders of adding; a wrong weight by far more."""


def mean_of_means(means: Sequence[F64], _counts: Sequence[int]) -> F64:
    """What an all-reduce average gives: every card counts the same."""
    return np.asarray(sum(means[1:], start=means[0]) / len(means))


def weighted_mean(means: Sequence[F64], counts: Sequence[int]) -> F64:
    """Σ n_i/S · mean_i with S = Σ n_i."""
    total = sum(counts)
    return np.asarray(sum((n / total * mean for n, mean in zip(counts, means, strict=True)), start=np.zeros(())))


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves: the two ways to put the cards' means together."""

    plain: Callable[[Sequence[F64], Sequence[int]], F64] = mean_of_means
    weighted: Callable[[Sequence[F64], Sequence[int]], F64] = weighted_mean


@dataclass(frozen=True, slots=True)
class Trial:
    """One set of token counts: each card's mean loss and gradient, put together in three ways."""

    counts: tuple[int, ...]
    card_losses: list[F64]
    plain: tuple[F64, F64]
    weighted: tuple[F64, F64]
    true: tuple[F64, F64]

    @property
    def gaps(self) -> dict[str, float]:
        """Relative differences from the mean over all tokens."""
        return {
            "plain_loss": largest_gap(self.plain[0], self.true[0]),
            "plain_gradient": largest_gap(self.plain[1], self.true[1]),
            "weighted_loss": largest_gap(self.weighted[0], self.true[0]),
            "weighted_gradient": largest_gap(self.weighted[1], self.true[1]),
        }


def trial(counts: tuple[int, ...], features: int, seed: int, parts: Parts) -> Trial:
    """Each card sees its own tokens; the truth sees all of them at once."""
    stream = Stream(seed)
    model = Softmax.drawn(stream, features, classes=5)
    inputs, targets = stream.bell(sum(counts), features), stream.below(5, sum(counts))
    ends = np.cumsum(counts)
    cards: list[tuple[F64, F64]] = []
    for count, end in zip(counts, ends, strict=True):
        mine = slice(int(end) - count, int(end))
        cards.append(_means(model, inputs[mine], targets[mine]))
    losses, gradients = [loss for loss, _ in cards], [gradient for _, gradient in cards]
    return Trial(
        counts,
        losses,
        (parts.plain(losses, counts), parts.plain(gradients, counts)),
        (parts.weighted(losses, counts), parts.weighted(gradients, counts)),
        _means(model, inputs, targets),
    )


def _means(model: Softmax, inputs: F64, targets: I64) -> tuple[F64, F64]:
    losses, gradient = model.losses(inputs, targets), model.gradient_sum(inputs, targets)
    return np.asarray(losses.mean()), gradient / len(losses)


EQUAL = Tolerance(
    TOLERANCE,
    "relative",
    Text(
        "Equal: the largest difference, over the largest entry, is at most 1e-12.",
        "相等：最大差值与最大元素之比不超过 1e-12。",
    ),
)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Run the page's check with the counts asked for, then once more with as many tokens on every card as on the first."""
    counts, features = wholes(values, "counts"), whole(values, "features")
    unequal = trial(counts, features, seed, parts)
    progress(0.5, "1/2")
    equal = trial((counts[0],) * len(counts), features, seed, parts)
    progress(0.9, "2/2")
    far, near = unequal.gaps, equal.gaps
    metrics: dict[str, bool | int | float] = {
        "weighted_mean_equals_global_mean": _all_within(
            [far["weighted_loss"], far["weighted_gradient"], near["weighted_loss"], near["weighted_gradient"]]
        ),
        "unequal_counts_allreduce_mismatches": far["plain_loss"] > TOLERANCE and far["plain_gradient"] > TOLERANCE,
        "equal_counts_allreduce_matches": _all_within([near["plain_loss"], near["plain_gradient"]]),
    }
    return Findings(
        metrics,
        {
            "all_reduce_avg": recorded(float(unequal.plain[0]), "nats"),
            "global_mean": recorded(float(unequal.true[0]), "nats"),
            "weighted": recorded(float(unequal.weighted[0]), "nats"),
            "equal_all_reduce_avg": recorded(float(equal.plain[0]), "nats"),
            "equal_global_mean": recorded(float(equal.true[0]), "nats"),
            "card_means": recorded([float(one) for one in unequal.card_losses], "nats"),
            "tokens": recorded(sum(counts), "tokens"),
            "plain_loss_gap": residual(far["plain_loss"], "relative"),
            "plain_gradient_gap": residual(far["plain_gradient"], "relative"),
            "weighted_loss_gap": residual(far["weighted_loss"], "relative"),
            "weighted_gradient_gap": residual(far["weighted_gradient"], "relative"),
            "equal_plain_loss_gap": residual(near["plain_loss"], "relative"),
            "equal_plain_gradient_gap": residual(near["plain_gradient"], "relative"),
        },
        EQUAL,
        _picture(unequal),
    )


def _all_within(gaps: Sequence[float]) -> bool:
    return all(gap <= TOLERANCE for gap in gaps)


def _picture(run: Trial) -> Picture:
    rows = [
        (f"n{k}={count}", [(float(loss), FULL)], f"{float(loss):.6f}")
        for k, (count, loss) in enumerate(zip(run.counts, run.card_losses, strict=True), start=1)
    ][:8]
    means = [
        ("Σ mean/K", run.plain[0], HALF),
        ("Σ n/S*mean", run.weighted[0], FULL),
        ("Σ all/S", run.true[0], FULL),
    ]
    rows += [(name, [(float(value), fill)], f"{float(value):.6f}") for name, value, fill in means]
    return Picture((still(bars(rows, 76), bars(rows, 38)),))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """Token counts n1, n2, ... (also written s1, t1, a1) of a drill."""
    for letter in "nsta":
        counts = tuple(drill[f"{letter}{k}"] for k in range(1, 65) if f"{letter}{k}" in drill)
        if len(counts) >= 2:
            return {"counts": counts}
    return {}


LAB = Lab(
    id="weighted-mean",
    version=1,
    title=Text("Weighted mean over unequal token counts", "token 数不等时的加权平均"),
    about=Text(
        "Cards hold different numbers of supervised tokens. The plain average of their means, the mean over all tokens and the"
        " n_i/S weighted mean are worked out for the losses and for the gradients of a small softmax classifier; then again"
        " with as many tokens on every card as on the first.",
        "各卡被监督 token 数不同。对一个小型 softmax 分类器的损失和梯度，分别计算各卡均值的平均、全体 token 的平均和按 n_i/S"
        " 加权的平均；再让每张卡的 token 数都与第一张相同，重算一遍。",
    ),
    params=(
        LabParam("counts", Text("Tokens on each card", "每张卡的 token 数"), "ints", (4, 8), 1, 8192, most=32, least=2),
        LabParam("features", Text("Inputs of the model", "模型输入维数"), "int", 8, 1, 16),
    ),
    metrics=(
        MetricSpec(
            "weighted_mean_equals_global_mean",
            Text("n_i/S weighted mean equals the mean over all tokens", "n_i/S 加权平均等于全体 token 平均"),
        ),
        MetricSpec(
            "unequal_counts_allreduce_mismatches",
            Text("Unequal counts: the plain average is off", "token 数不等：直接取平均有偏差"),
        ),
        MetricSpec(
            "equal_counts_allreduce_matches",
            Text("Equal counts: the plain average is right", "token 数相等：直接取平均正确"),
        ),
    ),
    simulate=simulate,
    wish=wish,
    sizes={"counts": 4096},
    largest={"counts": (8192,) + (8191,) * 31, "features": 16},
)
