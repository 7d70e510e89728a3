"""What labs and documents need of this machine: the runs of the record, the packs' templates, the learner's repository."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tui.clock import Clock

if TYPE_CHECKING:
    from content.runs_store import Run
    from content.settings import Settings
    from evidence.git import Repo, Why
    from evidence.runs import Desk
    from evidence.template import Template
    from tui.paths import Places

_TRIES, _PAUSE_S = 50, 0.2


def desk(clock: Clock) -> Desk:
    """The clock and the names of this machine, for `evidence.runs`."""
    from evidence.privacy import identity
    from evidence.runs import Desk

    return Desk(lambda: clock.now().at_ms, clock.new_event_id, identity())


def recorded_runs(places: Places, settings: Settings) -> list[Run]:
    """The learner's runs, the newest first; none where there is no record yet. The record is only read."""
    from content.errors import OlderRecord
    from content.runs_store import all_runs
    from content.store import Record

    if not places.record.exists():
        return []
    try:
        with Record.open(places.data, learner=settings.learner, device=settings.device, read_only=True) as record:
            return all_runs(record)
    except OlderRecord:  # bring it up to date once
        with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
            return all_runs(record)


def see_that_it_can_be_recorded(places: Places, settings: Settings) -> None:
    """Raise now what would keep a run from being recorded afterwards. The record is not held during the run."""
    from content.store import Record

    Record.open(places.data, learner=settings.learner, device=settings.device).close()


def record_run(places: Places, settings: Settings, run: Run) -> Run:
    """Append a run to the record, waiting some seconds for another shardrill to finish with it; the run as recorded."""
    from content.errors import LockedRecord
    from content.runs_store import add_run
    from content.store import Record

    tries_left = _TRIES
    while True:
        try:
            with Record.open(places.data, learner=settings.learner, device=settings.device) as record:
                return add_run(record, run)
        except LockedRecord:
            tries_left -= 1
            if not tries_left:
                raise
            time.sleep(_PAUSE_S)


def templates(places: Places) -> list[Template]:
    """The evidence templates of the shipped and the learner's own packs."""
    from content.library import SHIPPED_PACKS
    from evidence.template import find_templates

    return find_templates((SHIPPED_PACKS, places.packs))


def repository(named: Path | None, run: Run | None, other: Path) -> Repo | Why:
    """The repository that was named, else the one the run says it was made in, else the one `other` lies in."""
    from evidence.git import Repo, find_repo

    if named is not None:
        return find_repo(named)
    if run is not None and run.repo_folder and Path(run.repo_folder).is_dir():
        found = find_repo(Path(run.repo_folder))
        if isinstance(found, Repo):
            return found
    return find_repo(other)


__all__ = ["desk", "record_run", "recorded_runs", "repository", "see_that_it_can_be_recorded", "templates"]
