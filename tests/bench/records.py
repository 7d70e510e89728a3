"""Builds what is measured: a shardrill record and an Anki collection of N cards with the same history.

usage: python tests/bench/records.py 100 100000 1000000
Both files hold absolute due days: rebuild them when they are more than a few days old.
"""

from __future__ import annotations

import sys
import time

import histories
import numpy as np
from anki_collection import build_anki
from shardrill_record import build_shardrill
from timing import DATA


def build(n: int) -> None:
    """Write both files for `n` cards."""
    DATA.mkdir(parents=True, exist_ok=True)
    now_s = time.time()
    history = histories.make(n // 2, n // 2 * 10, now_s)
    reviewed = np.sort(np.random.default_rng(11).permutation(n)[: n // 2])
    started = time.perf_counter()
    build_shardrill(n, history, reviewed, int(now_s * 1000))
    print(f"shardrill_{n}: {time.perf_counter() - started:.1f} s", flush=True)
    started = time.perf_counter()
    try:
        build_anki(n, history, reviewed, now_s)
    except ImportError:
        print("the anki package is not installed: no Anki collection built")
        return
    print(f"anki_{n}: {time.perf_counter() - started:.1f} s", flush=True)


if __name__ == "__main__":
    for size in sys.argv[1:]:
        build(int(size))
