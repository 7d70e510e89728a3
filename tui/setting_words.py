"""How each setting is called on screen, how its value is written and read there."""

from __future__ import annotations

import datetime
import unicodedata
from typing import TYPE_CHECKING

from tui.words import N_, _

if TYPE_CHECKING:
    from content.settings import Settings

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        N_("Study"),
        (
            *("minutes_per_day", "exam_date", "new_per_day", "drill_per_day", "table_per_day", "oral_per_day"),
            *("reviews_per_day", "order", "review_order", "cluster"),
        ),
    ),
    (N_("Answering"), ("space_rates_good", "two_buttons", "show_intervals", "show_time", "siblings_apart")),
    (N_("Looks"), ("language", "theme", "ascii", "animations")),
    (
        N_("Scheduling"),
        (
            *("desired_retention", "learning_steps", "relearning_steps", "first_interval_cap_days"),
            *("maximum_interval_days", "leech_lapses", "leech_action", "fuzz", "rollover_hour"),
        ),
    ),
    (N_("Record"), ("learner", "device", "keys")),
)

LABELS: dict[str, str] = {
    "minutes_per_day": N_("Minutes a day"),
    "exam_date": N_("Interview or exam on"),
    "new_per_day": N_("New cards a day, at most"),
    "drill_per_day": N_("New drills a day, at most"),
    "table_per_day": N_("Tables a day, at most"),
    "oral_per_day": N_("Oral questions a day, at most"),
    "reviews_per_day": N_("Reviews a day, at most"),
    "cluster": N_("My cluster"),
    "order": N_("Order"),
    "review_order": N_("Order of reviews"),
    "space_rates_good": N_("Space rates Good"),
    "two_buttons": N_("Only Again and Good"),
    "show_intervals": N_("Intervals on the buttons"),
    "show_time": N_("Time of the sitting"),
    "siblings_apart": N_("Sibling cards on different days"),
    "language": N_("Language"),
    "theme": N_("Colours"),
    "ascii": N_("ASCII signs only"),
    "animations": N_("Animations"),
    "desired_retention": N_("Wanted recall"),
    "learning_steps": N_("Learning steps"),
    "relearning_steps": N_("Steps after a lapse"),
    "first_interval_cap_days": N_("First interval, at most (days)"),
    "maximum_interval_days": N_("Any interval, at most (days)"),
    "leech_lapses": N_("Lapses that mark a leech"),
    "leech_action": N_("A leech is"),
    "fuzz": N_("Spread due days a little"),
    "rollover_hour": N_("A day starts at (hour)"),
    "learner": N_("Learner"),
    "device": N_("This machine"),
    "keys": N_("Own keys"),
}

ALLOWED: dict[str, str] = {
    "minutes_per_day": N_("a whole number from 1 to 600"),
    "exam_date": N_("a date such as 2026-12-31, or nothing"),
    "new_per_day": N_("a whole number from 0 to 9999"),
    "drill_per_day": N_("a whole number from 0 to 9999"),
    "table_per_day": N_("a whole number from 0 to 99"),
    "oral_per_day": N_("a whole number from 0 to 99"),
    "reviews_per_day": N_("a whole number from 0 to 9999"),
    "cluster": N_("a cluster such as 8 x H800, 160/50 GB/s, 80 GB, or nothing"),
    "desired_retention": N_("a number from 0.70 to 0.97"),
    "learning_steps": N_("times such as 1m 10m (s, m, h), each shorter than a day"),
    "relearning_steps": N_("times such as 1m 10m (s, m, h), each shorter than a day"),
    "first_interval_cap_days": N_("a whole number from 1 to 36500"),
    "maximum_interval_days": N_("a whole number from 1 to 36500"),
    "leech_lapses": N_("a whole number from 1 to 99"),
    "rollover_hour": N_("a whole number from 0 to 23"),
    "learner": N_("a name of 1 to 64 characters"),
    "device": N_("a name of 1 to 64 characters"),
}

CHOICES: dict[str, tuple[tuple[str, str], ...]] = {
    "language": (("auto", N_("as the system")), ("en", "English"), ("zh", "中文")),
    "theme": (("terminal", N_("the terminal's own")), ("dark", N_("dark")), ("light", N_("light"))),
    "order": (
        ("mixed", N_("mixed")),
        ("reviews-first", N_("reviews first")),
        ("new-first", N_("new first")),
    ),
    "review_order": (("due", N_("longest overdue first")), ("easiest", N_("likeliest remembered first"))),
    "leech_action": (("mark", N_("marked")), ("suspend", N_("marked and suspended"))),
}

