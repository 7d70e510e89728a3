"""What holds for every text: nothing raises, the time is bounded, places lie in the text, the score never falls with a share."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grading.memory import Rating
from grading.recall import RubricLine, propose, score

RUBRIC = [
    RubricLine(
        "stage-1",
        {"en": ("optimizer states",), "zh": ("优化器",)},
        text={"en": "ZeRO-1 shards the optimizer states", "zh": "ZeRO-1 切优化器"},
    ),
    RubricLine("bytes-1", {"en": ("4Φ",)}, "4*phi + 12*phi/n", "ZeRO-1", text={"en": "4Φ + 12Φ/N bytes"}),
    RubricLine("bytes-3", {"en": ("16Φ/N",)}, "16*phi/n", "ZeRO-3", key=True, text={"en": "16Φ/N at rest"}),
    RubricLine("weights", {"en": ("weighted by tokens",), "zh": ("按 token 数加权",)}, "n_i/S"),
    RubricLine(
        "why",
        {"en": ("no extra", "reduce-scatter", "50 %"), "zh": ("不多付", "两次")},
        half_if={"en": "says it is free"},
        text={"en": "no extra: reduce-scatter", "zh": "不多付"},
    ),
]
QUESTION = {"en": "What does each of the three ZeRO stages shard and why?", "zh": "ZeRO 的三个阶段各切什么、为什么？"}
PIECES = [
    "ZeRO-1", "ZeRO-1/2/3", "第一阶段", "stage 3", "FSDP", "DDP", "4Φ+12Φ/N", "16Φ/N",
    "(", ")", "/", "Σ", "n_i", "S", "×", "½", "⅐",
    "not ", "不", "没有", "而是", "but", "分别", "respectively", "compared with", "与", "相比",
    "reduce-scatter", "no extra", "50%",
    "optimizer states", "优化器", ",", "，", "。", "\n", ": ", "1. ", " ",
    "\u200b", "\ud800", "İ", "ß", "\x00", "９９", "e999", "^", "1",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=60).map("".join))


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_any_text_has_a_proposal_for_every_point_with_places_in_it(typed: str) -> None:
    found = propose(typed, RUBRIC, QUESTION, {"phi": "phi", "n": "n"})
    assert [proposal.point_id for proposal in found] == [line.id for line in RUBRIC]
    for proposal in found:
        assert proposal.share in (0.0, 0.5, 1.0)
        assert (proposal.share > 0) == (proposal.why in ("terms", "formula"))
        assert all(0 <= start < end <= len(typed) for start, end in proposal.spans)
        assert bool(proposal.spans) == (proposal.why != "nothing")


@pytest.mark.parametrize(
    "piece",
    [
        "权重不常驻每卡要拼齐",
        "不",
        "第一阶段",
        "ZeRO-1 and ",
        "4Φ+12Φ/N ",
        "4Φ+12Φ/N。",
        "all-reduce ",
        "(",
        "，",
        "1. ",
        "data, tensor, ",
        "Σ n_i + ",
        "not ",
        " ",
        "优化器、",
    ],
)
def test_twenty_thousand_characters_take_less_than_half_a_second(piece: str) -> None:
    typed = (piece * 20_000)[:20_000]
    propose("", RUBRIC, QUESTION)
    best = min(_seconds(typed) for _ in range(3))
    assert best < 0.5


def _seconds(typed: str) -> float:
    start = time.process_time()
    propose(typed, RUBRIC, QUESTION)
    return time.process_time() - start


SHARES = st.sampled_from([0.0, 0.5, 1.0])


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans(), SHARES), min_size=1, max_size=10), st.data())
def test_the_score_never_falls_when_a_point_gains(points: list[tuple[int, bool, float]], data: st.DataObject) -> None:
    rubric = [RubricLine(str(i), weight=weight, key=key) for i, (weight, key, _) in enumerate(points)]
    before = {str(i): share for i, (_, _, share) in enumerate(points)}
    raised = data.draw(st.sampled_from(sorted(before)))
    low, high = score(before, rubric), score({**before, raised: 1.0}, rubric)
    assert 0 <= low.share <= high.share <= 1
    assert low.rating <= high.rating <= Rating.GOOD
    assert set(high.missed_keys) <= set(low.missed_keys)
