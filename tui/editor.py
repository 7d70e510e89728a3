"""Editing a card of an own pack in the learner's editor. The pack's file is the text's only home; history is kept."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from content.cards import Card, card_from_json
from tui.words import _

if TYPE_CHECKING:
    from content.pack_edit import Source
    from tui.app import ShardrillApp

_RETURN_AT_ONCE = frozenset({"code", "codium", "code-insiders", "cursor", "subl", "zed"})
"""Editors that come back before the file is closed unless told to wait."""

_PACK_ID = re.compile(r"""^id:\s*["']?([^"'\s#]+)""", re.MULTILINE)


class NoEditor(Exception):
    """There is no editor to start; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Edited:
    """How an edit ended: the card's new text if it changed, and a sentence for the learner. `was` and `text` are the
    entry's lines in the pack's file before and after."""

    sentence: str
    card: Card | None = None
    keep_draft: bool = False
    was: str = ""
    text: str = ""


def own_pack_folder(packs: Path, pack_id: str) -> Path | None:
    """The folder of the learner's own pack with this id; None for a shipped pack."""
    try:
        files = sorted(packs.glob("*/pack.yaml"))
    except OSError:
        return None
    for file in files:
        if _id_of(file) == pack_id:
            return file.parent
    return None


def _id_of(file: Path) -> str | None:
    try:
        with file.open(encoding="utf-8", errors="replace") as stream:
            found = _PACK_ID.search(stream.read(4096))
    except OSError:
        return None
    return found[1] if found else None


def editor_command(environ: Mapping[str, str] | None = None) -> list[str]:
    """The command of the learner's editor: VISUAL, else EDITOR. Raises NoEditor."""
    environ = os.environ if environ is None else environ
    try:
        command = shlex.split(environ.get("VISUAL") or environ.get("EDITOR") or "")
    except ValueError:
        command = []
    if not command:
        raise NoEditor(_("No editor is set. Quit, say for instance `export EDITOR=nano`, and start again."))
    if shutil.which(command[0]) is None:
        raise NoEditor(
            _("The editor {name} was not found. Set EDITOR to one that is installed.").format(name=command[0])
        )
    wait = ["--wait"] if Path(command[0]).name in _RETURN_AT_ONCE and "--wait" not in command else []
    return [*command, *wait]


def edit_card(app: ShardrillApp, card: Card, card_key: int) -> Edited:
    """Open the card's entry in the editor, wait, and bring what was written into the pack and the record.

    An entry with faults is not taken: the pack keeps its text, and the sentence names the first fault and the file that
    holds the rejected text.
    """
    from content.pack_edit import NoSource, source_of

    folder = own_pack_folder(app.places.packs, card.pack_id)
    if folder is None:
        return Edited(_("This card belongs to a pack that came with shardrill; write a note on it instead."))
    try:
        source = source_of(folder, card.id)
        command = editor_command()
    except (NoSource, NoEditor) as missing:
        return Edited(str(missing))
    handle, name = tempfile.mkstemp(prefix="shardrill-", suffix=".yaml")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(source.text)
    draft = Path(name)
    fault = _run_editor(app, [*command, name])
    done = Edited(fault) if fault else _take_over(app, source, draft, card, card_key)
    if not done.keep_draft:
        draft.unlink(missing_ok=True)
    return done


def _run_editor(app: ShardrillApp, command: list[str]) -> str:
    """Give the terminal to the editor; returns a sentence when it could not be done."""
    from textual.app import SuspendNotSupported

    try:
        with app.suspend():
            ended = subprocess.run(command, check=False)  # noqa: S603 - the learner's own editor, without a shell
    except SuspendNotSupported:
        return _("The editor cannot be opened from this terminal.")
    except OSError as error:
        return _("The editor could not be started: {why}.").format(why=error.strerror or str(error))
    finally:
        app.refresh(layout=True)
    if ended.returncode != 0:
        return _("The editor ended with an error ({code}); the card is as it was.").format(code=ended.returncode)
    return ""


def _take_over(app: ShardrillApp, source: Source, draft: Path, card: Card, card_key: int) -> Edited:
    from content.faults import PackRefused
    from content.pack_edit import replace_source
    from tui.opening import sync_packs

    try:
        text = draft.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return Edited(_("What the editor saved is not UTF-8 text; the card is as it was."))
    if text.rstrip() == source.text.rstrip():
        return Edited(_("Nothing was changed."))
    try:
        replace_source(source.file, source.start_line, source.end_line, text, was=source.text)
    except PackRefused as refused:
        what = refused.faults[0].what_to_do if refused.faults else ""
        told = _("Not taken, the card is as it was: {what}. Your text is in {file}.").format(what=what, file=draft)
        return Edited(told, keep_draft=True)
    assert app.record is not None
    sync_packs(app.record, app.places, app.clock)
    state = app.record.state(card_key)
    if state is None or not state.card.present:
        return Edited(_("The card is no longer in its pack; its history is kept."))
    new = card_from_json(state.card.body)
    if new == card:
        return Edited(_("Nothing was changed."))
    return Edited(_("Edited; the history is kept."), new, was=source.text, text=text)


class WrittenEntries:
    """The entries that were edited in a sitting, by the card's revision, so that undo and redo write the pack's file
    back too: the file is the text's home, and the next start would else bring the undone text again."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def remember(self, before: Card, done: Edited) -> None:
        """An edit was taken over."""
        if done.card is not None:
            self._texts[before.rev], self._texts[done.card.rev] = done.was, done.text

    def put(self, app: ShardrillApp, card: Card) -> str:
        """Write the entry of this revision into its pack's file; a sentence when it could not be, else empty.

        A file that was changed by other hands meanwhile is left as it is.
        """
        from content.faults import PackRefused
        from content.pack_edit import NoSource, replace_source, source_of
        from tui.opening import sync_packs

        wanted, folder = self._texts.get(card.rev), own_pack_folder(app.places.packs, card.pack_id)
        if wanted is None or folder is None or app.record is None:
            return _("The pack's file keeps the text that it has.")
        try:
            source = source_of(folder, card.id)
            if source.text.rstrip() not in (text.rstrip() for text in self._texts.values()):
                return _("The pack's file was changed meanwhile and keeps the text that it has.")
            replace_source(source.file, source.start_line, source.end_line, wanted, was=source.text)
        except (NoSource, PackRefused, OSError):
            return _("The pack's file could not be written and keeps the text that it has.")
        sync_packs(app.record, app.places, app.clock)
        return ""