EXPLAINED: dict[str, str] = {
    "minutes_per_day": N_("Minutes to study a day; they decide how many new cards come."),
    "exam_date": N_("Date of your interview or exam, if there is one (year-month-day)."),
    "new_per_day": N_("New cards a day at most, whatever the minutes allow."),
    "drill_per_day": N_("New drills a day at most; they come in the minutes that cards leave."),
    "table_per_day": N_("Tables a day at most, due and new together."),
    "oral_per_day": N_("Oral questions a day at most, due and new together; each is asked as a skeleton."),
    "cluster": N_(
        "Drills draw from it and solve takes it for what is not given. Speeds are one way per card, in and between nodes."
    ),
    "reviews_per_day": N_("Due reviews a day at most; the rest waits and is not lost."),
    "order": N_("How reviews and new cards follow each other."),
    "review_order": N_("Which reviews come first when there are many."),
    "space_rates_good": N_("Space on the answer means Good."),
    "two_buttons": N_("Offer only Again and Good."),
    "show_intervals": N_("Show on each rating button when the card would come back."),
    "show_time": N_("Show the time of the sitting above the card; the key w hides it for the moment."),
    "siblings_apart": N_("Show only one of the cards made from one text a day."),
    "language": N_("Language of app and cards; F3 switches for the moment."),
    "theme": N_("Colours carry no meaning; choose what reads best."),
    "ascii": N_("Draw bars and lines with ASCII characters only."),
    "animations": N_("Let screens slide and fade."),
    "desired_retention": N_(
        "Wanted chance to recall a card when it comes due. Higher means more reviews: at 0.95 cards come back about "
        "2.5 times as soon as at 0.90, at 0.80 about 3 times as late."
    ),
    "learning_steps": N_("Times after which a new card comes back on its first day."),
    "relearning_steps": N_("The same for a card that was forgotten."),
    "first_interval_cap_days": N_("No card waits longer than this the first time it leaves its learning steps."),
    "maximum_interval_days": N_("No card waits longer than this."),
    "leech_lapses": N_("So many lapses mark a card as a leech, and again every half as many."),
    "leech_action": N_("What happens to a card that is forgotten again and again."),
    "fuzz": N_("Cards learnt together do not stay together."),
    "rollover_hour": N_("The local hour at which a new study day starts."),
    "learner": N_("Whose record this is; a shared record holds several learners."),
    "device": N_("What this machine is called in the log of answers."),
    "keys": N_('Lines such as good = "j,3" under [keys] in the settings file; Help lists the actions.'),
}


def value_text(settings: Settings, name: str) -> str:
    """The value as the list shows it."""
    value = getattr(settings, name)
    if name == "keys":
        return str(len(value)) if value else _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if name in CHOICES:
        return _(dict(CHOICES[name]).get(value, value))
    return edit_text(settings, name) or _("none")


def edit_text(settings: Settings, name: str) -> str:
    """The value as one types it."""
    value = getattr(settings, name)
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, tuple):
        return " ".join(value)
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def typed_value(name: str, typed: str) -> object:
    """What was typed, as the kind of value the setting takes; left as text where it cannot be one."""
    text = unicodedata.normalize("NFKC", typed).strip()
    if name in {"learner", "device"}:
        return typed.strip()
    if name == "cluster":
        return text
    if name in {"learning_steps", "relearning_steps"}:
        return text.replace(",", " ").replace("、", " ").split()
    if name == "exam_date":
        return date_text_of(text)
    try:
        return float(text) if name == "desired_retention" else int(text)
    except ValueError:
        return text


def date_text_of(text: str) -> str:
    """`2027/1/5`, `2027.1.5`, `2027年1月5日` as `2027-01-05`; anything else as it is."""
    for sign in "/.年月":
        text = text.replace(sign, "-")
    parts = [part.strip() for part in text.replace("日", "").split("-")]
    if len(parts) == 3 and all(part.isascii() and part.isdigit() for part in parts):
        year, month, day = (int(part) for part in parts)
        return f"{year:04d}-{month:02d}-{day:02d}"
    return text


def next_choice(settings: Settings, name: str) -> object:
    """The value after the present one, of a setting that has a few."""
    value = getattr(settings, name)
    if isinstance(value, bool):
        return not value
    names = [choice for choice, _shown in CHOICES[name]]
    return names[(names.index(value) + 1) % len(names)]


def is_choice(settings: Settings, name: str) -> bool:
    """Whether Enter steps through the values of this setting; the others are typed."""
    return name in CHOICES or isinstance(getattr(settings, name), bool)
