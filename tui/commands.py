"""Commands that work on the record without a screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from grading.days import study_day
from tui.clock import Clock
from tui.fault_words import fault_line, printable
from tui.words import _, ngettext

if TYPE_CHECKING:
    from content.backup import Backup
    from content.settings import Settings
    from tui.paths import Places

NO = 1


def check_pack(path: Path) -> int:
    """Print every fault as `file:line: rule: what to do`; 1 when the pack cannot be used."""
    from content.library import report_on
    from evidence.lab import lab_ids
    from evidence.template import read_template

    report = report_on(path, sorted(lab_ids()))
    _template, template_faults = read_template(report.folder)
    all_faults = (*report.faults, *template_faults)
    for fault in all_faults:
        click.echo(fault_line(fault))
    counts = _("{name}: {topics} topics, {cards} cards").format(
        name=report.pack_id or path.name, topics=report.topics, cards=report.cards
    )
    faults = sum(not fault.warning for fault in all_faults)
    told = ngettext("{count} fault", "{count} faults", faults).format(count=faults) if faults else _("no faults")
    click.echo(printable(f"{counts}, {told}"), err=True)
    return NO if faults else 0


def list_packs(places: Places) -> int:
    """Print every pack that is found, with its number of cards and its folder."""
    from content.library import SHIPPED_PACKS, find_packs, report_on, same_ids

    found = []
    for pack in find_packs((SHIPPED_PACKS, places.packs)):
        report = report_on(pack.folder, trust=pack.folder.parent == SHIPPED_PACKS)
        state = _("has faults: shardrill pack check {path}").format(path=pack.folder) if report.refused else pack.folder
        told = _("{name}  {cards} cards  {state}").format(
            name=report.pack_id or pack.folder.name, cards=report.cards, state=state
        )
        click.echo(printable(told))
        if report.pack_id:
            found.append((report.pack_id, pack.folder))
    for fault in same_ids(found):
        click.echo(fault_line(fault), err=True)
    if not found:
        click.echo(_("No packs found. Your own go into {folder}").format(folder=places.packs), err=True)
    return 0


def rebuild_memory(places: Places, settings: Settings) -> int:
    """Compute memory anew from the log and say how many cards it concerned."""
    from content.rebuilding import rebuild
    from content.store import Record

    with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
        done = rebuild(record, settings.plan())
    told = ngettext("{count} card computed anew", "{count} cards computed anew", done.cards).format(count=done.cards)
    click.echo(
        _("{told} from {attempts} answers; {changed} were different.").format(
            told=told, attempts=done.attempts, changed=done.changed
        )
    )
    return 0


def back_up(places: Places, settings: Settings) -> int:
    """Make today's copy, or make it again."""
    from content import backup
    from content.store import Record

    with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
        day = study_day(Clock().now(), settings.rollover_hour)
        record.set_meta(backup.LAST_BACKUP_KEY, "")
        path = backup.back_up(record, day)
    click.echo(path)
    return 0


def restore_record(places: Places, source: Path | None, *, ask: bool) -> int:
    """Put a copy in the place of the record, whatever state that is in; the old file is kept beside it."""
    from content import backup

    copies = backup.list_backups(places.data)
    chosen = source or next((copy.path for copy in copies if copy.attempts is not None), None)
    if chosen is None:
        click.echo(
            _("There is no readable copy in {folder}.").format(folder=places.data / backup.BACKUP_FOLDER), err=True
        )
        return NO
    for copy in copies if source is None else []:
        click.echo(_copy_line(copy, copy.path == chosen))
    question = _("Put {path} in the place of the record? The present file is kept beside it.").format(path=chosen)
    if ask and not click.confirm(question):
        click.echo(_("Nothing was changed."))
        return NO
    aside = backup.restore(places.data, chosen)
    click.echo(_("Restored {path}.").format(path=chosen))
    if aside is not None:
        click.echo(_("The former file is {path}.").format(path=aside))
    return 0


def _copy_line(copy: Backup, chosen: bool) -> str:
    inside = (
        _("unreadable")
        if copy.attempts is None
        else ngettext("{count} answer", "{count} answers", copy.attempts).format(count=copy.attempts)
    )
    return f"{'*' if chosen else ' '} {copy.date.isoformat()}  {inside}  {copy.path.name}"
