"""Signals that end the app: the terminal is put back as it was before the process goes."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import sys
import threading
from collections.abc import Callable

_GONE = (errno.EIO, errno.ENXIO, errno.ENODEV)
GRACE_S = 3.0
"""So long may leaving take. A terminal that is gone takes no more output, and writing to it would wait for ever."""


def on_end_signals(leave: Callable[[int], None]) -> None:
    """Call `leave(128 + number)` inside the running loop when TERM or HUP arrives.

    Without this the process dies with the terminal still in the app's mode. Windows has neither signal.
    """
    loop = asyncio.get_running_loop()
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None:
            continue
        try:
            loop.add_signal_handler(number, _end, leave, 128 + int(number))
        except (NotImplementedError, RuntimeError, ValueError):  # no such loop, or not the main thread (tests)
            return


def _end(leave: Callable[[int], None], code: int) -> None:
    end_within(GRACE_S, code)
    leave(code)


def end_within(seconds: float, code: int) -> None:
    """Make sure the process is gone after this time. Every answer was on the disk before the next card was shown."""
    timer = threading.Timer(seconds, os._exit, (code,))
    timer.daemon = True
    timer.start()


def terminal_is_gone() -> bool:
    """Whether the window was closed without the signal that says so: its input would be read as empty for ever."""
    try:
        import termios
    except ImportError:  # Windows
        return False
    try:
        termios.tcgetattr(sys.__stdin__.fileno() if sys.__stdin__ is not None else 0)
    except termios.error as error:
        return bool(error.args) and error.args[0] in _GONE
    except (OSError, ValueError):
        return False
    return False
