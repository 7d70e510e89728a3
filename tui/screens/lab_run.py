"""One lab: what it proves, its parameters, and a run of it with the picture and the metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.message import Message
from textual.widgets import Static

from tui.app import RecordUnavailable
from tui.lab_job import LabJob
from tui.lab_words import when_text
from tui.pace import KeyGate
from tui.recorded import desk
from tui.run_words import state_text
from tui.screens.base import AIRY_FROM, Rule, TopLine, margin
from tui.screens.lab_params import LabParams, ParamList
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import BLANK, Flow, Para
from tui.widgets.key_line import KeyLine
from tui.widgets.lab_picture import LabPicture, findings
from tui.words import N_, _

if TYPE_CHECKING:
    from content.runs_store import Run
    from content.store import Record
    from evidence.lab import Lab
    from evidence.picture import Picture


class RunProgressed(Message, bubble=False):
    """A run got further."""

    def __init__(self, job: LabJob, share: float, mark: str) -> None:
        super().__init__()
        self.job, self.share, self.mark = job, share, mark


class LabScreen(LabParams):
    """A lab by its id. With a drill's values it is set up for them and runs at once."""

    DEFAULT_CSS = """
    LabScreen #wrong { height: auto; }
    LabScreen #editor { height: auto; display: none; }
    LabScreen.-editing #editor { display: block; }
    LabScreen.-editing #limits { display: none; }
    LabScreen #result { height: auto; display: none; }
    LabScreen.-result #result { display: block; }
    LabScreen.-result #setup { display: none; }
    LabScreen #setup { height: auto; }
    LabScreen #frame, LabScreen #limits { height: auto; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f5", "run", N_("run"), id="lab.run", key_display="Enter"),
        Binding("e,f2", "edit", N_("change"), id="lab.change"),
        Binding("d,delete", "default", N_("default"), id="lab.default"),
        Binding("left,f6", "step(-1)", N_("step back"), id="lab.step-back", key_display="Left"),
        Binding("right,f7", "step(1)", N_("step"), id="lab.step", key_display="Right"),
        Binding("tab,v", "turn", N_("last result"), id="lab.turn"),
    ]

    def __init__(self, lab_id: str, drill: Mapping[str, float | Fraction] | None = None) -> None:
        super().__init__()
        self.lab_id, self._drill = lab_id, drill
        self.run_shown: Run | None = None
        self.job: LabJob | None = None
        self._picture: Picture | None = None
        self._frame = 0
        self._gate = KeyGate()

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content"):
            with Vertical(id="setup"):
                yield Flow(id="about")
                yield ParamList(id="params")
                yield Flow(id="limits")
                yield Flow(id="about-below")
            with Vertical(id="result"):
                yield Flow(id="note")
                yield LabPicture(id="picture")
                yield Static(id="frame", classes="laid-out")
                yield Flow(id="findings")
        with Vertical(id="editor"):
            yield Flow(id="asked")
            yield AnswerField(placeholder=" ", id="field")
            yield Flow(id="wrong")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#about", Flow).show([Para(_("Reading the lab ..."))])
        self.draw()
        self.run_worker(self._begin(), exclusive=True, group="begin")

    async def _begin(self) -> None:
        lab, self.run_shown = await asyncio.to_thread(self._read, await self._record_to_write())
        from evidence.lab import check_params, scaled

        self.values = check_params(lab, {})
        if self._drill is not None:
            self.values, self.note = scaled(lab, self._drill)
        self.lab = lab
        self._take_picture()
        self.draw()
        self._params.focus()
        if self._drill is not None:
            self._start()

    async def _record_to_write(self) -> Record | None:
        """The record; None, and a word about it, where a run cannot be recorded: it can be looked at all the same."""
        try:
            return await self.shard.need_record()
        except RecordUnavailable as fault:
            self.say(_("A run will not be recorded. {why}").format(why=fault))
            return None

    def _read(self, record: Record | None) -> tuple[Lab, Run | None]:
        """The lab (its import brings numpy) and its newest run; in a thread."""
        from content.runs_store import all_runs
        from evidence.lab import registry

        runs = all_runs(record) if record is not None else []
        lab = registry()[self.lab_id]
        return lab, next((run for run in runs if run.kind == "lab" and run.lab == lab.id), None)

    def on_unmount(self) -> None:
        if self.job is not None:
            self.job.stop()

    # --- drawing

    @property
    def _shows_result(self) -> bool:
        return self.has_class("-result")

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.query_one("#top-rule").display = event.size.height >= AIRY_FROM
        self.draw()

    def retranslate(self) -> None:
        self.draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        left = self.lab.title.of(self.shard.lang) if self.lab is not None else _("Lab")
        run = self.run_shown
        if self.job is not None or run is None:
            return left, _("running") if self.job is not None else ""
        when = when_text(run.started_ms, self.shard.clock.now())
        facts = [state_text(run), f"{run.short_id} {when}"] if self.size.width >= 60 else [state_text(run)]
        return left, f" {self.shard.glyphs.dot} ".join(facts)

    def draw(self) -> None:
        left = margin(self.size.width)
        for name in (
            "#about",
            "#params",
            "#limits",
            "#about-below",
            "#note",
            "#frame",
            "#findings",
            "#asked",
            "#field",
            "#wrong",
        ):
            self.query_one(name).styles.margin = (0, left)
        if self.lab is not None:
            self._draw_setup(self.lab)
            self._draw_result(self.lab)
            self._draw_asked(self.lab)
        self.refresh_top()
        self.refresh_bindings()

    def _draw_result(self, lab: Lab) -> None:
        run, glyphs = self.run_shown, self.shard.glyphs
        if run is None:
            return
        self.query_one("#picture", LabPicture).show(self._picture, self._frame)
        count = len(self._picture.frames) if self._picture is not None else 0
        text = _("Picture {n} of {count}").format(n=self._frame + 1, count=count)
        frame = self.query_one("#frame", Static)
        frame.update(text)
        frame.display = count > 1
        paras = findings(run, lab, self.shard.lang, glyphs)
        note = [] if self.note is None else [Para(glyphs.text(self.note.of(self.shard.lang)), style="bold"), BLANK]
        self.query_one("#note", Flow).show(note if self.airy else [])
        paras = paras if self.airy else [*note, *paras]
        paras = [BLANK, *paras] if self.airy else paras
        self.query_one("#findings", Flow).show([*paras, BLANK, Para(glyphs.text(run.command), rest="    ")])

    def _take_picture(self) -> None:
        """The picture that the shown run has kept."""
        from evidence.picture import Picture

        self._picture, self._frame = None, 0
        kept = self.run_shown.findings.get("picture") if self.run_shown is not None else None
        try:
            picture = Picture.from_json(kept) if kept else None
        except (KeyError, TypeError, ValueError):  # kept by another version: the metrics stand without it
            return
        self._picture = picture if picture is not None and picture.frames else None

    # --- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        if action in ("run", "edit", "default", "step", "turn") and (self.lab is None or self.job is not None):
            return False
        if self._editing is not None:
            return action not in ("edit", "default", "step", "turn")
        if action in ("edit", "default"):
            return not self._shows_result
        if action == "step":
            return self._shows_result and self._picture is not None and len(self._picture.frames) > 1
        return action != "turn" or self.run_shown is not None

    def key_label(self, action: str) -> str | None:
        if self._editing is not None and action in ("run", "back"):
            return _("take it") if action == "run" else _("leave as it was")
        if action == "back" and self.job is not None:
            return _("stop")
        if action == "back" and self._drill is not None:
            return _("back to the card")
        if self._shows_result and action in ("run", "turn"):
            return _("run again") if action == "run" else _("parameters")
        return super().key_label(action)

    def on_lab_picture_stepped(self, message: LabPicture.Stepped) -> None:
        if self.check_action("step", ()):
            self.action_step(message.by)

    def action_step(self, by: int) -> None:
        """Another frame of the picture; it stops at both ends."""
        if self._picture is not None and self.lab is not None:
            self._frame = min(max(self._frame + by, 0), len(self._picture.frames) - 1)
            self._draw_result(self.lab)

    def action_turn(self) -> None:
        """From the parameters to the last result, and back."""
        self._show_result(not self._shows_result)

    def _show_result(self, shown: bool) -> None:
        self.set_class(shown, "-result")
        content = self.query_one("#content", VerticalScroll)
        (content if shown else self._params).focus()
        content.scroll_home(animate=False)
        self.draw()

    def action_back(self) -> None:
        """Out of the field, out of a run, or out of the lab."""
        if self._editing is not None:
            self._stop_editing()
        elif self.job is not None:
            if self.job.stop():
                self.job = None
                self.say(_("Stopped. Nothing was recorded."))
                self.draw()
        else:
            self.dismiss()

    # --- the run

    def action_run(self) -> None:
        """Take what is typed, else run the lab and record the run."""
        if self._editing is not None:
            self.query_one("#field", AnswerField).action_submit()
        elif self._gate.passes("run", self.shard.clock.now().at_ms):
            self._start()

    def _start(self) -> None:
        job = LabJob(self.lab_id, self.values, self.seed, lambda share, mark: self._tell(job, share, mark))
        self.job = job
        self._say_progress(0.0, "")
        self.draw()
        self.run_worker(self._run(job), exclusive=True, group="run")

    def _tell(self, job: LabJob, share: float, mark: str) -> None:
        self.post_message(RunProgressed(job, share, mark))

    def on_run_progressed(self, message: RunProgressed) -> None:
        if message.job is self.job:
            self._say_progress(message.share, message.mark)

    def _say_progress(self, share: float, mark: str) -> None:
        bar = self.shard.glyphs.bar(share, 20 if self.size.width >= 60 else 8)
        self.say(f"{bar} {share:.0%} {mark}".rstrip(), 0)

    async def _run(self, job: LabJob) -> None:
        from evidence.errors import EvidenceError
        from evidence.lab import Cancelled, ParamRefused

        record = await self._record_to_write()
        try:
            ran = await asyncio.to_thread(job.run, desk(self.shard.clock), Path.cwd(), record)
        except Cancelled:
            return
        except (EvidenceError, ParamRefused) as refused:
            self._ended(job, refused.text.of(self.shard.lang))
        except Exception as error:  # the record could not be written, or the like: told, and kept in the log
            from tui import crash

            self._ended(job, crash.sentence_going_on(error, self.shard.keep_error(error)))
        else:
            if job is self.job:
                self.run_shown = ran.run
                self._take_picture()
                self._ended(job, told_of(ran.run, is_recorded=record is not None))
                self._show_result(True)

    def _ended(self, job: LabJob, text: str) -> None:
        if job is self.job:
            self.job = None
            self.say(text)
            self.draw()


def told_of(run: Run, *, is_recorded: bool) -> str:
    """What is said of a run that is through."""
    if not is_recorded:
        return _("Not recorded: {state}.").format(state=state_text(run))
    return _("Run {id} recorded: {state}.").format(id=run.short_id, state=state_text(run))
