"""After an oral answer was submitted: its rubric point by point, then score, rating, traps, model answer, earlier answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content

from content.sitting import Answered, DayTurned
from grading.schedule import Rating
from tui import exam_words
from tui.intervals import RATING_NAMES, rating_name, short_interval
from tui.screens.base import SubScreen
from tui.screens.exam_sheet import beside, result_paras
from tui.widgets.editor import AnswerEditor
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.rating_bar import BarButton
from tui.widgets.rubric_list import RubricList, RubricRow
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.cards import Card
    from content.oral import OralAsk
    from content.oral_history import EarlierAnswer
    from grading.days import Instant
    from tui.exam_desk import Desk

GUESS, WRITE, MARK, RESULT = "guess", "write", "mark", "result"
"""The stages of one question, in order."""


class ExamMarks(SubScreen[Answered | None]):
    """What an oral question needs once its answer is locked; `ExamScreen` asks it."""

    # All in one class: of a key that means different things in different stages a subclass would hide the others.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f9,ctrl+s", "submit", N_("submit"), id="exam.submit"),
        *(Binding(str(n), f"guess({n})", show=False) for n in range(1, 6)),
        Binding("enter,space", "go_on", N_("go on"), id="exam.go-on", show=False),
        Binding("l,f6", "form", N_("other form"), id="exam.form"),
        Binding("f4,ctrl+g", "editor", N_("own editor"), id="exam.editor"),
        Binding("f2,ctrl+o", "question", N_("question"), id="exam.question"),
        Binding("s,f10", "pass_over", N_("next question"), id="exam.pass-over"),
        Binding("u,ctrl+u", "undo_answer", N_("undo answer"), id="exam.undo-answer"),
        Binding("f5", "undo_text", N_("undo"), id="exam.undo"),
        Binding("f6", "redo_text", N_("redo"), id="exam.redo", show=False),
        Binding("h", "mark(1.0)", N_("hit"), id="exam.hit"),
        Binding("f", "mark(0.5)", N_("half"), id="exam.half"),
        Binding("m", "mark(0.0)", N_("missed"), id="exam.missed"),
        Binding("right", "shift_mark(1)", N_("more"), show=False),
        Binding("left", "shift_mark(-1)", N_("less"), show=False),
        Binding("b,ctrl+b", "before", N_("earlier answers"), id="exam.before"),
        Binding("n,ctrl+n", "follow_up", N_("follow-up"), id="exam.follow-up"),
        Binding("1,f4", "rate(1)", N_("Again"), id="exam.again", show=False),
        Binding("2,f5", "rate(2)", N_("Hard"), id="exam.hard", show=False),
        Binding("3,f6", "rate(3)", N_("Good"), id="exam.good", show=False),
        Binding("4,f7", "rate(4)", N_("Easy"), id="exam.easy", show=False),
        Binding("pagedown", "scroll_sheet('page_down')", N_("page down"), show=False),
        Binding("pageup", "scroll_sheet('page_up')", N_("page up"), show=False),
    ]

    def __init__(self, desk: Desk) -> None:
        super().__init__()
        self.desk = desk
        self.ask: OralAsk | None = None
        self.stage = GUESS
        self.earlier: tuple[EarlierAnswer, ...] = ()
        self.compared = 0  # which earlier answer stands beside, from 1; 0 for none
        self.now_due: list[Card] = []

    # -- what ExamScreen does ---------------------------------------------------------------------------------------

    def show_stage(self) -> None:
        """Draw everything for the stage."""
        raise NotImplementedError

    def begin(self, now: Instant) -> None:
        """Take up the question on which the desk stands."""
        raise NotImplementedError

    def keep_draft(self) -> None:
        """What was typed or marked, onto the disk."""
        raise NotImplementedError

    def answered(self, rating: Rating, made_due: tuple[str, ...]) -> None:
        """The answer is stored, and has made these cards due."""
        raise NotImplementedError

    # -- marking ----------------------------------------------------------------------------------------------------

    @property
    def rubric(self) -> RubricList:
        return self.query_one("#rubric", RubricList)

    @property
    def sheet(self) -> VerticalScroll:
        return self.query_one("#sheet", VerticalScroll)

    def begin_marking(self) -> None:
        """The text is locked: read the question's past, show the rubric."""
        from tui.exam_desk import earlier_of

        ask = self.ask
        assert ask is not None
        self.stage = MARK
        self.earlier = earlier_of(self.desk, ask)
        self.rubric.show(self.rows(), restart=True)
        self.show_stage()
        self.sheet.scroll_home(animate=False)
        self.set_focus(self.rubric)

    def rows(self) -> list[RubricRow]:
        """The points as they stand."""
        from content.oral_history import point_pasts

        ask = self.ask
        if ask is None or not ask.submitted:
            return []
        pasts = {past.point_id: past for past in point_pasts(ask.card, self.earlier)}
        marks, rows = ask.marks, []
        for point, proposal in zip(ask.rubric, ask.proposals, strict=True):
            notes = (exam_words.proposal_note(proposal, ask.text), exam_words.past_note(pasts.get(point.id)))
            rows.append(
                RubricRow(
                    point.id,
                    self.shard.glyphs.text(exam_words.point_text(point)),
                    marks[point.id],
                    point.id in ask.decided,
                    tuple(self.shard.glyphs.text(note) for note in notes if note),
                    tuple(filter(None, [exam_words.half_note(point)])),
                )
            )
        return rows

    def action_mark(self, share: float) -> None:
        """Decide the point under the cursor, and go to the next."""
        row = self.rubric.current
        if self.ask is None or row is None:
            return
        self.ask.mark(row.point_id, share, self.shard.clock.now())
        at_end = self.rubric.at_end
        self.rubric.show(self.rows())
        self.rubric.action_move(1)
        self.refresh_top()
        if at_end:
            self.say(_("All points are marked; Enter shows the score."))

    def action_shift_mark(self, by: int) -> None:
        """A mark more or less, for hands that cannot type letters."""
        row = self.rubric.current
        if self.ask is None or row is None:
            return
        share = min(1.0, max(0.0, row.share + by / 2))
        self.ask.mark(row.point_id, share, self.shard.clock.now())
        self.rubric.show(self.rows())
        self.refresh_top()

    def on_rubric_list_clicked(self, message: RubricList.Clicked) -> None:
        """A click on the point under the cursor goes through its marks."""
        row = self.rubric.current
        if self.stage == MARK and message.again and self.ask is not None and row is not None:
            following = {1.0: 0.5, 0.5: 0.0, 0.0: 1.0}[row.share]
            self.ask.mark(row.point_id, following, self.shard.clock.now())
            self.rubric.show(self.rows())

    def take_marks(self, now: Instant) -> None:
        """Every proposed mark that was not changed is taken; the score follows."""
        from content.actions import Actions
        from content.missed_points import due_changes
        from tui.exam_desk import cards_of

        ask, desk = self.ask, self.desk
        assert ask is not None
        for point, share in ask.marks.items():
            if point not in ask.decided:
                ask.mark(point, share, now)
        desk.reveal(now)
        actions = Actions(desk.record, desk.settings, self.shard.clock.new_event_id)
        due = tuple(made.card_id for made in due_changes(actions, ask.card, ask.missed, now))
        self.now_due = cards_of(desk.record, due)
        self.stage = RESULT
        self.compared = 0
        self.show_stage()
        self.sheet.scroll_home(animate=False)
        self.set_focus(None)

    # -- the result -------------------------------------------------------------------------------------------------

    def draw_sheet(self) -> None:
        """The locked answer under the rubric, or the result."""
        ask = self.ask
        if ask is None or self.stage not in (MARK, RESULT):
            return
        self.rubric.display = self.stage == MARK
        self.query_one("#result", Flow).display = self.stage == RESULT
        width = max(20, min(self.size.width - 4, 72))
        if self.stage == MARK:
            self.rubric.show(self.rows())
            self.query_one("#answer", Flow).show(self._locked(ask))
        elif self.compared:
            earlier = self.earlier[self.compared - 1]
            self.query_one("#result", Flow).show(beside(ask, earlier, width))
            self.query_one("#answer", Flow).show(())
        else:
            self.query_one("#result", Flow).show(result_paras(ask, self.earlier, self.now_due))
            self.query_one("#answer", Flow).show([BLANK, *self._locked(ask)])

    def _locked(self, ask: OralAsk) -> list[Para]:
        """The answer as it was submitted, with what was found in it underlined."""
        head = Para(_("Your answer, as submitted"), style="bold")
        if not ask.text.strip():
            return [BLANK, Para(_("Spoken aloud: mark what you said."), style="bold")]
        if visible(ask.text) != ask.text:  # signs that are shown by others would move the places
            return [BLANK, head, Para(visible(ask.text))]
        content = Content(ask.text)
        for proposal in ask.proposals:
            if proposal.share:
                for start, end in proposal.spans:
                    content = content.stylize("underline", start, end)
        return [BLANK, head, Para(content)]

    def action_before(self) -> None:
        """Put the next earlier answer beside this one; after the oldest, none again."""
        if not self.earlier:
            self.say(_("This is the first answer to this question."))
            return
        self.compared = (self.compared + 1) % (len(self.earlier) + 1)
        self.draw_sheet()
        self.sheet.scroll_home(animate=False)

    def action_follow_up(self) -> None:
        """A problem that changes one thing of the question, three deep at most; nothing is scheduled by it."""
        ask = self.ask
        if ask is None:
            return
        if ask.score.rating < Rating.GOOD:
            self.say(_("Follow-ups come after a good answer."))
            return
        from content.follow_ups import FollowUps
        from tui.screens.follow_up import FollowUpScreen

        desk, now = self.desk, self.shard.clock.now()
        found = FollowUps(desk.record, desk.settings, ask.card, now, new_id=self.shard.clock.new_event_id)
        if found.item is None:
            self.say(_("No drill goes with this question."))
        else:
            self.shard.push_screen(FollowUpScreen(found))

    def rating_buttons(self) -> list[BarButton]:
        """The ratings; Enter takes the proposed one."""
        assert self.ask is not None
        proposed, outcomes = self.ask.score.rating, self.desk.outcomes
        buttons = []
        for rating in self.ratings():
            shows = outcomes is not None and self.desk.moves and self.shard.settings.show_intervals
            detail = short_interval(outcomes.of(rating)) if shows and outcomes is not None else ""
            key = f"Enter {int(rating)}" if rating is proposed else str(int(rating))
            buttons.append(BarButton(key, _(RATING_NAMES[rating]), detail, f"rate({int(rating)})"))
        return buttons

    def ratings(self) -> tuple[Rating, ...]:
        """The ratings on offer; the proposed one always is."""
        if not self.shard.settings.two_buttons or self.ask is None:
            return tuple(Rating)
        return tuple(sorted({Rating.AGAIN, Rating.GOOD, self.ask.score.rating}))

    def action_rate(self, rating: int) -> None:
        """Store the answer with this rating."""
        ask = self.ask
        if ask is None or self.stage != RESULT:
            return
        now = self.shard.clock.now()
        try:
            made_due = self.desk.rate(ask, Rating(rating), now)
        except DayTurned:
            self.show_stage()
            self.say(_("A new study day has begun. The intervals are new; rate once more."))
            return
        self.answered(Rating(rating), made_due)

    def told(self, rating: Rating, made_due: tuple[str, ...]) -> str:
        """One sentence on what the answer did."""
        text = _("Kept: {rating}.").format(rating=rating_name(rating))
        if made_due:
            due = ngettext(
                "{n} card is due today because of it.", "{n} cards are due today because of it.", len(made_due)
            )
            text += " " + due.format(n=len(made_due))
        return text

    def action_pass_over(self) -> None:
        """The next question of the exam; what was typed stays as its draft."""
        from tui.exam_desk import SoloDesk

        if isinstance(self.desk, SoloDesk):
            self.keep_draft()
            self.desk.exam.skip(self.shard.clock.now())
            self.begin(self.shard.clock.now())

    def action_undo_answer(self) -> None:
        """Take the last answer of this exam back, the cards it made due included; it is marked again."""
        from tui.exam_desk import SoloDesk

        if isinstance(self.desk, SoloDesk):
            self.keep_draft()
            if self.desk.exam.undo(self.shard.clock.now()):
                self.begin(self.shard.clock.now())
                self.say(_("Undone: the last answer."))
            else:
                self.say(_("Nothing to undo in this sitting."))

    def action_scroll_sheet(self, how: str) -> None:
        """Scroll the rubric or the result; the editor has keys of its own."""
        getattr(self.sheet, f"scroll_{how}")(animate=False)

    @property
    def editor(self) -> AnswerEditor:
        """Where the answer is typed."""
        return self.query_one("#editor", AnswerEditor)


__all__ = ["GUESS", "MARK", "RESULT", "WRITE", "ExamMarks"]
