"""The learner's settings: a frozen value, read from a documented TOML file and written back with its comments."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from content import setting_rules as rules

if TYPE_CHECKING:
    from content.cluster import Cluster
    from grading.schedule import Plan

MAX_BYTES = 1_000_000
"""A settings file is a few kilobytes; what is larger is something else."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One thing that is wrong, in parts, for another language than English. `kind` is "unknown" (then `meant` may name
    the setting that was meant), "value", "toml" or "file" (then `value` says why)."""

    kind: str
    key: str = ""
    value: str = ""
    meant: str | None = None


class SettingsError(Exception):
    """A settings file or change that cannot be used; `faults` holds one sentence per wrong setting, `wrong` their parts."""

    def __init__(self, faults: tuple[str, ...], path: Path | None = None, wrong: tuple[Wrong, ...] = ()) -> None:
        self.faults = faults
        self.path = path
        self.wrong = wrong
        super().__init__((f"{path}: " if path is not None else "") + " ".join(faults))


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default; what each means is in DOCUMENTED, below."""

    language: str = "auto"
    minutes_per_day: int = 20
    exam_date: datetime.date | None = None
    learner: str = "me"
    device: str = "this"
    rollover_hour: int = 4
    new_per_day: int = 20
    drill_per_day: int = 6
    table_per_day: int = 2
    oral_per_day: int = 1
    reviews_per_day: int = 200
    desired_retention: float = 0.90
    maximum_interval_days: int = 36500
    first_interval_cap_days: int = 100
    learning_steps: tuple[str, ...] = ("1m", "10m")
    relearning_steps: tuple[str, ...] = ("10m",)
    leech_lapses: int = 8
    leech_action: str = "mark"
    fuzz: bool = True
    order: str = "mixed"
    review_order: str = "due"
    siblings_apart: bool = True
    space_rates_good: bool = False
    show_intervals: bool = True
    two_buttons: bool = False
    show_time: bool = True
    theme: str = "terminal"
    ascii: bool = False
    animations: bool = False
    keys: Mapping[str, str] = field(default_factory=dict)
    cluster: Cluster | None = None

    def plan(self) -> Plan:
        """What decides intervals, in the scheduler's own units."""
        from grading.schedule import Plan

        return Plan(
            desired_retention=self.desired_retention,
            learning_steps_s=tuple(rules.step_seconds(text) for text in self.learning_steps),
            relearning_steps_s=tuple(rules.step_seconds(text) for text in self.relearning_steps),
            maximum_interval_days=self.maximum_interval_days,
            first_interval_cap_days=self.first_interval_cap_days,
            leech_lapses=self.leech_lapses,
            fuzz=self.fuzz,
            rollover_hour=self.rollover_hour,
        )


DOCUMENTED: dict[str, tuple[rules.Check, str]] = {
    "language": (
        rules.choice("auto", "en", "zh"),
        'Language of app and cards: "auto" (from the locale), "en", "zh".',
    ),
    "minutes_per_day": (
        rules.whole(1, 600, "minutes"),
        "Minutes to study a day; they decide how many new cards come.",
    ),
    "exam_date": (rules.exam_date, "Date of your interview or exam, if there is one (year-month-day)."),
    "learner": (rules.name, "Whose record this is; a shared record holds several learners."),
    "device": (rules.name, "What this machine is called in the log of answers."),
    "rollover_hour": (rules.whole(0, 23, "local hour"), "The local hour at which a new study day starts."),
    "new_per_day": (rules.whole(0, 9999, "cards"), "New cards a day at most, whatever the minutes allow."),
    "drill_per_day": (
        rules.whole(0, 9999, "drills"),
        "New drills a day at most; they come in the minutes that cards leave.",
    ),
    "table_per_day": (rules.whole(0, 99, "tables"), "Tables a day at most, due and new together."),
    "oral_per_day": (
        rules.whole(0, 99, "questions"),
        "Oral questions a day at most, due and new together; each is asked as a skeleton.",
    ),
    "reviews_per_day": (rules.whole(0, 9999, "cards"), "Due reviews a day at most; the rest waits and is not lost."),
    "desired_retention": (
        rules.retention,
        (
            "Wanted chance to recall a card when it comes due, 0.70 to 0.97. Higher means more reviews:\n"
            "at 0.95 cards come back about 2.5 times as soon as at 0.90, at 0.80 about 3 times as late."
        ),
    ),
    "maximum_interval_days": (rules.whole(1, 36500, "days"), "No card waits longer than this."),
    "first_interval_cap_days": (
        rules.whole(1, 36500, "days"),
        "No card waits longer than this the first time it leaves its learning steps.",
    ),
    "learning_steps": (rules.steps, "Times after which a new card comes back on its first day (units s, m, h)."),
    "relearning_steps": (rules.steps, "The same for a card that was forgotten."),
    "leech_lapses": (
        rules.whole(1, 99, "lapses"),
        "So many lapses mark a card as a leech, and again every half as many.",
    ),
    "leech_action": (rules.choice("mark", "suspend"), 'What happens to a leech: "mark" only, or "suspend" it as well.'),
    "fuzz": (rules.flag, "Spread due days a little, so that cards learnt together do not stay together."),
    "order": (
        rules.choice("mixed", "reviews-first", "new-first"),
        'Order of reviews and new cards: "mixed", "reviews-first", "new-first".',
    ),
    "review_order": (
        rules.choice("due", "easiest"),
        'Order of reviews: "due" (longest overdue first) or "easiest" (likeliest remembered first).',
    ),
    "siblings_apart": (rules.flag, "Show only one of the cards made from one text a day."),
    "space_rates_good": (rules.flag, "Space on the answer means Good."),
    "show_intervals": (rules.flag, "Show on each rating button when the card would come back."),
    "two_buttons": (rules.flag, "Offer only Again and Good."),
    "show_time": (rules.flag, "Show the time of the sitting above the card; the key w hides it for the moment."),
    "theme": (rules.choice("terminal", "dark", "light"), 'Colours: "terminal" (your own), "dark", "light".'),
    "ascii": (rules.flag, "Draw bars and lines with ASCII characters only."),
    "animations": (rules.flag, "Let screens slide and fade."),
    "keys": (rules.bindings, 'Your own keys, action = "key,key"; the Help screen lists the actions.'),
    "cluster": (
        rules.cluster,
        (
            "Your own cluster: drills draw from it, and `solve` takes it for what is not given. Speeds are one way per card,\n"
            "inside a node and between nodes."
        ),
    ),
}
"""Every setting: how its value is checked, and the comment above it in the file."""

