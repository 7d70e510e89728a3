"""Why a record cannot be opened, in the learner's language. The record's own errors speak English."""

from __future__ import annotations

from tui.words import _


def told(error: BaseException) -> str:
    """One sentence that says what to do; errors without a translation speak for themselves."""
    kind = type(error).__name__
    facts = {name: getattr(error, name, "") for name in ("folder", "pid", "path", "found", "known", "why")}
    if kind == "LockedRecord":
        if facts["pid"] is not None:
            return _(
                "The record in {folder} is in use by another shardrill (process {pid}); close that one first."
            ).format(**facts)
        return _("The record in {folder} is in use by another shardrill; close that one first.").format(**facts)
    if kind == "NewerRecord":
        return _(
            "{path} has record version {found}, and this program knows versions up to {known}; "
            "it was left as it is: update shardrill to open it."
        ).format(**facts)
    if kind == "UnwritableRecord":
        return _("The data folder {folder} cannot be written ({why}); free it, or choose another one.").format(**facts)
    if kind == "FullDisk":
        return _("The disk is full: {path} could not be written; make room and do the last step again.").format(**facts)
    if kind == "CorruptRecord":
        return _corrupt(error, facts)
    return " ".join(str(error).split())


def _corrupt(error: BaseException, facts: dict[str, object]) -> str:
    readable = [backup for backup in getattr(error, "backups", ()) if backup.attempts is not None]
    backups = ", ".join(backup.date.isoformat() for backup in readable[:7])
    if backups:
        return _("{path} cannot be used: {why}. Restore a backup with: shardrill restore. Backups: {backups}.").format(
            backups=backups, **facts
        )
    return _("{path} cannot be used: {why}. There is no backup; move it away to start with an empty record.").format(
        **facts
    )
