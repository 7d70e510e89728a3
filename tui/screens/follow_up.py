"""Follow-ups to an oral answer: the same thing in numbers, one parameter changed each time, up to three deep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from content.drilling import Graded, give_up, grade_typed
from content.follow_ups import DEEPEST
from tui.pace import KeyGate, Stopwatch
from tui.screens.base import Rule, SubScreen, TopLine
from tui.widgets.answer_field import AnswerField
from tui.widgets.card_view import CardView
from tui.widgets.drill_sides import DrillSides
from tui.widgets.flow import BLANK, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.rating_bar import BarButton, RatingBar
from tui.words import N_, _

if TYPE_CHECKING:
    from content.cards import Text
    from content.follow_ups import FollowUps

SMALL_HEIGHT = 16


@dataclass(frozen=True, slots=True)
class FollowUpSides(DrillSides):
    """A drill's problem under the sentence that says what changed."""

    changed: Text | None = None

    def question(self) -> list[Para]:
        assert self.changed is not None
        change = Para(visible(self.changed.of(self.lang)), style="bold")
        return [change, BLANK, *DrillSides.question(self)]


class FollowUpScreen(SubScreen[None]):
    """One problem after the other, as long as the answers are right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "go_on", N_("go on"), id="follow-up.go-on", show=False),
        Binding("g,f9,ctrl+g", "give_up", N_("give up"), id="follow-up.give-up"),
        Binding("tab", "field", N_("type the answer"), id="follow-up.field", show=False),
        Binding("pagedown", "scroll_card('page_down')", N_("page down"), show=False),
        Binding("pageup", "scroll_card('page_up')", N_("page up"), show=False),
    ]

    def __init__(self, follow_ups: FollowUps) -> None:
        super().__init__()
        self.follow_ups = follow_ups
        self.item = follow_ups.item
        self.graded: Graded | None = None  # also an answer that is asked again
        self._watch, self._gate = Stopwatch(), KeyGate()

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        yield CardView(AnswerField(id="line"), id="content")
        yield Rule(id="message")
        yield RatingBar(id="ratings")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#top-rule").display = self.size.height >= SMALL_HEIGHT
        self._begin()

    def _begin(self) -> None:
        self.graded = None
        self._watch.start(self.shard.clock.now().at_ms)
        self._draw()
        self.set_focus(self.view.field)

    @property
    def view(self) -> CardView:
        return self.query_one("#content", CardView)

    @property
    def is_answered(self) -> bool:
        """Whether the verdict is on screen."""
        return self.graded is not None and self.graded.rating is not None

    def _side(self) -> FollowUpSides:
        assert self.item is not None
        graded = self.graded if self.is_answered else None
        wrong = graded is not None and not graded.is_right
        return FollowUpSides(
            self.item.card,
            self.shard.lang,
            False,
            ask=self.item.ask,
            graded=graded,
            with_steps=wrong,
            glyphs=self.shard.glyphs,
            changed=self.item.changed.words,
        )

    def _draw(self, *, same_card: bool = False) -> None:
        if self.item is None:
            return
        if self.is_answered:
            typed = self.graded.typed if self.graded is not None else ""
            self.view.show_answer(self._side(), typed=typed, with_sources=False, same_card=same_card)
        else:
            self.view.show_question(self._side(), same_card=same_card)
        bar = [BarButton("Enter", _("answer"), "", "go_on"), BarButton("g", _("give up"), "", "give_up")]
        if self.is_answered:
            bar = [BarButton("Enter", _("one deeper") if self.follow_ups.item else _("back"), "", "go_on")]
        self.query_one(RatingBar).show(bar)
        self.refresh_top()
        self.refresh_bindings()

    def retranslate(self) -> None:
        super().retranslate()
        self._draw(same_card=True)

    def top_text(self) -> tuple[str, str]:
        depth = self.item.depth if self.item is not None else DEEPEST
        return _("Follow-up"), _("{n} of {most}").format(n=depth, most=DEEPEST)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return not self.is_answered if action in ("give_up", "field") else True

    def on_rating_bar_pressed(self, message: RatingBar.Pressed) -> None:
        self.call_later(self.run_action, message.button.action)

    def on_answer_field_changed(self) -> None:
        if self.item is not None and not self.is_answered:
            self._watch.touch(self.shard.clock.now().at_ms)
            self.view.show_below_field(self._side().reading(self.view.field.value))

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.action_go_on()

    def action_field(self) -> None:
        """Back into the field."""
        self.set_focus(self.view.field)

    def action_go_on(self) -> None:
        """Grade what was typed; after the verdict the next one, or back."""
        now_ms = self.shard.clock.now().at_ms
        if not self._gate.passes("enter", now_ms):
            return
        if self.is_answered:
            self.item = self.follow_ups.item
            if self.item is None:
                self.dismiss()
            else:
                self._begin()
        elif self.item is not None and self.view.field.value.strip():
            graded = grade_typed(self.item.ask, self.view.field.value, self.graded)
            if graded.rating is None:
                self.graded = graded
                self.view.show_below_field(self._side().asked_again(graded))
            else:
                self._finish(graded)

    def action_give_up(self) -> None:
        """See the answer."""
        if self.item is not None and not self.is_answered:
            self._finish(give_up(self.graded))

    def _finish(self, graded: Graded) -> None:
        now = self.shard.clock.now()
        self.follow_ups.answer(graded, now, took_ms=self._watch.at(now.at_ms))
        self.graded = graded
        self.set_focus(None)
        self._draw()

    def action_scroll_card(self, how: str) -> None:
        """Scroll the problem."""
        getattr(self.view, f"scroll_{how}")(animate=False)


__all__ = ["FollowUpScreen"]
