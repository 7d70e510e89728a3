"""A lab's picture, one frame at a time, and what the run found, as paragraphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from tui.lab_words import number_text
from tui.run_words import metric_text, reason_text
from tui.screens.base import margin
from tui.widgets.flow import BLANK, Para
from tui.words import _

if TYPE_CHECKING:
    from content.runs_store import Run
    from evidence.lab import Lab
    from evidence.picture import Picture
    from tui.app import ShardrillApp
    from tui.glyphs import Glyphs


class LabPicture(Widget):
    """As wide a drawing as the window takes. Every frame has the height of the highest, so that nothing below jumps."""

    DEFAULT_CSS = "LabPicture { height: auto; text-wrap: nowrap; }"

    class Stepped(Message):
        """The picture was clicked: on its left half to go back, on its right to go on."""

        def __init__(self, by: int) -> None:
            super().__init__()
            self.by = by

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._picture: Picture | None = None
        self._frame = 0

    def show(self, picture: Picture | None, frame: int = 0) -> None:
        """Draw a frame of a picture, counted from 0."""
        self._picture, self._frame = picture, frame
        self.refresh(layout=True)

    def _frames(self, width: int) -> list[tuple[str, ...]]:
        if self._picture is None:
            return []
        is_ascii = cast("ShardrillApp", self.app).glyphs.ascii
        return [
            self._picture.lines(number, width=width, ascii_only=is_ascii) for number in range(len(self._picture.frames))
        ]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:  # noqa: ARG002
        return max((len(lines) for lines in self._frames(width)), default=0)

    def render(self) -> Content:
        width = self.content_size.width
        frames = self._frames(width)
        if not frames:
            return Content("")
        widest = max(len(line) for lines in frames for line in lines)
        pad = " " * max(min(margin(self.screen.size.width), (width - widest)), 0)
        return Content("\n").join(Content(pad + line) for line in frames[self._frame])

    def on_click(self, event: events.Click) -> None:
        """Step by mouse."""
        event.stop()
        self.post_message(self.Stepped(-1 if event.x < self.size.width // 2 else 1))


def findings(run: Run, lab: Lab, lang: str, glyphs: Glyphs) -> list[Para]:
    """Every metric with its value in words, what "equal" meant, then the numbers recorded on the way."""
    if run.status != "ok":
        return [Para(_("The run failed: {reason}.").format(reason=reason_text(run)), style="bold")]
    labels = {spec.name: spec.label.of(lang) for spec in lab.metrics}
    paras = [_metric(labels.get(name, name), value, glyphs) for name, value in run.metrics.items()]
    tolerance = run.findings.get("tolerance", {}).get("about", {})
    if tolerance:
        paras += [BLANK, Para(glyphs.text(str(tolerance.get(lang) or tolerance.get("en", ""))))]
    values = run.findings.get("values", {})
    if values:
        paras += [BLANK, Para(_("Numbers"), style="bold")]
        paras += [Para(f"{name}  {number_text(one)}", rest="    ") for name, one in values.items()]
    return paras


def _metric(label: str, value: bool | int | float, glyphs: Glyphs) -> Para:
    text = glyphs.text(label)
    if not isinstance(value, bool):
        return Para(f"{text}  {metric_text(value)}", first="  ", rest="    ")
    said = f"{metric_text(value)}  "
    return Para(text, first=said, rest=" " * 4, style="" if value else "bold")


__all__ = ["LabPicture", "findings"]
