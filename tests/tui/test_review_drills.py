"""Drills on the screen: type, see how it is read, grade, accept; and pictures of it in both languages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from content.cards import Text
from content.events import Purpose
from content.queue import DrillRun
from content.store import Record
from grading.memory import Memory, Phase
from grading.schedule import Rating
from tui.screens.done import DoneScreen
from tui.screens.drill_topics import DrillTopicsScreen
from tui.screens.review import ReviewScreen

Desk = Any  # the class of tests/tui/conftest.py

ZERO = {
    "title": {"en": "ZeRO-2: state on one card", "zh": "ZeRO-2：一张卡上的训练状态"},
    "question": {
        "en": "{n} GPUs train a {phi} model with ZeRO-2. How many GB of state does each card hold?",
        "zh": "用 ZeRO-2 在 {n} 张卡上训练 {phi} 模型，每张卡放多少 GB 训练状态？",
    },
    "convention": {
        "en": "AdamW; BF16 weights and gradients, no FP32 gradient buffer; 1 GB = 1e9 bytes.",
        "zh": "AdamW；权重与梯度为 BF16，无 FP32 梯度缓冲；1 GB = 1e9 字节。",
    },
    "params": {
        "phi": {"symbol": "Φ", "unit": "parameters", "choices": ["13B"]},
        "n": {"symbol": "N", "unit": "GPUs", "choices": ["8"]},
    },
    "answer": {"formula": "2[B]*phi + 14[B]*phi/n", "unit": "GB", "tolerance": "1%"},
    "mistakes": [
        {
            "id": "zero-1",
            "formula": "4[B]*phi + 12[B]*phi/n",
            "why": {"en": "ZeRO-1: the gradients were left whole.", "zh": "这是 ZeRO-1：梯度没有切。"},
        }
    ],
    "conventions": [
        {
            "id": "fp32",
            "formula": "4[B]*phi + 14[B]*phi/n",
            "name": {"en": "Megatron's FP32 gradients", "zh": "Megatron 的 FP32 梯度"},
        }
    ],
    "steps": [
        {"en": "Whole: 2Φ = {2[B]*phi}.", "zh": "完整保留：2Φ = {2[B]*phi}。"},
        {"en": "One slice: 14Φ/N = {14[B]*phi/n}.", "zh": "留一片：14Φ/N = {14[B]*phi/n}。"},
        {"en": "Together {answer}.", "zh": "合计 {answer}。"},
    ],
}


def drill_card(desk: Desk, name: str = "zero-2") -> Any:
    plain = desk.concept(name, "ZeRO-2: state on one card|ZeRO-2：一张卡上的训练状态", "-")
    return replace(plain, kind="drill", back=Text(**ZERO["convention"]), drill=ZERO)


@pytest.fixture
def drills(desk: Desk) -> Desk:
    """A desk on which the drill is due, alone."""
    desk.cards = [drill_card(desk)]
    put(desk)
    desk.set(new_per_day=0)
    return desk


def put(desk: Desk, stability: float = 40.0) -> None:
    """Let every card be in review and due."""
    with Record.open(desk.places.data) as record:
        desk.sync(record)
        day = desk.clock.now().at_ms // 86_400_000
        for card in desk.cards:
            row = record.memory(record.card(card.id).card_key)
            memory = Memory(Phase.REVIEW, 0, stability, 5.0, day - 3, None, 10, day - 13, desk.clock.now().at_ms, 4)
            record.write((), [replace(row, memory=memory)])


def kept(desk: Desk) -> dict[str, Any]:
    return json.loads(desk.attempts()[-1].response)


async def test_letters_are_text_and_the_reading_is_shown_before_enter(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("48,75 GB")
        await sitting.pilot.pause()
        assert sitting.review.view.field.value == "48,75 GB"
        assert "read as 48.75 GB" in sitting.text
        assert drills.attempts() == []


async def test_a_right_answer_is_accepted_with_enter_as_good(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("2*13+14*13/8")
        await sitting.press("enter")
        assert "+ Right." in sitting.text
        assert "2Φ + 14Φ/N = 26 + 22.75 = 48.75 GB" in sitting.text
        await sitting.press("enter")
        assert isinstance(sitting.app.screen, DoneScreen)
    [event] = drills.attempts()
    assert (event.rating, event.proposed_rating, event.purpose) == (Rating.GOOD, Rating.GOOD, Purpose.REVIEW)
    assert kept(drills)["typed"] == "2*13+14*13/8"
    assert kept(drills)["read"] == {"value": 48_750_000_000, "unit": "B"}


async def test_a_known_mistake_is_named_with_both_formulas_and_rated_again(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("71,5")
        await sitting.press("enter")
        text = sitting.text
        assert text.index("- Not quite.") < text.index("4Φ + 12Φ/N = 52 + 19.5 = 71.5 GB")
        assert text.index("the gradients were left whole") < text.index("26 + 22.75 = 48.75 GB")
        await sitting.press("space")
    assert drills.attempts()[0].rating == Rating.AGAIN
    assert kept(drills)["mistakes"] == ["zero-1"]


async def test_another_rating_than_the_proposed_is_kept_beside_it(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("71.5")
        await sitting.press("enter", "2")
    [event] = drills.attempts()
    assert (event.rating, event.proposed_rating) == (Rating.HARD, Rating.AGAIN)


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("50", "Close, but outside the tolerance."),
        ("48.75 FLOP", "The unit does not fit"),
        ("2Φ+14Φ/N", "The formula is right"),
        ("74.75", "Right by another convention: Megatron's FP32 gradients."),
    ],
)
async def test_what_is_no_real_miss_is_asked_again_once_at_no_cost(drills: Desk, typed: str, told: str) -> None:
    async with drills.review() as sitting:
        await sitting.type(typed)
        await sitting.press("enter")
        assert told in " ".join(sitting.text.split())
        assert "One more try" in sitting.text
        assert "48.75 GB\n" not in sitting.text.replace("read as 48.75 GB", "")
        assert sitting.review.view.field.value == typed, "the text stays in the field"
        await sitting.press("enter")
        assert not sitting.review.revealed, "the same text is no second try"
        sitting.review.view.field.set_text("48.75")
        await sitting.press("enter")
        assert "second try" in sitting.text
        await sitting.press("enter")
    assert drills.attempts()[0].rating == Rating.HARD
    assert kept(drills)["tries"][0]["typed"] == typed


async def test_the_second_miss_is_again(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("50")
        await sitting.press("enter")
        sitting.review.view.field.set_text("50.5")
        await sitting.press("enter", "enter")
    assert drills.attempts()[0].rating == Rating.AGAIN


async def test_what_cannot_be_read_costs_nothing_and_says_why(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("48 parrots")
        assert "parrots" not in sitting.text.replace("> 48 parrots", ""), "half typed: nothing is said yet"
        for _ in range(3):
            await sitting.press("enter")
        assert "Could not read that." in sitting.text
        sitting.review.view.field.set_text("48.75")
        await sitting.press("enter", "enter")
    assert drills.attempts()[0].rating == Rating.GOOD


async def test_why_a_line_has_no_reading_is_said_after_a_pause(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("48 parrots")
        await sitting.pilot.pause(1.4)
        assert "parrots" in sitting.text.replace("> 48 parrots", "")


async def test_a_formula_is_shown_as_understood_without_its_value(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("16Φ/N")
        await sitting.pilot.pause()
        assert "read as the formula 16Φ/N" in sitting.text
        assert "26" not in sitting.text


@pytest.mark.parametrize(("typed", "sure", "word"), [("48.75!", "sure", ", sure"), ("48.75?", "unsure", ", unsure")])
async def test_confidence_is_typed_and_shown(drills: Desk, typed: str, sure: str, word: str) -> None:
    async with drills.review() as sitting:
        await sitting.type(typed)
        await sitting.pilot.pause()
        assert f"read as 48.75 GB{word}" in sitting.text
        await sitting.press("enter", "enter")
    assert kept(drills)["confidence"] == sure


async def test_giving_up_shows_the_answer_and_is_again(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.press("f9")
        assert "26 + 22.75 = 48.75 GB" in sitting.text
        assert "Together 48.75 GB." in sitting.text
        await sitting.press("enter")
    assert drills.attempts()[0].rating == Rating.AGAIN
    assert kept(drills)["reason"] == "given_up"


async def test_a_held_enter_neither_accepts_nor_counts_as_a_second_try(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("71.5")
        await sitting.press("enter")
        await sitting.press("enter", "enter", "enter", apart_ms=100)
        assert drills.attempts() == []


async def test_the_topic_stays_hidden_until_the_answer(drills: Desk) -> None:
    async with drills.review() as sitting:
        assert sitting.rows[0].strip().startswith("Drill")
        await sitting.press("escape", "l", "c")
        assert isinstance(sitting.app.screen, ReviewScreen)
        assert not sitting.review.lesson_open
        await sitting.press("enter")
        await sitting.type("48.75")
        await sitting.press("enter")
        assert "ZeRO" in sitting.rows[0]


async def test_undo_shows_the_same_problem_and_what_was_typed(drills: Desk) -> None:
    drills.cards = [drill_card(drills), drill_card(drills, "other")]
    put(drills)
    async with drills.review() as sitting:
        seed = sitting.review.ask.seed
        await sitting.type("71.5")
        await sitting.press("enter", "enter", "escape", "u")
        assert sitting.review.ask.seed == seed
        assert "> 71.5" in sitting.text
        assert "- Not quite." in sitting.text


async def test_steps_on_a_key(drills: Desk) -> None:
    async with drills.review() as sitting:
        await sitting.type("48.75")
        await sitting.press("enter")
        assert "One slice" not in sitting.text
        await sitting.press("s")
        assert "One slice: 14Φ/N = 22.75 GB." in sitting.text
        await sitting.press("s")
        assert "One slice" not in sitting.text


async def test_a_new_drill_is_a_worked_example_whose_last_step_is_blank(desk: Desk) -> None:
    desk.cards = [drill_card(desk)]
    put(desk, stability=0.4)
    async with desk.review() as sitting:
        assert "2  One slice: 14Φ/N = 22.75 GB." in sitting.text
        assert "3  ?" in sitting.text
        assert "Together" not in sitting.text


async def test_another_is_practice_and_comes_back_to_the_verdict(drills: Desk) -> None:
    async with drills.review() as sitting:
        first = sitting.review
        await sitting.type("71.5")
        await sitting.press("enter", "r")
        await sitting.until_ready()
        assert sitting.review is not first
        await sitting.type("48.75")
        await sitting.press("enter", "enter")
        assert sitting.review is first
        assert "- Not quite." in sitting.text
        await sitting.press("enter")
    assert [event.purpose for event in drills.attempts()] == [Purpose.PRACTICE, Purpose.REVIEW]


async def test_the_rating_key_of_the_card_before_is_no_answer(drills: Desk) -> None:
    drills.cards = [drills.plain, drill_card(drills)]
    put(drills)
    async with drills.review() as sitting:
        while sitting.review.ask is not None:
            await sitting.press("escape", "s")
        await sitting.press("space", "3")
        await sitting.press("3", apart_ms=60)
        await sitting.press("3", apart_ms=60)
        assert sitting.review.ask is not None
        assert sitting.review.view.field.value == ""


async def test_practice_of_drills_from_today(drills: Desk) -> None:
    app = drills.app(start="today")
    async with app.run_test(size=(80, 24)) as pilot:
        sitting = drills.sitting(app, pilot)
        await pilot.pause(0.3)
        assert "1 drill" in sitting.text
        await sitting.press("d")
        await pilot.pause(0.3)
        assert isinstance(app.screen, DrillTopicsScreen)
        assert "All topics, mixed" in sitting.text
        await sitting.press("down", "enter")
        await sitting.until_ready()
        assert sitting.review.drills == DrillRun()
        for _ in range(10):
            await sitting.type("48.75")
            await sitting.press("enter")
            assert "Enter next problem" in sitting.text
            await sitting.press("enter")
        assert "Practice is over" in sitting.text
    assert {event.purpose for event in drills.attempts()} == {Purpose.PRACTICE}
    assert len(drills.attempts()) == 10


async def test_history_tells_numbers_and_verdict(drills: Desk) -> None:
    async with drills.review(size=(80, 40)) as sitting:
        await sitting.type("71.5")
        await sitting.press("enter", "enter")
        await sitting.pilot.pause(0.1)
        await sitting.press("f9", "c")
        await sitting.pilot.pause(0.2)
        text = " ".join(sitting.text.split())
        assert "> 71.5 a known mistake n=8 phi=13B" in text


SCENES: dict[str, tuple[str, ...]] = {
    "question": (),
    "typing": ("48.75!",),
    "asked-again": ("74.75", "enter"),
    "mistake": ("71,5", "enter"),
    "right": ("48.75", "enter", "s"),
}


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("scene", SCENES)
def test_picture(desk: Desk, snap_compare: Any, scene: str, lang: str, size: tuple[int, int]) -> None:
    desk.cards = [drill_card(desk)]
    put(desk, stability=0.4)
    app = desk.app(lang)

    async def play(pilot: Any) -> None:
        sitting = desk.sitting(app, pilot)
        await sitting.until_ready()
        sitting.review.show_time = False
        for keys in SCENES[scene]:
            if keys in ("enter", "s"):
                await sitting.press(keys)
            else:
                await sitting.type(keys)
        sitting.review.refresh_top()
        sitting.review_messages_gone()
        await pilot.pause(0.3)

    assert snap_compare(app, terminal_size=size, run_before=play)
