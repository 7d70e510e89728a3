"""Review: one card at a time, question first, then the answer and four ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from content.events import Purpose
from content.sitting import CardItem, DayTurned, LessonItem
from grading.days import Instant
from grading.schedule import Rating
from tui.intervals import long_interval
from tui.kept_line import KeptLine
from tui.pace import Stopwatch, clock_text
from tui.refusals import told
from tui.screens.base import Rule, TopLine
from tui.screens.review_bar import SMALL_HEIGHT, HintRule, ReviewKeyLine
from tui.screens.review_handover import HandOverKeys
from tui.widgets.answer_field import AnswerField
from tui.widgets.card_view import CardView
from tui.widgets.flow import visible
from tui.widgets.progress_line import Standing, progress_texts
from tui.widgets.rating_bar import RatingBar
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.drilling import Graded
    from content.queue import DrillRun
    from content.sitting import Answered
    from content.store import Record

RATE_ACTIONS = {f"rate({int(rating)})": rating for rating in Rating}
DAY_CHECK_SECONDS = 15.0
"""How often a waiting screen looks whether the study day turned or a step came due; draws only if so."""


class ReviewScreen(HandOverKeys):
    """One sitting. `topic` and `purpose` narrow it to practice of a topic, `drills` to a run of drills."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space,enter", "answer", N_("show answer"), id="answer", show=False),
        Binding("1,f4", "rate(1)", N_("Again"), id="again", show=False),
        Binding("2,f5", "rate(2)", N_("Hard"), id="hard", show=False),
        Binding("3,f6", "rate(3)", N_("Good"), id="good", show=False),
        Binding("4,f7", "rate(4)", N_("Easy"), id="easy", show=False),
    ]

    def __init__(
        self, *, topic: str | None = None, purpose: Purpose = Purpose.REVIEW, drills: DrillRun | None = None
    ) -> None:
        super().__init__()
        self.topic, self.purpose, self.drills = topic, purpose, drills
        self.card_watch, self.sitting_watch = Stopwatch(), Stopwatch()
        self.typed = ""
        self._shown_key: int | None = None
        self._lines: dict[int | None, str] = {}  # typed in this sitting, by card key: undo brings the line back
        self._kept_line = KeptLine()

    # -- widgets ---------------------------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        yield CardView(AnswerField(id="line"), id="content")
        yield HintRule(id="message")
        yield RatingBar(id="ratings")
        yield ReviewKeyLine()

    async def on_mount(self) -> None:
        record = self.shard.open_now
        if record is not None:
            self.sit(record)
        else:
            self.wait_for_record()

    def sit(self, record: Record) -> None:
        """Begin the sitting with its first card."""
        from content.session import Session

        now = self.shard.clock.now()
        self.session = Session(
            record,
            self.shard.settings,
            now,
            new_id=self.shard.clock.new_event_id,
            purpose=self.purpose,
            topic=self.topic,
            lang=self.shard.lang,
            drills=self.drills,
            selection=self.selection,
        )
        self.show_time = self.shard.settings.show_time
        self.sitting_watch.start(now.at_ms)
        self.next_card(now)
        if self.session.has_drills:
            self.call_after_refresh(self.shard.get_ready_for_drills)
        self.set_interval(DAY_CHECK_SECONDS, self._look_at_clock)
        self.set_interval(1.0, self._tick_time)

    # -- what is on screen -----------------------------------------------------------------------------------------

    @property
    def card_item(self) -> CardItem | None:
        """The card on screen, if it is one."""
        item = self.session.item if self.session is not None else None
        return item if isinstance(item, CardItem) and not self.lesson_open else None

    def next_card(self, now: Instant, *, revealed: bool = False) -> None:
        """Show what the session now holds, from the start; `revealed` after an undo, with its answer."""
        assert self.session is not None
        self.revealed = self.lesson_open = self.raw = self.with_sources = False
        self.typed = ""
        self.card_watch.start(now.at_ms)
        item = self.session.item
        if item is None:
            self._finished()
            return
        self._shown_key = item.card_key if isinstance(item, CardItem) else None
        self.draw()
        self.set_focus(None)
        if revealed and self.handed_over:
            self.hand_over()
        elif revealed:
            self.view.field.set_text(self._lines.get(self._shown_key, ""))
            self.reveal(now, self.session.graded)
        elif isinstance(item, CardItem) and (line := self._kept_line.bring_back(self.session.record, item)):
            self.view.field.set_text(line)
            self.say(_("The line that you began is here again."))
        self.begin_drill()
        for fault in self.session.newly_damaged():
            self.say(told(fault))

    def draw(self, *, same_card: bool = False) -> None:
        """Draw the item as it stands."""
        session, view = self.session, self.view
        if session is None:
            self.draw_waiting()
            return
        item = session.item
        if isinstance(item, LessonItem):
            view.show_lesson(item.topic.title.of(self.shard.lang), item.topic.lesson.of(self.shard.lang))
        elif isinstance(item, CardItem):
            side = self.side(item.card)
            if self.revealed:
                view.show_answer(side, typed=self.typed, with_sources=self.with_sources, same_card=same_card)
            else:
                view.show_question(side, same_card=same_card)
                self.show_reading()
        self.draw_lines()

    def draw_lines(self) -> None:
        """The lines around the card."""
        self.refresh_top()
        self.query_one(RatingBar).show(self.buttons())
        self.refresh_bindings()

    def top_text(self) -> tuple[str, str]:
        session = self.session
        if session is None:
            return _("Review"), ""
        progress, item = session.progress, session.item
        badges = []
        if isinstance(item, CardItem):
            badges = [text for text, on in ((_("new"), item.is_new), (_("flag"), bool(item.flag))) if on]
        if self.purpose is not Purpose.REVIEW:
            badges.append(self.purpose_badge)
        held = progress.hidden_siblings
        standing = Standing(
            topic=self.topic_title(),
            badges=tuple(badges),
            count=_("{done} of {total}").format(done=progress.done, total=progress.total),
            done=progress.done,
            total=progress.total,
            note=ngettext("{n} sibling waits", "{n} siblings wait", held).format(n=held) if held else "",
            time=clock_text(self.sitting_watch.at(self.shard.clock.now().at_ms)) if self.show_time else "",
        )
        return progress_texts(standing, self.size.width - 2, self.shard.glyphs)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.query_one("#top-rule").display = event.size.height >= SMALL_HEIGHT

    def on_card_view_moved(self) -> None:
        """Say that a long card goes on below."""
        self.query_one("#message", HintRule).set_hint(_("PgDn: more below") if self.view.more_below else "")

    # -- time ------------------------------------------------------------------------------------------------------

    def keep_typed(self) -> None:
        """Store what leaving would lose: the half line; in a run of drills the judged answer, whose rating is plain."""
        self.action_keep_line()
        if self.session is not None and self.session.judged is not None:
            now = self.shard.clock.now()
            self.session.keep_judged(now, took_ms=self.card_watch.at(now.at_ms), response=self._response())
            self.revealed = False

    def action_keep_line(self) -> None:
        """Store the half line on screen as it stands."""
        item = self.card_item
        if self.session is not None and item is not None and not self.revealed:
            now_ms = self.shard.clock.now().at_ms
            self._kept_line.keep(self.session.record, item, self.view.field.value.strip(), now_ms)

    def _look_at_clock(self) -> None:
        """The study day may turn and steps come due while nobody presses a key."""
        if self.session is not None and self.shard.screen is self and self.session.tick(self.shard.clock.now()):
            self.draw(same_card=True)

    def _tick_time(self) -> None:
        now_ms = self.shard.clock.now().at_ms
        if self.show_time and self.shard.screen is self and self.sitting_watch.runs(now_ms):
            self.refresh_top()

    # -- keys ------------------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        """Drop a guarded key that is only the last one held down or doubled; remember all others."""
        now_ms = self.shard.clock.now().at_ms
        if not self._is_guarded(event.key):
            self.gate.note(event.key, now_ms)
        elif not self.gate.passes(event.key, now_ms):
            event.stop()
            event.prevent_default()

    def _is_guarded(self, key: str) -> bool:
        active = self.active_bindings.get(key)
        return key in ("space", "enter") or (active is not None and active.binding.action in RATE_ACTIONS)

    def press(self) -> Instant:
        """The instant of this key press: read once, counted as time at the card."""
        now = self.shard.clock.now()
        self.card_watch.touch(now.at_ms)
        self.sitting_watch.touch(now.at_ms)
        if self.session is not None and self.session.tick(now):
            self.draw(same_card=True)
        return now

    def on_rating_bar_pressed(self, message: RatingBar.Pressed) -> None:
        """A click does what the key does, and a double click is one."""
        if self.gate.passes("click", self.shard.clock.now().at_ms):
            self.call_later(self.run_action, message.button.action)

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        if self.gate.passes("enter", self.shard.clock.now().at_ms) or self.ask is None:
            self.action_answer()

    def on_answer_field_changed(self) -> None:
        now_ms = self.shard.clock.now().at_ms
        self.card_watch.touch(now_ms)
        self.sitting_watch.touch(now_ms)
        if self.ask is not None:
            self.drill_typed(now_ms)
        else:
            self._kept_line.typed(self.set_timer, lambda: self.run_action("keep_line"))

    def on_descendant_focus(self) -> None:
        self.draw_lines()
        self.show_reading()

    def on_descendant_blur(self) -> None:
        self.draw_lines()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Rating keys do nothing before the answer is shown, card keys nothing without a card."""
        if action == "rate":
            rates = self.card_item is not None and self.revealed and not self.rates_nothing
            return rates and parameters[0] in [int(rating) for rating in self.ratings()]
        of_drill = self.drill_key_applies(action)
        return self.card_key_applies(action) if of_drill is None else of_drill

    def action_answer(self) -> None:
        """Show the answer; on a lesson go on; on an answer rate Good if the setting says so; without a record try again."""
        if self.session is None:
            self.try_again()
            return
        now = self.press()
        if self.lesson_open:
            self.lesson_open = False
            self.draw(same_card=True)
        elif isinstance(self.session.item, LessonItem):
            self.session.lesson_read(now)
            self.next_card(now)
        elif self.handed_over:
            self.hand_over()
        elif self.ask is not None and not self.revealed:
            self.drill_entered(now)
        elif not self.revealed:
            self.reveal(now)
        elif self.proposed is not None:
            self._rate(self.proposed, now)
        elif self.shard.settings.space_rates_good:
            self._rate(Rating.GOOD, now)

    def reveal(self, now: Instant, graded: Graded | None = None) -> None:
        """Show the answer and compute what each rating would do."""
        if self.session is None or self.card_item is None:
            return
        self.session.reveal(now, graded)
        self.typed = self.view.field.value.strip()
        self.set_focus(None)
        self.revealed = True
        self.draw()

    def action_rate(self, rating: int) -> None:
        """Rate the card; stored durably before the next one is shown."""
        if self.card_item is not None and self.revealed:
            self._rate(Rating(rating), self.press())

    def _rate(self, rating: Rating, now: Instant) -> None:
        assert self.session is not None
        item = self.card_item
        self._lines[self._shown_key] = self.typed
        try:
            answered = self.session.answer(
                rating, now, took_ms=self.card_watch.at(now.at_ms), response=self._response()
            )
        except DayTurned:
            self.draw(same_card=True)
            self.say(_("A new study day has begun. The intervals are new; rate once more."))
            return
        if item is not None:
            self._kept_line.keep(self.session.record, item, "", now.at_ms)
        self.next_card(now)
        if item is not None:
            self._tell_answered(answered, item)

    def _response(self) -> dict[str, object]:
        """What is kept of the answer beside the rating."""
        response: dict[str, object] = {"lang_shown": self.shard.lang}
        if self.typed and self.ask is None:
            response["typed"] = self.typed
        item, checks = self.card_item, self.view.checks
        if item is not None and checks.used:
            ids = self.side(item.card).point_ids()
            response["points"] = {name: int(index in checks.ticked) for index, name in enumerate(ids)}
        return response

    def _tell_answered(self, answered: Answered, item: CardItem) -> None:
        if answered.leech_now:
            self.leech_notice(item, suspended=answered.suspended_by_leech)
        elif answered.rating is Rating.AGAIN and answered.first_try:
            self.say(_("First try: not counted as a lapse. It comes back {when}.").format(when=long_interval(answered)))

    # -- the end ---------------------------------------------------------------------------------------------------

    def _finished(self) -> None:
        from tui.screens.done import DoneScreen

        assert self.session is not None
        self._shown_key = None
        if self.drills is not None and self.drills.count == 1:
            self.dismiss()  # one more of the drill on the screen below
            return
        self.draw_lines()
        self.shard.push_screen(DoneScreen(self.session), self._after_done)

    def _after_done(self, result: str | None) -> None:
        now = self.shard.clock.now()
        if self.session is None or result is None:
            self.dismiss()
            return
        if result == "more":
            self.session.go_on(now)
        self.next_card(now, revealed=self.session.outcomes is not None)

    def topic_title(self) -> str:
        """The topic of what is on screen; the card's id says it in mixed practice only after the answer."""
        item = self.session.item if self.session is not None else None
        if self.hides_topic():
            return _("Drill")
        if isinstance(item, LessonItem):
            return visible(item.topic.title.of(self.shard.lang))
        return visible(self.title_of_topic(item.card.topic)) if isinstance(item, CardItem) else _("Review")

    # -- language and settings -------------------------------------------------------------------------------------

    def retranslate(self) -> None:
        super().retranslate()
        if self.session is not None:
            self.session.lang = self.shard.lang
        if self.lesson_open:
            self.draw_open_lesson()
        else:
            self.draw(same_card=True)
