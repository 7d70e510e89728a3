"""Statistics, whole-process timing and a pseudo-terminal, for the benchmark scripts beside this file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("SHARDRILL_BENCH_DATA", HERE / "data"))
PYTHON = sys.executable
# With this set, Anki's library symbolises a backtrace at every open: 75 ms and 52 MiB that are not its own.
os.environ.pop("RUST_BACKTRACE", None)
# And without compiled bytecode every start is measured with the compiler's time in it.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_ESCAPES = re.compile(rb"\x1b\[[0-9;?:<>=$]*[ -/]*[@-~]|\x1b[\]P_][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[=>()][A-Z0-9]?")


@dataclass(frozen=True, slots=True)
class Sample:
    """A set of measurements of one thing, in the unit they were taken in."""

    values: tuple[float, ...]

    def quantile(self, share: float) -> float:
        ordered = sorted(self.values)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))]

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    def spread(self, scale: float = 1.0) -> str:
        return f"{self.quantile(0) * scale:.1f}..{max(self.values) * scale:.1f}"


class Terminal:
    """A child on a pseudo-terminal of a given size; `plain()` is all it wrote, escape sequences removed."""

    def __init__(
        self, command: list[str], columns: int = 80, rows: int = 24, env: dict[str, str] | None = None
    ) -> None:
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            child_env = dict(os.environ if env is None else env)
            child_env.update(TERM="xterm-256color", COLORTERM="truecolor", LINES=str(rows), COLUMNS=str(columns))
            os.execvpe(command[0], command, child_env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.raw = b""

    def read(self, timeout_s: float) -> bool:
        ready, _, _ = select.select([self.fd], [], [], timeout_s)
        if not ready:
            return False
        try:
            chunk = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += chunk
        return bool(chunk)

    def plain(self, since: int = 0) -> bytes:
        return _ESCAPES.sub(b"", self.raw[since:])

    def wait_for(self, text: bytes, timeout_s: float = 60.0, since: int = 0) -> float:
        """Seconds from the start of the child to the first appearance of `text`."""
        end = time.perf_counter() + timeout_s
        while time.perf_counter() < end:
            if self.read(0.5):
                now = time.perf_counter()
                if text in self.plain(since):
                    return now - self.started
        raise TimeoutError(
            f"{text!r} never appeared; the screen held:\n{self.plain()[-2000:].decode(errors='replace')}"
        )

    def settle(self, quiet_s: float = 0.15) -> None:
        while self.read(quiet_s):
            pass

    def send(self, keys: bytes) -> None:
        os.write(self.fd, keys)

    def kill(self) -> float:
        """End the child; returns its peak memory in MiB."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        _, _, usage = os.wait4(self.pid, 0)
        os.close(self.fd)
        return usage.ru_maxrss / 1024


def until_marker(
    command: list[str], marker: bytes, *, on_terminal: bool, env: dict[str, str] | None = None
) -> tuple[float, float]:
    """Run a command once: (seconds from exec to the marker in its output, peak MiB of its process)."""
    if on_terminal:
        terminal = Terminal(command, env=env)
        try:
            at_s = terminal.wait_for(marker)
        finally:
            peak_mib = terminal.kill()
        return at_s, peak_mib
    started = time.perf_counter()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
    )
    assert child.stdout is not None
    seen, at_s = b"", None
    while chunk := os.read(child.stdout.fileno(), 65536):
        seen += chunk
        if at_s is None and marker in seen:
            at_s = time.perf_counter() - started
    _, _, usage = os.wait4(child.pid, 0)
    child.stdout.close()
    if at_s is None:
        raise RuntimeError(f"{command} ended without printing {marker!r}")
    return at_s, usage.ru_maxrss / 1024


def machine_line() -> str:
    """How fast the machine was at this moment, so that two tables can be told apart."""
    best = min(_loop_s() for _ in range(5))
    load, python = os.getloadavg()[0], sys.version.split()[0]
    return f"calibration loop {best * 1e3:.1f} ms, load {load:.2f}, {os.cpu_count()} cores, Python {python}"


def _loop_s() -> float:
    started = time.perf_counter()
    total = 0
    for i in range(300_000):
        total += i * i & 7
    return time.perf_counter() - started
