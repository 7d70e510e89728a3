"""Reading a text file that somebody else wrote: bounded, UTF-8 only, no hidden characters, with line numbers.

The result is text with `\\n` line ends in which every offending character was replaced, so that reading can go on and
name further faults; text in which going on makes no sense comes back as None.
"""

from __future__ import annotations

import codecs
import stat
import unicodedata
from pathlib import Path

from content.faults import Fault

MAX_BYTES = 2_000_000

_WIDE_BOMS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
# Marks that turn the reading direction round, so that what is seen is not what is there, and rarely known line ends.
_HIDDEN = frozenset("\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_REPLACEMENT = "\ufffd"


def is_control(char: str, allowed: str = "\n") -> bool:
    """Whether a terminal could take `char` for a command or hide it: C0, C1, DEL, direction marks, odd line ends."""
    return char not in allowed and (unicodedata.category(char) in ("Cc", "Cs") or char in _HIDDEN)


def read_text(file: Path, max_bytes: int = MAX_BYTES) -> tuple[str | None, list[Fault]]:
    """The text of `file` and its faults; never raises for what the file holds or lacks."""
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            return None, [Fault(file, 1, "not-a-file", "put an ordinary file in its place")]
        with file.open("rb") as stream:
            raw = b"" if status.st_size > max_bytes else stream.read(max_bytes + 1)
    except OSError as error:
        return None, [Fault(file, 1, "unreadable", f"make the file readable: {error.strerror}")]
    if status.st_size > max_bytes or len(raw) > max_bytes:
        limit = f"{max_bytes / 1e6:g} MB"
        return None, [Fault(file, 1, "too-large", f"split the file: {status.st_size} bytes, at most {limit} are read")]
    return decode(raw, file)


def decode(raw: bytes, file: Path) -> tuple[str | None, list[Fault]]:
    """The text in `raw`, as `read_text` gives it; `file` is only named in faults."""
    for bom, name in _WIDE_BOMS.items():
        if raw.startswith(bom):
            return None, [Fault(file, 1, "not-utf-8", f"save the file as UTF-8: it is {name}")]
    try:
        text = raw.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        byte = error.object[error.start]
        advice = f"save the file as UTF-8: byte 0x{byte:02X} on this line is not UTF-8 (GB18030 or Latin-1, perhaps)"
        return None, [Fault(file, line, "not-utf-8", advice)]
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _without_controls(text, file)


def _without_controls(text: str, file: Path) -> tuple[str | None, list[Fault]]:
    if text.isprintable():  # the usual short text; pack files have line ends and go the long way
        return text, []
    faults: list[Fault] = []
    lines = text.split("\n")
    readable = "\0" not in text
    for number, line in enumerate(lines, start=1):
        if line.isprintable():
            continue
        clean, indented_by_tab = _clean_line(line, number, file, faults)
        readable = readable and not indented_by_tab
        lines[number - 1] = clean
    return ("\n".join(lines) if readable else None), faults


def _clean_line(line: str, number: int, file: Path, faults: list[Fault]) -> tuple[str, bool]:
    controls = sorted({char for char in line if is_control(char, allowed="\t")})
    if controls:
        names = ", ".join(f"U+{ord(char):04X}" for char in controls)
        hint = " (a NUL often means UTF-16: save as UTF-8)" if "\0" in controls else ""
        faults.append(Fault(file, number, "control-character", f"remove {names} from this line{hint}"))
        line = "".join(_REPLACEMENT if is_control(char, allowed="\t") else char for char in line)
    if "\t" not in line:
        return line, False
    faults.append(Fault(file, number, "tab", "use spaces instead of the tab on this line"))
    indent = line[: len(line) - len(line.lstrip())]
    return line.replace("\t", " "), "\t" in indent


__all__ = ["MAX_BYTES", "decode", "is_control", "read_text"]
