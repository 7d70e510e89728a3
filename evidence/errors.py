"""What can go wrong with runs and documents on purpose. Each error is one sentence, in both languages, that says what to do."""

from __future__ import annotations

from content.cards import Text


class EvidenceError(Exception):
    """Nothing was run or written; `text` can be shown to the learner."""

    def __init__(self, text: Text) -> None:
        super().__init__(text.en)
        self.text = text


class RunRefused(EvidenceError):
    """What was asked to run cannot be: no such script, no such interpreter, a secret among its arguments."""


class TemplateRefused(EvidenceError):
    """A pack's template or its bindings cannot be used."""


class ExportRefused(EvidenceError):
    """The recorded run does not support a document as things stand."""


__all__ = ["EvidenceError", "ExportRefused", "RunRefused", "TemplateRefused"]
