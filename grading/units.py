"""Units of answers: a dimension and an exact factor to the base unit.

Base units are the byte, the FLOP, the second and the dollar. Tokens, parameters, GPUs and other things that are counted
have no dimension; the unit keeps their noun, so that "5 GPUs" is not taken for five tokens. GB is 1e9 bytes and GiB is 2^30.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from grading.reading import Trouble, Unreadable

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

_DECIMAL = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6, "Z": 7, "Y": 8}
_LONG_DECIMAL = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5, "exa": 6, "zetta": 7, "yotta": 8}
_LONG_BINARY = {"kibi": 1, "mebi": 2, "gibi": 3, "tebi": 4, "pebi": 5, "exbi": 6}
_COUNTS = {
    "token": "token tokens tok toks 词元",
    "parameter": "parameter parameters param params 参数",
    "GPU": "GPU GPUs gpu gpus card cards rank ranks device devices 卡 张卡 块卡 张 h100 h800 a100",
    "expert": "expert experts 专家",
    "layer": "layer layers 层",
    "micro-batch": "micro-batch micro-batches microbatch microbatches 微批",
    "sequence": "sequence sequences seq seqs 序列 条",
    "step": "step steps 步",
    "stage": "stage stages 段 阶段",
    "element": "element elements 元素",
    "replica": "replica replicas copy copies 副本 份",
    "node": "node nodes machine machines 节点 台",
    "sample": "sample samples 样本",
    "nat": "nat nats 奈特",
    "ratio": "times fold x × 倍",
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
    known: dict[str, Unit] = {}
    _add(known, PERCENT, "% percent pct per-cent")
    _add(known, Unit("‰", NONE, Fraction(1, 1000), "%"), "‰")
    _add(known, Unit("成", NONE, Fraction(1, 10), "%"), "成")
    _add(known, Unit("points", NONE, Fraction(1, 100), "point"), "points point pp 百分点")
    _add(known, PLAIN, "个 次")
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
            spellings = f"{upper}iB {upper}IB {upper}iBs {upper}iByte {upper}iBytes {upper}ibyte {upper}ibytes"
            _add(known, Unit(f"{upper}iB", BYTES, binary), spellings)
            _add(known, Unit(f"{upper}iB", BYTES, binary, lower_case=True), f"{upper}ib {upper.lower()}ib")
            _add(known, Unit(f"{upper}B", BYTES, decimal), f"{upper}Bs {prefix.lower()}B")
            _add(known, Unit(f"{upper}ibit", BYTES, binary / 8), f"{upper}ibit {upper}ibits")
            lower = Unit(prefix.lower() + "b", BYTES, decimal, lower_case=True)
            known.setdefault(lower.symbol, lower)
            _add(known, Unit(f"${prefix}", DOLLARS, decimal), f"{prefix}USD")
    for name, power in _LONG_DECIMAL.items():
        letter = "kMGTPEZY"[power - 1]
        _add(known, known[f"{letter}B"], f"{name}byte {name}bytes")
        _add(known, known[f"{letter}bit"], f"{name}bit {name}bits")
        _add(known, known[f"{letter}FLOP"], f"{name}flop {name}flops")
    for name, power in _LONG_BINARY.items():
        _add(known, known["KMGTPE"[power - 1] + "iB"], f"{name}byte {name}bytes")
    _add(known, Unit("KB", BYTES, Fraction(1000)), "KB")
    _add(known, known["B"], "字节 byte bytes")
    _add(known, known["bit"], "比特 位")
    known["kb"] = Unit("kB", BYTES, Fraction(1000), lower_case=True)
    known["tps"] = Unit("tokens/s", (0, 0, -1, 0), Fraction(1), "token")
    for factor, spellings in _TIMES.items():
        _add(known, Unit(spellings.split()[0], SECONDS, factor), spellings)
    for noun, spellings in _COUNTS.items():
        shown = "x" if noun == "ratio" else spellings.split()[min(1, len(spellings.split()) - 1)]
        _add(known, Unit(shown, NONE, Fraction(1), noun), spellings)
    _add(known, Unit("USD", DOLLARS, Fraction(1)), "USD usd $ US$ dollar dollars 美元 美金 刀")
    known["GPU-hours"] = Unit("GPU-hours", SECONDS, Fraction(3600), "GPU")
    known["GPU-days"] = Unit("GPU-days", SECONDS, Fraction(86_400), "GPU")
    return known


def _add(known: dict[str, Unit], unit: Unit, spellings: str) -> None:
    for spelling in spellings.split():
        known.setdefault(spelling, unit)


KNOWN = _build()
_BY_FOLDED = {spelling.casefold(): unit for spelling, unit in reversed(KNOWN.items()) if len(spelling) > 3}
_PER_SECOND = re.compile(r"^([kKMGTPEmgtpe]?i?[bB])ps$")
_GPU_TIME = re.compile(
    r"(?:gpus?|cards?|[abh][1-9]00|卡)[-\s*]*(?:(hours|hour|hrs?|h|小时|时)|(days|day|d|天))(?![A-Za-z])", re.I
)
_ATOM = re.compile(r"US\$|\$|%|‰|micro-?batch(?:es)?|per[- ]cent\b|[A-Za-z]\d00(?![\d.])|[A-Za-z]+|×|[\u4e00-\u9fff]+")
_CLASSIFIER = re.compile(r"[个张块条台份]\s*(?=[A-Za-z\u4e00-\u9fff])")
_JOINT = re.compile(r"\s*(?:(/|\bper\b|每)|([*·]))\s*", re.I)
_INVERSE_SECOND = re.compile(r"\s*[*·]?\s*(?:s|sec|秒)\s*\^\s*\(?-1\)?")

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


def _word_at(text: str, start: int) -> tuple[Unit, int] | None:
    """One unit word. Han has no blanks between words: the longest known beginning counts."""
    if gpu_time := _GPU_TIME.match(text, start):
        return KNOWN["GPU-hours" if gpu_time.group(1) else "GPU-days"], gpu_time.end()
    if classifier := _CLASSIFIER.match(text, start):
        counted = _word_at(text, classifier.end())
        if counted is not None:
            return counted
    word = _ATOM.match(text, start)
    if word is None:
        return None
    written = word.group()
    if written.casefold().startswith("per"):
        written = "percent" if written.casefold().replace("-", " ") == "per cent" else written
    if (unit := atom(written)) is not None:
        return unit, word.end()
    if written[0] >= "\u4e00":
        for length in range(len(written) - 1, 0, -1):
            if (unit := atom(written[:length])) is not None:
                return unit, start + length
    return None


def scan(text: str, start: int = 0) -> tuple[Unit, int] | None:
    """The longest unit that begins at `start`, and where it ends; None where no unit begins there.

    A thing counted below the line (tokens/s/GPU, GB per layer) does not change the unit: the question is about it.

    Raises:
        Unreadable: `unknown-unit` where units cancel (GB/GB): that is no quantity of anything.
    """
    first = _word_at(text, start)
    if first is None:
        return None
    unit, end = first
    while True:
        if (inverse := _INVERSE_SECOND.match(text, end)) is not None:
            unit, end = unit.times(KNOWN["s"], -1), inverse.end()
            continue
        joint = _JOINT.match(text, end)
        factor = (_word_at(text, joint.end()) or _second_at(text, joint.end())) if joint else None
        if joint is None or factor is None:
            break
        counted_below = joint.group(1) and factor[0].dimension == NONE and factor[0].noun not in ("", "%")
        if not counted_below:
            unit = unit.times(factor[0], -1 if joint.group(1) else 1)
        end = factor[1]
    if unit.dimension == NONE != first[0].dimension:
        raise Unreadable(Trouble.UNKNOWN_UNIT, text[start:end])
    return unit, end


def _second_at(text: str, start: int) -> tuple[Unit, int] | None:
    return (KNOWN["s"], start + 1) if re.match(r"S(?![A-Za-z])", text[start:]) else None


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
        raise Unreadable(Trouble.UNKNOWN_UNIT, text)
    unit = found[0]
    if unit.dimension == FLOP and re.search(r"FLOPS$", text):
        unit = unit.times(KNOWN["s"], -1)
    return replace(unit, symbol="x" if unit.noun == "ratio" else text)


def base(dimension: Dimension) -> Unit:
    """The base unit of a dimension: B, FLOP/s, USD/B."""
    symbols = ("B", "FLOP", "s", "USD")
    above = [
        name if power == 1 else f"{name}^{power}" for name, power in zip(symbols, dimension, strict=True) if power > 0
    ]
    below = [
        name if power == -1 else f"{name}^{-power}" for name, power in zip(symbols, dimension, strict=True) if power < 0
    ]
    return Unit("/".join(["·".join(above) or ("1" if below else ""), *below]), dimension, Fraction(1))


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
