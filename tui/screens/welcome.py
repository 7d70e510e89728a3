"""Three questions on the first day; everything else has a default."""

from __future__ import annotations

import datetime
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from content.settings import SettingsError, from_values, save
from grading.days import date_of, study_day
from tui import setting_words
from tui.messages import RecordRefused
from tui.record_keeper import RecordUnavailable
from tui.screens.base import Rule, SubScreen, TopLine, margin, room_for_text
from tui.widgets.answer_field import AnswerField
from tui.widgets.key_line import KeyLine
from tui.words import N_, _, current
from tui.wrap import wrap

STEPS = ("language", "minutes_per_day", "exam_date")


class WelcomeScreen(SubScreen[bool]):
    """One question at a time; Enter takes what stands there. The result is True when all three were answered."""

    DEFAULT_CSS = "WelcomeScreen #field { margin: 0; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "next", N_("next"), id="welcome.next", key_display="Enter"),
        Binding("1", "language('en')", "English", id="welcome.english"),
        Binding("2", "language('zh')", "中文", id="welcome.chinese"),
        Binding("f6,ctrl+b", "placement", N_("begin with a placement"), id="welcome.placement"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.step = 0
        self.answers: dict[str, object] = {}
        self.typed = {"minutes_per_day": "", "exam_date": ""}
        self._wrong = ""
        self._refused: RecordUnavailable | None = None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield Static(id="asked", classes="laid-out")
            yield AnswerField(placeholder=" ", id="field")
            yield Static(id="below", classes="laid-out")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self.typed["minutes_per_day"] = str(self.shard.settings.minutes_per_day)
        self._draw()

    def on_record_refused(self, message: RecordRefused) -> None:
        self._refused = message.fault
        self._say_refused()

    def _say_refused(self) -> None:
        if self._refused is not None:
            self.say(str(self._refused), 60)

    # --- drawing

    @property
    def _asked(self) -> str:
        return STEPS[self.step]

    @property
    def _field(self) -> AnswerField:
        return self.query_one("#field", AnswerField)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        self._say_refused()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        return _("Welcome to shardrill"), _("{step} of {steps}").format(step=self.step + 1, steps=len(STEPS))

    def _draw(self) -> None:
        left = margin(self.size.width)
        for name in ("#asked", "#field", "#below"):
            self.query_one(name).styles.margin = (0, left)
        asked, below = self._texts()
        question = self._text(*[""] * self.airy, asked[0]).stylize("bold")
        self.query_one("#asked", Static).update(Content("\n").join([question, self._text(*asked[1:], "")]))
        self.query_one("#below", Static).update(self._text("", *below))
        self._field.display = self._asked != "language"
        if self._field.display:
            self._field.focus()
        self.refresh_bindings()

    def _texts(self) -> tuple[list[str], list[str]]:
        if self._asked == "language":
            marks = {lang: "(x)" if lang == current() else "( )" for lang in ("en", "zh")}
            return [_("Which language?"), "", f"1  {marks['en']} English", f"2  {marks['zh']} 中文"], [
                _("F3 switches at any time, also in the middle of a card.")
            ]
        if self._asked == "minutes_per_day":
            below = _("They decide how many new cards come. You can go on when they are over.")
            asked = _("How many minutes a day?")
        else:
            below = _("Year-month-day, such as 2026-12-31. Leave it empty if there is none.")
            asked = _("Is there an interview or exam? When?")
        return [asked], [self._wrong, "", below] if self._wrong else [below]

    def _text(self, *paragraphs: str) -> Content:
        room = room_for_text(self.size.width)
        return Content("\n".join(line for text in paragraphs for line in wrap(self.shard.glyphs.text(text), room)))

    # --- answering

    def action_language(self, language: str) -> None:
        """Choose the language; everything changes at once."""
        self.shard.set_language(language)

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.action_next()

    def action_placement(self) -> None:
        """For those who do not start from nothing: a placement before the first lesson."""
        self.shard.placement_first = True
        self.say(_("Placement first: it begins after these questions."))

    def action_next(self) -> None:
        """Take what stands there and ask the next question."""
        name = self._asked
        value = current() if name == "language" else setting_words.typed_value(name, self._field.value)
        self._wrong = self._fault(name, value)
        if self._wrong:
            self._draw()
            return
        self.answers[name] = value
        if self.step + 1 < len(STEPS):
            self._go(self.step + 1)
        else:
            self._finish()

    def _fault(self, name: str, value: object) -> str:
        try:
            checked = from_values({name: value})
        except SettingsError:
            return _("Allowed: {what}.").format(what=_(setting_words.ALLOWED[name]))
        date = checked.exam_date
        today = date_of(study_day(self.shard.clock.now(), self.shard.settings.rollover_hour))
        if name == "exam_date" and isinstance(date, datetime.date) and date < today:
            return _("That day has passed.")
        return ""

    def _go(self, step: int) -> None:
        if self._asked in self.typed:
            self.typed[self._asked] = self._field.value
        self.step = step
        if self._asked in self.typed:
            self._field.set_text(self.typed[self._asked])
        else:
            self.set_focus(None)
        self._draw()
        self.refresh_top()

    def _finish(self) -> None:
        answers = {name: value for name, value in self.answers.items() if value != ""}
        try:
            fresh = save(self.shard.places.settings, answers)
        except (SettingsError, OSError) as error:
            self.say(_("The settings could not be saved ({why}); they hold for now.").format(why=error), 30)
            fresh = from_values(answers, base=self.shard.settings)
        self.shard.use_settings(fresh)
        self.dismiss(True)

    def action_back(self) -> None:
        """One question back; from the first one to Today."""
        self._wrong = ""
        if self.step:
            self._go(self.step - 1)
        else:
            self.dismiss(False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return self._asked == "language" if action == "language" else True
