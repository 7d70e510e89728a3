"""The command line. Everything is imported inside the command that needs it: the start is short."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from tui.exam_cli import exam, map_command, table
from tui.run_cli import evidence, lab

if TYPE_CHECKING:
    from content.settings import Settings
    from tui.paths import Places

OUTPUT_FAILS = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EPIPE)
"""What a write to standard output may end with that is no fault of the program."""
NO, USAGE, REFUSED = 1, 2, 5
"""Exit codes: a check said no; wrong usage, settings or no terminal; data refused."""


def main() -> NoReturn:
    """Run the command line; an error is one sentence on standard error, never a traceback."""
    options = Options()
    try:
        _speak_early()
        sys.exit(cli.main(prog_name="shardrill", standalone_mode=False, obj=options) or 0)
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except click.Abort:
        sys.exit(130)
    except click.ClickException as wrong:
        wrong.show()
        sys.exit(wrong.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        _drop_output()
        sys.exit(NO)
    except OSError as error:
        if error.errno not in OUTPUT_FAILS or error.filename is not None:
            _fail(error, options)
        _drop_output()
        _end(f"shardrill: {error.strerror}", NO)
    except Exception as error:  # the last resort
        _fail(error, options)


def _speak_early() -> None:
    """Choose the language of help and of wrong usage."""
    from tui.cli_words import early_language, speak_chinese
    from tui.paths import find_places

    if early_language(sys.argv[1:], find_places().settings) == "zh":
        speak_chinese(cli)


class Options:
    """What the options before the command say, once they are read."""

    def __init__(self) -> None:
        self.data_dir: str | None = None
        self.lang: str | None = None
        self.demo = False
        self._places: Places | None = None

    @property
    def places(self) -> Places:
        if self._places is None:
            from tui.paths import find_places

            self._places = find_places(self.data_dir)
        return self._places

    def settings(self) -> Settings:
        """The settings; a faulty file ends the program with one line that names file and key."""
        from content import settings

        try:
            loaded = settings.load(self.places.settings)
        except settings.SettingsError as error:
            self.speak()
            from tui.setting_faults import located

            _end(located(error, self.places.settings), USAGE)
        self.speak(loaded.language)
        return loaded

    def speak(self, setting: str = "auto") -> str:
        """Choose the language of what is said from here on; returns it."""
        from tui import words

        words.set_language(words.choose_language(self.lang, setting))
        return words.current()


pass_options = click.make_pass_decorator(Options)


def _version(context: click.Context, _param: click.Parameter, asked: bool) -> None:
    if asked and not context.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"shardrill {version('shardrill')}")
        context.exit()


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--data-dir", type=click.Path(file_okay=False), help="Keep record, packs and settings in this folder.")
@click.option("--lang", type=click.Choice(["en", "zh"]), help="Language of the app and the cards.")
@click.option("--demo", is_flag=True, help="Look around in a throw-away record with 90 days of history.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
@click.pass_context
def cli(context: click.Context, data_dir: str | None, lang: str | None, demo: bool) -> int:
    """Hold the map of distributed training in your head, ten minutes a day.

    Without a command: today's screen in the terminal.
    """
    options = context.ensure_object(Options)
    options.data_dir, options.lang, options.demo = data_dir, lang, demo
    return _app(options, "today") if context.invoked_subcommand is None else 0


@cli.command()
@click.option("--plain", is_flag=True, help="Line by line: for screen readers, pipes and terminals without a screen.")
@pass_options
def review(options: Options, plain: bool) -> int:
    """Review today's cards at once."""
    if not plain:
        return _app(options, "review")
    from tui.demo import demo_places
    from tui.plain import run

    settings = options.settings()
    with demo_places(options, settings) as places:
        return run(places, settings, lang=options.speak(settings.language))


@cli.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a line.")
@pass_options
def due(options: Options, as_json: bool) -> int:
    """Say what is due today; fast enough for a shell prompt."""
    from tui.due import report

    click.echo(report(options.places, options.settings(), as_json))
    return 0


@cli.group()
def pack() -> None:
    """Check and list packs of cards."""


@pack.command("check")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@pass_options
def pack_check(options: Options, path: Path) -> int:
    """Report every fault of the pack in PATH as file:line: rule, and what to do."""
    from tui.commands import check_pack

    options.settings()
    return check_pack(path)


@pack.command("list")
@pass_options
def pack_list(options: Options) -> int:
    """List the packs: where they are and how many cards they have."""
    from tui.commands import list_packs

    options.settings()
    return list_packs(options.places)


@cli.command()
@pass_options
def rebuild(options: Options) -> int:
    """Compute memory anew from the log of answers."""
    from tui.commands import rebuild_memory

    return rebuild_memory(options.places, options.settings())


