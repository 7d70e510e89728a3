"""Signals that end the app: the terminal is put back as it was before the process goes."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable


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
            loop.add_signal_handler(number, leave, 128 + int(number))
        except (NotImplementedError, RuntimeError, ValueError):  # no such loop, or not the main thread (tests)
            return
