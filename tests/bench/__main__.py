"""Every figure of the app beside its peers', measured in turn in one run, printed as one table.

usage: python tests/bench [first-paint] [answer] [rebuild] [memory] [--sizes 100,100000,1000000] [--runs 11]
First build what is measured: python tests/bench/records.py 100 100000 1000000
AQT_PYTHON names a Python that has `aqt[qt6]`; without it the row of Anki desktop is left out and said so.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from anki_collection import anki_file
from shardrill_record import set_limits, settle, shardrill_folder
from timing import DATA, HERE, PYTHON, Sample, machine_line, until_marker

from content import sqlite

SHARDRILL = str(Path(sys.executable).parent / "shardrill")
HAS_ANKI = importlib.util.find_spec("anki") is not None
FLOOR_BYTES, PAGES = 4096, 6
ROWS: list[tuple[str, str, str, str]] = []
Run = Callable[[], tuple[float, float]]


def row(what: str, figure: str, against: str = "", target: str = "") -> None:
    ROWS.append((what, figure, against, target))
    print(f"{what:<62} {figure:<32} {against:<34} {target}", flush=True)


def work_copy(source: Path, name: str, *, packs: bool = True) -> Path:
    """A copy that may be changed; the built files stay as they are. Without `packs` its log alone is what is measured."""
    target = DATA / "work" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target)
        if packs:
            settle(target)
    else:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{target}{suffix}").unlink(missing_ok=True)
        shutil.copyfile(source, target)
    os.sync()  # gigabytes still on their way to the disk would be measured with whatever comes next
    return target


def in_turn(runs: int, **jobs: Run) -> dict[str, tuple[Sample, Sample]]:
    """A B C, A B C, ...: the same drift of the machine hits all. First round not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    peaks: dict[str, list[float]] = {name: [] for name in jobs}
    for k in range(runs + 1):
        for name, job in jobs.items():
            at_s, peak_mib = job()
            if k:
                seconds[name].append(at_s)
                peaks[name].append(peak_mib)
    return {name: (Sample(tuple(seconds[name])), Sample(tuple(peaks[name]))) for name in jobs}


def paired(a: Sample, b: Sample) -> float:
    return statistics.median(x / y for x, y in zip(a.values, b.values, strict=True))


def first_paint(sizes: list[int], runs: int) -> None:
    """Start to first paint of Today and to the first question, against a bare app and Anki's library and desktop."""
    bare = [PYTHON, str(HERE / "bare_app.py")]
    jobs: dict[str, Run] = {"bare": lambda: until_marker(bare, b"MARK-FIRST-PAINT", on_terminal=True)}
    desktop = _desktop_job(sizes)
    if desktop:
        jobs["desktop"] = desktop
    for n in sizes:
        folder = work_copy(shardrill_folder(n), f"paint_{n}")
        jobs[f"today_{n}"] = lambda f=folder: until_marker(
            [SHARDRILL, "--data-dir", str(f)], b"Enter", on_terminal=True
        )  # type: ignore[misc]
        jobs[f"review_{n}"] = lambda f=folder: until_marker(  # type: ignore[misc]
            [SHARDRILL, "--data-dir", str(f), "review"], b"Question ", on_terminal=True
        )
        if HAS_ANKI:
            copy = work_copy(anki_file(n), f"paint_{n}.anki2")
            command = [PYTHON, str(HERE / "anki_peer.py"), "first-card", str(copy)]
            jobs[f"anki_{n}"] = lambda c=command: until_marker(c, b"FIRST-CARD", on_terminal=False)  # type: ignore[misc]
    result = in_turn(runs, **jobs)
    bare_s = result["bare"][0]
    row("bare Textual app, first paint", f"{bare_s.median * 1e3:.0f} ms [{bare_s.spread(1e3)}]")
    for n in sizes:
        today, question = result[f"today_{n}"], result[f"review_{n}"]
        row(f"Today, first paint, {n:,} cards", _ms(today[0]), f"{paired(today[0], bare_s):.2f}x bare", "<= 1.3x")
        row(
            f"review, first question, {n:,} cards",
            _ms(question[0]),
            f"{paired(question[0], bare_s):.2f}x bare",
            "<= 2.0x",
        )
        row(f"peak memory after the first question, {n:,} cards", f"{question[1].median:.0f} MiB", "", "<= 100 MB")
        if HAS_ANKI:
            peer = result[f"anki_{n}"][0]
            row(
                f"anki package, open and first card, {n:,} notes",
                _ms(peer),
                f"review is {paired(question[0], peer):.2f}x of it",
            )
    if desktop:
        peer = result["desktop"][0]
        largest = result[f"review_{sizes[-1]}"][0]
        row(
            "Anki desktop (offscreen), first question",
            _ms(peer),
            f"review is {paired(largest, peer):.2f}x of it",
            "<= 0.55x",
        )
    else:
        row("Anki desktop (offscreen), first question", "not measured: AQT_PYTHON names no Python with aqt")
    for name in ("today", "review"):
        growth = paired(result[f"{name}_{sizes[-1]}"][0], result[f"{name}_{sizes[0]}"][0])
        row(f"{name}: {sizes[-1]:,} cards against {sizes[0]:,}", f"{growth:.3f}x", "", "within 10 %")


def _ms(sample: Sample) -> str:
    return f"{sample.median * 1e3:.0f} ms [{sample.spread(1e3)}]"


