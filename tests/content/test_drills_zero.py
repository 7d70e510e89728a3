"""The drills of drills-zero.yaml against printed tables and against arrays that are really cut and counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from grading.answer import grade

PACK_FILE = "drills-zero.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


# --- printed: ZeRO paper (arXiv:1910.02054) Table 1, per-device GB; its 128B and 1T columns are cut off, not rounded ---

TABLE_1 = {  # parameters, cards: stage 1, stage 2, stage 3
    ("7.5B", 4): (52.5, 41.3, 30),
    ("7.5B", 16): (35.6, 21.6, 7.5),
    ("7.5B", 64): (31.4, 16.6, 1.88),
    ("7.5B", 256): (30.4, 15.4, 0.47),
    ("7.5B", 1024): (30.1, 15.1, 0.12),
    ("128B", 4): (896, 704, 512),
    ("128B", 16): (608, 368, 128),
    ("128B", 64): (536, 284, 32),
    ("128B", 256): (518, 263, 8),
    ("128B", 1024): (513, 257, 2),
    ("1T", 4): (7000, 5500, 4000),
    ("1T", 16): (4750, 2875, 1000),
    ("1T", 64): (4187, 2218, 250),
    ("1T", 256): (4046, 2054, 62.5),
    ("1T", 1024): (4011, 2013, 15.6),
}


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize(("phi", "n"), TABLE_1)
def test_memory_is_that_of_the_papers_table_1(drills: Any, phi: str, n: int, stage: int) -> None:
    printed = TABLE_1[phi, n][stage - 1]
    last_place = 10.0 ** -(len(str(printed).split(".")[1]) if "." in str(printed) else 0)
    assert abs(drills.answer(f"zero-{stage}-memory", phi=phi, n=n) - printed) < last_place


@pytest.mark.parametrize(("phi", "n"), [("7.5B", 4), ("7.5B", 64), ("128B", 16), ("128B", 64)])
def test_savings_are_differences_and_quotients_of_table_1(drills: Any, phi: str, n: int) -> None:
    baseline = {"7.5B": 120, "128B": 2048}[phi]
    first, second, third = TABLE_1[phi, n]
    assert drills.answer("zero-saving-gb", phi=phi, n=n) == pytest.approx(baseline - second, abs=0.5)
    assert drills.answer("zero-saving-ratio", phi=phi, n=n) == pytest.approx(baseline / first, rel=0.005)
    assert drills.answer("zero-saving-percent", phi=phi, n=n) == pytest.approx(100 * (1 - third / baseline), abs=0.1)


@pytest.mark.parametrize(("n", "printed_gb"), [(4, 41.25), (16, 21.5625), (64, 16.640625)])
def test_the_least_count_undoes_table_1(drills: Any, n: int, printed_gb: float) -> None:
    """Exactly the table's bytes fit on its cards; one part in a thousand less does not."""
    assert drills.answer("zero-2-least-n", phi="7.5B", m=printed_gb) == n
    assert drills.answer("zero-2-least-n", phi="7.5B", m=printed_gb * 0.999) > n


def test_largest_model_is_that_of_the_papers_table_2(drills: Any) -> None:
    """Table 2: 64 GPUs of 32 GB, no model parallelism: 14.4B with optimizer states and gradients sharded."""
    assert drills.answer("zero-2-largest-phi", n=64, m=32) / 1e9 == pytest.approx(14.4, abs=0.05)


# --- counted: a small model's arrays, cut among cards ---

UNIT = 1680  # parameters of the small model; divisible by every count of cards tried here


def bytes_on_one_card(stage: int, n: int) -> int:
    """Real arrays of 16-bit weights and gradients and 32-bit master copy and moments; a stage cuts its accounts in n."""
    accounts: list[tuple[int, NDArray[Any]]] = [
        (3, np.zeros(UNIT, np.float16)),
        (2, np.zeros(UNIT, np.float16)),
        (1, np.zeros(UNIT, np.float32)),
        (1, np.zeros(UNIT, np.float32)),
        (1, np.zeros(UNIT, np.float32)),
    ]
    return sum((np.split(array, n)[0] if stage >= cut_from else array).nbytes for cut_from, array in accounts)


@pytest.mark.parametrize("n", [2, 4, 6, 8, 16])
def test_memory_is_what_cut_arrays_hold(drills: Any, n: int) -> None:
    for stage in (1, 2, 3):
        held = bytes_on_one_card(stage, n)
        assert drills.answer(f"zero-{stage}-memory", phi=UNIT, n=n) * 1e9 == pytest.approx(held, rel=1e-12)


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize(("per_parameter", "phi"), [(6.0, "7B"), (5.0, "8B"), (8.5, "3B"), (13.9, "13B"), (4.2, "20B")])
def test_the_least_count_is_found_by_trying_each(drills: Any, stage: int, per_parameter: float, phi: str) -> None:
    billions = float(phi[:-1])
    n = next(n for n in range(1, 10_000) if fits(stage, n, per_parameter))
    assert drills.answer(f"zero-{stage}-least-n", phi=phi, m=round(per_parameter * billions, 6)) == n


def fits(stage: int, n: int, per_parameter: float) -> bool:
    whole = {1: 4, 2: 2, 3: 0}[stage]
    return whole * n + (16 - whole) <= per_parameter * n + 1e-9


