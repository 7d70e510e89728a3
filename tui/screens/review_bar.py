"""The bottom bar of Review: what Enter or Space does now, then the ratings and what each would do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.sitting import CardItem, LessonItem
from grading.schedule import Rating
from tui.app import RecordUnavailable
from tui.intervals import RATING_NAMES, short_interval
from tui.screens.base import Rule
from tui.screens.review_keys import ReviewKeys
from tui.widgets.key_line import KeyLine
from tui.widgets.rating_bar import BarButton
from tui.words import _

if TYPE_CHECKING:
    from content.store import Record

SMALL_HEIGHT = 16


class HintRule(Rule):
    """The lower rule; while there is no message it says that the card goes on below."""

    hint = ""

    def set_hint(self, hint: str) -> None:
        """Show another hint; nothing is redrawn when it is the same."""
        if hint != self.hint:
            self.hint = hint
            self.refresh()

    def _lines(self, width: int) -> list[str]:
        return super()._lines(width) or ([self.hint] if self.hint else [])


class ReviewKeyLine(KeyLine):
    """Gives the card the rows of a small window: one line of keys there, the others one step further."""

    def _rows(self) -> int:
        return 1 if self.app.size.height < SMALL_HEIGHT else 2


class ReviewBar(ReviewKeys):
    """Says what can be answered, or that the record cannot be had; `ReviewScreen` does it."""

    def __init__(self) -> None:
        super().__init__()
        self.fault: RecordUnavailable | None = None

    # -- the record ------------------------------------------------------------------------------------------------

    def sit(self, record: Record) -> None:
        """Begin the sitting with its first card."""
        raise NotImplementedError

    def wait_for_record(self) -> None:
        """Begin as soon as the record is open, and say so meanwhile."""
        self.fault = None
        self.draw_waiting()
        self.run_worker(self._begin(), exclusive=True)

    async def _begin(self) -> None:
        try:
            record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self.fault = fault
            self.draw_waiting()
        else:
            self.sit(record)

    def draw_waiting(self) -> None:
        """Draw what stands in the place of the first card: why there is none yet."""
        self.view.show_message(str(self.fault or _("Opening your record ...")))
        self.draw_lines()

    def try_again(self) -> None:
        """Ask for the record once more after it was refused: the other window may be closed, the disk have room."""
        if self.fault is not None:
            self.wait_for_record()

    # -- the bar ---------------------------------------------------------------------------------------------------

    @property
    def proposed(self) -> Rating | None:
        """The rating that a graded drill proposes; Enter accepts it."""
        graded = self.session.graded if self.session is not None and self.revealed else None
        return graded.rating if graded is not None else None

    @property
    def rates_nothing(self) -> bool:
        """Whether a run of drills is on: nothing is scheduled, so that ratings say nothing."""
        raise NotImplementedError

    def buttons(self) -> list[BarButton]:
        """The parts of the bar."""
        if self.fault is not None:
            return [BarButton("Enter", _("try again"), "", "answer")]
        if self.lesson_open:
            return [BarButton("Space", _("back to the card"), "", "answer")]
        item = self.session.item if self.session is not None else None
        if isinstance(item, LessonItem):
            return [BarButton("Space", _("on to the cards"), "", "answer")]
        if not isinstance(item, CardItem):
            return []
        if not self.revealed:
            return self._before(item)
        if self.rates_nothing:
            return [BarButton("Enter", _("next problem"), "", "answer")]
        return [self._rating_button(rating) for rating in self.ratings()]

    def _before(self, item: CardItem) -> list[BarButton]:
        in_field = self.view.field.has_focus
        if item.ask is None:
            return [BarButton("Enter" if in_field else "Space", _("show answer"), "", "answer")]
        first = BarButton("Enter", _("answer") if in_field else _("type the answer"), "", "answer")
        return [first, BarButton(self.shown_key("give_up"), _("give up"), "", "give_up")]

    def ratings(self) -> tuple[Rating, ...]:
        """The ratings on offer; the proposed one always is."""
        if not self.shard.settings.two_buttons:
            return tuple(Rating)
        return tuple(sorted({Rating.AGAIN, Rating.GOOD} | ({self.proposed} if self.proposed is not None else set())))

    def _rating_button(self, rating: Rating) -> BarButton:
        outcomes = self.session.outcomes if self.session is not None else None
        detail = ""
        if outcomes is not None and self.shard.settings.show_intervals:
            detail = short_interval(outcomes.of(rating)) if outcomes.on_schedule else _("practice")
        action = f"rate({int(rating)})"
        key = self.shown_key(action)
        if rating is self.proposed:
            key = f"Enter {key}"
        return BarButton(key, _(RATING_NAMES[rating]), detail, action)
