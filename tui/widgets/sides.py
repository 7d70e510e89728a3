"""What each kind of card shows on its two sides, as paragraphs. One class per kind; the view is the same for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from content.cards import Card, cloze_parts
from tui.tex import has_tex, readable
from tui.widgets.flow import BLANK, Para, visible
from tui.words import _

HOLE_STYLE = "bold underline"


@dataclass(frozen=True, slots=True)
class Sides:
    """A card in one language; `raw` shows formulas as they were typed."""

    card: Card
    lang: str
    raw: bool = False

    def tidy(self, text: str) -> str:
        """A card's text as it is shown: no spaces at its ends, formulas made readable unless `raw`."""
        text = text.strip()
        return visible(text if self.raw else readable(text))

    @property
    def takes_line(self) -> bool:
        """Whether something may be typed before the answer is shown."""
        return self.card.invites_line

    @property
    def line_hint(self) -> str:
        """What stands in the empty field."""
        return _("Tab: write one line first, if you like")

    @property
    def has_formula(self) -> bool:
        """Whether the raw text differs from what is shown."""
        card = self.card
        texts = [card.front, card.back, *card.ideas, *card.traps, *(point.text for point in card.rubric)]
        return any(has_tex(text.of(self.lang)) for text in texts)

    def question(self) -> list[Para]:
        """The question side."""
        return [Para(self.tidy(self.card.front.of(self.lang)), style="bold")]

    def details(self) -> list[Para]:
        """What belongs to the question but may stand below the field where the window is small."""
        return []

    def typed(self, text: str) -> list[Para]:
        """What was typed, once the answer is shown."""
        return list(typed_line(text))

    def answer(self) -> list[Para]:
        """What is asked for."""
        return [Para(self.tidy(self.card.back.of(self.lang)))]

    def points(self) -> list[str]:
        """What to check oneself by, one line each."""
        return [self.tidy(idea.of(self.lang)) for idea in self.card.ideas]

    def point_ids(self) -> list[str]:
        """The names under which ticked points are stored."""
        return [str(number) for number in range(1, len(self.card.ideas) + 1)]

    def after(self) -> list[Para]:
        """What follows the points: the caveat."""
        if self.card.caveat is None:
            return []
        return [labelled(_("Caveat"), self.tidy(self.card.caveat.text.of(self.lang)))]

    def sources(self) -> list[Para]:
        """Where the card's claims come from."""
        paras = [labelled(_("Source"), visible("; ".join(self.card.source)))] if self.card.source else []
        if self.card.caveat is not None and self.card.caveat.source:
            paras.append(labelled(_("Caveat from"), visible(self.card.caveat.source)))
        return paras or [Para(_("This card names no source."))]


class ClozeSides(Sides):
    """A sentence with a hole; the answer is the whole sentence with the hole filled, in brackets and bold."""

    def question(self) -> list[Para]:
        return [Para(self._filled("[...]"))]

    def answer(self) -> list[Para]:
        return [Para(self._filled(None))]

    def _filled(self, hole: str | None) -> Content:
        if self.card.cloze is None:
            return Content(self.tidy(self.card.back.of(self.lang)))
        content = Content("")
        for part in cloze_parts(self.card.cloze.of(self.lang).strip()):
            text = visible(part.text if self.raw else readable(part.text))
            if part.mark != self.card.cloze_index:
                content += Content(text)
            else:
                content += Content.styled(hole if hole is not None else f"[{text}]", HOLE_STYLE)
        return content


class OralSides(Sides):
    """A question answered aloud; then the rubric to mark oneself by, the traps and a model answer."""

    def question(self) -> list[Para]:
        paras = Sides.question(self)
        if self.card.minutes:
            paras += [BLANK, Para(_("Answer aloud, in about {n} minutes.").format(n=f"{self.card.minutes:g}"))]
        return paras

    def answer(self) -> list[Para]:
        return [Para(_("Tick what you said."), style="bold")]

    def points(self) -> list[str]:
        key = _("(key)")
        return [
            f"{self.tidy(point.text.of(self.lang))} {key}" if point.key else self.tidy(point.text.of(self.lang))
            for point in self.card.rubric
        ]

    def point_ids(self) -> list[str]:
        return [point.id for point in self.card.rubric]

    def after(self) -> list[Para]:
        paras: list[Para] = []
        if self.card.traps:
            paras.append(Para(_("Traps"), style="bold"))
            paras += [Para(self.tidy(trap.of(self.lang)), first="  - ", rest="    ") for trap in self.card.traps]
            paras.append(BLANK)
        paras.append(Para(_("A model answer"), style="bold"))
        paras.append(Para(self.tidy((self.card.model_answer or self.card.back).of(self.lang))))
        return paras + Sides.after(self)


def sides(card: Card, lang: str, raw: bool = False) -> Sides:
    """The sides of a card of any kind; a kind that is not known is shown as question and answer."""
    kind = {"cloze": ClozeSides, "oral": OralSides}.get(card.kind, Sides)
    return kind(card, lang, raw)


def labelled(label: str, text: str) -> Para:
    """A paragraph behind a word that says what it is."""
    head = Content.styled(label, "bold") + Content("  ")
    return Para(head + Content(text), rest="  ")


def typed_line(text: str) -> Sequence[Para]:
    """What the learner typed before the answer, marked as theirs."""
    return [Para(visible(text), first="> ", rest="  ")] if text else []
