"""What happens to an error nobody expected: one sentence for the learner, the traceback for the log."""

from __future__ import annotations

import contextlib
import traceback
from pathlib import Path

from tui.words import _

MAX_LOG_BYTES = 512 * 1024
KEPT_LOGS = 3


def write_log(path: Path, text: str) -> bool:
    """Append `text` to the log, moving a full log aside (`.1` is the newest of the kept ones).

    Never raises: a log that cannot be written must not hide the error it was to hold. Returns whether it was written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size + len(text) > MAX_LOG_BYTES:
            _rotate(path)
        with path.open("a", encoding="utf-8") as log:
            log.write(text.rstrip("\n") + "\n")
    except OSError:
        return False
    return True


def _rotate(path: Path) -> None:
    for number in range(KEPT_LOGS - 1, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.replace(path.with_name(f"{path.name}.{number + 1}"))
    path.replace(path.with_name(f"{path.name}.1"))


def log_error(error: BaseException, path: Path, when: str) -> bool:
    """Write the traceback of `error` to the log; `when` is the time to put before it."""
    lines = traceback.format_exception(error)
    return write_log(path, f"{when} {type(error).__name__}\n{''.join(lines)}")


def sentence(error: BaseException, log: Path | None = None) -> str:
    """One sentence for a terminal: the domain's own errors speak for themselves, others point to the log.

    `log` is where the error was written, None where it could not be.
    """
    if speaks_for_itself(error):
        return _told(error)
    if log is None:
        return _("shardrill stopped because of a fault of its own ({what}).").format(what=_what(error))
    return _(
        "shardrill stopped because of a fault of its own ({what}); answers are saved, details are in {log}."
    ).format(what=_what(error), log=log)


def sentence_going_on(error: BaseException, log: Path | None = None) -> str:
    """The same where only one thing could not be done, and the program goes on."""
    if speaks_for_itself(error):
        return _told(error)
    if log is None:
        return _("That could not be done because of a fault of shardrill's own ({what}).").format(what=_what(error))
    return _("That could not be done because of a fault of shardrill's own ({what}); details are in {log}.").format(
        what=_what(error), log=log
    )


def _told(error: BaseException) -> str:
    from tui.refusals import told

    return _one_line(told(error))


def _what(error: BaseException) -> str:
    return f"{type(error).__name__}: {_one_line(str(error))}".rstrip(": ")


def speaks_for_itself(error: BaseException) -> bool:
    """Whether the error was raised by this project on purpose, with a sentence that says what to do."""
    return type(error).__module__.split(".")[0] in {"content", "grading", "evidence", "tui"}


def _one_line(text: str) -> str:
    with contextlib.suppress(ValueError):
        text = " ".join(text.split())
    return "".join(c for c in text if c.isprintable())[:400]
