"""The ratings of an answer and the phases of a card: alone, since counting a day needs no more."""

from __future__ import annotations

from enum import IntEnum


class Rating(IntEnum):
    """How well an answer was known."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


class Phase(IntEnum):
    """Where a card is in its life."""

    NEW = 0
    LEARNING = 1
    REVIEW = 2
    RELEARNING = 3
