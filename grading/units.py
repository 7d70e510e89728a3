"""Units of answers: a dimension and an exact factor to the base unit.

Base units are the byte, the FLOP, the second and the dollar. Tokens, parameters, GPUs and other things that are counted
have no dimension; the unit keeps their noun, so that "5 GPUs" is not taken for five tokens. GB is 1e9 bytes and GiB is 2^30.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from grading.reading import Unreadable

Dimension = tuple[int, int, int, int]
"""Exponents of byte, FLOP, second, dollar."""

NONE: Dimension = (0, 0, 0, 0)
BYTES: Dimension = (1, 0, 0, 0)
FLOP: Dimension = (0, 1, 0, 0)
SECONDS: Dimension = (0, 0, 1, 0)
DOLLARS: Dimension = (0, 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` base units make one of this. `lower_case` marks a spelling (gb) that could mean bits as well."""

    symbol: str
    dimension: Dimension
    factor: Fraction
    noun: str = ""
    lower_case: bool = False

    def times(self, other: Unit, sign: int = 1) -> Unit:
        """The product (sign 1) or quotient (sign -1) of two units."""
        dimension = tuple(a + sign * b for a, b in zip(self.dimension, other.dimension, strict=True))
        joint = "/" if sign < 0 else "·"
        factor = self.factor * other.factor if sign > 0 else self.factor / other.factor
        noun = self.noun or (other.noun if sign > 0 else "")
        a, b, c, d = dimension
        return Unit(
            f"{self.symbol}{joint}{other.symbol}", (a, b, c, d), factor, noun, self.lower_case or other.lower_case
        )


PLAIN = Unit("", NONE, Fraction(1))
PERCENT = Unit("%", NONE, Fraction(1, 100), "%")

_DECIMAL = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_LONG_DECIMAL = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5, "exa": 6}
_LONG_BINARY = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5, "exbi": 6}
_COUNTS = {
    "token": "token tokens tok toks 词元 个token",
    "parameter": "parameter parameters param params 参数 个参数",
    "GPU": "GPU GPUs gpu gpus card cards rank ranks device devices 卡 张卡 块卡 张 h100 h800 a100",
    "expert": "expert experts 专家 个专家",
    "layer": "layer layers 层",
    "micro-batch": "micro-batch micro-batches microbatch microbatches 微批 个micro-batch",
    "sequence": "sequence sequences seq seqs 序列 条序列 条",
    "step": "step steps 步",
    "stage": "stage stages 段 阶段",
    "element": "element elements 元素 个元素",
    "replica": "replica replicas copy copies 副本 份",
    "node": "node nodes machine machines 节点 台",
    "sample": "sample samples 样本",
    "point": "point points pp 百分点",
    "ratio": "times fold 倍",
}
_TIMES = {
    Fraction(1, 10**9): "ns nanosecond nanoseconds 纳秒",
    Fraction(1, 10**6): "us usec microsecond microseconds 微秒",
    Fraction(1, 10**3): "ms msec millisecond milliseconds 毫秒",
    Fraction(1): "s sec secs second seconds 秒 秒钟",
    Fraction(60): "min mins minute minutes 分 分钟",
    Fraction(3600): "h hr hrs hour hours 小时 时 个小时",
    Fraction(86_400): "d day days 天 日",
    Fraction(604_800): "week weeks wk 周 星期",
    Fraction(31_557_600): "year years yr 年",
}


def _build() -> dict[str, Unit]:
    known: dict[str, Unit] = {"%": PERCENT, "percent": PERCENT, "pct": PERCENT}
    for prefix, power in _DECIMAL.items():
        decimal = Fraction(1000) ** power
        _add(
            known,
            Unit(f"{prefix}B", BYTES, decimal),
            f"{prefix}B {prefix}Byte {prefix}Bytes {prefix}byte {prefix}bytes",
        )
        bit = decimal / 8
        _add(known, Unit(f"{prefix}bit", BYTES, bit), f"{prefix}bit {prefix}bits {prefix}Bit {prefix}Bits {prefix}b")
        _add(
            known,
            Unit(f"{prefix}FLOP", FLOP, decimal),
            f"{prefix}FLOP {prefix}FLOPs {prefix}FLOPS {prefix}flop {prefix}flops",
        )
        _add(known, Unit(f"{prefix}token", NONE, decimal, "token"), f"{prefix}tokens {prefix}tok {prefix}token")
        if power:
            binary = Fraction(1024) ** power
            upper = prefix.upper()
            spellings = f"{upper}iB {upper}iByte {upper}iBytes {upper}ib {upper.lower()}ib {upper}ibyte {upper}ibytes"
            _add(known, Unit(f"{upper}iB", BYTES, binary), spellings)
            _add(known, Unit(f"{upper}ibit", BYTES, binary / 8), f"{upper}ibit {upper}ibits")
            lower = Unit(prefix.lower() + "b", BYTES, decimal, lower_case=True)
            known.setdefault(lower.symbol, lower)
            _add(known, Unit(f"${prefix}", DOLLARS, decimal), f"{prefix}USD")
    for name, power in _LONG_DECIMAL.items():
        _add(known, known[["", "k", "M", "G", "T", "P", "E"][power] + "B"], f"{name}byte {name}bytes")
        _add(known, known[["", "k", "M", "G", "T", "P", "E"][power] + "bit"], f"{name}bit {name}bits")
    for name, power in _LONG_BINARY.items():
        _add(known, known["KMGTPE"[power - 1] + "iB"], f"{name}byte {name}bytes")
    _add(known, Unit("KB", BYTES, Fraction(1000)), "KB")
    _add(known, known["B"], "字节 byte bytes")
    _add(known, known["bit"], "比特 位")
    known["kb"] = replace(known["kb"], lower_case=True)
    for factor, spellings in _TIMES.items():
        _add(known, Unit(spellings.split()[0], SECONDS, factor), spellings)
    for noun, spellings in _COUNTS.items():
        shown = "x" if noun == "ratio" else spellings.split()[min(1, len(spellings.split()) - 1)]
        _add(known, Unit(shown, NONE, Fraction(1), noun), spellings)
    _add(known, Unit("USD", DOLLARS, Fraction(1)), "USD usd $ US$ dollar dollars 美元 美金 刀")
    gpu_hour = Unit("GPU-hours", SECONDS, Fraction(3600), "GPU")
    spellings = "GPU-hours GPU-hour GPU-h GPUh gpu-hours gpu-hour gpu-h gpuh GPU小时 卡时 卡小时 GPU时"
    _add(known, gpu_hour, spellings)
    _add(
        known, replace(gpu_hour, symbol="GPU-days", factor=Fraction(86_400)), "GPU-days GPU-day gpu-days gpu-day GPU天"
    )
    return known


