"""The drills of drills-accumulation.yaml against losses of single tokens that are drawn, averaged and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grading.answer import grade

PACK_FILE = "drills-accumulation.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


COUNTS = [(100, 300, 600), (50, 200, 900), (200, 200, 200)]


def token_losses(counts: tuple[int, ...]) -> list[np.ndarray]:
    """A loss for every supervised token of each micro-batch; short ones are harder."""
    stream = np.random.default_rng(11)
    return [stream.normal(3 - count / 500, 0.4, count) for count in counts]


@pytest.mark.parametrize("counts", COUNTS)
def test_means_are_those_of_single_tokens(drills: Any, counts: tuple[int, int, int]) -> None:
    losses = token_losses(counts)
    right = float(np.concatenate(losses).mean())
    plain = float(np.mean([part.mean() for part in losses]))
    drawn: dict[str, object] = {f"n{i + 1}": part.size for i, part in enumerate(losses)}
    drawn |= {f"l{i + 1}": repr(float(part.mean())) for i, part in enumerate(losses)}
    assert drills.base("token-mean", **drawn) == pytest.approx(right)
    assert drills.base("mean-of-means-error", **drawn) == pytest.approx(plain - right, abs=1e-12)


@pytest.mark.parametrize("counts", COUNTS)
def test_overweight_is_the_gradient_of_one_token(drills: Any, counts: tuple[int, int, int]) -> None:
    """One token of the first micro-batch is nudged; how far both averages move gives its weights."""
    losses = token_losses(counts)
    nudged = [losses[0].copy(), *losses[1:]]
    nudged[0][0] += 1.0

    def plain(parts: list[np.ndarray]) -> float:
        return float(np.mean([part.mean() for part in parts]))

    def right(parts: list[np.ndarray]) -> float:
        return float(np.concatenate(parts).mean())

    ratio = (plain(nudged) - plain(losses)) / (right(nudged) - right(losses))
    assert drills.base("token-overweight", n1=counts[0], n2=counts[1], n3=counts[2]) == pytest.approx(ratio)


def test_worked_values_of_the_means_come_out(drills: Any) -> None:
    """100, 300 and 600 tokens with losses 3, 2 and 1: 1.5, not 2."""
    drawn = {"n1": "100", "n2": "300", "n3": "600", "l1": "3", "l2": "2", "l3": "1"}
    assert (drills.base("token-mean", **drawn), drills.base("mean-of-means-error", **drawn)) == (1.5, 0.5)
    verdict = grade("2", drills.problem("token-mean", **drawn).asked)
    assert (verdict.reason, verdict.found[0].id) == ("mistake", "mean-of-means")


@pytest.mark.parametrize(("g", "t", "p"), [(16, 2, 4), (32, 4, 2), (64, 1, 1)])
def test_tokens_of_a_step_are_seen_copy_by_copy(drills: Any, g: int, t: int, p: int) -> None:
    b, s, k = 2, 8, 3
    seen = set()
    for copy in {rank // (t * p) for rank in range(g)}:
        for micro_batch in range(k):
            seen |= {(copy, micro_batch, row, position) for row in range(b) for position in range(s)}
    assert drills.base("effective-batch", g=g, t=t, p=p, b=b, s=s, k=k) == len(seen)


def test_a_published_batch_comes_out(drills: Any) -> None:
    """Llama 3 report (arXiv:2407.21783) Table 4: 8,192 GPUs, TP 8, PP 16, 32 sequences of 8,192 per copy: 16M tokens."""
    assert drills.base("effective-batch", g=8192, t=8, p=16, b=32, s=8192, k=1) == 16 * 2**20


@pytest.mark.parametrize("k", [1, 2, 4])
def test_all_reduces_are_counted_as_a_run_makes_them(drills: Any, k: int) -> None:
    d, n, b = 512, 8, 4
    reduced = 0
    for micro_step, _ in enumerate(range(0, d, n * b), start=1):
        reduced += micro_step % k == 0  # no_sync holds back all but the last of each k
    assert drills.base("all-reduces-per-run", d=d, n=n, b=b, k=k) == reduced


def test_worked_values_of_all_reduces_come_out(drills: Any) -> None:
    """65,536 sequences, 8 cards, micro-batches of 4: 512 all-reduces with 4 accumulated, 1,024 with 2."""
    run = {"d": 65536, "n": 8, "b": 4}
    assert drills.base("all-reduces-per-run", **run, k=4) == 512
    assert drills.base("all-reduces-per-run", **run, k=2) == 1024
