"""On what a run ran, as much of it as a document may say: versions, system, architecture, processor; no names."""

from __future__ import annotations

import json
import platform
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from content.cards import Text
from evidence.errors import RunRefused

_PROBE = (
    "import json, platform\n"
    "try:\n"
    "    from importlib.metadata import version\n"
    "    numpy = version('numpy')\n"
    "except Exception:\n"
    "    numpy = None\n"
    "print(json.dumps([platform.python_version(), numpy, platform.system(), platform.machine()]))\n"
)
_FAMILIES = {"Darwin": "macOS", "": "unknown system"}
_PROBE_S = 30


@dataclass(frozen=True, slots=True)
class Environment:
    """`platform` is the family of the system and the architecture: `Linux x86_64`."""

    python: str
    numpy: str | None
    platform: str
    cpu: str | None

    @property
    def text(self) -> str:
        """One line for a document."""
        return environment_text(self.python, self.numpy, self.platform, self.cpu)


def environment_text(python: str, numpy: str | None, system: str, cpu: str | None) -> str:
    """One line for a document: `Python 3.12.1, numpy 2.1.0, Linux x86_64, AMD EPYC 7B13`."""
    parts = [f"Python {python}", f"numpy {numpy}" if numpy else "no numpy", system, cpu or ""]
    return ", ".join(part for part in parts if part)


def here() -> Environment:
    """This program's own interpreter. numpy is not imported for it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        numpy: str | None = version("numpy")
    except PackageNotFoundError:
        numpy = None
    return Environment(platform.python_version(), numpy, _system(platform.system(), platform.machine()), cpu_model())


def of_interpreter(executable: str) -> Environment:
    """Another interpreter, asked by running it.

    Raises:
        RunRefused: it cannot be started or is no Python.
    """
    try:
        done = subprocess.run(  # noqa: S603 - the learner's own choice of interpreter, without a shell
            [executable, "-c", _PROBE], capture_output=True, stdin=subprocess.DEVNULL, timeout=_PROBE_S, check=False
        )
        python, numpy, system, machine = json.loads(done.stdout.splitlines()[-1])
    except (OSError, subprocess.TimeoutExpired, ValueError, IndexError, TypeError) as error:
        name = Path(executable).name
        raise RunRefused(
            Text(
                f"{name} cannot be started as Python ({type(error).__name__}); name an interpreter with --python.",
                f"{name} 不能作为 Python 启动（{type(error).__name__}）；请用 --python 指定解释器。",
            )
        ) from None
    return Environment(plain(python) or "?", plain(numpy), _system(system, machine), cpu_model())


def _system(system: str, machine: str) -> str:
    return f"{plain(_FAMILIES.get(system, system))} {plain(machine) or ''}".strip()


def cpu_model() -> str | None:
    """The processor's name as its maker gives it; None where the system does not say."""
    try:
        if platform.system() == "Linux":
            info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
            found = re.search(r"^(?:model name|Hardware|Model)\s*:\s*(.+)$", info, re.MULTILINE)
            return plain(found[1]) if found else None
        if platform.system() == "Darwin":
            done = subprocess.run(
                ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"], capture_output=True, timeout=5, check=False
            )
            return plain(done.stdout.decode("utf-8", "replace"))
    except (OSError, subprocess.TimeoutExpired):
        return None
    return plain(platform.processor())


def plain(text: object) -> str | None:
    """Printable ASCII with single blanks, at most 80 characters; None when nothing is left."""
    kept = re.sub(r"[^ -~]+", " ", str(text or ""))
    return " ".join(kept.split())[:80].strip() or None


__all__ = ["Environment", "cpu_model", "environment_text", "here", "of_interpreter", "plain"]
