"""`shardrill review --plain`: the same sitting line by line, for screen readers, pipes and dumb terminals.

Nothing but lines of text is written: no escape codes, no cursor movement. Commands are read line by line from standard
input, in half or full width; the end of the input ends the sitting, and every answer given is already stored.
"""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING, TextIO

import click

from content.events import Kind, Purpose
from content.sitting import CardItem, DayTurned, LessonItem
from grading.schedule import Rating
from tui import words
from tui.clock import Clock
from tui.intervals import long_interval, rating_name, short_interval
from tui.pace import Stopwatch
from tui.plain_typed import ask_typed, proposed, say_typed
from tui.plain_words import finish_lines, folded, help_lines
from tui.refusals import told
from tui.widgets.answer_field import clean
from tui.widgets.flow import Para, visible
from tui.widgets.sides import Sides, sides
from tui.words import _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from content.queue import DrillRun
    from content.session import Session
    from content.settings import Settings
    from content.store import Record
    from tui.paths import Places

QUIT, STAY, MOVED = "quit", "stay", "moved"


def run(
    places: Places,
    settings: Settings,
    *,
    lang: str,
    clock: Clock | None = None,
    topic: str | None = None,
    drills: DrillRun | None = None,
) -> int:
    """Hold one sitting on standard input and output; returns the exit code. Raises the record's own errors.

    `drills` makes it practice of drills, of one `topic` or of all.
    """
    from content.session import Session
    from tui.opening import copying, open_with_packs

    words.set_language(lang)
    clock = clock or Clock()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    source, target = sys.stdin or io.StringIO(), sys.stdout or io.StringIO()  # either may have been closed
    record, faults = open_with_packs(places, settings, clock)
    with record, copying(record, settings, clock, lambda told: click.echo(told, err=True)):
        purpose = Purpose.REVIEW if drills is None else Purpose.PRACTICE
        session = Session(
            record,
            settings,
            clock.now(),
            new_id=clock.new_event_id,
            purpose=purpose,
            topic=topic,
            lang=lang,
            drills=drills,
        )
        plain = PlainSession(session, record, settings, clock, source, target)
        if faults:
            plain.say(_("Some packs have faults and were not used; see: shardrill pack check"))
        plain.run()
    return 0


