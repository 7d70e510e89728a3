"""What is said of an oral answer: of each point, of the score, of earlier answers. The same on screen and line by line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from grading.days import date_of
from tui.intervals import rating_name
from tui.widgets.flow import ellipsis, visible
from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.cards import Card, RubricPoint
    from content.oral import OralAsk
    from content.oral_history import CameBack, EarlierAnswer, PointPast
    from grading.recall import Proposal, Score

GUESSES = (10, 30, 50, 70, 90)
"""The predicted shares, in percent, of the keys 1 to 5."""
FORM_NAMES = {"skeleton": N_("skeleton"), "full": N_("full answer")}
WORDS_CELLS = 60
PAST_SHOWN = 6
_WHY_NOT = {
    "formula-elsewhere": N_("found {words}: the right formula, said of something else"),
    "negated": N_("found {words}: but denied there"),
    "swapped": N_("found {words}: but said of something else"),
    "pasted": N_("found {words}: but that repeats the question"),
    "soup": N_("found {words}: but only in a list of words"),
}
MARK_LETTERS = {1.0: "h", 0.5: "f", 0.0: "m"}
MARK_NAMES = {1.0: N_("hit"), 0.5: N_("half"), 0.0: N_("missed")}


def form_name(form: str) -> str:
    """`skeleton` or `full answer` in the current language."""
    return _(FORM_NAMES.get(form, "full answer"))


def mark_letters(marks: Iterable[float | None]) -> str:
    """`m f h`, a dash where there was no such point."""
    return " ".join("-" if mark is None else MARK_LETTERS.get(mark, "?") for mark in marks)


def point_text(point: RubricPoint) -> str:
    """A point's text in the current language; a key point says so."""
    text = visible(" ".join(point.text.of(current()).split()))
    return _("{point} (key)").format(point=text) if point.key else text


def found_words(proposal: Proposal, typed: str) -> str:
    """The places of the answer that a proposal speaks of, quoted."""
    pieces = dict.fromkeys(" ".join(typed[start:end].split()) for start, end in proposal.spans)
    return ellipsis(", ".join(_("“{words}”").format(words=visible(piece)) for piece in pieces), WORDS_CELLS)


def proposal_note(proposal: Proposal, typed: str) -> str:
    """Why a mark is proposed, with the words it rests on; empty where nothing was found."""
    words = found_words(proposal, typed)
    if not words:
        return ""
    why_not = _WHY_NOT.get(proposal.why)
    return _(why_not).format(words=words) if why_not is not None else _("found {words}").format(words=words)


def past_note(past: PointPast | None) -> str:
    """How a point fared before; empty without a past."""
    marks = [mark for _day, mark in past.marks][-PAST_SHOWN:] if past is not None else []
    if not any(mark is not None for mark in marks):
        return ""
    if marks[-1] == 0:
        return _("missed last time; so far {marks}").format(marks=mark_letters(marks))
    return _("so far {marks}").format(marks=mark_letters(marks))


def half_note(point: RubricPoint) -> str:
    """When a point is half said; empty where its author does not say."""
    if point.half_if is None:
        return ""
    return _("half if: {when}").format(when=visible(" ".join(point.half_if.of(current()).split())))


def score_lines(found: Score, ask: OralAsk) -> list[str]:
    """The score, what was expected, and what it proposes."""
    told = _("Score {share} %.") if ask.confidence is None else _("Score {share} %; you expected {guess} %.")
    lines = [told.format(share=round(found.share * 100), guess=ask.confidence)]
    if found.missed_keys:
        texts = {point.id: point.text.of(current()) for point in ask.card.rubric}
        names = _("; ").join(visible(texts.get(point, point)) for point in found.missed_keys)
        lines.append(_("Key points missed: {points}").format(points=names))
    lines.append(_("Proposed: {rating}.").format(rating=rating_name(found.rating)))
    return lines


def came_back_lines(card: Card, change: CameBack) -> list[str]:
    """Which points that were missed last time were said now, and which are still missing."""
    texts = {point.id: point.text.of(current()) for point in card.rubric}
    lines = []
    for told, points in ((_("Back since last time:"), change.back), (_("Missed again:"), change.missing)):
        if points:
            lines.append(f"{told} " + _("; ").join(visible(texts.get(point, point)) for point in points))
    return lines


def earlier_head(answer: EarlierAnswer) -> str:
    """`2026-11-30, full answer, 62 %`."""
    line = _("{date}, {form}, {share} %").format(
        date=date_of(answer.day).isoformat(), form=form_name(answer.form), share=round(answer.share * 100)
    )
    return line if answer.same_rubric else line + " " + _("(by an earlier rubric)")


def earlier_text(answer: EarlierAnswer) -> str:
    """What was said then, and its marks by the rubric of that time."""
    said = visible(answer.text) if answer.text else _("(spoken aloud)")
    marks = [
        f"{MARK_LETTERS.get(answer.points.get(p.id, 0.0), '?')} {visible(p.text.of(current()))}" for p in answer.rubric
    ]
    return "\n".join([said, "", *marks])


def names_of(cards: Sequence[Card], cells: int = 56) -> list[str]:
    """The questions of cards, one line each."""
    return [ellipsis(visible(" ".join(card.front.of(current()).split())), cells) for card in cards]


__all__ = [
    "FORM_NAMES",
    "GUESSES",
    "MARK_LETTERS",
    "MARK_NAMES",
    "came_back_lines",
    "earlier_head",
    "earlier_text",
    "form_name",
    "found_words",
    "half_note",
    "mark_letters",
    "names_of",
    "past_note",
    "point_text",
    "proposal_note",
    "score_lines",
]
