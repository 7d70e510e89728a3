"""Faults of packs as lines for a terminal: the rule's meaning in the learner's language, and nothing that a file's name or
text could do to the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.words import N_, _, current

if TYPE_CHECKING:
    from content.faults import Fault

MEANINGS: dict[str, str] = {
    "alias": N_("a YAML alias"),
    "answer-in-question": N_("the question gives its answer away"),
    "bad-id": N_("not an id"),
    "cloze-marks": N_("the marks of a cloze"),
    "constant-answer": N_("every draw has the same answer"),
    "control-character": N_("a character that cannot be shown"),
    "count": N_("too few or too many"),
    "directive": N_("a YAML directive"),
    "drill-formula": N_("a formula of a drill"),
    "drill-template": N_("a text with places to fill"),
    "drill-test": N_("a drill fails its own test"),
    "drill-units": N_("units that do not fit"),
    "duplicate-id": N_("the same id twice"),
    "duplicate-key": N_("the same key twice"),
    "duplicate-pack": N_("two packs of one id"),
    "duplicate-topic": N_("a topic listed twice"),
    "empty-file": N_("an empty file"),
    "empty-text": N_("an empty text"),
    "empty-value": N_("a key without a value"),
    "file-name": N_("a file that is not read"),
    "hidden-mistake": N_("a mistake that hardly ever shows"),
    "key-not-text": N_("a key that is no word"),
    "lesson-length": N_("the length of a lesson"),
    "long-text": N_("a long text"),
    "merge-key": N_("a merge key"),
    "missing-key": N_("something is missing"),
    "more-than-one-document": N_("two documents in one file"),
    "no-pack-file": N_("no pack.yaml"),
    "not-a-file": N_("not a file"),
    "not-utf-8": N_("not UTF-8"),
    "refers-to-itself": N_("a card that refers to itself"),
    "requires-cycle": N_("cards that require each other in a loop"),
    "syntax": N_("not valid YAML"),
    "tab": N_("a tab"),
    "tag": N_("a YAML tag"),
    "too-deep": N_("too many levels"),
    "too-large": N_("a file that is too large"),
    "too-long": N_("a value that is too long"),
    "too-many-aliases": N_("too many aliases"),
    "too-many-nodes": N_("too many values"),
    "unknown-card": N_("no such card"),
    "unknown-key": N_("no such key"),
    "unknown-kind": N_("no such kind of card"),
    "unknown-topic": N_("no such topic"),
    "unlisted-topic": N_("a topic that pack.yaml does not list"),
    "unquoted-value": N_("a value that needs quotes"),
    "value": N_("a value that is not allowed"),
    "wrong-type": N_("another kind of value is wanted"),
}
"""What the commonest rules are about. English readers see it in what to do; others get it in words of their own."""


def meaning(rule: str) -> str:
    """What a rule is about, for who does not read English; empty in English and for rules that have no words here."""
    return "" if current() == "en" or rule not in MEANINGS else _(MEANINGS[rule])


def named_rule(fault: Fault) -> str:
    """The rule's slug, in other languages with its meaning behind it."""
    about = meaning(fault.rule)
    return _("{rule} ({about})").format(rule=fault.rule, about=about) if about else fault.rule


def fault_line(fault: Fault) -> str:
    """`file:line: rule: what to do`, in other languages with the rule's meaning behind it."""
    mark = _("warning") + ": " if fault.warning else ""
    return printable(f"{fault.file}:{fault.line}: {mark}{named_rule(fault)}: {fault.what_to_do}")


def printable(text: str) -> str:
    """The text on one line: control characters, and the halves that names in another encoding leave, become `�`."""
    return "".join(char if char.isprintable() else "�" for char in text)