class PlainSession:
    """A sitting between two text streams."""

    def __init__(
        self, session: Session, record: Record, settings: Settings, clock: Clock, source: TextIO, target: TextIO
    ) -> None:
        self.session, self.record, self.settings, self.clock = session, record, settings, clock
        self._source, self._target = source, target
        self._watch = Stopwatch()
        self._typed = ""
        self._revealed = False
        self.practises = session.purpose is Purpose.PRACTICE

    # -- lines -----------------------------------------------------------------------------------------------------

    def say(self, *lines: str) -> None:
        """Write lines and let them out at once."""
        for line in lines:
            self._target.write(visible(line) + "\n")
        self._target.flush()

    def ask(self, prompt: str) -> str | None:
        """Write a prompt and read a line; None at the end of the input."""
        self._target.write(prompt + "\n> ")
        self._target.flush()
        line = self._source.readline()
        self._watch.touch(self.clock.now().at_ms)
        if line == "":
            self._target.write("\n")
            self._target.flush()
            return None
        return clean(line.rstrip("\r\n"))

    def paragraphs(self, paras: Sequence[Para]) -> list[str]:
        """Paragraphs as lines."""
        return [para.first + (para.text if isinstance(para.text, str) else para.text.plain) for para in paras]

    # -- the sitting -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until the sitting ends or the learner leaves it; what was judged by then in a run of drills is stored."""
        self.say(_("shardrill, plain session. Type h for help, q to quit."))
        try:
            self._sit()
        finally:
            now = self.clock.now()
            self.session.keep_judged(now, took_ms=self._watch.at(now.at_ms), response=self._response())

    def _sit(self) -> None:
        while True:
            self.say(*map(told, self.session.newly_damaged()))
            item = self.session.item
            if item is None:
                if self._end() == QUIT:
                    return
            elif isinstance(item, LessonItem):
                if self._lesson(item) == QUIT:
                    return
            elif self._card(item) == QUIT:
                return

    def _lesson(self, item: LessonItem) -> str:
        lang = words.current()
        self.say("", _("Lesson: {title}").format(title=item.topic.title.of(lang)), item.topic.lesson.of(lang).strip())
        while True:
            line = self.ask(_("Enter: on to the cards."))
            if line is None:
                return QUIT
            if not line.strip():
                self.session.lesson_read(self.clock.now())
                return MOVED
            done = self._command(line, on_card=False)
            if done != STAY or words.current() != lang:
                return done  # a lesson is long: it is said again only in another language
            if folded(line) not in ("h", "?", lang):
                self.say(_("That is no command here; h lists the commands."))

    def _card(self, item: CardItem) -> str:
        """One card, from its question to its rating, or until something else is on screen."""
        if self._revealed:  # after an undo
            self.say_question(item)
        else:
            self._typed = ""
            self._watch.start(self.clock.now().at_ms)
            self.say_question(item)
            done = self._before_answer(item)
            if done != STAY:
                return done
        return self._after_answer()

    def _side(self, item: CardItem) -> Sides:
        if item.ask is not None:
            from tui.plain_drill import drill_side

            return drill_side(self, item)
        return sides(item.card, words.current())

    def say_question(self, item: CardItem) -> None:
        """The question, with how far the sitting is."""
        progress = self.session.progress
        head = _("Card {n} of {total}.").format(n=progress.done + 1, total=progress.total)
        marks = [_("New.")] if item.is_new else []
        marks += [_("Flagged.")] if item.flag else []
        marks += [_("Your note: {note}").format(note=item.note)] if item.note else []
        self.say("", ("" if words.current() == "zh" else " ").join([head, *marks]))
        side = self._side(item)
        self.say(_("Question:"), *self.paragraphs([*side.question(), *side.details()]))

    def _before_answer(self, item: CardItem) -> str:
        """STAY once the answer is to be shown."""
        done = ask_typed(self, item)
        if done is not None:
            self._revealed = done == STAY
            return done
        prompt = _("Enter shows the answer.")
        if item.card.invites_line:
            prompt = _("Type one line of your own if you like; Enter shows the answer.")
        while True:
            line = self.ask(prompt)
            if line is None:
                return QUIT
            if not line.strip():
                break
            done = self._command(line, on_card=True)
            if done != STAY:
                return done
            if self.is_command(line):
                item = self.same_card(item)
                self.say_question(item)
            elif item.card.invites_line:
                self._typed = line.strip()
                break
            else:
                self.say(_("Enter shows the answer; h lists the commands."))
        self.session.reveal(self.clock.now())
        self._revealed = True
        return STAY

    def same_card(self, item: CardItem) -> CardItem:
        """The card as it is now (its flag, its note)."""
        now_shown = self.session.item
        return now_shown if isinstance(now_shown, CardItem) else item

    def _after_answer(self) -> str:
        self._say_answer()
        while True:
            item = self.session.item
            if not isinstance(item, CardItem):
                return MOVED
            line = self.ask(self._rating_prompt())
            if line is None:
                return QUIT
            rating = self._rating(line)
            if rating is None and self._is_of_drill(item, line):
                continue
            if rating is not None:
                if self._rate(rating):
                    return MOVED
                continue
            done = self._command(line, on_card=True)
            if done != STAY:
                return done
            if not self.is_command(line):
                self.say(_("Type a number from the list, or h for help."))
            elif folded(line) in ("en", "zh"):
                self.say_question(item)
                self._say_answer()

    def _is_of_drill(self, item: CardItem, line: str) -> bool:
        if item.ask is None:
            return False
        from tui.plain_drill import after_drill

        return after_drill(self, item, line)

    def _say_answer(self) -> None:
        item = self.session.item
        if not isinstance(item, CardItem):
            return
        if say_typed(self, item):
            return
        side = self._side(item)
        if self._typed:
            self.say(_("Your line: {line}").format(line=self._typed))
        self.say(_("Answer:"), *self.paragraphs(side.answer()))
        if side.points():
            self.say(_("To check yourself by:"), *(f"- {point}" for point in side.points()))
        self.say(*self.paragraphs(side.after()))

    def _ratings(self) -> tuple[Rating, ...]:
        return (Rating.AGAIN, Rating.GOOD) if self.settings.two_buttons else tuple(Rating)

    def _rating_prompt(self) -> str:
        outcomes = self.session.outcomes
        parts = []
        for rating in self._ratings():
            part = f"{int(rating)} {rating_name(rating)}"
            if outcomes is not None and self.settings.show_intervals:
                part += " " + (short_interval(outcomes.of(rating)) if outcomes.on_schedule else _("practice"))
            parts.append(part)
        choices = _(", ").join(parts)
        if self.session.graded is not None:
            from tui.plain_drill import drill_prompt

            return drill_prompt(self, choices)
        accepted = proposed(self)
        if accepted is not None:
            return _("Enter: {rating}. Or {choices}.").format(rating=rating_name(accepted), choices=choices)
        return _("Rate: {choices}").format(choices=choices)

    def _rating(self, line: str) -> Rating | None:
        number = folded(line)
        if not number and proposed(self) is not None:
            return proposed(self)
        return next((rating for rating in self._ratings() if number == str(int(rating))), None)

    def _rate(self, rating: Rating) -> bool:
        now = self.clock.now()
        try:
            answered = self.session.answer(rating, now, took_ms=self._watch.at(now.at_ms), response=self._response())
        except DayTurned:
            self.say(_("A new study day has begun. The intervals are new; rate once more."))
            return False
        self._revealed = False
        if self.practises:
            return True
        told = long_interval(answered)
        said = _("{rating}: {when}.") if told else _("{rating}.")
        self.say(said.format(rating=rating_name(rating), when=told))
        if answered.first_try:
            self.say(_("First try: not counted as a lapse."))
        if answered.leech_now:
            self.say(_("This card is missed again and again: edit it, or undo with u and suspend it with x."))
        return True

    def _response(self) -> dict[str, object]:
        return {"lang_shown": words.current(), **({"typed": self._typed} if self._typed else {})}

    def _end(self) -> str:
        finish = self.session.finish
        if finish is not None:
            self.say("", *finish_lines(finish))
        more = finish is not None and (finish.more_due or finish.more_new)
        line = self.ask(_("u undoes, g goes on, q quits.") if more else _("u undoes, q quits."))
        if line is None or not line.strip():
            return QUIT
        if more and folded(line) == "g":
            self.session.go_on(self.clock.now())
            return MOVED
        return self._command(line, on_card=False)

    # -- commands --------------------------------------------------------------------------------------------------

    def do_command(self, line: str) -> str:
        """Do what a line says about the card on screen."""
        return self._command(line, on_card=True)

    def is_command(self, line: str) -> bool:
        """Whether a line is a command and no answer."""
        return folded(line) in {"q", "u", "r", "s", "b", "x", "f", "i", "h", "?", "en", "zh"} or _is_note(line)

    def _command(self, line: str, *, on_card: bool) -> str:
        """Do what a line says: QUIT, MOVED when another thing is on screen, else STAY."""
        name = folded(line)
        if name == "q":
            return QUIT
        if name in ("u", "r"):
            return self._step(back=name == "u")
        if name in ("h", "?"):
            self.say(*help_lines())
        elif name in ("en", "zh"):
            words.set_language(name)
            self.session.lang = name
        elif on_card:
            return self._card_command(name, line)
        return STAY

    def _card_command(self, name: str, line: str) -> str:
        now = self.clock.now()
        away = {
            "s": (self.session.skip, _("Skipped: it comes back later in this sitting.")),
            "b": (self.session.bury, _("Buried until tomorrow.")),
            "x": (self.session.suspend, _("Suspended.")),
        }
        if name in away:
            act, told = away[name]
            act(now)
            self._revealed = False
            self.say(told)
            return MOVED
        if name == "f":
            self.say(_("Flagged.") if self.session.flag(now) else _("Flag taken off."))
        elif name == "i" and isinstance(self.session.item, CardItem) and self._revealed:
            self.say(*self.paragraphs(self._side(self.session.item).sources()))
        elif _is_note(line):
            self.session.note(line.strip()[2:].strip(), now)
            self.say(_("Note kept."))
        return STAY

    def _step(self, *, back: bool) -> str:
        now = self.clock.now()
        step = self.session.undo(now) if back else self.session.redo(now)
        if step is None:
            self.say(_("Nothing to undo in this sitting.") if back else _("Nothing to redo."))
            return STAY
        self._typed = ""
        self._revealed = self.session.outcomes is not None
        what = rating_name(step.rating) if step.kind is Kind.ATTEMPT and step.rating is not None else ""
        told = _("Undone: {what}.") if back else _("Done again: {what}.")
        self.say(told.format(what=what or _("the last step")))
        return MOVED


def _is_note(line: str) -> bool:
    return line.strip()[:2].lower() == "n " and bool(line.strip()[2:].strip())
