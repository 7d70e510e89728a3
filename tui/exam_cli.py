"""The command line of exam, table and map. What a command needs is imported in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from tui.cli import Options


@click.command()
@click.option("--count", type=click.IntRange(1, 100), help="A mock exam of so many random questions, with a report.")
@click.option("--minutes", type=click.FloatRange(1, 600), help="The total clock of a mock exam; it ends nothing.")
@click.option("--plain", is_flag=True, help="Line by line, without a screen.")
@click.pass_obj
def exam(options: Options, count: int | None, minutes: float | None, plain: bool) -> int:
    """Answer oral questions, typed or aloud, and mark yourself by their rubric."""
    if not plain:
        from tui.cli import _app

        return _app(options, "exam", count=count, minutes=minutes)
    from tui.demo import demo_places
    from tui.exam_plain import run

    settings = options.settings()
    with demo_places(options, settings) as places:
        return run(places, settings, lang=options.speak(settings.language), count=count, minutes=minutes)


@click.command()
@click.argument("table", required=False, metavar="[ID]")
@click.option("--plain", is_flag=True, help="Line by line, without a screen.")
@click.pass_obj
def table(options: Options, table: str | None, plain: bool) -> int:
    """Recall a table of the page cell by cell; the schedule is not touched."""
    if not plain:
        from tui.cli import _app

        return _app(options, "table", table=table)
    from tui.demo import demo_places
    from tui.table_plain import run

    settings = options.settings()
    with demo_places(options, settings) as places:
        return run(places, settings, lang=options.speak(settings.language), table=table)


@click.command("map")
@click.pass_obj
def map_command(options: Options) -> int:
    """Print the whole page: each topic and node with its chance of recall now, or "new"."""
    from tui.demo import demo_places
    from tui.map_print import print_map

    settings = options.settings()
    with demo_places(options, settings) as places:
        return print_map(places, settings, lang=options.speak(settings.language))


__all__ = ["exam", "map_command", "table"]
