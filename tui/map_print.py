"""`shardrill map`: the whole page as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tui import words
from tui.clock import Clock

if TYPE_CHECKING:
    from content.settings import Settings
    from tui.paths import Places


def print_map(places: Places, settings: Settings, *, lang: str, clock: Clock | None = None) -> int:
    """Print each topic and node with its chance of recall now, or "new". Raises the record's own errors."""
    from content.map_data import course_map
    from tui.map_words import printed
    from tui.opening import open_with_packs

    words.set_language(lang)
    clock = clock or Clock()
    record, _faults = open_with_packs(places, settings, clock)
    with record:
        course = course_map(record, settings, clock.now())
    for line in printed(course):
        click.echo(line)
    return 0


__all__ = ["print_map"]
