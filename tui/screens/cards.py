"""Cards: all cards in the order of the course, searched and narrowed; Enter opens one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from content.cards import card_from_json
from content.events import Queue
from content.reading import CardFilter
from grading.days import study_day
from grading.schedule import Memory, Phase
from tui.app import RecordUnavailable
from tui.intervals import phase_name, short_days
from tui.messages import Returned
from tui.refusals import told
from tui.screens.base import Rule, SubScreen, TopLine
from tui.tex import readable
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import Flow, Para, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from textual.timer import Timer

    from content.reading import CardPage
    from content.rows import CardState
    from content.store import Record

PAGE = 200
"""Cards listed at once; the next page comes when the end is reached."""

SEARCH_REST_SECONDS = 0.15

NARROWED = {
    "all": (N_("all"), CardFilter()),
    "new": (N_("new"), CardFilter(queue=Queue.NEW)),
    "flagged": (N_("flagged"), CardFilter(flagged=True)),
    "leeches": (N_("leeches"), CardFilter(leech=True)),
    "suspended": (N_("suspended"), CardFilter(suspended=True)),
    "absent": (N_("no longer in a pack"), CardFilter(absent_too=True, queue=Queue.ABSENT)),
}


def state_in_words(state: CardState, day: int) -> str:
    """Where a card stands, in a few words: `suspended`, `new`, `due`, `in 6d`, `learning`."""
    row = state.row
    if not state.card.present:
        return _("absent")
    if row.suspended:
        return _("suspended")
    return due_in_words(row.memory, day)


def due_in_words(memory: Memory, day: int) -> str:
    """When a card comes: `new`, `learning`, `due`, `in 6d`."""
    if memory.phase is not Phase.REVIEW or memory.due_day is None:
        return phase_name(memory.phase)
    wait = memory.due_day - day
    return _("due") if wait <= 0 else _("in {time}").format(time=short_days(wait))


class CardsScreen(SubScreen[None]):
    """The list of cards. What is searched is folded: full or half width, upper or lower case, all the same."""

    DEFAULT_CSS = """
    CardsScreen #search { margin: 0 1; }
    CardsScreen #nothing { margin: 1 3; }
    CardsScreen #content { padding: 0 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # With priority the focus moves before the next key is read: what is typed ahead lands in the search line.
        Binding("slash,ctrl+f", "search", N_("search"), id="search", key_display="/", priority=True),
        Binding("n,ctrl+n", "narrow", N_("narrow"), id="narrow"),
        Binding("enter", "open", N_("open"), id="open-card"),
        Binding("escape,f8", "back", N_("back"), id="back"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.record: Record | None = None
        self.narrowed = "all"
        self._states: list[CardState] = []
        self._next: tuple[int, int] | None = None
        self._fault: RecordUnavailable | None = None
        self._search_timer: Timer | None = None

    def top_text(self) -> tuple[str, str]:
        name = _(NARROWED[self.narrowed][0])
        count = len(self._states)
        more = "+" if self._next is not None else ""
        return _("Cards"), "  ".join((name, ngettext("{n} card", "{n} cards", count).format(n=f"{count}{more}")))

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        yield AnswerField(id="search")
        yield Flow(id="nothing")
        with VerticalScroll(id="content", can_focus=False):
            yield RowList(id="cards")
        yield Rule(id="message")
        yield KeyLine()

    @property
    def list(self) -> RowList:
        """The list itself."""
        return self.query_one(RowList)

    @property
    def field(self) -> AnswerField:
        """The search line."""
        return self.query_one(AnswerField)

    async def on_mount(self) -> None:
        self._texts()
        self.set_focus(self.list)
        self.run_worker(self._begin(), exclusive=True)

    async def _begin(self) -> None:
        try:
            self.record = await self.shard.need_record(to_read=True)
        except RecordUnavailable as fault:
            self._fault = fault
        self._load()

    # -- the list --------------------------------------------------------------------------------------------------

    def _filter(self) -> CardFilter:
        base = NARROWED[self.narrowed][1]
        return CardFilter(
            search=self.field.value,
            flagged=base.flagged,
            leech=base.leech,
            suspended=base.suspended,
            queue=base.queue,
            absent_too=base.absent_too,
        )

    def _load(self) -> None:
        """Read the first page; the marked card stays marked if it is still listed."""
        self._states, self._next = [], None
        if self.record is not None:
            page = self.record.cards(self._filter(), limit=PAGE)
            self._states, self._next = list(page.cards), page.next_after
            self._tell_damaged(page)
        self._fill()

    def _tell_damaged(self, page: CardPage) -> None:
        """Name a card that cannot be listed; what mends one mends all."""
        if page.damaged:
            self.say(told(page.damaged[0]), seconds=0)

    def _fill(self) -> None:
        day = study_day(self.shard.clock.now(), self.shard.settings.rollover_hour)
        self.list.show([self._row(state, day) for state in self._states])
        self._tell_nothing()
        self.refresh_top()

    def _row(self, state: CardState, day: int) -> Row:
        """One card in one row: its question, and in words where it stands."""
        card = card_from_json(state.card.body)
        row = state.row
        named = ((_("flag"), row.flag), (_("note"), row.note), (_("leech"), row.memory.leech))
        marks = "".join(f"[{text}] " for text, on in named if on)
        front = visible(readable(card.front.of(self.shard.lang).strip())).replace("\n", " ")
        return Row(str(state.card.card_key), marks + front, state_in_words(state, day))

    def _tell_nothing(self) -> None:
        flow = self.query_one("#nothing", Flow)
        text = ""
        if self._fault:
            text = str(self._fault)
        elif self.record is None:
            text = _("Opening your record ...")
        elif not self._states and self.field.value.strip():
            text = _("No card has all these words.")
        elif not self._states:
            text = _("No cards here.")
        flow.show([Para(text)] if text else [])
        flow.display = bool(text)

    def on_row_list_moved(self, message: RowList.Moved) -> None:
        """The end of the list brings the next page."""
        last = bool(self._states) and message.row.name == str(self._states[-1].card.card_key)
        if last and self._next is not None and self.record is not None:
            page = self.record.cards(self._filter(), after=self._next, limit=PAGE)
            self._states += page.cards
            self._next = page.next_after
            self._tell_damaged(page)
            self._fill()

    # -- keys ------------------------------------------------------------------------------------------------------

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.action_open()

    def action_open(self) -> None:
        """All that is known of the marked card."""
        row = self.list.current
        if row is not None:
            from tui.screens.card_info import CardInfoScreen

            self.shard.push_screen(CardInfoScreen(int(row.name)), lambda _changed: self._load())

    def action_search(self) -> None:
        """Type words to search for."""
        self.set_focus(self.field)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """In the search line a stroke is text."""
        return not (action == "search" and self.field.has_focus)

    def action_narrow(self) -> None:
        """The next kind of cards: all, new, flagged, leeches, suspended, absent."""
        names = list(NARROWED)
        self.narrowed = names[(names.index(self.narrowed) + 1) % len(names)]
        self._load()

    def action_back(self) -> None:
        """Leave the search line first, then the screen."""
        if self.field.has_focus:
            self.set_focus(self.list)
        else:
            self.dismiss()

    def on_key(self, event: events.Key) -> None:
        """From the search line, Down goes into the list."""
        if self.field.has_focus and event.key in ("down", "tab"):
            event.stop()
            event.prevent_default()
            self.set_focus(self.list)

    def on_answer_field_changed(self) -> None:
        """Search once typing rests for a moment."""
        if self._search_timer is not None:
            self._search_timer.stop()
        self._search_timer = self.set_timer(SEARCH_REST_SECONDS, self._load)

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        self.set_focus(self.list)

    def on_returned(self, _message: Returned) -> None:
        self._load()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._fill()

    def _texts(self) -> None:
        self.field.placeholder = _("search (/)")
        self.field.refresh()

    def retranslate(self) -> None:
        super().retranslate()
        self._texts()
        self._fill()
