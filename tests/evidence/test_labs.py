"""Every lab: passes at its defaults and at odd sizes, repeats itself, reports progress and draws within the widths."""

from __future__ import annotations

import pytest

from evidence.lab import Cancelled, LabResult, lab_ids, registry
from evidence.picture import NARROW, WIDE


def run(lab: str, seed: int = 0, **values: object) -> LabResult:
    return registry()[lab].run(values, seed, lambda _share, _mark: None)


@pytest.mark.parametrize("lab", sorted(lab_ids()))
@pytest.mark.parametrize("seed", [0, 7])
def test_every_claim_holds_at_the_defaults(lab: str, seed: int) -> None:
    result = run(lab, seed)
    assert result.passed, {name: value for name, value in result.metrics.items() if value is False}


ODD = [
    ("weighted-mean", {"counts": "1,2,3,500"}),
    ("weighted-mean", {"counts": "1,1,2", "features": 1}),
    ("ring", {"cards": 2, "elements": 1}),
    ("ring", {"cards": 7, "elements": 1000}),
    ("ring", {"cards": 33, "elements": 100}),
    ("accumulation", {"k": 2, "tokens": 2, "features": 1, "steps": 1}),
    ("accumulation", {"k": 9, "tokens": 5}),
    ("zero-sharding", {"n": 2, "phi": 64}),
    ("zero-sharding", {"n": 5, "phi": 1000, "micro": 3}),
    ("zero-sharding", {"n": 16, "micro": 4, "steps": 2}),
    ("tensor-parallel", {"t": 2, "h": 8, "tokens": 1}),
    ("tensor-parallel", {"t": 7, "h": 50, "tokens": 9}),
    ("pipeline", {"p": 2, "m": 1}),
    ("pipeline", {"p": 8, "m": 2, "v": 3}),
    ("pipeline", {"p": 5, "m": 11, "v": 4, "f": 0.7, "i": 0.9, "w": 0.3}),
    ("pipeline", {"p": 3, "m": 7, "w": 9}),
    ("experts", {"ep": 3, "experts": 7, "k": 3, "tokens": 5, "h": 1}),
    ("experts", {"ep": 2, "experts": 2, "k": 8, "tokens": 1, "cf": 0.1}),
    ("experts", {"ep": 8, "experts": 64, "k": 4, "tokens": 16, "cf": 8}),
    ("fp8", {"x": -1e6, "size": 1, "tile": 32, "outlier": 1}),
    ("counting", {"layers": 1, "h": 4, "a": 1, "s": 1, "b": 1}),
    ("counting", {"layers": 3, "h": 30, "a": 8, "s": 5}),
]


@pytest.mark.parametrize(("lab", "values"), ODD, ids=[f"{lab}-{k}" for k, (lab, _) in enumerate(ODD)])
def test_every_claim_holds_at_odd_sizes(lab: str, values: dict[str, object]) -> None:
    result = run(lab, 3, **values)
    assert result.passed, {name: value for name, value in result.metrics.items() if value is False}
    _check_pictures(result)


@pytest.mark.parametrize("lab", sorted(lab_ids()))
def test_pictures_fit_both_widths_and_are_not_empty(lab: str) -> None:
    _check_pictures(run(lab))


def _check_pictures(result: LabResult) -> None:
    assert result.picture.frames
    for frame in range(len(result.picture.frames)):
        for width, most in ((WIDE, WIDE), (NARROW, NARROW)):
            lines = result.picture.lines(frame, width=width)
            assert lines
            assert max(len(line) for line in lines) <= most
            assert all(line.isascii() for line in result.picture.lines(frame, width=width, ascii_only=True))


@pytest.mark.parametrize("lab", sorted(lab_ids()))
def test_progress_grows_to_one_and_can_cancel(lab: str) -> None:
    shares: list[float] = []
    registry()[lab].run({}, 0, lambda share, _mark: shares.append(share))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)
    assert len(shares) >= 4

    def stop(share: float, _mark: str) -> None:
        if share > 0:
            raise Cancelled

    with pytest.raises(Cancelled):
        registry()[lab].run({}, 0, stop)


