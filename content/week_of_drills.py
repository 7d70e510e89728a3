"""What a learner's wrong answers to drills of the last seven days were traced to, and which were given as sure."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from content.cards import Text, card_from_json

if TYPE_CHECKING:
    from content.store import Record

DAYS = 7
REPEATED = 2
"""A mistake made once is an accident; from so many times on it is a habit to be told of."""

# S608 does not apply: the statement is one constant. Which answers hold is seen from the retracts, not here.
BODY = """
SELECT r.body FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev WHERE c.card_key = :card_key
"""
DRILL_ANSWERS = """
SELECT e.event_id, e.day, e.card_key, e.response FROM event e JOIN card c ON c.card_key = e.card_key
WHERE e.learner = :learner AND e.day BETWEEN :since AND :day AND e.kind = 'attempt' AND c.kind = 'drill'
ORDER BY e.event_id
"""


@dataclass(frozen=True, slots=True)
class Habit:
    """A named mistake and how often it was made. `why` is the drill's own sentence; None for a general mistake (gib-for-gb
    and the like), which the interface has words for."""

    mistake_id: str
    times: int
    why: Text | None = None


@dataclass(frozen=True, slots=True)
class WeekOfDrills:
    """The last seven study days. `habit` is the mistake made most often, if one was made more than once."""

    answers: int = 0
    sure_misses: int = 0
    last_sure_miss_day: int | None = None
    habit: Habit | None = None


def week_of_drills(record: Record, day: int) -> WeekOfDrills:
    """The seven study days up to `day`; answers that were taken back do not count."""
    asked = {"learner": record.learner, "since": day - DAYS + 1, "day": day}
    rows = record.named_rows(DRILL_ANSWERS, asked)
    if not rows:
        return WeekOfDrills()
    from grading.proposal import is_sure_miss  # with it comes what grades answers

    undone = record.retracted(since=rows[0][0])
    answers, sure_days = 0, []
    made: Counter[str] = Counter()
    made_on: dict[str, int] = {}  # the last card on which each was made
    for event_id, on_day, card_key, response in rows:
        if event_id in undone:
            continue
        answers += 1
        said = _read(response)
        if is_sure_miss(str(said.get("reason", "")), said.get("confidence")):
            sure_days.append(on_day)
        if said.get("reason") != "convention":
            mistakes = said.get("mistakes")
            for mistake in mistakes[:1] if isinstance(mistakes, list) else ():  # the drill's own comes first
                made[str(mistake)] += 1
                made_on[str(mistake)] = card_key
    return WeekOfDrills(answers, len(sure_days), max(sure_days, default=None), _habit(record, made, made_on))


def _habit(record: Record, made: Counter[str], made_on: Mapping[str, int]) -> Habit | None:
    if not made:
        return None
    mistake, times = max(made.items(), key=lambda item: (item[1], item[0]))
    if times < REPEATED:
        return None
    body = record.named_rows(BODY, {"card_key": made_on[mistake]})
    drill = card_from_json(body[0][0]).drill if body else None
    for named in (drill or {}).get("mistakes", ()):
        if named.get("id") == mistake:
            return Habit(mistake, times, Text(named["why"]["en"], named["why"]["zh"]))
    return Habit(mistake, times)


def _read(response: str | None) -> dict[str, Any]:
    try:
        found = json.loads(response or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


__all__ = ["Habit", "WeekOfDrills", "week_of_drills"]
