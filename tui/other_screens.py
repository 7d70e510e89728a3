"""Actions of the app that open a screen: oral exam, tables, map, practice, placement."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tui.record_keeper import RecordKeeper

if TYPE_CHECKING:
    from tui.screens.base import ShardScreen


class OtherScreens(RecordKeeper):
    """A part of `ShardrillApp`; each screen is imported when it is opened."""

    start: str
    practice: dict[str, Any]
    placement_first = False  # chosen in the first questions

    def _open(self, make: Callable[[], ShardScreen[Any]]) -> None:
        raise NotImplementedError

    def action_review(self) -> None:
        """Begin or go on with today's cards."""
        raise NotImplementedError

    def open_started(self) -> None:
        """What the command line asked for, where it is one of these."""
        if self.start == "exam":
            self.action_exam()
        elif self.start == "table":
            self.action_table()
        elif self.start == "map":
            self.action_map()

    def after_welcome(self) -> None:
        """The first questions are answered: the first lesson, or before it the placement that was asked for."""
        if not self.placement_first:
            self.action_review()
            return
        from tui.screens.placement import PlacementScreen

        self.push_screen(PlacementScreen(), lambda _result: self.action_review())

    def action_exam(self) -> None:
        """Oral questions, one or several."""
        from tui.screens.exam_choice import ExamChoiceScreen

        self._open(lambda: ExamChoiceScreen(**(self.practice if self.start == "exam" else {})))

    def action_table(self) -> None:
        """Tables from memory."""
        from tui.screens.table_choice import TableChoiceScreen

        self._open(lambda: TableChoiceScreen(**(self.practice if self.start == "table" else {})))

    def action_map(self) -> None:
        """The whole page as topics and nodes."""
        from tui.screens.map import MapScreen

        self._open(MapScreen)

    def action_practice(self) -> None:
        """Any cards, without touching the schedule; or what comes due soon, ahead of it."""
        from tui.screens.practice_choice import PracticeChoiceScreen

        self._open(PracticeChoiceScreen)

    def action_placement(self) -> None:
        """A dozen questions that mark what is known already."""
        from tui.screens.placement import PlacementScreen

        self._open(PlacementScreen)


__all__ = ["OtherScreens"]
