"""FP8 against ml_dtypes, pipeline schedules against their closed forms, and the randomness all labs share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence.labs import fp8, schedules
from evidence.labs.draw import Stream, largest_gap
from evidence.labs.schedules import Times, play

ml_dtypes = pytest.importorskip("ml_dtypes")

DTYPES = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


@pytest.mark.parametrize("form", [fp8.E4M3, fp8.E5M2], ids=["e4m3", "e5m2"])
class TestAgainstMlDtypes:
    def test_every_code_stands_for_the_same_number(self, form: fp8.Format) -> None:
        codes = np.arange(256, dtype=np.uint8)
        theirs = codes.view(DTYPES[form.name]).astype(np.float64)
        finite = np.isfinite(theirs)
        assert finite.sum() == 2 * len(fp8.table(form))
        assert np.array_equal(fp8.decoded(codes[finite], form), theirs[finite])

    def test_a_million_numbers_round_alike(self, form: fp8.Format) -> None:
        stream = Stream(11)
        powers = np.ldexp(1.0, stream.below(40, 1_000_000) - 22)
        drawn = ((stream.uniform(1_000_000) * 2 - 1) * powers).astype(np.float32)
        drawn = drawn[np.abs(drawn) <= form.largest]
        theirs = drawn.astype(DTYPES[form.name])
        assert np.array_equal(fp8.rounded(drawn, form), theirs.astype(np.float64))
        ours = fp8.coded(drawn, form)
        is_zero = theirs.astype(np.float32) == 0
        assert np.array_equal(ours[~is_zero], theirs.view(np.uint8)[~is_zero])
        assert np.all(ours[is_zero] & 127 == 0)

    def test_ties_go_where_theirs_go(self, form: fp8.Format) -> None:
        known = fp8.table(form)
        middle = (known[1:] + known[:-1]) / 2
        assert np.array_equal(fp8.rounded(middle, form), middle.astype(DTYPES[form.name]).astype(np.float64))

    def test_saturating_where_theirs_overflow(self, form: fp8.Format) -> None:
        """ml_dtypes gives NaN or infinity beyond the range; the mode of the course and of training is to saturate."""
        assert fp8.rounded([1e6, -np.inf], form).tolist() == [form.largest, -form.largest]
        assert np.isnan(fp8.rounded(np.nan, form))

    def test_smallest_and_largest(self, form: fp8.Format) -> None:
        info = ml_dtypes.finfo(DTYPES[form.name])
        assert fp8.table(form)[-1] == float(info.max)
        assert fp8.table(form)[1] == float(info.smallest_subnormal)


@settings(max_examples=60, deadline=None)
@given(
    p=st.integers(2, 8),
    m=st.integers(1, 24),
    f=st.integers(1, 9),
    i=st.integers(1, 9),
    w=st.integers(1, 9),
)
def test_gpipe_and_1f1b_have_the_same_bubble_at_any_times(p: int, m: int, f: int, i: int, w: int) -> None:
    times = Times(f, i + w, w)
    for order in (schedules.gpipe, schedules.one_f_one_b):
        run = play(order(p, m, times))
        assert run.bubbles == [(p - 1) * (f + i + w)] * p
    assert play(schedules.one_f_one_b(p, m, times)).in_flight[0] == min(p, m)


@settings(max_examples=60, deadline=None)
@given(p=st.integers(2, 6), groups=st.integers(1, 4), v=st.integers(1, 4), f=st.integers(1, 5), b=st.integers(1, 9))
def test_interleaving_divides_the_bubble_by_v(p: int, groups: int, v: int, f: int, b: int) -> None:
    run = play(schedules.interleaved(p, p * groups, Times(f * v, b * v, 0), v))
    assert not run.stuck
    assert run.bubbles == pytest.approx([(p - 1) * (f + b)] * p)


@settings(max_examples=60, deadline=None)
@given(p=st.integers(2, 8), more=st.integers(0, 12), f=st.integers(1, 9), i=st.integers(1, 9), w=st.integers(1, 9))
def test_zero_bubble_where_the_weight_part_is_the_shortest(p: int, more: int, f: int, i: int, w: int) -> None:
    w = min(w, f, i)
    run = play(schedules.zero_bubble(p, p + more, Times(f, i + w, w)))
    assert run.bubbles == [(p - 1) * (f + i - w)] * p
    assert max(run.in_flight) <= p


@pytest.mark.parametrize("p", [2, 4, 6, 8, 12, 16])
@pytest.mark.parametrize("times_p", [2, 3, 4])
def test_dualpipe_at_its_own_times(p: int, times_p: int) -> None:
    """(PP/2-1)(F&B + B - 3W) on every rank, PP + 1 activations at most: the table beside DualPipe's source."""
    run = play(schedules.dual_pipe(p, times_p * p, Times(1, 2, 1), 3))
    assert not run.stuck
    assert run.bubbles == [(p // 2 - 1) * (3 + 2 - 3)] * p
    assert max(run.in_flight) == p + 1


def test_dualpipe_idles_less_than_its_closed_form_when_b_less_w_is_not_f() -> None:
    """8 ranks, F=1, B=2.2, W=1: 6.6 units where the formula gives 7.2."""
    run = play(schedules.dual_pipe(8, 24, Times(1, 2.2, 1), 3.2))
    assert run.bubbles == pytest.approx([6.6] * 8)


def test_numbers_are_the_raw_stream_of_pcg64_and_nothing_else() -> None:
    raw = np.random.PCG64(5).random_raw(4)
    assert Stream(5).uniform(2, 2).tolist() == ((raw >> np.uint64(11)) * 2.0**-53).reshape(2, 2).tolist()
    assert Stream(5).below(10, 4).tolist() == [int(one) % 10 for one in raw]
    assert np.array_equal(Stream(-1).raw(3), Stream(2**64 - 1).raw(3))


def test_bell_is_centred_with_unit_spread() -> None:
    drawn = Stream(0).bell(200_000)
    assert abs(drawn.mean()) < 0.01
    assert abs(drawn.std() - 1) < 0.01
    assert np.abs(drawn).max() <= 2 * 3**0.5


def test_gap_of_unlike_shapes_is_infinite() -> None:
    assert largest_gap(np.zeros(2), np.zeros(3)) == float("inf")
    assert largest_gap([], []) == 0.0
    assert largest_gap([1.0, 2.0], [1.0, 4.0]) == 0.5
