"""What the cards of the shipped pack are called: in both languages, short, and each by a name of its own in its topic."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from rich.cells import cell_len

from content.cards import Card
from content.library import SHIPPED_PACKS, load_pack
from content.pack_schema import NAME_COLUMNS

HAN = re.compile(r"[\u3400-\u9fff]")
TERMS = frozenset(
    {
        *("All-Reduce", "All-Gather", "Reduce-Scatter", "all-to-all"),
        *("Megatron-LM", "GPipe", "DualPipe", "3FS", "FSDP"),
    }
)
"""Names that are the same term in both languages; every other Chinese name is Chinese."""


@pytest.fixture(scope="module")
def entries() -> list[Card]:
    """One card of each entry: the first of a cloze text."""
    cards = load_pack(SHIPPED_PACKS / "distributed-training-map").cards
    return [card for card in cards if card.cloze_index in (None, 1)]


def called(card: Card, lang: str) -> str:
    named = card.front if card.kind == "drill" else card.name
    assert named is not None, card.id
    return named.of(lang)


def test_every_entry_has_a_name_and_a_drill_its_title(entries: list[Card]) -> None:
    assert [card.id for card in entries if card.name is None and card.kind != "drill"] == []
    assert {card.id for card in entries if card.name is not None and card.kind == "drill"} == set()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_are_short(entries: list[Card], lang: str) -> None:
    named = [card.name.of(lang) for card in entries if card.name is not None]
    assert [name for name in named if cell_len(name) > NAME_COLUMNS or len(name.split()) > 6] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_no_two_entries_of_a_topic_have_one_name(entries: list[Card], lang: str) -> None:
    counted = Counter((card.topic, called(card, lang).casefold()) for card in entries)
    assert [name for name, count in counted.items() if count > 1] == []


def test_chinese_names_are_chinese(entries: list[Card]) -> None:
    latin = {card.name.zh for card in entries if card.name is not None and not HAN.search(card.name.zh)}
    assert latin == TERMS
