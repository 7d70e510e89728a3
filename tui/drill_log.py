"""`shardrill drill`, `regrade` and `drills --disputed`: practice, and what the log holds of answers to drills."""

from __future__ import annotations

import datetime
import json
from typing import TYPE_CHECKING, Any

import click

from content.cards import card_from_json
from content.drill_index import UnknownDrill
from content.queue import DrillRun
from tui.drill_commands import BadUse, index_of
from tui.drill_history import drawn_text, short_reason
from tui.widgets.flow import visible
from tui.words import _, current, ngettext

if TYPE_CHECKING:
    from content.events import NewEvent
    from content.regrading import Disputed, Regraded
    from content.settings import Settings
    from tui.paths import Places


def practice_of(places: Places, name: str | None, count: int, seed: int | None) -> tuple[str | None, DrillRun]:
    """The topic (full id) and the run of drills that a name on the command line asks for.

    Raises BadUse when no topic and no drill has this name.
    """
    index = index_of(places)
    if name is None:
        return None, DrillRun(count, seed)
    of_topic = index.of_topic(name)
    if of_topic:
        return of_topic[0].topic, DrillRun(count, seed)
    try:
        card = index.find(name)
    except UnknownDrill as fault:
        topics = sorted({card.topic.partition("/")[2] for card in index.cards.values()})
        raise BadUse(
            _("there is no topic or drill {name}; topics with drills: {topics}").format(
                name=name, topics=", ".join(topics)
            )
        ) from fault
    return None, DrillRun(count, seed, card.id)


def list_disputes(places: Places, settings: Settings, *, as_json: bool) -> int:
    """Print every disputed verdict with what was asked, typed and said."""
    from content.regrading import disputes
    from content.store import Record

    found: list[Disputed] = []
    if places.record.is_file():
        with Record.open(places.data, learner=settings.learner, read_only=True) as record:
            found = disputes(record)
    if as_json:
        body = {"schema": "shardrill.disputes.v1", "disputes": [_dispute_json(one) for one in found]}
        click.echo(json.dumps(body, ensure_ascii=False))
        return 0
    for one in found:
        typed = f"> {one.response['typed']}  " if one.response.get("typed") else ""
        title = visible(card_from_json(one.body).called(current())) if one.body else ""
        named = "  ".join(part for part in (one.card_id.partition("/")[2], title) if part)
        head = f"{_date(one.attempt)}  {named}  {drawn_text(one.response)}"
        click.echo(f"{head}\n    {typed}{short_reason(str(one.response.get('reason')))}\n    {one.note}")
    click.echo(ngettext("{n} dispute", "{n} disputes", len(found)).format(n=len(found)), err=True)
    return 0


def _dispute_json(one: Disputed) -> dict[str, Any]:
    return {
        "drill": one.card_id.partition("/")[2],
        "pack": one.card_id.partition("/")[0],
        "card_rev": one.attempt.card_rev,
        "attempt": one.attempt.event_id,
        "at_ms": one.attempt.at_ms,
        "note": one.note,
        "rating": one.attempt.rating,
        "response": one.response,
        "question": card_from_json(one.body).to_json() if one.body else None,
    }


def _date(event: NewEvent) -> str:
    zone = datetime.timezone(datetime.timedelta(minutes=event.utc_offset_min))
    return f"{datetime.datetime.fromtimestamp(event.at_ms / 1000, zone):%Y-%m-%d}"


def regrade_drill(places: Places, settings: Settings, name: str, *, lower: bool, as_json: bool) -> int:
    """Grade the stored answers to a drill by its present text, and keep what became better (or, asked for, worse)."""
    from content.regrading import keep, regraded
    from tui.clock import Clock
    from tui.opening import open_with_packs

    try:
        card = index_of(places).find(name)
    except UnknownDrill as fault:
        raise BadUse(str(fault)) from None
    clock = Clock()
    record, _faults = open_with_packs(places, settings, clock)
    with record:
        row = record.card(card.id)
        found = regraded(card, record.events_of(row.card_key)) if row is not None else []
        kept = keep(record, settings, clock.new_event_id, found, clock.now(), lower_too=lower)
    if as_json:
        answers = [_regraded_json(one, one in kept) for one in found]
        click.echo(
            json.dumps({"schema": "shardrill.regrade.v1", "drill": card.id, "answers": answers}, ensure_ascii=False)
        )
        return 0
    for one in found:
        if one.changed or one.why_not:
            click.echo(_regraded_line(one, one in kept))
    click.echo(
        _("{all} answers, {kept} graded anew").format(all=len(found), kept=len(kept))
        + (_("; worse verdicts are kept with --lower") if any(o.lowered and o not in kept for o in found) else ""),
        err=True,
    )
    return 0


def _regraded_line(one: Regraded, kept: bool) -> str:
    from content.drilling import stored

    typed = stored(one.attempt).get("typed", "")
    head = f"{_date(one.attempt)}  > {typed}  {short_reason(one.before)}"
    if one.why_not:
        return f"{head}: {one.why_not}"
    return f"{head} -> {short_reason(one.after)}" + ("" if kept else "  " + _("(not kept: it would be worse)"))


def _regraded_json(one: Regraded, kept: bool) -> dict[str, Any]:
    return {
        "attempt": one.attempt.event_id,
        "before": one.before,
        "after": one.after,
        "lowered": one.lowered,
        "kept": kept,
        "why_not": one.why_not or None,
    }
