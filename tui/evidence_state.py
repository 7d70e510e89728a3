"""What the Evidence screen shows: a pack's document, the run that fills it, what speaks against it, what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.recorded import repository, templates
from tui.run_words import reason_text
from tui.words import _

if TYPE_CHECKING:
    from content.cards import Text
    from content.runs_store import Run
    from content.store import Record
    from evidence.document import Filled
    from evidence.privacy import Identity
    from evidence.template import Template
    from tui.paths import Places


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the learner chose: a run by its id, a pack's document, whether changes may be stated. None: the newest, the first."""

    run_id: str | None = None
    pack_id: str | None = None
    allow_changes: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """The document as it stands. With a `refusal` it cannot be written, and `filled` shows how it would be.

    `may_state` says that the refusal goes away when changes may be stated; `runs` are those that some document can use.
    """

    templates: tuple[Template, ...]
    runs: tuple[Run, ...]
    template: Template | None = None
    run: Run | None = None
    filled: Filled | None = None
    refusal: Text | None = None
    may_state: bool = False
    is_false: bool = False


def look(places: Places, record: Record, wanted: Wanted, who: Identity) -> Shown:
    """Read runs, templates and the repository. Starts git: for a thread."""
    from content.runs_store import all_runs
    from evidence.document import concerns, default_template, export, latest_for, preview
    from evidence.errors import ExportRefused
    from evidence.git import Repo

    found = tuple(templates(places))
    runs = tuple(run for run in all_runs(record) if any(concerns(one, run) for one in found))
    run = next((one for one in runs if one.run_id == wanted.run_id), None)
    named = next((one for one in found if one.pack_id == wanted.pack_id), None)
    template = named or default_template(found, runs, run)
    if template is None:
        return Shown(found, runs)
    if run is None or not concerns(template, run):
        run = latest_for(template, runs)
    place = repository(None, run, Path.cwd())
    repo = place if isinstance(place, Repo) else None
    try:
        made = export(template, run, repo, who, allow_dirty=wanted.allow_changes)
    except ExportRefused as refused:
        may_state = False
        if not wanted.allow_changes:
            try:
                export(template, run, repo, who, allow_dirty=True)
                may_state = True
            except ExportRefused:
                pass
        return Shown(found, runs, template, run, preview(template, run), refused.text, may_state)
    return Shown(found, runs, template, run, made.filled, is_false=made.is_false)


def next_step(shown: Shown, lang: str) -> str:
    """What to do next, in one or two sentences."""
    template, run = shown.template, shown.run
    if template is None:
        return _("No pack has an evidence template.")
    lab = template.lab or "weighted-mean"
    command = f"shardrill lab new {lab} -o parity.py"
    if run is None:
        return _("Nothing has run yet. Press l to run the lab; then write your own script: {command}").format(
            command=command
        )
    if run.status != "ok":
        return _("The run failed: {reason}. Mend it and run again, or choose another run with r.").format(
            reason=reason_text(run)
        )
    if shown.refusal is not None:
        told = shown.refusal.of(lang)
        gap = "" if lang == "zh" else " "
        return told + gap + _("Or press a: the document then says so.") if shown.may_state else told
    if run.kind == "lab":
        return _("Now write your own script: {command}; commit it, then: shardrill lab run --script parity.py").format(
            command=command
        )
    if run.commit_sha is None:
        return _("It ran outside a git repository: put the script into one, commit it, and run it again.")
    if shown.is_false:
        return _("A metric came out false, and the document says so. Mend the script and run again, or press x.")
    return _("Everything is filled. Press x to write the file, commit it, and check it with k.")


__all__ = ["Shown", "Wanted", "look", "next_step"]
