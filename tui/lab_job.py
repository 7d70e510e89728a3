"""One run of a lab in a thread of its own: progress for the screen, a stop that leaves nothing behind, then the record."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from content.store import Record
    from evidence.runs import Desk, Ran

TOLD_EVERY_S = 0.1
"""Progress is told no more often: a screen that is drawn for every step of a lab would be what takes the time."""


class LabJob:
    """Made on the app's side, run once in a thread. Importing the lab, and with it numpy, happens there."""

    def __init__(
        self, lab_id: str, values: Mapping[str, object], seed: int, told: Callable[[float, str], None]
    ) -> None:
        self.lab_id, self.values, self.seed = lab_id, dict(values), seed
        self._told = told
        self._told_at = float("-inf")
        self._stopped = threading.Event()
        self._is_decided = threading.Lock()
        self._is_recording = False

    def stop(self) -> bool:
        """End the run at its next report; False when it is through already and being recorded."""
        with self._is_decided:
            if self._is_recording:
                return False
            self._stopped.set()
            return True

    def run(self, desk: Desk, folder: Path, record: Record | None) -> Ran:
        """Run the lab and append the run to the record, where there is one. `folder` is where the learner works.

        Raises:
            Cancelled: `stop` was called in time; nothing is recorded.
            ParamRefused, RunRefused, NoSuchLab: it cannot be asked so.
        """
        from content.runs_store import add_run
        from evidence.lab import Cancelled
        from evidence.runs import run_lab

        ran = run_lab(self.lab_id, self.values, self.seed, desk, folder=folder, progress=self._report)
        with self._is_decided:
            if self._stopped.is_set():
                raise Cancelled
            self._is_recording = True
        return ran if record is None else replace(ran, run=add_run(record, ran.run))

    def _report(self, share: float, mark: str) -> None:
        from evidence.lab import Cancelled

        if self._stopped.is_set():
            raise Cancelled
        now = time.monotonic()
        if now - self._told_at >= TOLD_EVERY_S:
            self._told_at = now
            self._told(share, mark)


__all__ = ["LabJob"]
