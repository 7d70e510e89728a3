"""The installed program in real terminals; the report's header says in which."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"e2e_{name}", Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


terminal = _load("terminal")


def pytest_report_header() -> str:
    return f"e2e terminals: {', '.join(terminal.TERMINALS)}"


@pytest.fixture(scope="session")
def ready_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the packs read in and the first questions answered; tests copy it."""
    home: Path = tmp_path_factory.mktemp("ready")
    (home / "settings.toml").write_text('language = "en"\n', encoding="utf-8")
    subprocess.run(
        [terminal.COMMAND, "review", "--plain"],
        input="q\n",
        env=terminal.environment(home),
        text=True,
        check=True,
        capture_output=True,
    )
    return home


@pytest.fixture
def home(ready_home: Path, tmp_path: Path) -> Path:
    """A copy of the ready data folder."""
    return Path(shutil.copytree(ready_home, tmp_path / "home"))


@pytest.fixture(params=list(terminal.TERMINALS))
def start(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Starts the program with arguments in a terminal of the parameter's kind; all are closed at the end."""
    opened: list[Any] = []

    def starter(
        home: Path, *arguments: str, command: list[str] | None = None, size: tuple[int, int] = (80, 24), **env: str
    ) -> Any:
        line = command or [str(terminal.COMMAND), *arguments]
        made = terminal.TERMINALS[request.param](line, terminal.environment(home, **env), *size)
        opened.append(made)
        return made

    yield starter
    for one in opened:
        one.close()


@pytest.fixture
def log() -> Callable[[Path], list[tuple[str, int | None]]]:
    """Reads (kind, rating) of every event in a data folder's record, as another program sees the file."""

    def read(home: Path) -> list[tuple[str, int | None]]:
        import sqlite3

        connection = sqlite3.connect(home / "record.sqlite3")
        try:
            return connection.execute("SELECT kind, rating FROM event ORDER BY event_id").fetchall()
        finally:
            connection.close()

    return read


@pytest.fixture
def ended_by() -> Callable[[Any, int], None]:
    """Ends the program in a terminal by a signal."""

    def end(term: Any, number: int) -> None:
        os.kill(term.pid, number)

    return end
