"""What a caller of `shardrill solve` may write for a parameter: other names of it, and values in base units."""

from __future__ import annotations

from pathlib import Path

import pytest

from content.drill_index import DrillIndex, drill_index
from content.drills import DrillFault, drill_of, solve
from content.library import SHIPPED_PACKS
from grading.answer import Reason, grade


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> DrillIndex:
    return drill_index((SHIPPED_PACKS,), Path(tmp_path_factory.mktemp("none") / "record.sqlite3"))


def asked(index: DrillIndex, name: str, **values: str) -> float:
    problem = solve(drill_of(index.find(name)), values)
    return float(problem.answer) / float(problem.drill.unit.factor)


@pytest.mark.parametrize(
    ("name", "plain", "spelled"),
    [
        ("zero-2-memory", {"phi": "13B", "n": "8"}, {"P": "13e9", "dp": "8"}),
        ("zero-2-memory", {"phi": "13B", "n": "8"}, {"Φ": "13000000000", "world_size": "8"}),
        (
            "mfu",
            {"phi": "7B", "rate": "4000", "peak": "989 TFLOP/s"},
            {"params": "7B", "tokens_per_second": "4000", "peak_flops": "989e12"},
        ),
        (
            "training-days",
            {"phi": "70B", "d": "15T", "n": "2048", "peak": "989", "mfu": "40 %"},
            {"phi": "70B", "tokens": "15e12", "gpus": "2048", "peak": "989e12", "MFU": "0.4"},
        ),
        ("bubble-of-wall-clock", {"p": "8", "m": "32"}, {"pp": "8", "num_microbatches": "32"}),
        ("bus-bandwidth", {"alg": "200", "n": "8"}, {"algbw": "200e9", "ranks": "8"}),
        (
            "kv-bytes-per-token",
            {"l": "80", "a": "64", "kv": "8"},
            {"layers": "80", "heads": "64", "num_key_value_heads": "8"},
        ),
        (
            "training-cost",
            {"phi": "7B", "d": "2T", "peak": "312", "mfu": "40", "price": "2"},
            {"phi": "7B", "d": "2T", "peak": "312", "mfu": "40", "price": "$2"},
        ),
        (
            "ring-small-message",
            {"n": "64", "s": "25 MiB", "alpha": "5 us", "bw": "50"},
            {"n": "64", "size": "25", "latency": "5e-6", "bandwidth": "50e9"},
        ),
    ],
)
def test_other_names_and_base_units_give_the_same(
    index: DrillIndex, name: str, plain: dict[str, str], spelled: dict[str, str]
) -> None:
    assert asked(index, name, **spelled) == pytest.approx(asked(index, name, **plain))


def test_a_drill_s_own_name_comes_first(index: DrillIndex) -> None:
    problem = solve(drill_of(index.find("layout-params-per-card")), {"phi": "70B", "t": "8", "p": "4", "dp": "2"})
    assert problem.drawn["dp"].text == "2"


def test_the_value_in_base_units_is_shown_in_the_asked_unit(index: DrillIndex) -> None:
    problem = solve(drill_of(index.find("checkpoint-time")), {"phi": "70B", "bw": "20e9"})
    assert problem.drawn["bw"].text == "20 GB/s"


def test_a_number_that_is_only_unusual_stays_in_the_asked_unit(index: DrillIndex) -> None:
    problem = solve(drill_of(index.find("mfu-budget")), {"e": "62", "p": "8", "m": "64", "x": "1"})
    assert problem.drawn["x"].value == pytest.approx(0.01)


@pytest.mark.parametrize("name", ["quux", "heads"])
def test_a_name_that_means_nothing_here_is_a_fault(index: DrillIndex, name: str) -> None:
    with pytest.raises(DrillFault, match="none of"):
        solve(drill_of(index.find("zero-2-memory")), {"phi": "13B", name: "8"})


@pytest.mark.parametrize("typed", ["524k", "524K", "524k tokens", "0.524M", "524288", "524,288 tokens"])
def test_a_short_number_is_not_a_product_with_a_parameter_of_that_letter(index: DrillIndex, typed: str) -> None:
    values = {"g": "512", "t": "8", "p": "4", "b": "1", "s": "4096", "k": "8"}
    problem = solve(drill_of(index.find("effective-batch")), values)
    assert grade(typed, problem.asked).reason is Reason.CORRECT


def test_a_formula_with_that_letter_stays_a_formula(index: DrillIndex) -> None:
    problem = solve(drill_of(index.find("zero-3-volume-accumulated")), {"phi": "7B", "k": "8"})
    assert grade("6KΦ", problem.asked).reason is Reason.FORMULA
