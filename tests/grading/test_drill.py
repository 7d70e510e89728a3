"""Problems drawn from a drill: the same on every numpy, never degenerate, and the other way round as well."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grading.answer import Reason, grade
from grading.drill import Undrawable, draw, is_acceptable, problem_of, question_text, render, steps_shown

PINNED = {
    0: ("30B", "8", "2048 1 4096 32"),
    1: ("13B", "128", "2048 4 4096 64"),
    -1: ("30B", "128", "4096 4 4096 64"),
    2**63: ("65B", "32", "4096 2 8192 32"),
    12345: ("7B", "8", "1024 1 8192 64"),
}
"""What these seeds draw. They hold for every numpy: PCG64's raw stream is promised not to change."""


@pytest.mark.parametrize("seed", PINNED)
def test_a_seed_draws_the_same_everywhere(seed: int, drills) -> None:
    phi, n, others = PINNED[seed]
    zero = draw(drills["zero-2-memory"], seed).drawn
    assert (zero["phi"].text, zero["n"].text) == (phi, n)
    assert " ".join(choice.text for choice in draw(drills["activations"], seed).drawn.values()) == others


def test_seeds_are_taken_modulo_2_to_the_64(zero_2) -> None:
    assert draw(zero_2, -1).drawn == draw(zero_2, 2**64 - 1).drawn
    assert draw(zero_2, 0).drawn == draw(zero_2, 2**64).drawn
    assert draw(zero_2, 0).seed == 0


def test_every_choice_is_drawn_about_as_often(zero_2) -> None:
    counts = Counter(draw(zero_2, seed).drawn["n"].text for seed in range(3000))
    assert set(counts) == {"4", "8", "16", "32", "64", "128"}
    assert all(400 < count < 600 for count in counts.values())


def test_a_draw_in_which_a_mistake_that_must_differ_is_right_is_passed_over(make_drill, make_param) -> None:
    from grading.units import parse

    n = make_param("n", "N", parse("GPUs"), "1 2 8")
    halved = make_drill("halved", "14[B]*(n-1)/n", "B", (n,), mistakes={"limit": "7[B]*(n-1)"}, must_differ=("limit",))
    assert {draw(halved, seed).drawn["n"].text for seed in range(50)} == {"8"}
    assert not is_acceptable(problem_of(halved, draw(halved, 0).drawn | {"n": n.choices[1]}))


def test_a_drill_without_an_acceptable_draw_says_so(make_drill, make_param) -> None:
    from grading.units import parse

    n = make_param("n", "N", parse("GPUs"), "1 2")
    with pytest.raises(Undrawable, match="widen the choices"):
        draw(make_drill("never", "n", "", (n,), require=("n - 5",)), 1)


def test_a_mistake_that_equals_the_truth_is_dropped_for_that_draw(zero_2, set_to) -> None:
    at_8 = problem_of(zero_2, set_to(zero_2, phi="13B", n=8)).asked
    assert "zero-3" in {rival.id for rival in at_8.rivals}
    at_1 = problem_of(zero_2, set_to(zero_2, phi="13B", n=1)).asked
    assert not {"zero-1", "zero-3", "nothing-sharded"} & {rival.id for rival in at_1.rivals}
    assert grade("208", at_1).reason is Reason.CORRECT


# --- the other way round --------------------------------------------------------------------------------------------


@pytest.fixture
def find_n(zero_2, set_to):
    return problem_of(zero_2, set_to(zero_2, phi="13B", n=8), unknown="n")


@pytest.fixture
def find_phi(zero_2, set_to):
    return problem_of(zero_2, set_to(zero_2, phi="13B", n=8), unknown="phi")


def test_the_answer_is_given_and_the_unknown_is_a_symbol(find_n) -> None:
    assert question_text(find_n, "en") == "N cards, 13B parameters\nThe answer is 48.75 GB. What is N?"
    assert question_text(find_n, "zh") == "N 张卡，13B 参数\n已知答案是 48.75 GB，求 N。"