def _add(known: dict[str, Unit], unit: Unit, spellings: str) -> None:
    for spelling in spellings.split():
        known.setdefault(spelling, unit)


KNOWN = _build()
_BY_FOLDED = {spelling.casefold(): unit for spelling, unit in reversed(KNOWN.items()) if len(spelling) > 3}
_PER_SECOND = re.compile(r"^([kKMGTPE]?i?[bB])ps$")
_ATOM = re.compile(r"\$|%|US\$|(?:GPU|gpu)-?(?:hours?|h|days?)|[A-Za-z]+(?:-batch(?:es)?)?|[\u4e00-\u9fff]+")
_JOINT = re.compile(r"\s*(?:(/|\bper\b|每)|([*·]))\s*", re.I)

SHOWN = "B, kB, MB, GB, TB, GiB, bit, Gbit, FLOP, TFLOP/s, s, ms, µs, h, days, GB/s, tokens/s, GPU-hours, USD, %"
"""What is offered when a unit is not known."""


def atom(word: str) -> Unit | None:
    """The unit of one word, or None. `Gbps` is Gbit/s and `GBps` is GB/s."""
    unit = KNOWN.get(word)
    if unit is None and (rate := _PER_SECOND.match(word)):
        per = KNOWN.get(rate.group(1))
        unit = per.times(KNOWN["s"], -1) if per is not None else None
        if unit is not None:
            unit = replace(unit, symbol=f"{KNOWN[rate.group(1)].symbol}/s")
    if unit is None and word.casefold() in _BY_FOLDED:
        unit = _BY_FOLDED[word.casefold()]
    return unit


def scan(text: str, start: int = 0) -> tuple[Unit, int] | None:
    """The longest unit that begins at `start`, and where it ends; None where no unit begins there.

    A thing counted below the line (tokens/s/GPU, GB per layer) does not change the unit: the question is about it.
    """
    first = _ATOM.match(text, start)
    if first is None:
        return None
    unit = atom(first.group())
    if unit is None:
        return None
    end = first.end()
    while joint := _JOINT.match(text, end):
        word = _ATOM.match(text, joint.end())
        factor = atom(word.group()) if word else None
        if word is None or factor is None:
            break
        if joint.group(1) and factor.dimension == NONE and factor.noun not in ("", "%"):
            pass
        else:
            unit = unit.times(factor, -1 if joint.group(1) else 1)
        end = word.end()
    return unit, end


def parse(text: str) -> Unit:
    """A whole text that is a unit and nothing else. Empty is a plain count.

    Raises:
        Unreadable: `unknown-unit` with the text.
    """
    text = text.strip()
    if not text:
        return PLAIN
    found = scan(text)
    if found is None or found[1] != len(text):
        raise Unreadable("unknown-unit", text)
    unit = found[0]
    if unit.dimension == FLOP and re.search(r"FLOPS$", text):
        unit = unit.times(KNOWN["s"], -1)
    return replace(unit, symbol=text)


def prefixed(letter: str, asked: Unit) -> Unit | None:
    """What a lone k, M, G or T means where `asked` has bytes or FLOP in it: that many of its base unit."""
    power = _DECIMAL.get(letter)
    if not power or not (asked.dimension[0] or asked.dimension[1]):
        return None
    return Unit(letter, asked.dimension, Fraction(1000) ** power)


def as_rate(unit: Unit, asked: Unit) -> Unit:
    """TFLOPS (and, loosely, TFLOPs) is a rate where a rate is asked."""
    rate = (0, 1, -1, 0)
    return unit.times(KNOWN["s"], -1) if unit.dimension == FLOP and asked.dimension == rate else unit