HASHES = {
    "accumulation": "e6419dbbc288",
    "counting": "0aa81de133c7",
    "experts": "12d5ae3f282f",
    "fp8": "03f105ce00be",
    "pipeline": "ed64d9d2f287",
    "ring": "d1a7f4786df7",
    "tensor-parallel": "0c891a320544",
    "weighted-mean": "848a24d66976",
    "zero-sharding": "fe8948712943",
}
"""First twelve digits at the defaults, seed 0. They change with a lab's `version`, never with numpy or the machine."""


@pytest.mark.parametrize("lab", sorted(lab_ids()))
def test_the_same_seed_gives_the_same_hash_on_every_machine(lab: str) -> None:
    assert run(lab).output_hash[:12] == HASHES[lab]


@pytest.mark.parametrize("lab", sorted(lab_ids()))
def test_words_are_there_in_both_languages(lab: str) -> None:
    one = registry()[lab]
    texts = [one.title, one.about, *(p.label for p in one.params), *(m.label for m in one.metrics)]
    assert all(text.en and text.zh for text in texts)
    assert one.id == lab
    assert set(one.sizes) | set(one.largest) <= {param.key for param in one.params}


# ---- what the page and the papers print -----------------------------------------------------------------------------


def test_page_example_4_and_8_tokens() -> None:
    """The course's script: n1 = 4, n2 = 8; the plain average is off, the n_i/S one is not."""
    values = run("weighted-mean", counts="4,8").values
    means = values["card_means"]["value"]
    assert isinstance(means, list)
    assert values["all_reduce_avg"]["value"] == pytest.approx((means[0] + means[1]) / 2)
    assert values["weighted"]["value"] == pytest.approx((4 * means[0] + 8 * means[1]) / 12)


def test_equal_counts_where_unequal_ones_are_wanted_is_a_finding() -> None:
    assert run("weighted-mean", counts="8,8").metrics["unequal_counts_allreduce_mismatches"] is False


def test_zero_bytes_scale_to_the_papers_table() -> None:
    """ZeRO (arXiv:1910.02054) Table 1, 7.5B parameters on 64 cards: 120, 31.4, 16.6, 1.88 GB."""
    result = run("zero-sharding", n=64, steps=1)
    phi = result.values["phi"]["value"]
    assert isinstance(phi, int)
    per_parameter = [
        result.values[f"{stage}_bytes_each"]["value"] / phi for stage in ("ddp", "zero1", "zero2", "zero3")
    ]  # type: ignore[operator]
    assert [round(one * 7.5, 2) for one in per_parameter] == [120.0, 31.41, 16.64, 1.88]


def test_zero_traffic_with_micro_steps() -> None:
    """2, 2, K+1 and 3K times Φ, less one Nth of it; K = 4."""
    result = run("zero-sharding", micro=4, steps=1)
    phi, n = result.values["phi"]["value"], 8
    sent = [result.values[f"{stage}_sent_each_step"]["value"] for stage in ("ddp", "zero1", "zero2", "zero3")]
    assert sent == [passes * phi * (n - 1) // n for passes in (2, 2, 5, 12)]  # type: ignore[operator]


def test_dualpipe_against_1f1b_at_16_ranks() -> None:
    """DualPipe's published table at F=1, B=2, W=1, F&B=3 and PP=16: 45, 15 and 14 units."""
    values = run("pipeline", p=16, m=64).values
    assert [values[f"{name}_bubble"]["value"] for name in ("1f1b", "zero_bubble", "dualpipe")] == [45.0, 15.0, 14.0]
    shares = [values[f"{name}_share_of_wall_clock"]["value"] for name in ("1f1b", "zero_bubble", "dualpipe")]
    assert [round(100 * one, 1) for one in shares] == [19.0, 7.2, 6.8]  # type: ignore[arg-type, operator]


def test_score_share_is_s_over_6h() -> None:
    values = run("counting", h=32, s=32).values
    assert values["score_share_of_6_phi"]["value"] == pytest.approx(1 / 6)
    assert values["hfu_over_mfu"]["value"] == pytest.approx(8 / 6)
