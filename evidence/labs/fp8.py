"""fp8: rounding to E4M3 (OCP "fn") and E5M2, to nearest even and saturating, and what scaling by blocks saves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from content.cards import Text
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, Values, recorded
from evidence.lab_params import number, whole, word
from evidence.labs.draw import F32, F64, Stream
from evidence.picture import DENSE, FULL, HALF, NARROW, WIDE, Picture, bars, still

U8 = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Format:
    """An 8-bit format: bits of its mantissa, the exponent of its smallest normal number, its largest finite number."""

    name: str
    mantissa: int
    least_exponent: int
    largest: float


E4M3 = Format("e4m3", 3, -6, 448.0)
E5M2 = Format("e5m2", 2, -14, 57344.0)


def rounded(x: npt.ArrayLike, form: Format) -> F64:
    """To the nearest number of the format, ties to even, beyond the largest to the largest (NaN stays NaN).

    Done by arithmetic: in units of the last place of x's own power of two, every step of it exact.
    """
    wide = np.asarray(x, dtype=np.float64)
    _, exponent = np.frexp(wide)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, form.least_exponent) - form.mantissa)
    with np.errstate(invalid="ignore"):
        near = np.rint(wide / unit) * unit
    return np.asarray(np.clip(near, -form.largest, form.largest))


def table(form: Format) -> F64:
    """All finite numbers from 0 up, in the order of their codes."""
    count = 1 << form.mantissa
    codes = np.arange(256 // 2)
    power, rest = codes // count, codes % count
    normal = np.ldexp(1.0 + rest / count, power - 1 + form.least_exponent)
    small = np.ldexp(rest / count, form.least_exponent)
    values = np.where(power > 0, normal, small)
    return np.asarray(values[values <= form.largest])


def coded(x: npt.ArrayLike, form: Format) -> U8:
    """The byte of each number: sign and place in the table, by comparison with the midpoints between neighbours."""
    wide = np.asarray(x, dtype=np.float64)
    known = table(form)
    middle = (known[1:] + known[:-1]) / 2
    size = np.abs(wide)
    low, high = np.searchsorted(middle, size, side="left"), np.searchsorted(middle, size, side="right")
    place = np.where((low != high) & (low % 2 == 1), high, low)  # a tie goes to the even code
    return np.asarray(place + 128 * np.signbit(wide), dtype=np.uint8)


def decoded(codes: U8, form: Format) -> F64:
    """The numbers that bytes stand for."""
    known = table(form)
    size = known[codes & 127]
    return np.asarray(np.where(codes >= 128, -size, size))


@dataclass(frozen=True, slots=True)
class Parts:
    """What the lab proves; a test exchanges one of them."""

    rounded: Callable[[npt.ArrayLike, Format], F64] = rounded
    coded: Callable[[npt.ArrayLike, Format], U8] = coded


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as bytes with one FP32 scale a block, and how well it is kept."""

    bytes: int
    error: float
    """Root mean square of the differences over that of the tensor, large entries left out: see `stored`."""
    to_zero: float
    """Share of the non-zero entries that became zero."""


