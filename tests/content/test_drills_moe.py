"""The drills about experts against small clusters in which experts are placed and tokens are really sent, and printed figures."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

PACK_FILE = "drills-moe.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


def test_experts_per_card_and_copies_are_found_by_placing_them_in_a_cluster(drills: Any) -> None:
    tp, pp, dp, ep, experts = 1, 2, 8, 4, 16
    holders: dict[int, list[tuple[int, int, int]]] = {expert: [] for expert in range(experts)}  # of one MoE layer
    for card in itertools.product(range(tp), range(pp), range(dp)):
        _, stage, rank = card
        if stage == 1:  # the stage that has the layer
            for expert in range(experts):
                if expert * ep // experts == rank % ep:
                    holders[expert].append(card)
    held = [card for cards in holders.values() for card in cards]
    per_card = {held.count(card) for card in held}
    copies = {len(cards) for cards in holders.values()}
    gpus = tp * pp * dp
    assert {drills.answer("experts-per-card", e=experts, g=gpus, ep=ep, pp=pp)} == per_card
    assert {drills.answer("expert-copies", g=gpus, e=experts, tp=tp, pp=pp, ep=ep)} == copies


@pytest.mark.parametrize(
    ("tokens", "k", "experts", "percent"), [(1000, 2, 64, 110), (4096, 6, 160, 125), (77, 8, 60, 150)]
)
def test_capacity_is_found_by_adding_places_until_the_share_with_its_margin_fits(
    drills: Any, tokens: int, k: int, experts: int, percent: int
) -> None:
    places = 0
    while places * experts * 100 < tokens * k * percent:  # whole numbers: nothing is rounded on the way
        places += 1
    assert drills.answer("expert-capacity", t=tokens, k=k, e=experts, cf=percent / 100) == places


COUNTS = (900, 1100, 1000, 1600, 800, 1000, 700, 900)
KEYS = [f"n{number}" for number in range(1, 9)]


@pytest.mark.parametrize("counts", [COUNTS, (1450, 850, 750, 1500, 1350, 600, 550, 400)])
def test_dropped_tokens_are_found_by_letting_them_queue_up(drills: Any, counts: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    arriving = rng.permutation(np.repeat(np.arange(8), counts))
    room = int(drills.answer("expert-capacity", t=sum(counts), k=1, e=8, cf=1.2))  # proved above
    taken, dropped = [0] * 8, 0
    for expert in arriving:
        if taken[expert] < room:
            taken[expert] += 1
        else:
            dropped += 1
    assert drills.answer("dropped-tokens", **dict(zip(KEYS, counts, strict=True)), cf=1.2) == dropped


def test_slowdown_is_found_by_ticking_until_every_card_is_done(drills: Any) -> None:
    def ticks(loads: list[int]) -> int:
        left, passed = list(loads), 0
        while any(left):
            left = [max(0, tokens - 1) for tokens in left]
            passed += 1
        return passed

    even = [sum(COUNTS) // 8] * 8
    expected = ticks(list(COUNTS)) / ticks(even)
    assert drills.answer("load-imbalance", **dict(zip(KEYS, COUNTS, strict=True))) == pytest.approx(expected)


def sent_by_card_0(ep: int, tokens: int, h: int, k: int) -> tuple[int, int]:
    """Bytes that card 0 sends to others: dispatch of its tokens (8 bit), then results of others' tokens (16 bit).

    Every card has k experts; choice number c of the tokens goes round the cards, so that routing is uniform.
    """
    copies_to = np.zeros((ep, ep), int)  # [from, to]
    dispatch = 0
    for source in range(ep):
        rows = np.zeros((tokens, h), np.uint8)
        for token in range(tokens):
            for choice in range(k):
                target = (source + token + choice) % ep
                copies_to[source, target] += 1
                if source == 0 and target != 0:
                    dispatch += rows[token].nbytes
    assert copies_to.min() == copies_to.max(), "routing is uniform"
    result = np.zeros(h, np.float16)
    combine = sum(int(copies_to[source, 0]) * result.nbytes for source in range(1, ep))
    return dispatch, combine


@pytest.mark.parametrize(("ep", "tokens", "h", "k"), [(4, 16, 32, 2), (8, 8, 16, 6)])
def test_all_to_all_bytes_are_found_by_sending_real_rows(drills: Any, ep: int, tokens: int, h: int, k: int) -> None:
    dispatch, combine = sent_by_card_0(ep, tokens, h, k)
    assert drills.answer("dispatch-bytes", ep=ep, t=tokens, h=h, k=k) * 1e6 == pytest.approx(dispatch)
    assert drills.answer("all-to-all-bytes", ep=ep, t=tokens, h=h, k=k) * 1e6 == pytest.approx(dispatch + combine)


def test_node_limited_dispatch_is_found_by_sending_each_row_once_to_every_node_it_needs(drills: Any) -> None:
    tokens, h, k, limit, per_node = 16, 32, 8, 4, 4
    rng = np.random.default_rng(2)
    sent = 0
    for _ in range(tokens):
        nodes = rng.choice(np.arange(1, 8), limit, replace=False)  # node 0 is the sender's own
        experts = [node * per_node + i for node in nodes for i in range(k // limit)]
        assert len(experts) == k
        sent += len({expert // per_node for expert in experts}) * np.zeros(h, np.uint8).nbytes
    assert drills.answer("node-limited-dispatch", t=tokens, h=h, e=32, k=k, nodes=limit) * 1e6 == pytest.approx(sent)


def test_active_fraction_is_found_by_adding_up_the_matrices_of_a_layer(drills: Any) -> None:
    h, experts, f, k, shared = 6, 8, 4, 2, 1
    attention = [np.zeros((h, h)) for _ in "qkvo"]
    expert = [np.zeros((h, f)), np.zeros((h, f)), np.zeros((f, h))]
    whole = sum(w.size for w in attention) + sum(w.size for w in expert * (experts + shared))
    used = sum(w.size for w in attention) + sum(w.size for w in expert * (k + shared))
    assert drills.answer("active-fraction", h=h, e=experts, f=f, k=k, sh=shared) / 100 == pytest.approx(used / whole)


def test_offload_time_is_found_by_the_bytes_of_real_matrices(drills: Any) -> None:
    h, f, experts = 12, 8, 3
    matrices = [np.zeros(shape, np.float16) for shape in ((h, f), (h, f), (f, h))] * experts
    seconds = sum(w.nbytes for w in matrices) / 500
    assert drills.answer("expert-offload-time", h=h, f=f, n=experts, bw="500 B/s") / 1000 == pytest.approx(seconds)


def test_expert_parameters_of_all_cards_and_the_rest_of_deepseek_v3_are_its_printed_671_billion(drills: Any) -> None:
    """The rest, matrix by matrix from the report's §4.2: MLA, 3 dense layers, shared experts, routers, both embeddings."""
    h, layers, moe_layers, vocabulary = 7168, 61, 58, 129_280
    mla = h * 1536 + 1536 * 128 * 192 + h * (512 + 64) + 512 * 128 * 256 + 128 * 128 * h
    dense = 3 * (layers - moe_layers) * h * 18_432
    rest = layers * mla + dense + moe_layers * (3 * h * 2048 + 256 * h) + 2 * vocabulary * h
    experts = 64 * drills.answer("expert-parameters-per-card", l=moe_layers, e=256, h=h, f=2048, ep=64)
    assert experts + rest == pytest.approx(671e9, rel=0.0005)


