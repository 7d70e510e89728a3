"""The report of a mock exam, as it was written, and where."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType

from tui.screens.base import SubScreen, margin
from tui.screens.settings import shown_path
from tui.widgets.flow import BLANK, Flow, Para
from tui.words import _


class ExamReportScreen(SubScreen[None]):
    """The file's text, below its path."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.file = file

    def compose_content(self) -> ComposeResult:
        yield Flow(id="report")

    def on_mount(self) -> None:
        self._draw()
        self.query_one("#content").focus()

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        super().retranslate()
        self._draw()

    def top_text(self) -> tuple[str, str]:
        return _("Mock exam"), ""

    def _draw(self) -> None:
        self.query_one("#report").styles.margin = (0, margin(self.size.width))
        try:
            text = self.file.read_text(encoding="utf-8")
        except OSError as error:
            text = error.strerror or str(error)
        path = Para(_("The report is in {path}").format(path=shown_path(self.file)), style="bold")
        self.query_one("#report", Flow).show([path, BLANK, Para(text)])


__all__ = ["ExamReportScreen"]
