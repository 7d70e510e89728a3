"""What a typed oral answer is proposed to be worth, against answers whose worth is known; and the score."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from content.cards import Card
from content.library import SHIPPED_PACKS, load_pack
from grading.memory import Rating
from grading.recall import Proposal, RubricLine, Why, propose, score

ANSWERS = yaml.safe_load((Path(__file__).parent / "oral_answers.yaml").read_text(encoding="utf-8"))
MUST = [row for row in ANSWERS if row.get("must")]
AGREEMENT = 0.95
"""Share of all points on which proposals must agree exactly (points that nobody said included)."""
AGREEMENT_SAID = 0.95
"""The same among the points that were said, in whole or in part."""

Ask = Callable[[str, str], dict[str, Proposal]]


def lines_of(card: Card) -> list[RubricLine]:
    return [
        RubricLine(
            point.id,
            {"en": point.terms.en, "zh": point.terms.zh},
            point.formula,
            point.of,
            point.weight,
            point.key,
            {"en": point.text.en, "zh": point.text.zh},
            {"en": point.half_if.en, "zh": point.half_if.zh} if point.half_if else {},
        )
        for point in card.rubric
    ]


@pytest.fixture(scope="session")
def questions() -> dict[str, Card]:
    pack = load_pack(SHIPPED_PACKS / "distributed-training-map")
    return {card.id.partition("/oral.")[2]: card for card in pack.cards if card.kind == "oral"}


@pytest.fixture(scope="session")
def ask(questions: dict[str, Card]) -> Ask:
    def asked(question: str, typed: str) -> dict[str, Proposal]:
        card = questions[question]
        found = propose(typed, lines_of(card), {"en": card.front.en, "zh": card.front.zh}, {})
        return {proposal.point_id: proposal for proposal in found}

    return asked


def shares(found: dict[str, Proposal]) -> dict[str, float]:
    return {point: proposal.share for point, proposal in found.items() if proposal.share}


@pytest.mark.parametrize("row", MUST, ids=[f"{row['question']}-{row['kind']}-{i}" for i, row in enumerate(MUST)])
def test_traps_earn_exactly_what_they_are_worth(row, ask: Ask) -> None:
    assert shares(ask(row["question"], row["answer"])) == row["points"]


def test_proposals_agree_with_a_careful_reader(ask: Ask) -> None:
    pairs = [
        (proposal.share, row["points"].get(point, 0))
        for row in ANSWERS
        for point, proposal in ask(row["question"], row["answer"]).items()
    ]
    said = [(share, expected) for share, expected in pairs if expected]
    assert sum(share == expected for share, expected in pairs) / len(pairs) >= AGREEMENT
    assert sum(share == expected for share, expected in said) / len(said) >= AGREEMENT_SAID
    assert sum(share > expected for share, expected in pairs) / len(pairs) <= 0.01, "wrong credits are the worse fault"


def test_every_question_has_strong_middling_weak_and_trap_answers_in_both_languages(questions: dict[str, Card]) -> None:
    for question in questions:
        rows = [row for row in ANSWERS if row["question"] == question]
        assert {"strong", "middling", "weak"} <= {row["kind"] for row in rows}
        assert {"en", "zh"} <= {row["lang"] for row in rows}
        assert sum(bool(row.get("must")) for row in rows) >= 3


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_model_answer_earns_most_of_its_points(lang: str, questions: dict[str, Card], ask: Ask) -> None:
    for question, card in questions.items():
        assert card.model_answer is not None
        found = ask(question, card.model_answer.of(lang))
        assert score({point: each.share for point, each in found.items()}, lines_of(card)).share >= 0.85, question


def test_pasting_the_question_earns_nothing_in_either_language(questions: dict[str, Card], ask: Ask) -> None:
    for question, card in questions.items():
        for text in (card.front.en, card.front.zh, card.front.en + "\n" + card.front.zh):
            assert shares(ask(question, text)) == {}


@pytest.mark.parametrize(
    "formula",
    [
        "4Φ+12Φ/N",
        "4 phi + 12 phi / N",
        "(4+12/N)Φ",
        "４Φ＋１２Φ／Ｎ",
        "12Φ/N + 4Φ",
        "4Ψ + 12Ψ/N_d",
        "Φ·(4N+12)/N",
        "M = 4φ+12φ÷N",
    ],
)
@pytest.mark.parametrize(
    "stage", ["ZeRO-1", "ZeRO1", "zero 1", "Stage 1", "stage one", "第一阶段", "一阶段", "阶段一", "Z1", "ＺｅＲＯ－１"]
)
def test_a_formula_is_found_in_any_form_of_a_stage_in_any_spelling(formula: str, stage: str, ask: Ask) -> None:
    found = ask("zero-ladder", f"{stage}: {formula}")
    assert (found["stage-1-bytes"].share, found["stage-1-bytes"].why) == (1.0, Why.FORMULA)
    assert found["stage-2-bytes"].share == found["stage-3-bytes"].share == 0


@pytest.mark.parametrize(
    "typed",
    [
        "4Φ+12Φ/N for ZeRO-1, 2Φ+14Φ/N for ZeRO-2 and 16Φ/N for ZeRO-3.",
        "ZeRO-1: 4Φ+12Φ/N, ZeRO-2: 2Φ+14Φ/N, ZeRO-3: 16Φ/N",
        "ZeRO-1/2/3 分别是 4Φ+12Φ/N、2Φ+14Φ/N、16Φ/N",
        "Stages 1, 2 and 3 hold 4Φ+12Φ/N, 2Φ+14Φ/N and 16Φ/N respectively.",
        "| ZeRO-1 | 4Φ+12Φ/N |\n| ZeRO-2 | 2Φ+14Φ/N |\n| FSDP | 16Φ/N |",
        "# ZeRO-1\n- 4Φ+12Φ/N\n# ZeRO-2\n- 2Φ+14Φ/N\n# ZeRO-3\n- 16Φ/N",
        "1. 4Φ+12Φ/N\n2. 2Φ+14Φ/N\n3. 16Φ/N",
        "一阶段每卡剩4Φ+12Φ/N字节，二阶段剩2Φ+14Φ/N字节，三阶段剩16Φ/N字节。",
        "ZeRO-1 cuts the Adam state. Each card then has 4Φ+12Φ/N. ZeRO-2 goes beyond ZeRO-1: 2Φ+14Φ/N. ZeRO-3: 16Φ/N.",
    ],
)
def test_a_formula_belongs_to_what_it_is_said_of(typed: str, ask: Ask) -> None:
    found = ask("zero-ladder", typed)
    assert [found[f"stage-{k}-bytes"].share for k in (1, 2, 3)] == [1, 1, 1]


def test_the_right_formula_on_the_wrong_stage_is_named_so(ask: Ask) -> None:
    found = ask("zero-ladder", "ZeRO-1 holds 16Φ/N.")["stage-3-bytes"]
    assert (found.share, found.why, found.spans) == (0.0, Why.FORMULA_ELSEWHERE, ((13, 18),))


@pytest.mark.parametrize(
    "typed", ["2Φ + 14Φ/N + x", "ZeRO-2: 2Φ+14Φ/N+Φ", "ZeRO-2: 2Φ+14Φ/N × overhead", "ZeRO-2: 2KΦ+14Φ/N", "2Φ+14Φ/N"]
)
def test_a_part_of_a_longer_formula_or_one_without_a_stage_earns_nothing(typed: str, ask: Ask) -> None:
    assert ask("zero-ladder", typed)["stage-2-bytes"].share == 0


@pytest.mark.parametrize(
    "typed", ["n_i/S", "weight nᵢ/S", "n_i / Σ_j n_j", "sum n_i L_i / S", "Σ n_i·L_i / S", "权重是ｎ_i／Ｓ"]
)
def test_a_weight_is_found_with_its_sum(typed: str, ask: Ask) -> None:
    assert ask("token-mean", typed)["weights"].why is Why.FORMULA


@pytest.mark.parametrize("typed", ["S/n_i", "N/S", "n_i L_i / S", "not n_i/S", "不是 n_i/S"])
def test_another_weight_is_not(typed: str, ask: Ask) -> None:
    assert ask("token-mean", typed)["weights"].share == 0


@pytest.mark.parametrize(
    ("typed", "share"),
    [
        ("The bubble is smaller but not gone.", 0.5),
        ("气泡并没有消失。", 0.5),
        ("There is no bubble.", 0),
        ("没有气泡。", 0),
        ("It is not because of the bubble.", 0),
        ("气泡不存在。", 0),
        ("Not only the bubble matters.", 0.5),
    ],
)
def test_a_denied_word_earns_nothing_and_a_denied_denial_does(typed: str, share: float, ask: Ask) -> None:
    assert ask("moe", typed)["limits"].share == share


def test_a_denial_that_the_rubric_itself_makes_is_right(ask: Ask) -> None:
    for typed in ("Tokens without padding.", "padding is excluded", "不含填充", "去掉 padding 的 token"):
        assert ask("token-mean", typed)["supervised"].share == 1, typed
    for typed in ("Padding tokens count as well.", "填充也算"):
        assert ask("token-mean", typed)["supervised"].share == 0, typed


def test_the_words_found_are_shown_where_they_stand(ask: Ask) -> None:
    typed = "　ＤＰ：对梯度做 All－Reduce，每步一次"
    found = ask("primitives-and-places", typed)["dp"]
    assert found.share == 1
    assert [typed[start:end] for start, end in found.spans] == ["梯度", "All－Reduce", "每步一次"]


def test_a_rubric_without_texts_takes_subjects_from_its_ids() -> None:
    rubric = [RubricLine("tp", {"en": ("all-reduce",)}), RubricLine("pp", {"en": ("point-to-point",)})]
    found = propose("TP is point-to-point, PP is all-reduce", rubric, {}, {})
    assert [(each.share, each.why) for each in found] == [(0.0, Why.SWAPPED)] * 2


def line(point: str, *, weight: float = 1, key: bool = False) -> RubricLine:
    return RubricLine(point, weight=weight, key=key)


@pytest.mark.parametrize(
    ("points", "rating"),
    [
        ({"a": 1, "b": 1, "c": 1, "d": 1}, Rating.GOOD),
        ({"a": 1, "b": 1, "c": 1, "d": 0.5}, Rating.GOOD),
        ({"a": 1, "b": 1, "c": 0.5, "d": 0.5}, Rating.HARD),
        ({"a": 0.5, "b": 1, "c": 1}, Rating.HARD),
        ({"b": 1, "c": 1, "d": 1}, Rating.AGAIN),  # the key point
        ({"a": 1, "b": 1}, Rating.AGAIN),
    ],
)
def test_the_score_proposes_a_rating(points: dict[str, float], rating: Rating) -> None:
    assert score(points, [line("a", key=True), line("b"), line("c"), line("d")]).rating is rating


def test_the_borders_of_the_ratings_belong_to_the_better_one() -> None:
    tenths = [line(str(i), weight=0.1) for i in range(10)]
    assert score({str(i): 1 for i in range(6)}, tenths).rating is Rating.HARD
    assert score({**{str(i): 1 for i in range(8)}, "8": 0.5}, tenths).rating is Rating.GOOD


def test_a_missed_key_point_is_named_and_a_half_one_is_none() -> None:
    rubric = [line("a", key=True), line("b", key=True), line("c", weight=2)]
    assert score({"a": 0.5, "c": 1}, rubric).missed_keys == ("b",)
    assert score({"a": 0.5, "b": 1, "c": 1}, rubric).share == pytest.approx(3.5 / 4)
    assert score({}, []).rating is Rating.AGAIN
