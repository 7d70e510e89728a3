"""Opening the record in a thread: the file, its daily copy, and the packs in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.errors import FullDisk, LockedRecord, UnwritableRecord
    from content.faults import Fault
    from content.settings import Settings
    from content.store import Record
    from tui.clock import Clock
    from tui.paths import Places


def open_with_packs(places: Places, settings: Settings, clock: Clock) -> tuple[Record, tuple[Fault, ...]]:
    """The open record with every sound pack in it, and the faults of the others.

    Raises the record's own errors, each a sentence that says what to do.
    """
    from content.store import Record

    record = Record.open(places.data, learner=settings.learner, device=settings.device)
    try:
        faults = sync_packs(record, places, clock)
    except BaseException:
        record.close()
        raise
    return record, faults


def open_or_read(
    places: Places, settings: Settings, clock: Clock
) -> tuple[Record, tuple[Fault, ...], LockedRecord | UnwritableRecord | FullDisk | None]:
    """The same; while another program writes the record, or where nothing can be written, the record to read only and
    the reason for it. Raises that reason where there is nothing to read."""
    from content.errors import FullDisk, LockedRecord, RecordError, UnwritableRecord
    from content.store import Record

    try:
        return (*open_with_packs(places, settings, clock), None)
    except (LockedRecord, UnwritableRecord, FullDisk) as reason:
        try:
            record = Record.open(places.data, learner=settings.learner, device=settings.device, read_only=True)
        except RecordError:
            raise reason from None
        return record, (), reason


def sync_packs(record: Record, places: Places, clock: Clock) -> tuple[Fault, ...]:
    """Bring shipped and own packs into the record; an unchanged pack is not parsed again."""
    from content.library import SHIPPED_PACKS
    from content.pack_sync import refresh

    folders = (SHIPPED_PACKS, places.packs)
    found = refresh(record, folders, clock.now().at_ms)
    return tuple(fault for fault in found.faults if not fault.warning)


@contextmanager
def copying(record: Record, settings: Settings, clock: Clock, tell: Callable[[str], None]) -> Iterator[None]:
    """Make this study day's backup beside a sitting; its end waits for the copy. What goes wrong is told, and no more:
    the answers are in the record itself."""

    def copy() -> None:
        try:
            settle_in(record, settings, clock)
        except Exception as error:  # told; the sitting goes on
            from tui import crash

            tell(crash.sentence_going_on(error))

    worker = threading.Thread(target=copy)
    worker.start()
    try:
        yield
    finally:
        worker.join()


def settle_in(record: Record, settings: Settings, clock: Clock) -> None:
    """What waits until the first card is shown: the backup of this study day unless there is one, then room in the log."""
    from content.backup import back_up
    from grading.days import study_day

    if not record.read_only:
        back_up(record, study_day(clock.now(), settings.rollover_hour))
        record.make_room()


def load_drilling() -> None:
    """Import what draws and grades problems (numpy among it), in a thread, so that no key has to wait for it."""
    import numpy  # noqa: F401

    import content.drilling  # noqa: F401
    import tui.widgets.drill_sides  # noqa: F401
