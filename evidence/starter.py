"""Scripts to start one's own parity run from. They need numpy and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from content.cards import Text
from evidence.errors import RunRefused

WEIGHTED_MEAN = '''\
"""Parity of the weighted mean: two cards with unequal token counts, as two arrays."""

import argparse
import json

import numpy as np


def close(a: float, b: float) -> bool:
    """Equal but for rounding: within 1e-12 of the larger."""
    return abs(a - b) <= 1e-12 * max(abs(a), abs(b))


def means(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float]:
    """Mean of the cards' means, n_i/S weighted mean, and the truth: the mean over all tokens."""
    n1, n2 = len(first), len(second)
    mean_of_means = (first.mean() + second.mean()) / 2
    weighted = n1 / (n1 + n2) * first.mean() + n2 / (n1 + n2) * second.mean()
    return float(mean_of_means), float(weighted), float(np.concatenate([first, second]).mean())


parser = argparse.ArgumentParser()
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--n1", type=int, default=4, help="tokens on the first card")
parser.add_argument("--n2", type=int, default=8, help="tokens on the second card")
options = parser.parse_args()

rng = np.random.default_rng(options.seed)
card_1, card_2 = rng.random(options.n1), rng.random(options.n2)  # per-token losses
mean_of_means, weighted, truth = means(card_1, card_2)
equal_means, _, equal_truth = means(card_1, rng.random(options.n1))  # once more with equal counts

print(f"mean of means {mean_of_means:.12f}, weighted {weighted:.12f}, all tokens {truth:.12f}")
report = {
    "metrics": {
        "weighted_mean_equals_global_mean": close(weighted, truth),
        "unequal_counts_allreduce_mismatches": not close(mean_of_means, truth),
        "equal_counts_allreduce_matches": close(equal_means, equal_truth),
    },
    "seed": options.seed,
    "values": {"mean_of_means": mean_of_means, "weighted": weighted, "global_mean": truth},
}
print(json.dumps(report))  # the last line is what shardrill reads
'''

STARTERS: Mapping[str, str] = {"weighted-mean": WEIGHTED_MEAN}
"""By lab."""


def write_starter(lab_id: str, file: Path) -> None:
    """Write the starter for a lab; a file that is there is left alone.

    Raises:
        RunRefused: there is no starter for this lab, or something is in the way.
    """
    if lab_id not in STARTERS:
        listed = ", ".join(STARTERS)
        raise RunRefused(
            Text(
                f"There is no starter for {lab_id}; there is one for {listed}.",
                f"{lab_id} 没有起步脚本；有的是：{listed}。",
            )
        )
    try:
        with file.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(STARTERS[lab_id])
    except FileExistsError:
        raise RunRefused(
            Text(f"{file} exists and was left as it is; name another file.", f"{file} 已存在，未改动；请换一个文件名。")
        ) from None
    except OSError as error:
        raise RunRefused(
            Text(f"{file} cannot be written ({error.strerror}).", f"无法写入 {file}（{error.strerror}）。")
        ) from None


__all__ = ["STARTERS", "write_starter"]
