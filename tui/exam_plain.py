"""Oral questions line by line: the guess, the answer, its rubric point by point; `shardrill exam --plain`."""

from __future__ import annotations

import io
import sys
import unicodedata
from typing import TYPE_CHECKING, Protocol, TextIO

from grading.schedule import Rating
from tui import exam_words, words
from tui.clock import Clock
from tui.exam_desk import Desk, ReviewDesk, SoloDesk, cards_of, earlier_of, missed_last_time
from tui.intervals import rating_name
from tui.widgets.editor import MAX_CHARACTERS
from tui.widgets.flow import visible
from tui.words import _, current, ngettext

if TYPE_CHECKING:
    from content.exam import ExamSession
    from content.oral import OralAsk
    from content.settings import Settings
    from tui.paths import Places
    from tui.plain import PlainSession

QUIT, STAY = "quit", "stay"
END_OF_ANSWER = "."
SHARES = {"h": 1.0, "f": 0.5, "m": 0.0}


class Lines(Protocol):
    """What is needed of a plain session."""

    clock: Clock

    def say(self, *lines: str) -> None: ...

    def ask(self, prompt: str) -> str | None: ...


def ask_oral(lines: Lines, desk: Desk) -> str:
    """Ask the question on which the desk stands, up to its marks; QUIT at the end of the input, the draft kept."""
    ask = desk.begin(lines.clock.now())
    if ask is None:
        return QUIT
    if not ask.submitted and _write(lines, desk, ask) == QUIT:
        ask.leave(lines.clock.now())
        return QUIT
    done = _mark(lines, desk, ask)
    if done == QUIT:
        ask.leave(lines.clock.now())
    return done


def _write(lines: Lines, desk: Desk, ask: OralAsk) -> str:
    missed = missed_last_time(desk, ask)
    if missed:
        told = ngettext("Last time {n} point was missed.", "Last time {n} points were missed.", missed)
        lines.say(told.format(n=missed))
    if ask.confidence is None and not ask.text:
        shares = ", ".join(f"{n} {share} %" for n, share in enumerate(exam_words.GUESSES, 1))
        line = lines.ask(_("How much of it will you say? {shares}; Enter: no guess.").format(shares=shares))
        if line is None:
            return QUIT
        key = _folded(line)
        if key in ("1", "2", "3", "4", "5"):
            ask.predict(exam_words.GUESSES[int(key) - 1], lines.clock.now())
    if ask.text:
        lines.say(_("Your draft is here again."), *ask.text.split("\n"))
    return _typed(lines, ask)


def _typed(lines: Lines, ask: OralAsk) -> str:
    """Line by line into the draft, until a line with only a full stop."""
    prompt = _("Type your answer, as many lines as you like; a line with only . ends it. Say it aloud: type only .")
    while True:
        line = lines.ask(prompt)
        prompt = ""
        if line is None:
            return QUIT
        if _folded(line) in (END_OF_ANSWER, "。"):
            break
        text = f"{ask.text}\n{line}" if ask.text else line
        if len(text) > MAX_CHARACTERS:
            lines.say(_("That line does not fit: an answer may have {most} characters.").format(most=MAX_CHARACTERS))
            continue
        ask.write(text, lines.clock.now())
        ask.tick(lines.clock.now())
    ask.submit(lines.clock.now())
    return STAY


def _mark(lines: Lines, desk: Desk, ask: OralAsk) -> str:
    from content.oral_history import point_pasts

    pasts = {past.point_id: past for past in point_pasts(ask.card, earlier_of(desk, ask))}
    lines.say("", _("The points: h hit, f half, m missed; Enter takes the mark in brackets."))
    for point, proposal in zip(ask.rubric, ask.proposals, strict=True):
        if point.id in ask.decided:
            continue
        notes = (
            exam_words.proposal_note(proposal, ask.text),
            exam_words.past_note(pasts.get(point.id)),
            exam_words.half_note(point),
        )
        lines.say(exam_words.point_text(point), *(f"    {note}" for note in notes if note))
        share = _share(lines, proposal.share)
        if share is None:
            return QUIT
        ask.mark(point.id, share, lines.clock.now())
    return STAY


def _share(lines: Lines, proposed: float) -> float | None:
    while True:
        line = lines.ask(f"({exam_words.MARK_LETTERS[proposed]})")
        if line is None:
            return None
        key = _folded(line)
        if not key or key in SHARES:
            return SHARES.get(key, proposed)
        lines.say(_("Type h, f, m or nothing."))


