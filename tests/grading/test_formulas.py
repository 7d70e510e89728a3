"""Equal formulas are called equal and others not: a table of identities and near-identities, and sympy over random ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from grading.expr import Bin, Call, Context, Name, Neg, Node, Num, names_in, parse
from grading.formulas import same, same_up_to
from grading.reading import fold

sympy = pytest.importorskip("sympy")
NAMES = {name: name for name in "abmnpsx"} | {"phi": "phi"}
PAIRS = [
    line.split("\t")
    for line in (Path(__file__).parent / "identities.tsv").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def tree(text: str) -> Node:
    return parse(fold(text).text, Context(NAMES))


@pytest.mark.parametrize(("verdict", "left", "right"), PAIRS)
def test_identities(verdict: str, left: str, right: str) -> None:
    compared = same(tree(left), tree(right))
    assert compared.equal is (verdict == "same")
    assert same(tree(right), tree(left)).equal is compared.equal
    assert compared.equal or compared.counter_example is not None


def sympy_can_tell(pair: list[str]) -> bool:
    """It has no rule for rounding, nor for a minimum beside a maximum."""
    both = " ".join(pair)
    return not ("ceil" in both or "floor" in both or ("min" in both and "max" in both))


@pytest.mark.parametrize(("verdict", "left", "right"), [pair for pair in PAIRS if sympy_can_tell(pair)])
def test_sympy_says_the_same_of_the_table(verdict: str, left: str, right: str) -> None:
    assert (sympy.simplify(of_sympy(left) - of_sympy(right)) == 0) is (verdict == "same")


def of_sympy(text: str):
    return built(tree(text))


def built(node: Node):
    """The same tree in sympy, every name a positive symbol."""
    match node:
        case Num(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Name(key):
            return sympy.Symbol(key, positive=True)
        case Neg(of):
            return -built(of)
        case Bin(op, left, right):
            a, b = built(left), built(right)
            return {"+": a + b, "-": a - b, "*": a * b}[op] if op in "+-*" else a / b if op == "/" else a**b
        case Call(function, arguments):
            parts = [built(part) for part in arguments]
            made = {"sqrt": sympy.sqrt, "abs": sympy.Abs, "max": sympy.Max, "min": sympy.Min, "sum": sympy.Add}
            return sympy.log(parts[0], 2) if function == "log2" else made[function](*parts)
    raise AssertionError(node)


# --- random expressions ---------------------------------------------------------------------------------------------

atoms = st.one_of(st.sampled_from(["a", "b", "n", "phi"]), st.integers(1, 20).map(str))


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    two = st.tuples(inner, st.sampled_from(["+", "-", "*", "/"]), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})")
    power = st.tuples(inner, st.integers(1, 3)).map(lambda t: f"({t[0]})^{t[1]}")
    return st.one_of(two, power)


expressions = st.recursive(atoms, grown, max_leaves=7)
slow_ok = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def written_here(expression) -> str:
    return str(expression).replace("**", "^")


def is_plain(expression) -> bool:
    return not expression.has(sympy.zoo, sympy.oo, -sympy.oo, sympy.nan)


@slow_ok
@given(text=expressions)
def test_what_sympy_rewrites_stays_equal(text: str) -> None:
    before = of_sympy(text)
    assume(is_plain(before) and before != 0)
    for rewritten in (sympy.expand(before), sympy.together(before), sympy.factor(before)):
        assert same(tree(text), tree(written_here(rewritten))).equal, rewritten


@slow_ok
@given(left=expressions, right=expressions)
def test_random_pairs_get_sympys_verdict(left: str, right: str) -> None:
    a, b = of_sympy(left), of_sympy(right)
    assume(is_plain(a) and is_plain(b))
    assert same(tree(left), tree(right)).equal is (sympy.simplify(a - b) == 0)


@slow_ok
@given(text=expressions, change=st.sampled_from(["+ 1", "+ n", "* 2", "/ b", "- phi/1000", "* (1 + 1/10000)"]))
def test_a_changed_formula_is_not_equal(text: str, change: str) -> None:
    before = of_sympy(text)
    assume(is_plain(before))
    assume(sympy.simplify(before) != 0)
    after = of_sympy(f"({text}) {change}")
    expected = sympy.simplify(before - after) == 0
    # A change that is lost in float arithmetic beside a huge value is not what is tested.
    assume(all(abs(number) < 10**5 for number in before.atoms(sympy.Number)))
    compared = same(tree(text), tree(f"({text}) {change}"))
    assert compared.equal is expected
    if not compared.equal:
        assert compared.counter_example is not None
        assert set(compared.counter_example) == names_in(tree(f"({text}) {change}")) | names_in(tree(text)) | {
            "left",
            "right",
        }


def test_a_formula_in_gigabytes_is_the_one_in_bytes() -> None:
    from fractions import Fraction

    scales = (Fraction(1), Fraction(1, 10**9), Fraction(10**9))
    assert same_up_to(tree("(2*phi + 14*phi/n)/10^9"), tree("2*phi + 14*phi/n"), scales).equal
    assert not same_up_to(tree("(2*phi + 14*phi/n)/10^8"), tree("2*phi + 14*phi/n"), scales).equal


def test_no_point_where_both_are_defined_is_told_by_shape() -> None:
    never = "sqrt(-a - b)"
    assert same(tree(never), tree(never)).equal
    assert not same(tree(never), tree("sqrt(-a)")).equal
