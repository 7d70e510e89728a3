"""Oral questions and tables in Review: they are answered on screens of their own, and come back as the card's rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.events import SCHEDULING
from content.sitting import CardItem
from tui.screens.review_drill import DrillKeys
from tui.widgets.rating_bar import BarButton
from tui.words import _

if TYPE_CHECKING:
    from content.events import Purpose
    from content.practice import Selection
    from content.sitting import Answered
    from grading.days import Instant


class HandOverKeys(DrillKeys):
    """Opens the exam or table screen for the card that stands on screen."""

    purpose: Purpose
    selection: Selection | None = None  # set before the screen is opened: a sitting over just these cards

    @property
    def purpose_badge(self) -> str:
        """What is said in the top line of a sitting that is no plain review."""
        return _("ahead") if self.purpose in SCHEDULING else _("practice")

    def _tell_answered(self, answered: Answered, item: CardItem) -> None:
        raise NotImplementedError

    @property
    def handed_over(self) -> bool:
        """Whether the card is answered on a screen of its own."""
        item = self.card_item
        if item is None or self.revealed:
            return False
        return item.table is not None or (item.card.kind == "oral" and bool(item.card.rubric))

    def hand_over(self) -> None:
        """Open that screen; it rates the card in this sitting."""
        item = self.card_item
        if item is None or self.session is None:
            return
        self.set_focus(None)
        if item.table is not None:
            from tui.screens.table import TableScreen

            self.shard.push_screen(TableScreen(self.session), lambda done: self._handed_back(item, done))
        else:
            from tui.exam_desk import ReviewDesk
            from tui.screens.exam import ExamScreen

            self.shard.push_screen(ExamScreen(ReviewDesk(self.session)), lambda done: self._handed_back(item, done))

    def _handed_back(self, item: CardItem, answered: Answered | None) -> None:
        now: Instant = self.press()
        self.next_card(now)
        if answered is not None:
            self._tell_answered(answered, item)

    def _before(self, item: CardItem) -> list[BarButton]:
        if self.handed_over:
            label = _("fill in the table") if item.table is not None else _("answer the question")
            return [BarButton("Enter", label, "", "answer")]
        return super()._before(item)


__all__ = ["HandOverKeys"]
