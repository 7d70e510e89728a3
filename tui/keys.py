"""Keys as an input method sends them, folded to the plain keys that bindings name."""

from __future__ import annotations

import unicodedata

from textual import events
from textual.keys import _character_to_key

# Chinese punctuation sits on the keys of these characters and has no compatibility form of its own.
_PUNCTUATION = {"。": ".", "、": "/", "《": "<", "》": ">", "【": "[", "】": "]", "·": "`"}


def plain_key(event: events.Key) -> events.Key:
    """The key that was meant: `１` as `1`, `ｕ` as `u`, `？` as `?`, an ideographic space as Space."""
    character = event.character
    if character is None or len(character) != 1 or character.isascii():
        return event
    folded = _PUNCTUATION.get(character) or unicodedata.normalize("NFKC", character)
    if len(folded) != 1 or not folded.isascii():
        return event
    key = "space" if folded == " " else _character_to_key(folded)
    return events.Key(key, folded)


_NAMES = {
    "enter": "Enter",
    "space": "Space",
    "escape": "Esc",
    "backspace": "Bksp",
    "delete": "Del",
    "tab": "Tab",
    "shift+tab": "S-Tab",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
}


def plainness(key: str) -> tuple[bool, bool]:
    """Sorts the keys of one action: plain keys, then function keys, then Ctrl keys; within each as they were given."""
    return key.startswith("ctrl+"), key[0] == "f" and key[1:].isdigit()


def key_name(key: str) -> str:
    """How a key is written on screen, in ASCII: `Enter`, `^q`, `F3`, `?`."""
    if key in _NAMES:
        return _NAMES[key]
    if key.startswith("ctrl+"):
        return "^" + key_name(key.removeprefix("ctrl+"))
    if key.startswith("shift+"):
        return "S-" + key_name(key.removeprefix("shift+"))
    if key[0] == "f" and key[1:].isdigit():
        return key.upper()
    if len(key) == 1:
        return key
    from textual.keys import _get_unicode_name_from_key

    try:
        return unicodedata.lookup(_get_unicode_name_from_key(key).replace("_", " ").upper())
    except KeyError:
        try:
            return unicodedata.lookup(key.replace("_", " ").upper())
        except KeyError:
            return key
