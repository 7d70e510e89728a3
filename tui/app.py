"""The Textual app: what belongs to no single screen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.filter import NoColor
from textual.message import Message
from textual.screen import Screen

from tui import words
from tui.clock import Clock
from tui.glyphs import Glyphs
from tui.keys import plain_key
from tui.messages import LanguageChanged, SettingsChanged
from tui.other_screens import OtherScreens
from tui.painting import Painted
from tui.paths import Places
from tui.record_keeper import RecordUnavailable as RecordUnavailable
from tui.theme import theme_for
from tui.widgets.scroll_bar import use_whole_cells
from tui.words import N_, _

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType
    from textual.driver import Driver

    from content.queue import DrillRun
    from content.settings import Settings
    from grading.drill import Problem
    from tui.screens.base import ShardScreen


TERMINAL_CHECK_S = 10.0
LOST_TERMINAL = 129
"""The exit code after SIGHUP, which is what a closed window should have sent."""


AT_ONCE_S = 0.25
"""How long the first card may keep the terminal waiting, before it is said that the record is being opened."""


class ShardrillApp(OtherScreens):
    """The whole program on a terminal.

    Today is painted from bare counts first; the record is opened and the packs are read in a thread, and screens that
    need them wait on `need_record`.
    """

    TITLE = "shardrill"
    ENABLE_COMMAND_PALETTE = False  # there is our own, in two languages and without signs of doubtful width
    CSS = ""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f3,ctrl+l", "switch_language", N_("language"), id="language"),
        Binding("question_mark,f1", "help", N_("help"), id="help", key_display="?"),
        Binding("ctrl+p", "command_palette", N_("commands"), show=False, priority=True, id="commands"),
        Binding("q", "quit", N_("quit"), id="quit"),
        Binding("ctrl+q", "quit", N_("quit"), priority=True, id="quit-anywhere"),
        Binding("ctrl+z", "suspend_process", N_("to the shell"), show=False, priority=True, id="shell"),
    ]

    def __init__(
        self,
        places: Places,
        settings: Settings,
        *,
        clock: Clock | None = None,
        lang: str = "en",
        start: str = "today",
        demo: bool = False,
        driver_class: type[Driver] | None = None,
    ) -> None:
        super().__init__(driver_class=driver_class)
        self.places = places
        self.settings = settings
        self.clock = clock or Clock()
        self.demo = demo
        self.start = start
        self.practice: dict[str, Any] = {}  # which drills, where `start` is "drill"
        # Today then stands below unpainted, and reads its counts when it is come back to.
        self.straight_to_review = start == "review" and places.settings.exists()
        self.painted = Painted()
        self._own_packs: dict[str, bool] = {}
        self.animation_level = "full" if settings.animations else "none"
        words.set_language(lang)
        theme = theme_for(settings.theme, self.no_color)
        self.register_theme(theme)
        self.theme = theme.name
        if self.no_color:
            # The framework chose its filter before the theme was known; on terminal colours that one paints black.
            self._filters = [NoColor()]
        self.glyphs = Glyphs(settings.ascii)
        use_whole_cells(settings.ascii)
        if settings.keys:
            self.set_keymap(dict(settings.keys))

    @property
    def lang(self) -> str:
        """The language shown: "en" or "zh"."""
        return words.current()

    # --- start and end

    def get_default_screen(self) -> Screen[None]:
        from tui.screens.today import TodayScreen

        return TodayScreen()

    def on_mount(self) -> None:
        from tui.signals import on_end_signals

        on_end_signals(lambda code: self.exit(return_code=code))
        if not self.is_headless:
            self.set_interval(TERMINAL_CHECK_S, self._leave_lost_terminal)
        # After `fg` the terminal's other screen is empty until something is painted.
        self.app_resume_signal.subscribe(self, lambda _app: self._paint_whole())
        if self.straight_to_review:
            self._begin()
        else:
            self.call_after_refresh(self._begin)

    def _leave_lost_terminal(self) -> None:
        from tui.signals import GRACE_S, end_within, terminal_is_gone

        if terminal_is_gone():
            end_within(GRACE_S, LOST_TERMINAL)
            self.exit(return_code=LOST_TERMINAL)

    def _begin(self) -> None:
        """After the first paint: open the record, then what was asked for on the command line."""
        first_run = getattr(self.screen, "first_run", False) and not self.places.settings.exists()
        self.open_record(wait_s=AT_ONCE_S if self.straight_to_review else 0.0)
        if first_run:
            self.action_welcome()
        elif self.start == "review":
            self.action_review()
        elif self.start == "drill":
            self.get_ready_for_drills()
            self.start_drills(**self.practice)
        else:
            self.open_started()

    def get_ready_for_drills(self) -> None:
        """Load what draws problems in a thread, so that no key has to wait for it."""
        from tui.opening import load_drilling

        threading.Thread(target=load_drilling, daemon=True).start()

    async def on_unmount(self) -> None:
        if self.record is not None:
            self.record.close()
            self.record = None

    # --- screens

    def tell(self, make: Callable[[], Message]) -> None:
        """Post a message of its own to every screen that is open."""
        for screen in list(self.screen_stack):
            screen.post_message(make())

    def say(self, text: str) -> None:
        """A sentence for the learner on whatever screen is on top."""
        from tui.screens.base import ShardScreen

        if isinstance(self.screen, ShardScreen):
            self.screen.say(text)
        else:
            self.notify(text, markup=False)

    def action_review(self) -> None:
        """Begin or go on with today's cards."""
        from tui.screens.review import ReviewScreen

        self._open(ReviewScreen)

    def action_welcome(self) -> None:
        """Three questions, then the first lesson."""
        from tui.screens.welcome import WelcomeScreen

        def answered(done: bool | None) -> None:
            if done:
                self.after_welcome()
            else:
                self._came_back(None)

        self.push_screen(WelcomeScreen(), answered)

    def action_cards(self) -> None:
        """The list of all cards."""
        from tui.screens.cards import CardsScreen

        self._open(CardsScreen)

    def action_labs(self) -> None:
        """What can be proved by running it."""
        from tui.screens.labs import LabsScreen

        self._open(LabsScreen)

    def action_lab(self, lab_id: str) -> None:
        """One lab."""
        from tui.screens.lab_run import LabScreen

        self._open(lambda: LabScreen(lab_id))

    def prove(self, lab_id: str, problem: Problem | None = None) -> None:
        """Run the lab that proves a card, with the values of its problem if it has one; the way back leads to the card."""
        from tui.screens.lab_run import LabScreen

        drawn = {} if problem is None else problem.drawn
        self.push_screen(LabScreen(lab_id, {key: choice.value for key, choice in drawn.items()}))

    def action_evidence(self) -> None:
        """The document that recorded runs fill."""
        from tui.screens.evidence import EvidenceScreen

        self._open(EvidenceScreen)

    def action_drills(self) -> None:
        """Choose which drills to practise."""
        from tui.screens.drill_topics import choose_drills

        choose_drills(self)

    def start_drills(self, topic: str | None = None, drills: DrillRun | None = None) -> None:
        """Practise drills of a topic (full id) or of all; the schedule is not touched."""
        from tui.screens.drill_topics import practice_screen

        self._open(lambda: practice_screen(topic, drills))

    def action_settings(self) -> None:
        """The settings."""
        from tui.screens.settings import SettingsScreen

        self._open(SettingsScreen)

    def action_help(self) -> None:
        """The keys of this screen, and the guides."""
        from tui.screens.help import HelpScreen, keys_of

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(keys_of(self.screen)), self._came_back)

    def action_pack_faults(self) -> None:
        """What is wrong with packs that were refused."""
        from tui.screens.pack_faults import PackFaultsScreen

        self._open(lambda: PackFaultsScreen(self.faults))

    def _open(self, make: Callable[[], ShardScreen[Any]]) -> None:
        screen = make()
        if not any(type(open_screen) is type(screen) for open_screen in self.screen_stack):
            self.push_screen(screen, self._came_back)

    def _came_back(self, _result: object) -> None:
        from tui.messages import Returned

        self.screen.post_message(Returned())

    def is_own_pack(self, pack_id: str) -> bool:
        """Whether a pack is one of the learner's own, whose cards can be edited. Asked for every line of keys, so the
        folder is looked at once."""
        if pack_id not in self._own_packs:
            from tui.editor import own_pack_folder

            self._own_packs[pack_id] = own_pack_folder(self.places.packs, pack_id) is not None
        return self._own_packs[pack_id]

    # --- language and settings

    def action_switch_language(self) -> None:
        """The other language, at once, everywhere; nothing typed is lost."""
        self.set_language(words.other())

    def set_language(self, language: str) -> None:
        """Show every text in `language` from now on."""
        words.set_language(language)
        self.tell(LanguageChanged)

    def use_settings(self, settings: Settings) -> None:
        """Take over changed settings: looks at once, the rest from the next session on."""
        before, self.settings = self.settings, settings
        self.glyphs = Glyphs(settings.ascii)
        use_whole_cells(settings.ascii)
        self.animation_level = "full" if settings.animations else "none"
        theme = theme_for(settings.theme, self.no_color)
        if theme.name not in self.available_themes:
            self.register_theme(theme)
        self.theme = theme.name
        if settings.keys != before.keys:
            self.set_keymap(dict(settings.keys))
        if settings.language != before.language and settings.language in words.LANGUAGES:
            self.set_language(settings.language)
        self.tell(SettingsChanged)

    # --- keys

    async def on_event(self, event: events.Event) -> None:
        """Fold keys of an input method to plain ones, once, here; in a field they stay text."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            focused = self.focused
            if focused is None or not focused.check_consume_key(event.key, event.character):
                event = plain_key(event)
            if getattr(self.screen, "too_small", False) and event.key not in {"q", "ctrl+q", "ctrl+c", "ctrl+z"}:
                return
        await super().on_event(event)

    def action_help_quit(self) -> None:
        """Ctrl+C without a selection: say how to quit."""
        self.say(_("Press q or Ctrl+Q to quit. Ctrl+C copies what is selected."))

    def action_command_palette(self) -> None:
        """Find an action by its name."""
        from tui.screens.palette import PaletteScreen, commands_of, run

        if not isinstance(self.screen, PaletteScreen):
            self.push_screen(PaletteScreen(commands_of(self.screen)), run)

    # --- painting

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Write only what changed; see `tui.painting`."""
        super()._display(screen, self.painted.only_changed(renderable))

    def _paint_whole(self) -> None:
        self.painted.forget()
        self.refresh(layout=True)

    def on_resize(self) -> None:
        self.painted.forget()

    # --- errors

    def keep_error(self, error: BaseException) -> Path | None:
        """Write a traceback into the log and go on. Returns the log; None when it could not be written."""
        from tui import crash

        log = self.places.log
        return log if crash.log_error(error, log, f"{self.clock.now().at_ms} ms") else None

    def _handle_exception(self, error: Exception) -> None:
        """An error nobody handled: put the terminal back, say one sentence, keep the traceback in the log."""
        from rich.text import Text
        from textual.worker import WorkerFailed

        from tui import crash

        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            error = error.error
        log = self.keep_error(error)
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        if not self._exit_renderables:  # what follows from the first error is in the log too
            self._exit_renderables.append(Text(crash.sentence(error, log)))
        self._close_messages_no_wait()
