"""Card info: a card's text, where it stands in words, its history, and what can be done with it at any time."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from content.cards import Card, card_from_json
from content.errors import DamagedMemory
from content.events import UNDOING, Kind, NewEvent, Purpose
from grading.days import date_of, study_day
from grading.schedule import Phase, retrievability
from tui.app import RecordUnavailable
from tui.intervals import long_interval, phase_name, rating_name
from tui.refusals import told
from tui.screens.base import NARROW, SubScreen
from tui.screens.review_keys import card_name
from tui.screens.today import date_text
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.widgets.history import History, HistoryLine
from tui.widgets.sides import sides
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.actions import Actions
    from content.rows import CardState

EVENT_NAMES = {
    Kind.SET_DUE: N_("date set by hand"),
    Kind.RESET: N_("made new again"),
    Kind.SUSPEND: N_("suspended"),
    Kind.UNSUSPEND: N_("back in rotation"),
    Kind.BURY: N_("buried for the day"),
    Kind.FLAG: N_("flagged"),
    Kind.UNFLAG: N_("flag taken off"),
    Kind.NOTE: N_("note changed"),
    Kind.EDIT: N_("text edited"),
    Kind.DISPUTE: N_("disputed"),
    Kind.REGRADE: N_("graded again"),
}
PURPOSE_NAMES = {
    Purpose.PRACTICE: N_("practice"),
    Purpose.AHEAD: N_("ahead of time"),
    Purpose.LADDER: N_("ladder"),
    Purpose.EXAM: N_("exam"),
}


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
        Binding("pagedown", "page(1)", N_("page down"), show=False),
        Binding("pageup", "page(-1)", N_("page up"), show=False),
    ]

    def __init__(self, card_key: int) -> None:
        super().__init__()
        self.card_key = card_key
        self.changed = False
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
        now = self.shard.clock.now()
        day = study_day(now, self.shard.settings.rollover_hour)
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
            date = date_text(date_of(memory.due_day))
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
        parts = [date_text(date_of(event.day))]
        if event.kind is Kind.ATTEMPT and event.rating is not None:
            parts.append(rating_name(event.rating))
            if event.took_ms:
                parts.append(_("{n}s").format(n=max(1, round(event.took_ms / 1000))))
            if event.purpose in PURPOSE_NAMES:
                parts.append(_(PURPOSE_NAMES[event.purpose]))
            if event.due_day is not None:
                parts.append(_("next {date}").format(date=date_text(date_of(event.due_day))))
            typed = _typed(event.response)
            if typed:
                parts.append("> " + visible(typed))
        else:
            parts.append(_(EVENT_NAMES.get(event.kind, event.kind.value)))
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
        history = self.query_one(History)
        history.move(step)
        row = history.virtual_region.y + history.current_row
        content = self.query_one("#content")
        if not content.scroll_y <= row < content.scroll_y + content.size.height - 1:
            content.scroll_to(y=max(0, row - content.size.height // 2), animate=False)
        self.refresh_bindings()

    def action_page(self, step: int) -> None:
        content = self.query_one("#content")
        (content.scroll_page_down if step > 0 else content.scroll_page_up)(animate=False)

    def action_take_back(self) -> None:
        """Take back the marked line of the history, or restore it; nothing is erased."""
        line = self.query_one(History).current
        if line is None or self._actions is None:
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


def _typed(response: str | None) -> str:
    """The line that was typed before the answer."""
    try:
        read = json.loads(response or "{}")
    except ValueError:
        return ""
    typed = read.get("typed") if isinstance(read, dict) else None
    return typed if isinstance(typed, str) else ""