def say_result(lines: Lines, desk: Desk, ask: OralAsk) -> None:
    """Score, what came back, traps, the model answer."""
    from content.oral_history import came_back

    earlier = earlier_of(desk, ask)
    lines.say("", *exam_words.score_lines(ask.score, ask))
    lines.say(*exam_words.came_back_lines(ask.card, came_back(ask.marks, earlier[0] if earlier else None)))
    if ask.card.traps:
        lines.say(_("Traps"), *(f"- {visible(trap.of(current()))}" for trap in ask.card.traps))
    model = ask.card.model_answer or ask.card.back
    lines.say(_("A model answer"), visible(model.of(current())))


def ask_in_review(plain: PlainSession) -> str:
    """The oral card of a plain sitting: STAY once it is marked and its answer can be shown."""
    desk = ReviewDesk(plain.session)
    done = ask_oral(plain, desk)
    if done == STAY:
        desk.reveal(plain.clock.now())
    return done


def say_in_review(plain: PlainSession) -> None:
    """The result of the oral card of a plain sitting."""
    ask = plain.session.oral_begun
    if ask is not None:
        say_result(plain, ReviewDesk(plain.session), ask)


def run(
    places: Places,
    settings: Settings,
    *,
    lang: str,
    count: int | None = None,
    minutes: float | None = None,
    clock: Clock | None = None,
) -> int:
    """Hold an exam on standard input and output: the question of the day, or with `count` a mock exam."""
    from content.exam import ExamSession
    from tui.opening import open_with_packs

    words.set_language(lang)
    clock = clock or Clock()
    record, _faults = open_with_packs(places, settings, clock)
    with record:
        if minutes is not None and count is None:
            count = 3
        exam = ExamSession(
            record, settings, clock.now(), new_id=clock.new_event_id, count=count, minutes=minutes, lang=lang
        )
        return PlainExam(exam, clock, sys.stdin or io.StringIO(), sys.stdout or io.StringIO()).run(places)


class PlainExam:
    """An exam between two text streams."""

    def __init__(self, exam: ExamSession, clock: Clock, source: TextIO, target: TextIO) -> None:
        self.exam, self.clock = exam, clock
        self.desk = SoloDesk(exam)
        self._source, self._target = source, target

    def say(self, *lines: str) -> None:
        """Write lines and let them out at once."""
        for line in lines:
            self._target.write(visible(line) + "\n")
        self._target.flush()

    def ask(self, prompt: str) -> str | None:
        """Write a prompt and read a line; None at the end of the input."""
        self._target.write(f"{prompt}\n> " if prompt else "> ")
        self._target.flush()
        line = self._source.readline()
        if line == "":
            self.say("")
            return None
        return line.rstrip("\r\n")

    def run(self, places: Places) -> int:
        """Until all questions are answered or the input ends; a mock exam leaves its report."""
        if not self.exam.questions:
            self.say(_("No pack has an oral question."))
            return 0
        while self.exam.ask is not None:
            if self._one() == QUIT:
                break
        if self.exam.is_mock and self.exam.results:
            from tui.exam_file import write_report

            self.say(_("The report is in {path}").format(path=write_report(places, self.exam, self.clock.now())))
        return 0

    def _one(self) -> str:
        ask = self.exam.ask
        assert ask is not None
        place = _("{n} of {all}").format(n=self.exam.index + 1, all=len(self.exam.questions))
        self.say("", f"{place}. {visible(' '.join(ask.card.front.of(current()).split()))}")
        if ask_oral(self, self.desk) == QUIT:
            return QUIT
        say_result(self, self.desk, ask)
        choices = ", ".join(f"{int(rating)} {rating_name(rating)}" for rating in Rating)
        while True:
            prompt = _("Enter: {rating}. Or {choices}.").format(rating=rating_name(ask.score.rating), choices=choices)
            line = self.ask(prompt)
            if line is None:
                return QUIT
            key = _folded(line)
            if not key or key in ("1", "2", "3", "4"):
                break
        made_due = self.desk.rate(ask, Rating(int(key)) if key else ask.score.rating, self.clock.now())
        if made_due:
            self.say(_("Due today because of a missed point:"))
            self.say(*(f"- {name}" for name in exam_words.names_of(cards_of(self.exam.record, made_due))))
        return STAY


def _folded(line: str) -> str:
    return unicodedata.normalize("NFKC", line).strip().casefold()


__all__ = ["PlainExam", "ask_in_review", "ask_oral", "run", "say_in_review", "say_result"]
