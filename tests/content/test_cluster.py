"""The learner's own cluster: read in any spelling, kept in the settings, taken by `solve` and drawn by drills."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from content.cards import Card
from content.cluster import Cluster, ClusterError, cluster_of, defaults, own_value, parse_cluster, with_cluster
from content.drilling import ask_for
from content.drills import drill_of, solve
from content.library import load_pack
from content.settings import SettingsError, from_values, load, save
from grading.drill import draw
from grading.memory import Memory

PACK = Path(__file__).parents[2] / "content" / "packs" / "distributed-training-map"
H800 = Cluster(8, "H800", 160, 50, 80)


@pytest.fixture(scope="module")
def drills() -> dict[str, Card]:
    return {card.id.partition("/")[2]: card for card in load_pack(PACK).cards if card.kind == "drill"}


@pytest.mark.parametrize(
    "text",
    [
        "8 x H800, 160/50 GB/s, 80 GB",
        "８×Ｈ８００，１６０/５０ GB/s，８０GB",
        "80 GB, 160 / 50 gb/s, 8*H800",
    ],
)
def test_a_cluster_is_read_in_any_spelling_and_order(text: str) -> None:
    assert parse_cluster(text) == H800


@pytest.mark.parametrize(
    "text", ["", "8 x H800", "8 x H800, 160/50 GB/s", "8 x H800, 160/50 GB/s, 80 GB, 80 GB", "0 x H800, 160/50 GB/s, 80 GB",
             "8 x H800, 1.2.3/50 GB/s, 80 GB", "8 x H800, 160/50 GB/s, 80 GB, red"],
)  # fmt: skip
def test_what_is_no_cluster_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ClusterError, match="H800"):
        parse_cluster(text)


@given(
    cards=st.integers(1, 4096),
    gpu=st.from_regex(r"[A-Z][A-Z0-9-]{0,9}", fullmatch=True),
    speeds=st.tuples(st.integers(1, 2000), st.integers(1, 2000)),
    memory=st.integers(1, 999),
    peak=st.sampled_from([0.0, 312.0, 989.0]),
)
def test_what_is_written_is_read_back(cards: int, gpu: str, speeds: tuple[int, int], memory: int, peak: float) -> None:
    cluster = Cluster(cards, gpu, float(speeds[0]), float(speeds[1]), float(memory), peak)
    assert parse_cluster(str(cluster)) == cluster
    assert cluster_of(cluster.values()) == cluster


def test_settings_keep_it_as_a_table_and_a_comment_survives(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text('# mine\nminutes_per_day = 30\n\n[keys]\ngood = "j"\n')
    assert save(file, {"cluster": "8 x H800, 160/50 GB/s, 80 GB"}).cluster == H800
    assert load(file).cluster == H800
    assert save(file, {"theme": "dark"}).cluster == H800
    text = file.read_text()
    assert "# mine" in text
    assert "[cluster]" in text
    assert load(file).keys == {"good": "j"}
    assert save(file, {"cluster": None}).cluster is None
    assert "[cluster]" not in file.read_text()


@pytest.mark.parametrize(
    "value", [3, "eight cards", {"cards": 8}, {**H800.values(), "colour": "red"}, {**H800.values(), "cards": "8"}]
)
def test_a_wrong_cluster_in_the_settings_is_named(value: object) -> None:
    with pytest.raises(SettingsError, match="cluster"):
        from_values({"cluster": value})


def test_drills_know_it_by_unit_and_name(drills: dict[str, Card]) -> None:
    seen: dict[tuple[str, str], set[str]] = {}
    for card in drills.values():
        for param in drill_of(card).params:
            value = own_value(param, H800)
            if value is not None:
                seen.setdefault((param.key, param.unit.symbol or param.unit.noun), set()).add(value)
    assert seen[("n", "GPUs")] == {"8"} if ("n", "GPUs") in seen else seen[("n", "GPU")] == {"8"}
    assert seen[("bn", "GB/s")] == {"160 GB/s"}
    assert seen[("bi", "GB/s")] == {"50 GB/s"}
    assert seen[("bw", "GB/s")] <= {"160 GB/s", "50 GB/s"}
    assert seen[("m", "GB")] == {"80 GB"}
    assert not any(key in ("t", "dp", "ep", "n1", "phi", "alg") for key, _ in seen)


def test_solve_takes_from_it_what_is_not_given_and_nothing_else(drills: dict[str, Card]) -> None:
    drill = drill_of(drills["zero.zero-2-bytes"] if "zero.zero-2-bytes" in drills else _with_n(drills))
    given_values = {key.key: key.choices[0].text.split(" ")[0] for key in drill.params if key.key != "n"}
    filled = defaults(drill, H800, given_values)
    assert filled["n"] == "8"
    assert {key: filled[key] for key in given_values} == given_values
    assert solve(drill, filled).drawn["n"].value == 8
    assert defaults(drill, H800, {**given_values, "N": "4"}).get("n") is None
    assert defaults(drill, None, given_values) == given_values


def _with_n(drills: dict[str, Card]) -> Card:
    return next(card for card in drills.values() if {"n", "phi"} == set(card.drill["params"]))  # type: ignore[index]


def test_drills_draw_from_it_among_their_own_choices(drills: dict[str, Card]) -> None:
    card = _with_n(drills)
    odd = Cluster(12, "A100", 300, 25, 40)
    drawn = {
        ask.problem.drawn["n"].text for seed in range(200) if (ask := ask_for(card, "r", Memory(), seed, cluster=odd))
    }
    assert "12" in " ".join(drawn)
    assert len(drawn) > 2
    assert ask_for(card, "r", Memory(), 5, vary=False, cluster=odd) == ask_for(card, "r", Memory(), 5, vary=False)


def test_every_drill_can_still_be_drawn(drills: dict[str, Card]) -> None:
    for cluster in (H800, Cluster(8, "H100", 450, 50, 80, 989), Cluster(72, "GB200", 900, 100, 192, 2250)):
        for card in drills.values():
            draw(with_cluster(drill_of(card), cluster), 3)
