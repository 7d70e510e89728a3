"""The drills of drills-memory.yaml against printed figures and against arrays that are really made and counted."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

PACK_FILE = "drills-memory.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


# --- the accounts: bytes of real arrays; float16 stands for BF16 ---

PHI = 1000
ACCOUNTS: dict[str, NDArray[Any]] = {
    "weights": np.zeros(PHI, np.float16),
    "gradients": np.zeros(PHI, np.float16),
    "master": np.zeros(PHI, np.float32),
    "m": np.zeros(PHI, np.float32),
    "v": np.zeros(PHI, np.float32),
}


def held(*names: str) -> int:
    return sum(ACCOUNTS[name].nbytes for name in names)


@pytest.mark.parametrize(
    ("drill_id", "names"),
    [
        ("total-state", ("weights", "gradients", "master", "m", "v")),
        ("total-state-gib", ("weights", "gradients", "master", "m", "v")),
        ("account-weights", ("weights",)),
        ("account-master", ("master",)),
        ("account-moments", ("m", "v")),
        ("optimizer-state", ("master", "m", "v")),
        ("checkpoint-size", ("weights", "master", "m", "v")),
    ],
)
def test_an_account_is_what_its_arrays_hold(drills: Any, drill_id: str, names: tuple[str, ...]) -> None:
    assert drills.base(drill_id, phi=PHI) == held(*names)


def test_gradients_add_into_one_array(drills: Any) -> None:
    """Eight micro-batches accumulated in place."""
    buffer = ACCOUNTS["gradients"].copy()
    for _ in range(8):
        buffer += np.ones(PHI, np.float16)
    assert drills.base("account-gradients", phi=PHI, k=8) == buffer.nbytes


@pytest.mark.parametrize(("phi", "printed_gb"), [("7.5B", 120), ("1.5B", 24)])
def test_total_state_is_that_of_the_zero_paper(drills: Any, phi: str, printed_gb: float) -> None:
    """arXiv:1910.02054 Table 1 (7.5B, no sharding: 120 GB) and §3.1 (GPT-2 of 1.5B: at least 24 GB)."""
    assert drills.answer("total-state", phi=phi) == pytest.approx(printed_gb)


def test_112_gb_are_104_31_gib(drills: Any) -> None:
    assert drills.answer("total-state-gib", phi="7B") == pytest.approx(104.31, abs=0.005)


@pytest.mark.parametrize(
    ("parts", "gb"),
    [
        ({"w": np.float16, "g": np.float32, "c": np.float32, "m": np.float16, "v": np.float16}, 98),
        ({"w": np.float16, "g": np.float16, "c": np.float32, "m": np.int8, "v": np.int8}, 70),
        ({"w": np.float16, "g": np.float32, "c": np.float32, "m": np.float32, "v": np.float32}, 126),
        ({"w": np.float32, "g": np.float32, "c": np.float32, "m": np.float32, "v": np.float32}, 140),
    ],
)
def test_other_precisions_change_the_state(drills: Any, parts: dict[str, type], gb: float) -> None:
    """Worked values for 7B (DeepSeek-V3's choice, 8-bit moments, FP32 gradient, all FP32); sizes are numpy's."""
    sizes = {key: np.dtype(kind).itemsize for key, kind in parts.items()}
    assert drills.answer("state-by-parts", phi="7B", **sizes) == pytest.approx(gb)


@pytest.mark.parametrize(("r", "printed"), [(1, 4.7e6), (8, 37.7e6)])
def test_adapters_of_gpt_3_are_those_of_the_lora_paper(drills: Any, r: int, printed: float) -> None:
    """arXiv:2106.09685 Table 4: query and value matrices of GPT-3 (96 layers, 12288)."""
    assert drills.base("lora-params", r=r, q=2, l=96, h=12288) == pytest.approx(printed, rel=0.005)


def test_adapters_are_pairs_of_arrays(drills: Any) -> None:
    pairs = [np.zeros(shape, np.float16) for _ in range(3 * 4) for shape in ((8, 64), (64, 8))]
    assert drills.base("lora-params", r=8, q=4, l=3, h=64) == sum(array.size for array in pairs)


@pytest.mark.parametrize(("drill_id", "gb"), [("lora-state", 14.64), ("qlora-state", 4.14)])
def test_a_frozen_base_is_held_beside_its_adapters(drills: Any, drill_id: str, gb: float) -> None:
    """Worked values for 7B with 40M adapter parameters, and a base of real arrays (4 bits: two weights in a byte)."""
    assert drills.answer(drill_id, phi="7B", pa="40M") == pytest.approx(gb)
    frozen = np.zeros(8000, np.float16) if drill_id == "lora-state" else np.zeros(4000, np.uint8)
    assert drills.base(drill_id, phi=8000, pa=PHI) == frozen.nbytes + held(*ACCOUNTS)


# --- parameters: every tensor listed by its shape ---


def llama_shapes(layers: int, h: int, heads: int, kv: int, ff: int, vocab: int) -> list[tuple[int, ...]]:
    d = h // heads
    layer = [(heads * d, h), (kv * d, h), (kv * d, h), (h, heads * d), (ff, h), (ff, h), (h, ff), (h,), (h,)]
    return [(vocab, h), *layer * layers, (h,), (vocab, h)]


@pytest.mark.parametrize(
    ("config", "printed"),
    [
        ((32, 4096, 32, 32, 11008, 32000), 6.74e9),  # Llama 2 7B
        ((32, 4096, 32, 8, 14336, 128256), 8.03e9),  # Llama 3 8B
        ((80, 8192, 64, 8, 28672, 128256), 70.6e9),  # Llama 3 70B
        ((32, 4096, 32, 8, 14336, 32000), 7.24e9),  # Mistral 7B
    ],
)
def test_parameters_of_published_configs_are_those_of_the_model_cards(
    drills: Any, config: tuple[int, ...], printed: float
) -> None:
    """The figures of the model cards, and the sum over all tensors."""
    layers, h, _, kv, ff, vocab = config
    counted = drills.base("dense-params", l=layers, h=h, kv=kv, ff=ff, vocab=vocab)
    assert counted == pytest.approx(printed, rel=0.001)
    assert counted == sum(int(np.prod(shape)) for shape in llama_shapes(*config))


NARAYANAN_TABLE_1 = [  # layers, hidden size, parameters in 1e9 (arXiv:2104.04473 Table 1; vocabulary 51200, 2048 positions)
    (24, 2304, 1.7),
    (30, 3072, 3.6),
    (36, 4096, 7.5),
    (40, 6144, 18.4),
    (48, 8192, 39.1),
    (60, 10240, 76.1),
    (80, 12288, 145.6),
    (96, 16384, 310.1),
    (105, 20480, 529.6),
    (128, 25600, 1008.0),
]


@pytest.mark.parametrize(("layers", "h", "printed"), NARAYANAN_TABLE_1)
def test_gpt_parameters_are_those_of_a_printed_table(drills: Any, layers: int, h: int, printed: float) -> None:
    assert drills.base("gpt-params", l=layers, h=h, vocab=51200, s=2048) / 1e9 == pytest.approx(printed, abs=0.051)


# --- activations: what a layer stores, tensor by tensor (arXiv:2205.05198 §4.1), as real arrays ---

S, B, H, A = 32, 2, 256, 4
HALF, BYTE = np.float16, np.uint8


def stored(t: int = 1, *, sequence_parallel: bool = False, scores: bool = True) -> int:
    """Bytes of one card's share of a layer. `t` cards share what lies inside the parallel regions; with sequence
    parallelism the rest as well."""
    outside = t if sequence_parallel else 1
    inside_arrays: list[NDArray[Any]] = [
        *[np.zeros((S, B, H // t), HALF)] * 3,  # query, key, value
        np.zeros((S, B, H // t), HALF),  # input of the output projection
        *[np.zeros((S, B, 4 * H // t), HALF)] * 2,  # input of the nonlinearity and of the second matrix
    ]
    score_arrays: list[NDArray[Any]] = [
        np.zeros((B, A // t, S, S), HALF),  # softmax
        np.zeros((B, A // t, S, S), HALF),  # after dropout
        np.zeros((B, A // t, S, S), BYTE),  # its mask
    ]
    outside_arrays: list[NDArray[Any]] = [
        *[np.zeros((S // outside, B, H), HALF)] * 2,  # inputs of the two norms
        *[np.zeros((S // outside, B, H), HALF)] * 2,  # inputs of attention and of the feed-forward block
        *[np.zeros((S // outside, B, H), BYTE)] * 2,  # two dropout masks
    ]
    arrays = inside_arrays + outside_arrays + (score_arrays if scores else [])
    return sum(array.nbytes for array in arrays)


SHAPE = {"s": S, "b": B, "h": H, "a": A}


def test_activations_are_the_arrays_that_a_layer_stores(drills: Any) -> None:
    assert drills.base("activation-layer", **SHAPE) == stored()
    assert drills.base("activation-flash", l=3, s=S, b=B, h=H) == 3 * stored(scores=False)


@pytest.mark.parametrize("t", [2, 4])
def test_activations_of_one_card_are_the_arrays_of_its_share(drills: Any, t: int) -> None:
    assert drills.base("activation-tp", **SHAPE, t=t) == pytest.approx(stored(t))
    assert drills.base("activation-tp-sp", **SHAPE, t=t) == pytest.approx(stored(t, sequence_parallel=True))
    without_scores = stored(t, sequence_parallel=True, scores=False)
    assert drills.base("activation-selective", **SHAPE, t=t) == pytest.approx(without_scores)
    assert drills.base("activation-full", l=5, s=S, b=B, h=H, t=t) == 5 * np.zeros((S, B, H), HALF).nbytes


@pytest.mark.parametrize(
    ("drill_id", "mb"),
    [("activation-tp", 578.8), ("activation-tp-sp", 358.6), ("activation-selective", 107.0)],
)
def test_activations_of_a_gpt_3_layer_are_as_worked_out(drills: Any, drill_id: str, mb: float) -> None:
    """Worked values: s 2048, b 1, h 12288, 96 heads, t 8; unsharded 2,869 MB, checkpoint 50.3 MB."""
    shape = {"s": 2048, "b": 1, "h": 12288, "a": 96}
    assert drills.answer(drill_id, **shape, t=8) == pytest.approx(mb, abs=0.05)
    assert drills.answer("activation-layer", **shape) == pytest.approx(2.869, abs=0.0005)
    assert drills.answer("activation-full", l=1, s=2048, b=1, h=12288, t=8) == pytest.approx(50.3, abs=0.05)


@pytest.mark.parametrize(("h", "a", "printed"), [(12288, 96, 70), (20480, 128, 65)])
def test_selective_recomputation_saves_what_its_paper_prints(drills: Any, h: int, a: int, printed: float) -> None:
    """arXiv:2205.05198 §5: 70 % for GPT-3 and 65 % for MT-NLG, both with s = 2048."""
    assert drills.answer("selective-saved", s=2048, h=h, a=a) == pytest.approx(printed, abs=0.5)


def test_shares_are_quotients_of_arrays(drills: Any) -> None:
    saved = 1 - stored(scores=False) / stored()
    assert drills.base("selective-saved", s=S, h=H, a=A) == pytest.approx(saved)
    kept = np.zeros((S, B, H), HALF).nbytes / stored()
    assert drills.base("checkpointing-kept", s=S, h=H, a=A) == pytest.approx(kept)


@pytest.mark.parametrize("recomputed", [0, 5, 12])
def test_recomputation_runs_forward_passes_again(drills: Any, recomputed: int) -> None:
    """Matrix products are counted as a step of 12 layers runs; all layers recomputed: 33 % and 25 % (ZeRO §3.2)."""
    log = ["forward"] * 12
    for layer in reversed(range(12)):
        if layer < recomputed:
            log.append("again")
        log += ["input gradient", "weight gradient"]
    again = log.count("again")
    assert drills.base("recompute-overhead", k=recomputed, l=12) == pytest.approx(again / (len(log) - again))
    assert drills.base("recompute-share", k=recomputed, l=12) == pytest.approx(again / len(log))
    if recomputed == 12:
        assert drills.base("recompute-overhead", k=12, l=12) == pytest.approx(1 / 3)
        assert drills.base("recompute-share", k=12, l=12) == pytest.approx(1 / 4)


# --- checkpoints, offload, failures ---


def test_a_checkpoint_is_what_is_written(drills: Any) -> None:
    file = io.BytesIO()
    for name in ("weights", "master", "m", "v"):
        file.write(ACCOUNTS[name].tobytes())
    assert drills.base("checkpoint-size", phi=PHI) == file.tell()
    assert drills.base("checkpoint-time", phi=PHI, bw="1 kB/s") == pytest.approx(file.tell() / 1000)
    assert drills.answer("checkpoint-size", phi="70B") == 980
    assert drills.answer("checkpoint-time", phi="70B", bw=20) == 49


@pytest.mark.parametrize("n", [2, 4, 8])
def test_offloaded_slices_lie_in_one_host(drills: Any, n: int) -> None:
    host = [np.array_split(ACCOUNTS[name], n)[card] for card in range(n) for name in ("master", "m", "v")]
    assert drills.base("offload-host", phi=PHI, n=n) == sum(piece.nbytes for piece in host)


def test_gradients_and_weights_cross_the_bus_in_a_step(drills: Any) -> None:
    moved = ACCOUNTS["gradients"].nbytes + ACCOUNTS["weights"].nbytes
    assert drills.base("offload-time", phi=PHI, bw="1 kB/s") == pytest.approx(moved / 1000)
    assert drills.answer("offload-time", phi="7B", bw=25) == pytest.approx(1120)


def test_time_between_failures_of_a_published_run_comes_out(drills: Any) -> None:
    """Llama 3 report: 419 unexpected interruptions in 54 days on 16,384 GPUs; 3.09 h, and 49.5 h on 1,024."""
    run = {"f": 419, "d": 54, "g0": 16384}
    assert drills.answer("time-between-failures", **run, g=16384) == pytest.approx(3.09, abs=0.005)
    assert drills.answer("time-between-failures", **run, g=1024) == pytest.approx(49.5, abs=0.05)


def test_time_between_failures_is_that_of_the_first_of_many(drills: Any) -> None:
    """Exponential lifetimes of single GPUs, drawn; the first failure among 64 GPUs comes 64 times as soon."""
    lifetimes = np.random.default_rng(3).exponential(scale=1000.0, size=(20_000, 64))
    first_h = lifetimes.min(axis=1).mean()
    assert drills.answer("time-between-failures", f=24, d=1000, g0=1, g=64) == pytest.approx(first_h, rel=0.03)


def lost_share(delta_s: float, tau_s: float, mtbf_s: float) -> float:
    """Failures drawn on the time line of a run that works tau and saves delta; the open interval is done again."""
    failures = np.cumsum(np.random.default_rng(7).exponential(mtbf_s, 200_000))
    into_cycle = failures % (tau_s + delta_s)
    redone = np.minimum(into_cycle, tau_s).sum()
    return float(delta_s / (tau_s + delta_s) + redone / failures[-1])


@pytest.mark.parametrize(("delta", "hours"), [(10, 3), (60, 24), (20, 12)])
def test_the_best_interval_is_the_best_of_simulated_ones(drills: Any, delta: int, hours: int) -> None:
    best = drills.answer("checkpoint-interval", delta=delta, m=hours)
    tried = np.geomspace(best / 4, best * 4, 33)
    losses = [lost_share(delta, tau, hours * 3600) for tau in tried]
    assert losses[16] <= min(losses) * 1.01
    shown = drills.answer("checkpoint-loss", delta=delta, m=hours, tau=best / 60) / 100
    assert shown == pytest.approx(losses[16], rel=0.06)


def test_worked_values_of_the_interval_come_out(drills: Any) -> None:
    """M = 3.09 h: 19.3 min and 10.4 % lost at 60 s; 7.9 min and 4.2 % at 10 s."""
    assert drills.base("checkpoint-interval", delta=60, m=3.09) / 60 == pytest.approx(19.3, abs=0.05)
    assert drills.base("checkpoint-interval", delta=10, m=3.09) / 60 == pytest.approx(7.9, abs=0.05)
    assert drills.answer("checkpoint-loss", delta=60, m=3.09, tau=19.3) == pytest.approx(10.4, abs=0.05)
    assert drills.answer("checkpoint-loss", delta=10, m=3.09, tau=7.9) == pytest.approx(4.2, abs=0.05)
