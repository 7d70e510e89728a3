"""Why a record cannot be opened or written, in the learner's language. The record's own errors speak English, and keep
the template they were made from."""

from __future__ import annotations

from tui.words import _


def told(error: BaseException) -> str:
    """One sentence that says what to do; errors without a translation speak for themselves."""
    return " ".join(str(_translated(error, str(error))).split())


def _translated(part: object, otherwise: object) -> object:
    """A sentence or a part of one in the language shown, if it has a template; its own parts likewise."""
    template = getattr(part, "template", None)
    if template is None:
        return otherwise
    facts: dict[str, object] = getattr(part, "facts", {})
    shown = {name: _translated(fact, fact) for name, fact in facts.items()}
    return _(template).format(**shown) if shown else _(template)
