"""The fault-finding drills of drills-faults.yaml: the published figure is shown and named, the right one is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grading.answer import grade
from grading.drill import question_text

PACK_FILE = "drills-faults.yaml"


def test_each_drill_has_no_fault(drills: Any, every_drill: str) -> None:
    assert drills.faults(every_drill) == []


PUBLISHED = [  # drill, values, what is printed in public, what is right
    ("fault-zero-3-time", {"phi": "65B", "bw": "10"}, "156", "312"),
    ("fault-linear-state", {"i": "12288", "o": "49152"}, "38.65", "9.66"),
    ("fault-fp32-accounts", {"phi": "7B", "n": "8"}, "63", "38.5"),
    ("fault-1f1b-bubble", {"p": "8", "m": "32"}, "9.859", "17.95"),
    ("fault-moments-in-bf16", {"phi": "7B"}, "56", "112"),
]


@pytest.mark.parametrize(("drill_id", "values", "published", "right"), PUBLISHED)
def test_the_published_figure_is_shown_and_found_wrong(
    drills: Any, drill_id: str, values: dict[str, str], published: str, right: str
) -> None:
    problem = drills.problem(drill_id, **values)
    for lang in ("en", "zh"):
        text = question_text(problem, lang)
        assert published in text
        assert right not in text
    assert grade(right, problem.asked).reason == "correct"
    verdict = grade(published, problem.asked)
    assert (verdict.reason, verdict.found[0].id) == ("mistake", "the-notes-number")


def test_all_are_marked(drills: Any) -> None:
    assert all("fault-finding" in model.tags for model in drills.models.values())


PHI = 840
HALF, SINGLE = np.float16, np.float32


def state(*kinds: type) -> int:
    return sum(np.zeros(PHI, kind).nbytes for kind in kinds)


def test_states_are_bytes_of_arrays(drills: Any) -> None:
    """Weights, gradients, master copy and both moments."""
    assert drills.base("fault-moments-in-bf16", phi=PHI) == state(HALF, HALF, SINGLE, SINGLE, SINGLE)
    weights = np.zeros((28, 30), HALF)
    assert drills.base("fault-linear-state", i=28, o=30) == weights.nbytes + state(HALF, SINGLE, SINGLE, SINGLE)


@pytest.mark.parametrize(("n", "printed_gb"), [(4, 52.5), (16, 35.6), (64, 31.4)])
def test_zero_1_is_that_of_the_zero_paper(drills: Any, n: int, printed_gb: float) -> None:
    """arXiv:1910.02054 Table 1, 7.5B, optimizer states sharded."""
    assert drills.answer("fault-fp32-accounts", phi="7.5B", n=n) == pytest.approx(printed_gb, abs=0.051)


def test_zero_3_sends_three_passes_of_two_bytes(drills: Any) -> None:
    """A ring of 420 cards walked: gather, gather, scatter; each hop sends one slice of 16-bit elements."""
    n = 420
    slice_bytes = np.array_split(np.zeros(PHI, HALF), n)[0].nbytes
    sent = sum(slice_bytes for _ in ("gather", "gather again", "reduce-scatter") for _ in range(n - 1))
    assert drills.base("fault-zero-3-time", phi=PHI, bw="8 bit/s") == pytest.approx(sent, rel=0.003)


def idle_share(p: int, m: int) -> float:
    """1F1B played slot by slot: stage k runs p - k forwards ahead, then one backward for each forward."""
    orders = []
    for stage in range(p):
        ahead = min(p - stage, m)
        order = [("F", i) for i in range(ahead)]
        for i in range(m):
            order.append(("B", i))
            order += [("F", ahead + i)] if ahead + i < m else []
        orders.append(order)
    ended: dict[tuple[int, str, int], int] = {}
    free = [0] * p
    while any(orders):
        for stage in range(p):
            if not orders[stage]:
                continue
            kind, i = orders[stage][0]
            needs = (stage - 1, "F", i) if kind == "F" else (stage + 1, "B", i)
            inside = 0 <= needs[0] < p
            if inside and needs not in ended:
                continue
            own_forward = ended.get((stage, "F", i), 0)
            start = max(free[stage], ended[needs] if inside else 0, own_forward if kind == "B" else 0)
            free[stage] = ended[stage, kind, i] = start + (1 if kind == "F" else 2)
            orders[stage].pop(0)
    total = max(free)
    return 1 - 3 * m / total


@pytest.mark.parametrize(("p", "m"), [(4, 4), (4, 16), (8, 32), (16, 8)])
def test_the_bubble_is_that_of_1f1b_played_out(drills: Any, p: int, m: int) -> None:
    assert drills.base("fault-1f1b-bubble", p=p, m=m) == pytest.approx(idle_share(p, m))
