"""A lab that cheats is found out: each case exchanges one part for a wrong one, and a named metric must turn false."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from evidence.lab import LabResult
from evidence.labs import (
    accumulation,
    collectives,
    counting,
    experts,
    fp8,
    pipeline,
    ring,
    schedules,
    tensor_parallel,
    transformer,
    weighted_mean,
    zero_model,
    zero_sharding,
)


def cheated(lab: ModuleType, parts: Any, **values: object) -> LabResult:
    name = "rules" if lab is ring else "parts"
    return replace(lab.LAB, simulate=partial(lab.simulate, **{name: parts})).run(values, 0, lambda _share, _mark: None)


def false_metrics(result: LabResult) -> set[str]:
    return {name for name, value in result.metrics.items() if value is False}


# ---- wrong weights --------------------------------------------------------------------------------------------------


def shares_that_miss_one(means, counts):
    """Weights n_i/(S-1): they add up to more than 1."""
    return sum((n / (sum(counts) - 1) * mean for n, mean in zip(counts, means, strict=True)), start=np.zeros(()))


def swapped(means, counts):
    """Each mean weighted by the next card's count."""
    return weighted_mean.weighted_mean(means, [*counts[1:], counts[0]])


@pytest.mark.parametrize("wrong", [shares_that_miss_one, swapped, weighted_mean.mean_of_means])
def test_a_wrong_weight_is_not_the_global_mean(wrong) -> None:
    found = false_metrics(cheated(weighted_mean, weighted_mean.Parts(weighted=wrong)))
    assert found == {"weighted_mean_equals_global_mean"}


def test_a_plain_average_that_is_secretly_weighted_shows() -> None:
    found = false_metrics(cheated(weighted_mean, weighted_mean.Parts(plain=weighted_mean.weighted_mean)))
    assert found == {"unequal_counts_allreduce_mismatches"}


def test_a_sum_in_place_of_the_average_shows() -> None:
    parts = weighted_mean.Parts(plain=lambda means, _counts: sum(means[1:], start=means[0]))
    assert "equal_counts_allreduce_matches" in false_metrics(cheated(weighted_mean, parts))


# ---- the ring -------------------------------------------------------------------------------------------------------

RINGS = {
    "the same chunk again and again": collectives.Rules(reduce_chunk=lambda ranks, _step, cards: (ranks - 1) % cards),
    "one chunk too far": collectives.Rules(reduce_chunk=lambda ranks, step, cards: (ranks - step) % cards),
    "the wrong way round": collectives.Rules(reduce_chunk=lambda ranks, step, cards: (ranks + step) % cards),
    "a chunk is overwritten": collectives.Rules(add=lambda _mine, handed: handed),
    "a chunk is ignored": collectives.Rules(add=lambda mine, _handed: mine),
    "a chunk is added twice": collectives.Rules(add=lambda mine, handed: mine + 2 * handed),
    "the wrong chunk is handed on": collectives.Rules(
        gather_chunk=lambda ranks, step, cards: (ranks - step + 1) % cards
    ),
}


@pytest.mark.parametrize("rules", RINGS.values(), ids=RINGS)
def test_a_wrong_ring_does_not_give_the_sum(rules: collectives.Rules) -> None:
    found = false_metrics(cheated(ring, rules))
    assert "all_reduce_equals_sum" in found
    assert found & {"reduce_scatter_owns_sum", "all_gather_completes"}


