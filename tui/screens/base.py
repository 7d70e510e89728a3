"""What all screens share: the top line, the content between two rules, a line for messages, the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tui.messages import LanguageChanged
from tui.widgets.flow import ellipsis
from tui.widgets.key_line import KeyLine
from tui.words import N_, _
from tui.wrap import wrap

if TYPE_CHECKING:
    from textual.timer import Timer

    from tui.app import ShardrillApp

MIN_WIDTH, MIN_HEIGHT = 38, 10
TEXT_WIDTH = 72
"""A text never runs wider than this; the margin takes the rest."""

NARROW = [(0, "-narrow"), (60, "-wide")]
"""Breakpoints of screens that use every column of a narrow window."""

MESSAGE_SECONDS = 6.0
AIRY_FROM = 16
"""From this height texts begin one row below the rule."""

Result = TypeVar("Result")


def margin(width: int, text_width: int = TEXT_WIDTH) -> int:
    """Columns left of a text of `text_width` in a window of `width`: one when narrow, then growing with it."""
    return max(1 if width < 60 else 3, (width - text_width) // 2)


def room_for_text(width: int) -> int:
    """Columns of a text in a window of `width`: a scrollbar may come beside it, so that nothing is laid out twice."""
    return max(min(width - 2 * margin(width) - (1 if width < TEXT_WIDTH + 2 else 0), TEXT_WIDTH), 10)


class TopLine(Widget):
    """Where one is on the left, how it stands on the right."""

    DEFAULT_CSS = "TopLine { height: 1; padding: 0 1; text-wrap: nowrap; }"
    ALLOW_SELECT = False

    def __init__(self) -> None:
        super().__init__(id="top")

    def render(self) -> Content:
        screen = cast("ShardScreen[object]", self.screen)
        width, glyphs = self.content_size.width, screen.shard.glyphs
        left, right = (glyphs.text(part) for part in screen.top_text())
        right = ellipsis(right, max(width - min(cell_len(left), width // 2) - 2, 0), glyphs.more)
        room = width - cell_len(right) - (2 if right else 0)
        left = ellipsis(left, room, glyphs.more) if room > 3 else ""
        gap = " " * max(width - cell_len(left) - cell_len(right), 0)
        return Content.assemble((left, "bold"), gap, right)


class Rule(Widget):
    """A line across; the lower one also carries messages, so that nothing jumps when one comes or goes."""

    DEFAULT_CSS = "Rule { height: auto; max-height: 4; }"
    ALLOW_SELECT = False
    message = ""
    hint = ""

    def set_hint(self, text: str) -> None:
        """A few words that stay at the right end of the rule until they are taken away; a message goes before them."""
        if text != self.hint:
            self.hint = text
            self.refresh()

    def _lines(self, width: int) -> list[str]:
        return wrap(self.message, max(width - 4, 1)) if self.message else []

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max(len(self._lines(width)), 1)

    def render(self) -> Content:
        width = self.size.width
        sign = cast("ShardScreen[object]", self.screen).shard.glyphs.rule
        lines = self._lines(width)
        if not lines:
            hint = f" {ellipsis(self.hint, max(width - 6, 1))} {sign * 2}" if self.hint else ""
            return Content.styled(sign * max(width - cell_len(hint), 0) + hint, "dim")
        if len(lines) > 1:
            return Content.styled("\n".join(f"  {line}" for line in lines), "bold")
        rest = sign * max(width - 4 - cell_len(lines[0]), 0)
        return Content.assemble((sign * 2 + " ", "dim"), (lines[0], "bold"), (" " + rest, "dim"))


class ShardScreen(Screen[Result]):
    """A screen of shardrill.

    A subclass gives `top_text`, `compose_content` and `retranslate`, and reads the app as `self.shard`. `say` shows a
    sentence for some seconds without moving anything. Below 38x10 a plain line covers everything and keys wait; what
    was typed stays.
    """

    DEFAULT_CSS = """
    ShardScreen { layout: vertical; layers: base cover; background: $background; }
    ShardScreen VerticalScroll { scrollbar-size-vertical: 1; }
    ShardScreen #content { height: 1fr; }
    ShardScreen .laid-out { text-wrap: nowrap; }
    ShardScreen #too-small { layer: cover; position: absolute; width: 100%; height: 100%; background: $background; }
    ShardScreen.-too-small { overflow: hidden; }
    ShardScreen.-too-small VerticalScroll { scrollbar-size-vertical: 0; }
    """
    AUTO_FOCUS = ""
    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self) -> None:
        super().__init__()
        self._message_timer: Timer | None = None
        self.too_small = False

    @property
    def shard(self) -> ShardrillApp:
        """The app, as its own type."""
        return cast("ShardrillApp", self.app)

    def top_text(self) -> tuple[str, str]:
        """Left and right text of the top line."""
        return "shardrill", ""

    def compose_content(self) -> ComposeResult:
        """The widgets between the two rules."""
        yield from ()

    def retranslate(self) -> None:
        """Make every text anew: the language, a setting or the width changed. Call super() too."""
        self.query_one(TopLine).refresh()
        for rule in self.query(Rule):
            rule.refresh()
        self.query_one(KeyLine).refresh_keys()
        if self.too_small:
            self.query_one("#too-small", Static).update(self._too_small_text())

    def key_label(self, action: str) -> str | None:
        """The text of an action on the key line where the binding's own does not do."""
        return _other_language() if action in {"app.switch_language", "switch_language"} else None

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content"):
            yield from self.compose_content()
        yield Rule(id="message")
        yield KeyLine()

    def on_language_changed(self, _message: LanguageChanged) -> None:
        self.retranslate()

    def on_settings_changed(self) -> None:
        self.retranslate()

    def on_resize(self, event: events.Resize) -> None:
        self._watch_size(event.size.width, event.size.height)

    def _watch_size(self, width: int, height: int) -> None:
        small = width < MIN_WIDTH or height < MIN_HEIGHT
        if small == self.too_small:
            return
        self.too_small = small
        self.set_class(small, "-too-small")  # what is covered shows no scrollbar through
        if small:
            self.mount(Static(self._too_small_text(), id="too-small"))
        else:
            self.query("#too-small").remove()

    def _too_small_text(self) -> Content:
        return Content(
            _("Window too small: {width}x{height} is the least. Nothing is lost.").format(
                width=MIN_WIDTH, height=MIN_HEIGHT
            )
        )

    def say(self, text: str, seconds: float = MESSAGE_SECONDS) -> None:
        """Show one sentence on the lower rule; it goes by itself."""
        rule = self.query_one("#message", Rule)
        rule.message = self.shard.glyphs.text(text)
        rule.refresh(layout=True)
        if self._message_timer is not None:
            self._message_timer.stop()
            self._message_timer = None
        if text and seconds:
            self._message_timer = self.set_timer(seconds, lambda: self.say(""))

    def on_answer_field_full(self) -> None:
        """More was pasted than a field keeps."""
        self.say(_("The field is full; the rest was left out."))

    @property
    def airy(self) -> bool:
        """Whether there are rows to spare for empty ones."""
        return self.size.height >= AIRY_FROM

    def refresh_top(self) -> None:
        """The top line's facts changed."""
        self.query_one(TopLine).refresh()


class SubScreen(ShardScreen[Result]):
    """A screen one goes back from: Esc, or F8 where Esc is slow or lost."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f8", "back", N_("back"), id="back")]

    def action_back(self) -> None:
        """Leave this screen without a result."""
        self.dismiss()


def _other_language() -> str:
    from tui.words import current

    return "English" if current() == "zh" else "中文"
