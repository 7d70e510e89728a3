"""What a lab is: a small simulation that proves a formula or an equivalence by doing it and counting.

A lab is handed checked parameters, a seed and a progress report, and gives back metrics (yes or no, or a number), the numbers
recorded on the way with their units, a picture, and a hash of all that. Nothing in this module imports numpy; looking a lab up
in `registry()` does.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypedDict

from content.cards import Text
from evidence.lab_params import LabParam, ParamRefused, Value, Values, check, unknown
from evidence.picture import Picture, si

__all__ = [
    "Cancelled",
    "Findings",
    "Lab",
    "LabParam",
    "LabResult",
    "MetricSpec",
    "Metrics",
    "NoSuchLab",
    "ParamRefused",
    "Progress",
    "Recorded",
    "Scaled",
    "Tolerance",
    "Value",
    "Values",
    "check_params",
    "lab_ids",
    "output_hash",
    "recorded",
    "registry",
    "residual",
    "scaled",
]

Progress = Callable[[float, str], None]
"""Called with the share done (0 to 1) and a short mark without words (`3/14`). It may raise Cancelled; a lab lets that pass."""

Metrics = dict[str, bool | int | float]


class Cancelled(Exception):
    """The learner stopped the run; nothing of it counts."""


class NoSuchLab(KeyError):
    """A lab id that is none; the message lists those there are."""

    def __str__(self) -> str:
        return str(self.args[0])


class Recorded(TypedDict):
    """A number of a run and its unit. A `residual` is a rounding error that differs between machines: not hashed."""

    value: float | int | str | list[float] | list[int]
    unit: str
    residual: bool


def recorded(value: float | str | list[float] | list[int], unit: str = "") -> Recorded:
    """A number that every machine gets for these parameters and this seed, to six figures."""
    return {"value": value, "unit": unit, "residual": False}


def residual(value: float, unit: str = "") -> Recorded:
    """A difference that ought to be nothing but rounding; what is hashed of it is the metric that judges it."""
    return {"value": float(value), "unit": unit, "residual": True}


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """A metric the lab always reports. A yes-or-no metric is meant to be yes: no is a finding, or a broken lab."""

    name: str
    label: Text
    kind: Literal["bool", "number"] = "bool"
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What "equal" meant in a run: at most `value`, counted in `unit`; 0 means to the last bit."""

    value: float
    unit: Literal["relative", "absolute", "ulp", "exact"]
    about: Text


@dataclass(frozen=True, slots=True)
class Findings:
    """What a simulation hands to `Lab.run`, which checks and hashes it."""

    metrics: Metrics
    values: dict[str, Recorded]
    tolerance: Tolerance
    picture: Picture


@dataclass(frozen=True, slots=True)
class LabResult:
    """One finished run. `params` are all parameters, defaults filled in."""

    lab: str
    version: int
    params: dict[str, Value]
    seed: int
    metrics: Metrics
    values: dict[str, Recorded]
    tolerance: Tolerance
    picture: Picture
    output_hash: str

    @property
    def passed(self) -> bool:
        """Every yes-or-no metric came out yes."""
        return all(value for value in self.metrics.values() if isinstance(value, bool))


Simulate = Callable[[Values, int, Progress], Findings]
Wish = Callable[[Mapping[str, float]], Mapping[str, "float | str | tuple[float, ...]"]]
"""From a drill's values (keys in lower case, base units) to parameters as they would be without limits."""


