"""Settings: every one with its value, changed in place and saved at once."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from content.settings import SettingsError, save
from tui import setting_words
from tui.screens.base import Rule, SubScreen, TopLine, margin, room_for_text
from tui.widgets.answer_field import AnswerField
from tui.widgets.key_line import KeyLine
from tui.widgets.row_list import Row, RowList
from tui.words import N_, _, current
from tui.wrap import wrap

HINT_FROM_HEIGHT = 18
"""Below this height the explanation of a setting shows only while it is edited."""


def shown_path(path: Path) -> str:
    """The path with `~` for the learner's home."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except (ValueError, RuntimeError):
        return str(path)


class SettingsScreen(SubScreen[None]):
    """A list; Enter steps to the next value or opens a field. A wrong value is named and nothing is saved."""

    DEFAULT_CSS = """
    SettingsScreen #hint { height: auto; max-height: 5; }
    SettingsScreen #list { height: 1fr; }
    SettingsScreen #editor { height: 1fr; display: none; }
    SettingsScreen.-editing #editor { display: block; }
    SettingsScreen.-editing #content { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f9", "change", N_("change"), id="settings.change", key_display="Enter"),
        Binding("delete,d", "default", N_("default"), id="settings.default"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._editing: str | None = None
        self._wrong = ""

    def compose(self) -> ComposeResult:
        yield TopLine()
        yield Rule(id="top-rule")
        with VerticalScroll(id="content", can_focus=False):
            yield RowList(id="list")
        with VerticalScroll(id="editor", can_focus=False):
            yield Static(id="about", classes="laid-out")
            yield AnswerField(placeholder=" ", id="field")
            yield Static(id="wrong", classes="laid-out")
        yield Static(id="hint", classes="laid-out")
        yield Rule(id="message")
        yield KeyLine()

    def on_mount(self) -> None:
        self._draw()
        self._list.focus()

    @property
    def _list(self) -> RowList:
        return self.query_one("#list", RowList)

    # --- drawing

    def on_resize(self, event: events.Resize) -> None:
        super().on_resize(event)
        self._draw()

    def retranslate(self) -> None:
        self._draw()
        super().retranslate()

    def top_text(self) -> tuple[str, str]:
        return _("Settings"), shown_path(self.shard.places.settings)

    def _rows(self) -> list[Row]:
        rows: list[Row] = []
        for group, names in setting_words.GROUPS:
            rows.append(Row(f"group.{group}", _(group), heading=True))
            rows += [
                Row(name, _(setting_words.LABELS[name]), setting_words.value_text(self.shard.settings, name))
                for name in names
            ]
        return rows

    def _draw(self) -> None:
        left = margin(self.size.width)
        for name in ("#list", "#about", "#field", "#wrong", "#hint"):
            self.query_one(name).styles.margin = (0, left)
        self._list.show(self._rows())
        self._draw_hint()
        if self._editing is not None:
            self._draw_editor(self._editing)

    def _draw_hint(self) -> None:
        hint = self.query_one("#hint", Static)
        row = self._list.current
        hint.display = self._editing is None and self.size.height >= HINT_FROM_HEIGHT
        if row is not None:
            hint.update(self._text("", _(setting_words.EXPLAINED[row.name])))

    def _draw_editor(self, name: str) -> None:
        about = [_(setting_words.EXPLAINED[name])]
        if name in setting_words.ALLOWED:
            about.append(_("Allowed: {what}.").format(what=_(setting_words.ALLOWED[name])))
        title = self._text(*[""] * self.airy, _(setting_words.LABELS[name])).stylize("bold")
        self.query_one("#about", Static).update(Content("\n").join([title, self._text(*about, "")]))
        self.query_one("#wrong", Static).update(self._text("", self._wrong) if self._wrong else "")

    def _text(self, *paragraphs: str) -> Content:
        room = room_for_text(self.size.width)
        return Content("\n".join(line for text in paragraphs for line in wrap(self.shard.glyphs.text(text), room)))

    # --- changing

    def on_row_list_moved(self, _message: RowList.Moved) -> None:
        self._draw_hint()

    def on_row_list_chosen(self, _message: RowList.Chosen) -> None:
        self.action_change()

    def action_change(self) -> None:
        """The next value, or a field to type one."""
        row = self._list.current
        if row is None:
            return
        if self._editing is not None:
            self.query_one("#field", AnswerField).action_submit()
        elif row.name == "keys":
            self.say(_("Own keys are written in the settings file: {path}").format(path=self.shard.places.settings))
        elif setting_words.is_choice(self.shard.settings, row.name):
            self._save(row.name, setting_words.next_choice(self.shard.settings, row.name))
        else:
            self._edit(row.name)

    def action_default(self) -> None:
        """Take the setting back to its default."""
        row = self._list.current
        if row is not None and row.name != "keys":
            self._save(row.name, None)

    def _edit(self, name: str) -> None:
        self._editing, self._wrong = name, ""
        field = self.query_one("#field", AnswerField)
        field.set_text(setting_words.edit_text(self.shard.settings, name))
        self._draw_editor(name)
        self._draw_hint()
        self.add_class("-editing")
        field.focus()
        self.refresh_bindings()

    def _stop_editing(self) -> None:
        self._editing = None
        self._draw_hint()
        self.remove_class("-editing")
        self._list.focus()
        self.refresh_bindings()

    def on_answer_field_submitted(self, message: AnswerField.Submitted) -> None:
        message.stop()
        name = self._editing
        if name is not None and self._save(name, setting_words.typed_value(name, message.field.value)):
            self._stop_editing()

    def _save(self, name: str, value: object) -> bool:
        """Write the change into the file; say what is wrong when it cannot be."""
        try:
            if name == "exam_date" and value == "":
                value = None
            fresh = save(self.shard.places.settings, {name: value})
        except SettingsError as error:
            self._tell_wrong(name, error)
            return False
        except OSError as error:
            self.say(_("The settings file could not be written ({why}).").format(why=error.strerror or error))
            return False
        self.shard.use_settings(fresh)
        self.say(_("Saved."), 2.0)
        return True

    def _tell_wrong(self, name: str, error: SettingsError) -> None:
        text = " ".join(error.faults)
        if current() != "en" and name in setting_words.ALLOWED:
            text = _("Allowed: {what}.").format(what=_(setting_words.ALLOWED[name]))
        self._wrong = _("Not saved. {why}").format(why=text)
        if self._editing is not None:
            self._draw_editor(name)
            self.query_one("#editor").scroll_end(animate=False)
        else:
            self.say(self._wrong)

    def action_back(self) -> None:
        """Out of the field, or out of the settings."""
        if self._editing is not None:
            self._stop_editing()
        else:
            self.dismiss()

    def key_label(self, action: str) -> str | None:
        if action == "back" and self._editing is not None:
            return _("leave as it was")
        if action == "change" and self._editing is not None:
            return _("save")
        return super().key_label(action)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return self._editing is None if action == "default" else True
