"""Writing a text in the learner's own editor ($VISUAL or $EDITOR)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tui.editor import NoEditor, _run_editor, editor_command
from tui.words import _

if TYPE_CHECKING:
    from tui.app import ShardrillApp


def written_in_editor(app: ShardrillApp, text: str) -> tuple[str | None, str]:
    """Give `text` to the editor and wait; returns what it saved (None: unusable) and a sentence, empty if all went well."""
    try:
        command = editor_command()
    except NoEditor as missing:
        return None, str(missing)
    handle, name = tempfile.mkstemp(prefix="shardrill-answer-", suffix=".txt")
    file = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
        fault = _run_editor(app, [*command, name])
        if fault:
            return None, fault
        return file.read_text(encoding="utf-8").removesuffix("\n"), ""
    except (OSError, UnicodeDecodeError):
        return None, _("What the editor saved cannot be read as UTF-8 text; the answer is as it was.")
    finally:
        file.unlink(missing_ok=True)


__all__ = ["written_in_editor"]
