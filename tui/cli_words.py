"""The command line in Chinese: click's own texts, the help of every command, and help laid out by columns.

English needs none of this. Click takes its texts from `gettext` by the process's locale only; `--lang` and the setting
come first here, and child processes keep their locale, so its lookup functions are replaced by ours instead.
"""

from __future__ import annotations

import contextlib
import inspect
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from tui import words

_LANGUAGE_LINE = re.compile(r"""^\s*language\s*=\s*["'](en|zh)["']""", re.MULTILINE)
GAP = 2
SETTINGS_MOST = 65_536
"""So many characters of a settings file are looked through for the language."""
FIRST_COLUMN_MOST = 30


def early_language(arguments: Sequence[str], default_settings: Path) -> str:
    """The language of help and of wrong usage, which come before options and settings are read."""
    asked = _value_of("--lang", arguments)
    folder = _value_of("--data-dir", arguments)
    path = Path(folder) / default_settings.name if folder else default_settings
    found = None
    if path.is_file():  # what else may stand there is named when the settings are read
        with contextlib.suppress(OSError, ValueError), path.open(encoding="utf-8-sig") as stream:
            found = _LANGUAGE_LINE.search(stream.read(SETTINGS_MOST))
    return words.choose_language(asked, found[1] if found else "auto")


def _value_of(option: str, arguments: Sequence[str]) -> str | None:
    for index, argument in enumerate(arguments):
        if argument == option:
            return arguments[index + 1] if index + 1 < len(arguments) else None
        if argument.startswith(option + "="):
            return argument.partition("=")[2]
    return None


def speak_chinese(root: click.Command) -> None:
    """From here on `root`, its commands and click itself speak Chinese."""
    words.set_language("zh")
    for name, module in list(sys.modules.items()):
        if name.startswith("click."):
            for function, own in (("_", words._), ("ngettext", words.ngettext)):
                if hasattr(module, function):
                    setattr(module, function, own)
    _translate(root)


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a help text, each on one line: they are the message ids."""
    return [" ".join(part.split()) for part in inspect.cleandoc(text).split("\n\n")]


def _translate(command: click.Command) -> None:
    command.context_class = _Context
    if command.help:
        said = [words._(part) for part in paragraphs(command.help)]
        command.help, command.short_help = "\n\n".join(said), said[0].rstrip("。")
    for param in command.params:
        if isinstance(param, click.Option) and param.help:
            param.help = words._(param.help)
    for inner in getattr(command, "commands", {}).values():
        _translate(inner)


class ColumnFormatter(click.HelpFormatter):
    """Counts columns where click counts characters: a Han character takes two."""

    def write_heading(self, heading: str) -> None:
        self.write(f"{'':>{self.current_indent}}{heading}：\n")

    def write_text(self, text: str) -> None:
        from tui.wrap import wrap

        room = max(self.width - self.current_indent, 11)
        parts = ("\n".join(" " * self.current_indent + line for line in wrap(part, room)) for part in paragraphs(text))
        self.write("\n\n".join(parts) + "\n")

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = FIRST_COLUMN_MOST, col_spacing: int = GAP
    ) -> None:
        from rich.cells import cell_len

        from tui.wrap import wrap

        rows = list(rows)
        column = min(max((cell_len(first) for first, _second in rows), default=0), col_max) + col_spacing
        pad = " " * self.current_indent
        for first, second in rows:
            lines = wrap(second, max(self.width - self.current_indent - column, 10)) if second else [""]
            if cell_len(first) > column - col_spacing:
                self.write(f"{pad}{first}\n")
                lines.insert(0, "")
                lines = [line for line in lines if line]
            else:
                self.write(f"{pad}{first}{' ' * (column - cell_len(first))}{lines.pop(0)}".rstrip() + "\n")
            self.write("".join(f"{pad}{' ' * column}{line}\n" for line in lines))


class _Context(click.Context):
    formatter_class = ColumnFormatter
