"""Opening Review on a selection of cards, such as those of one node of the map."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.events import Purpose
    from content.map_data import Node
    from content.practice import Selection
    from tui.app import ShardrillApp


def practise(shard: ShardrillApp, node: Node) -> None:
    """Practice of one node: a drill with new numbers, anything else card by card."""
    from content.events import Purpose
    from content.practice import Selection
    from content.queue import DrillRun
    from tui.screens.review import ReviewScreen

    if node.kind == "drill":
        run = DrillRun(count=5, card_id=node.id)
        shard.push_screen(ReviewScreen(purpose=Purpose.PRACTICE, drills=run))
    else:
        start_selection(shard, Selection("cards", keys=node.keys), Purpose.PRACTICE)


def start_selection(shard: ShardrillApp, selection: Selection, purpose: Purpose, topic: str | None = None) -> None:
    """Open Review on just these cards."""
    from tui.screens.review import ReviewScreen

    screen = ReviewScreen(purpose=purpose, topic=topic)
    screen.selection = selection
    shard.push_screen(screen, shard._came_back)


__all__ = ["practise", "start_selection"]