def test_a_longer_way_shows_in_the_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sending whole arrays gives the right sum and the wrong bytes."""

    def careless(data, meter, rules=collectives.RULES, on_step=None):
        n = len(data)
        for _ in range(n - 1):
            meter.count(data)
        data[:] = data.sum(axis=0)

    monkeypatch.setattr(ring, "reduce_scatter", careless)
    found = false_metrics(cheated(ring, collectives.RULES))
    assert found == {"all_reduce_bytes_match", "halves_send_alike"}


# ---- accumulation ---------------------------------------------------------------------------------------------------


def test_a_dropped_micro_batch_shows() -> None:
    found = false_metrics(cheated(accumulation, accumulation.Parts(micro_batches=lambda batches: batches[:-1])))
    assert {"ddp_equals_accumulation", "equal_tokens_match_whole_batch", "unequal_tokens_weighted_matches"} <= found


def test_no_division_by_k_shows() -> None:
    found = false_metrics(cheated(accumulation, accumulation.Parts(plain=lambda _n, _s, _k: 1.0)))
    assert found == {"equal_tokens_match_whole_batch"}


def test_a_wrong_token_share_shows() -> None:
    parts = accumulation.Parts(weighted=lambda _n, _s, k: 1 / k)
    assert false_metrics(cheated(accumulation, parts)) == {"unequal_tokens_weighted_matches"}


# ---- ZeRO -----------------------------------------------------------------------------------------------------------

LAYOUTS = {
    "stage 1 keeps the whole optimizer": (1, zero_sharding.Layout(False, False, False), "zero1_bytes_match"),
    "stage 1 shards gradients too": (1, zero_sharding.Layout(True, True, False), "zero1_bytes_match"),
    "stage 2 keeps whole gradients": (2, zero_sharding.Layout(True, False, False), "zero2_bytes_match"),
    "stage 3 keeps whole weights": (3, zero_sharding.Layout(True, True, False), "zero3_bytes_match"),
    "DDP shards in secret": (0, zero_sharding.Layout(True, False, False), "ddp_bytes_match"),
}


@pytest.mark.parametrize(("stage", "layout", "metric"), LAYOUTS.values(), ids=LAYOUTS)
def test_state_that_is_not_sharded_as_claimed_shows(stage: int, layout: zero_sharding.Layout, metric: str) -> None:
    parts = zero_sharding.Parts(layout=lambda s: layout if s == stage else zero_sharding.layout_of(s))
    found = false_metrics(cheated(zero_sharding, parts))
    assert metric in found
    assert not {name for name in found if name.endswith("equals_unsharded")}


def test_whole_gradients_in_stage_2_or_whole_weights_in_stage_3_show_in_the_traffic() -> None:
    kept = zero_sharding.Parts(layout=lambda s: zero_sharding.layout_of(min(s, 2)))
    assert "zero3_traffic_matches" in false_metrics(cheated(zero_sharding, kept))
    kept = zero_sharding.Parts(layout=lambda s: zero_sharding.layout_of(1 if s == 2 else s))
    assert "zero2_traffic_matches" in false_metrics(cheated(zero_sharding, kept, micro=3))


def plain_adam(state, gradient, scale, step):
    """AdamW without its weight decay."""
    before = state.master.copy()
    zero_model.adamw(state, gradient, scale, step)
    state.master += zero_model.RATE * zero_model.DECAY * before
    return state.master.astype(np.float16)


def last_ulp(state, gradient, scale, step):
    """AdamW but for one bit of one weight."""
    zero_model.adamw(state, gradient, scale, step)
    state.master.flat[0] = np.nextafter(state.master.flat[0], np.float32(9))
    return state.master.astype(np.float16)


@pytest.mark.parametrize("update", [plain_adam, last_ulp])
def test_another_optimizer_is_not_equal_to_the_last_bit(update) -> None:
    found = false_metrics(cheated(zero_sharding, zero_sharding.Parts(update=update), steps=1))
    assert {name for name in found if name.endswith("equals_unsharded")} == {
        f"{stage}_equals_unsharded" for stage in zero_sharding.STAGES
    }


@pytest.mark.parametrize("rules", RINGS.values(), ids=RINGS)
def test_a_wrong_ring_breaks_every_stage(rules: collectives.Rules) -> None:
    found = false_metrics(cheated(zero_sharding, zero_sharding.Parts(ring=rules), steps=2))
    assert {f"{stage}_equals_unsharded" for stage in ("ddp", "zero1")} <= found


# ---- tensor parallel ------------------------------------------------------------------------------------------------


def reversed_rows(matrix, cards):
    return tensor_parallel.by_rows(matrix, cards)[::-1]


def test_shards_that_do_not_belong_together_show() -> None:
    found = false_metrics(cheated(tensor_parallel, tensor_parallel.Parts(second=reversed_rows)))
    assert {"row_equals_dense", "mlp_equals_dense", "mlp_gradients_equal_dense", "attention_equals_dense"} <= found


def test_a_forgotten_partial_sum_shows() -> None:
    found = false_metrics(cheated(tensor_parallel, tensor_parallel.Parts(ring=RINGS["a chunk is ignored"])))
    assert {"row_equals_dense", "mlp_equals_dense", "attention_equals_dense"} <= found


# ---- pipelines ------------------------------------------------------------------------------------------------------


def sequential(p, m, times):
    """One micro-batch after the other: no pipeline at all."""
    return [
        [op for j in range(m) for op in (schedules.forward(r, j, times.f), schedules.backward(r, p - 1, j, times.b))]
        for r in range(p)
    ]


def loses_one(p, m, times):
    """The last micro-batch is never run backward."""
    return [ops[:-1] for ops in schedules.gpipe(p, m, times)]


def without_dependencies(p, m, times):
    """Nothing waits for anything."""
    return [[replace(op, needs=()) for op in ops] for ops in schedules.gpipe(p, m, times)]


def waits_for_ever(p, m, times):
    """The first stage wants a backward before any forward."""
    first, *rest = schedules.gpipe(p, m, times)
    return [[*first[::-1]], *rest]


@pytest.mark.parametrize("order", [sequential, loses_one, without_dependencies, waits_for_ever])
def test_a_wrong_schedule_shows(order) -> None:
    found = false_metrics(cheated(pipeline, pipeline.Parts(gpipe=order)))
    assert {"gpipe_bubble_matches", "in_flight_matches", "every_micro_batch_done"} & found
    if order is not loses_one:
        assert "gpipe_bubble_matches" in found


def test_gpipes_order_is_not_1f1b() -> None:
    """The bubble is the same; what is held in flight is not."""
    found = false_metrics(cheated(pipeline, pipeline.Parts(one_f_one_b=schedules.gpipe), m=16))
    assert found == {"in_flight_matches"}


def test_1f1b_has_not_the_zero_bubble() -> None:
    found = false_metrics(cheated(pipeline, pipeline.Parts(zero_bubble=schedules.one_f_one_b)))
    assert found == {"zero_bubble_matches"}


def test_joined_pairs_that_take_less_time_break_the_closed_form() -> None:
    """F&B of less than F + B: the closed form holds on the middle ranks only."""
    parts = pipeline.Parts(dual_pipe=lambda p, m, times, _both: schedules.dual_pipe(p, m, times, 2.4))
    assert "dualpipe_bubble_matches" in false_metrics(cheated(pipeline, parts))


# ---- experts --------------------------------------------------------------------------------------------------------


def drops_a_token(outgoing):
    """The last row of one message is lost on the way."""
    arrived = experts.exchange(outgoing)
    arrived[0][1] = arrived[0][1][:-1]
    return arrived


def wrong_place(outgoing):
    """Messages arrive in the order of another sender."""
    return [row[::-1] for row in experts.exchange(outgoing)]


def test_a_dropped_token_shows() -> None:
    found = false_metrics(cheated(experts, experts.Parts(exchange=drops_a_token)))
    assert {"dispatch_combine_equals_dense", "drops_match", "bytes_match"} <= found


def test_results_in_the_wrong_place_show() -> None:
    even = {"experts": 4, "k": 4, "cf": 4.0}  # every token goes to every card, so that all messages are alike in size
    assert cheated(experts, experts.Parts(), **even).passed
    found = false_metrics(cheated(experts, experts.Parts(exchange=wrong_place), **even))
    assert "dispatch_combine_equals_dense" in found


def test_unweighted_mixing_shows() -> None:
    parts = experts.Parts(mixed=lambda results, weights: np.asarray((results * (weights > 0)[:, :, None]).mean(axis=1)))
    assert "dispatch_combine_equals_dense" in false_metrics(cheated(experts, parts))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda t, k, e, cf: math.floor(t * k * cf / e),
        lambda t, k, e, cf: math.ceil(t * k / e * float(cf)),
        lambda t, k, e, _cf: -(-t * k // e),
        lambda t, _k, e, cf: math.ceil(t * cf / e),
    ],
    ids=["floor", "floating point", "no factor", "no k"],
)
def test_a_wrong_capacity_shows(wrong) -> None:
    """100 copies an expert and a factor of 1.1: exactly 110, which the floating-point ceiling makes 111."""
    values = {"ep": 4, "experts": 8, "k": 4, "tokens": 50, "cf": 1.1}
    assert cheated(experts, experts.Parts(), **values).values["capacity"]["value"] == 110
    result = cheated(experts, experts.Parts(capacity=wrong), **values)
    if wrong(200, 4, 8, experts.Fraction("1.1")) != 110:
        assert "capacity_is_exact_ceil" in false_metrics(result)


# ---- FP8 ------------------------------------------------------------------------------------------------------------


def truncated(x, form):
    wide = np.asarray(x, dtype=np.float64)
    _, exponent = np.frexp(wide)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, form.least_exponent) - form.mantissa)
    return np.clip(np.trunc(wide / unit) * unit, -form.largest, form.largest)


def ties_away(x, form):
    wide = np.asarray(x, dtype=np.float64)
    _, exponent = np.frexp(wide)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, form.least_exponent) - form.mantissa)
    with np.errstate(invalid="ignore"):
        near = np.copysign(np.floor(np.abs(wide) / unit + 0.5) * unit, wide)
    return np.clip(near, -form.largest, form.largest)


def no_subnormals(x, form):
    near = fp8.rounded(x, form)
    return np.where(np.abs(near) < 2.0**form.least_exponent, 0.0, near)


def ieee_like(x, form):
    """E4M3 that ends at 240."""
    return np.clip(fp8.rounded(x, form), -240, 240) if form.name == "e4m3" else fp8.rounded(x, form)


@pytest.mark.parametrize(
    ("wrong", "metrics"),
    [
        (truncated, {"e4m3_rounds_to_nearest", "e4m3_ties_to_even", "e5m2_rounds_to_nearest", "e5m2_ties_to_even"}),
        (ties_away, {"e4m3_ties_to_even", "e5m2_ties_to_even"}),
        (no_subnormals, {"e4m3_keeps_its_numbers", "e5m2_keeps_its_numbers", "e4m3_rounds_to_nearest"}),
        (ieee_like, {"e4m3_keeps_its_numbers", "e4m3_saturates"}),
    ],
)
def test_wrong_rounding_shows(wrong, metrics: set[str]) -> None:
    assert metrics <= false_metrics(cheated(fp8, fp8.Parts(rounded=wrong)))


# ---- counting -------------------------------------------------------------------------------------------------------


def multiplications_only(a, b):
    return a.size * b.shape[-1]


def forgets_weight_gradients(blocks, x, target, flops, *, recompute):
    done = transformer.step(blocks, x, target, flops, recompute=recompute)
    done.backward.weights //= 2
    done.gradients = [{name: np.zeros_like(g) for name, g in grads.items()} for grads in done.gradients]
    return done


def never_recomputes(blocks, x, target, flops, *, recompute):
    return transformer.step(blocks, x, target, flops, recompute=False)


def without_masks(s, b, h, a, seed):
    return {name: one for name, one in counting.held_by_layer(s, b, h, a, seed).items() if "mask" not in name}


@pytest.mark.parametrize(
    ("parts", "metrics"),
    [
        (counting.Parts(flops=multiplications_only), {"forward_is_2_phi", "backward_is_4_phi", "scores_are_12_l_h_s"}),
        (counting.Parts(step=forgets_weight_gradients), {"backward_is_4_phi", "gradients_are_right"}),
        (counting.Parts(step=never_recomputes), {"checkpointing_adds_2_phi", "checkpoint_keeps_one_input"}),
        (counting.Parts(held=without_masks), {"activations_are_34_sbh_5_as"}),
    ],
    ids=["multiplications only", "no weight gradients", "no recomputation", "no masks"],
)
def test_wrong_counts_show(parts: counting.Parts, metrics: set[str]) -> None:
    assert metrics <= false_metrics(cheated(counting, parts))