@pytest.mark.parametrize(
    ("typed", "reason"),
    [("8", "correct"), ("8.0", "correct"), ("8 GPUs", "correct"), ("2^3", "correct"), ("８", "correct"), ("8张卡", "correct"),
     ("8.1", "wrong"), ("9", "wrong"), ("-8", "wrong"), ("8 GB", "unit"), ("eight", "unreadable"),
     ("7", "mistake"), ("6.86", "mistake"), ("4.27", "mistake"), ("4", "convention"), ("10.3", "convention")],
)  # fmt: skip
def test_n_is_a_count(typed: str, reason: str, find_n) -> None:
    verdict = grade(typed, find_n.asked)
    if typed == "4":  # 16Φ/N gives 4.27: a count typed as 4
        assert (verdict.reason, verdict.found[0].id) == (Reason.MISTAKE, "zero-3")
    else:
        assert verdict.reason == reason


@pytest.mark.parametrize(
    ("typed", "reason", "rival"),
    [("13B", "correct", ""), ("130亿", "correct", ""), ("13e9", "correct", ""), ("12.9B", "correct", ""), ("13b", "correct", ""),
     ("8.86B", "mistake", "zero-1"), ("3.05B", "mistake", "nothing-sharded"), ("11.47B", "convention", "deepspeed-18"),
     ("12.6B", "imprecise", ""), ("13 GB", "unit", ""), ("40B", "wrong", "")],
)  # fmt: skip
def test_phi_is_measured(typed: str, reason: str, rival: str, find_phi) -> None:
    verdict = grade(typed, find_phi.asked)
    assert verdict.reason == reason
    assert not rival or verdict.found[0].id == rival


@pytest.mark.parametrize("unknown", ["n", "phi"])
@pytest.mark.parametrize("seed", range(40))
def test_what_was_drawn_is_right_and_nothing_else_named(unknown: str, seed: int, zero_2) -> None:
    problem = draw(zero_2, seed, unknown)
    assert grade(problem.drawn[unknown].text, problem.asked).reason is Reason.CORRECT
    assert all(rival.value != problem.asked.value for rival in problem.asked.rivals)


def test_an_answer_that_leaves_several_values_is_not_asked_that_way(make_drill, make_param) -> None:
    from grading.units import parse

    n, s = make_param("n", "N", parse("GPUs"), "9 10 11"), make_param("s", "s", parse(""), "100")
    rounded = make_drill("rounded", "ceil(s/n)", "", (n, s), unknowns=("n",))
    asked = {draw(rounded, seed, "n").drawn["n"].text for seed in range(30)}
    assert asked == {"9", "11"} or asked <= {"9", "10", "11"}
    for seed in range(30):
        problem = draw(rounded, seed, "n")
        value = problem.drawn["n"].value
        assert all(-(-100 // (value + step)) != problem.answer for step in (-1, 1))


# --- what is shown --------------------------------------------------------------------------------------------------


def test_templates_show_values_and_what_they_come_to(zero_2, set_to) -> None:
    problem = problem_of(zero_2, set_to(zero_2, phi="13B", n=8))
    assert render("{phi} on {n}: {2[B]*phi} + {14[B]*phi/n} = {answer}; {n-1} others", problem) == (
        "13B on 8: 26 GB + 22.75 GB = 48.75 GB; 7 others"
    )


@pytest.mark.parametrize(
    ("total", "stability", "lapse", "shown"),
    [(0, None, False, 0), (4, None, False, 3), (4, 1.0, False, 3), (4, 3.0, False, 2), (4, 10.0, False, 1), (4, 30.0, False, 0),
     (4, 30.0, True, 3), (1, 10.0, False, 0)],
)  # fmt: skip
def test_worked_steps_fade_and_come_back(total: int, stability: float | None, lapse: bool, shown: int) -> None:
    assert steps_shown(total, stability, after_lapse=lapse) == shown


@given(seed=st.integers(-(2**70), 2**70))
def test_any_seed_draws(seed: int, drills) -> None:
    for drill in drills.values():
        problem = draw(drill, seed)
        assert is_acceptable(problem)
        assert problem.answer > 0
