"""Which oral question: one of the list, as a skeleton or in full, or a mock exam of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from tui.exam_words import form_name
from tui.pace import clock_text
from tui.screens.choice import ChoiceScreen
from tui.widgets.flow import Para, visible
from tui.widgets.row_list import Row
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from collections.abc import Callable

    from content.drafts import Form
    from content.exam import ExamSession, Question
    from content.store import Record
    from grading.days import Instant

MOCK = "mock"
COUNT = 3
"""Questions of a mock exam, until the learner says otherwise."""


class ExamChoiceScreen(ChoiceScreen):
    """The list of questions. With `count` a mock exam begins at once, with the total clock `minutes`."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "begin", N_("begin"), id="exam-choice.begin", key_display="Enter"),
        Binding("a,f4", "full", N_("full answer"), id="exam-choice.full"),
        Binding("m,f5", "mock", N_("mock exam"), id="exam-choice.mock"),
        Binding("right,plus,equals_sign", "count(1)", N_("more questions"), show=False),
        Binding("left,minus", "count(-1)", N_("fewer questions"), show=False),
        Binding("u,ctrl+u", "undo", N_("undo answer"), id="exam-choice.undo"),
    ]

    def __init__(self, *, count: int | None = None, minutes: float | None = None) -> None:
        super().__init__()
        self._at_once = count is not None or minutes is not None
        self.count = count or COUNT
        self.minutes = minutes
        self.questions: tuple[Question, ...] = ()
        self._last: ExamSession | None = None

    async def read(self, record: Record) -> None:
        self._look(record)

    def _look(self, record: Record) -> None:
        from content.exam import questions

        self.questions = questions(record, self.shard.settings, self.shard.clock.now())

    def begin_at_once(self) -> None:
        if self._at_once and self.questions:
            self._at_once = False
            self.action_mock()

    # -- texts ------------------------------------------------------------------------------------------------------

    def top_text(self) -> tuple[str, str]:
        count = len(self.questions)
        told = ngettext("{n} question", "{n} questions", count).format(n=count) if count else ""
        return _("Oral exam"), told

    def told(self) -> list[Para]:
        return [] if self.questions else [Para(_("No pack has an oral question."))]

    def rows(self) -> list[Row]:
        rows = [Row(MOCK, _("Mock exam, random questions"), f"< {self._mock_text()} >")] if self.questions else []
        lang = self.shard.lang
        order = sorted(self.questions, key=lambda question: not question.drafts)
        rows += [
            Row(question.card.id, visible(" ".join(question.card.front.of(lang).split())), self._state(question))
            for question in order
        ]
        return rows

    def _mock_text(self) -> str:
        count = min(self.count, len(self.questions))
        told = ngettext("{n} question", "{n} questions", count).format(n=count)
        return told + " " + _("in {n} min").format(n=f"{self._clock_minutes():g}")

    def _clock_minutes(self) -> float:
        """The total clock: as asked for, else the mean time of a question times their number."""
        if self.minutes is not None:
            return self.minutes
        each = [question.card.minutes or 8.0 for question in self.questions]
        return float(round(sum(each) / len(each) * min(self.count, len(each)))) if each else 0.0

    def _state(self, question: Question) -> str:
        if question.drafts:
            return _("draft: {form}").format(form=form_name(question.drafts[0]))
        if question.is_new:
            return _("new")
        return _("due") if question.is_due else ""

    # -- beginning --------------------------------------------------------------------------------------------------

    def _chosen(self) -> Question | None:
        row = self.choices.current
        return next((q for q in self.questions if row is not None and q.card.id == row.name), None)

    def action_begin(self) -> None:
        """The question under the cursor, in the form that was begun, else as a skeleton; on the first line a mock exam."""
        question = self._chosen()
        if question is None:
            self.action_mock()
        else:
            self._start(question.drafts[0] if question.drafts else "skeleton", question)

    def action_full(self) -> None:
        """The question under the cursor as a full answer."""
        question = self._chosen()
        if question is not None:
            self._start("full", question)

    def action_count(self, by: int) -> None:
        """More or fewer questions in a mock exam."""
        self.count = min(max(self.count + by, 1), max(len(self.questions), 1))
        self.draw()

    def action_mock(self) -> None:
        """Random questions, one total clock, a report at the end."""
        if self.questions:
            self._start("full", None)

    def _start(self, form: Form, question: Question | None) -> None:
        from content.exam import ExamSession

        if self.record is None:
            return
        mock = question is None
        exam = ExamSession(
            self.record,
            self.shard.settings,
            self.shard.clock.now(),
            new_id=self.shard.clock.new_event_id,
            form=form,
            cards=(question.card.id,) if question is not None else (),
            count=self.count if mock else None,
            minutes=self._clock_minutes() if mock else None,
            lang=self.shard.lang,
        )
        self._push(exam)

    def _push(self, exam: ExamSession) -> None:
        from tui.exam_desk import SoloDesk
        from tui.screens.exam import ExamScreen

        self._last = exam
        screen = ExamScreen(SoloDesk(exam), clock=self._clock_of(exam) if exam.is_mock else None)
        self.shard.push_screen(screen, lambda _result: self._back(exam))

    def _clock_of(self, exam: ExamSession) -> Callable[[Instant], str]:
        def told(now: Instant) -> str:
            left = exam.left_ms(now)
            place = _("{n} of {all}").format(n=min(exam.index + 1, len(exam.questions)), all=len(exam.questions))
            if left is None:
                return place
            time = clock_text(abs(left))
            return f"{place}  " + (_("{time} left") if left >= 0 else _("{time} over")).format(time=time)

        return told

    def _back(self, exam: ExamSession) -> None:
        if self.record is not None:
            self._look(self.record)
        self.draw()
        self.refresh_bindings()
        if not exam.is_mock or not exam.results:
            return
        from tui.exam_file import write_report

        try:
            file = write_report(self.shard.places, exam, self.shard.clock.now())
        except OSError as error:
            self.say(_("The report could not be written: {why}.").format(why=error.strerror or str(error)))
            return
        from tui.screens.exam_report import ExamReportScreen

        self.shard.push_screen(ExamReportScreen(file))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return self._last is not None and bool(self._last.results) if action == "undo" else True

    def action_undo(self) -> None:
        """Take the last answer back, the cards it made due included; it is marked again."""
        exam = self._last
        if exam is not None and exam.undo(self.shard.clock.now()):
            self._push(exam)


__all__ = ["ExamChoiceScreen"]
