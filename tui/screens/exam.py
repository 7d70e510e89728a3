"""An oral question: first how much one expects to say, then the answer, typed or aloud, then its rubric and the rating.

The rubric is not on screen before the answer is submitted, and the answer cannot be changed after. What is typed is on the disk
within a second: a draft outlives quitting, a kill and a lost connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import TextArea

from tui import exam_words
from tui.pace import KeyGate, clock_text
from tui.screens.base import Rule, TopLine, margin
from tui.screens.exam_rubric import GUESS, MARK, RESULT, WRITE, ExamMarks
from tui.widgets.editor import MAX_CHARACTERS, AnswerEditor
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.rating_bar import BarButton, RatingBar
from tui.widgets.rubric_list import RubricList
from tui.words import _, ngettext

if TYPE_CHECKING:
    from grading.days import Instant
    from grading.schedule import Rating
    from tui.exam_desk import Desk

TICK_SECONDS = 0.25
"""So often is looked whether a second has passed: a draft is at most a second and this old."""
SMALL_HEIGHT = 16
SMALL_QUESTION = 3
"""Rows of the question beside the editor of a small window; F2 shows all of it."""
STAGE_ACTIONS = {
    "guess": GUESS,
    "form": GUESS,
    "submit": WRITE,
    "editor": WRITE,
    "question": WRITE,
    "undo_text": WRITE,
    "redo_text": WRITE,
    "mark": MARK,
    "shift_mark": MARK,
    "rate": RESULT,
    "before": RESULT,
    "follow_up": RESULT,
}
"""Actions that mean something in one stage only."""


class ExamScreen(ExamMarks):
    """Asks the question on which `desk` stands, in an exam one after the other; dismisses with what the last answer did, or
    None when it was left (of an exam always None: it knows its results).

    With `clock` (a text for the top line, for a mock exam) the time of all questions is shown as well.
    """

    DEFAULT_CSS = """
    ExamScreen #desk { height: 1fr; layout: vertical; }
    ExamScreen #asked { height: auto; max-height: 50%; scrollbar-size-vertical: 1; }
    ExamScreen #sheet { height: 1fr; scrollbar-size-vertical: 1; }
    ExamScreen #editor { margin-top: 1; }
    ExamScreen.-small #editor { margin-top: 0; }
    """

    def __init__(self, desk: Desk, *, clock: Callable[[Instant], str] | None = None) -> None:
        super().__init__(desk)
        self._clock = clock
        self._gate = KeyGate()
        self._whole_question = False
        self._field: AnswerEditor | None = None
        self._shown_top = ("", "")

    # -- widgets ----------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="desk", can_focus=False):
            with VerticalScroll(id="asked", can_focus=False):
                yield Flow(id="question")
            yield AnswerEditor(id="editor")
        with VerticalScroll(id="sheet", can_focus=False):
            yield RubricList(id="rubric")
            yield Flow(id="result")
            yield Flow(id="answer")
        yield Rule(id="message")
        yield RatingBar(id="ratings")
        yield KeyLine()

    def on_mount(self) -> None:
        self._field = self.editor
        self.begin(self.shard.clock.now())
        self.set_interval(TICK_SECONDS, self._tick)

    def begin(self, now: Instant) -> None:
        """Take up the question on which the session stands, where its draft was left."""
        self.ask = ask = self.desk.begin(now)
        if ask is None:
            self.dismiss()
            return
        ask.resume(now)
        self.compared = 0
        self._whole_question = False
        self.editor.load_text(ask.text)
        self.editor.move_cursor(self.editor.document.end)
        if ask.submitted:
            self.begin_marking()
        elif ask.confidence is None and not ask.text:
            self.stage = GUESS
            self.set_focus(None)
            self.show_stage()
        else:
            self._begin_writing()
        if ask.resumed and not ask.submitted:
            self.say(_("Your draft is here again."))
        elif ask.resumed and self.desk.outcomes is None:
            self.say(_("Submitted before, and not yet rated: go on with the marks."))

    def _begin_writing(self) -> None:
        self.stage = WRITE
        self.show_stage()
        self.set_focus(self.editor)

    def show_stage(self) -> None:
        ask = self.ask
        if ask is None:
            return
        asking = self.stage in (GUESS, WRITE)
        self.query_one("#desk").display = asking
        self.sheet.display = not asking
        self.editor.display = self.stage == WRITE
        self._lay_out()
        paras = [Para(visible(" ".join(ask.card.front.of(self.shard.lang).split())), style="bold")]
        if self.stage == GUESS:
            how = _("Type it, or say it aloud and type nothing. The clock stops nothing.")
            paras += [BLANK, Para(self._form_text()), Para(how), *self._last_time()]
        self.query_one("#question", Flow).show(paras)
        self.draw_sheet()
        self.query_one(RatingBar).show(self._buttons())
        self.query_one(RatingBar).display = bool(self._buttons())
        self.query_one("#message", Rule).set_hint(_("How much of it will you say?") if self.stage == GUESS else "")
        self.refresh_top()
        self.refresh_bindings()

    def _form_text(self) -> str:
        ask = self.ask
        assert ask is not None
        if ask.form == "skeleton":
            text = _("Skeleton: one line per point, in {seconds} seconds.").format(seconds=ask.clock_s)
        else:
            text = _("Full answer: about {n} minutes.").format(n=round(ask.clock_s / 60))
        return text

    def _last_time(self) -> list[Para]:
        """How many points were missed last time; which ones would give the answer away."""
        from tui.exam_desk import missed_last_time

        missed = missed_last_time(self.desk, self.ask) if self.ask is not None else 0
        if not missed:
            return []
        return [
            Para(
                ngettext("Last time {n} point was missed.", "Last time {n} points were missed.", missed).format(
                    n=missed
                )
            )
        ]

    def _lay_out(self) -> None:
        small = self.size.height < SMALL_HEIGHT
        self.set_class(small, "-small")
        self.query_one("#top-rule").display = not small
        side = margin(self.size.width)
        self.query_one("#desk").styles.padding = (0 if small else 1, side, 0, side)
        self.sheet.styles.padding = (0 if small else 1, side, 0, side)
        asked = self.query_one("#asked")
        if self._whole_question or self.stage == GUESS:
            asked.styles.max_height = "100%"
        else:
            asked.styles.max_height = SMALL_QUESTION if small else "50%"
        self.editor.display = self.stage == WRITE and not (self._whole_question and small)
        self.editor.placeholder = _("One line per point ...") if self.desk.form == "skeleton" else _("Your answer ...")

    def _buttons(self) -> list[BarButton]:
        if self.stage == GUESS:
            guesses = [
                BarButton(str(n), f"{share} %", "", f"guess({n})") for n, share in enumerate(exam_words.GUESSES, 1)
            ]
            return [*guesses, BarButton("Enter", _("no guess"), "", "go_on")]
        if self.stage == MARK:
            return [BarButton("Enter", _("take these marks"), "", "go_on")]
        return self.rating_buttons() if self.stage == RESULT else []

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        if self.ask is not None:
            self._lay_out()
            self.draw_sheet()
            if self.stage == MARK:
                self.call_after_refresh(self.rubric.bring_into_view)

    def retranslate(self) -> None:
        super().retranslate()
        self.show_stage()

    # -- top line and clock -----------------------------------------------------------------------------------------

    def top_text(self) -> tuple[str, str]:
        ask = self.ask
        if ask is None:
            return _("Oral question"), ""
        now = self.shard.clock.now()
        left = f"{_('Oral question')} {self.shard.glyphs.dot} {exam_words.form_name(ask.form)}"
        right = [self._clock(now)] if self._clock is not None else []
        if self.stage in (MARK, RESULT):
            right.append(_("{share} %").format(share=round(ask.score.share * 100)))
        elif self.stage == WRITE:
            spent = ask.elapsed_ms(now)
            over = spent > ask.clock_s * 1000
            told = _("{time} of {all}, over") if over else _("{time} of {all}")
            right.append(told.format(time=clock_text(spent), all=clock_text(ask.clock_s * 1000)))
        return left, "  ".join(right)

    def _tick(self) -> None:
        """What was typed since goes onto the disk, and the clock is drawn when it shows another second."""
        if self.ask is None or not self.is_current:
            return
        self.ask.tick(self.shard.clock.now())
        shown = self.top_text()
        if shown != self._shown_top and (self.stage == WRITE or self._clock is not None):
            self._shown_top = shown
            self.refresh_top()

    # -- answering --------------------------------------------------------------------------------------------------

    def _write(self) -> None:
        """Hand the text as it stands to the draft."""
        if self.ask is not None and not self.ask.submitted and self._field is not None and self.stage == WRITE:
            self.ask.write(self._field.text, self.shard.clock.now())

    def on_text_area_changed(self, message: TextArea.Changed) -> None:
        message.stop()
        self._write()

    def on_answer_editor_too_long(self, message: AnswerEditor.TooLong) -> None:
        told = ngettext(
            "{n} character did not fit: an answer may have {most}.",
            "{n} characters did not fit: an answer may have {most}.",
            message.left_out,
        )
        self.say(told.format(n=message.left_out, most=MAX_CHARACTERS))

    def on_key(self, event: events.Key) -> None:
        """A key held down is one step; in the editor every key is its own."""
        if self.editor.has_focus and self.stage == WRITE:
            return
        if event.key in ("enter", "space", "1", "2", "3", "4", "5"):
            if not self._gate.passes(event.key, self.shard.clock.now().at_ms):
                event.stop()
                event.prevent_default()
        else:
            self._gate.note(event.key, self.shard.clock.now().at_ms)

    def on_rating_bar_pressed(self, message: RatingBar.Pressed) -> None:
        """A click does what the key does."""
        if self._gate.passes("click", self.shard.clock.now().at_ms):
            self.call_later(self.run_action, message.button.action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only the keys of the stage; a rating that is not on offer is none."""
        if action == "rate" and self.stage == RESULT:
            return parameters[0] in [int(rating) for rating in self.ratings()]
        if action == "form" and self.desk.is_exam:
            return False
        if action == "pass_over":
            return self.desk.has_more and self.stage in (GUESS, WRITE)
        if action == "undo_answer":
            return self.desk.has_past
        stage = STAGE_ACTIONS.get(action)
        return True if stage is None else stage == self.stage

    def action_guess(self, key: int) -> None:
        """Say how much of the rubric one expects to hit; then the answer."""
        if self.ask is not None:
            self.ask.predict(exam_words.GUESSES[key - 1], self.shard.clock.now())
            self._begin_writing()

    def action_form(self) -> None:
        """The full answer instead of the skeleton, or the other way round."""
        from tui.exam_desk import ReviewDesk

        if isinstance(self.desk, ReviewDesk):
            self.desk.form = "full" if self.desk.form == "skeleton" else "skeleton"
            self.begin(self.shard.clock.now())

    def action_go_on(self) -> None:
        """Enter: on to the answer, take the marks as they stand, accept the proposed rating."""
        if self.ask is None:
            return
        if self.stage == GUESS:
            self._begin_writing()
        elif self.stage == MARK:
            self.take_marks(self.shard.clock.now())
        elif self.stage == RESULT:
            self.action_rate(int(self.ask.score.rating))

    def action_submit(self) -> None:
        """Lock the answer and show its rubric."""
        if self.ask is None:
            return
        self._write()
        self.ask.submit(self.shard.clock.now())
        self._gate.note("f9", self.shard.clock.now().at_ms)
        self.begin_marking()

    def action_undo_text(self) -> None:
        """Take back what was last typed or pasted."""
        self.editor.undo()

    def action_redo_text(self) -> None:
        """Type it again."""
        self.editor.redo()

    def action_question(self) -> None:
        """All of the question, or again the room for the answer."""
        self._whole_question = not self._whole_question
        self._lay_out()

    def action_editor(self) -> None:
        """Write in the learner's own editor; what it saves becomes the answer, and undo takes it back."""
        from tui.own_editor import written_in_editor

        self._write()
        if self.ask is not None:
            self.ask.leave(self.shard.clock.now())
        text, told = written_in_editor(self.shard, self.editor.text)
        if text is not None and text != self.editor.text:
            self.editor.put_text(text)
        if told:
            self.say(told)

    # -- the end ----------------------------------------------------------------------------------------------------

    def answered(self, rating: Rating, made_due: tuple[str, ...]) -> None:
        told = self.told(rating, made_due)
        if self.desk.is_exam and self.desk.begin(self.shard.clock.now()) is not None:
            self.begin(self.shard.clock.now())
            self.say(told)
            return
        answered, self.ask = self.desk.answered, None
        self.dismiss(answered)
        if made_due or self.desk.is_exam:
            self.shard.call_later(self.shard.say, told)

    def action_back(self) -> None:
        """One stage back where nothing is lost by it; else away, the draft kept."""
        if self.compared:
            self.compared = 0
            self.draw_sheet()
        elif self.stage == RESULT:
            self.stage = MARK
            self.show_stage()
            self.set_focus(self.rubric)
        else:
            self.keep_draft()
            self.dismiss()

    def keep_draft(self) -> None:
        """What was typed or marked, onto the disk."""
        self._write()
        if self.ask is not None:
            self.ask.leave(self.shard.clock.now())

    def on_unmount(self) -> None:
        """Quit, TERM and HUP come through here."""
        if self.ask is not None and self.shard.record is not None:
            self.keep_draft()


__all__ = ["ExamScreen"]
