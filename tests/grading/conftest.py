"""Drills built by hand, so that the engine is tested without a pack."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from grading import units
from grading.answer import EXACT, Tolerance
from grading.drill import Choice, Drill, NamedFormula, Param
from grading.expr import Context, parse
from grading.reading import fold
from grading.table import choice_of

PARAMETERS = units.parse("parameters")
GPUS = units.parse("GPUs")
PLAIN = units.parse("")


def param(key: str, symbol: str, unit: units.Unit, choices: str, *aliases: str) -> Param:
    empty = Param(key, symbol, unit, (), aliases)
    return Param(key, symbol, unit, tuple(choice_of(empty, text) for text in choices.split()), aliases)


def drill(
    name: str, formula: str, unit: str, params: tuple[Param, ...], *, tolerance: Tolerance | None = None,
    mistakes: dict[str, str] | None = None, conventions: dict[str, str] | None = None, unknowns: tuple[str, ...] = (),
    require: tuple[str, ...] = (), must_differ: tuple[str, ...] = (),
) -> Drill:  # fmt: skip
    names = {spelling: p.key for p in params for spelling in (p.key, fold(p.symbol).text, *p.aliases)}

    def tree(text: str):
        return parse(fold(text).text, Context(names))

    def named(formulas: dict[str, str] | None) -> tuple[NamedFormula, ...]:
        return tuple(NamedFormula(key, tree(text), {}, key in must_differ) for key, text in (formulas or {}).items())

    return Drill(
        name, params, tree(formula), formula, units.parse(unit), tolerance or Tolerance(), named(mistakes),
        named(conventions), unknowns, tuple(tree(text) for text in require),
        question={"en": "{n} cards, {phi} parameters", "zh": "{n} 张卡，{phi} 参数"},
    )  # fmt: skip


def zero_2_memory() -> Drill:
    """ZeRO-2 per card: 2Φ + 14Φ/N (ZeRO paper, section 5.2), with the catalogue's mistakes."""
    return drill(
        "zero-2-memory", "2[B]*phi + 14[B]*phi/n", "GB",
        (param("phi", "Φ", PARAMETERS, "1.5B 7B 7.5B 13B 30B 65B 70B"), param("n", "N", GPUS, "4 8 16 32 64 128")),
        mistakes={
            "zero-1": "4[B]*phi + 12[B]*phi/n", "zero-3": "16[B]*phi/n", "nothing-sharded": "16[B]*phi",
            "weights-only": "2[B]*phi", "no-gradients": "2[B]*phi + 12[B]*phi/n", "no-master": "2[B]*phi + 10[B]*phi/n",
        },
        conventions={"deepspeed-18": "2[B]*phi + 18[B]*phi/n", "megatron-20": "2[B]*phi + 20[B]*phi/n"},
        unknowns=("n", "phi"), must_differ=("zero-1",),
    )  # fmt: skip


def capacity() -> Drill:
    """Tokens an expert takes: ceil(T k / E x cf), over exact rationals."""
    return drill(
        "capacity", "ceil(t*k/e*cf)", "tokens",
        (param("t", "T", units.parse("tokens"), "100 4096 8192"), param("k", "k", PLAIN, "1 2 4 8", "topk"),
         param("e", "E", units.parse("experts"), "8 64 256"), param("cf", "cf", PLAIN, "1 1.1 1.25 1.5")),
        tolerance=EXACT, mistakes={"no-factor": "ceil(t*k/e)", "no-k": "ceil(t/e*cf)", "floored": "floor(t*k/e*cf)"},
    )  # fmt: skip


def activations() -> Drill:
    """Korthikanti et al., section 4.1: sbh(34 + 5as/h) bytes a layer."""
    one = "1 2 4"
    return drill(
        "activations", "s*b*h*(34[B] + 5[B]*a*s/h)", "MB",
        (param("s", "s", PLAIN, "1024 2048 4096"), param("b", "b", PLAIN, one), param("h", "h", PLAIN, "4096 8192"),
         param("a", "a", PLAIN, "32 64")),
        mistakes={"no-scores": "s*b*h*34[B]", "5a-over-h": "s*b*h*(34[B]+5[B]*a/h)"},
    )  # fmt: skip


def bubble() -> Drill:
    """Share of wall clock lost by GPipe and 1F1B: (p - 1)/(m + p - 1)."""
    return drill(
        "bubble", "(p-1)/(m+p-1)", "%",
        (param("p", "p", PLAIN, "4 8 16"), param("m", "m", PLAIN, "8 16 32 64")),
        mistakes={"p-over-m": "p/m"}, conventions={"of-ideal-time": "(p-1)/m"}, unknowns=("m",),
    )  # fmt: skip


DRILLS = {made.id: made for made in (zero_2_memory(), capacity(), activations(), bubble())}


@pytest.fixture(scope="session")
def drills() -> dict[str, Drill]:
    return DRILLS


@pytest.fixture(scope="session")
def zero_2() -> Drill:
    return DRILLS["zero-2-memory"]


@pytest.fixture(scope="session")
def set_to() -> Callable[..., dict[str, Choice]]:
    """Drawn values by name: `set_to(drill, phi="13B", n="8")`."""
    return lambda of, **values: {p.key: choice_of(p, str(values[p.key])) for p in of.params}


@pytest.fixture(scope="session")
def make_drill() -> Callable[..., Drill]:
    return drill


@pytest.fixture(scope="session")
def make_param() -> Callable[..., Param]:
    return param


@pytest.fixture(scope="session")
def percent_of() -> Callable[[int], Tolerance]:
    return lambda share: Tolerance("relative", Fraction(share, 100))