PRINTED = [
    # DeepSeek-V3 report §3.2: 2,048 GPUs, PP 16, EP 64, 256 routed experts: 4 experts a card, 2 copies of each
    pytest.param("experts-per-card", {"e": 256, "g": 2048, "ep": 64, "pp": 16}, 4, id="V3 experts on a card"),
    pytest.param("expert-copies", {"g": 2048, "e": 256, "tp": 1, "pp": 16, "ep": 64}, 2, id="V3 copies"),
    # Switch Transformers (arXiv:2101.03961) Figure 3: 6 tokens, 3 experts; factor 1.0 gives 2 places, 1.5 gives 3
    pytest.param("expert-capacity", {"t": 6, "k": 1, "e": 3, "cf": 1.0}, 2, id="Switch Figure 3, 1.0"),
    pytest.param("expert-capacity", {"t": 6, "k": 1, "e": 3, "cf": 1.5}, 3, id="Switch Figure 3, 1.5"),
    # where floats err: 100 x 1.1 is 111 in Megatron's float64, 100 x 1.2 is 121 in DeepSpeed's float32
    pytest.param("expert-capacity", {"t": 100, "k": 1, "e": 1, "cf": 1.1}, 110, id="exact 1.1"),
    pytest.param("expert-capacity", {"t": 100, "k": 1, "e": 1, "cf": 1.2}, 120, id="exact 1.2"),
    pytest.param("dropped-tokens", {**dict(zip(KEYS, COUNTS, strict=True)), "cf": 1.25}, 350, id="worked value drops"),
    pytest.param("load-imbalance", dict(zip(KEYS, COUNTS, strict=True)), 1.6, id="worked value slowdown"),
    # worked values with DeepSeek-V3's dimensions: 4,096 tokens, 4 nodes; an expert over 32 GB/s
    pytest.param(
        "node-limited-dispatch", {"t": 4096, "h": 7168, "e": 256, "k": 8, "nodes": 4}, 117.4, id="V3 node limit"
    ),
    pytest.param("expert-offload-time", {"h": 7168, "f": 2048, "n": 1, "bw": 32}, 2.7525, id="V3 expert over PCIe"),
]


@pytest.mark.parametrize(("drill", "values", "expected"), PRINTED)
def test_a_printed_figure_comes_out(drills: Any, drill: str, values: dict[str, object], expected: float) -> None:
    assert drills.answer(drill, **values) == pytest.approx(expected, rel=0.0005)


@pytest.mark.parametrize(
    ("hidden", "printed_us"),
    [(7000, 120.96), (7168, 123.86)],
    ids=["printed in arXiv:2505.09343 with a hidden size of 7K", "the same with 7168"],
)
def test_all_to_all_time_is_as_printed_for_32_tokens_and_nine_experts(
    drills: Any, hidden: int, printed_us: float
) -> None:
    assert drills.answer("all-to-all-time", t=32, h=hidden, k=8, sh=1, bw=50) == pytest.approx(printed_us, rel=1e-4)
