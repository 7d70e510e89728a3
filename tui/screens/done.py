"""Done: the finish line of a sitting, what was missed, what comes when."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Static

from grading.days import date_of, study_day
from tui.history_words import day_text
from tui.refusals import told
from tui.screens.base import ShardScreen, margin, room_for_text
from tui.screens.today import date_text
from tui.widgets.flow import ellipsis, visible
from tui.words import N_, _, current, ngettext
from tui.wrap import wrap

if TYPE_CHECKING:
    from textual import events

    from content.session import Session
    from content.sitting import Finish

CHECK_SECONDS = 20.0


class DoneScreen(ShardScreen[str]):
    """Nothing is on screen any more. Results: "undo" (the step was taken back, show it again), "more" (go past enough
    for today), "next" (a card has come due meanwhile), None (back to Today).
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,escape,f8", "today", N_("today"), id="done.today"),
        Binding("u,ctrl+u", "undo", N_("undo"), id="done.undo"),
        Binding("g,f5", "more", N_("go on"), id="done.more"),
        Binding("c,f6", "cards", N_("cards"), id="done.cards"),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session

    def compose_content(self) -> ComposeResult:
        yield Static(id="done", classes="laid-out")

    def on_mount(self) -> None:
        self.query_one("#content").focus()
        self.set_interval(CHECK_SECONDS, self._look)

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    @property
    def finish(self) -> Finish | None:
        """Why the sitting ended; None when a card has come due since."""
        return self.session.finish

    def _look(self) -> None:
        if self.shard.screen is self and self.session.tick(self.shard.clock.now()):
            self._draw()
            self.refresh_bindings()

    def _draw(self) -> None:
        width = self.size.width
        left = margin(width)
        room = room_for_text(width)
        text = "\n".join(" " * left + line if line else "" for line in self.lines(room))
        self.query_one("#done", Static).update(Content("\n" * self.airy + text))

    # --- texts

    def top_text(self) -> tuple[str, str]:
        return _("Done"), date_text(date_of(self._day()))

    def _day(self) -> int:
        return study_day(self.shard.clock.now(), self.shard.settings.rollover_hour)

    def lines(self, room: int) -> list[str]:
        """The text, line by line, in `room` columns."""
        finish = self.finish
        if finish is None:
            return wrap(_("A card has come due meanwhile. Press g to go on."), room)
        lines = wrap(self._why(finish), room)
        if finish.answered:
            lines += ["", *wrap(self._counts(finish), room)]
        if finish.missed:
            lines += ["", _("Missed, and recalled since:") if finish.reason == "enough" else _("Missed:")]
            lines += [ellipsis(f"  {self._front(card_id)}", room, self.shard.glyphs.more) for card_id in finish.missed]
        coming = self._coming(finish)
        if coming:
            lines += ["", *wrap(coming, room)]
        if finish.more_due or finish.more_new:
            lines += ["", *wrap(_("There is more if you want it: g goes on."), room)]
        for fault in self.session.damaged.values():
            lines += ["", *wrap(told(fault), room)]
        return [self.shard.glyphs.text(line) for line in lines]

    def _why(self, finish: Finish) -> str:
        if finish.reason == "no-cards":
            return _("There are no cards: no pack was found. Put a pack into {folder} and start again.").format(
                folder=self.shard.places.packs
            )
        return {
            "enough": _("Enough for today."),
            "all-done": _("All done: nothing more is due today."),
            "practice": _("Practice is over; the schedule is as it was."),
            "limit": _("The day's limit is reached; what is still due waits and is not lost."),
            "all-suspended": _("All cards are suspended. The list of cards (c) shows them and takes them back."),
        }.get(finish.reason, _("Done."))

    def _counts(self, finish: Finish) -> str:
        minutes = max(1, round(finish.spent_ms / 60_000))
        answers = ngettext("{count} answer", "{count} answers", finish.answered).format(count=finish.answered)
        time = ngettext("{count} minute", "{count} minutes", minutes).format(count=minutes)
        again = ngettext("{count} of them Again", "{count} of them Again", finish.again_count).format(
            count=finish.again_count
        )
        return _("{answers} in {time}, {again}.").format(answers=answers, time=time, again=again)

    def _front(self, card_id: str) -> str:
        from content.cards import card_from_json

        record = self.shard.record
        row = record.card(card_id) if record is not None else None
        if row is None:
            return visible(card_id)
        return visible(" ".join(card_from_json(row.body).front.of(current()).split()))

    def _coming(self, finish: Finish) -> str:
        parts = []
        if finish.next_due_ms is not None:
            now = self.shard.clock.now()
            zone = datetime.timezone(datetime.timedelta(minutes=now.utc_offset_min))
            when = datetime.datetime.fromtimestamp(finish.next_due_ms / 1000, zone)
            parts.append(_("The next card comes back at {time}.").format(time=f"{when:%H:%M}"))
        if finish.tomorrow_count:
            parts.append(
                ngettext("Tomorrow: {count} card.", "Tomorrow: {count} cards.", finish.tomorrow_count).format(
                    count=finish.tomorrow_count
                )
            )
        elif finish.next_due_day is not None:
            parts.append(_("Next: {date}.").format(date=day_text(finish.next_due_day, self._day())))
        return " ".join(parts)

    # --- actions

    def action_today(self) -> None:
        """Back to Today."""
        self.dismiss(None)

    def action_undo(self) -> None:
        """Take back the last step of this sitting."""
        if self.session.undo(self.shard.clock.now()) is None:
            self.say(_("There is nothing to take back."))
        else:
            self.dismiss("undo")

    def action_more(self) -> None:
        """Go on past the finish line."""
        self.dismiss("next" if self.finish is None else "more")

    def action_cards(self) -> None:
        """All cards."""
        self.shard.action_cards()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action == "more":
            finish = self.finish
            return finish is None or finish.more_due or finish.more_new
        return True
