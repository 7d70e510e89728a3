"""The protocol of labs: parameters and their limits, hashes, pictures, scaling from a drill, and what an import costs."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import pytest

from content.cards import Text
from evidence.lab import (
    Cancelled,
    Findings,
    Lab,
    LabParam,
    MetricSpec,
    NoSuchLab,
    ParamRefused,
    Tolerance,
    check_params,
    lab_ids,
    recorded,
    registry,
    residual,
    scaled,
)
from evidence.picture import NARROW, WIDE, Frame, Picture, bar, bars, grid, si, still

ANY = Text("a", "b")


def toy(**found: object) -> Lab:
    def simulate(_values, _seed, progress):
        progress(0.5, "1/2")
        return Findings(
            {"yes": True}, {"size": recorded(3.0, "B"), **found}, Tolerance(0, "exact", ANY), Picture((still(["█"]),))
        )

    return Lab(
        "toy",
        1,
        ANY,
        ANY,
        (
            LabParam("n", ANY, "int", 4, 2, 8),
            LabParam("x", ANY, "float", 1.5, 0.5, 2.5),
            LabParam("way", ANY, "choice", "a", choices=("a", "b")),
            LabParam("counts", ANY, "ints", (4, 8), 1, 100, most=3, least=2),
            LabParam("phi", ANY, "int", 64, 1, 4096),
        ),
        (MetricSpec("yes", ANY),),
        simulate,
        wish=lambda drill: {key: drill[key] for key in ("n", "phi") if key in drill},
        sizes={"phi": 1000},
    )


def quiet(_share: float, _mark: str) -> None:
    pass


def test_ids_and_imports_cost_no_numpy() -> None:
    code = (
        "import sys, evidence.lab as l; assert len(l.lab_ids()) == 9; assert not {'numpy', 'yaml'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_registry_lists_every_id_and_refuses_others() -> None:
    assert set(registry()) == lab_ids()
    with pytest.raises(NoSuchLab, match="name one of weighted-mean"):
        registry()["nothing"]


@pytest.mark.parametrize(
    ("given", "key", "value"),
    [
        ({"n": "8"}, "n", 8),
        ({"n": 2}, "n", 2),
        ({"x": " 2.5 "}, "x", 2.5),
        ({"x": 1}, "x", 1.0),
        ({"way": "B"}, "way", "b"),
        ({"counts": "4, 8,15"}, "counts", (4, 8, 15)),
        ({"counts": "4，8"}, "counts", (4, 8)),
        ({"counts": [1, 100]}, "counts", (1, 100)),
    ],
)
def test_values_are_read_as_numbers_or_as_typed(given: dict[str, object], key: str, value: object) -> None:
    assert check_params(toy(), given)[key] == value


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n": 9}, "n: give a whole number from 2 to 8, not 9"),
        ({"n": "2.5"}, "n: give a whole number"),
        ({"n": True}, "n: give a whole number"),
        ({"n": "1_0"}, "n: give a whole number"),
        ({"x": float("nan")}, "x: give a number from 0.5 to 2.5"),
        ({"x": "inf"}, "x: give a number"),
        ({"way": "c"}, "way: choose one of a, b, not 'c'"),
        ({"counts": "4"}, "counts: give 2 to 3 whole numbers of 1 to 100"),
        ({"counts": "4,0"}, "counts: give 2 to 3"),
        ({"counts": "4,8,,"}, "counts: give 2 to 3"),
        ({"m": 1}, "m is no parameter of toy: give n, x, way, counts, phi"),
        ({"n": "9" * 5000}, "n: give a whole number"),
    ],
)
def test_refusals_name_the_key_and_the_limits(given: dict[str, object], says: str) -> None:
    with pytest.raises(ParamRefused) as refused:
        check_params(toy(), given)
    assert str(refused.value).startswith(says)
    assert refused.value.text.zh
    assert len(str(refused.value)) < 250


def test_defaults_fill_what_is_not_given() -> None:
    assert toy().run({}, 0, quiet).params == {"n": 4, "x": 1.5, "way": "a", "counts": (4, 8), "phi": 64}


def test_hash_covers_parameters_seed_metrics_and_values_but_no_rounding_errors() -> None:
    first = toy().run({}, 0, quiet).output_hash
    assert toy().run({}, 0, quiet).output_hash == first
    assert toy(gap=residual(1e-17)).run({}, 0, quiet).output_hash == first
    assert toy(size=recorded(3.0 + 1e-12, "B")).run({}, 0, quiet).output_hash == first
    assert toy(size=recorded(3.001, "B")).run({}, 0, quiet).output_hash != first
    assert toy(size=recorded(3.0, "kB")).run({}, 0, quiet).output_hash != first
    assert toy().run({}, 1, quiet).output_hash != first
    assert toy().run({"n": 5}, 0, quiet).output_hash != first


def test_a_cancelled_run_gives_nothing() -> None:
    def stop(_share: float, _mark: str) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        toy().run({}, 0, stop)


def test_a_lab_must_report_what_it_declares() -> None:
    lab = replace(toy(), metrics=(MetricSpec("other", ANY),))
    with pytest.raises(RuntimeError, match="against its declaration"):
        lab.run({}, 0, quiet)


def test_scaling_divides_sizes_keeps_counts_and_shows_both() -> None:
    params, note = scaled(toy(), {"PHI": Fraction(7_000_000_000), "n": 8, "bw": 50e9})
    assert (params["phi"], params["n"]) == (1000, 8)
    assert note.en == "Drill -> lab: n 8 -> 8 (as in the drill); phi 7G -> 1k (1/7M)"
    assert "缩小 7M 倍" in note.zh


def test_scaling_moves_a_count_to_the_nearest_limit_and_says_so() -> None:
    params, note = scaled(toy(), {"n": 64})
    assert params["n"] == 8
    assert "n 64 -> 8 (nearest limit)" in note.en
    assert scaled(toy(), {}).note.en == "The lab runs with its own values."


def test_scaling_keeps_the_ratio_of_token_counts() -> None:
    params, note = scaled(registry()["weighted-mean"], {"n1": 8192, "n2": 16384})
    assert params["counts"] == (2048, 4096)
    assert "8.192k,16.38k -> 2.048k,4.096k" in note.en


@pytest.mark.parametrize(
    ("lab", "drill", "params"),
    [
        ("zero-sharding", {"phi": 13e9, "n": 8}, {"phi": 4096, "n": 8}),
        ("zero-sharding", {"phi": 7e9, "k": 8, "n": 64}, {"micro": 8, "n": 64}),
        ("ring", {"s": 1e9, "n": 8}, {"elements": 65536, "cards": 8}),
        ("pipeline", {"p": 16, "m": 64, "v": 2}, {"p": 16, "m": 64, "v": 2}),
        ("pipeline", {"f": 2, "b": 4, "w": 2}, {"f": 1.0, "i": 1.0, "w": 1.0}),
        ("experts", {"t": 4096, "k": 8, "e": 256, "ep": 8, "h": 7168}, {"k": 8, "experts": 256, "ep": 8, "tokens": 9}),
        ("fp8", {"x": 0.3}, {"x": 0.3}),
        ("tensor-parallel", {"t": 8, "h": 8192, "s": 4096, "b": 1}, {"t": 8, "h": 128, "tokens": 64}),
        ("counting", {"h": 4096, "s": 4096}, {"h": 64, "s": 64}),
        ("counting", {"h": 12288, "s": 131072}, {"h": 12, "s": 128}),
        ("experts", {"g": 2048, "t": 2, "p": 16, "ep": 16}, {"ep": 16, "tokens": 64}),
        ("accumulation", {"k": 16}, {"k": 16}),
    ],
)
def test_drill_values_reach_their_lab(lab: str, drill: dict[str, float], params: dict[str, object]) -> None:
    found = scaled(registry()[lab], drill).params
    assert {key: found[key] for key in params} == params


def test_pictures_fit_and_have_an_ascii_form() -> None:
    picture = Picture(
        (still(bars([("a", [(3, "█"), (1, "░")], "4 B")], WIDE), bars([("a", [(3, "█")], "4 B")], NARROW)),)
    )
    assert all(len(line) <= WIDE for line in picture.lines())
    assert all(len(line) <= NARROW for line in picture.lines(width=40))
    assert all(line.isascii() for line in picture.lines(ascii_only=True))
    assert Picture.from_json(picture.to_json()) == picture
    with pytest.raises(ValueError, match="columns"):
        Frame(("x" * 77,), ())
    with pytest.raises(ValueError, match="ASCII"):
        Frame(("字",), ())


def test_small_parts_of_a_bar_stay_visible() -> None:
    assert bar([(1, "#"), (1000, ".")], 1001, 10) == "#........."
    assert grid([["a", "bb"], ["ccc", "d"]], 76) == ("a   bb", "ccc d")
    assert grid([["aaaa"] * 30], 12)[0].endswith("…")
    assert [si(x, "B") for x in (950, 28672, 3e6)] == ["950 B", "28.67 kB", "3 MB"]
