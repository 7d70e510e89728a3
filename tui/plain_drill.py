"""A drill in a plain session: the same texts as on the screen, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.drilling import Graded, give_up, grade_typed
from content.sitting import CardItem
from tui import words
from tui.intervals import rating_name
from tui.plain_words import folded
from tui.widgets.drill_sides import DrillSides
from tui.words import _

if TYPE_CHECKING:
    from tui.plain import PlainSession

GIVE_UP, STEPS, DISPUTE = "g", "t", "d"


def drill_side(plain: PlainSession, item: CardItem, *, with_steps: bool = False) -> DrillSides:
    """The problem on screen in the language now spoken."""
    graded = plain.session.graded if plain.session.outcomes is not None else None
    steps = with_steps or (graded is not None and not graded.is_right)
    return DrillSides(item.card, words.current(), ask=item.ask, graded=graded, with_steps=steps)


def ask_drill(plain: PlainSession, item: CardItem) -> str:
    """Ask until there is an answer to rate: "stay" once its verdict is to be said."""
    before: Graded | None = None
    while (ask := item.ask) is not None:
        line = plain.ask(_("Type your answer; g shows it."))
        if line is None:
            return "quit"
        if not line.strip():
            continue
        if plain.is_command(line):
            done = plain.do_command(line)
            if done != "stay":
                return done
            item = plain.same_card(item)
            plain.say_question(item)
            continue
        graded = give_up(before) if folded(line) == GIVE_UP else grade_typed(ask, line, before)
        if graded.rating is None:
            plain.say(*plain.paragraphs(drill_side(plain, item).asked_again(graded)))
            before = graded
            continue
        plain.session.reveal(plain.clock.now(), graded)
        return "stay"
    return "moved"


def say_verdict(plain: PlainSession, item: CardItem) -> None:
    """The verdict, what the answer came from, what was asked, and after a miss the worked steps."""
    side = drill_side(plain, item)
    plain.say(*(line.strip() for line in plain.paragraphs([*side.typed(""), *side.answer(), *side.after()])))


def drill_prompt(plain: PlainSession, choices: str) -> str:
    """What Enter does after the verdict, and the other ratings."""
    graded = plain.session.graded
    if plain.practises:
        return _("Enter: on to the next. t steps, d and a text: dispute.")
    proposed = rating_name(graded.rating) if graded is not None and graded.rating is not None else ""
    return _("Enter: {rating}. Or {choices}. t steps, d and a text: dispute.").format(rating=proposed, choices=choices)


def after_drill(plain: PlainSession, item: CardItem, line: str) -> bool:
    """Steps and disputes; False for any other line."""
    name, _space, rest = line.strip().partition(" ")
    if folded(name) == STEPS:
        plain.say(*plain.paragraphs(drill_side(plain, item, with_steps=True).after()))
    elif folded(name) == DISPUTE and rest.strip():
        from tui.verdict_words import dispute_kept

        plain.session.dispute(rest.strip())
        plain.say(dispute_kept(rated=plain.practises))
    else:
        return False
    return True
