"""Drills in Review: type, see how it is read, grade; then the verdict, another try of one's own, a dispute.

What an answer is worth is decided in content.drilling; here are only keys and what is shown when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from content.sitting import CardItem
from tui.pace import QUIET_MS, KeyGate
from tui.screens.review_bar import ReviewBar
from tui.screens.review_keys import card_name
from tui.widgets.flow import Para, visible
from tui.widgets.sides import Sides, sides
from tui.words import _

if TYPE_CHECKING:
    from textual.timer import Timer

    from content.cards import Card
    from content.drilling import DrillAsk, Graded
    from content.queue import DrillRun
    from grading.days import Instant
    from tui.widgets.drill_sides import DrillSides

PAUSE_SECONDS = 1.2
"""Only after so long without a key is said why a line cannot be read: it is only half typed before that."""
DRILL_ACTIONS = frozenset({"steps", "another", "dispute", "prove"})
AFTER_A_DRILL = frozenset({"skip", "redo", "suspend"})
"""Their letters mean something else once a drill is answered."""
GIVES_AWAY = frozenset({"lesson", "info", "edit", "source"})
"""Before the answer these would tell the topic, or the formula itself."""


class DrillKeys(ReviewBar):
    """What Review does with a drill on screen."""

    def __init__(self) -> None:
        super().__init__()
        self.drills: DrillRun | None = None
        self.gate = KeyGate()
        self._asked_again: Graded | None = None
        self._with_steps: bool | None = None  # None: as the answer was
        self._pause: Timer | None = None

    # -- what ReviewScreen does ------------------------------------------------------------------------------------

    def reveal(self, now: Instant, graded: Graded | None = None) -> None:
        """Show the answer."""
        raise NotImplementedError

    # -- what is on screen -----------------------------------------------------------------------------------------

    @property
    def ask(self) -> DrillAsk | None:
        """The problem on screen, if there is one."""
        return self.card_item.ask if self.card_item is not None else None

    @property
    def graded(self) -> Graded | None:
        """What was answered to it."""
        return self.session.graded if self.session is not None and self.revealed else None

    @property
    def rates_nothing(self) -> bool:
        return self.drills is not None

    def side(self, card: Card) -> Sides:
        """The card in the language and form now shown."""
        if self.ask is None:
            return sides(card, self.shard.lang, self.raw)
        return self._drill_side(card, self.ask)

    def _drill_side(self, card: Card, ask: DrillAsk) -> DrillSides:
        from tui.widgets.drill_sides import DrillSides  # with it comes what reads and grades answers: 50 ms

        graded = self.graded
        with_steps = self._with_steps
        if with_steps is None:
            with_steps = graded is not None and not graded.is_right
        return DrillSides(
            card, self.shard.lang, False, ask=ask, graded=graded, with_steps=with_steps, glyphs=self.shard.glyphs
        )

    def begin_drill(self) -> None:
        """Another item is on screen: forget what was typed, and let a drill's answer be typed at once."""
        self._asked_again, self._with_steps = None, None
        self._stop_pause()
        if self.ask is not None and not self.revealed:
            self.set_focus(self.view.field)

    def hides_topic(self) -> bool:
        """Whether the topic would give the formula away: in mixed practice, before the answer."""
        return self.ask is not None and not self.revealed

    # -- typing ----------------------------------------------------------------------------------------------------

    def drill_typed(self, now_ms: int) -> None:
        """Show how what stands in the field is read; why it has no reading only once the keys rest."""
        field = self.view.field
        held = self.gate.last * len(field.value)
        if field.value and field.value == held and now_ms - self.gate.last_ms < QUIET_MS:
            self.gate.note(self.gate.last, now_ms)  # the rating key of the card before, still held down
            field.set_text("")
            return
        self._stop_pause()
        self.show_reading()
        if field.value.strip():
            self._pause = self.set_timer(PAUSE_SECONDS, self._say_why_unreadable)

    def show_reading(self) -> None:
        """The line below the field."""
        item, ask = self.card_item, self.ask
        if item is None or ask is None or self.revealed:
            return
        side, typed = self._drill_side(item.card, ask), self.view.field.value
        if self._asked_again is not None and self._asked_again.typed == typed:
            self.view.show_below_field(side.asked_again(self._asked_again))
        else:
            self.view.show_below_field(side.reading(typed))

    def _say_why_unreadable(self) -> None:
        ask = self.ask
        if ask is None or self.revealed:
            return
        from tui.verdict_words import unreadable_line

        why = unreadable_line(self.view.field.value, ask.problem)
        if why and self._asked_again is None:
            self.view.show_below_field([Para(visible(self.shard.glyphs.text(why)), first="  ", rest="  ")])

    def _stop_pause(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None

    def drill_entered(self, now: Instant) -> None:
        """Enter: into the field, or grade what stands in it."""
        ask, field = self.ask, self.view.field
        if ask is None:
            return
        if not field.has_focus:
            self.set_focus(field)
            return
        typed = field.value
        before = self._asked_again
        if before is not None and before.tries and before.tries[-1][0] == typed:
            self.say(_("Change the answer, or give up."))
            return
        from content.drilling import grade_typed

        self._stop_pause()
        graded = grade_typed(ask, typed, before)
        if graded.rating is None:
            self._asked_again = graded
            self.show_reading()
        else:
            self.reveal(now, graded)

    def action_give_up(self) -> None:
        """See the answer without giving one: rated Again."""
        if self.ask is None or self.revealed:
            return
        from content.drilling import give_up

        self._stop_pause()
        self.reveal(self.press(), give_up(self._asked_again))

    # -- after the answer ------------------------------------------------------------------------------------------

    def action_steps(self) -> None:
        """The worked steps with these numbers, or without them again."""
        item, ask = self.card_item, self.ask
        if item is None or ask is None:
            return
        self.press()
        self._with_steps = not self._drill_side(item.card, ask).with_steps
        self.draw(same_card=True)
        if self._with_steps:
            self.call_after_refresh(self.view.scroll_end, animate=False)

    def action_another(self) -> None:
        """Other numbers of the same drill; the schedule is not touched, and one comes back here afterwards."""
        item = self.card_item
        if item is None or item.ask is None:
            return
        from content.events import Purpose
        from content.queue import DrillRun
        from tui.screens.review import ReviewScreen

        self.press()
        run = DrillRun(count=1, card_id=item.card.id, unlike={item.card.id: item.ask.numbers})
        self.shard.push_screen(ReviewScreen(purpose=Purpose.PRACTICE, drills=run), lambda _result: self._back())

    def _back(self) -> None:
        self.press()
        self.draw(same_card=True)

    def action_dispute(self) -> None:
        """Say why the verdict is wrong; stored with the answer, and listed then."""
        item, graded = self.card_item, self.graded
        if item is None or graded is None:
            return
        from tui.screens.note import DisputeScreen

        self.press()
        name = card_name(item.card, self.shard.lang)
        self.shard.push_screen(DisputeScreen(graded.dispute, name), self._disputed)

    def _disputed(self, text: str | None) -> None:
        if text is None or self.session is None or self.graded is None:
            return
        from tui.verdict_words import dispute_kept

        self.press()
        self.session.dispute(text)
        self.draw(same_card=True)
        self.say(dispute_kept(rated=self.rates_nothing) if text else _("No dispute."))

    def action_prove(self) -> None:
        """Run the lab that proves a drill's formula, with this problem's numbers, or what a card says, with the lab's own."""
        item = self.card_item
        if item is not None:
            self.press()
            self.shard.prove(self._lab(item), item.ask.problem if item.ask is not None else None)

    def _lab(self, item: CardItem) -> str:
        return str((item.card.drill or {}).get("lab") or item.card.lab or "")

    # -- which keys apply ------------------------------------------------------------------------------------------

    def drill_key_applies(self, action: str) -> bool | None:
        """Whether a key means something for the drill on screen; None where drills make no difference."""
        item = self.card_item
        if item is not None and action == "prove":
            return self.revealed and bool(self._lab(item))
        if item is None or item.ask is None:
            return False if action in DRILL_ACTIONS or action == "give_up" else None
        if action == "give_up":
            return not self.revealed
        if action == "another":
            return self.revealed and self.drills is None
        if action in DRILL_ACTIONS:
            return self.revealed
        if action == "tab":
            return not self.revealed and not self.view.field.has_focus
        if (action in AFTER_A_DRILL and self.revealed) or (action in GIVES_AWAY and not self.revealed):
            return False
        return None

    def key_label(self, action: str) -> str | None:
        """The keys of the field speak of the answer."""
        if self.ask is not None and not self.revealed:
            if action == "tab":
                return _("leave the field") if self.view.field.has_focus else _("type the answer")
            if action == "back" and self.view.field.has_focus:
                return _("leave the field")
        if action == "back" and self.drills is not None and self.drills.count == 1:
            return _("back to the card")
        return super().key_label(action)
