"""What can be done with the card on screen besides answering it; each is a step that undo takes back by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from content.cards import Card, Topic, card_from_json, topic_from_json
from content.events import Kind
from content.sitting import CardItem, Undone
from tui.intervals import rating_name
from tui.keys import key_name
from tui.screens.base import SubScreen
from tui.widgets.card_view import CardView
from tui.widgets.flow import ellipsis, visible
from tui.words import N_, _

if TYPE_CHECKING:
    from content.session import Session
    from grading.days import Instant
    from tui.editor import WrittenEntries

NAME_CELLS = 28

UNDONE = {
    Kind.SUSPEND: N_("suspending {card}"),
    Kind.BURY: N_("burying {card}"),
    Kind.FLAG: N_("the flag on {card}"),
    Kind.UNFLAG: N_("taking the flag off {card}"),
    Kind.NOTE: N_("the note on {card}"),
    Kind.EDIT: N_("the edit of {card}"),
    Kind.SET_DUE: N_("the date of {card}"),
    Kind.RESET: N_("making {card} new"),
    Kind.LESSON: N_("reading the lesson"),
}
CARD_ACTIONS = frozenset({"skip", "bury", "suspend", "flag", "note", "edit", "info", "source", "lesson"})


def card_name(card: Card, lang: str) -> str:
    """A card's name, or else the first words of its question, to speak of it in a sentence."""
    first_line = (card.called(lang) or card.front.of(lang)).strip().split("\n", 1)[0]
    return _("“{words}”").format(words=ellipsis(visible(first_line), NAME_CELLS))


