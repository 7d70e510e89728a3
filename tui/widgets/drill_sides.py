"""What a drill shows before and after its answer, as paragraphs; the card view lays them out like any card's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from grading.answer import Reason
from grading.drill import question_text, render
from grading.explain import explain, side
from grading.shown import quantity_text
from tui.glyphs import Glyphs
from tui.verdict_words import note_texts, reading_line, reason_text, rival_text, tolerance_text, trouble_text
from tui.widgets.flow import BLANK, Para, visible
from tui.widgets.sides import Sides, labelled
from tui.words import _

if TYPE_CHECKING:
    from content.drilling import DrillAsk, Graded
    from grading.answer import Verdict
    from grading.drill import Problem

INDENT = "    "
RIGHT, WRONG, ONCE_MORE = "+", "-", "?"
"""Signs beside the words of a verdict: every font has them, and none is seen by its colour alone."""
PLAIN_GLYPHS = Glyphs()


@dataclass(frozen=True, slots=True)
class DrillSides(Sides):
    """A problem in one language: `graded` is what was answered to it, `with_steps` shows all worked steps."""

    ask: DrillAsk | None = None
    graded: Graded | None = None
    with_steps: bool = False
    glyphs: Glyphs = PLAIN_GLYPHS

    @property
    def takes_line(self) -> bool:
        return True

    @property
    def line_hint(self) -> str:
        return _("your answer")

    @property
    def has_formula(self) -> bool:
        return False

    @property
    def _problem(self) -> Problem:
        assert self.ask is not None
        return self.ask.problem

    # -- before ----------------------------------------------------------------------------------------------------

    def question(self) -> list[Para]:
        return [Para(visible(question_text(self._problem, self.lang)), style="bold")]

    def details(self) -> list[Para]:
        """The convention with the tolerance, and before the answer the worked steps that are still shown."""
        assert self.ask is not None
        convention = " ".join(self.card.back.of(self.lang).split())
        gap = "" if convention.endswith("。") else " "
        paras = [Para(visible(convention + gap + self._words(tolerance_text(self._problem.asked))))]
        if self.graded is None and self.ask.steps_shown:
            paras += [BLANK, *self._steps(self.ask.steps_shown)]
        return paras

    def _steps(self, shown: int) -> list[Para]:
        """The first steps with these numbers; a sign stands for the last one where it is to be found."""
        steps = self._problem.drill.steps
        paras = [
            Para(visible(render(step[self.lang], self._problem)), first=f"{number}  ", rest="   ")
            for number, step in enumerate(steps[:shown], start=1)
        ]
        return paras if shown == len(steps) else [*paras, Para("?", first=f"{shown + 1}  ", rest="   ")]

    def _words(self, text: str) -> str:
        return self.glyphs.text(text)

    # -- while typing ----------------------------------------------------------------------------------------------

    def reading(self, typed: str) -> list[Para]:
        """How the typed answer is read, as long as it can be read: the very value that Enter grades."""
        line = reading_line(typed, self._problem)
        return [Para(visible(line), first="  ", rest="  ")] if line else []

    def asked_again(self, graded: Graded) -> list[Para]:
        """Why an answer is asked again, and that it costs nothing; what was asked is not told yet."""
        verdict = graded.verdict
        assert verdict is not None
        if verdict.trouble is not None:
            told = [f"{reason_text(verdict)} {trouble_text(verdict.trouble)}"]
        elif verdict.reason is Reason.CONVENTION:
            names = " / ".join(rival_text(rival, self._problem.drill) for rival in verdict.found)
            told = [
                _("Right by another convention: {name}.").format(name=names),
                _("Mind the convention of the question."),
            ]
        else:
            told = [reason_text(verdict)]
        if verdict.trouble is None:
            told.append(_("One more try, at no cost."))
        paras = self.reading(graded.typed)
        return [
            *paras,
            *(
                Para(self._words(visible(line)), first=f"{ONCE_MORE} " if n == 0 else "  ", rest="  ")
                for n, line in enumerate(told)
            ),
        ]

    # -- after -----------------------------------------------------------------------------------------------------

    def typed(self, text: str) -> list[Para]:  # noqa: ARG002 - what was graded is known better
        graded = self.graded
        if graded is None or graded.verdict is None:
            return []
        return [Para(visible(graded.typed), first="> ", rest="  "), *(
            Para(para.text, first="  ", rest="  ") for para in self.reading(graded.typed)
        )]  # fmt: skip

    def answer(self) -> list[Para]:
        """The verdict in words with a sign, then what the answer came from, then what was asked."""
        graded = self.graded
        assert graded is not None
        if graded.verdict is None:
            return [Para(_("The answer"), style="bold"), *self._expected(), *self._dispute()]
        sign = RIGHT if graded.is_right else WRONG
        paras = [Para(self._words(self._headline(graded.verdict)), first=f"{sign} ", rest="  ", style="bold")]
        paras += self._found(graded.verdict)
        paras += [Para(self._words(f"({note})"), first="  ", rest="  ") for note in note_texts(graded.verdict)]
        if not graded.is_right:
            paras.append(Para(_("Asked was"), first="  ", rest="  "))
        return [*paras, *self._expected(), *self._dispute()]

    def _dispute(self) -> list[Para]:
        said = self.graded.dispute if self.graded is not None else ""
        return [BLANK, labelled(_("You dispute this"), visible(said))] if said else []

    def _headline(self, verdict: Verdict) -> str:
        if verdict.reason is Reason.CONVENTION:
            return _("Right by another convention, not by the one asked.")
        if verdict.reason is Reason.CORRECT and self.graded is not None and self.graded.tries:
            return _("Right, at the second try.")
        if verdict.reason is Reason.FORMULA:
            return _("The formula is right; the number was asked.")
        return reason_text(verdict)

    def _found(self, verdict: Verdict) -> list[Para]:
        """The wrong formula with the numbers in it, and why it is wrong; equal ones together."""
        paras: list[Para] = []
        for number, one in enumerate(explain(verdict, self._problem)):
            if number:
                paras.append(Para(_("or"), first="  "))
            if one.wrong is not None:
                paras.append(Para(visible(one.wrong.line), first=INDENT, rest=INDENT + "  "))
            paras.append(Para(visible(rival_text(one.rival, self._problem.drill)), first="  ", rest="  "))
        return paras

    def _expected(self) -> list[Para]:
        problem = self._problem
        line = side(problem.drill.formula, problem).line
        paras = []
        if problem.unknown is not None:
            value = quantity_text(problem.asked.value, problem.asked.unit, 6)
            symbol = problem.drill.param(problem.unknown).symbol
            paras.append(Para(visible(f"{symbol} = {value}"), first=INDENT, rest=INDENT))
        return [*paras, Para(visible(line), first=INDENT, rest=INDENT + "  ")]

    def points(self) -> list[str]:
        return []

    def after(self) -> list[Para]:
        """The worked steps with this problem's numbers."""
        if not self.with_steps:
            return []
        return [Para(_("Step by step"), style="bold"), *self._steps(len(self._problem.drill.steps))]
