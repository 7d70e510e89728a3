"""Which mistake a wrong value is, when a near miss is one, and how it is laid open."""

from __future__ import annotations

import pytest

from grading.answer import Reason, grade
from grading.diagnosis import general_mistakes
from grading.drill import problem_of
from grading.explain import explain, formula_text, terms_text
from grading.expr import Context, parse
from grading.formulas import same
from grading.reading import fold
from grading.table import expected


@pytest.fixture
def problem(zero_2, set_to):
    return problem_of(zero_2, set_to(zero_2, phi="13B", n=8))


@pytest.mark.parametrize(
    ("typed", "ids"),
    [("71.5", "zero-1"), ("26", "zero-3 weights-only"), ("45.5", "no-gradients"), ("45.4", "gib-for-gb"),
     ("390", "bits-for-bytes total-for-per-card"), ("6.09", "bytes-for-bits"), ("48750", "power-of-1000"),

     ("55.25", "deepspeed-18"),
     ("208", "nothing-sharded"),
     ("48.75 GiB", "gb-for-gib"), ("46492 MB", "gib-for-gb"), ("5.5Φ", "zero-1"), ("52+156/N", "zero-1")],
)  # fmt: skip
def test_what_is_found(typed: str, ids: str, problem) -> None:
    assert " ".join(rival.id for rival in grade(typed, problem.asked).found) == ids


def test_equal_mistakes_are_reported_together_the_drills_own_first(problem) -> None:
    found = grade("26", problem.asked).found
    assert [rival.kind for rival in found] == ["mistake", "mistake"]
    kinds = [rival.kind for rival in grade("390 GB", problem.asked).found]
    assert kinds == sorted(kinds, key=lambda kind: kind == "general")


def test_near_the_truth_a_mistake_must_fit_to_its_own_figures(problem) -> None:
    """45.5 and 45.4 lie 7 % below: two mistakes within 0.3 % of each other are told apart by their figures."""
    assert grade("45.5", problem.asked).found[0].id == "no-gradients"
    assert grade("45.4", problem.asked).found[0].id == "gib-for-gb"
    assert grade("50", problem.asked).reason is Reason.IMPRECISE
    assert grade("50000 MB", problem.asked).reason is Reason.IMPRECISE  # one figure fits anything


@pytest.mark.parametrize(
    ("asked", "tolerance", "ids"),
    [
        ("1 GB", "", {"gib-for-gb", "gb-for-gib", "bits-for-bytes", "bytes-for-bits", "power-of-1000"}),
        ("1 Gbit", "", {"bytes-for-bits", "power-of-1000"}), ("100 GB/s", "", {"gib-for-gb", "gb-for-gib", "bits-for-bytes",
         "bytes-for-bits", "power-of-1000"}), ("42.5 %", "", {"hundredfold", "power-of-1000"}),
        ("0.3", "", {"hundredfold", "power-of-1000"}),
        ("8", "exact", set()), ("0 GB", "", set()), ("54 days", "", {"power-of-1000"}), ("1542 tokens/s", "", {"power-of-1000"}),
    ],
)  # fmt: skip
def test_general_mistakes_by_what_is_asked(asked: str, tolerance: str, ids: set[str]) -> None:
    assert {rival.id for rival in general_mistakes(expected(asked, tolerance))} == ids


def test_one_too_many_or_too_few_only_where_the_formula_rounds(drills, set_to) -> None:
    drill = drills["capacity"]
    problem = problem_of(drill, set_to(drill, t=100, k=1, e=8, cf="1.1"))
    assert {rival.id for rival in grade("15", problem.asked).found} == {"off-by-one"}
    assert [rival.id for rival in grade("13", problem.asked).found] == ["no-factor", "floored", "off-by-one"]


def test_a_wrong_formula_comes_with_a_point_where_it_differs(problem) -> None:
    verdict = grade("3Φ + 14Φ/N", problem.asked)
    assert verdict.reason is Reason.WRONG
    example = verdict.counter_example
    assert example is not None
    assert example["left"] != pytest.approx(example["right"])
    phi, n = example["phi"], example["n"]
    assert example["left"] == pytest.approx(3 * phi + 14 * phi / n)


# --- the two formulas side by side ----------------------------------------------------------------------------------


def lines(typed: str, problem) -> list[tuple[str | None, str]]:
    found = explain(grade(typed, problem.asked), problem)
    return [(each.wrong.line if each.wrong else None, each.right.line) for each in found]


def test_the_wrong_formula_stands_beside_the_right_one(problem) -> None:
    right = "2Φ + 14Φ/N = 26 + 22.75 = 48.75 GB"
    assert lines("71.5", problem) == [("4Φ + 12Φ/N = 52 + 19.5 = 71.5 GB", right)]
    assert lines("26", problem) == [("16Φ/N = 26 GB", right), ("2Φ = 26 GB", right)]
    assert lines("55.25", problem) == [("2Φ + 18Φ/N = 26 + 29.25 = 55.25 GB", right)]
    assert lines("390", problem) == [(None, right), (None, right)]
    assert lines("48.75", problem) == []


def test_for_another_unknown_the_wrong_formula_is_shown_where_it_leads(zero_2, set_to) -> None:
    problem = problem_of(zero_2, set_to(zero_2, phi="13B", n=8), unknown="phi")
    (each,) = explain(grade("8.86B", problem.asked), problem)
    assert each.wrong is not None
    assert each.wrong.line == "4Φ + 12Φ/N = 35.455 + 13.295 = 48.75 GB"


def test_terms_are_in_the_asked_unit(problem, zero_2) -> None:
    assert terms_text(zero_2.formula, problem) == "26 + 22.75"
    assert terms_text(zero_2.mistakes[1].formula, problem) == ""


@pytest.mark.parametrize(
    ("typed", "shown"),
    [("2*phi+14*phi/n", "2Φ + 14Φ/N"), ("phi*(2+14/n)", "Φ·(2 + 14/N)"), ("2*(n-1)/n*phi", "2(N - 1)/N·Φ"), ("phi^2", "Φ²"),
     ("phi^-1", "Φ⁻¹"), ("phi^(1/2)", "Φ^(1/2)"), ("sqrt(phi/120)", "√(Φ/120)"), ("ceil(phi/n)", "⌈Φ/N⌉"), ("floor(phi)", "⌊Φ⌋"),
     ("max(0, phi-n)", "max(0, Φ - N)"), ("-(phi+n)", "-(Φ + N)"), ("phi-(n-1)", "Φ - (N - 1)"), ("phi/(2*n)", "Φ/(2N)"),
     ("phi/n/2", "Φ/N/2"), ("(phi+1)^2", "(Φ + 1)²"), ("0.5*phi", "0.5Φ"), ("2*3*phi", "2·3·Φ"), ("-2*phi", "-2Φ"),
     ("phi*n*2", "Φ·N·2"),
     ("1e12*phi", "1e12·Φ"), ("2[GB]*n", "2[GB]·N"), ("log2(n)", "log2(N)"), ("(-2)^2*n", "(-2)²·N")],
)  # fmt: skip
def test_a_formula_is_written_as_by_hand_and_reads_back(typed: str, shown: str, zero_2) -> None:
    node = parse(fold(typed).text, Context(zero_2.names))
    text = formula_text(node, zero_2)
    assert text == shown
    assert same(parse(fold(text).text, Context(zero_2.names)), node).equal
