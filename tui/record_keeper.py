"""The app's record: opened in a thread, to read only while another window writes it, and tried again when it is needed."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from textual.app import App
from textual.message import Message

from grading.days import study_day
from tui.messages import PackRefused, RecordOpened, RecordRefused

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import RenderableType
    from textual.actions import ActionParseResult
    from textual.dom import DOMNode

    from content.library import Fault
    from content.settings import Settings
    from content.store import Record
    from tui.clock import Clock
    from tui.paths import Places


SETTLE_AFTER_S = 3.0
"""What can wait waits so long: the daily copy of a large record would hold up the first card."""
DAY_LOOK_S = 30.0
"""How often is looked whether another study day has begun while the app stays open: it gets its copy too."""


class RecordUnavailable(Exception):
    """The record cannot be used now. As a text it says why and what to do, in the language shown at that moment."""

    def __init__(self, cause: Exception, log: Path | None = None) -> None:
        super().__init__(cause)
        self.cause, self._log = cause, log

    def __str__(self) -> str:
        from tui import crash

        return crash.sentence_going_on(self.cause, self._log)


def _collect_again() -> None:
    """End the start, in which nothing was collected: what is loaded now stays, and is not looked at again."""
    gc.freeze()
    gc.enable()


def can_be_tried_again(error: Exception) -> bool:
    """Whether it is the record that could not be written, while its file is sound."""
    from content.errors import CorruptRecord, RecordError

    return isinstance(error, RecordError) and not isinstance(error, CorruptRecord)


class RecordKeeper(App[int]):
    """What of the app has to do with the record. `read_only_because` says why it is only read, where it is."""

    places: Places
    settings: Settings
    clock: Clock
    record: Record | None = None
    faults: tuple[Fault, ...] = ()
    record_fault: RecordUnavailable | None = None
    read_only_because: RecordUnavailable | None = None
    _opening: asyncio.Future[None] | None = None
    _refused: Exception | None = None

    def tell(self, make: Callable[[], Message]) -> None:
        """Post a message of its own to every screen that is open."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """A sentence for the learner on whatever screen is on top."""
        raise NotImplementedError

    def keep_error(self, error: BaseException) -> Path | None:
        """Write a traceback into the log and go on. Returns the log; None when it could not be written."""
        raise NotImplementedError

    def open_record(self, *, wait_s: float = 0.0) -> None:
        """Begin to open the record in a thread, once; RecordOpened or RecordRefused tells the screens how it went.

        With `wait_s` nothing is painted for so long meanwhile: a record that opens at once needs no picture of waiting.
        """
        if self._opening is not None:
            return
        self._opening = asyncio.get_running_loop().create_future()
        self._opening.add_done_callback(lambda done: done.exception())
        opener = threading.Thread(target=self._open_in_thread, args=(asyncio.get_running_loop(),), daemon=True)
        opener.start()
        opener.join(wait_s)

    def _open_in_thread(self, loop: asyncio.AbstractEventLoop) -> None:
        from tui.opening import open_or_read

        try:
            result = open_or_read(self.places, self.settings, self.clock)
        except Exception as error:  # told to the learner by _record_failed
            call: Callable[[], None] = lambda error=error: self._record_failed(error)  # type: ignore[misc]  # noqa: E731
        else:
            call = lambda: self._record_ready(*result)  # noqa: E731
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:  # the app was left meanwhile
            return

    def _record_ready(self, record: Record, faults: tuple[Fault, ...], only_read: Exception | None) -> None:
        _collect_again()
        if not self.is_running:
            record.close()
            return
        self.record, self.faults = record, faults
        self.read_only_because = None if only_read is None else RecordUnavailable(only_read)
        assert self._opening is not None
        self._opening.set_result(None)
        self.tell(RecordOpened)
        if faults:
            self.tell(lambda: PackRefused(faults))
        asyncio.get_running_loop().call_later(SETTLE_AFTER_S, self._begin_to_settle, record)

    def _begin_to_settle(self, record: Record, settled_day: int | None = None) -> None:
        """Begin in a thread what can wait: now, and again when the study day has turned or many answers were given."""
        if record is not self.record:
            return
        day = study_day(self.clock.now(), self.settings.rollover_hour)
        if day != settled_day or record.needs_room:
            threading.Thread(target=self._settle_in_thread, args=(record,), daemon=True).start()
        asyncio.get_running_loop().call_later(DAY_LOOK_S, self._begin_to_settle, record, day)

    def _settle_in_thread(self, record: Record) -> None:
        """Room in the log and the daily backup; answers go on meanwhile."""
        from tui.opening import settle_in

        try:
            settle_in(record, self.settings, self.clock)
        except Exception as error:  # told to the learner by the screen on top
            log = self.keep_error(error)
            if self.is_running:
                from tui import crash

                self.call_from_thread(self.say, crash.sentence_going_on(error, log))

    def _record_failed(self, error: Exception) -> None:
        from tui import crash

        _collect_again()
        self._refused = error
        log = None if crash.speaks_for_itself(error) else self.keep_error(error)
        self.record_fault = fault = RecordUnavailable(error, log)
        assert self._opening is not None
        self._opening.set_exception(fault)
        self.tell(lambda: RecordRefused(fault))

    @property
    def open_now(self) -> Record | None:
        """The record, if it is open and can be written."""
        return self.record if self.read_only_because is None else None

    @property
    def can_try_again(self) -> bool:
        """Whether the record was refused for what may be over by now: another window, a full disk."""
        return self._refused is not None and self.is_running and can_be_tried_again(self._refused)

    def try_again(self) -> None:
        """Open the record once more after it was refused; the messages say how it went."""
        self._refused = self._opening = self.record_fault = None
        self.open_record()

    async def need_record(self, *, to_read: bool = False) -> Record:
        """The open record, as soon as there is one. Raises RecordUnavailable when there will be none.

        One that could only be read is tried again here, unless reading is all that is needed: the other window may have
        been closed meanwhile.
        """
        if self.can_try_again:
            self.try_again()
        await self._opened()
        if self.read_only_because is not None and not to_read:
            self._give_up_reading()
            await self._opened()
            if self.read_only_because is not None:
                raise self.read_only_because
        assert self.record is not None
        return self.record

    def exit(self, result: int | None = None, return_code: int = 0, message: RenderableType | None = None) -> None:
        """Leave, whatever the reason (a key, a signal, a lost terminal); what is half typed is stored first."""
        for screen in self.screen_stack:
            keep = getattr(screen, "keep_typed", None)
            if keep is not None and self.record is not None:
                try:
                    keep()
                except Exception as error:  # leaving must not fail; the log has it
                    self.keep_error(error)
        super().exit(result, return_code, message)

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Do an action. What could not be stored (a full disk) is said where it was asked for, and everything stays as
        it was: nothing moves on before it is on the disk."""
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except Exception as error:
            if not can_be_tried_again(error):
                raise
            from tui import crash

            self.say(crash.sentence(error))
            return True

    async def _opened(self) -> None:
        if self.record is None:
            self.open_record()
            assert self._opening is not None
            await asyncio.shield(self._opening)

    def _give_up_reading(self) -> None:
        if self.record is not None:
            self.record.close()
        self.record = self._opening = None
