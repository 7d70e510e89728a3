"""Anki desktop on Qt's offscreen platform, to its first question. usage: anki_desktop.py BASE COLLECTION

Needs a Python with `aqt[qt6]`. The first call makes a profile in BASE, whose collection is a link to COLLECTION; later
calls start the program, go to the review screen and print a marker when the first question has been shown.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def make_profile(base: Path, collection: Path) -> None:
    from aqt.profiles import ProfileManager

    base.mkdir(parents=True)
    manager = ProfileManager(base)
    manager.setupMeta()
    manager.create("bench")
    manager.meta.update(firstRun=False, defaultLang="en_US", updates=False)
    manager.load("bench")
    manager.profile["autoSync"] = False
    manager.save()
    (base / "bench").mkdir(exist_ok=True)
    target = base / "bench" / "collection.anki2"
    target.unlink(missing_ok=True)
    target.symlink_to(collection.resolve())


def run(base: Path) -> None:
    import aqt
    from aqt import gui_hooks

    def shown(_card: object) -> None:
        print("FIRST-CARD", flush=True)
        os._exit(0)

    gui_hooks.profile_did_open.append(lambda: aqt.mw.moveToState("review"))
    gui_hooks.reviewer_did_show_question.append(shown)
    sys.argv = ["anki", "-b", str(base), "-p", "bench"]
    aqt.run()


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    os.environ.setdefault("QTWEBENGINE_DISABLE_SANDBOX", "1")
    os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu")
    os.environ.setdefault("ANKI_NOVERIFYSSL", "1")
    folder, file = Path(sys.argv[1]), Path(sys.argv[2])
    if (folder / "prefs21.db").exists():
        run(folder)
    else:
        make_profile(folder, file)
