"""One oral question being answered: confidence, the text with its draft, the lock, then the rubric point by point.

The rubric cannot be asked for before the answer is submitted, and the text cannot be changed after.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from content.cards import Card, RubricPoint
from content.drafts import Draft, Form, drop_draft, load_draft, save_draft
from content.sitting import NotNow
from grading.recall import Proposal, RubricLine, Score, propose, score

if TYPE_CHECKING:
    from content.store import Record
    from grading.days import Instant

SKELETON_S = 90
"""The clock of a skeleton, in seconds; it blocks nothing."""
SAVE_EVERY_MS = 1000
AWAY_MS = 5 * 60_000
"""Longer than this without a key press is not time spent on the answer."""
SHARES = (0.0, 0.5, 1.0)


def rubric_lines(card: Card) -> tuple[RubricLine, ...]:
    """The rubric of a card as grading reads it."""
    return lines_of(card.rubric)


def lines_of(rubric: tuple[RubricPoint, ...]) -> tuple[RubricLine, ...]:
    """These points as grading reads them."""
    return tuple(
        RubricLine(
            id=point.id,
            terms={"en": point.terms.en, "zh": point.terms.zh},
            formula=point.formula,
            of=point.of,
            weight=point.weight,
            key=point.key,
            text={"en": point.text.en, "zh": point.text.zh},
            half_if={} if point.half_if is None else {"en": point.half_if.en, "zh": point.half_if.zh},
        )
        for point in rubric
    )


class OralAsk:
    """An oral question on screen. A draft of an earlier sitting is taken up where it was left.

    Times come from the caller. Whatever is typed is on the disk within `SAVE_EVERY_MS` of typing (the caller calls `tick` at
    that pace) and when `leave` returns.
    """

    def __init__(self, record: Record, card: Card, card_key: int, rev: str, form: Form, now: Instant) -> None:
        self.card = card
        self.card_key = card_key
        self.rev = rev
        self.form = form
        self.text = ""
        self.confidence: int | None = None
        self.submitted = False
        self.resumed = False
        self._marks: dict[str, float] = {}
        self._proposals: tuple[Proposal, ...] = ()
        self._record = record
        self._spent_ms = 0
        self._started_ms = self._since_ms = now.at_ms
        self._saved_ms = 0
        self._is_saved = True
        found = load_draft(record, card_key, form)
        if found is not None:
            self._resume(found)

    def _resume(self, draft: Draft) -> None:
        self.text, self.confidence = draft.text, draft.confidence
        self._spent_ms, self._started_ms = draft.spent_ms, draft.started_ms
        self.resumed = True
        if draft.submitted:
            self._lock()
            if draft.card_rev == self.rev:  # the points of another rubric are marked anew
                known = {point.id for point in self.card.rubric}
                self._marks = {point: mark for point, mark in draft.points.items() if point in known}

    # -- the clock

    @property
    def clock_s(self) -> int:
        """The time meant for this form, in seconds."""
        return SKELETON_S if self.form == "skeleton" else round((self.card.minutes or 8.0) * 60)

    def elapsed_ms(self, now: Instant) -> int:
        """Time on the clock, earlier sittings included; it stops when the answer is submitted and while nobody types."""
        return self._spent_ms if self.submitted else self._spent_ms + self._going_ms(now)

    def _going_ms(self, now: Instant) -> int:
        return min(max(0, now.at_ms - self._since_ms), AWAY_MS)

    # -- answering

    def predict(self, percent: int, now: Instant) -> None:
        """How much of the rubric the learner expects to hit, in percent; fixed once the answer is submitted."""
        self._not_submitted()
        self.confidence = min(100, max(0, percent))
        self._touch(now)

    def write(self, text: str, now: Instant) -> None:
        """The text as it now stands in the editor."""
        self._not_submitted()
        if text != self.text:
            self.text = text
            self._touch(now)

    def submit(self, now: Instant) -> tuple[Proposal, ...]:
        """Lock the answer as it is, empty where it was spoken; returns a proposal for every point."""
        self._not_submitted()
        self._spent_ms += self._going_ms(now)
        self._since_ms = now.at_ms
        self._lock()
        self._save(now)
        return self._proposals

    def _lock(self) -> None:
        self.submitted = True
        question = {"en": self.card.front.en, "zh": self.card.front.zh}
        self._proposals = propose(self.text, rubric_lines(self.card), question)

    def _not_submitted(self) -> None:
        if self.submitted:
            raise NotNow("The answer was submitted and stays as it is.")

    def _is_submitted(self) -> None:
        if not self.submitted:
            raise NotNow("Submit the answer before the rubric is shown.")

    # -- marking

    @property
    def rubric(self) -> tuple[RubricPoint, ...]:
        """The points; NotNow before the answer was submitted."""
        self._is_submitted()
        return self.card.rubric

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """What the text seems to earn, in the order of the rubric; NotNow before the answer was submitted."""
        self._is_submitted()
        return self._proposals

    def mark(self, point_id: str, share: float, now: Instant) -> None:
        """Decide a point: 1 hit, 0.5 half, 0 missed."""
        self._is_submitted()
        if share not in SHARES or point_id not in {point.id for point in self.card.rubric}:
            raise ValueError(f"{point_id}: {share}")
        self._marks[point_id] = share
        self._touch(now)

    @property
    def decided(self) -> Mapping[str, float]:
        """The points that the learner decided."""
        return self._marks

    @property
    def marks(self) -> dict[str, float]:
        """Every point's mark: as decided, else as proposed."""
        self._is_submitted()
        return {p.point_id: self._marks.get(p.point_id, p.share) for p in self._proposals}

    @property
    def missed(self) -> tuple[str, ...]:
        """The points that earned nothing."""
        return tuple(point for point, share in self.marks.items() if share == 0)

    @property
    def score(self) -> Score:
        """The weighted share and the rating it proposes."""
        return score(self.marks, rubric_lines(self.card))

    def response(self) -> dict[str, Any]:
        """What the log keeps of the answer."""
        found = self.score
        kept: dict[str, Any] = {
            "form": self.form,
            "points": self.marks,
            "proposed": {p.point_id: p.share for p in self._proposals},
            "score": round(found.share, 4),
            "marked_by": "self",
            "clock_ms": self._spent_ms,
            "proposed_rating": int(found.rating),
        }
        if self.text.strip():
            kept["typed"] = self.text
        else:
            kept["spoken"] = True
        return kept if self.confidence is None else {**kept, "confidence": self.confidence}

    # -- the draft

    def tick(self, now: Instant) -> bool:
        """Save what was typed since, at most once in `SAVE_EVERY_MS`; True when something was written."""
        if self._is_saved or now.at_ms - self._saved_ms < SAVE_EVERY_MS:
            return False
        self._save(now)
        return True

    def leave(self, now: Instant) -> None:
        """Save what there is; the time away does not count."""
        if not self._is_saved:
            self._save(now)

    def resume(self, now: Instant) -> None:
        """The learner is back on this question."""
        self._since_ms = now.at_ms

    def keep(self, now: Instant) -> None:
        """Make this a draft again: its answer was taken back."""
        self._save(now)

    def drop(self) -> None:
        """The answer is stored: the draft goes."""
        if not self._record.read_only:
            drop_draft(self._record, self.card_key, self.form)
        self._is_saved = True

    def _touch(self, now: Instant) -> None:
        if not self.submitted:
            self._spent_ms += self._going_ms(now)
            self._since_ms = now.at_ms
        self._is_saved = False
        self.tick(now)

    def _save(self, now: Instant) -> None:
        self._saved_ms, self._is_saved = now.at_ms, True
        if self._record.read_only:
            return
        kept = Draft(
            self.card_key,
            self.form,
            self.rev,
            self.text,
            self.confidence,
            self.submitted,
            self._marks,
            self._spent_ms,
            self._started_ms,
            now.at_ms,
        )
        save_draft(self._record, kept)


__all__ = ["SAVE_EVERY_MS", "SKELETON_S", "OralAsk", "lines_of", "rubric_lines"]
