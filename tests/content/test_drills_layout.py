"""The drills of drills-layout.yaml against published layouts and against ranks that are really laid out and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PACK_FILE = "drills-layout.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


LAYOUTS = [(64, 2, 4), (128, 4, 4), (512, 8, 16), (96, 2, 3)]


def grid(g: int, t: int, p: int) -> np.ndarray:
    """Ranks 0..g-1 by data-parallel copy, pipeline stage and tensor slice."""
    return np.arange(g).reshape(-1, p, t)


@pytest.mark.parametrize(("g", "t", "p"), LAYOUTS)
def test_copies_of_the_model_are_the_first_axis_of_the_grid(drills: Any, g: int, t: int, p: int) -> None:
    copies = len(grid(g, t, p))
    assert drills.base("layout-dp-degree", g=g, t=t, p=p) == copies
    assert drills.base("moe-layout-dp", g=g, t=t, p=p, ep=2) == copies


@pytest.mark.parametrize(("g", "dp"), [(8192, 64), (16384, 128)])
def test_published_dense_layouts_come_out(drills: Any, g: int, dp: int) -> None:
    """Llama 3 report (arXiv:2407.21783) Table 4: TP 8, CP 1, PP 16."""
    assert drills.base("layout-dp-degree", g=g, t=8, p=16) == dp


def test_the_layout_of_deepseek_v3_comes_out(drills: Any) -> None:
    """arXiv:2412.19437 §3.1-3.2: 2,048 GPUs, PP 16, no TP, EP 64, 256 routed experts: DP 128, 4 experts, 2 copies."""
    layout = {"g": 2048, "p": 16, "ep": 64}
    assert drills.base("moe-layout-dp", **layout, t=1) == 128
    assert drills.base("moe-layout-experts", **layout, e=256) == 4
    assert drills.base("moe-layout-copies", **layout, t=1) == 2


@pytest.mark.parametrize(("g", "t", "p"), LAYOUTS)
def test_weights_and_states_of_one_card_are_slices_of_arrays(drills: Any, g: int, t: int, p: int) -> None:
    """A weight matrix cut in p stages and t slices; ZeRO-1 cuts each slice's optimizer states among the copies."""
    ranks = grid(g, t, p)
    model = np.zeros((p * 2, t * 2 * len(ranks)), np.float16)
    mine = np.hsplit(np.vsplit(model, p)[0], t)[0]
    states = [np.array_split(np.zeros(mine.size, np.float32), len(ranks))[0] for _ in ("master", "m", "v")]
    held = mine.nbytes + mine.nbytes + sum(state.nbytes for state in states)
    assert drills.base("layout-params-per-card", phi=model.size, t=t, p=p, dp=len(ranks)) == mine.size
    assert drills.base("layout-state-per-card", phi=model.size, g=g, t=t, p=p) == pytest.approx(held)


def test_without_model_parallelism_the_state_is_that_of_the_zero_paper(drills: Any) -> None:
    """arXiv:1910.02054 Table 1: 7.5B on 64 cards, optimizer states sharded, 31.4 GB."""
    assert drills.answer("layout-state-per-card", phi="7.5B", g=64, t=1, p=1) == pytest.approx(31.4, abs=0.05)


@pytest.mark.parametrize(("g", "t", "p", "ep", "experts"), [(64, 1, 4, 8, 32), (128, 2, 4, 4, 16), (512, 1, 8, 16, 64)])
def test_experts_are_dealt_out_to_ranks(drills: Any, g: int, t: int, p: int, ep: int, experts: int) -> None:
    """Experts of a layer of the first stage are dealt to groups of ep data-parallel ranks; copies and hands counted."""
    stage = grid(g, t, p)[:, 0, 0]
    hands: dict[int, list[int]] = {int(rank): [] for rank in stage}
    for group in stage.reshape(-1, ep):
        for expert in range(experts):
            hands[int(group[expert % ep])].append(expert)
    copies = sum(hand.count(0) for hand in hands.values())
    assert drills.base("moe-layout-copies", g=g, t=t, p=p, ep=ep) == copies
    if t == 1:
        assert {len(hand) for hand in hands.values()} == {drills.base("moe-layout-experts", e=experts, g=g, p=p, ep=ep)}


@pytest.mark.parametrize(("g", "t", "p"), LAYOUTS)
@pytest.mark.parametrize(("b", "s", "rounds"), [(1, 8, 2), (2, 16, 3)])
def test_accumulated_micro_batches_are_counted_until_the_batch_is_full(
    drills: Any, g: int, t: int, p: int, b: int, s: int, rounds: int
) -> None:
    batch = rounds * b * s * len(grid(g, t, p))
    seen = steps = 0
    while seen < batch:
        seen += sum(b * s for _ in grid(g, t, p))
        steps += 1
    assert drills.base("accumulation-steps", tokens=batch, s=s, b=b, g=g, t=t, p=p) == steps


def test_worked_values_of_batches_and_steps_come_out(drills: Any) -> None:
    """4 Mi tokens, s 4096, DP 128: 8 micro-batches; DeepSeek-V3's 14.8T tokens in 15,360 x 4096: 235,240 steps."""
    assert drills.base("accumulation-steps", tokens=4 * 2**20, s=4096, b=1, g=128, t=1, p=1) == 8
    assert drills.base("run-steps", d="14.8T", n=15360, s=4096) == pytest.approx(235_240, abs=1)


def test_steps_of_a_small_run_are_counted(drills: Any) -> None:
    assert drills.base("run-steps", d=12_000, n=6, s=50) == sum(1 for _ in range(0, 12_000, 6 * 50))
