"""Editing one entry of a learner's own pack as the text it is, without ever leaving a faulty pack behind."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from content.faults import Fault, PackRefused
from content.library import PACK_FILE, pack_files
from content.pack_check import ENTRY_KEYS, Draft, read_draft
from content.safe_text import read_text
from content.safe_yaml import Document, Listing, Mapping, load


class Source(NamedTuple):
    """The lines (from 1, both included) of a file that hold one entry."""

    file: Path
    start_line: int
    end_line: int
    text: str


class NoSource(Exception):
    """An entry cannot be edited on its own; the text says why and what to do."""


def source_of(pack_folder: Path, card_id: str) -> Source:
    """Where a card of this pack is written. `card_id` may be full and may have a cloze number.

    Raises NoSource when no file has it, or when it shares its lines with something else.
    """
    entry_id = card_id.rpartition("/")[2].partition("#")[0]
    for file in pack_files(pack_folder):
        if file.name == PACK_FILE:
            continue
        document = load(file)
        for key in ENTRY_KEYS:
            entries = document.node((key,))
            for index in range(len(entries.items) if isinstance(entries, Listing) else 0):
                node = document.node((key, index, "id"))
                if node is not None and getattr(node, "text", None) == entry_id:
                    return _lines_of(document, entry_id, key, index)
    raise NoSource(f"No file in {pack_folder} has the card {entry_id}; see whether its pack was moved.")


def _lines_of(document: Document, entry_id: str, key: str, index: int) -> Source:
    entry, following = document.node((key, index)), document.node((key, index + 1))
    lines = document.text.split("\n")
    start = entry.line if entry is not None else 1
    before = lines[start - 1][: entry.column if entry is not None else 0]
    alone = (
        isinstance(entry, Mapping) and before.strip() == "-" and (following is None or following.line > entry.last_line)
    )
    if entry is None or not alone:
        raise NoSource(f"Edit {document.file} itself: {entry_id} does not stand on lines of its own there.")
    end = entry.last_line
    while end > start and not lines[end - 1].strip():
        end -= 1
    return Source(document.file, start, end, "\n".join(lines[start - 1 : end]) + "\n")


def replace_source(file: Path, start_line: int, end_line: int, new_text: str, *, was: str | None = None) -> None:
    """Put `new_text` in place of these lines, if the pack is then free of faults and has lost no card.

    Pass the text that `source_of` gave as `was`, so that nothing is overwritten that was saved meanwhile. Raises
    PackRefused with the faults; the file is then as it was, since the new text is tried before anything is written.
    """
    folder = file.parent
    text, faults = read_text(file)
    if text is None or faults:  # text in which characters were replaced must not be written back
        raise PackRefused(folder, faults)
    lines = text.split("\n")
    old = "\n".join(lines[start_line - 1 : end_line]) + "\n"
    if was is not None and was != old:
        raise PackRefused(folder, [Fault(file, start_line, "changed-meanwhile", "edit again: the file was changed")])
    new_lines = new_text.replace("\r\n", "\n").rstrip("\n").split("\n")
    edited = "\n".join([*lines[: start_line - 1], *new_lines, *lines[end_line:]])
    faults = _faults_of_edit(read_draft(folder), read_draft(folder, {file: edited}), file, start_line)
    if faults:
        raise PackRefused(folder, faults)
    _write(file, edited)


def _faults_of_edit(before: Draft, after: Draft, file: Path, line: int) -> list[Fault]:
    lost = sorted(before.places.keys() - after.places.keys())
    faults = [fault for fault in after.faults if not fault.warning]
    faults += [Fault(file, line, "id-lost", f"keep the id `{name}`: its history hangs on it") for name in lost]
    return faults


def _write(file: Path, text: str) -> None:
    """Replace the file in one step, with the line ends and the byte-order mark that it had."""
    raw = file.read_bytes()
    if b"\r\n" in raw:
        text = text.replace("\n", "\r\n")
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    handle, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=file.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(mark + text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(file.stat().st_mode & 0o777)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


__all__ = ["NoSource", "Source", "replace_source", "source_of"]
