"""What became of an oral question over time: earlier answers with the rubric they were marked by, and each point's own past."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from content.cards import Card, RubricPoint, card_from_json
from content.drilling import stored
from content.events import Kind
from content.history import effective
from content.oral import lines_of
from grading.recall import score

if TYPE_CHECKING:
    from content.events import NewEvent
    from content.store import Record

LATEST = 400
"""So many of a question's latest events are looked at."""


@dataclass(frozen=True, slots=True)
class EarlierAnswer:
    """An answer as it was submitted, with the rubric of that time.

    `share` is the weighted share of that rubric's points, so that answers to different versions can be compared. `text` is
    None where the answer was spoken, `confidence` the share predicted, in percent.
    """

    event_id: str
    day: int
    at_ms: int
    form: str
    purpose: str
    text: str | None
    confidence: int | None
    points: Mapping[str, float]
    share: float
    rating: int
    rubric: tuple[RubricPoint, ...]
    same_rubric: bool
    marked_by: str = "self"


@dataclass(frozen=True, slots=True)
class PointPast:
    """One point over the answers, oldest first: (study day, share); None where that version did not have the point."""

    point_id: str
    marks: tuple[tuple[int, float | None], ...]

    @property
    def misses(self) -> int:
        """How often it was missed."""
        return sum(mark == 0 for _, mark in self.marks)


@dataclass(frozen=True, slots=True)
class CameBack:
    """Of the points missed last time: which were said now, and which were missed again."""

    back: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


def earlier_answers(record: Record, card: Card, card_key: int) -> tuple[EarlierAnswer, ...]:
    """The answers to a question that hold, newest first."""
    rubrics: dict[str, tuple[RubricPoint, ...] | None] = {}
    found = []
    for event in reversed(effective(record.events_of(card_key, limit=LATEST))):
        response = stored(event)
        points = response.get("points")
        if event.kind is not Kind.ATTEMPT or not isinstance(points, Mapping):
            continue
        rev = event.card_rev or ""
        if rev not in rubrics:
            rubrics[rev] = _rubric(record, card_key, rev)
        found.append(_answer(event, response, rubrics[rev], card.rubric))
    return tuple(found)


def _answer(
    event: NewEvent,
    response: Mapping[str, Any],
    then: tuple[RubricPoint, ...] | None,
    present: tuple[RubricPoint, ...],
) -> EarlierAnswer:
    rubric = present if then is None else then
    points = {
        str(key): min(1.0, max(0.0, float(value)))
        for key, value in response["points"].items()
        if isinstance(value, int | float)
    }
    said, sure = response.get("typed"), response.get("confidence")
    return EarlierAnswer(
        event_id=event.event_id,
        day=event.day,
        at_ms=event.at_ms,
        form=str(response.get("form", "full")),
        purpose=str(event.purpose or ""),
        text=said if isinstance(said, str) else None,
        confidence=sure if isinstance(sure, int) else None,
        points=points,
        share=score(points, lines_of(rubric)).share,
        rating=event.rating or 1,
        rubric=rubric,
        same_rubric=rubric == present,
        marked_by=str(response.get("marked_by", "self")),
    )


def _rubric(record: Record, card_key: int, rev: str) -> tuple[RubricPoint, ...] | None:
    body = record.revision(card_key, rev)
    return None if body is None else card_from_json(body).rubric


def point_pasts(card: Card, answers: Sequence[EarlierAnswer]) -> tuple[PointPast, ...]:
    """The past of every present point, in the order of the rubric; `answers` as `earlier_answers` gives them."""
    return tuple(
        PointPast(point.id, tuple((answer.day, answer.points.get(point.id)) for answer in reversed(answers)))
        for point in card.rubric
    )


def came_back(marks: Mapping[str, float], before: EarlierAnswer | None) -> CameBack:
    """What became of the points that the answer `before` missed, by the marks of the present one."""
    if before is None:
        return CameBack()
    missed = [point for point, share in before.points.items() if share == 0 and point in marks]
    return CameBack(
        tuple(point for point in missed if marks[point] > 0), tuple(point for point in missed if marks[point] == 0)
    )


__all__ = ["CameBack", "EarlierAnswer", "PointPast", "came_back", "earlier_answers", "point_pasts"]
