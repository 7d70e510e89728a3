"""Oral exams: which question to ask, the answer from confidence to marks, what it makes due, mock exams with one clock.

The daily skeleton moves the schedule when its question is due or new. Any other answer, and all of a mock exam, is logged
as an exam and leaves the question's own schedule alone; a missed point makes its cards due in either case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from content.cards import Card, card_from_json
from content.drafts import Form, drafts
from content.events import Purpose, Queue
from content.follow_ups import FollowUps
from content.oral import OralAsk
from content.oral_history import CameBack, EarlierAnswer, PointPast, came_back, earlier_answers, point_pasts
from content.practice import Selection
from content.queue import rows_of
from content.session import CardItem, NotNow, Session
from grading.days import Instant, study_day
from grading.memory import Phase, Rating
from grading.recall import Score

if TYPE_CHECKING:
    from content.settings import Settings
    from content.store import Record

QUESTIONS = f"""
SELECT c.card_key, c.card_id, r.body, m.queue, m.due_day, m.position, m.stability, m.last_day
FROM card c JOIN card_rev r ON r.card_key = c.card_key AND r.rev = c.rev
  JOIN memory m ON m.card_key = c.card_key AND m.learner = :learner
WHERE c.kind = 'oral' AND m.queue >= {Queue.NEW:d} ORDER BY c.position, c.card_key
"""  # noqa: S608  constants only


@dataclass(frozen=True, slots=True)
class Question:
    """A question that can be asked. `is_due` says that answering it today moves its schedule; `drafts` are forms begun."""

    card: Card
    card_key: int
    is_new: bool
    is_due: bool
    due_day: int | None
    drafts: tuple[Form, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """A question that was answered, or passed over (`rating` None)."""

    card: Card
    form: Form
    rating: Rating | None
    score: Score | None = None
    marks: dict[str, float] | None = None
    confidence: int | None = None
    text: str = ""
    elapsed_ms: int = 0
    made_due: tuple[str, ...] = ()
    came_back: CameBack = field(default_factory=CameBack)
    moved_schedule: bool = False


def questions(record: Record, settings: Settings, now: Instant) -> tuple[Question, ...]:
    """All oral questions in the order of their packs."""
    day = study_day(now, settings.rollover_hour)
    begun: dict[int, tuple[Form, ...]] = {}
    for draft in drafts(record):
        begun[draft.card_key] = (*begun.get(draft.card_key, ()), draft.form)
    found = []
    for key, _, body, queue, due_day, _, _, last_day in rows_of(record)(QUESTIONS, {"learner": settings.learner}):
        is_due = queue == Queue.NEW or queue == Queue.STEPS or (due_day is not None and due_day <= day)
        is_due = is_due and (queue == Queue.STEPS or last_day != day)
        found.append(Question(card_from_json(body), key, queue == Queue.NEW, is_due, due_day, begun.get(key, ())))
    return tuple(found)


def daily_question(record: Record, settings: Settings, now: Instant) -> Question | None:
    """The question of the day: one that was begun, the one longest due, the next new one, else the one due soonest."""

    def order(question: Question) -> tuple[int, int]:
        if question.drafts:
            return 0, 0
        if question.is_due and not question.is_new:
            return 1, question.due_day or 0
        return (2, 0) if question.is_new else (3, question.due_day or 0)

    return min(questions(record, settings, now), key=order, default=None)


def random_questions(found: Sequence[Question], count: int, seed: int) -> tuple[Question, ...]:
    """So many of the questions, each at most once, in an order that follows from the seed."""
    from grading.drill import seeds_from

    drawn = sorted(zip(seeds_from(seed, len(found)), found, strict=True), key=lambda pair: pair[0])
    return tuple(question for _, question in drawn[: max(0, count)])


class ExamSession:
    """One or several oral questions in a row. `ask` is the one on screen, None when all are done.

    Name `cards` by their ids, or a `count` of random ones for a mock exam (`seed` fixes which), or neither for the question
    of the day. `minutes` is the total clock of a mock exam; it ends nothing by itself.
    """

    def __init__(
        self,
        record: Record,
        settings: Settings,
        now: Instant,
        *,
        new_id: Callable[[int], str],
        form: Form | None = None,
        cards: Sequence[str] = (),
        count: int | None = None,
        minutes: float | None = None,
        seed: int | None = None,
        lang: str = "en",
    ) -> None:
        self.record = record
        self.settings = settings
        self.is_mock = count is not None
        self.form: Form = form or ("full" if self.is_mock else "skeleton")
        self.minutes = minutes
        self.results: list[Result] = []
        self.ask: OralAsk | None = None
        self._undone: list[Result] = []
        self._new_id = new_id
        self._started_ms = now.at_ms
        self.questions = self._chosen(now, cards, count, seed)
        keys = tuple(question.card_key for question in self.questions)
        selection = Selection("cards", len(keys), keys=keys, repeats=False)
        self._session = Session(
            record, settings, now, new_id=new_id, purpose=Purpose.EXAM, lang=lang, selection=selection
        )
        self._show(now)

    def _chosen(self, now: Instant, cards: Sequence[str], count: int | None, seed: int | None) -> tuple[Question, ...]:
        found = questions(self.record, self.settings, now)
        if cards:
            by_id = {question.card.id: question for question in found}
            missing = [card_id for card_id in cards if card_id not in by_id]
            if missing:
                raise LookupError(f"There is no oral question {missing[0]} to ask; `shardrill exam` lists them.")
            return tuple(by_id[card_id] for card_id in cards)
        if count is not None:
            from content.drilling import seed_from

            return random_questions(found, count, seed_from(self._new_id(now.at_ms)) if seed is None else seed)
        question = daily_question(self.record, self.settings, now)
        return () if question is None else (question,)

    # -- where it stands

    @property
    def index(self) -> int:
        """How many questions are behind."""
        return len(self.results)

    @property
    def moves_schedule(self) -> bool:
        """Whether answering the question on screen moves its schedule: it is due or new, and this is no mock exam."""
        item = self._session.item
        if self.is_mock or not isinstance(item, CardItem):
            return False
        day, memory = self._session.day, item.memory
        if memory.phase is not Phase.REVIEW:
            return True
        return memory.due_day is not None and memory.due_day <= day and memory.last_day != day

    def elapsed_ms(self, now: Instant) -> int:
        """Time since the exam began."""
        return max(0, now.at_ms - self._started_ms)

    def left_ms(self, now: Instant) -> int | None:
        """What is left of the total clock, negative when it is over; None without one."""
        return None if self.minutes is None else round(self.minutes * 60_000) - self.elapsed_ms(now)

    def earlier(self) -> tuple[EarlierAnswer, ...]:
        """Earlier answers to the question on screen, newest first; NotNow before it is submitted."""
        ask = self._submitted()
        return earlier_answers(self.record, ask.card, ask.card_key)

    def missed_last_time(self) -> int:
        """How many points the last answer to the question on screen missed: all that may be said before answering."""
        if self.ask is None:
            return 0
        last = next(iter(earlier_answers(self.record, self.ask.card, self.ask.card_key)), None)
        known = {point.id for point in self.ask.card.rubric}
        return 0 if last is None else sum(share == 0 for point, share in last.points.items() if point in known)

    def came_back(self) -> CameBack:
        """Which of the points missed last time were said this time, by the marks as they stand."""
        return came_back(self._submitted().marks, next(iter(self.earlier()), None))

    def pasts(self) -> tuple[PointPast, ...]:
        """The past of every point of the question on screen; NotNow before it is submitted."""
        return point_pasts(self._submitted().card, self.earlier())

    def _submitted(self) -> OralAsk:
        if self.ask is None or not self.ask.submitted:
            raise NotNow("Submit the answer first.")
        return self.ask

    # -- steps

    def answer(self, rating: Rating, now: Instant) -> Result:
        """Store the answer on screen with its marks and go on; what it missed is due when this returns."""
        ask, session = self._submitted(), self._session
        moves, back = self.moves_schedule, self.came_back()
        session.purpose = Purpose.REVIEW if moves else Purpose.EXAM
        session.reveal(now)
        took_ms = ask.elapsed_ms(now)
        answered = session.answer(rating, now, took_ms=took_ms)
        result = Result(
            card=ask.card,
            form=ask.form,
            rating=Rating(rating),
            score=ask.score,
            marks=ask.marks,
            confidence=ask.confidence,
            text=ask.text,
            elapsed_ms=took_ms,
            made_due=answered.made_due,
            came_back=back,
            moved_schedule=moves,
        )
        self._went_on(result, now)
        return result

    def skip(self, now: Instant) -> None:
        """Pass the question over; what was typed stays as its draft."""
        if self.ask is None:
            raise NotNow("There is no question on screen.")
        self.ask.leave(now)
        result = Result(self.ask.card, self.ask.form, None)
        self._session.pass_over(now)
        self._went_on(result, now)

    def leave(self, now: Instant) -> None:
        """The learner leaves: what was typed is on the disk when this returns."""
        if self.ask is not None:
            self.ask.leave(now)

    def undo(self, now: Instant) -> bool:
        """Take the last answer or skip back, the cards it made due included: it is marked again. False if there is none."""
        if self._session.undo(now) is None:
            return False
        self._undone.append(self.results.pop())
        self._show(now)
        return True

    def redo(self, now: Instant) -> bool:
        """Do again what was undone last."""
        if self._session.redo(now) is None:
            return False
        self.results.append(self._undone.pop())
        self._show(now)
        return True

    def follow_ups(self, now: Instant) -> FollowUps | None:
        """Follow-ups to the question answered last; None where it was not answered well, or no drill belongs to it."""
        last = self.results[-1] if self.results else None
        if last is None or last.rating is None or last.rating < Rating.GOOD:
            return None
        found = FollowUps(self.record, self.settings, last.card, now, new_id=self._new_id)
        return found if found.item is not None else None

    def _went_on(self, result: Result, now: Instant) -> None:
        self.results.append(result)
        self._undone.clear()
        self._show(now)

    def _show(self, now: Instant) -> None:
        is_card = isinstance(self._session.item, CardItem)
        self.ask = self._session.oral(now, self.form) if is_card else None
        if self.ask is not None:
            self.ask.resume(now)


def exam_json(result: Result, lang: str) -> dict[str, Any]:
    """A result as the command line prints it."""
    return {
        "card": result.card.id,
        "question": result.card.front.of(lang),
        "form": result.form,
        "share": None if result.score is None else round(result.score.share, 4),
        "confidence": result.confidence,
        "rating": None if result.rating is None else int(result.rating),
        "points": result.marks or {},
        "made_due": list(result.made_due),
    }


__all__ = ["ExamSession", "Question", "Result", "daily_question", "exam_json", "questions", "random_questions"]
