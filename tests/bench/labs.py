"""Time and peak memory of every lab, at its defaults and at its largest, each in a process of its own.

usage: python tests/bench/labs.py [LAB ...]
`s` is the wall clock of the run, `CPU s` the processor time of all its threads, both without the import of numpy; memory is
the most the whole process ever held.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

from timing import PYTHON, machine_line

from evidence.lab import lab_ids, registry

MIB = 1024 if sys.platform != "darwin" else 1024 * 1024


def child(lab_id: str, size: str) -> None:
    """Run one lab and print its figures as JSON."""
    lab = registry()[lab_id]
    values = lab.largest if size == "largest" else {}
    reports: list[float] = []
    start, cpu = time.perf_counter(), time.process_time()
    last = start

    def progress(_share: float, _mark: str) -> None:
        nonlocal last
        now = time.perf_counter()
        reports.append(now - last)
        last = now

    result = lab.run(values, 0, progress)
    took = {"s": time.perf_counter() - start, "cpu_s": time.process_time() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB
    print(json.dumps({**took, "mib": peak, "passed": result.passed, "longest_silence_s": max(reports)}))


def main(chosen: list[str]) -> int:
    print(machine_line())
    print(f"{'lab':<18}{'size':<10}{'s':>8}{'CPU s':>8}{'MiB':>7}{'silent s':>10}  targets: < 0.3 s; < 10 s, < 500 MB")
    failed = 0
    for lab_id in chosen or [one for one in registry() if one in lab_ids()]:
        for size in ("default", "largest"):
            command = [PYTHON, __file__, "--child", lab_id, size]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            found = json.loads(out)
            limit_s = 0.3 if size == "default" else 10.0
            is_fine = found["passed"] and found["s"] < limit_s and found["mib"] < 500
            failed += not is_fine
            print(
                f"{lab_id:<18}{size:<10}{found['s']:>8.3f}{found['cpu_s']:>8.3f}{found['mib']:>7.0f}"
                f"{found['longest_silence_s']:>10.2f}  {'' if is_fine else 'over' if found['passed'] else 'FAILED'}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:4])
    else:
        sys.exit(main(sys.argv[1:]))
