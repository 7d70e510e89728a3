"""The card itself: the question, the learner's own line, and below them the answer. Scrolls when it is long."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.message import Message

from tui.widgets.answer_field import AnswerField
from tui.widgets.checks import Checks
from tui.widgets.flow import BLANK, MAX_COLUMNS, Flow, Line, Para
from tui.widgets.sides import Sides

SETTLING_SECONDS = 0.15
"""So long after a side appeared its rows may still move."""
ROWS_OF_FIELD = 5
"""So many rows below a question keep the field, what was read of it, and a blank around them."""
LEAST_ANSWER_ROWS = 4
"""So many rows of the answer (or all of it) are in view when it appears; only then is the question moved."""


class CardView(VerticalScroll, can_focus=False):
    """Shows a card of any kind, or a lesson. The question keeps its place when the answer appears."""

    DEFAULT_CSS = """
    CardView { height: 1fr; scrollbar-size-vertical: 1; padding: 1 3 0 3; }
    CardView.-narrow { padding: 0 1; }
    CardView #line { margin-top: 1; }
    CardView #points { margin-top: 1; }
    """

    class Moved(Message):
        """There is more or less to scroll to than before."""

    def __init__(self, field: AnswerField, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.field = field
        self._side: Sides | None = None
        self._revealed = False
        self._with_sources = False
        self._details_below = False
        self._settling = False

    def compose(self) -> ComposeResult:
        yield Flow(id="question")
        yield self.field
        yield Flow(id="mine")
        yield Flow(id="answer")
        yield Checks(id="points")
        yield Flow(id="after")

    def on_mount(self) -> None:
        self.watch(self, "scroll_y", self._tell, init=False)
        self.watch(self, "virtual_size", self._tell, init=False)

    def _tell(self) -> None:
        self.post_message(self.Moved())
        if self._settling:  # laid out once more since the sides were put there
            self._bring_answer_into_view()
            self._bring_field_into_view()

    @property
    def checks(self) -> Checks:
        """The lines to tick."""
        return self.query_one("#points", Checks)

    def _flow(self, name: str) -> Flow:
        return self.query_one(f"#{name}", Flow)

    def _put(self, name: str, paras: list[Para]) -> None:
        flow = self._flow(name)
        flow.show(paras)
        flow.display = bool(paras)

    def show_lesson(self, title: str, lesson: str) -> None:
        """Show a topic's lesson in place of a card."""
        self._side = None
        self.field.display = False
        self._put("question", [Para(title, style="bold"), BLANK, Para(lesson)])
        for name in ("mine", "answer", "after"):
            self._put(name, [])
        self.checks.display = False
        self.scroll_home(animate=False)

    def show_message(self, *lines: str) -> None:
        """Show sentences of the program itself."""
        self.show_lesson(lines[0], "\n".join(lines[1:]))

    def show_question(self, side: Sides, *, same_card: bool = False) -> None:
        """Show the question; `same_card` keeps what was typed (another language, a redraw)."""
        self._side, self._revealed = side, False
        if not same_card:
            self.field.set_text("")
            self.checks.show(())
            self.scroll_home(animate=False)
        self.field.display = side.takes_line
        self.field.placeholder = side.line_hint
        self._put_question(side)
        self._put("mine", [])
        self.checks.display = False
        if side.details():
            self._settle()

    def show_below_field(self, paras: list[Para]) -> None:
        """Show what was understood of the typed line; it stays in view with the field."""
        self._put("mine", paras)
        self.call_after_refresh(self._bring_field_into_view)

    def _bring_field_into_view(self) -> None:
        """As much of the question as there is room for, above the field and what was read of it."""
        if self._revealed or not self.field.has_focus:
            return
        mine = self._flow("mine")
        bottom = (mine if mine.display else self.field).virtual_region.bottom
        rows = self.scrollable_content_region.height
        self.scroll_to(y=max(0, bottom - rows - self.styles.padding.top), animate=False)

    def _put_question(self, side: Sides) -> None:
        """The question, and its details where both fit above the field; in a small window these stand below it."""
        question, details = side.question(), side.details()
        width = max(8, min(self.scrollable_content_region.width or MAX_COLUMNS, MAX_COLUMNS))
        rows = sum(len(para.lines(width)) for para in (*question, *details))
        self._details_below = bool(details) and rows + ROWS_OF_FIELD > self.size.height
        if self._details_below:
            self._put("question", question)
            self._put("answer", [BLANK, *details] if not self._revealed else [])
        else:
            self._put("question", [*question, *details])
            if not self._revealed:
                self._put("answer", [])
        if not self._revealed:
            self._put("after", [])

    def show_answer(self, side: Sides, *, typed: str, with_sources: bool, same_card: bool = False) -> None:
        """Show question and answer; the question does not move unless the answer would stay unseen."""
        again = self._revealed and same_card
        self._side, self._revealed = side, True
        self.field.display = False
        self._put_question(side)
        mine = side.typed(typed)
        self._put("mine", [BLANK, *mine] if mine else [])
        self._put("answer", [self._rule(), *side.answer()])
        self.checks.show(side.points(), keep=same_card)
        self._with_sources = with_sources
        self._put_after(side)
        if not again:
            self._settle()
            self.call_after_refresh(self._bring_answer_into_view)

    def _settle(self) -> None:
        self._settling = True
        self.set_timer(SETTLING_SECONDS, self._settled)

    def _settled(self) -> None:
        self._settling = False

    def _put_after(self, side: Sides) -> None:
        parts = [
            side.details() if self._details_below else [],
            side.after(),
            side.sources() if self._with_sources else [],
        ]
        after: list[Para] = []
        for part in filter(None, parts):
            after += [*([BLANK] if after else []), *part]
        self._put("after", [BLANK, *after] if after else [])

    def _rule(self) -> Para:
        glyphs = getattr(self.app, "glyphs", None)
        return Line(glyphs.rule if glyphs is not None else "-", style="dim")

    def _bring_answer_into_view(self) -> None:
        """Scroll just so far that the answer's first rows are seen."""
        rows = self.scrollable_content_region.height
        if not self._revealed or not rows:
            return
        top = self._flow("answer").virtual_region.y
        bottom = max(child.virtual_region.bottom for child in self.children if child.display)
        wanted = min(bottom, top + 1 + max(LEAST_ANSWER_ROWS, rows // 2))
        if wanted - self.scroll_y > rows + self.styles.padding.top:
            self.scroll_to(y=min(wanted - rows, top), animate=False)

    @property
    def more_below(self) -> bool:
        """Whether something is hidden below."""
        return self.scroll_y < self.max_scroll_y

    def on_resize(self, event: events.Resize) -> None:
        """Keep the text column in the middle of a wide window and use every column of a narrow one."""
        width = event.size.width
        self.set_class(width < 60, "-narrow")
        if width >= 60:
            side = max(3, (width - MAX_COLUMNS) // 2)
            self.styles.padding = (1, side, 0, side)
        else:
            self.styles.padding = (0, 1, 0, 1)
        if self._side is not None:
            self.call_after_refresh(self._lay_out_again)

    def _lay_out_again(self) -> None:
        if self._side is None:
            return
        self._put_question(self._side)
        if self._revealed:
            self._put("answer", [self._rule(), *self._side.answer()])
            self._put_after(self._side)
