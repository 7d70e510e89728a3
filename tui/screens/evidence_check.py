"""What is wrong with an evidence document: every fault with its line, to be read beside an editor."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType

from tui.app import RecordUnavailable
from tui.evidence_commands import status_text
from tui.recorded import repository, templates
from tui.screens.base import SubScreen, margin
from tui.widgets.flow import BLANK, Flow, Para, visible
from tui.words import N_, _, ngettext

if TYPE_CHECKING:
    from content.runs_store import Run
    from content.store import Record
    from evidence.check import Checked
    from evidence.git import Repo
    from tui.paths import Places


def checked(places: Places, record: Record, file: Path) -> Checked:
    """Check the file against packs, runs and repository. Starts git: for a thread."""
    from content.runs_store import all_runs
    from evidence.check import check
    from evidence.git import Repo
    from evidence.privacy import identity

    def repo_of(run: Run | None) -> Repo | None:
        found = repository(None, run, file.parent)
        return found if isinstance(found, Repo) else None

    return check(file, templates(places), all_runs(record), repo_of, identity())


class CheckScreen(SubScreen[None]):
    """The faults of one file; it can be checked again after it was changed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("r,f5", "again", N_("check again"), id="check.again")]

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file
        self.found: Checked | None = None
        self._fault: RecordUnavailable | None = None

    def compose_content(self) -> ComposeResult:
        yield Flow(id="faults")

    def on_mount(self) -> None:
        self.query_one("#content").focus()
        self._draw()
        self.action_again()

    def action_again(self) -> None:
        """Read the file anew."""
        self.run_worker(self._check(), exclusive=True)

    async def _check(self) -> None:
        try:
            record = await self.shard.need_record(to_read=True)
        except RecordUnavailable as fault:
            self._fault = fault
        else:
            was_there = self.found is not None
            self.found = await asyncio.to_thread(checked, self.shard.places, record, self.file)
            if was_there:
                self.say(_("Checked again."), 2.0)
        self._draw()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        return _("Check"), visible(self.file.name)

    def _draw(self) -> None:
        flow = self.query_one("#faults", Flow)
        flow.styles.margin = (1 if self.airy else 0, margin(self.size.width))
        flow.show(self._paras())
        self.refresh_top()

    def _paras(self) -> list[Para]:
        if self._fault or self.found is None:
            return [Para(str(self._fault or _("Checking ...")))]
        paras = [Para(self._summary(self.found), style="bold")]
        if self.found.run is not None:
            paras.append(Para(_("Run {id} supports it: {command}").format(
                id=self.found.run.short_id, command=self.found.run.command), rest="    "))  # fmt: skip
        for one in self.found.findings:
            paras += [BLANK, Para(f"{visible(self.file.name)}:{one.line}  {one.rule}", style="bold", rest="    ")]
            paras.append(Para(self.shard.glyphs.text(one.text.of(self.shard.lang))))
        return paras

    def _summary(self, found: Checked) -> str:
        status = status_text(found.status)
        faults = len(found.faults)
        if found.status == "refused":
            return self.shard.glyphs.text(status)
        told = ngettext("{count} fault", "{count} faults", faults).format(count=faults) if faults else _("no faults")
        return _("{status}, {told}").format(status=status, told=told)
