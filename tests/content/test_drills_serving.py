"""The drills of drills-serving.yaml against worked values and against loops that count."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

PACK_FILE = "drills-serving.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


def test_the_ridge_point_of_an_h100_comes_out(drills: Any) -> None:
    """Worked value: 989 TFLOP/s over 3.35 TB/s, 295 FLOP/B; there a kernel's two times are equal."""
    ridge = drills.base("ridge-point", peak=989, hbm=3.35)
    assert ridge == pytest.approx(295, abs=0.5)
    moved = 1e9
    assert moved * ridge / 989e12 == pytest.approx(moved / 3.35e12)


def test_intensity_is_counted_by_a_triple_loop(drills: Any) -> None:
    m, k = 6, 10
    left, right = np.zeros((m, k), np.float16), np.zeros((k, k), np.float16)
    out = left @ right
    flops = sum(2 for _ in range(m) for _ in range(k) for _ in range(k))
    assert drills.base("gemm-intensity", m=m, k=k) == pytest.approx(flops / (left.nbytes + right.nbytes + out.nbytes))


def test_intensity_at_16_tokens_is_as_worked_out(drills: Any) -> None:
    """Worked value: m = 16, 8192 x 8192: 15.9 FLOP/B."""
    assert drills.base("gemm-intensity", m=16, k=8192) == pytest.approx(15.9, abs=0.05)


def test_decoding_reads_every_weight_once(drills: Any) -> None:
    """Worked value: 70B in BF16 on 8 H100, 5.22 ms; and a real array cut among 4 cards."""
    assert drills.answer("decode-bound", phi="70B", w=2, n=8, bw=3.35) == pytest.approx(5.22, abs=0.005)
    part = np.array_split(np.zeros(1000, np.float16), 4)[0]
    assert drills.base("decode-bound", phi=1000, w=2, n=4, bw="1 kB/s") == pytest.approx(part.nbytes / 1000)


@pytest.mark.parametrize(
    ("n", "m", "share", "phi", "kv", "s"),
    [(8, 80, 90, 70, 327.68, 8192), (4, 96, 80, 34, 160, 32768), (8, 141, 90, 123, 70.272, 8192)],
)
def test_sequences_are_put_in_until_none_fits(
    drills: Any, n: int, m: int, share: int, phi: int, kv: float, s: int
) -> None:
    left = share * n * m * 10**7 - 2 * phi * 10**9
    sequence = round(kv * 1000) * s
    fitted = 0
    while left >= sequence:
        left -= sequence
        fitted += 1
    assert drills.base("sequences-that-fit", n=n, m=m, share=share, phi=f"{phi}B", kv=kv, s=s) == fitted


def test_162_sequences_fit_beside_a_70b_model(drills: Any) -> None:
    """Worked value: 8 cards of 80 GB, 90 % usable, grouped-query attention, 8,192 tokens."""
    assert drills.base("sequences-that-fit", n=8, m=80, share=90, phi="70B", kv=327.68, s=8192) == 162