def stored(tensor: F32, block: tuple[int, int], form: Format, parts: Parts) -> Stored:
    """Scale each block by its own largest entry to the format's largest number, round, and look at the ordinary entries.

    Ordinary: within 8 times the median size. The few outliers keep their accuracy in any scheme; what they cost is the rest.
    """
    rows, columns = tensor.shape
    high, wide = block
    blocks = tensor.reshape(rows // high, high, columns // wide, wide)
    scale = np.abs(blocks).max(axis=(1, 3), keepdims=True).astype(np.float32) / np.float32(form.largest)
    scale[scale == 0] = 1.0
    codes = parts.coded(blocks / scale, form)
    back = (decoded(codes, form) * scale).reshape(rows, columns)
    ordinary = np.abs(tensor) <= 8 * np.median(np.abs(tensor))
    gap, true = (back - tensor)[ordinary], tensor[ordinary].astype(np.float64)
    error = float(np.sqrt((gap * gap).sum() / (true * true).sum()))
    lost = float(((back == 0) & (tensor != 0)).sum() / max(1, (tensor != 0).sum()))
    return Stored(codes.nbytes + scale.nbytes, error, lost)


def simulate(values: Values, seed: int, progress: Progress, parts: Parts = Parts()) -> Findings:
    """Check both formats number by number, then store one tensor with outliers in three ways."""
    x, size, tile = number(values, "x"), whole(values, "size") * 128, int(word(values, "tile"))
    stream = Stream(seed)
    metrics: dict[str, bool | int | float] = {}
    for form in (E4M3, E5M2):
        metrics |= _checked(form, stream, parts)
    progress(0.3, "1/2")
    tensor = stream.bell(size, size).astype(np.float32)
    columns = np.arange(size) == int(stream.below(size, 1)[0])
    tensor[:, columns] *= np.float32(number(values, "outlier"))
    ways = {
        "tensor": stored(tensor, (size, size), E4M3, parts),
        "block": stored(tensor, (128, 128), E4M3, parts),
        "tile": stored(tensor, (1, tile), E4M3, parts),
    }
    progress(0.9, "2/2")
    metrics["finer_scales_zero_fewer"] = ways["tile"].to_zero <= ways["block"].to_zero <= ways["tensor"].to_zero
    metrics["bytes_match"] = ways["tile"].bytes * tile == tensor.size * (tile + 4)
    found = {"x": recorded(x, ""), "tensor_fp32_bytes": recorded(tensor.nbytes, "B")}
    for form in (E4M3, E5M2):
        found[f"{form.name}_of_x"] = recorded(float(parts.rounded(x, form)), "")
    for name, way in ways.items():
        found[f"{name}_error"] = recorded(way.error, "relative")
        found[f"{name}_to_zero"] = recorded(way.to_zero, "share")
        found[f"{name}_bytes"] = recorded(way.bytes, "B")
    tolerance = Tolerance(
        0.0,
        "exact",
        Text("Rounding and bytes exactly; errors are compared, not equated.", "舍入与字节数完全相等；误差只比大小。"),
    )
    return Findings(metrics, found, tolerance, _picture(ways, x, parts))


def _checked(form: Format, stream: Stream, parts: Parts) -> dict[str, bool | int | float]:
    """Every number of the format, every midpoint, and numbers drawn over all its powers of two, by two methods."""
    known = table(form)
    everything = np.concatenate([-known[::-1], known])
    fixed = bool(np.array_equal(parts.rounded(everything, form), everything))
    middle = (known[1:] + known[:-1]) / 2
    even = np.where(np.arange(len(middle)) % 2 == 0, known[:-1], known[1:])
    ties = bool(
        np.array_equal(parts.rounded(middle, form), even) and np.array_equal(parts.rounded(-middle, form), -even)
    )
    span = np.log2(form.largest) - form.least_exponent + form.mantissa + 4
    powers = np.ldexp(1.0, (stream.uniform(4096) * span).astype(np.int64) + form.least_exponent - form.mantissa - 2)
    drawn = np.minimum(stream.uniform(4096) * 2 * powers, form.largest) * np.where(
        stream.below(2, 4096) == 1, 1.0, -1.0
    )
    result = parts.rounded(drawn, form)
    nearest = np.abs(np.abs(drawn)[:, np.newaxis] - known).min(axis=1)
    near = bool(np.array_equal(np.abs(result - drawn), nearest))
    agree = bool(np.array_equal(decoded(parts.coded(drawn, form), form), result))
    beyond = np.array([form.largest * 1.01, form.largest * 1.5, 1e30, np.inf])
    full = np.full(4, form.largest)
    saturates = bool(
        np.array_equal(parts.rounded(beyond, form), full) and np.array_equal(parts.rounded(-beyond, form), -full)
    )
    return {
        f"{form.name}_keeps_its_numbers": fixed,
        f"{form.name}_rounds_to_nearest": near and agree,
        f"{form.name}_ties_to_even": ties,
        f"{form.name}_saturates": saturates,
    }


def _picture(ways: Mapping[str, Stored], x: float, parts: Parts) -> Picture:
    fills = {"tensor": FULL, "block": DENSE, "tile": HALF}
    rows = [(name, [(way.error, fills[name])], f"{way.error:.4%}") for name, way in ways.items()]
    rounds = [f"{form.name}  {x:g} → {float(parts.rounded(x, form)):g}" for form in (E4M3, E5M2)]
    return Picture((still((*rounds, *bars(rows, WIDE)), (*rounds, *bars(rows, NARROW))),))


def wish(drill: Mapping[str, float]) -> Mapping[str, float | str | tuple[float, ...]]:
    """The number to be rounded, x."""
    for name in ("x", "value", "y"):
        if name in drill:
            return {"x": drill[name]}
    return {}


def _metrics() -> tuple[MetricSpec, ...]:
    specs: list[MetricSpec] = []
    for name in ("E4M3", "E5M2"):
        low = name.lower()
        specs += [
            MetricSpec(
                f"{low}_keeps_its_numbers", Text(f"{name}: its own numbers stay", f"{name}：可表示的数保持不变")
            ),
            MetricSpec(
                f"{low}_rounds_to_nearest", Text(f"{name}: nearest, by two methods", f"{name}：就近舍入，两种算法一致")
            ),
            MetricSpec(f"{low}_ties_to_even", Text(f"{name}: every tie goes to even", f"{name}：中点都舍入到偶数")),
            MetricSpec(f"{low}_saturates", Text(f"{name}: saturates", f"{name}：超范围时饱和")),
        ]
    return (
        *specs,
        MetricSpec(
            "finer_scales_zero_fewer",
            Text("Finer scales turn fewer entries into zero", "缩放粒度越细，被舍入成零的元素越少"),
        ),
        MetricSpec("bytes_match", Text("1 byte an entry and 4 a tile", "每元素 1 字节，每块另加 4 字节")),
    )


LAB = Lab(
    id="fp8",
    version=1,
    title=Text("FP8 rounding and block scaling", "FP8 舍入与分块缩放"),
    about=Text(
        "E4M3 (OCP/NVIDIA, up to 448) and E5M2 (up to 57344), rounded to nearest even and saturating, checked on every number,"
        " every midpoint and 4,096 drawn ones. Then a matrix with one column of outliers is stored in E4M3 with one scale in"
        " all, one for each 128 x 128 block, and one for each tile of a row; what"
        " becomes zero, and the error of ordinary entries, are compared.",
        "E4M3（OCP/NVIDIA，最大 448）与 E5M2（最大 57344），就近取偶、超范围饱和，"
        "对每个可表示的数、每个中点和 4096 个抽样值检验。"
        "再把有一列离群值的矩阵存成 E4M3：整体一个缩放因子、每个 128×128 块一个、"
        "每行每个 tile 一个，比较普通元素的误差和变成零的比例。",
    ),
    params=(
        LabParam("x", Text("A number to round", "要舍入的数"), "float", 0.3, -1e6, 1e6),
        LabParam("size", Text("Rows and columns / 128", "行列数 / 128"), "int", 2, 1, 12),
        LabParam("tile", Text("Entries in a tile", "每个 tile 的元素数"), "choice", "128", choices=("32", "64", "128")),
        LabParam("outlier", Text("Outliers are larger by", "离群值放大倍数"), "float", 20000.0, 1.0, 1e6),
    ),
    metrics=_metrics(),
    simulate=simulate,
    wish=wish,
    largest={"size": 12, "tile": "32", "outlier": 1e6},
)
