"""A placement: a dozen questions, and whole topics that were known are not taught anew. One step, which can be taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.app import RecordUnavailable
from tui.pace import KeyGate, Stopwatch
from tui.screens.base import Rule, SubScreen, TopLine
from tui.widgets.answer_field import AnswerField
from tui.widgets.card_view import CardView
from tui.widgets.flow import visible
from tui.widgets.key_line import KeyLine
from tui.widgets.rating_bar import BarButton, RatingBar
from tui.widgets.sides import sides
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.placement import Placement
    from content.store import Record

INTRO, ASK, ANSWER, FOUND, WRITTEN = "intro", "ask", "answer", "found", "written"


class PlacementScreen(SubScreen[None]):
    """Nothing is written before what was found is confirmed."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,space", "go_on", N_("go on"), id="placement.go-on", show=False),
        Binding("k,f5", "known(True)", N_("knew it"), id="placement.known", show=False),
        Binding("n,f4", "known(False)", N_("did not"), id="placement.not-known", show=False),
        Binding("b,f6", "back_one", N_("question before"), id="placement.back-one"),
        Binding("u,ctrl+u", "undo", N_("take the placement back"), id="placement.undo"),
        Binding("pagedown", "scroll_card('page_down')", N_("page down"), show=False),
        Binding("pageup", "scroll_card('page_up')", N_("page up"), show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.record: Record | None = None
        self.placement: Placement | None = None
        self.stage = INTRO
        self._can_undo = False
        self._watch, self._gate = Stopwatch(), KeyGate()
        self._fault: RecordUnavailable | None = None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        yield CardView(AnswerField(id="line"), id="content")
        yield Rule(id="message")
        yield RatingBar(id="ratings")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()
        self.run_worker(self._open(), exclusive=True)

    async def _open(self) -> None:
        try:
            self.record = await self.shard.need_record()
        except RecordUnavailable as fault:
            self._fault = fault
            self._draw()
            return
        from content.placement import last_placement

        self._can_undo = bool(last_placement(self.record))
        self._draw()

    @property
    def view(self) -> CardView:
        return self.query_one("#content", CardView)

    # -- drawing ----------------------------------------------------------------------------------------------------

    def top_text(self) -> tuple[str, str]:
        if self.placement is None or self.stage not in (ASK, ANSWER):
            return _("Placement"), ""
        told = _("{n} of {all}").format(n=self.placement.at + 1, all=len(self.placement.asked))
        return _("Placement"), told

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.query_one("#top-rule").display = event.size.height >= 16

    def _draw(self) -> None:
        if self.stage in (ASK, ANSWER) and self.placement is not None and self.placement.item is not None:
            side = sides(self.placement.item.card, self.shard.lang)
            if self.stage == ASK:
                self.view.show_question(side)
                self.view.field.display = False
            else:
                self.view.show_answer(side, typed="", with_sources=False)
        else:
            self.view.show_message(*self._texts())
        self.query_one(RatingBar).show(self._buttons())
        self.refresh_top()
        self.refresh_bindings()

    def _texts(self) -> list[str]:
        if self._fault:
            return [str(self._fault)]
        if self.record is None:
            return [_("Opening your record ...")]
        if self.stage == INTRO:
            lines = [
                _("Not starting from nothing?"),
                _("A dozen questions, the topics in turn. Say honestly whether you knew each answer."),
                _(
                    "A topic whose questions you all knew counts as known: its cards come back later, spread over weeks."
                ),
                _("Nothing is written before you confirm it, and all of it can be taken back."),
            ]
            return [*lines, _("There is a placement already; u takes it back.")] if self._can_undo else lines
        return self._found_texts()

    def _found_texts(self) -> list[str]:
        assert self.placement is not None
        head = _("This was found") if self.stage == FOUND else _("Written")
        lines = [head]
        for placed in self.placement.found():
            title = visible(placed.title.of(self.shard.lang))
            if not placed.asked:
                told = _("not asked")
            elif placed.known:
                cards = ngettext("{n} card", "{n} cards", placed.cards).format(n=placed.cards)
                told = _("known: {cards} come later").format(cards=cards)
            else:
                told = _("to be learnt ({right} of {asked} known)").format(right=placed.right, asked=placed.asked)
            lines.append(_("{row}: {column}").format(row=title, column=told))
        return lines

    def _buttons(self) -> list[BarButton]:
        if self.record is None:
            return []
        buttons = {
            INTRO: [BarButton("Enter", _("begin"), "", "go_on")],
            ASK: [BarButton("Space", _("show answer"), "", "go_on")],
            ANSWER: [
                BarButton("k", _("knew it"), "", "known(True)"),
                BarButton("n", _("did not"), "", "known(False)"),
            ],
            FOUND: [BarButton("Enter", _("write it"), "", "go_on")],
            WRITTEN: [BarButton("Enter", _("back"), "", "go_on")],
        }
        return buttons[self.stage]

    # -- keys -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "known":
            return self.stage == ANSWER
        if action == "back_one":
            return self.stage in (ASK, ANSWER, FOUND)
        if action == "undo":
            return self._can_undo and self.stage in (INTRO, WRITTEN)
        return True

    def on_rating_bar_pressed(self, message: RatingBar.Pressed) -> None:
        self.call_later(self.run_action, message.button.action)

    def action_go_on(self) -> None:
        """Begin, show the answer, write what was found, leave: whatever comes next."""
        now = self.shard.clock.now()
        if self.record is None or not self._gate.passes(self.stage, now.at_ms):
            return
        if self.stage == INTRO:
            self._begin()
        elif self.stage == ASK:
            self.stage = ANSWER
        elif self.stage == FOUND and self.placement is not None:
            self.placement.finish(now)
            self.stage, self._can_undo = WRITTEN, True
        elif self.stage == WRITTEN:
            self.dismiss()
            return
        self._draw()

    def _begin(self) -> None:
        from content.placement import Placement

        assert self.record is not None
        now = self.shard.clock.now()
        self.placement = Placement(self.record, self.shard.settings, now, new_id=self.shard.clock.new_event_id)
        if self.placement.item is None:
            self.placement = None
            self.say(_("There is no new card left to ask about."))
            return
        self.stage = ASK
        self._watch.start(now.at_ms)

    def action_known(self, known: bool) -> None:
        """Say whether the answer was known, and go on."""
        if self.placement is None:
            return
        now_ms = self.shard.clock.now().at_ms
        self._gate.note("k" if known else "n", now_ms)
        self.placement.answer(known, took_ms=self._watch.at(now_ms))
        self._watch.start(now_ms)
        self.stage = ASK if self.placement.item is not None else FOUND
        self._draw()

    def action_back_one(self) -> None:
        """The question before, to be answered again."""
        if self.placement is not None and self.placement.back():
            self.stage = ASK
            self._draw()

    def action_undo(self) -> None:
        """Take the last placement back; answers given since then stay."""
        from content.placement import undo_placement

        if self.record is None:
            return
        now = self.shard.clock.now()
        done = self.placement is not None and self.placement.undo(now)
        if not done:
            undo_placement(self.record, self.shard.settings, now, new_id=self.shard.clock.new_event_id)
        self._can_undo = False
        self.stage = FOUND if done else INTRO
        self._draw()
        self.say(_("The placement was taken back."))

    def action_scroll_card(self, how: str) -> None:
        """Scroll what is on screen."""
        getattr(self.view, f"scroll_{how}")(animate=False)


__all__ = ["PlacementScreen"]
