"""A table from memory: its blanks filled in one by one, graded together, each cell told in words and signs.

In a small window one cell is shown at a time, with its row and column named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll

from content.sitting import CardItem, DayTurned
from content.tables_recall import LABEL, SHARES, column_of, give_up, grade_table, row_of
from grading.schedule import Rating
from tui import table_words
from tui.intervals import RATING_NAMES, short_interval
from tui.pace import KeyGate, Stopwatch
from tui.screens.base import Rule, SubScreen, TopLine, margin
from tui.screens.table_result import caveat_paras, grid_of, result_paras
from tui.widgets.cell_field import CellField
from tui.widgets.flow import Flow, Para, ellipsis, visible
from tui.widgets.key_line import KeyLine
from tui.widgets.rating_bar import BarButton, RatingBar
from tui.widgets.table_grid import TableGrid
from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.session import Session
    from content.sitting import Answered
    from content.tables_recall import TableAsk, TableGraded

NARROW, SMALL_HEIGHT = 60, 16


class TableScreen(SubScreen["Answered | None"]):
    """Asks the table on which `session` stands; dismisses with what the answer did, or None when it was left.

    With `alone` (practice of tables) it goes on to the next table of the session, and how much is blank can be chosen.
    """

    DEFAULT_CSS = """
    TableScreen #grid-view { height: 1fr; scrollbar-size-vertical: 1; }
    TableScreen #cell { height: auto; }
    TableScreen #cell-name, TableScreen #reading { height: auto; max-width: 100; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f9,ctrl+s", "submit", N_("grade it"), id="table.submit"),
        Binding("f4,ctrl+g", "give_up", N_("give up"), id="table.give-up"),
        Binding("f5,ctrl+b", "share", N_("blank more or less"), id="table.share"),
        Binding("enter,space", "go_on", N_("go on"), id="table.go-on", show=False),
        Binding("tab", "step(1)", N_("next cell"), show=False),
        Binding("shift+tab", "step(-1)", N_("cell before"), show=False),
        Binding("1,f4", "rate(1)", N_("Again"), id="table.again", show=False),
        Binding("2,f5", "rate(2)", N_("Hard"), id="table.hard", show=False),
        Binding("3,f6", "rate(3)", N_("Good"), id="table.good", show=False),
        Binding("4,f7", "rate(4)", N_("Easy"), id="table.easy", show=False),
        Binding("pagedown", "scroll_grid('page_down')", N_("page down"), show=False),
        Binding("pageup", "scroll_grid('page_up')", N_("page up"), show=False),
    ]

    def __init__(self, session: Session, *, alone: bool = False) -> None:
        super().__init__()
        self.session, self.alone = session, alone
        self.typed: dict[str, str] = {}
        self.at = ""
        self.graded: TableGraded | None = None  # also one that asks for some cells again
        self._watch, self._gate = Stopwatch(), KeyGate()
        self._insists = False
        self._answered: Answered | None = None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="grid-view", can_focus=False):
            yield Flow(id="title")
            yield TableGrid(id="grid")
            yield Flow(id="result")
        with VerticalScroll(id="cell", can_focus=False):
            yield Flow(id="cell-name")
            yield CellField(id="field")
            yield Flow(id="reading")
        yield Rule(id="message")
        yield RatingBar(id="ratings")
        yield KeyLine()

    def on_mount(self) -> None:
        self._begin()

    # -- what is on screen ------------------------------------------------------------------------------------------

    @property
    def ask(self) -> TableAsk | None:
        """The table on screen."""
        item = self.session.item
        return item.table if isinstance(item, CardItem) else None

    @property
    def field(self) -> CellField:
        return self.query_one("#field", CellField)

    @property
    def done(self) -> TableGraded | None:
        """What the table was worth, once that is settled."""
        return self.graded if self.graded is not None and self.graded.rating is not None else None

    @property
    def narrow(self) -> bool:
        """Whether one cell is shown at a time."""
        return self.size.width < NARROW or self.size.height < SMALL_HEIGHT

    def _begin(self) -> None:
        ask = self.ask
        if ask is None:
            self.dismiss(self._answered)
            return
        self.graded, self._insists = self.session.table_graded, False
        self.typed = dict(self.graded.typed) if self.graded is not None else {}
        self.at = ask.blanks[0] if ask.blanks else ""
        self._watch.start(self.shard.clock.now().at_ms)
        if self.done is not None:  # an answer that was taken back
            self.session.reveal(self.shard.clock.now(), self.done)
        self._enter(self.at)

    def _enter(self, cell_id: str) -> None:
        """Go to a cell; its text stands in the field."""
        self.at = cell_id
        self.field.set_text(self.typed.get(cell_id, ""))
        self._draw()
        if self.done is None:
            self.set_focus(self.field)
        self.call_after_refresh(self.query_one(TableGrid).bring_into_view)

    def _draw(self) -> None:
        ask = self.ask
        if ask is None:
            return
        self._lay_out()
        title = visible(" ".join(self._title().split()))
        room = max(self.size.width - 4, 10)
        told = [Para(ellipsis(title, room) if self.narrow and self.done is None else title, style="bold")]
        self.query_one("#title", Flow).show(told)
        grid = self.query_one(TableGrid)
        grid.display = not self.narrow
        if not self.narrow:
            at = "" if self.done is not None else self.at
            grid.show(grid_of(ask, self.typed, self.graded, at), self.shard.glyphs.rule)
        done = self.done
        result = self.query_one("#result", Flow)
        result.display = done is not None
        if done is not None:
            caveat = item.card.caveat if isinstance(item := self.session.item, CardItem) else None
            paras = result_paras(ask, done, self.shard.glyphs, every_cell=self.narrow)
            result.show([*paras, *(caveat_paras(caveat.text.of(self.shard.lang)) if caveat is not None else ())])
        self.query_one("#cell").display = done is None
        self._draw_cell(ask)
        self.query_one(RatingBar).show(self._buttons())
        self.query_one(RatingBar).display = done is not None
        self.refresh_top()
        self.refresh_bindings()

    def _title(self) -> str:
        item = self.session.item
        return item.card.front.of(self.shard.lang) if isinstance(item, CardItem) else ""

    def _draw_cell(self, ask: TableAsk) -> None:
        cell = ask.cell(self.at)
        if cell is None:
            return
        name = [Para(self._words(table_words.cell_name(ask, self.at)), style="bold")]
        if self.narrow:
            row, column = row_of(self.at), column_of(self.at)
            name = [
                Para(_("Row: {name}").format(name=table_words.row_name(ask, row)), style="bold", rest="  "),
                Para(_("Column: {name}").format(name=table_words.column_name(ask, column)), style="bold", rest="  "),
            ]
        self.query_one("#cell-name", Flow).show(name)
        self.field.placeholder = table_words.kind_text(cell)
        lines = []
        if (
            self.graded is not None
            and self.at in self.graded.again
            and self.graded.typed.get(self.at) == self.field.value
        ):
            lines.append(Para(_("Once more, at no cost: {why}").format(why=self._why_again()), first="  ", rest="  "))
        read = table_words.reading(ask, self.at, self.field.value)
        if read and not lines:
            lines.append(Para(visible(read), first="  ", rest="    "))
        elif cell.type == "choice":
            numbered = enumerate(table_words.choice_texts(cell), start=1)
            lines += [Para(visible(text), first=f"  {number}  ", rest="     ") for number, text in numbered]
        self.query_one("#reading", Flow).show(lines)

    def _why_again(self) -> str:
        verdict = self.graded.verdicts.get(self.at) if self.graded is not None else None
        if verdict is None or self.ask is None:
            return ""
        return table_words.why_unreadable(self.ask, self.at, verdict)

    def _words(self, text: str) -> str:
        return self.shard.glyphs.text(text)

    def _lay_out(self) -> None:
        small = self.size.height < SMALL_HEIGHT
        self.query_one("#top-rule").display = not small
        side = margin(self.size.width, 100)
        view = self.query_one("#grid-view")
        view.styles.padding = (0, side)
        self.query_one("#cell").styles.padding = (0, side)
        # In a small window the cell needs the rows; the title keeps one.
        view.styles.height = 1 if self.narrow and self.done is None else "1fr"
        cell = self.query_one("#cell")
        cell.styles.height = "1fr" if self.narrow else "auto"
        cell.styles.max_height = "100%" if self.narrow else "50%"
        self.query_one("#title").styles.margin = (0, 0, 0 if self.narrow else 1, 0)

    def top_text(self) -> tuple[str, str]:
        ask = self.ask
        if ask is None:
            return _("Table"), ""
        left = f"{_('Table')} {self.shard.glyphs.dot} {table_words.share_name(ask.share)}"
        if self.done is not None:
            return left, _("{share} %").format(share=round(self.done.share * 100))
        filled = sum(bool(self.typed.get(cell, "").strip()) for cell in ask.blanks)
        return left, _("{done} of {total}").format(done=filled, total=len(ask.blanks))

    def _buttons(self) -> list[BarButton]:
        done, outcomes = self.done, self.session.outcomes
        if done is None:
            return []
        moves = self.session.moves_schedule and self.shard.settings.show_intervals
        return [
            BarButton(
                f"Enter {int(rating)}" if rating is done.rating else str(int(rating)),
                _(RATING_NAMES[rating]),
                short_interval(outcomes.of(rating)) if moves and outcomes is not None else "",
                f"rate({int(rating)})",
            )
            for rating in Rating
        ]

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        super().retranslate()
        self.session.lang = self.shard.lang
        self._draw()

    # -- typing -----------------------------------------------------------------------------------------------------

    def on_answer_field_changed(self) -> None:
        if self.done is not None or self.ask is None:
            return
        self._watch.touch(self.shard.clock.now().at_ms)
        self.typed[self.at] = self.field.value
        self._draw()

    def on_cell_field_leave(self, message: CellField.Leave) -> None:
        """An arrow goes to the next blank in its direction, Tab and Enter to the next in reading order."""
        ask = self.ask
        if ask is None or self.at not in ask.blanks:
            return
        if message.steps:
            self.action_step(message.steps)
            return
        columns = (LABEL, *ask.columns)
        row, column = ask.rows.index(row_of(self.at)), columns.index(column_of(self.at))
        if message.rows:
            ways = [ask.rows[i] for i in range(len(ask.rows)) if (i - row) * message.rows > 0][:: message.rows]
            found = [f"{name}.{columns[column]}" for name in ways]
        else:
            heads = [columns[i] for i in range(len(columns)) if (i - column) * message.columns > 0][:: message.columns]
            found = [f"{ask.rows[row]}.{name}" for name in heads]
        target = next((cell for cell in found if cell in ask.blanks), None)
        if target is not None:
            self._enter(target)
        elif message.rows:
            self.action_step(message.rows)

    def action_step(self, by: int) -> None:
        """The next or the former blank; after the last one says how to submit."""
        ask = self.ask
        if ask is None or self.done is not None or not ask.blanks:
            return
        at = ask.blanks.index(self.at) + by
        if at >= len(ask.blanks):
            self.say(_("That was the last cell. F9 grades the table."))
        self._enter(ask.blanks[at % len(ask.blanks)])

    def on_table_grid_picked(self, message: TableGrid.Picked) -> None:
        if self.done is None and self.ask is not None and message.cell_id in self.ask.blanks:
            self._enter(message.cell_id)

    def action_share(self) -> None:
        """Another share of the table blank: some cells, a row, a column, all. What was typed is gone with its blanks."""
        ask = self.ask
        if ask is not None and self.done is None:
            following = SHARES[(SHARES.index(ask.share) + 1) % len(SHARES)]
            kept = dict(self.typed)
            new = self.session.blank(following)
            self.typed = {} if new.labels_hidden != ask.labels_hidden else {c: kept[c] for c in new.blanks if c in kept}
            self.graded = None
            self._enter(new.blanks[0])

    # -- grading ----------------------------------------------------------------------------------------------------

    def action_submit(self) -> None:
        """Grade all cells. What cannot be read is asked once more; submitted again unchanged it is taken as it is."""
        ask = self.ask
        if ask is None or self.done is not None:
            return
        before = self.graded
        same = before is not None and all(self.typed.get(c, "") == before.typed.get(c, "") for c in before.again)
        graded = grade_table(ask, self.typed, current(), before, insist=same)
        if graded.rating is None:
            self.graded = graded
            self._enter(graded.again[0])
            self.say(_("Some cells are asked again; F9 once more takes them as they are."))
        else:
            self._settle(graded)

    def action_give_up(self) -> None:
        """See the answers; what was typed so far is graded."""
        ask = self.ask
        if ask is not None and self.done is None:
            self._settle(give_up(ask, grade_table(ask, self.typed, current(), self.graded, insist=True)))

    def _settle(self, graded: TableGraded) -> None:
        self.graded = graded
        self.session.reveal(self.shard.clock.now(), graded)
        self.set_focus(None)
        self.say("")
        self._gate.note("enter", self.shard.clock.now().at_ms)
        self._draw()
        self.query_one("#grid-view").scroll_home(animate=False)

    def on_rating_bar_pressed(self, message: RatingBar.Pressed) -> None:
        if self._gate.passes("click", self.shard.clock.now().at_ms):
            self.call_later(self.run_action, message.button.action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action in ("submit", "give_up", "step"):
            return self.done is None
        if action == "share":
            return self.done is None and self.alone
        return self.done is not None if action in ("rate", "go_on") else True

    def action_go_on(self) -> None:
        """Accept the proposed rating."""
        if self.done is not None and self._gate.passes("enter", self.shard.clock.now().at_ms):
            self.action_rate(int(self.done.rating or Rating.AGAIN))

    def action_rate(self, rating: int) -> None:
        """Store the answer with this rating, and each cell with it."""
        if self.done is None:
            return
        now = self.shard.clock.now()
        try:
            answered = self.session.answer(
                Rating(rating), now, took_ms=self._watch.at(now.at_ms), response={"lang_shown": current()}
            )
        except DayTurned:
            self._draw()
            self.say(_("A new study day has begun. The intervals are new; rate once more."))
            return
        self._answered = answered
        if self.alone and self.ask is not None:
            self._begin()
        else:
            self.dismiss(answered)

    def action_scroll_grid(self, how: str) -> None:
        """Scroll the table or its result."""
        getattr(self.query_one("#grid-view"), f"scroll_{how}")(animate=False)


__all__ = ["TableScreen"]
