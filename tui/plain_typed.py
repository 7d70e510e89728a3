"""Drills, tables and oral questions in a plain sitting: who asks them, says their result, and proposes a rating."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.sitting import CardItem

if TYPE_CHECKING:
    from grading.schedule import Rating
    from tui.plain import PlainSession


def ask_typed(plain: PlainSession, item: CardItem) -> str | None:
    """Ask a card that is answered by typing: "stay" once its answer can be shown; None for any other card."""
    if item.ask is not None:
        from tui.plain_drill import ask_drill

        return ask_drill(plain, item)
    if item.table is not None:
        from tui import table_plain

        return table_plain.ask_in_review(plain, item)
    if item.card.kind == "oral" and item.card.rubric:
        from tui import exam_plain

        return exam_plain.ask_in_review(plain)
    return None


def say_typed(plain: PlainSession, item: CardItem) -> bool:
    """Say what such an answer was worth; False for any other card."""
    if item.ask is not None:
        from tui.plain_drill import say_verdict

        say_verdict(plain, item)
    elif item.table is not None:
        from tui import table_plain

        table_plain.say_in_review(plain, item)
    elif item.card.kind == "oral" and item.card.rubric:
        from tui import exam_plain

        exam_plain.say_in_review(plain)
    else:
        return False
    return True


def proposed(plain: PlainSession) -> Rating | None:
    """The rating that Enter accepts, where the answer proposes one."""
    session = plain.session
    if session.graded is not None:
        return session.graded.rating
    if session.table_graded is not None:
        return session.table_graded.rating
    oral = session.oral_begun
    return oral.score.rating if oral is not None and oral.submitted else None


__all__ = ["ask_typed", "proposed", "say_typed"]
