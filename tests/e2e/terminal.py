"""Real terminals for the installed program: a pty whose screen pyte keeps, and tmux where there is one."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte

COMMAND = Path(sys.executable).parent / "shardrill"
KEYS = {
    "Enter": "\r",
    "Space": " ",
    "Escape": "\x1b",
    "Tab": "\t",
    "F3": "\x1bOR",
    "F6": "\x1b[17~",
    "F9": "\x1b[20~",
    "Down": "\x1b[B",
}
KITTY = re.compile(rb"\x1b\[[<>=][0-9;]*[a-zA-Z]|\x1b\[\?[0-9;]*u|\x1bP.*?\x1b\\", re.DOTALL)
"""Sequences that pyte would print: key protocol requests and device strings."""


def environment(home: Path, **more: str) -> dict[str, str]:
    """What the program sees: a plain UTF-8 terminal, its data in `home`, nothing of the developer's own."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHARDRILL_HOME": str(home), **more}


class Terminal:
    """What the tests need of a terminal."""

    kind = ""

    def keys(self, *keys: str) -> None:
        """Press keys by name (see KEYS) or type text."""
        raise NotImplementedError

    @property
    def text(self) -> str:
        """What is on the screen."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """The program's process."""
        raise NotImplementedError

    @property
    def ended(self) -> bool:
        """Whether the program is gone."""
        raise NotImplementedError

    def close(self) -> None:
        """End what is left."""
        raise NotImplementedError

    def wait_for(self, *texts: str, seconds: float = 20.0) -> str:
        """Wait until one of the texts is on the screen; returns it. Fails with what is there instead."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = self.text
            for text in texts:
                if text in shown:
                    return text
            time.sleep(0.05)
        raise AssertionError(f"none of {texts} on the {self.kind} screen:\n{self.text}")

    def wait_until_ended(self, seconds: float = 10.0) -> None:
        """Wait for the program's end."""
        end = time.monotonic() + seconds
        while not self.ended:
            assert time.monotonic() < end, f"still running:\n{self.text}"
            time.sleep(0.05)


class PtyTerminal(Terminal):
    """The program on a pty; pyte keeps the screen."""

    kind = "pty"

    def __init__(self, command: list[str], env: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._fd, self._slave = pty.openpty()
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(self._slave)
        self._child = subprocess.Popen(
            command, stdin=self._slave, stdout=self._slave, stderr=self._slave, env=env, start_new_session=True
        )

    def _read(self) -> None:
        while select.select([self._fd], [], [], 0)[0]:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            self.raw += data
            self._stream.feed(KITTY.sub(b"", data))

    def keys(self, *keys: str) -> None:
        for key in keys:
            os.write(self._fd, KEYS.get(key, key).encode())
            time.sleep(0.05)

    @property
    def text(self) -> str:
        self._read()
        # pyte leaves an empty cell behind a wide character
        return "\n".join(
            "".join(self.screen.buffer[y][x].data for x in range(self.screen.columns)) for y in range(self.screen.lines)
        )

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def ended(self) -> bool:
        self._read()
        return self._child.poll() is not None

    @property
    def modes(self) -> list[object]:
        """The terminal's line settings as they are now."""
        return termios.tcgetattr(self._slave)

    def close(self) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        os.close(self._fd)
        os.close(self._slave)


class TmuxTerminal(Terminal):
    """The program in a pane of a tmux server of its own."""

    kind = "tmux"

    def __init__(self, command: list[str], env: dict[str, str], columns: int = 80, rows: int = 24) -> None:
        self._socket = f"shardrill-{os.getpid()}-{time.monotonic_ns()}"
        settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items() if name != "TERM")
        line = f"exec env {settings} {shlex.join(command)}"
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), line)
        self._pid = int(self._tmux("display-message", "-p", "#{pane_pid}") or 0)

    def _tmux(self, *arguments: str) -> str:
        env = {**os.environ, "LANG": "C.UTF-8"}
        run = subprocess.run(
            ["tmux", "-u", "-L", self._socket, *arguments], capture_output=True, text=True, env=env, check=False
        )
        return run.stdout

    def keys(self, *keys: str) -> None:
        for key in keys:
            arguments = ["send-keys", key] if key in KEYS else ["send-keys", "-l", key]
            self._tmux(*arguments)
            time.sleep(0.05)

    @property
    def text(self) -> str:
        return self._tmux("capture-pane", "-p")

    @property
    def pid(self) -> int:
        return self._pid

    @property
    def ended(self) -> bool:
        try:
            os.kill(self._pid, 0)
        except ProcessLookupError:
            return True
        return self._pid == 0 or (Path(f"/proc/{self._pid}/stat").exists() and _is_zombie(self._pid))

    def close(self) -> None:
        self._tmux("kill-server")


def _is_zombie(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"


TERMINALS: dict[str, type[Terminal]] = {"pty": PtyTerminal}
if shutil.which("tmux"):
    TERMINALS["tmux"] = TmuxTerminal

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
