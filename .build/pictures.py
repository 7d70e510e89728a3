"""Takes pictures of the screens: the README's into tui/docs/pictures, or every screen in both languages to look at.

usage: python .build/pictures.py                     # the README's pictures
       python .build/pictures.py --all FOLDER        # every screen, en and zh, at 80x24 and 40x12
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ["SHARDRILL_NOW"] = "2026-11-30T10:00:00+00:00"
os.environ.pop("NO_COLOR", None)

WAYS: dict[str, tuple[str, ...]] = {
    "today": (),
    "question": ("enter", "space"),
    "review": ("enter", "space", "space"),
    "cards": ("c",),
    "drill": ("d", "enter"),
    "exam": ("o",),
    "map": ("m",),
    "evidence": ("e",),
    "labs": ("e", "b"),
    "settings": ("s",),
    "help": ("question_mark",),
    "palette": ("ctrl+p",),
}


async def picture(demo: Path, keys: tuple[str, ...], size: tuple[int, int], lang: str, target: Path) -> None:
    """Go to a screen by keys and save what it shows."""
    from content.settings import Settings
    from tui import words
    from tui.app import ShardrillApp
    from tui.paths import find_places

    words.set_language(lang)
    app = ShardrillApp(find_places(demo), Settings(language=lang, theme="dark"), lang=lang, start="today")
    async with app.run_test(size=size) as pilot:
        await pilot.pause(1.5)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(0.9)
        target.parent.mkdir(parents=True, exist_ok=True)
        app.save_screenshot(target.name, str(target.parent))


async def main(arguments: list[str]) -> None:
    from content.settings import Settings
    from tui.clock import Clock
    from tui.demo import make_demo
    from tui.paths import find_places

    with tempfile.TemporaryDirectory() as folder:
        make_demo(find_places(folder), Settings(), Clock())
        if arguments[:1] == ["--all"]:
            for name, keys in WAYS.items():
                for lang in ("en", "zh"):
                    for size in ((80, 24), (40, 12)):
                        await picture(
                            Path(folder), keys, size, lang, Path(arguments[1]) / f"{name}-{lang}-{size[0]}.svg"
                        )
        else:
            for name in ("today", "review"):
                await picture(
                    Path(folder), WAYS[name], (80, 24), "en", ROOT / "tui" / "docs" / "pictures" / f"{name}.svg"
                )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