class ReviewKeys(SubScreen[None]):
    """The card keys of Review. Every one also has a Ctrl key, for when an input method holds the letters."""

    BINDINGS: ClassVar[list[BindingType]] = [
        # Of a drill, and before the others: once it is answered these letters are its own.
        Binding("g,f9,ctrl+g", "give_up", N_("give up"), id="give-up", show=False),
        Binding("p", "prove", N_("prove it"), id="prove"),
        Binding("s", "steps", N_("steps"), id="steps"),
        Binding("r", "another", N_("another"), id="another"),
        Binding("x", "dispute", N_("dispute"), id="dispute"),
        Binding("tab", "tab", N_("next point"), id="line", priority=True),  # what is typed ahead lands in the line
        Binding("u,ctrl+u", "undo", N_("undo"), id="undo"),
        Binding("n,ctrl+n", "note", N_("note"), id="note"),
        Binding("i,ctrl+o", "source", N_("source"), id="source"),
        Binding("v,ctrl+d", "tick", N_("tick"), id="tick"),
        Binding("f,ctrl+f", "flag", N_("flag"), id="flag"),
        Binding("s,ctrl+s", "skip", N_("skip"), id="skip"),
        Binding("b,ctrl+b", "bury", N_("bury"), id="bury"),
        Binding("x,ctrl+x", "suspend", N_("suspend"), id="suspend"),
        Binding("l,ctrl+t", "lesson", N_("lesson"), id="lesson"),
        Binding("c,ctrl+k", "info", N_("card"), id="info"),
        Binding("e,ctrl+e", "edit", N_("edit"), id="edit"),
        Binding("r,ctrl+r", "redo", N_("redo"), id="redo"),
        Binding("t,ctrl+y", "raw", N_("TeX"), id="raw"),
        Binding("w,ctrl+w", "time", N_("time"), id="time"),
        Binding("shift+tab", "point_before", N_("point before"), id="point-before", show=False),
        Binding("pagedown", "scroll_card('page_down')", N_("page down"), show=False),
        Binding("pageup", "scroll_card('page_up')", N_("page up"), show=False),
        Binding("down", "scroll_card('down')", N_("down"), show=False),
        Binding("up", "scroll_card('up')", N_("up"), show=False),
        Binding("home", "scroll_card('home')", N_("top"), show=False),
        Binding("end", "scroll_card('end')", N_("end"), show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.session: Session | None = None
        self.revealed = self.raw = self.with_sources = self.lesson_open = False
        self.show_time = True
        self._lesson_topic = ""
        self._written: WrittenEntries | None = None
        self._known_topics: dict[str, Topic] | None = None

    @property
    def view(self) -> CardView:
        """The card."""
        return self.query_one("#content", CardView)

    # -- what ReviewScreen does ------------------------------------------------------------------------------------

    @property
    def card_item(self) -> CardItem | None:
        """The card on screen, if it is one."""
        raise NotImplementedError

    def press(self) -> Instant:
        """The instant of this key press."""
        raise NotImplementedError

    def next_card(self, now: Instant, *, revealed: bool = False) -> None:
        """Show what the session now holds."""
        raise NotImplementedError

    def draw(self, *, same_card: bool = False) -> None:
        """Draw the item as it stands."""
        raise NotImplementedError

    def draw_lines(self) -> None:
        """Draw the lines around the card."""
        raise NotImplementedError

    def keep_typed(self) -> None:
        """Store what is half typed."""
        raise NotImplementedError

    # -- which keys apply ------------------------------------------------------------------------------------------

    def card_key_applies(self, action: str) -> bool:
        """Whether a key means something for what is on screen."""
        item = self.card_item
        if action in CARD_ACTIONS:
            return item is not None and (action != "edit" or self.shard.is_own_pack(item.card.pack_id))
        if action == "tab" and not self.revealed:
            return item is not None and item.card.invites_line
        if action in ("tick", "tab", "point_before"):
            return item is not None and self.revealed and bool(self.view.checks.display)
        if action == "raw":
            return item is not None and self._has_formula(item.card)
        return True

    def _has_formula(self, card: Card) -> bool:
        from tui.widgets.sides import sides

        return sides(card, self.shard.lang).has_formula

    def key_label(self, action: str) -> str | None:
        """Keys that do different things on the two sides say what they do now."""
        if action == "tab" and not self.revealed:
            return _("leave the line") if self.view.field.has_focus else _("write a line")
        if action == "back" and self.view.field.has_focus:
            return _("leave the line")
        return super().key_label(action)

    def shown_key(self, action: str) -> str:
        """The key to press for an action, as it is bound now."""
        for active in self.active_bindings.values():
            if active.binding.action == action:
                return active.binding.key_display or key_name(active.binding.key)
        return ""

    def title_of_topic(self, topic_id: str) -> str:
        """A topic's title in the language shown."""
        topic = self._topics().get(topic_id)
        return topic.title.of(self.shard.lang) if topic is not None else topic_id.partition("/")[2]

    def _topics(self) -> dict[str, Topic]:
        if self._known_topics is None and self.shard.record is not None:
            rows = self.shard.record.topics(absent_too=True)
            self._known_topics = {row.topic_id: topic_from_json(row.topic_id, row.body) for row in rows}
        return self._known_topics or {}

    # -- steps back and forth --------------------------------------------------------------------------------------

    def action_undo(self) -> None:
        """Take the last step of this sitting back, whatever it was."""
        now = self.press()
        undone = self.session.undo(now) if self.session is not None else None
        if undone is None:
            self.say(_("Nothing to undo in this sitting."))
            return
        told = self._put_back(undone)
        self._after_step(now)
        self.say(" ".join([_("Undone: {what}.").format(what=self._what(undone)), *told]))

    def action_redo(self) -> None:
        """Do again what was undone last."""
        now = self.press()
        redone = self.session.redo(now) if self.session is not None else None
        if redone is None:
            self.say(_("Nothing to redo."))
            return
        told = self._put_back(redone)
        self._after_step(now)
        self.say(" ".join([_("Done again: {what}.").format(what=self._what(redone)), *told]))

    def _put_back(self, step: Undone) -> list[str]:
        """An edit that was undone or done again is one of the pack's file too; what there is to say about that."""
        if step.kind is not Kind.EDIT or step.card is None or self._written is None:
            return []
        told = self._written.put(self.shard, step.card)
        return [told] if told else []

    def _after_step(self, now: Instant) -> None:
        assert self.session is not None
        self.next_card(now, revealed=self.session.outcomes is not None)

    def _what(self, step: Undone) -> str:
        name = self._name_of(step)
        if step.kind is Kind.ATTEMPT and step.rating is not None:
            return _("{rating} on {card}").format(rating=rating_name(step.rating), card=name)
        if step.kind is None:
            return _("skipping {card}").format(card=name)
        return _(UNDONE.get(step.kind, "{card}")).format(card=name)

    def _name_of(self, step: Undone) -> str:
        card = step.card
        if card is None and step.card_id is not None and self.shard.record is not None:
            row = self.shard.record.card(step.card_id)
            card = card_from_json(row.body) if row is not None else None
        return card_name(card, self.shard.lang) if card is not None else _("the card")

    # -- the card --------------------------------------------------------------------------------------------------

    def _put_away(self, how: str, told: str) -> None:
        item = self.card_item
        if item is None or self.session is None:
            return
        now = self.press()
        {"skip": self.session.skip, "bury": self.session.bury, "suspend": self.session.suspend}[how](now)
        self.next_card(now)
        self.say(told.format(card=card_name(item.card, self.shard.lang), undo=self.shown_key("undo")))

    def action_skip(self) -> None:
        """Let the card wait until later in this sitting."""
        self._put_away("skip", _("Skipped: {card} comes back later in this sitting."))

    def action_bury(self) -> None:
        """Hide the card until the next study day."""
        self._put_away("bury", _("Buried until tomorrow: {card}."))

    def action_suspend(self) -> None:
        """Take the card out of rotation; its history stays."""
        self._put_away("suspend", _("Suspended: {card}. Cards lists it; {undo} takes it back."))

    def action_flag(self) -> None:
        """Mark the card, or take the mark off; the schedule does not change."""
        if self.card_item is None or self.session is None:
            return
        self.session.flag(self.press())
        self.draw_lines()
        on = self.card_item is not None and self.card_item.flag
        self.say(_("Flagged. Cards lists what is flagged.") if on else _("Flag taken off."))

    def action_note(self) -> None:
        """Write a private note on the card."""
        item = self.card_item
        if item is None:
            return
        from tui.screens.note import NoteScreen

        self.press()
        self.shard.push_screen(NoteScreen(item.note or "", card_name(item.card, self.shard.lang)), self._noted)

    def _noted(self, text: str | None) -> None:
        if text is not None and self.session is not None and self.card_item is not None:
            self.session.note(text, self.press())
            self.say(_("Note kept.") if text else _("Note removed."))

    def action_edit(self) -> None:
        """Edit the card of an own pack in $EDITOR; its history is kept."""
        item = self.card_item
        if item is None or self.session is None:
            return
        from tui.editor import WrittenEntries, edit_card

        self.press()
        done = edit_card(self.shard, item.card, item.card_key)
        if done.card is not None:
            self._written = self._written or WrittenEntries()
            self._written.remember(item.card, done)
            self.session.edited(self.press())
            self.draw(same_card=True)
        self.say(done.sentence)

    def action_info(self) -> None:
        """All that is known of the card."""
        item = self.card_item
        if item is not None:
            from tui.screens.card_info import CardInfoScreen

            self.press()
            self.shard.push_screen(CardInfoScreen(item.card_key), self._back_from_info)

    def _back_from_info(self, changed: bool | None) -> None:
        if self.session is None:
            return
        now = self.press()
        if changed and self.session.refresh(now):
            self.next_card(now, revealed=self.revealed)

    def leech_notice(self, item: CardItem, *, suspended: bool) -> None:
        """Offer to edit or suspend a card that is missed again and again."""
        from tui.screens.leech import LeechScreen

        own = self.shard.is_own_pack(item.card.pack_id)
        screen = LeechScreen(card_name(item.card, self.shard.lang), suspended=suspended, editable=own)
        self.shard.push_screen(screen, lambda choice: self._leech_chosen(item, choice))

    def _leech_chosen(self, item: CardItem, choice: str | None) -> None:
        if self.session is None:
            return
        now = self.press()
        if choice == "suspend":
            self.session.suspend_card(item.card.id, now)
            self.next_card(now)
            self.say(_("Suspended: {card}.").format(card=card_name(item.card, self.shard.lang)))
        elif choice == "edit":
            from tui.editor import edit_card

            self.say(edit_card(self.shard, item.card, item.card_key).sentence)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def action_source(self) -> None:
        """Show or hide where the card's claims come from."""
        if not self.revealed:
            self.say(_("The source is shown with the answer."))
            return
        self.with_sources = not self.with_sources
        self.draw(same_card=True)
        if self.with_sources:
            self.call_after_refresh(self.view.scroll_end, animate=False)

    def action_lesson(self) -> None:
        """The lesson of the card's topic, and back."""
        self.press()
        if self.lesson_open:
            self.lesson_open = False
            self.draw(same_card=True)
        elif self.card_item is not None:
            self._lesson_topic = self.card_item.card.topic
            self.lesson_open = True
            self.set_focus(None)
            self.draw_open_lesson()

    def draw_open_lesson(self) -> None:
        """Draw the lesson that was opened from a card."""
        topic = self._topics().get(self._lesson_topic)
        if topic is not None:
            self.view.show_lesson(topic.title.of(self.shard.lang), topic.lesson.of(self.shard.lang))
        self.draw_lines()

    def action_tick(self) -> None:
        """Tick the marked line and go to the next."""
        self.press()
        self.view.checks.tick()

    def action_tab(self) -> None:
        """Before the answer: into the learner's own line, or out of it. After it: to the next line to tick."""
        self.press()
        if self.revealed:
            self.view.checks.move(1)
        elif self.view.field.has_focus:
            self.set_focus(None)
        else:
            self.set_focus(self.view.field)

    def action_point_before(self) -> None:
        """To the line to tick before."""
        self.view.checks.move(-1)

    def action_back(self) -> None:
        """Out of the learner's line, or out of a lesson; else back to Today."""
        if self.view.field.has_focus:
            self.set_focus(None)
        elif self.lesson_open:
            self.action_lesson()
        else:
            self.keep_typed()
            self.dismiss()

    def action_raw(self) -> None:
        """Formulas as they were typed, and back."""
        self.raw = not self.raw
        self.draw(same_card=True)

    def action_time(self) -> None:
        """Show or hide the time of this sitting."""
        self.show_time = not self.show_time
        self.refresh_top()

    def action_scroll_card(self, how: str) -> None:
        getattr(self.view, f"scroll_{how}")(animate=False)
