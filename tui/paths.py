"""Where the learner's files are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Places:
    """The folder of the record and the settings file."""

    data: Path
    settings: Path

    @property
    def record(self) -> Path:
        return self.data / "record.sqlite3"

    @property
    def packs(self) -> Path:
        """The learner's own packs."""
        return self.data / "packs"

    @property
    def log(self) -> Path:
        return self.data / "logs" / "shardrill.log"


def find_places(data_dir: str | os.PathLike[str] | None = None) -> Places:
    """`--data-dir`, else `SHARDRILL_HOME`: both move everything. Else the platform's data and config folders."""
    chosen = data_dir or os.environ.get("SHARDRILL_HOME")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
        return Places(folder, folder / "settings.toml")
    import platformdirs

    return Places(
        Path(platformdirs.user_data_dir("shardrill", appauthor=False)),
        Path(platformdirs.user_config_dir("shardrill", appauthor=False)) / "settings.toml",
    )
