"""Labs and their runs in the learner's language: limits of a parameter, a value, when and how a lab ran last."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from tui.words import _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from content.runs_store import Run
    from evidence.lab import LabParam
    from grading.days import Instant

MOST_NUMBERS = 8
"""So many numbers of a list are shown; the record keeps all."""


def value_text(value: object) -> str:
    """A parameter's value as it may be typed: `8`, `0.5`, `4,8`."""
    if isinstance(value, list | tuple):
        return ",".join(value_text(one) for one in value)
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def number_text(one: Mapping[str, Any]) -> str:
    """A recorded number with its unit; of a long list the first ones."""
    value, unit = one.get("value"), one.get("unit") or ""
    numbers = value if isinstance(value, list) else [value]
    shown = ", ".join(
        f"{number:.6g}" if isinstance(number, float) else str(number) for number in numbers[:MOST_NUMBERS]
    )
    more = ", ..." if len(numbers) > MOST_NUMBERS else ""
    return f"{shown}{more} {unit}".rstrip()


def limits_text(param: LabParam) -> str:
    """What a parameter may be, as part of a sentence."""
    low, high = value_text(float(param.low)), value_text(float(param.high))
    if param.kind == "choice":
        return _("one of {listed}").format(listed=", ".join(param.choices))
    if param.kind == "ints":
        return _("{least} to {most} whole numbers of {low} to {high}, such as 4,8").format(
            least=param.least, most=param.most, low=low, high=high
        )
    if param.kind == "int":
        return _("a whole number from {low} to {high}").format(low=low, high=high)
    return _("a number from {low} to {high}").format(low=low, high=high)


def when_text(at_ms: int, now: Instant) -> str:
    """`10:42` for today, `11-29` for another day of this year, else the whole date; all in the learner's zone."""
    zone = datetime.timezone(datetime.timedelta(minutes=now.utc_offset_min))
    then = datetime.datetime.fromtimestamp(at_ms / 1000, tz=zone)
    today = datetime.datetime.fromtimestamp(now.at_ms / 1000, tz=zone)
    if then.date() == today.date():
        return then.strftime("%H:%M")
    return then.strftime("%m-%d") if then.year == today.year else then.date().isoformat()


def outcome_text(run: Run) -> str:
    """How a run came out, in one or two short words for a list."""
    if run.status != "ok":
        return _("failed")
    return _("ok") if run.passed else _("not all true")


def what_ran(run: Run) -> str:
    """The script's path, or the lab's id."""
    return (run.script_path if run.kind == "script" else run.lab) or run.command


__all__ = ["limits_text", "number_text", "outcome_text", "value_text", "what_ran", "when_text"]
