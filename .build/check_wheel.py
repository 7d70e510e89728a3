"""Builds the wheel and fails unless it holds the four packages with their data files, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("tui", "content", "grading", "evidence")
DATA_SUFFIXES = {".md", ".yaml", ".tcss", ".png", ".svg", ".typed", ".tsv"}


def build_wheel(folder: Path) -> Path:
    """Build into `folder`; returns the wheel."""
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return next(folder.glob("*.whl"))


def expected_names() -> set[str]:
    """Every tracked source and data file of the four packages, and one catalogue for each language."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    names = {name for name in listed if Path(name).suffix in DATA_SUFFIXES | {".py"} and (ROOT / name).exists()}
    names |= {
        f"tui/locale/{folder.parent.name}/LC_MESSAGES/shardrill.mo"
        for folder in (ROOT / "tui" / "locale").glob("*/LC_MESSAGES")
    }
    return names


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel(Path(folder))
        with zipfile.ZipFile(wheel) as archive:
            names = {name for name in archive.namelist() if not name.endswith("/")}
    held = {name for name in names if ".dist-info/" not in name}
    expected = expected_names()
    for name in sorted(expected - held):
        print(f"missing from the wheel: {name}")
    for name in sorted(held - expected):
        print(f"should not be in the wheel: {name}")
    if held == expected:
        print(f"the wheel holds {len(held)} files of {', '.join(PACKAGES)} and nothing else")
    return 0 if held == expected else 1


if __name__ == "__main__":
    raise SystemExit(main())