def _no_wish(_values: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    return {}


@dataclass(frozen=True, slots=True)
class Lab:
    """A simulation and what is to be known of it before it runs.

    `sizes` names the parameters that are scaled down, all by one factor, when a drill's values pass the number given there (a
    size that runs at once); the rest are ratios and counts that are kept, or moved to the nearest limit and said so.
    `largest` is the most expensive setting the limits allow, for benchmarks.
    """

    id: str
    version: int
    title: Text
    about: Text
    params: tuple[LabParam, ...]
    metrics: tuple[MetricSpec, ...]
    simulate: Simulate
    wish: Wish = _no_wish
    sizes: Mapping[str, float] = field(default_factory=dict)
    largest: Values = field(default_factory=dict)

    def param(self, key: str) -> LabParam:
        """The parameter of that key.

        Raises:
            ParamRefused: the lab has none.
        """
        for param in self.params:
            if param.key == key:
                return param
        raise unknown(self.id, key, [param.key for param in self.params])

    def run(self, values: Mapping[str, object], seed: int, progress: Progress) -> LabResult:
        """Run once. Parameters left out take their defaults.

        Raises:
            ParamRefused: a parameter is unknown or outside its limits.
            Cancelled: the progress report raised it.
        """
        params = check_params(self, values)
        progress(0.0, "")
        found = self.simulate(params, seed, progress)
        declared = {spec.name for spec in self.metrics}
        if set(found.metrics) != declared:
            raise RuntimeError(f"{self.id} reported {sorted(set(found.metrics) ^ declared)} against its declaration")
        digest = output_hash(self, params, seed, found)
        progress(1.0, "")
        return LabResult(
            self.id, self.version, params, seed, found.metrics, found.values, found.tolerance, found.picture, digest
        )


def output_hash(lab: Lab, params: Values, seed: int, found: Findings) -> str:
    """SHA-256 (hex) over lab, version, parameters, seed, metrics and recorded numbers.

    Numbers count to six significant figures and residuals not at all, so that another numpy or another processor, which may
    add in another order, gives the same hash; the picture is drawn from the same numbers and is left out.
    """
    body = {
        "lab": lab.id,
        "version": lab.version,
        "params": _rounded(dict(params)),
        "seed": seed,
        "metrics": _rounded(dict(found.metrics)),
        "values": {
            name: [_rounded(one["value"]), one["unit"]] for name, one in found.values.items() if not one["residual"]
        },
    }
    text = json.dumps(body, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _rounded(value: object) -> object:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return f"{value:.6g}" if value else "0"
    if isinstance(value, Mapping):
        return {str(key): _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    raise TypeError(f"record plain numbers, not {type(value).__name__}")


def check_params(lab: Lab, values: Mapping[str, object]) -> dict[str, Value]:
    """Every parameter of the lab with its value: those given, as numbers or as typed text, and defaults for the rest.

    Raises:
        ParamRefused: naming the key and the limits.
    """
    return check(lab.id, lab.params, values)


class Scaled(NamedTuple):
    """A drill's values in a lab: the parameters to run with, and a note that shows both."""

    params: dict[str, Value]
    note: Text


def scaled(lab: Lab, drill_values: Mapping[str, float | Fraction]) -> Scaled:
    """Parameters for the lab that stand for a drill's values: sizes divided by one factor, counts and ratios kept.

    Values that the lab has no use for are left out of both; what had to be moved to a limit is said in the note.
    """
    drill = {key.lower(): float(value) for key, value in drill_values.items()}
    wished = {key: value for key, value in lab.wish(drill).items() if value not in ((), "")}
    factor = max((_largest(value) / lab.sizes[key] for key, value in wished.items() if key in lab.sizes), default=1.0)
    factor = max(factor, 1.0)
    params, en, zh = check_params(lab, {}), [], []
    for key, value in wished.items():
        param = lab.param(key)
        aim = _divided(value, factor) if key in lab.sizes else value
        params[key] = _inside(param, aim)
        how, how_zh = "as in the drill", "与题目相同"
        if _plain(params[key]) != _plain(value):
            is_scaled = key in lab.sizes and factor > 1
            how, how_zh = (
                (f"1/{si(factor)}", f"缩小 {si(factor)} 倍") if is_scaled else ("nearest limit", "取最近的界限")
            )
        en.append(f"{key} {_shown(value)} -> {_shown(params[key])} ({how})")
        zh.append(f"{key} {_shown(value)} -> {_shown(params[key])}（{how_zh}）")
    if not en:
        return Scaled(params, Text("The lab runs with its own values.", "实验使用自己的默认值。"))
    return Scaled(params, Text("Drill -> lab: " + "; ".join(en), "题目 -> 实验：" + "；".join(zh)))


Wished = float | str | tuple[float, ...]


def _largest(value: Wished) -> float:
    return max(value) if isinstance(value, tuple) else float(value)


def _divided(value: Wished, factor: float) -> Wished:
    return tuple(one / factor for one in value) if isinstance(value, tuple) else float(value) / factor


def _inside(param: LabParam, value: Wished) -> Value:
    if param.kind == "choice":
        return value if isinstance(value, str) and value in param.choices else param.default
    if isinstance(value, str):
        return param.default
    if isinstance(value, tuple):
        return tuple(int(_clamp(param, round(one))) for one in value[: param.most])
    return int(_clamp(param, round(value))) if param.kind == "int" else float(_clamp(param, value))


def _clamp(param: LabParam, value: float) -> float:
    return min(max(value, param.low), param.high)


def _plain(value: Wished | Value) -> object:
    return tuple(float(one) for one in value) if isinstance(value, tuple) else value


def _shown(value: Wished | Value) -> str:
    if isinstance(value, str):
        return value
    return ",".join(si(one) for one in value) if isinstance(value, tuple) else si(value)


# ---- the labs there are ---------------------------------------------------------------------------------------------

_MODULES = {
    "weighted-mean": "weighted_mean",
    "ring": "ring",
    "accumulation": "accumulation",
    "zero-sharding": "zero_sharding",
    "tensor-parallel": "tensor_parallel",
    "pipeline": "pipeline",
    "experts": "experts",
    "fp8": "fp8",
    "counting": "counting",
}


def lab_ids() -> frozenset[str]:
    """The ids of all labs; costs nothing."""
    return frozenset(_MODULES)


class _Registry(Mapping[str, Lab]):
    """All labs in the order in which they are listed; a lab's module (and with it numpy) is imported when looked up."""

    def __getitem__(self, key: str) -> Lab:
        if key not in _MODULES:
            raise NoSuchLab(f"{key} is no lab: name one of {', '.join(_MODULES)}")
        lab: Lab = importlib.import_module(f"evidence.labs.{_MODULES[key]}").LAB
        return lab

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)

    def __contains__(self, key: object) -> bool:
        return key in _MODULES


def registry() -> Mapping[str, Lab]:
    """Every lab by its id, in the order in which to list them."""
    return _Registry()
