"""What is wrong with the settings file, by line and in the learner's language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.settings import Settings, SettingsError, Wrong

OWN_KEYS = N_('lines such as good = "j,3" under [keys]')


def located(error: SettingsError, path: Path) -> str:
    """`settings.toml:3: what is wrong`: the line of the first key that the faults speak of, where one is found."""
    english = " ".join(" ".join(error.faults).split())
    told = told_of(error)
    stated = re.search(r"at line (\d+)", english) if error.wrong and error.wrong[0].kind == "toml" else None
    if stated:
        return f"{path}:{stated[1]}: {told}"
    keys = [wrong.key for wrong in error.wrong if wrong.key]
    line = line_of_key(path, keys) if keys else None  # else the file itself could not be read
    return f"{path}:{line}: {told}" if line else f"{path}: {told}"


def line_of_key(path: Path, keys: list[str]) -> int | None:
    """The first line that sets one of these keys, or opens the table of that name."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return None
    for number, line in enumerate(lines, start=1):
        found = re.match(r"""\s*\[?\s*["']?([^\s"'=#\]]+)["']?\s*[\]=]""", line)
        if found and found[1] in keys:
            return number
    return None


def told_of(error: SettingsError) -> str:
    """All faults in one line. English has the finer words; other languages say the same from the parts."""
    if current() == "en" or not error.wrong:
        return " ".join(" ".join(error.faults).split())
    return " ".join(_told(wrong, english) for wrong, english in zip(error.wrong, error.faults, strict=True))


def _told(wrong: Wrong, english: str) -> str:
    if wrong.kind == "toml":
        return _("This is not valid TOML ({why}). Correct that line.").format(why=wrong.value)
    if wrong.kind == "file":
        return _("This file cannot be read: {why}.").format(why=wrong.value)
    if wrong.kind == "unknown":
        if wrong.meant is None:
            return _("There is no setting {key}; remove that line.").format(key=wrong.key)
        return _("There is no setting {key}; did you mean {meant}?").format(key=wrong.key, meant=wrong.meant)
    words = allowed(wrong.key)
    told = _("{key} is {value}, but allowed is: {allowed}.")
    return told.format(key=wrong.key, value=wrong.value, allowed=words) if words else english


def allowed(key: str) -> str:
    """What a setting may be, in words; empty where it takes more than a line to say."""
    from content.settings import Settings
    from tui import setting_words

    if key == "keys":
        return _(OWN_KEYS)
    if key in setting_words.CHOICES:
        return ", ".join(f'"{choice}"' for choice, _shown in setting_words.CHOICES[key])
    if isinstance(getattr(Settings(), key), bool):
        return "true, false"
    return _(setting_words.ALLOWED.get(key, ""))


def unknown_actions(settings: Settings, path: Path) -> str:
    """A line about own keys of actions that no screen has, with the one that was meant; empty when all is well.

    All screens are imported to know their actions, so this is only worked out for a learner with own keys.
    """
    if not settings.keys:
        return ""
    from content.setting_rules import nearest

    known = known_actions()
    for action in settings.keys:
        if action not in known:
            meant = nearest(action, tuple(sorted(known)))
            told = (
                _("There is no action {action}; Help lists them all.").format(action=action)
                if meant is None
                else _("There is no action {action}; did you mean {meant}?").format(action=action, meant=meant)
            )
            line = line_of_key(path, [action])
            return f"{path}:{line}: {told}" if line else f"{path}: {told}"
    return ""


def known_actions() -> frozenset[str]:
    """The ids of all bindings: what own keys can be given to."""
    import importlib
    import pkgutil

    from textual.binding import Binding

    import tui.screens
    from tui.app import ShardrillApp
    from tui.screens.base import ShardScreen

    for module in pkgutil.iter_modules(tui.screens.__path__):
        importlib.import_module(f"tui.screens.{module.name}")
    owners: list[type[Any]] = [ShardrillApp, ShardScreen]
    found: set[str] = set()
    while owners:
        owner = owners.pop()
        owners += owner.__subclasses__()
        bindings = owner.__dict__.get("BINDINGS", ())
        found |= {binding.id for binding in bindings if isinstance(binding, Binding) and binding.id}
    return frozenset(found)