TABLES = ("keys", "cluster")
"""Settings that are tables of their own in the file; they come after all others."""

assert set(DOCUMENTED) == {f.name for f in fields(Settings)}


def from_values(values: Mapping[str, object], base: Settings | None = None, path: Path | None = None) -> Settings:
    """Settings with these values over the base (the defaults); SettingsError names every fault at once."""
    good: dict[str, Any] = {}
    faults: list[str] = []
    wrong: list[Wrong] = []
    for key, value in values.items():
        if key not in DOCUMENTED:
            meant = rules.nearest(key, tuple(DOCUMENTED))
            hint = f'did you mean "{meant}"?' if meant else "remove that line, or see the Help screen for all settings."
            faults.append(f"There is no setting {rules.shown(key)}: {hint}")
            wrong.append(Wrong("unknown", key, meant=meant))
            continue
        try:
            good[key] = DOCUMENTED[key][0](value)
        except rules.NotAllowedError as why:
            faults.append(f"{key} is {rules.shown(value)}, but {why}" + ("" if str(why).endswith("?") else "."))
            wrong.append(Wrong("value", key, rules.shown(value)))
    if faults:
        raise SettingsError(tuple(faults), path, tuple(wrong))
    return replace(base or Settings(), **good)


def load(path: Path) -> Settings:
    """The settings in this file; the defaults when there is none. Raises SettingsError, never guesses."""
    text = _read(path)
    if text is None:
        return Settings()
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        told = f"This is not valid TOML: {error}. Correct that line."
        raise SettingsError((told,), path, (Wrong("toml", value=str(error)),)) from error
    return from_values(values, path=path)


def save(path: Path, changes: Mapping[str, object]) -> Settings:
    """Write changed settings into the file, keeping its comments and layout; returns what now holds.

    A value of None takes the setting back to its default. The file is replaced in one step: a crash leaves either the
    old or the new one. Raises SettingsError (and writes nothing) when a change or the present file is faulty.
    """
    import tomlkit

    present = load(path)
    given = {key: value for key, value in changes.items() if value is not None}
    default = Settings()
    dropped = {key: getattr(default, key) for key, value in changes.items() if value is None and key in DOCUMENTED}
    unknown = {key: None for key in changes if key not in DOCUMENTED}
    changed = replace(from_values({**given, **unknown}, base=present, path=path), **dropped)
    document = tomlkit.parse(_read(path) or default_text())
    for key in changes:
        if changes[key] is None or (key in TABLES and not getattr(changed, key)):
            document.pop(key, None)
        else:
            _put(document, key, _toml_value(getattr(changed, key)))
    _write(path, tomlkit.dumps(document))
    return changed


def default_text() -> str:
    """A settings file with every setting at its default, each explained by the comment above it."""
    lines = ["# Settings of shardrill. Change a value and start the app again; a deleted line means its default."]
    for f in fields(Settings):
        if f.name in TABLES:
            continue
        lines.append("")
        lines += [f"# {line}" for line in DOCUMENTED[f.name][1].splitlines()]
        value = getattr(Settings(), f.name)
        lines.append("# exam_date = 2026-12-31" if value is None else f"{f.name} = {_toml_text(value)}")
    lines += ["", f"# {DOCUMENTED['keys'][1]}", "# [keys]", '# good = "j,3"']
    lines += ["", *(f"# {line}" for line in DOCUMENTED["cluster"][1].splitlines()), "# [cluster]"]
    lines += ["# cards = 8", '# gpu = "H800"', "# node_gb_s = 160", "# net_gb_s = 50", "# memory_gb = 80", ""]
    return "\n".join(lines)


def _toml_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{item}"' for item in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _toml_value(value: object) -> object:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return value.values() if hasattr(value, "values") else value


def _put(document: Any, key: str, value: object) -> None:
    """Set a key; one that is new in a file with tables must come before the first table to belong to no table."""
    if key in document or key in TABLES or not any(name in document for name in TABLES):
        document[key] = value
        return
    own = {name: document.pop(name) for name in TABLES if name in document}
    document[key] = value
    for name, table in own.items():
        document[name] = table


def _read(path: Path) -> str | None:
    try:
        if path.exists() and not path.is_file():
            raise _unreadable(path, "it is not a file")
        if path.exists() and path.stat().st_size > MAX_BYTES:
            raise _unreadable(path, f"it is larger than {MAX_BYTES} bytes")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"byte {error.start + 1} is not UTF-8") from error


def _unreadable(path: Path, why: str) -> SettingsError:
    return SettingsError((f"This file cannot be read: {why}.",), path, (Wrong("file", value=why),))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
