"""What a document may not hold: the names of a user and a machine, home folders, e-mail addresses, tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

HIDDEN = "[hidden]"
"""What stands in a document where something personal was."""

Kind = Literal["email", "home", "secret", "user", "host"]

_SECRET = re.compile(
    r"""
    \b(?:gh[pousr]_|github_pat_|glpat-|hf_|sk-|xox[abprs]-|npm_|pypi-)[A-Za-z0-9_\-]{12,}
    | \b(?:AKIA|ASIA)[0-9A-Z]{16}\b
    | \beyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}
    | \bbearer\s+[A-Za-z0-9._\-]{12,}
    | -----BEGIN\ [A-Z ]*PRIVATE\ KEY
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)
    | \b[\w\-]*(?:api[_\-]?key|access[_\-]?key|auth[_\-]?token|token|passwd|password|secret)
      (?:\s*[=:]\s*|(?<=\w)\s+(?=\S*\d))["']?(?![\d.,_]+(?:["'\s]|$))[^\s"']{6,}
    """,
    re.VERBOSE | re.IGNORECASE,
)
_EMAIL = re.compile(r"[A-Za-z0-9._%+\-]+@[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+")
_HOME = re.compile(
    r"""
    (?<![\w.])(?:/home/|/Users/|/var/home/|/private/home/|[A-Za-z]:[\\/]+Users[\\/]+)[^\s"',;:]+
    | (?<![\w./])/root(?:/[^\s"',;:]*)?(?![\w])
    | (?<![\w/~])~[A-Za-z0-9._\-]*/[^\s"',;:]*
    """,
    re.VERBOSE,
)
_COMMON = frozenset(
    {"root", "user", "admin", "ubuntu", "debian", "runner", "vscode", "node", "guest", "test", "none", "seed", "python"}
    | {"numpy", "linux", "darwin", "macos", "windows", "localhost", "local", "main", "host", "shardrill", "parity"}
    | {"script", "internal", "actual", "expected", "true", "false", "name", "the", "run", "metrics"}
)
"""Names that many have and that say nothing of anybody; short names are left alone as well."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose names must not be in a document. Empty names are not looked for."""

    user: str = ""
    host: str = ""
    home: str = ""


def identity() -> Identity:
    """The user and machine this program runs for."""
    import getpass
    import platform
    from pathlib import Path

    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # no name for this user id
        user = ""
    try:
        home = str(Path.home())
    except RuntimeError:
        home = ""
    return Identity(user, platform.node().partition(".")[0], home)


def has_secret(text: str) -> bool:
    """Whether something in the text looks like a token, a key or a password."""
    return _SECRET.search(text) is not None


def personal(text: str, who: Identity) -> tuple[Kind, ...]:
    """The kinds of personal data in a text, each once."""
    found: list[Kind] = [kind for kind, pattern in _patterns(who) if pattern.search(text)]
    return tuple(dict.fromkeys(found))


def masked(text: str, who: Identity) -> str:
    """The text with everything personal replaced by HIDDEN."""
    for _, pattern in _patterns(who):
        text = pattern.sub(HIDDEN, text)
    return text


def _patterns(who: Identity) -> list[tuple[Kind, re.Pattern[str]]]:
    found: list[tuple[Kind, re.Pattern[str]]] = [("secret", _SECRET), ("email", _EMAIL)]
    if len(who.home) > 3:
        found.append(("home", re.compile(re.escape(who.home) + r"""(?![\w.\-])[^\s"',;:]*""")))
    found.append(("home", _HOME))
    names: tuple[tuple[Kind, str], ...] = (("user", who.user), ("host", who.host))
    for kind, name in names:
        if len(name) >= 3 and name.lower() not in _COMMON:
            found.append((kind, re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", re.IGNORECASE)))
    return found


__all__ = ["HIDDEN", "Identity", "Kind", "has_secret", "identity", "masked", "personal"]
