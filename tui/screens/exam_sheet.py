"""The paragraphs of an oral answer's result, and of two answers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from tui import exam_words
from tui.tex import readable
from tui.widgets.flow import BLANK, Para, visible
from tui.widgets.sides import Sides
from tui.words import _, current
from tui.wrap import wrap

if TYPE_CHECKING:
    from content.cards import Card
    from content.oral import OralAsk
    from content.oral_history import EarlierAnswer

SIDE_BY_SIDE = 60
"""From so many columns two answers stand beside each other, else one above the other."""


def result_paras(ask: OralAsk, earlier: Sequence[EarlierAnswer], now_due: Sequence[Card]) -> list[Para]:
    """Score, what came back, what is due now, traps, the model answer."""
    from content.oral_history import came_back

    lines = exam_words.score_lines(ask.score, ask)
    paras = [Para(lines[0], style="bold"), *(Para(line) for line in lines[1:])]
    back = exam_words.came_back_lines(ask.card, came_back(ask.marks, earlier[0] if earlier else None))
    if back:
        paras += [BLANK, *(Para(line, rest="  ") for line in back)]
    if now_due:
        paras += [BLANK, Para(_("Due today because of a missed point:"), style="bold")]
        paras += [Para(name, first="  - ", rest="    ") for name in exam_words.names_of(now_due)]
    paras += [BLANK, *_points(ask)]
    if ask.card.traps:
        paras += [BLANK, Para(_("Traps"), style="bold")]
        paras += [Para(_tidy(trap.of(current())), first="  - ", rest="    ") for trap in ask.card.traps]
    model = ask.card.model_answer or ask.card.back
    paras += [BLANK, Para(_("A model answer"), style="bold"), Para(_tidy(model.of(current())))]
    return paras + Sides(ask.card, current()).after()


def _points(ask: OralAsk) -> list[Para]:
    """The rubric with its marks in one letter each."""
    marks = ask.marks
    return [
        Para(exam_words.point_text(point), first=f"[{exam_words.MARK_LETTERS[marks[point.id]]}] ", rest="    ")
        for point in ask.rubric
    ]


def _tidy(text: str) -> str:
    return visible(readable(text.strip()))


def beside(ask: OralAsk, earlier: EarlierAnswer, width: int) -> list[Para]:
    """The present answer and an earlier one, each with its marks by its own rubric."""
    now_head = _("Now, {form}, {share} %").format(
        form=exam_words.form_name(ask.form), share=round(ask.score.share * 100)
    )
    said = visible(ask.text) if ask.text.strip() else _("(spoken aloud)")
    marks = [f"{exam_words.MARK_LETTERS[ask.marks[p.id]]} {visible(p.text.of(current()))}" for p in ask.rubric]
    now_text = "\n".join([said, "", *marks])
    then_head, then_text = exam_words.earlier_head(earlier), exam_words.earlier_text(earlier)
    if width < SIDE_BY_SIDE:
        return [Para(now_head, style="bold"), Para(now_text), BLANK, Para(then_head, style="bold"), Para(then_text)]
    room = (width - 3) // 2
    left = [*_lines(now_head, room), *_lines(now_text, room)]
    right = [*_lines(then_head, room), *_lines(then_text, room)]
    heads = max(len(_lines(now_head, room)), len(_lines(then_head, room)))
    rows = max(len(left), len(right))
    left += [""] * (rows - len(left))
    right += [""] * (rows - len(right))
    paras = []
    for number, (one, other) in enumerate(zip(left, right, strict=True)):
        line = Content(one + " " * (room - Content(one).cell_length) + " | " + other)
        paras.append(Para(line.stylize("bold") if number < heads else line))
    return paras


def _lines(text: str, width: int) -> list[str]:
    return wrap(text, width)


__all__ = ["beside", "result_paras"]
