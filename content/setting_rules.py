"""What each setting may be: one check per kind of value, each saying what was given and what is allowed."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[object], Any]

RETENTION_LOWEST = 0.70
RETENTION_HIGHEST = 0.97
SECONDS = {"s": 1, "m": 60, "h": 3600}
DAY_S = 86_400


class NotAllowedError(ValueError):
    """A value that a setting cannot take; the text says what is allowed."""


def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that was most likely meant, or None."""
    import difflib

    close = difflib.get_close_matches(word.strip().lower().replace("-", "_"), known, n=1, cutoff=0.6)
    close = close or difflib.get_close_matches(word.strip().lower(), known, n=1, cutoff=0.6)
    return close[0] if close else None


def shown(value: object) -> str:
    """A value as one would write it in the file, cut to a line."""
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = '"' + "".join(c if c.isprintable() else "�" for c in value) + '"'
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(shown(item) for item in value) + "]"
    elif isinstance(value, Mapping):
        text = "{" + ", ".join(f"{key} = {shown(item)}" for key, item in value.items()) + "}"
    else:
        text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise NotAllowedError("allowed are true and false, without quotes")


def choice(*allowed: str) -> Check:
    listed = ", ".join(f'"{word}"' for word in allowed)

    def check(value: object) -> str:
        if isinstance(value, str):
            if value in allowed:
                return value
            meant = nearest(value, allowed)
            if meant is not None:
                raise NotAllowedError(f'allowed are {listed}; did you mean "{meant}"?')
        raise NotAllowedError(f"allowed are {listed}")

    return check


def whole(lowest: int, highest: int, unit: str) -> Check:
    allowed = f"allowed is a whole number from {lowest} to {highest} ({unit})"

    def check(value: object) -> int:
        if isinstance(value, str):
            raise NotAllowedError(f"{allowed}, without quotes")
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise NotAllowedError(allowed)
        return value

    return check


def name(value: object) -> str:
    if isinstance(value, str):
        text = value.strip()
        if 1 <= len(text) <= 64 and text.isprintable():
            return text
    raise NotAllowedError("allowed is a text of 1 to 64 printable characters, in quotes")


def exam_date(value: object) -> datetime.date | None:
    """A TOML date, a text "2026-12-31", or an empty text for none."""
    if value is None or value == "":
        return None
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value
    if isinstance(value, str):
        try:
            return datetime.date.fromisoformat(unicodedata.normalize("NFKC", value).strip())
        except ValueError:
            pass
    raise NotAllowedError("allowed is a date written year-month-day, such as 2026-12-31")


def step_seconds(text: str) -> int:
    """Seconds of a step such as "30s", "10m", "1h"; NotAllowedError when it is none or a day or longer."""
    found = re.fullmatch(r"([0-9]{1,6})\s*([smh])", unicodedata.normalize("NFKC", text).strip().lower())
    seconds = int(found[1]) * SECONDS[found[2]] if found else 0
    if not 1 <= seconds < DAY_S:
        raise NotAllowedError('allowed is a list of times shorter than a day, such as ["1m", "10m"] (units s, m, h)')
    return seconds


def steps(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value) or len(value) > 20:
        raise NotAllowedError('allowed is a list of at most 20 times in quotes, such as ["1m", "10m"]; [] for none')
    for item in value:
        step_seconds(item)
    return tuple(unicodedata.normalize("NFKC", item).strip().lower() for item in value)


def retention(value: object) -> float:
    """The wanted chance of recall when a card comes due, as a share of one."""
    if isinstance(value, str):
        raise NotAllowedError(_retention_text(value))
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise NotAllowedError(_retention_range())
    if RETENTION_LOWEST <= value <= RETENTION_HIGHEST:
        return float(value)
    if RETENTION_LOWEST <= value / 100 <= RETENTION_HIGHEST:
        raise NotAllowedError(f"it is a share of one, not a percentage: write {value / 100:.2f}")
    if value >= 1:
        raise NotAllowedError(f"{_retention_range()}; recall is never certain, so 1 would ask every card all the time")
    if value > RETENTION_HIGHEST:
        raise NotAllowedError(
            f"{_retention_range()}; above that every card comes back several times as often for little gain"
        )
    raise NotAllowedError(
        f"{_retention_range()}; below that too much is forgotten between two reviews to be worth the time"
    )


def _retention_range() -> str:
    return f"allowed is a number from {RETENTION_LOWEST:.2f} to {RETENTION_HIGHEST:.2f}, such as 0.90"


def _retention_text(value: str) -> str:
    """Names the right spelling when a text such as "90", "0.9" or "９０%" was meant as a share."""
    text = unicodedata.normalize("NFKC", value).strip().replace(",", ".")
    percent = text.endswith("%")
    try:
        number = float(text.rstrip("% "))
    except ValueError:
        return f"{_retention_range()}, without quotes"
    share = number / 100 if percent or number > 1 else number
    if RETENTION_LOWEST <= share <= RETENTION_HIGHEST:
        return f"it is a number without quotes: write {share:.2f}"
    return f"{_retention_range()}, without quotes"


def bindings(value: object) -> dict[str, str]:
    """Own keys: a table of action = "key" or "key,key"."""
    if not isinstance(value, Mapping):
        raise NotAllowedError('allowed is a table of lines such as good = "j,3" under [keys]')
    kept: dict[str, str] = {}
    for action, keys in value.items():
        wrong = f'allowed is a line such as good = "j,3" (keys parted by commas); {shown(action)} is not one'
        if not isinstance(action, str) or not isinstance(keys, str) or not keys.isprintable():
            raise NotAllowedError(wrong)
        parted = [key.strip() for key in keys.split(",")]
        if not all(parted) or len(keys) > 200:
            raise NotAllowedError(wrong)
        kept[action] = ",".join(parted)
    return kept


def cluster(value: object) -> Any:
    """The learner's own cluster: a text, or the table [cluster]."""
    from content.cluster import ClusterError, cluster_of

    try:
        return cluster_of(value)
    except ClusterError as why:
        raise NotAllowedError(str(why)) from why
