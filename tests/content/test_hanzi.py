"""A search finds a word in whichever Chinese script it and the card are written."""

from __future__ import annotations

import pytest

from content import hanzi
from content.hanzi import finder
from content.reading import fold, matches

CARD = '{"back":{"en":"Memory of the card","zh":"训练状态占用显存，数据并行"},"front":{"en":"KV cache","zh":"缓存"}}'


@pytest.mark.parametrize(
    "typed", ["显存", "顯存", "顯存 數據並行", "訓練狀態", "ＫＶ　Ｃａｃｈｅ", "kv cache", "緩存", "顯存 ｋｖ"]
)
def test_a_card_is_found_by_either_script_any_width_and_any_case(typed: str) -> None:
    assert matches("pack/card", CARD, None, fold(typed).split())


@pytest.mark.parametrize("typed", ["內存", "顯卡", "存顯"])
def test_another_word_with_a_character_in_common_is_not_found(typed: str) -> None:
    assert not matches("pack/card", CARD, None, fold(typed).split())


def test_a_note_in_traditional_characters_is_found_by_simplified_ones() -> None:
    assert matches("pack/card", CARD, "記得梯度累積", ["记得", "累积"])


@pytest.mark.parametrize(("typed", "written"), [("后", "後"), ("發", "髮"), ("系", "繫"), ("c++", "C++".lower())])
def test_characters_that_became_one_are_equal_and_signs_are_only_signs(typed: str, written: str) -> None:
    assert finder(typed)(f"x{written}y")
    assert not finder(typed)("別的")


def test_the_pairs_lead_one_step_and_no_further() -> None:
    assert len(hanzi._TRADITIONAL) == len(hanzi._SIMPLIFIED) == len(set(hanzi._TRADITIONAL))
    assert not set(hanzi._TRADITIONAL) & set(hanzi._SIMPLIFIED)
