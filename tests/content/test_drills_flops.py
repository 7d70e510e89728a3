"""The drills about FLOPs against printed figures and against counts made here; no formula of the pack is typed again."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

PACK_FILE = "drills-flops.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


PRINTED = [
    # DeepSeek-V3 report (arXiv:2412.19437) §1: a trillion tokens take 180K GPU-hours, that is 3.7 days on 2,048 GPUs
    pytest.param(
        "tokens-per-gpu-second",
        {"d": "1T", "hours": "180K", "n": 2048},
        1e12 / (2048 * 3.7 * 86400),
        0.015,
        id="V3 180K GPU-hours a trillion",
    ),
    # GPT-3 paper (arXiv:2005.14165), Table D.1: parameters, 300B tokens, total training FLOPs
    pytest.param("flops-per-run", {"phi": "125M", "d": "300B"}, 2.25e20, 0.005, id="GPT-3 Table D.1 Small"),
    pytest.param("flops-per-run", {"phi": "1320M", "d": "300B"}, 2.38e21, 0.005, id="GPT-3 Table D.1 XL"),
    pytest.param("flops-per-run", {"phi": "12850M", "d": "300B"}, 2.31e22, 0.005, id="GPT-3 Table D.1 13B"),
    pytest.param("flops-per-run", {"phi": "174600M", "d": "300B"}, 3.14e23, 0.005, id="GPT-3 Table D.1 175B"),
    # PaLM paper (arXiv:2204.02311): 238.3K tokens/s on 6,144 chips of 275 TFLOP/s are 45.7 % without attention
    pytest.param("mfu", {"phi": "540.35B", "rate": 238_300 / 6144, "peak": "275 TFLOP/s"}, 45.7, 0.001, id="PaLM MFU"),
    pytest.param(
        "tokens-per-second", {"phi": "540.35B", "mfu": 45.7, "peak": 275}, 238_300 / 6144, 0.002, id="PaLM rate"
    ),
    # Megatron 2021 (arXiv:2104.04473) §5: GPT-3 on 1,024 A100 at 140 TFLOP/s executed with recomputation (45 % of 312)
    # takes 34 days; 140 executed are 105 useful, 33.65 % of the peak.
    pytest.param(
        "hfu", {"phi": "175B", "rate": 300e9 / (34 * 86_400 * 1024), "peak": 312}, 45, 0.01, id="Megatron 2021 HFU"
    ),
    pytest.param(
        "training-days",
        {"phi": "175B", "d": "300B", "n": 1024, "peak": 312, "mfu": 33.65},
        34,
        0.005,
        id="Megatron 2021 GPT-3 34 days",
    ),
    # the same section: 1T parameters, 450B tokens, 3,072 A100 at 163 TFLOP/s executed: 84 days
    pytest.param(
        "training-days",
        {"phi": "1000B", "d": "450B", "n": 3072, "peak": 312, "mfu": 163 * 0.75 / 312 * 100},
        84,
        0.01,
        id="Megatron 2021 1T 84 days",
    ),
    pytest.param(
        "gpu-hours",
        {"phi": "175B", "d": "300B", "n": 1024, "peak": 312, "mfu": 33.65},
        34 * 24 * 1024,
        0.005,
        id="Megatron 2021 GPT-3 in GPU-hours",
    ),
    pytest.param(
        "training-cost",
        {"phi": "175B", "d": "300B", "peak": 312, "mfu": 33.65, "price": 2},
        34 * 24 * 1024 * 2,
        0.005,
        id="Megatron 2021 GPT-3 at 2 USD",
    ),
    # Chinchilla (arXiv:2203.15556) Table 3: 1.21e20 FLOPs for a 1B model on 20.2B tokens
    pytest.param("compute-optimal-size", {"c": 1.21e20}, 1e9, 0.01, id="Chinchilla Table 3 size"),
    pytest.param("compute-optimal-tokens", {"c": 1.21e20}, 20.2e9, 0.01, id="Chinchilla Table 3 tokens"),
    # DeepSeek-V3 report, Table 1 and §1: 2,664K GPU-hours pre-training, 180K GPU-hours a trillion tokens
    pytest.param(
        "implied-mfu", {"act": "37B", "d": "14.8T", "hours": "2.664M", "peak": 989}, 34.6, 0.002, id="V3 implied MFU"
    ),
    pytest.param(
        "moe-mfu",
        {"act": "37B", "total": "671B", "rate": 1e12 / (180e3 * 3600), "peak": 989},
        34.6,
        0.005,
        id="V3 MFU from 180K GPU-hours a trillion tokens",
    ),
    pytest.param(
        "moe-gpu-hours",
        {"act": "37B", "total": "671B", "d": "14.8T", "mfu": 34.6, "peak": 989},
        2.664e6,
        0.002,
        id="V3 Table 1 pre-training",
    ),
    # Llama 3 report: 405B, 15.6T tokens; 30.84M GPU-hours of its model card: 34.5 %
    pytest.param(
        "implied-mfu", {"act": "405B", "d": "15.6T", "hours": "30.84M", "peak": 989}, 34.5, 0.002, id="Llama 3 405B"
    ),
    # arithmetic worked out beforehand for these values
    pytest.param("attention-share", {"s": 131_072, "h": 4096}, 533, 0.001, id="worked value 128k"),
    pytest.param("mfu-budget", {"e": 62, "p": 8, "m": 64, "x": 5}, 53.1, 0.001, id="worked value budget"),
    pytest.param("weak-scaling", {"r1": 410, "n1": 64, "r2": 380, "n2": 1024}, 92.7, 0.001, id="worked value weak"),
    pytest.param("strong-scaling", {"t1": 100, "n1": 64, "t2": 7.5, "n2": 1024}, 83.3, 0.001, id="worked value strong"),
]


@pytest.mark.parametrize(("drill", "values", "expected", "within"), PRINTED)
def test_a_printed_figure_comes_out(
    drills: Any, drill: str, values: dict[str, object], expected: float, within: float
) -> None:
    assert drills.answer(drill, **values) == pytest.approx(expected, rel=within)


class Counted:
    """Matrix products that count their FLOPs: one multiplication and one addition for each pair."""

    def __init__(self) -> None:
        self.flop = 0

    def product(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        self.flop += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return a @ b


def trained_layers(tokens: int, widths: list[int], *, recompute: bool) -> tuple[int, int]:
    """FLOPs of one step through linear layers, counted product by product, and the number of parameters."""
    rng = np.random.default_rng(0)
    counted = Counted()
    weights = [rng.normal(size=(a, b)) for a, b in itertools.pairwise(widths)]

    def forward(start: np.ndarray) -> list[np.ndarray]:
        kept = [start]
        for weight in weights:
            kept.append(counted.product(kept[-1], weight))
        return kept

    start = rng.normal(size=(tokens, widths[0]))
    kept = forward(start)
    if recompute:
        kept = forward(start)
    grad = np.ones_like(kept[-1])
    for weight, given in zip(reversed(weights), reversed(kept[:-1]), strict=True):
        counted.product(given.T, grad)  # the weight's gradient
        grad = counted.product(grad, weight.T)  # the input's gradient
    return counted.flop, sum(weight.size for weight in weights)


def test_flops_of_a_token_are_found_by_counting_the_products_of_a_training_step(drills: Any) -> None:
    flop, parameters = trained_layers(5, [8, 12, 6], recompute=False)
    assert drills.answer("flops-per-token", phi=parameters) * 1e9 == pytest.approx(flop / 5)


def test_executed_flops_under_recomputation_are_found_by_counting_the_products_of_a_training_step(drills: Any) -> None:
    flop, parameters = trained_layers(5, [8, 12, 6], recompute=True)
    seconds, peak = 2.0, 1e4
    at_hand = drills.answer("hfu", phi=parameters, rate=5 / seconds, peak=f"{peak} FLOP/s")
    assert at_hand / 100 == pytest.approx(flop / seconds / peak)


def test_the_attention_share_is_found_by_counting_one_layer_with_and_without_scores(drills: Any) -> None:
    s, h = 24, 8
    x, full = np.ones((s, h)), Counted()
    wide = np.ones((h, 12 * h))  # all twelve h x h matrices of a layer side by side
    full.product(x, wide)
    dense = full.flop
    scores = full.product(x, x.T)
    full.product(scores, x)
    # the backward pass has two products for each of the forward, in both parts: the share is that of the forward
    assert drills.answer("attention-share", s=s, h=h) / 100 == pytest.approx((full.flop - dense) / dense)


def test_mfu_budget_is_found_by_walking_through_the_slots_of_a_step(drills: Any) -> None:
    p, m, kernel_share, exposed = 4, 6, Fraction(1, 2), Fraction(1, 5)
    starts = [[stage + batch for batch in range(m)] for stage in range(p)]  # forward+backward slots, stage by stage
    slots = max(map(max, starts)) + 1
    busy = Fraction(sum(map(len, starts)), p * slots)
    at_hand = drills.answer("mfu-budget", e="50", p=p, m=m, x="20")
    assert at_hand / 100 == pytest.approx(float(busy * kernel_share * (1 - exposed)))


def test_scaling_efficiencies_are_found_by_counting_ticks_of_work_and_waiting(drills: Any) -> None:
    work, wait = 960, 10  # ticks of one GPU's work in a step, and of waiting that more GPUs do not shorten

    def ticks(gpus: int) -> int:
        return work // gpus + (wait if gpus > 1 else 0)

    useful = work / (16 * ticks(16))
    assert drills.answer("strong-scaling", t1=ticks(1), n1=1, t2=ticks(16), n2=16) / 100 == pytest.approx(useful)
    alone, together = work, work + wait  # weak: each GPU keeps its whole work
    at_hand = drills.answer("weak-scaling", r1=1 / alone, n1=1, r2=1 / together, n2=16)
    assert at_hand / 100 == pytest.approx(work / together)


@pytest.mark.parametrize("drill", ["gpu-hours", "training-cost", "training-days", "moe-gpu-hours"])
def test_a_run_costs_what_the_meter_shows(drills: Any, drill: str) -> None:
    """A toy run token by token: each GPU spends FLOPs at a fixed useful rate, the meter runs for all of them."""
    phi, tokens, gpus, useful = 50, 4096, 8, 75.0  # parameters, tokens, GPUs, useful FLOP/s of one GPU
    flop, parameters = trained_layers(1, [5, 10], recompute=False)
    assert parameters == phi
    clock = 0.0
    for _ in range(tokens // gpus):
        clock += flop / useful  # every GPU trains one token
    hours = clock * gpus / 3600
    values = {"phi": phi, "d": tokens, "peak": "150 FLOP/s", "mfu": 50}
    if drill == "training-cost":
        assert drills.answer(drill, **values, price=3) == pytest.approx(hours * 3)
    elif drill == "training-days":
        assert drills.answer(drill, **values, n=gpus) == pytest.approx(clock / 86_400)
    elif drill == "gpu-hours":
        assert drills.answer(drill, **values, n=gpus) == pytest.approx(hours)
    else:
        values["act"], values["total"] = values.pop("phi"), 900
        assert drills.answer(drill, **values) == pytest.approx(hours)


def test_every_drill_of_the_file_is_proved_here(drills: Any) -> None:
    proved = {param.values[0] for param in PRINTED} | {"flops-per-token"}
    assert set(drills.models) == proved
