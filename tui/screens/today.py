"""Today: what there is to do, and the one key to begin."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from content.glance import Glance, GlanceError, glance
from grading.days import date_of, study_day
from tui.messages import PackRefused, RecordOpened, RecordRefused, Returned, StrengthComputed
from tui.screens.base import margin
from tui.screens.today_keys import TodayKeys
from tui.widgets.flow import ellipsis
from tui.words import N_, _, current, ngettext
from tui.wrap import wrap

if TYPE_CHECKING:
    from content.stats import TopicStrength
    from tui.record_keeper import RecordUnavailable
    from tui.today_notes import TodayNotes

CHECK_SECONDS = 60.0
WEEKDAYS = (N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun"))
MONTHS = (
    *(N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun")),
    *(N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec")),
)
DAYS_WIDTH = 20
SIDE_BY_SIDE = 76
"""From this many columns the days stand beside the topics."""


def date_text(date: datetime.date) -> str:
    """`Mon 30 Nov`, `11月30日 周一`."""
    return _("{weekday} {day} {month}").format(
        weekday=_(WEEKDAYS[date.weekday()]), day=date.day, month=_(MONTHS[date.month - 1])
    )


def _short(title: str) -> str:
    """The words before a colon: what a topic is called for short."""
    return title.replace("：", ":").partition(":")[0].strip()


def joined(parts: list[str], gap: str, room: int) -> list[str]:
    """Parts side by side with gaps between them, in as many lines as it takes; no part is broken in two."""
    lines = parts[:1]
    for part in parts[1:]:
        if cell_len(lines[-1]) + len(gap) + cell_len(part) <= room:
            lines[-1] += gap + part
        else:
            lines.append(part)
    return lines


def padded(text: str, width: int) -> str:
    """`text` filled with spaces to `width` columns."""
    return text + " " * max(width - cell_len(text), 0)


class TodayBody(Widget):
    """Everything between the two rules of Today, drawn by one widget: it is on the way to the first paint."""

    DEFAULT_CSS = "TodayBody { height: auto; }"
    ALLOW_SELECT = False

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return self.render_lines_of(width).plain.count("\n") + 1

    def render(self) -> Content:
        return self.render_lines_of(self.size.width)

    def render_lines_of(self, width: int) -> Content:
        screen = self.screen
        assert isinstance(screen, TodayScreen)
        return Content("\n").join(screen.lines(width))

    async def on_click(self, event: events.Click) -> None:
        """The start line does by mouse what Enter does."""
        screen = self.screen
        assert isinstance(screen, TodayScreen)
        offset = event.get_content_offset(self)
        if offset is not None and offset.y == screen.start_row:
            await self.app.run_action("start", default_namespace=screen)


class TodayScreen(TodayKeys):
    """Counts first; strength of topics and the days to come follow when the record is open."""

    def __init__(self) -> None:
        super().__init__()
        self.glance: Glance | None = None
        self.strengths: tuple[TopicStrength, ...] = ()
        self.notes: TodayNotes | None = None
        self.fault: RecordUnavailable | None = None
        self.state = "opening"
        self.first_run = False
        self.start_row = -1

    def compose_content(self) -> ComposeResult:
        if not self.shard.straight_to_review:
            self._look()
        self.first_run = self.glance is not None and self.glance.first_run
        yield TodayBody(id="today")

    def on_mount(self) -> None:
        self.query_one("#content").focus()
        self.set_interval(CHECK_SECONDS, self._check)

    # --- facts

    @property
    def day(self) -> int:
        """The study day of this moment."""
        return study_day(self.shard.clock.now(), self.shard.settings.rollover_hour)

    def _look(self) -> None:
        """Read the counts; cheap, and the same at any size of the collection."""
        now = self.shard.clock.now()
        try:
            fresh = glance(self.shard.places.data, self.shard.settings, now)
        except GlanceError:
            return  # opening the record says what is wrong with it, and what to do
        old = self.glance
        self.glance = replace(fresh, next_days=old.next_days) if old is not None and old.day == fresh.day else fresh

    def _check(self) -> None:
        """Once a minute: a new study day, or cards whose minute has come."""
        before = self.glance
        if self.shard.screen is self and (before is None or before.day != self.day or before.steps):
            self.look_again()
            if before is None or before.day != self.day:
                self._ask_strength()

    def look_again(self) -> None:
        """Read the counts anew and show them."""
        self._look()
        self._show()

    def _show(self) -> None:
        self.refresh_top()
        self.query_one(TodayBody).refresh(layout=True)

    def _ask_strength(self) -> None:
        """Compute in a thread what costs time: strength of each topic, the days to come."""
        if self.shard.record is not None:
            self.run_worker(self._strength, thread=True, exclusive=True, group="strength")

    def _strength(self) -> None:
        try:
            self._compute_strength()
        except Exception as error:  # the counts stand without it; opening or answering names what is wrong
            self.shard.keep_error(error)

    def _compute_strength(self) -> None:
        from content import stats
        from tui.today_notes import read_notes

        record, settings, day = self.shard.record, self.shard.settings, self.day
        if record is None or self.glance is None:
            return
        self.notes = read_notes(record, settings, self.shard.clock.now())
        strengths = stats.topic_strength(record, settings, day)
        days = stats.forecast(record, settings, day)
        self.post_message(StrengthComputed(strengths, days))

    # --- what happened

    def on_record_opened(self, _message: RecordOpened) -> None:
        self.state, self.fault = "open", None
        if (
            self.shard.screen is self
        ):  # a sitting on top of it is on its way to its first card; what changes meanwhile is read then
            self.look_again()
            self._ask_strength()
            if self.glance is not None and (self.glance.drills or self.glance.steps):
                self.shard.get_ready_for_drills()
        self.refresh_bindings()

    def on_record_refused(self, message: RecordRefused) -> None:
        self.state, self.fault = "refused", message.fault
        self._show()

    def on_pack_refused(self, _message: PackRefused) -> None:
        self.refresh_bindings()
        self._show()

    def on_strength_computed(self, message: StrengthComputed) -> None:
        self.strengths = message.strengths
        if self.glance is not None:
            self.glance = replace(self.glance, next_days=message.next_days)
        self._show()

    def on_returned(self, _message: Returned) -> None:
        self.look_again()
        self._ask_strength()

    # --- actions

    def action_start(self) -> None:
        """Today's cards, or first the three questions where nothing was ever answered."""
        if self.state == "refused" and self.shard.can_try_again:
            self.state, self.fault = "opening", None
            self.shard.try_again()
            self._show()
        elif self.state == "refused":
            self.say(_("The record is not open; see above."))
        elif self.first_run and not self.shard.places.settings.exists():
            self.shard.action_welcome()
        else:
            self.shard.action_review()

    # --- texts

    def retranslate(self) -> None:
        self._show()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        dot = f" {self.shard.glyphs.dot} "
        seen = self.glance
        left = ["shardrill"]
        if self.shard.demo:
            left.append(_("demo"))
        if seen is not None and len(seen.titles) == 1:
            left.append(seen.titles[0][1 if current() == "zh" else 0])
        right = [date_text(date_of(self.day))]
        if seen is not None and not seen.first_run:
            right.append(_("{count} of 7 days").format(count=seen.days_studied_of_7))
        for left_text, right_text in (
            (dot.join(left), dot.join(right)),
            (dot.join(left[:2] if self.shard.demo else left[:1]), dot.join(right)),
        ):
            if cell_len(left_text) + 2 + cell_len(right_text) <= self.size.width - 2:
                return left_text, right_text
        return left[0], right[-1]

    def lines(self, width: int) -> list[Content]:
        """The body, line by line, for a window of `width` columns."""
        left = margin(width, SIDE_BY_SIDE - 4)
        room = width - 2 * left
        pad = " " * left
        lines = [Content("")] if self.airy else []
        lines += [Content(pad + line) for line in self._count_lines(room)]
        lines.append(Content(""))
        self.start_row = len(lines)
        lines.append(Content.assemble(pad, ("[ Enter ]", "bold reverse"), " ", (self._start_label(), "bold")))
        for notice in self._notices():
            lines.append(Content(""))
            lines += [Content.styled(pad + line, "bold") for line in wrap(self.shard.glyphs.text(notice), room)]
        topics, days = self._topic_lines(room), self._day_lines()
        if topics or days:
            lines.append(Content(""))
            lines += [Content(pad + line) for line in self._beside(topics, days, room)]
        if misses := self._miss_lines(room):
            lines += [Content(""), *(Content(pad + line) for line in misses)]
        return lines

    def _start_label(self) -> str:
        seen = self.glance
        if seen is None or seen.first_run:
            return _("begin")
        if not seen.left:
            return _("what now?")
        return _("go on") if seen.done_today else _("start")

    def _count_lines(self, room: int) -> list[str]:
        seen = self.glance
        if seen is None or (seen.first_run and self.shard.places.settings.exists()):
            return [_("Today")]
        if seen.first_run:
            return wrap(_("Welcome. There is no record yet; three short questions, then the first lesson."), room)
        parts = [_("{count} due").format(count=seen.due)]
        if seen.drills:
            parts.append(ngettext("{count} drill", "{count} drills", seen.drills).format(count=seen.drills))
        if seen.steps:
            parts.append(ngettext("{count} coming back", "{count} coming back", seen.steps).format(count=seen.steps))
        if seen.tables:
            parts.append(ngettext("{count} table", "{count} tables", seen.tables).format(count=seen.tables))
        if seen.oral:
            parts.append(ngettext("{count} skeleton", "{count} skeletons", seen.oral).format(count=seen.oral))
        parts.append(_("{count} new").format(count=seen.new))
        gap = "   " if room >= 60 else "  "
        line = gap.join([_("Today"), *parts])
        about = _("about {minutes} min").format(minutes=max(1, round(seen.expected_minutes))) if seen.left else ""
        lines = [line]
        if not seen.left:
            lines = [
                _("Today") + "   " + _("All done.") if seen.done_today else _("Today") + "   " + _("Nothing is due.")
            ]
        elif cell_len(line) + len(gap) + cell_len(about) <= room:
            lines = [line + " " * (room - cell_len(line) - cell_len(about)) + about]
        else:
            lines = [*joined([_("Today"), *parts], gap, room), about]
        if seen.done_today:
            minutes = max(1, round(seen.spent_ms / 60_000))
            answers = ngettext("{count} answer today", "{count} answers today", seen.done_today)
            time = ngettext(", {minutes} minute", ", {minutes} minutes", minutes)
            lines.append(answers.format(count=seen.done_today) + time.format(minutes=minutes))
        return lines

    def _notices(self) -> list[str]:
        found = []
        if self.fault:
            found.append(str(self.fault))
        elif self.state == "opening" and self.glance is not None and not self.glance.titles:
            found.append(_("Reading the cards for the first time ..."))
        if self.shard.read_only_because:
            found.append(
                _("{why} Until then cards can be looked at here, not answered.").format(
                    why=self.shard.read_only_because
                )
            )
        if self.shard.faults:
            files = len({fault.file for fault in self.shard.faults})
            found.append(
                ngettext(
                    "A pack was left out: {count} file has faults. Press f to see them.",
                    "Packs were left out: {count} files have faults. Press f to see them.",
                    files,
                ).format(count=files)
            )
        seen, notes = self.glance, self.notes
        if notes is not None:
            found += notes.lines()
        elif seen is not None and seen.more_due:
            found.append(_("More cards are due than a day takes; the rest waits and is not lost."))
        return found

    def _topic_lines(self, room: int) -> list[str]:
        """`title  ########.. 0.93`, the title cut to what is left."""
        if not self.strengths:
            return []
        lang = current()
        titles = [topic.title.of(lang) for topic in self.strengths]
        bar = 10 if room >= 48 else 6
        beside = (
            room >= SIDE_BY_SIDE - 8 and self.glance is not None and any(count for _day, count in self.glance.next_days)
        )
        space = (room - DAYS_WIDTH - 3 if beside else room) - bar - 6
        if max(cell_len(title) for title in titles) > space:
            titles = [_short(title) for title in titles]
        widest = min(max(cell_len(title) for title in titles), space)
        lines = [_("The map")] if room >= SIDE_BY_SIDE - 8 else []
        for topic, title in zip(self.strengths, titles, strict=True):
            name = padded(ellipsis(title, widest, self.shard.glyphs.more), widest)
            if topic.strength is None:
                lines.append(f"{name} {_('new')}")
            else:
                lines.append(f"{name} {self.shard.glyphs.bar(topic.strength, bar)} {topic.strength:.2f}")
        return lines

    def _miss_lines(self, room: int) -> list[str]:
        """`GiB for GB   3 of 9 drills this week`, the name cut to what is left."""
        misses = self.notes.miss_lines(current()) if self.notes is not None else []
        widest = max((cell_len(told) for _name, told in misses), default=0)
        space = min(room - widest - 3, max((cell_len(name) for name, _told in misses), default=0))
        more = self.shard.glyphs.more
        return [f"{padded(ellipsis(name, space, more), space)}   {told}" for name, told in misses]

    def _day_lines(self) -> list[str]:
        days = self.glance.next_days if self.glance is not None else ()
        most = max((count for _day, count in days), default=0)
        if not most:
            return []
        lines = [_("To come")]
        for day, count in days[:7]:
            name = _(WEEKDAYS[date_of(day).weekday()])
            lines.append(f"{padded(name, 4)}{count:>4}  {self.shard.glyphs.blocks(-(-count * 10 // most))}")
        return lines

    def _beside(self, left: list[str], right: list[str], room: int) -> list[str]:
        if room < SIDE_BY_SIDE - 8 or not left:
            return [*left, *([""] if left and right else []), *right]
        column = room - DAYS_WIDTH
        rows = max(len(left), len(right))
        left, right = left + [""] * (rows - len(left)), right + [""] * (rows - len(right))
        return [(padded(a, column) + b).rstrip() for a, b in zip(left, right, strict=True)]
