"""The parameters of a lab on screen: each with its limits, changed in a field, refused with what is allowed."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from textual.containers import VerticalScroll

from tui.lab_words import limits_text, value_text
from tui.screens.base import SubScreen
from tui.widgets.answer_field import AnswerField
from tui.widgets.flow import BLANK, Flow, Para
from tui.widgets.row_list import Row, RowList
from tui.words import _

if TYPE_CHECKING:
    from content.cards import Text
    from evidence.lab import Lab, Value

SEED = "seed"
"""The row of the seed; no lab has a parameter of that name."""


class ParamList(RowList):
    """The parameters; past either end the page scrolls, so that a text above or below can be read."""

    def action_move(self, by: int) -> None:
        before = self.current
        super().action_move(by)
        if self.current is before:
            self.screen.query_one("#content", VerticalScroll).scroll_relative(y=by, animate=False)


class LabParams(SubScreen[None]):
    """What a run of the lab will be given: `values` and `seed`; `note` says how they stand for a drill's."""

    def __init__(self) -> None:
        super().__init__()
        self.lab: Lab | None = None
        self.values: dict[str, Value] = {}
        self.seed = 0
        self.note: Text | None = None
        self._editing: str | None = None

    def draw(self) -> None:
        """Show everything as it stands."""
        raise NotImplementedError

    @property
    def _params(self) -> ParamList:
        return self.query_one("#params", ParamList)

    def _draw_setup(self, lab: Lab) -> None:
        lang, glyphs = self.shard.lang, self.shard.glyphs
        about = [Para(glyphs.text(lab.about.of(lang)))]
        if self.note is not None:
            about += [BLANK, Para(glyphs.text(self.note.of(lang)), style="bold")]
        self.query_one("#about", Flow).show([BLANK, *about, BLANK] if self.airy else [])
        self.query_one("#about-below", Flow).show([] if self.airy else [BLANK, *about])
        rows = [Row(one.key, one.label.of(lang), value_text(self.values.get(one.key, ""))) for one in lab.params]
        self._params.show([*rows, Row(SEED, _("Seed"), str(self.seed))])
        self._draw_limits(lab)

    def _draw_limits(self, lab: Lab) -> None:
        row = self._params.current
        hint = self._limits(lab, row.name) if row is not None else ""
        self.query_one("#limits", Flow).show([BLANK, Para(self.shard.glyphs.text(hint))] if hint else [])

    def _limits(self, lab: Lab, key: str) -> str:
        from evidence.runs import MOST_SEED

        if key == SEED:
            limits, default = _("a whole number from {low} to {high}").format(low=0, high=MOST_SEED), "0"
        else:
            param = lab.param(key)
            limits, default = limits_text(param), value_text(param.default)
        return _("{key}: {limits}. Default: {default}").format(key=key, limits=limits, default=default)

    def _draw_asked(self, lab: Lab) -> None:
        if self._editing is not None:
            self.query_one("#asked", Flow).show([Para(self.shard.glyphs.text(self._limits(lab, self._editing)))])

    # --- keys

    def on_row_list_moved(self, _message: RowList.Moved) -> None:
        if self.lab is not None:
            self._draw_limits(self.lab)

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        message.stop()
        self.call_later(self.run_action, "edit")

    def action_edit(self) -> None:
        """A field for the marked parameter; of a few choices the next one."""
        row = self._params.current
        if row is None or self.lab is None:
            return
        if row.name != SEED and (param := self.lab.param(row.name)).kind == "choice":
            at = param.choices.index(str(self.values[param.key]))
            self._set(param.key, param.choices[(at + 1) % len(param.choices)])
            return
        self._editing = row.name
        self.query_one("#field", AnswerField).set_text(row.right)
        self.query_one("#wrong", Flow).show([])
        self.add_class("-editing")
        self.query_one("#field", AnswerField).focus()
        self.draw()

    def _stop_editing(self) -> None:
        self._editing = None
        self.remove_class("-editing")
        self._params.focus()
        self.draw()

    def action_default(self) -> None:
        """The marked parameter as the lab has it."""
        row = self._params.current
        if row is not None and self.lab is not None:
            self._set(row.name, 0 if row.name == SEED else self.lab.param(row.name).default)

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        if self._editing is not None and self._set(self._editing, message.field.value):
            self._stop_editing()

    def _set(self, key: str, value: object) -> bool:
        """Take a value, or say what is allowed."""
        from evidence.lab import ParamRefused, check_params

        assert self.lab is not None
        if key == SEED:
            seed = read_seed(str(value))
            if seed is None:
                self._tell_wrong(self._limits(self.lab, SEED))
                return False
            self.seed = seed
        else:
            try:
                self.values = check_params(self.lab, {**self.values, key: value})
            except ParamRefused as refused:
                self._tell_wrong(refused.text.of(self.shard.lang))
                return False
        self.draw()
        return True

    def _tell_wrong(self, text: str) -> None:
        self.query_one("#wrong", Flow).show([Para(self.shard.glyphs.text(text), style="bold")])


def read_seed(text: str) -> int | None:
    """A seed, in half or full width; None for anything else."""
    from evidence.runs import MOST_SEED

    folded = unicodedata.normalize("NFKC", text).strip()
    if not folded.isascii() or not folded.isdigit() or len(folded) > 19:
        return None
    return seed if (seed := int(folded)) <= MOST_SEED else None
