"""Where an oral answer goes: into the sitting of Review, or into an exam of its own; both are asked alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.exam import ExamSession
from content.oral_history import EarlierAnswer, earlier_answers
from content.sitting import CardItem
from tui.words import current

if TYPE_CHECKING:
    from content.cards import Card
    from content.drafts import Form
    from content.oral import OralAsk
    from content.session import Session
    from content.settings import Settings
    from content.sitting import Answered
    from content.store import Record
    from grading.days import Instant
    from grading.schedule import Outcomes, Rating


class ReviewDesk:
    """The oral card on which a sitting stands."""

    is_exam = False
    has_more = False
    has_past = False

    def __init__(self, session: Session, form: Form = "skeleton") -> None:
        self.session = session
        self.form: Form = form
        self.answered: Answered | None = None

    @property
    def record(self) -> Record:
        return self.session.record

    @property
    def settings(self) -> Settings:
        return self.session.settings

    @property
    def moves(self) -> bool:
        """Whether rating moves the question's schedule."""
        return self.session.moves_schedule

    @property
    def outcomes(self) -> Outcomes | None:
        """What each rating would do; None where that is not known before."""
        return self.session.outcomes

    def begin(self, now: Instant) -> OralAsk | None:
        """The question on screen with its draft."""
        if not isinstance(self.session.item, CardItem):
            return None
        begun = self.session.oral_begun
        if begun is not None and begun.submitted:  # an answer that was taken back comes in the form it had
            self.form = begun.form
        return self.session.oral(now, self.form)

    def reveal(self, now: Instant) -> None:
        """The marks are taken: compute what each rating would do."""
        self.session.reveal(now)

    def rate(self, ask: OralAsk, rating: Rating, now: Instant) -> tuple[str, ...]:
        """Store the answer; returns the ids of the cards that it made due. Raises DayTurned."""
        kept = {"lang_shown": current()}
        self.answered = self.session.answer(rating, now, took_ms=ask.elapsed_ms(now), response=kept)
        return self.answered.made_due


class SoloDesk:
    """The questions of an exam, one after the other."""

    is_exam = True
    outcomes = None

    def __init__(self, exam: ExamSession) -> None:
        self.exam = exam
        self.answered = None

    @property
    def has_more(self) -> bool:
        """Whether another question follows the one on screen."""
        return self.exam.index + 1 < len(self.exam.questions)

    @property
    def has_past(self) -> bool:
        """Whether there is an answer of this exam to take back."""
        return bool(self.exam.results)

    @property
    def form(self) -> Form:
        """In which form the questions are asked."""
        return self.exam.form

    @property
    def record(self) -> Record:
        return self.exam.record

    @property
    def settings(self) -> Settings:
        return self.exam.settings

    @property
    def moves(self) -> bool:
        return self.exam.moves_schedule

    def begin(self, now: Instant) -> OralAsk | None:  # noqa: ARG002 - the exam resumes a question itself
        """The question on screen; None when all are done."""
        return self.exam.ask

    def reveal(self, now: Instant) -> None:
        """Nothing is computed before the rating."""

    def rate(self, ask: OralAsk, rating: Rating, now: Instant) -> tuple[str, ...]:  # noqa: ARG002 - as above
        return self.exam.answer(rating, now).made_due


Desk = ReviewDesk | SoloDesk


def earlier_of(desk: Desk, ask: OralAsk) -> tuple[EarlierAnswer, ...]:
    """Earlier answers to a question, newest first."""
    return earlier_answers(desk.record, ask.card, ask.card_key)


def missed_last_time(desk: Desk, ask: OralAsk) -> int:
    """How many points of the present rubric the last answer missed: all that may be said before answering."""
    last = next(iter(earlier_of(desk, ask)), None)
    known = {point.id for point in ask.card.rubric}
    return 0 if last is None else sum(share == 0 for point, share in last.points.items() if point in known)


def cards_of(record: Record, card_ids: tuple[str, ...]) -> list[Card]:
    """The cards with these ids, as they now stand."""
    from content.cards import card_from_json

    rows = (record.card(card_id) for card_id in card_ids)
    return [card_from_json(row.body) for row in rows if row is not None]


__all__ = ["Desk", "ReviewDesk", "SoloDesk", "cards_of", "earlier_of", "missed_last_time"]