@cli.command()
@click.option(
    "--from", "source", type=click.Path(exists=True, path_type=Path), help="A copy; else the newest sound one."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_options
def restore(options: Options, source: Path | None, yes: bool) -> int:
    """Put a copy of the record in the place of the record."""
    from tui.commands import restore_record

    options.speak()
    return restore_record(options.places, source, ask=not yes)


@cli.command()
@pass_options
def backup(options: Options) -> int:
    """Make a copy of the record now."""
    from tui.commands import back_up

    return back_up(options.places, options.settings())


@cli.command()
@click.argument("topic", required=False)
@click.option("--disputed", is_flag=True, help="List the verdicts that were disputed instead.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@pass_options
def drills(options: Options, topic: str | None, disputed: bool, as_json: bool) -> int:
    """List the drills: name, parameters, unit and title."""
    if disputed:
        from tui.drill_log import list_disputes

        return list_disputes(options.places, options.settings(), as_json=as_json)
    from tui.drill_commands import list_drills

    options.settings()
    return list_drills(options.places, topic, as_json=as_json)


@cli.command()
@click.argument("topic", required=False)
@click.option("--count", type=click.IntRange(1, 1000), default=10, show_default=True, help="So many problems.")
@click.option("--seed", type=int, help="The same seed gives the same problems.")
@click.option("--plain", is_flag=True, help="Line by line, without a screen.")
@pass_options
def drill(options: Options, topic: str | None, count: int, seed: int | None, plain: bool) -> int:
    """Practise drills of a TOPIC (or one drill by its name, or all); the schedule is not touched."""
    from tui.demo import demo_places
    from tui.drill_log import practice_of

    settings = options.settings()
    with demo_places(options, settings) as places:
        full_topic, drills = practice_of(places, topic, count, seed)
        if not plain:
            return _app(options, "drill", places=places, topic=full_topic, drills=drills)
        from tui.plain import run

        lang = options.speak(settings.language)
        return run(places, settings, lang=lang, topic=full_topic, drills=drills)


@cli.command()
@click.argument("drill")
@click.option("--lower", is_flag=True, help="Also keep new verdicts that are worse than the old ones.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@pass_options
def regrade(options: Options, drill: str, lower: bool, as_json: bool) -> int:
    """Grade the stored answers to a DRILL again, after it was corrected; old and new verdicts are both kept."""
    from tui.drill_log import regrade_drill

    return regrade_drill(options.places, options.settings(), drill, lower=lower, as_json=as_json)


@cli.command()
@click.argument("drill")
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--unknown", metavar="NAME", help="Ask for this parameter instead of the answer.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@pass_options
def solve(options: Options, drill: str, values: tuple[str, ...], unknown: str | None, as_json: bool) -> int:
    """Work out a drill for given values: solve zero-2-memory phi=13B n=8."""
    from tui.drill_commands import solve_drill

    options.settings()
    return solve_drill(options.places, drill, values, unknown=unknown, as_json=as_json)


@cli.command()
@click.argument("drill", required=False)
@click.argument("values", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--answer", help="What was typed.")
@click.option("--expect", help="Grade against this value instead of a drill: '48.75 GB'.")
@click.option("--tolerance", help="With --expect: '1%', 'exact' or 'abs 0.5'.")
@click.option("--unknown", metavar="NAME", help="The parameter that was asked for instead of the answer.")
@click.option(
    "--table", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Grade every row of a table."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@pass_options
def grade(
    options: Options,
    drill: str | None,
    values: tuple[str, ...],
    answer: str | None,
    expect: str | None,
    tolerance: str | None,
    unknown: str | None,
    table: Path | None,
    as_json: bool,
) -> int:
    """Grade a typed answer: grade zero-2-memory phi=13B n=8 --answer 71.5."""
    from tui import drill_commands

    options.settings()
    if table is not None:
        return drill_commands.grade_table(options.places, table)
    if answer is None or (drill is None) == (expect is None):
        from tui.words import _

        raise click.UsageError(_("give a drill or --expect, and --answer; or --table"))
    if expect is not None:
        return drill_commands.grade_value(expect, answer, tolerance, as_json=as_json)
    assert drill is not None
    return drill_commands.grade_drill(options.places, drill, values, answer, unknown=unknown, as_json=as_json)


cli.add_command(lab)
cli.add_command(evidence)
cli.add_command(exam)
cli.add_command(table)
cli.add_command(map_command)


@cli.group()
def settings() -> None:
    """The settings file."""


@settings.command("path")
@pass_options
def settings_path(options: Options) -> None:
    """Print where the settings file is."""
    click.echo(options.places.settings)


def _app(options: Options, start: str, *, places: Places | None = None, **practice: Any) -> int:
    settings = options.settings()
    if not _has_terminal():
        from tui.words import _

        _end(_("shardrill needs a terminal; for pipes and screen readers there is: shardrill review --plain"), USAGE)
    import gc

    gc.disable()  # a seventh of the start is collecting modules that stay; `RecordKeeper` turns it on again
    from tui.app import ShardrillApp
    from tui.setting_faults import unknown_actions

    lang = options.speak(settings.language)
    if wrong := unknown_actions(settings, options.places.settings):
        _end(wrong, USAGE)
    from tui.demo import demo_places

    with contextlib.nullcontext(places) if places is not None else demo_places(options, settings) as used:
        app = ShardrillApp(used, settings, lang=lang, start=start, demo=options.demo)
        app.practice = practice
        app.run()
        return app.return_code or 0


def _has_terminal() -> bool:
    streams = (sys.stdin, sys.stdout)  # None where they were closed
    return all(stream is not None and stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def _drop_output() -> None:
    """Let what is still to be flushed go nowhere; the flush at the end would fail once more."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _end(text: str, code: int) -> NoReturn:
    click.echo(text, err=True)
    sys.exit(code)


def _fail(error: Exception, options: Options) -> NoReturn:
    from tui import crash
    from tui.clock import Clock

    if crash.speaks_for_itself(error):
        _end(crash.sentence(error), REFUSED)
    log = options.places.log
    known = crash.log_error(error, log, f"{Clock('').now().at_ms} ms")
    _end(crash.sentence(error, log if known else None), NO)
