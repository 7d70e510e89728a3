"""The interface's texts in the learner's language. The English text is its own message id."""

from __future__ import annotations

import gettext
import locale
import os
from pathlib import Path

LANGUAGES = ("en", "zh")

_FOLDER = Path(__file__).parent / "locale"
_translations: dict[str, gettext.NullTranslations] = {"en": gettext.NullTranslations()}
_current = "en"


def set_language(language: str) -> None:
    """Translate into `language` ("en" or "zh") from now on."""
    global _current
    if language not in LANGUAGES:
        raise ValueError(f"{language!r} is not one of {', '.join(LANGUAGES)}")
    if language not in _translations:
        _translations[language] = gettext.translation("shardrill", _FOLDER, [language], fallback=True)
    _current = language


def current() -> str:
    """The language texts are translated into."""
    return _current


def other() -> str:
    """The language that the switch key leads to."""
    return "en" if _current == "zh" else "zh"


def _(message: str) -> str:
    """The text in the current language; the English text where there is no translation."""
    return _translations[_current].gettext(message) if message else ""


def N_(message: str) -> str:  # noqa: N802 - gettext's own name for "mark now, translate when shown"
    """Mark a text that is made before the language is known; pass it through `_` when it is shown."""
    return message


def ngettext(singular: str, plural: str, number: int) -> str:
    """The form that goes with `number`; the caller puts the number in."""
    return _translations[_current].ngettext(singular, plural, number)


def choose_language(asked: str | None, setting: str) -> str:
    """`--lang`, else the setting, else the locale, else English."""
    for wish in (asked, setting):
        if wish in LANGUAGES:
            return str(wish)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := os.environ.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    return "zh" if (locale.getlocale()[0] or "").lower().startswith(("zh", "chinese")) else "en"
