"""The start is short because little is imported: a fresh interpreter shows what."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tui.paths import find_places

HEAVY = ("sqlalchemy", "numpy", "yaml", "pydantic", "tomlkit", "babel", "markdown_it")

TODAY = """
import asyncio, json, sys
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.paths import find_places
from content.settings import load

class Watched(ShardrillApp):
    def _begin(self):
        found = sorted({name.partition(".")[0] for name in sys.modules})
        print(json.dumps(found), file=sys.__stdout__)
        self.exit()

places = find_places(sys.argv[1])
async def main():
    async with Watched(places, load(places.settings), lang="zh").run_test() as pilot:
        await pilot.pause()
asyncio.run(main())
"""

FIRST_CARD = """
import asyncio, json, sys
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.paths import find_places
from tui.screens.review import ReviewScreen
from content.settings import load

class Watched(ReviewScreen):
    def next_card(self, now, *, revealed=False):
        super().next_card(now)
        found = sorted({name.partition(".")[0] for name in sys.modules} | {f"screen {type(self.session.item).__name__}"})
        print(json.dumps(found), file=sys.__stdout__)
        self.app.exit()

places = find_places(sys.argv[1])
async def main():
    import tui.screens.review
    tui.screens.review.ReviewScreen = Watched
    async with ShardrillApp(places, load(places.settings), start="review").run_test() as pilot:
        for _ in range(100):
            await pilot.pause(0.02)
asyncio.run(main())
"""

DUE = """
import json, sys
from tui.cli import cli
cli.main(["--data-dir", sys.argv[1], "due"], standalone_mode=False)
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def imported(script: str, folder: Path) -> set[str]:
    done = subprocess.run([sys.executable, "-c", script, str(folder)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_today_is_painted_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    assert not imported(TODAY, tmp_path).intersection({*HEAVY, "click"})


def test_due_imports_neither_the_database_layer_nor_textual(tmp_path: Path) -> None:
    assert not imported(DUE, tmp_path).intersection({*HEAVY, "textual", "rich", "platformdirs"})


def test_the_first_card_comes_up_before_anything_heavy_is_imported(tmp_path: Path) -> None:
    places = find_places(tmp_path)
    places.settings.write_text("drill_per_day = 0\n", encoding="utf-8")
    imported(FIRST_CARD, tmp_path)  # reads the pack for the first time
    found = imported(FIRST_CARD, tmp_path)
    assert {"screen LessonItem", "textual"} <= found
    assert not found.intersection(HEAVY)
