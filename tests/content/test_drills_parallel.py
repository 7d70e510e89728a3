"""The drills about tensor and pipeline parallelism against small layers that are split, run and counted, and worked values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PACK_FILE = "drills-parallel.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


class Group:
    """Tensor-parallel ranks: sums partial results over a ring in 16 bits, and counts what each rank sends and computes."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.sent = 0  # bytes of one rank
        self.flop = 0  # of one rank

    def all_reduce(self, partial: list[np.ndarray]) -> np.ndarray:
        chunks = np.array_split(partial[0].ravel().astype(np.float16), self.ranks)
        for half in range(2):  # reduce-scatter, then all-gather
            for step in range(self.ranks - 1):
                self.sent += chunks[(half + step) % self.ranks].nbytes
        return np.sum(partial, axis=0)

    def products(self, pairs: list[tuple[np.ndarray, np.ndarray]]) -> list[np.ndarray]:
        """One product on each rank."""
        a, b = pairs[0]
        self.flop += 2 * a.shape[0] * a.shape[1] * b.shape[1]
        return [a @ b for a, b in pairs]


class Block:
    """Two linear maps with nothing between: the first split by columns, the second by rows, as in Megatron."""

    def __init__(self, group: Group, first: np.ndarray, second: np.ndarray) -> None:
        self.group, self.first, self.second = group, first, second
        self.columns = np.split(first, group.ranks, axis=1)
        self.rows = np.split(second, group.ranks, axis=0)

    def forward(self, x: np.ndarray) -> np.ndarray:
        self.x = x
        self.between = self.group.products([(x, columns) for columns in self.columns])
        return self.group.all_reduce(self.group.products(list(zip(self.between, self.rows, strict=True))))

    def backward(self, grad: np.ndarray) -> np.ndarray:
        group = self.group
        between = group.products([(grad, rows.T) for rows in self.rows])
        self.row_grads = group.products([(kept.T, grad) for kept in self.between])
        self.column_grads = group.products([(self.x.T, part) for part in between])
        return group.all_reduce(group.products([(p, c.T) for p, c in zip(between, self.columns, strict=True)]))


def layer(ranks: int, tokens: int, h: int) -> Group:
    """A layer of 12h² parameters, dealt evenly over its two blocks, run forward and backward; the group has the counts."""
    rng = np.random.default_rng(3)
    group = Group(ranks)
    attention = Block(group, rng.normal(size=(h, 3 * h)), rng.normal(size=(3 * h, h)))
    mlp = Block(group, rng.normal(size=(h, 3 * h)), rng.normal(size=(3 * h, h)))
    x = rng.normal(size=(tokens, h))
    middle = attention.forward(x)
    y = mlp.forward(middle)
    grad = attention.backward(mlp.backward(np.ones_like(y)))
    whole = x @ attention.first @ attention.second @ mlp.first @ mlp.second
    assert np.allclose(y, whole)
    chained = attention.first @ attention.second @ mlp.first @ mlp.second
    assert np.allclose(grad, np.ones_like(y) @ chained.T)
    assert np.allclose(np.concatenate(mlp.row_grads), (middle @ mlp.first).T @ np.ones_like(y))
    return group


@pytest.mark.parametrize("t", [2, 4, 8])
def test_tensor_parallel_bytes_are_found_by_running_a_split_layer_equal_to_the_whole(drills: Any, t: int) -> None:
    group = layer(t, tokens=16, h=8)
    assert drills.answer("tp-all-reduce-bytes", t=t, b=2, s=8, h=8) * 1e6 == pytest.approx(group.sent)
    at_hand = drills.answer("tp-all-reduce-time", t=t, b=2, s=8, h=8, bw="64 B/s")
    assert at_hand / 1000 == pytest.approx(group.sent / 64)


@pytest.mark.parametrize("t", [2, 4])
def test_tensor_parallel_share_is_found_by_counting_both_in_a_split_layer(drills: Any, t: int) -> None:
    group = layer(t, tokens=16, h=8)
    rate, flops = 1e9, 989e12 * 0.5
    at_hand = drills.answer("tp-communication-share", t=t, h=8, s=16, eff=50, bw=1)
    assert at_hand / 100 == pytest.approx((group.sent / rate) / (group.flop / flops))


def test_boundary_bytes_are_found_by_the_size_of_the_last_layers_real_output(drills: Any) -> None:
    x = np.zeros((2, 16, 24), np.float16)
    weights = [np.eye(24, dtype=np.float16) for _ in range(4)]
    sent = 0
    for number, weight in enumerate(weights):
        x = x @ weight
        if number == len(weights) - 1:
            sent += x.nbytes
    assert drills.answer("pp-boundary-bytes", l=4, b=2, s=16, h=24) * 1e6 == pytest.approx(sent)
    back = np.zeros_like(x).nbytes  # the gradient has the shape of the activation
    assert drills.answer("pp-boundary-time", b=2, s=16, h=24, bw="100 B/s") / 1000 == pytest.approx((sent + back) / 100)


def test_boundary_share_is_found_by_counting_the_layers_of_a_stage(drills: Any) -> None:
    layers, tokens, h, t = 3, 16, 8, 2
    flop = sum(layer(t, tokens, h).flop for _ in range(layers))
    tensor = np.zeros((tokens, h), np.float16).nbytes
    at_hand = drills.answer("pp-communication-share", l=layers, h=h, t=t, eff=40, bw=1, s=tokens)
    assert at_hand / 100 == pytest.approx((2 * tensor / 1e9) / (flop / (989e12 * 0.4)))


WORKED = [
    # worked values given for b 1, s 4096, h 8192, t 8: 469.8 MB; 1.04 ms (21 %) on NVLink, 9.40 ms (188 %) on 50 GB/s
    pytest.param("tp-all-reduce-bytes", {"t": 8, "b": 1, "s": 4096, "h": 8192}, 469.8, id="a layer's bytes"),
    pytest.param("tp-all-reduce-time", {"t": 8, "b": 1, "s": 4096, "h": 8192, "bw": 450}, 1.04, id="NVLink"),
    pytest.param("tp-all-reduce-time", {"t": 8, "b": 1, "s": 4096, "h": 8192, "bw": 50}, 9.40, id="InfiniBand"),
    pytest.param(
        "tp-communication-share", {"t": 8, "h": 8192, "s": 4096, "eff": 50, "bw": 450}, 20.9, id="share on NVLink"
    ),
    pytest.param(
        "tp-communication-share", {"t": 8, "h": 8192, "s": 4096, "eff": 50, "bw": 50}, 187.8, id="share on InfiniBand"
    ),
    # a stage of 10 such layers: 2.68 ms against 50.0 ms, 5.4 %
    pytest.param("pp-boundary-time", {"b": 1, "s": 4096, "h": 8192, "bw": 50}, 2.684, id="boundary"),
    pytest.param(
        "pp-communication-share",
        {"l": 10, "h": 8192, "t": 8, "eff": 50, "bw": 50, "s": 4096},
        2.684 / 50.0 * 100,
        id="boundary against stage",
    ),
]


@pytest.mark.parametrize(("drill", "values", "expected"), WORKED)
def test_a_worked_value_comes_out(drills: Any, drill: str, values: dict[str, object], expected: float) -> None:
    assert drills.answer(drill, **values) == pytest.approx(expected, rel=0.005)
