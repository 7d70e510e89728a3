"""Card info: a card's text, where it stands in words, its history, and what can be done with it at any time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from content.cards import Card, card_from_json
from content.errors import DamagedMemory
from content.events import UNDOING, Kind, NewEvent
from grading.days import study_day
from grading.schedule import Phase, retrievability
from tui.app import RecordUnavailable
from tui.history_words import day_text, event_parts
from tui.intervals import long_interval, phase_name
from tui.refusals import told
from tui.screens.base import NARROW, SubScreen
from tui.screens.review_keys import card_name
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.history import History, HistoryLine
from tui.widgets.sides import sides
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.actions import Actions
    from content.rows import CardState


class CardInfoScreen(SubScreen[bool]):
    """Dismisses with whether anything was changed."""

    DEFAULT_CSS = """
    CardInfoScreen #content { padding: 1 3 0 3; }
    CardInfoScreen.-narrow #content { padding: 0 1; }
    """
    HORIZONTAL_BREAKPOINTS = NARROW
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n,ctrl+n", "note", N_("note"), id="info.note"),
        Binding("f,ctrl+f", "flag", N_("flag"), id="info.flag"),
        Binding("x,ctrl+x", "suspend", N_("suspend"), id="info.suspend"),
        Binding("d,ctrl+d", "set_due", N_("set date"), id="info.date"),
        Binding("r,ctrl+r", "reset", N_("make new"), id="info.reset"),
        Binding("e,ctrl+e", "edit", N_("edit"), id="info.edit"),
        Binding("up", "move(-1)", N_("line up"), id="info.up", show=False),
        Binding("down", "move(1)", N_("line down"), id="info.down", show=False),
        Binding("t,ctrl+t", "take_back", N_("take back line"), id="info.take-back"),
        Binding("home", "ends(-1)", N_("first line"), show=False),
        Binding("end", "ends(1)", N_("last line"), show=False),
        Binding("pagedown", "page(1)", N_("page down"), show=False),
        Binding("pageup", "page(-1)", N_("page up"), show=False),
    ]

    def __init__(self, card_key: int) -> None:
        super().__init__()
        self.card_key = card_key
        self.changed = False
        self._follows = False  # whether the marked line is to stay in sight: once it was chosen
        self._state: CardState | None = None
        self._card: Card | None = None
        self._events: list[NewEvent] = []
        self._fault: RecordUnavailable | None = None

    def top_text(self) -> tuple[str, str]:
        if self._card is None:
            return _("Card"), ""
        return _("Card"), visible(self._card.called(self.shard.lang) or self._card.id)

    def compose_content(self) -> ComposeResult:
        yield Flow(id="text")
        yield History(id="history")

    async def on_mount(self) -> None:
        self.query_one("#content").can_focus = False
        self.run_worker(self._begin(), exclusive=True)

    async def _begin(self) -> None:
        try:
            await self.shard.need_record(to_read=True)
        except RecordUnavailable as fault:
            self._fault = fault
            self._draw()
            return
        self._load()

    def _load(self) -> None:
        record = self.shard.record
        if record is None:
            return
        try:
            self._state = record.state(self.card_key)
        except DamagedMemory as fault:
            self.query_one("#text", Flow).show([Para(told(fault))])
            return
        self._card = card_from_json(self._state.card.body) if self._state is not None else None
        self._events = record.events_of(self.card_key)
        self._draw()

    @property
    def _actions(self) -> Actions | None:
        from content.actions import Actions

        record = self.shard.record
        if record is None or self._state is None:
            return None
        if record.read_only:
            self.say(_("This window can only read the record; Today says why."))
            return None
        return Actions(record, self.shard.settings, self.shard.clock.new_event_id)

    @property
    def _today(self) -> int:
        return study_day(self.shard.clock.now(), self.shard.settings.rollover_hour)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _draw(self) -> None:
        if self._fault is not None:
            self.query_one("#text", Flow).show([Para(str(self._fault))])
        if self._state is None or self._card is None:
            return
        side = sides(self._card, self.shard.lang)
        paras = [*side.question(), BLANK, *side.answer()]
        points = [Para(point, first="  - ", rest="    ") for point in side.points()]
        known_by = [Para(_("Id: {id}").format(id=visible(self._card.id)))] if self._card.called("en") else []
        for block in (self._standing(), self._note(), points, side.after(), [*side.sources(), *known_by]):
            if block:
                paras += [BLANK, *block]
        paras += [BLANK, Para(_("History"), style="bold")]
        self.query_one("#text", Flow).show(paras)
        self.query_one(History).show(self._history())
        self.refresh_top()
        self.refresh_bindings()

    def _standing(self) -> list[Para]:
        assert self._state is not None
        row, memory = self._state.row, self._state.row.memory
        day = self._today
        sentences = [self._where(day)]
        if memory.attempts:
            missed = ngettext("forgotten {n} time", "forgotten {n} times", memory.lapses).format(n=memory.lapses)
            times = ngettext("Answered {n} time", "Answered {n} times", memory.attempts).format(n=memory.attempts)
            sentences.append(_("{times}, {missed}.").format(times=times, missed=missed))
        recall = retrievability(memory, day, self.shard.settings.plan())
        if recall is not None and memory.stability is not None and memory.difficulty is not None:
            sentences.append(
                _(
                    "Chance to recall it now {recall:.0%}; falls to 90 % after {days:.1f} days; difficulty {hard:.1f} of 10."
                ).format(recall=recall, days=memory.stability, hard=memory.difficulty)
            )
        extra = [
            text
            for text, on in (
                (_("Flagged."), row.flag),
                (_("A leech: missed again and again."), memory.leech),
                (_("Buried for today."), row.buried_day == day),
            )
            if on
        ]
        return [
            Para(_("Where it stands"), style="bold"),
            Para(("" if self.shard.lang == "zh" else " ").join([*sentences, *extra])),
        ]

    def _where(self, day: int) -> str:
        assert self._state is not None
        row, memory = self._state.row, self._state.row.memory
        if not self._state.card.present:
            return _("No longer in its pack; its history is kept.")
        if row.suspended:
            return _("Suspended: it is not asked until you take it back.")
        if memory.phase is Phase.REVIEW and memory.due_day is not None:
            date = day_text(memory.due_day, day)
            if memory.due_day <= day:
                return _("In review, due since {date}.").format(date=date)
            return _("In review, due on {date}.").format(date=date)
        return _("It is {phase}.").format(phase=phase_name(memory.phase))

    def _note(self) -> list[Para]:
        assert self._state is not None
        note = self._state.row.note
        return [Para(_("Your note"), style="bold"), Para(note)] if note else []

    def _history(self) -> list[HistoryLine]:
        undone: dict[str, bool] = {}
        for event in reversed(self._events):
            if event.kind in UNDOING and event.target_id is not None:
                undone[event.target_id] = event.kind is Kind.RETRACT
        lines = []
        for event in self._events:
            if event.kind not in UNDOING:
                taken_back = undone.get(event.event_id, False)
                lines.append(HistoryLine(event.event_id, self._event_text(event, taken_back=taken_back), taken_back))
        return lines

    def _event_text(self, event: NewEvent, *, taken_back: bool) -> str:
        parts = event_parts(event, self._today)
        assert self._state is not None
        earlier, is_earlier = self._earlier(event.card_rev)
        if self._state.card.kind == "drill":
            from tui.drill_history import history_parts

            parts += history_parts(event, earlier)
        if is_earlier:
            parts.append(_("(an earlier text)"))
        if taken_back:
            parts.append(_("(taken back)"))
        return "  ".join(parts)

    def _earlier(self, rev: str | None) -> tuple[Card | None, bool]:
        """The other text that an answer was given to, if it is known, and whether there is one; a new name makes none."""
        record = self.shard.record
        if record is None or rev is None or self._state is None or rev == self._state.card.rev:
            return None, False
        body = record.revision(self.card_key, rev)
        earlier = card_from_json(body) if body else None
        if earlier is not None and self._card is not None and replace(earlier, name=self._card.name) == self._card:
            return None, False
        return earlier, True

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    # -- keys ------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Only what can be done is offered."""
        if action == "edit":
            return self._card is not None and self.shard.is_own_pack(self._card.pack_id)
        if action == "take_back":
            return bool(self.query(History)) and self.query_one(History).current is not None
        return True

    def key_label(self, action: str) -> str | None:
        """Keys that go both ways say which way they go now."""
        row = self._state.row if self._state is not None else None
        if action == "suspend" and row is not None and row.suspended:
            return _("back in rotation")
        if action == "flag" and row is not None and row.flag:
            return _("take flag off")
        current = self.query_one(History).current if self.query(History) else None
        if action == "take_back" and current is not None and current.taken_back:
            return _("restore line")
        return super().key_label(action)

    def _changed(self, told: str) -> None:
        self.changed = True
        self._load()
        self.say(told)

    def action_back(self) -> None:
        self.dismiss(self.changed)

    def action_flag(self) -> None:
        """Flag the card, or take the flag off."""
        if self._actions is not None:
            on = self._actions.flag(self.card_key, self.shard.clock.now())
            self._changed(_("Flagged.") if on else _("Flag taken off."))

    def action_suspend(self) -> None:
        """Take the card out of rotation, or back."""
        if self._actions is None or self._state is None:
            return
        now = self.shard.clock.now()
        if self._state.row.suspended:
            self._actions.unsuspend(self.card_key, now)
            self._changed(_("Back in rotation, where it was."))
        else:
            self._actions.suspend(self.card_key, now)
            self._changed(_("Suspended."))

    def action_note(self) -> None:
        """Write a private note."""
        if self._state is not None and self._card is not None:
            from tui.screens.note import NoteScreen

            name = card_name(self._card, self.shard.lang)
            self.shard.push_screen(NoteScreen(self._state.row.note or "", name), self._noted)

    def _noted(self, text: str | None) -> None:
        if text is not None and self._actions is not None:
            self._actions.note(self.card_key, text, self.shard.clock.now())
            self._changed(_("Note kept.") if text else _("Note removed."))

    def action_set_due(self) -> None:
        """Choose when the card comes back."""
        from tui.screens.due_date import DueDateScreen

        self.shard.push_screen(DueDateScreen(), self._due_chosen)

    def _due_chosen(self, in_days: int | None) -> None:
        if in_days is not None and self._actions is not None:
            self._actions.set_due(self.card_key, in_days, self.shard.clock.now())
            self._changed(_("It comes {when}.").format(when=_in_days(in_days)))

    def action_reset(self) -> None:
        """Make the card new again; the history stays, and the line can be taken back."""
        if self._actions is not None:
            self._actions.reset(self.card_key, self.shard.clock.now())
            self._changed(_("New again. The history stays; take the line back to undo this."))

    def action_edit(self) -> None:
        """Edit the card of an own pack in $EDITOR."""
        if self._card is not None:
            from tui.editor import edit_card

            done = edit_card(self.shard, self._card, self.card_key)
            self._changed(done.sentence)

    def action_move(self, step: int) -> None:
        """Mark another line of the history."""
        self.query_one(History).move(step)
        self._bring_in_sight()

    def action_ends(self, step: int) -> None:
        """Mark the first line of the history, or the last."""
        self.action_move(step * len(self._events))

    def action_page(self, step: int) -> None:
        """A page on or back; the mark goes along where there is a line to mark."""
        content = self.query_one("#content")
        (content.scroll_page_down if step > 0 else content.scroll_page_up)(animate=False)
        self.call_after_refresh(self._mark_along)

    def _mark_along(self) -> None:
        content, history = self.query_one("#content"), self.query_one(History)
        top = round(content.scroll_target_y) - history.virtual_region.y
        history.mark_within(top, top + content.size.height)
        self._follows = self._in_sight()
        self.refresh_bindings()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        if self._follows:
            self.call_after_refresh(self._bring_in_sight)

    def _in_sight(self) -> bool:
        content, history = self.query_one("#content"), self.query_one(History)
        row = history.virtual_region.y + history.current_row
        top = round(content.scroll_target_y)
        return top <= row < top + content.size.height

    def _bring_in_sight(self) -> None:
        if not self._in_sight():
            content, history = self.query_one("#content"), self.query_one(History)
            row = history.virtual_region.y + history.current_row
            content.scroll_to(y=max(0, row - content.size.height // 2), animate=False)
        self._follows = True
        self.refresh_bindings()

    def action_take_back(self) -> None:
        """Take back the marked line of the history, or restore it; nothing is erased."""
        line = self.query_one(History).current
        if line is None or self._actions is None:
            return
        if not self._in_sight():
            self._bring_in_sight()
            self.say(_("This line is meant: press the key once more."))
            return
        now = self.shard.clock.now()
        if line.taken_back:
            self._actions.restore(line.event_id, now)
            self._changed(_("Restored: {line}.").format(line=line.text))
        else:
            self._actions.retract(line.event_id, now)
            self._changed(_("Taken back: {line}.").format(line=line.text))


def _in_days(days: int) -> str:
    class _Days:
        delay_s = None
        interval_days = days

    return _("today") if days == 0 else long_interval(_Days())