def _desktop_job(sizes: list[int]) -> Run | None:
    python = os.environ.get("AQT_PYTHON", "")
    if not (python and Path(python).exists() and HAS_ANKI):
        return None
    n = sizes[min(1, len(sizes) - 1)]
    collection = work_copy(anki_file(n), f"desktop_{n}.anki2")
    base = DATA / "work" / f"desktop_{n}"
    shutil.rmtree(base, ignore_errors=True)
    command = [python, str(HERE / "anki_desktop.py"), str(base), str(collection)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return lambda: until_marker(command, b"FIRST-CARD", on_terminal=False)


def answer(sizes: list[int], runs: int) -> None:
    """From the answer to the next card, written and synced, against Anki's library; limits of 9999 a day on both sides."""
    for n in sizes:
        if n < 10_000:
            continue
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(max(2, runs // 4)):
            folder = work_copy(shardrill_folder(n), f"answer_{n}")
            set_limits(folder, 9999, 9999)
            ours += _json([PYTHON, str(HERE / "answer_child.py"), str(folder), "500"])["took_s"]
            if HAS_ANKI:
                copy = work_copy(anki_file(n), f"answer_{n}.anki2")
                subprocess.run([PYTHON, str(HERE / "anki_peer.py"), "limits", str(copy), "9999"], check=True)
                theirs += _json([PYTHON, str(HERE / "anki_peer.py"), "answer", str(copy), "500"])["took_s"]
        row(f"{FLOOR_BYTES:,} bytes written over in a file and synced", _in_ms(_floor_s()), "the least a disk asks")
        row(
            f"{PAGES} pages changed by bare sqlite3, log in place, synced", _in_ms(_bare_s()), "the least a record asks"
        )
        mine, peer = Sample(tuple(ours)), Sample(tuple(theirs or [float("nan")]))
        for name, share, target in (("p50", 0.5, "<= 0.6x"), ("p99", 0.99, "<= 1x")):
            a, b = mine.quantile(share), peer.quantile(share)
            row(
                f"answer to next card, durable, {name}, {n:,} cards",
                f"{a * 1e3:.2f} ms",
                f"anki {b * 1e3:.2f} ms: {a / b:.2f}x",
                target,
            )


def _floor_s() -> float:
    """The median time of the least that is durable: one page of a file that is there, written over and synced."""
    took = []
    with (DATA / "work" / "floor").open("w+b", buffering=0) as file:
        file.write(b"0" * FLOOR_BYTES * 300)
        os.fsync(file.fileno())
        for page in range(300):
            started = time.perf_counter()
            os.pwrite(file.fileno(), b"1" * FLOOR_BYTES, page * FLOOR_BYTES)
            os.fdatasync(file.fileno())
            took.append(time.perf_counter() - started)
    return statistics.median(took)


def _bare_s() -> float:
    """The median time of a synced transaction over as many pages as an answer changes, and nothing else."""
    path = DATA / "work" / "floor.sqlite3"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    driver = sqlite.connect(path)
    sqlite.make_durable(driver)
    driver.execute("CREATE TABLE meta (key TEXT, value TEXT)")
    for page in range(PAGES):
        driver.execute(f"CREATE TABLE t{page} (key INTEGER PRIMARY KEY, value TEXT)")
        driver.execute(f"INSERT INTO t{page} VALUES (1, '')")
    sqlite.make_room(driver)
    sqlite.sync_file(Path(f"{path}-wal"))
    took = []
    for number in range(300):
        started = time.perf_counter()
        with sqlite.transaction(driver):
            for page in range(PAGES):
                driver.execute(f"UPDATE t{page} SET value = ? WHERE key = 1", (f"{number:040d}",))
        took.append(time.perf_counter() - started)
    driver.close()
    return statistics.median(took)


def _in_ms(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms"


def _json(command: list[str]) -> dict[str, list[float]]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return result


def rebuild(sizes: list[int], runs: int) -> None:
    """All memory states from 500,000 attempts again, under other weights, against Anki's recompute.

    The record is first brought in line with its log: its builder takes shortcuts, and the work is then the same for both.
    """
    if 100_000 not in sizes:
        return
    ours, theirs = [], []
    settled = work_copy(shardrill_folder(100_000), "settled", packs=False)
    _json([PYTHON, str(HERE / "rebuild_child.py"), str(settled)])
    for _ in range(max(3, runs // 3)):
        folder = work_copy(settled, "rebuild", packs=False)
        ours.append(float(_json([PYTHON, str(HERE / "rebuild_child.py"), str(folder), "1.1"])["took_s"]))  # type: ignore[arg-type]
        if HAS_ANKI:
            copy = work_copy(anki_file(100_000), "rebuild.anki2")
            theirs.append(float(_json([PYTHON, str(HERE / "anki_peer.py"), "recompute", str(copy)])["took_s"]))  # type: ignore[arg-type]
    mine, peer = Sample(tuple(ours)), Sample(tuple(theirs or [float("nan")]))
    row(
        "rebuild of 500,000 attempts",
        f"{mine.median:.2f} s [{mine.spread()}]",
        f"anki {peer.median:.2f} s: {paired(peer, mine):.2f}x faster",
        ">= 2x",
    )


JOBS = {"first-paint": first_paint, "answer": answer, "rebuild": rebuild}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*JOBS, []], help="default: all")
    parser.add_argument("--sizes", default="100,100000,1000000")
    parser.add_argument("--runs", type=int, default=11)
    arguments = parser.parse_args()
    sizes = [int(text) for text in arguments.sizes.split(",")]
    print(time.strftime("%Y-%m-%d"), machine_line(), flush=True)
    for name in arguments.what or JOBS:
        JOBS[name](sizes, arguments.runs)
    print("\n| what | figure | against | target |\n| --- | --- | --- | --- |")
    for cells in ROWS:
        print("| " + " | ".join(cells) + " |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
