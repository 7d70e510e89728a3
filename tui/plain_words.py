"""What a plain session says of itself: its commands, and how it ended."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from tui.words import _, ngettext

if TYPE_CHECKING:
    from content.sitting import Finish


def folded(line: str) -> str:
    """A command as it is compared."""
    return unicodedata.normalize("NFKC", line).strip().casefold()


def help_lines() -> list[str]:
    """The commands of a plain sitting."""
    return [
        _("Enter shows the answer; 1 to 4 and Enter rate it."),
        _("u undo, r redo, s skip, b bury, x suspend, f flag, i source (after the answer)."),
        _("On a drill: type the answer; g shows it; after it t shows the steps, d and a text disputes the verdict."),
        _("n and a text: a private note. en or zh: the language. q quit."),
    ]


def finish_lines(finish: Finish) -> list[str]:
    """Why the sitting ended, and how much was done."""
    why = {
        "enough": _("Enough for today."),
        "all-done": _("All done: nothing more is due today."),
        "limit": _("The day's limit is reached; what is still due waits and is not lost."),
        "no-cards": _("There are no cards: no pack was found."),
        "all-suspended": _("All cards are suspended."),
        "practice": _("Practice is over; the schedule is as it was."),
    }.get(finish.reason, _("Done."))
    lines = [why]
    if finish.answered:
        lines.append(ngettext("{count} answer", "{count} answers", finish.answered).format(count=finish.answered) + ".")
    if finish.tomorrow_count:
        tomorrow = ngettext("Tomorrow: {count} card.", "Tomorrow: {count} cards.", finish.tomorrow_count)
        lines.append(tomorrow.format(count=finish.tomorrow_count))
    return lines