@pytest.mark.parametrize("n", [4, 8, 16])
@pytest.mark.parametrize("budget", [53, 60, 72, 104, 130, 210])
def test_the_least_stage_is_the_first_that_fits(drills: Any, n: int, budget: int) -> None:
    """A climb up the ladder with the bytes of cut arrays, scaled to 13B."""
    climbed = [bytes_on_one_card(stage, n) / UNIT * 13 for stage in (0, 1, 2, 3)]
    assert drills.answer("zero-least-stage", phi="13B", n=n, m=budget) == pytest.approx(
        next(gb for gb in climbed if gb <= budget)
    )


# --- counted: what a card sends ---


def ring_sent(n: int) -> int:
    """Elements that one card sends when n cards pass UNIT elements once round a ring (all-gather or reduce-scatter)."""
    slices = np.array_split(np.arange(UNIT), n)
    return sum(slices[(0 - hop) % n].size for hop in range(n - 1))


def elements_sent(kind: str, k: int, n: int) -> int:
    """A step of k micro-batches as a list of ring passes, each walked hop by hop."""
    each = {"ddp": "", "zero-2": "reduce-scatter", "zero-3": "gather gather reduce-scatter"}[kind].split()
    at_end = {"ddp": "reduce-scatter gather", "zero-2": "gather", "zero-3": ""}[kind].split()
    passes = each * k + at_end
    return sum(ring_sent(n) for _ in passes)


@pytest.mark.parametrize("kind", ["ddp", "zero-2", "zero-3"])
@pytest.mark.parametrize("k", [1, 2, 8])
def test_traffic_is_that_of_the_passes_walked(drills: Any, kind: str, k: int) -> None:
    n = UNIT  # so many cards that (N-1)/N is 1 within a thousandth
    sent = 2 * elements_sent(kind, k, n)
    assert drills.answer(f"{kind}-volume-accumulated", phi=UNIT, k=k) * 1e9 == pytest.approx(sent, rel=1e-3)


def test_traffic_of_eight_micro_batches_at_7b_is_as_worked_out(drills: Any) -> None:
    """Worked values for K = 8, 7B, BF16: 28, 126 and 336 GB."""
    found = [drills.answer(f"{kind}-volume-accumulated", phi="7B", k=8) for kind in ("ddp", "zero-2", "zero-3")]
    assert found == pytest.approx([28, 126, 336])


@pytest.mark.parametrize("n", [2, 3, 8, 16])
def test_the_extra_traffic_is_one_more_pass(drills: Any, n: int) -> None:
    more = 2 * (elements_sent("zero-3", 1, n) - elements_sent("ddp", 1, n))
    assert drills.answer("zero-3-extra-traffic", phi=UNIT, n=n) * 1e9 == pytest.approx(more, rel=1e-12)


@pytest.mark.parametrize(("bw", "eff", "tokens"), [(50, 100, 19_780), (450, 100, 2_198), (50, 40, 7_912)])
def test_enough_tokens_hide_the_traffic(drills: Any, bw: int, eff: int, tokens: int) -> None:
    """Worked values on 989 TFLOP/s; with them compute and traffic take the same time, whatever the model's size."""
    for phi in ("1.3B", "70B"):
        assert drills.answer("zero-3-hide-tokens", phi=phi, peak=989, eff=eff, bw=bw) == pytest.approx(tokens, abs=1)
    compute_s = tokens * 6 * 70e9 / (989e12 * eff / 100)
    assert compute_s == pytest.approx(3 * 70e9 * 2 / (bw * 1e9), rel=1e-3)


# --- the show-piece ---


@pytest.mark.parametrize(
    ("typed", "reason", "found"),
    [
        ("48.75", "correct", ()),
        ("2*13+14*13/8", "correct", ()),
        ("71.5", "mistake", ("zero-1-formula",)),
        ("26", "mistake", ("everything-sharded", "weights-only")),
        ("208", "mistake", ("nothing-sharded",)),
        ("42.25", "mistake", ("no-master-copy",)),
        ("45.5", "mistake", ("gradients-left-out",)),
        ("45.4", "mistake", ("gib-for-gb",)),
        ("55.25", "convention", ("deepspeed-estimator",)),
        ("78", "convention", ("deepspeed-docs",)),
        ("4Φ + 12Φ/N", "mistake", ("zero-1-formula",)),
        ("2Φ + 14Φ/N", "formula", ()),
    ],
)
def test_answers_to_zero_2_with_13b_on_8_cards_are_told_apart(
    drills: Any, typed: str, reason: str, found: tuple[str, ...]
) -> None:
    verdict = grade(typed, drills.problem("zero-2-memory", phi="13B", n=8).asked)
    assert verdict.reason == reason
    assert tuple(rival.id for rival in verdict.found) == found


@pytest.mark.parametrize("stage", [1, 2, 3])
def test_the_number_of_cards_can_be_asked_instead(drills: Any, stage: int) -> None:
    problem = drills.problem(f"zero-{stage}-memory", unknown="n", phi="13B", n=16)
    assert grade("16", problem.asked).reason == "correct"
    assert grade("17", problem.asked).reason != "correct"
