"""The drills of drills-precision.yaml against all 256 codes of each FP8 format, real arrays, and printed cache sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grading.answer import grade

PACK_FILE = "drills-precision.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


# --- FP8: every code decoded, rounding by search ---


def decoded(exponent_bits: int, mantissa_bits: int, *, ieee_like: bool) -> dict[float, int]:
    """Every finite value of an 8-bit format from zero up, with its code (OCP OFP8: E4M3 gives only 1111.111 to NaN)."""
    bias = 2 ** (exponent_bits - 1) - 1
    values = {}
    for code in range(128):
        exponent, mantissa = code >> mantissa_bits, code % 2**mantissa_bits
        if (ieee_like and exponent == 2**exponent_bits - 1) or (not ieee_like and code == 127):
            continue
        fraction = mantissa / 2**mantissa_bits
        values[2.0 ** (1 - bias) * fraction if exponent == 0 else 2.0 ** (exponent - bias) * (1 + fraction)] = code
    return values


E4M3 = decoded(4, 3, ieee_like=False)
E5M2 = decoded(5, 2, ieee_like=True)


def rounded(x: float, values: dict[float, int]) -> float:
    """The nearest value; in a tie the one with an even code; beyond the end the largest (saturating)."""
    return min(values, key=lambda value: (abs(value - x), values[value] % 2))


def test_the_tables_have_the_printed_ends() -> None:
    """arXiv:2209.05433 Table 1: E4M3 448, 2^-6, 2^-9; E5M2 57344, 2^-14, 2^-16."""
    assert (max(E4M3), sorted(E4M3)[1], sorted(E4M3)[8]) == (448, 2**-9, 2**-6)
    assert (max(E5M2), sorted(E5M2)[1], sorted(E5M2)[4]) == (57344, 2**-16, 2**-14)


@pytest.mark.parametrize(
    ("drill_id", "values"), [("e4m3-rounding", E4M3), ("e4m3-subnormal", E4M3), ("e5m2-rounding", E5M2)]
)
def test_every_choice_is_rounded_to_the_nearest_code(drills: Any, drill_id: str, values: dict[float, int]) -> None:
    for choice in drills.drill(drill_id).param("x").choices:
        x = float(choice.value)
        assert x not in values
        assert drills.base(drill_id, x=choice.text) == rounded(x, values)
        assert grade(choice.text, drills.problem(drill_id, x=choice.text).asked).reason != "correct"


def test_random_values_are_rounded_to_the_nearest_code(drills: Any) -> None:
    for x in np.random.default_rng(5).uniform(1, 440, 200).round(2):
        assert drills.base("e4m3-rounding", x=x) == rounded(x, E4M3)
        assert drills.base("e5m2-rounding", x=x) == rounded(x, E5M2)


def test_rounding_is_that_of_ml_dtypes(drills: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for x in np.random.default_rng(6).uniform(1, 440, 200).round(2):
        single = np.float32(x)
        assert drills.base("e4m3-rounding", x=x) == float(single.astype(ml_dtypes.float8_e4m3fn))
        assert drills.base("e5m2-rounding", x=x) == float(single.astype(ml_dtypes.float8_e5m2))


@pytest.mark.parametrize(("x", "q"), [(700, 2), (500, 1), (130, 8)])
def test_clipping_loses_what_lies_beyond_the_last_code(drills: Any, x: int, q: int) -> None:
    assert drills.base("fp8-clipping", x=x, q=q) == pytest.approx((x - rounded(x * q, E4M3) / q) / x)


@pytest.mark.parametrize("amax", [0.3, 57, 900])
def test_a_scaled_tile_uses_the_whole_table(drills: Any, amax: float) -> None:
    """A tile is scaled so that its largest value meets the last code; the first code above zero scales back."""
    scale = drills.base("fp8-scale", x=amax)
    assert rounded(amax / scale, E4M3) == max(E4M3)
    assert drills.base("fp8-smallest", x=amax) == pytest.approx(sorted(E4M3)[1] * scale)


@pytest.mark.parametrize("amax", [6, 11, 26, 45])
@pytest.mark.parametrize("x", [0.33, 0.92, 1.9, 5.1])
def test_there_and_back_is_a_search_among_the_codes(drills: Any, amax: float, x: float) -> None:
    scale = amax / max(E4M3)
    assert drills.base("fp8-round-trip", c=amax, x=x) == pytest.approx(rounded(x / scale, E4M3) * scale)


def test_codes_and_scales_are_bytes_of_arrays(drills: Any) -> None:
    codes, scales = np.zeros((64, 512), np.uint8), np.zeros((64, 512 // 128), np.float32)
    assert drills.base("fp8-tile-bytes", m=64, k=512) == codes.nbytes + scales.nbytes


# --- caches ---


@pytest.mark.parametrize(("layers", "heads", "printed_kb"), [(80, 64, 327.680), (126, 128, 516.096)])
def test_cache_of_a_token_is_that_of_a_printed_table(drills: Any, layers: int, heads: int, printed_kb: float) -> None:
    """arXiv:2505.09343 Table 1: Qwen-2.5 72B and LLaMA-3.1 405B, both with 8 key-value heads."""
    assert drills.answer("kv-bytes-per-token", l=layers, a=heads, kv=8) == pytest.approx(printed_kb)


def test_mla_cache_of_a_token_is_that_of_the_same_table(drills: Any) -> None:
    """DeepSeek-V3: 70.272 KB."""
    assert drills.answer("mla-bytes-per-token", l=61, a=128, c=512, r=64) == pytest.approx(70.272)


def test_caches_are_bytes_of_arrays(drills: Any) -> None:
    keys_and_values = np.zeros((3, 2, 4, 5, 2, 128), np.float16)  # layer, K or V, sequence, token, head, dimension
    assert drills.base("kv-cache", l=3, a=8, kv=2, b=4, s=5) == keys_and_values.nbytes
    assert drills.base("kv-bytes-per-token", l=3, a=8, kv=2) == keys_and_values.nbytes / (4 * 5)
    latents, rotary = np.zeros((3, 256), np.float16), np.zeros((3, 32), np.float16)
    assert drills.base("mla-bytes-per-token", l=3, a=16, c=256, r=32) == latents.nbytes + rotary.nbytes


def test_a_70b_cache_at_8k_is_2_5_gib(drills: Any) -> None:
    assert drills.base("kv-cache", l=80, a=64, kv=8, b=1, s=8192) / 2**30 == 2.5


@pytest.mark.parametrize(("drill_id", "values"), [("e4m3-rounding", E4M3), ("e5m2-rounding", E5M2)])
def test_rounding_holds_beyond_the_end_below_the_normals_at_zero_and_for_both_signs(
    drills: Any, drill_id: str, values: dict[float, int]
) -> None:
    ends = [max(values), max(values) * 1.05, max(values) * 3, 0.0, *sorted(values)[1:12]]
    for x in [*ends, *(value * 1.3 for value in ends)]:
        assert drills.base(drill_id, x=repr(x)) == rounded(x, values)
        assert drills.base(drill_id, x=repr(-x)) == -rounded(x, values)
