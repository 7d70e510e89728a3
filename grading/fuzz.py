"""A few days more or less, so that cards learnt together do not stay together.

How far an interval may move is Anki's documented rule: not at all below 2.5 days, else by one day plus 15 % of its days
from 2.5 to 7, 10 % of those from 7 to 20 and 5 % of those above. Where in that range it lands is a pure function of the
card and of how often it was answered, so that a replay, an undo and the button all give the same day.
"""

from __future__ import annotations

import hashlib
import math

_RANGES = ((2.5, 7.0, 0.15), (7.0, 20.0, 0.1), (20.0, math.inf, 0.05))


def fuzz_fraction(card_id: str, attempts: int) -> float:
    """A number from 0 up to but not including 1, always the same for one card at one count of attempts."""
    digest = hashlib.blake2b(f"{attempts}:{card_id}".encode(), digest_size=8).digest()
    return (int.from_bytes(digest, "big") >> 11) / 2**53  # 53 bits: all that a float holds, so 1.0 cannot come out


def round_half_up(value: float) -> int:
    """Round to the nearest integer, halves upwards (Python's own `round` sends them to the even one)."""
    return math.floor(value + 0.5)


def fuzz_bounds(interval: float, minimum: int, maximum: int) -> tuple[int, int]:
    """The first and last day an interval may become, both within `minimum` and `maximum`."""
    minimum = min(minimum, maximum)
    interval = min(max(interval, minimum), maximum)
    delta = 0.0
    if interval >= _RANGES[0][0]:
        delta = 1.0 + sum(share * max(min(interval, end) - start, 0.0) for start, end, share in _RANGES)
    lower = min(max(round_half_up(interval - delta), minimum), maximum)
    upper = min(max(round_half_up(interval + delta), minimum), maximum)
    if upper == lower and 2 < upper < maximum:
        upper += 1  # always leave a choice of two days where the limits allow it
    return lower, upper


def whole_days(interval: float, minimum: int, maximum: int, fraction: float | None) -> int:
    """The interval in whole days from `minimum` to `maximum`: rounded, or moved within its fuzz range."""
    minimum = min(minimum, maximum)
    if fraction is None:
        return min(max(round_half_up(interval), minimum), maximum)
    lower, upper = fuzz_bounds(interval, minimum, maximum)
    return lower + math.floor(fraction * (upper - lower + 1))
