"""Learning and relearning steps, counted as Anki counts them: by how many are left, the current one included."""

from __future__ import annotations

import math
from collections.abc import Sequence

SECONDS_PER_DAY = 86_400


def _index(steps: Sequence[int], left: int) -> int:
    """Which step a card stands on; a count that no longer fits (the settings changed) is pulled into range."""
    return min(max(len(steps) - left, 0), max(len(steps) - 1, 0))


def again_delay_s(steps: Sequence[int]) -> int | None:
    """Seconds until a failed card returns: the first step, or None when there are no steps."""
    return steps[0] if steps else None


def hard_delay_s(steps: Sequence[int], left: int) -> int | None:
    """Seconds until a card answered Hard returns; None when there are no steps.

    Hard repeats the step. On the first step it would then equal Again, so there it lies half-way to the second step;
    with one step only it is half as long again, at most a day longer.
    """
    if not steps:
        return None
    index = _index(steps, left)
    if index > 0:
        return steps[index]
    if len(steps) > 1:
        return _whole_days_if_long((steps[0] + steps[1]) // 2)
    return _whole_days_if_long(min(steps[0] * 3 // 2, steps[0] + SECONDS_PER_DAY))


def good_delay_s(steps: Sequence[int], left: int) -> int | None:
    """Seconds until a card answered Good returns; None when it has passed its last step."""
    index = _index(steps, left) + 1
    return steps[index] if index < len(steps) else None


def left_after_good(steps: Sequence[int], left: int) -> int:
    """Steps left once Good has moved a card on."""
    return max(len(steps) - _index(steps, left) - 1, 0)


def _whole_days_if_long(seconds: int) -> int:
    """A delay of more than a day is a number of whole days, so that the hour of the answer does not matter."""
    if seconds <= SECONDS_PER_DAY:
        return seconds
    return math.floor(seconds / SECONDS_PER_DAY + 0.5) * SECONDS_PER_DAY
