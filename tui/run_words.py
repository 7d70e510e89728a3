"""Runs in the learner's language: why one failed, how its metrics came out, the line that lists it."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING

from tui.words import N_, _

if TYPE_CHECKING:
    from content.runs_store import Metric, Run

_REASONS = {
    "exit-code": N_("it ended with exit code {detail}"),
    "signal": N_("it was ended by signal {detail}"),
    "time-out": N_("it took longer than {detail} s"),
    "too-much-output": N_("it printed more than {detail} bytes"),
    "no-json": N_("its last line is not one JSON object"),
    "no-metrics": N_('its last line names no metrics: {{"metrics": {{"name": true}}}}'),
    "bad-name": N_("a metric or value has the name {detail}: use letters, digits, _ . -"),
    "not-boolean": N_("metric {detail} is neither true nor false"),
    "missing-metric": N_("it did not report {detail}"),
    "bad-seed": N_("the seed it reported is no whole number from 0"),
    "bad-values": N_("the value {detail} is no finite number"),
    "bad-artifacts": N_("artifacts must be a list of paths relative to the repository"),
    "missing-artifact": N_("the artifact {detail} is no file of the repository"),
    "script-changed": N_("{detail} was changed while it ran"),
    "lab-error": N_("the lab broke ({detail}); please report this"),
}


def reason_text(run: Run) -> str:
    """Why the run failed, as part of a sentence; empty when it did not."""
    if run.status == "ok":
        return ""
    words = _REASONS.get(run.reason or "")
    return _(words).format(detail=run.reason_detail or "") if words else str(run.reason)


def metric_text(value: Metric) -> str:
    """A metric's value in words: yes and no are not told apart by colour alone."""
    if isinstance(value, bool):
        return _("true") if value else _("false")
    return f"{value:.6g}"


def state_text(run: Run) -> str:
    """How the run came out, in one or two words."""
    if run.status != "ok":
        return _("failed")
    return _("all true") if run.passed else _("a metric is false")


def run_line(run: Run) -> str:
    """One line for a list of runs: its short id, when (UTC), what, how it came out."""
    when = datetime.datetime.fromtimestamp(run.started_ms / 1000, tz=datetime.UTC).strftime("%Y-%m-%d %H:%M")
    return f"{run.short_id}  {when}  {state_text(run)}  {run.command}"


__all__ = ["metric_text", "reason_text", "run_line", "state_text"]
