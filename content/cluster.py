"""The learner's own cluster: said once, taken as defaults by `solve`, and drawn from by drills.

Written as `8 x H800, 160/50 GB/s, 80 GB`: cards in a node and their name, what each moves one way to its neighbours in the
node and to another node, memory of a card; a peak such as `989 TFLOP/s` may follow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grading.drill import Choice, Drill, Param

EXAMPLE = "8 x H800, 160/50 GB/s, 80 GB"
HOW = f'allowed is a cluster such as "{EXAMPLE}": cards, GB/s in and between nodes, GB of memory'

_CARDS = re.compile(r"([0-9]{1,6})\s*[x*×]\s*([^\s,].{0,30})", re.IGNORECASE)
_SPEEDS = re.compile(r"([0-9.]{1,8})\s*/\s*([0-9.]{1,8})\s*GB/s", re.IGNORECASE)
_MEMORY = re.compile(r"([0-9.]{1,8})\s*GB", re.IGNORECASE)
_PEAK = re.compile(r"([0-9.]{1,8})\s*TFLOP(?:/?s|S/s)", re.IGNORECASE)

OF_CARDS = frozenset({"n", "g"})
OF_NODE = frozenset({"bn"})
BETWEEN_NODES = frozenset({"bi", "net"})
EITHER = frozenset({"bw"})
"""Names that drills give to the number of cards and to bandwidths, by their keys in lower case."""


class ClusterError(ValueError):
    """A cluster that cannot be read; the message says what is allowed."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """`cards` of a `gpu`; one-way bandwidth of a card inside its node and between nodes in GB/s; memory in GB (decimal);
    dense peak in TFLOP/s, 0 where it was not said."""

    cards: int
    gpu: str
    node_gb_s: float
    net_gb_s: float
    memory_gb: float
    peak_tflop_s: float = 0.0

    def __post_init__(self) -> None:
        if not 1 <= self.cards <= 10**6 or not self.gpu.strip() or not self.gpu.isprintable() or len(self.gpu) > 31:
            raise ClusterError(HOW)
        if any(not 0 < number <= 10**6 for number in (self.node_gb_s, self.net_gb_s, self.memory_gb)):
            raise ClusterError(HOW)
        if not 0 <= self.peak_tflop_s <= 10**6:
            raise ClusterError(HOW)

    def __str__(self) -> str:
        peak = f", {self.peak_tflop_s:g} TFLOP/s" if self.peak_tflop_s else ""
        return f"{self.cards} x {self.gpu}, {self.node_gb_s:g}/{self.net_gb_s:g} GB/s, {self.memory_gb:g} GB{peak}"

    def values(self) -> dict[str, object]:
        """The fields as they stand under [cluster] in the settings file."""
        found = {f.name: getattr(self, f.name) for f in fields(self)}
        return {name: value for name, value in found.items() if value != 0.0}


def parse_cluster(text: str) -> Cluster:
    """The cluster that a text describes; its parts may come in any order.

    Raises:
        ClusterError: a part is missing, twice there, or unknown.
    """
    found: dict[str, re.Match[str]] = {}
    for part in unicodedata.normalize("NFKC", text).replace("、", ",").split(","):
        part = part.strip()
        kinds = (("speeds", _SPEEDS), ("memory", _MEMORY), ("peak", _PEAK), ("cards", _CARDS))
        name, match = next(((name, m) for name, kind in kinds if (m := kind.fullmatch(part))), ("", None))
        if match is None or name in found:
            raise ClusterError(HOW)
        found[name] = match
    if not {"speeds", "memory", "cards"} <= found.keys():
        raise ClusterError(HOW)
    return Cluster(
        int(found["cards"][1]),
        found["cards"][2].strip(),
        _number(found["speeds"][1]),
        _number(found["speeds"][2]),
        _number(found["memory"][1]),
        _number(found["peak"][1]) if "peak" in found else 0.0,
    )


def cluster_of(value: object) -> Cluster | None:
    """The cluster of a setting: a text, the table [cluster], or nothing.

    Raises:
        ClusterError: anything else.
    """
    if value is None or value == "":
        return None
    if isinstance(value, Cluster):
        return value
    if isinstance(value, str):
        return parse_cluster(value)
    if not isinstance(value, Mapping):
        raise ClusterError(HOW)
    known = {f.name for f in fields(Cluster)}
    wrong = sorted(str(key) for key in value if key not in known)
    if wrong:
        raise ClusterError(f"[cluster] knows {', '.join(sorted(known))}; {wrong[0]} is none of them")
    plain = {str(key): item for key, item in value.items()}
    numbers = {key: item for key, item in plain.items() if key != "gpu"}
    if not all(isinstance(item, int | float) and not isinstance(item, bool) for item in numbers.values()):
        raise ClusterError(HOW)
    if not isinstance(plain.get("gpu"), str) or not isinstance(plain.get("cards"), int):
        raise ClusterError(HOW)
    try:
        return Cluster(**plain)
    except TypeError:
        raise ClusterError(HOW) from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ClusterError(HOW) from None


# -- what drills take from it


def own_value(param: Param, cluster: Cluster) -> str | None:
    """The cluster's value of a drill's parameter as one would type it; None for what a cluster does not decide.

    A parameter is known by its unit and its key. Bandwidth named neither by node nor by network is the network's, unless
    only the node's lies among the drill's own choices.
    """
    key, unit = param.key.lower(), param.unit.symbol or param.unit.noun
    if param.unit.noun == "GPU":
        return str(cluster.cards) if key in OF_CARDS else None
    if unit in ("GB/s", "Gbit/s", "Gb/s") and key in OF_NODE | BETWEEN_NODES | EITHER:
        return f"{_bandwidth(param, key, cluster):g} GB/s"
    if unit == "GB" and param.symbol == "M":
        return f"{cluster.memory_gb:g} GB"
    if unit == "TFLOP/s" and cluster.peak_tflop_s:
        return f"{cluster.peak_tflop_s:g} TFLOP/s"
    return None


def _bandwidth(param: Param, key: str, cluster: Cluster) -> float:
    if key in OF_NODE:
        return cluster.node_gb_s
    values = [float(choice.value) / 1e9 for choice in param.choices]
    is_among = [min(values) <= speed <= max(values) for speed in (cluster.net_gb_s, cluster.node_gb_s)]
    return cluster.node_gb_s if key in EITHER and is_among == [False, True] else cluster.net_gb_s


def defaults(drill: Drill, cluster: Cluster | None, given: Mapping[str, str]) -> dict[str, str]:
    """The values given, and for parameters that are not among them what the cluster says."""
    if cluster is None:
        return dict(given)
    named = {drill.names.get(name, name) for name in given} | set(given)
    own = {param.key: own_value(param, cluster) for param in drill.params if len(param.choices) > 1}
    return {key: value for key, value in own.items() if value is not None and key not in named} | dict(given)


def with_cluster(drill: Drill, cluster: Cluster | None) -> Drill:
    """The drill with the cluster's values among the choices of its parameters."""
    if cluster is None:
        return drill
    params = tuple(_with_choice(param, cluster) for param in drill.params)
    return drill if params == drill.params else replace(drill, params=params)


def _with_choice(param: Param, cluster: Cluster) -> Param:
    from content.drills import choice_of

    text = own_value(param, cluster) if len(param.choices) > 1 else None
    if text is None:
        return param
    own: Choice = choice_of(text, param.key, param.unit)
    if any(choice.value == own.value for choice in param.choices):
        return param
    return replace(param, choices=(*param.choices, own))


__all__ = [
    "EXAMPLE",
    "Cluster",
    "ClusterError",
    "cluster_of",
    "defaults",
    "own_value",
    "parse_cluster",
    "with_cluster",
]
