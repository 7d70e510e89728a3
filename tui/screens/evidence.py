"""Evidence: the document as it will be written, what is still open in it, and what to do next."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll

from tui.app import RecordUnavailable
from tui.evidence_commands import status_text, write_document
from tui.evidence_state import Shown, Wanted, look, next_step
from tui.lab_commands import BadUse
from tui.lab_words import what_ran, when_text
from tui.messages import Returned
from tui.screens.base import AIRY_FROM, Rule, SubScreen, TopLine, margin
from tui.widgets.flow import Flow, Para
from tui.widgets.key_line import KeyLine
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.store import Record

OPEN = "? "
"""Before a line in which something is still open."""
DOCUMENT = "evidence.yaml"


class EvidenceScreen(SubScreen[None]):
    """A preview that asks nobody to trust it: only what a recorded run supports is filled in."""

    DEFAULT_CSS = """
    EvidenceScreen #below { height: auto; max-height: 5; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x,f5", "export", N_("export"), id="evidence.export"),
        Binding("k,f6", "check", N_("check a file"), id="evidence.check"),
        Binding("r,f7", "runs", N_("choose the run"), id="evidence.runs"),
        Binding("l,f4", "lab", N_("run the lab"), id="evidence.lab"),
        Binding("b,f9", "labs", N_("all labs"), id="evidence.labs"),
        Binding("a", "allow", N_("state changes"), id="evidence.allow"),
        Binding("t", "turn", N_("next document"), id="evidence.document"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.wanted = Wanted()
        self.shown: Shown | None = None
        self.fault: RecordUnavailable | None = None
        self._record: Record | None = None
        self._file = DOCUMENT

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content"):
            yield Flow(id="document")
        with Vertical(id="below"):  # a margin of its own would narrow the document too
            yield Flow(id="next")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#content").focus()
        self._draw()
        self.look_again()

    def look_again(self) -> None:
        """Read runs and repository anew."""
        self.run_worker(self._look(), exclusive=True)

    async def _look(self) -> None:
        from evidence.privacy import identity

        try:
            self._record = await self.shard.need_record(to_read=True)
        except RecordUnavailable as fault:
            self.fault = fault
        else:
            self.shown = await asyncio.to_thread(look, self.shard.places, self._record, self.wanted, identity())
        self._draw()

    # --- drawing

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self.query_one("#top-rule").display = event.size.height >= AIRY_FROM
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        shown = self.shown
        if shown is None or shown.filled is None:
            return _("Evidence"), ""
        facts = [_("refused") if shown.refusal is not None else status_text(shown.filled.status)]
        if shown.run is not None:
            facts.insert(0, f"{what_ran(shown.run)} {when_text(shown.run.started_ms, self.shard.clock.now())}")
        return _("Evidence"), f" {self.shard.glyphs.dot} ".join(facts)

    def _draw(self) -> None:
        left = margin(self.size.width)
        for name in ("#document", "#next"):
            self.query_one(name).styles.margin = (1 if name == "#document" and self.airy else 0, left)
        self.query_one("#document", Flow).show(self._paras())
        shown = self.shown
        text = next_step(shown, self.shard.lang) if shown is not None else ""
        self.query_one("#next", Flow).show([Para(self.shard.glyphs.text(text), style="bold")] if text else [])
        self._draw_open()
        self.refresh_top()
        self.refresh_bindings()

    def _draw_open(self) -> None:
        filled = self.shown.filled if self.shown is not None else None
        count = sum(line.state == "unfilled" for line in filled.lines) if filled is not None else 0
        text = ngettext("{count} place open (?)", "{count} places open (?)", count).format(count=count)
        self.query_one("#message", Rule).set_hint(text if count else "")

    def _paras(self) -> list[Para]:
        if self.fault:
            return [Para(str(self.fault))]
        if self.shown is None:
            return [Para(_("Reading runs and repository ..."))]
        filled = self.shown.filled
        paras = []
        for line in filled.lines if filled is not None else ():
            is_open = line.state == "unfilled"
            rest = " " * (len(line.text) - len(line.text.lstrip(" -")) + len(OPEN) + 2)
            paras.append(Para(line.text, first=OPEN if is_open else "  ", rest=rest, style="bold" if is_open else ""))
        return paras

    # --- keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        shown = self.shown
        if action == "export":
            return shown is not None and shown.filled is not None
        if action == "lab":
            return shown is not None and shown.template is not None and shown.template.lab is not None
        if action == "allow":
            return shown is not None and (shown.may_state or self.wanted.allow_changes)
        if action == "turn":
            return shown is not None and len(shown.templates) > 1
        return self._record is not None if action in ("runs", "check") else True

    def key_label(self, action: str) -> str | None:
        if action == "allow" and self.wanted.allow_changes:
            return _("refuse changes")
        return super().key_label(action)

    def action_lab(self) -> None:
        """The lab that fills this document."""
        if self.shown is not None and self.shown.template is not None and self.shown.template.lab is not None:
            self.shard.action_lab(self.shown.template.lab)

    def action_labs(self) -> None:
        """All labs."""
        self.shard.action_labs()

    def action_allow(self) -> None:
        """Let the document state changes instead of refusing it, and back."""
        self.wanted = replace(self.wanted, allow_changes=not self.wanted.allow_changes)
        self.look_again()

    def action_turn(self) -> None:
        """The document of the next pack that has one."""
        if self.shown is not None and self.shown.template is not None:
            names = [one.pack_id for one in self.shown.templates]
            at = names.index(self.shown.template.pack_id)
            self.wanted = Wanted(pack_id=names[(at + 1) % len(names)])
            self.look_again()

    def action_runs(self) -> None:
        """Choose which run fills the document."""
        from tui.screens.evidence_runs import RunsScreen

        if self.shown is not None and not self.shown.runs:
            self.say(_("There is no run for a document yet."))
        elif self.shown is not None:
            self.shard.push_screen(RunsScreen(self.shown.runs, self.shown.run), self._chosen)

    def _chosen(self, run_id: str | None) -> None:
        if run_id is not None:
            self.wanted = Wanted(run_id or None)
            self.look_again()

    def action_export(self) -> None:
        """Write the document to a file that is asked for."""
        from tui.screens.path import PathScreen

        shown = self.shown
        if shown is None or shown.filled is None:
            return
        if shown.refusal is not None:
            self.say(_("Not written: the reason stands above."))
            return
        asked = _("Where should the document be written? Enter writes it.")
        self.shard.push_screen(PathScreen(_("Export"), asked, self._file, self._write, _("write")), self._written)

    def _write(self, file: Path, *, again: bool) -> str | None:
        """Write the document; a sentence when it is not written."""
        if file.is_file() and not again:
            return _("{file} is there already: Enter once more replaces it.").format(file=file.name)
        assert self.shown is not None
        assert self.shown.filled is not None
        try:
            write_document(file, self.shown.filled.text)
        except BadUse as refused:
            return refused.message
        return None

    def _written(self, file: Path | None) -> None:
        if file is not None:
            self._file = str(file)
            self.say(_("Written: {file}").format(file=file))
            self.look_again()

    def action_check(self) -> None:
        """Find fault with a file that is asked for."""
        from tui.screens.path import PathScreen

        asked = _("Which document should be checked? Enter checks it.")
        self.shard.push_screen(PathScreen(_("Check"), asked, self._file, self._is_there, _("check")), self._check)

    def _is_there(self, file: Path, *, again: bool) -> str | None:  # noqa: ARG002
        return None if file.is_file() else _("There is no file {file}.").format(file=file)

    def _check(self, file: Path | None) -> None:
        from tui.screens.evidence_check import CheckScreen

        if file is not None:
            self._file = str(file)
            self.shard.push_screen(CheckScreen(file))

    def on_returned(self, _message: Returned) -> None:
        self.look_again()
