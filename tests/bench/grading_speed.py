"""How fast answers are graded, printed as table rows. Figures are processor time of one core, so that neighbours do not count.

usage: python tests/bench/grading_speed.py [--draws 1000000] [--answers 2000] [--runs 5]
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sympy
from timing import Sample

from grading.answer import Asked, grade
from grading.batch import draw_arrays, grade_values
from grading.drill import Drill, draw
from grading.expr import Context, parse
from grading.formulas import same
from grading.reading import fold

TESTS = Path(__file__).resolve().parents[1] / "grading"
REPEATS = 20
"""Our pass over the table takes a few milliseconds: too short to time once."""
LEAST_DRAWS, MOST_ANSWER_MS, LEAST_TIMES_SYMPY = 1_000_000, 1.0, 200


def from_tests(name: str) -> Any:
    """A module of the tests, which have no package: the hand-made drills and the way into sympy."""
    spec = importlib.util.spec_from_file_location(f"bench_{name}", TESTS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def seconds(job: Callable[[], object]) -> float:
    start = time.process_time()
    job()
    return time.process_time() - start


def row(what: str, figure: str, target: str = "", holds: bool | None = None) -> None:
    said = "" if holds is None else ("met" if holds else "NOT MET")
    print(f"| {what:<66} | {figure:<34} | {target:<14} | {said:<7} |", flush=True)


def drawn_and_graded(drill: Drill, draws: int, runs: int) -> None:
    """Draw, work out truth and 21 rivals, grade a mixture of right, wrong and mistaken values."""

    def job() -> None:
        _, truth, rivals = draw_arrays(drill, draws, 1)
        typed = truth.copy()
        typed[1::4] = rivals.values[2, rivals.cell[1::4]]
        typed[2::4] *= 1.03
        typed[3::4] *= 7.77
        grade_values(typed, truth, rivals, drill.tolerance)

    job()
    rates = Sample(tuple(draws / seconds(job) for _ in range(runs)))
    figure = f"{rates.median / 1e6:.2f} M/s ({rates.quantile(0) / 1e6:.2f}..{max(rates.values) / 1e6:.2f})"
    row(f"ZeRO-2 problems drawn and graded, {draws:,} in arrays", figure, ">= 1 M/s", rates.median >= LEAST_DRAWS)


def one_answer(drill: Drill, answers: int) -> None:
    """From text to verdict, every answer typed for the first time (the parser's cache never hits)."""
    asked = [draw(drill, seed).asked for seed in range(50)]
    spelled = ("{} GB", "{}", "≈{} GB", "{}e0 GB", "每卡 {} GB", "2*{}/2", "{}×10^9 B", "({}) GiB")
    for what, texts in (
        ("a number, eight spellings", [spelled[k % 8].format(f"{20 + k * 0.013:.4f}") for k in range(answers)]),
        ("a formula", [f"{2 + k % 7}Φ + {14 + k / 1000}Φ/N" for k in range(answers)]),
    ):
        took = []
        for k, text in enumerate(texts):
            this: Asked = asked[k % 50]
            start = time.process_time()
            grade(text, this)
            took.append((time.process_time() - start) * 1000)
        sample = Sample(tuple(took))
        figure = f"p50 {sample.median:.3f} ms, p99 {sample.quantile(0.99):.3f} ms"
        row(f"one typed answer end to end, {what}", figure, "< 1 ms", sample.median < MOST_ANSWER_MS)


def against_sympy(runs: int) -> None:
    """Parsed pairs: our comparison and sympy's simplify, in turn; both verdicts against the table."""
    table = from_tests("test_formulas")
    pairs = [pair for pair in table.PAIRS if table.sympy_can_tell(pair)]
    context = Context(table.NAMES)
    trees = [(v, parse(fold(a).text, context), parse(fold(b).text, context)) for v, a, b in pairs]
    theirs = [(v, table.built(a), table.built(b)) for v, a, b in trees]
    wrong = [sum(same(a, b).equal is not (v == "same") for v, a, b in trees)]
    ours_s, theirs_s = [], []
    for _ in range(runs):
        sympy.core.cache.clear_cache()
        ours_s.append(seconds(lambda: [same(a, b) for _ in range(REPEATS) for _, a, b in trees]) / REPEATS)
        theirs_s.append(seconds(lambda: [sympy.simplify(a - b) == 0 for _, a, b in theirs]))
    ours, peer = Sample(tuple(ours_s)).median / len(pairs), Sample(tuple(theirs_s)).median / len(pairs)
    figure = f"{ours * 1000:.3f} ms against {peer * 1000:.1f} ms: {peer / ours:.0f}x"
    row(
        f"two formulas compared, against sympy {sympy.__version__}", figure, ">= 200x", peer / ours >= LEAST_TIMES_SYMPY
    )
    everything = [(v, parse(fold(a).text, context), parse(fold(b).text, context)) for v, a, b in table.PAIRS]
    wrong.append(sum(same(a, b).equal is not (v == "same") for v, a, b in everything))
    row(f"wrong verdicts over {len(everything)} identities and near-identities", str(wrong[-1]), "0", wrong[-1] == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1_000_000)
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    drill = from_tests("conftest").DRILLS["zero-2-memory"]
    print(f"Python {sys.version.split()[0]}")
    drawn_and_graded(drill, chosen.draws, chosen.runs)
    one_answer(drill, chosen.answers)
    against_sympy(chosen.runs)


if __name__ == "__main__":
    main()
