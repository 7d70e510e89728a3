"""The report of a mock exam as a file in the data folder."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from grading.days import date_of, study_day
from tui.exam_desk import cards_of
from tui.words import current

if TYPE_CHECKING:
    from content.exam import ExamSession
    from grading.days import Instant
    from tui.paths import Places

FOLDER = "exams"


def write_report(places: Places, exam: ExamSession, now: Instant) -> Path:
    """Write the report of what was answered so far and return its path. Raises OSError."""
    from content.exam_report import report

    date = date_of(study_day(now, exam.settings.rollover_hour))
    due = tuple(card_id for result in exam.results for card_id in result.made_due)
    names = {card.id: card.called(current()) for card in cards_of(exam.record, due)}
    elapsed_ms = exam.elapsed_ms(now)
    text = report(exam.results, date, current(), elapsed_ms=elapsed_ms, minutes=exam.minutes, names=names)
    zone = datetime.timezone(datetime.timedelta(minutes=now.utc_offset_min))
    clock = datetime.datetime.fromtimestamp(now.at_ms / 1000, zone)
    folder = places.data / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"exam-{clock:%Y-%m-%d-%H%M%S}.md"
    file.write_text(text, encoding="utf-8", newline="\n")
    return file


__all__ = ["FOLDER", "write_report"]
