"""What the log holds of an answer to a drill, in a few words: the numbers, the verdict, disputes and later verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from content.drilling import problem_again, stored
from content.drills import DrillFault
from content.events import Kind
from grading.drill import question_text
from tui.widgets.flow import visible
from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.cards import Card
    from content.events import NewEvent

SHORT = {
    "correct": N_("right"),
    "mistake": N_("a known mistake"),
    "wrong": N_("wrong"),
    "convention": N_("another convention"),
    "unit": N_("another unit"),
    "imprecise": N_("too imprecise"),
    "formula": N_("the formula"),
    "given_up": N_("given up"),
}


def short_reason(reason: str) -> str:
    """A verdict in a word or two."""
    return _(SHORT[reason]) if reason in SHORT else reason


def drawn_text(response: Mapping[str, Any]) -> str:
    """The values that a stored problem had: `phi=13B n=8`."""
    drawn = response.get("drawn")
    if not isinstance(drawn, dict):
        return ""
    values = {key: value.get("text", "") for key, value in drawn.items() if isinstance(value, dict)}
    return " ".join(f"{key}={str(text).replace(' ', '')}" for key, text in values.items())


def history_parts(event: NewEvent, earlier: Card | None) -> list[str]:
    """The parts of a line of a drill's history; `earlier` is the text that was answered, where it is not today's."""
    response = stored(event)
    if event.kind is Kind.REGRADE:
        before, after = (short_reason(str(response.get(key, ""))) for key in ("from", "to"))
        return [f"{before} -> {after}"]
    if event.kind is Kind.DISPUTE:
        return [visible(str(response.get("note", "")))]
    if "reason" not in response or "drawn" not in response:
        return []
    parts = [short_reason(str(response["reason"])), visible(drawn_text(response))]
    if earlier is not None and (asked := _question(earlier, response)):
        parts.append(visible(asked))
    return parts


def _question(card: Card, response: Mapping[str, Any]) -> str:
    """The question as it was asked."""
    try:
        return question_text(problem_again(card, response), current())
    except DrillFault:
        return ""
