"""What a stretch of an answer is said of: stages, parallelisms and formats under all their names, the nearest one counts.

"ZeRO-1", "zero 1", "stage one", 第一阶段, 一阶段 and Z1 are one subject. A formula belongs to the subject of its own
clause, else to what the sentence, the list item or the text before it speaks of. Mentions that only compare ("than DDP",
与 DDP 相比) do not take over. "A and B hold x and y respectively" (分别) is matched in order.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from grading.saying import Saying, Span

ALIASES: dict[str, str] = {
    "dp": r"(?:plain |vanilla |ordinary |classic )?(?:\bddp\b|\bdp\b|\bdata[- ]parallel(?:ism)?(?: training)?)"
    r"|\b(?:no|without) zero\b|(?:普通|朴素|标准|纯)?的?数据并行|(?:不用|不开|没有|无) ?zero\b",
    "tp": r"\btp\b|\btensor[- ](?:model[- ])?parallel(?:ism)?|张量(?:模型)?并行",
    "pp": r"\bpp\b|\bpipeline[- ]parallel(?:ism)?|(?:流水线?|管线|管道)并行",
    "ep": r"\bep\b|\bexpert[- ]parallel(?:ism)?|专家并行",
    "fp8": r"\bfp8\b(?:[- ]mixed[- ]precision)?(?:[- ]training)?(?: ?混合精度)?(?: ?训练)?",
    "int8": r"\bint8\b(?: ?(?:weights?\b|权重)? ?(?:quanti[sz]ation|量化)?)?|\bptq\b|\bpost-training quanti[sz]ation"
    r"|\b(?:inference|weight(?:-only)?) quanti[sz]ation|(?:推理|权重|训后|训练后)量化",
}
"""Names of what this field compares; each as a pattern over the lower-case, half-width text."""
MAX_MENTIONS = 400
"""Subjects named in one answer; later ones are not looked at."""
_SHORT = {
    "data": "dp",
    "tensor": "tp",
    "pipeline": "pp",
    "expert": "ep",
    "数据": "dp",
    "张量": "tp",
    "流水线": "pp",
    "专家": "ep",
}
_SHARED_EN = re.compile(
    r"\b(?:data|tensor|pipeline|expert)(?:(?:-|, | and | or |, and |/|\s)(?:data|tensor|pipeline|expert)){1,4}"
    r"[- ]parallel(?:ism|isms)?"
)
_SHARED_ZH = re.compile(
    r"(?:数据|张量|流水线|专家)(?:[、和与及](?:数据|张量|流水线|专家)){1,4}(?:[三三两二3]种|这?几种)?并行"
)
_NUMBER = {
    "one": 1,
    "two": 2,
    "three": 3,
    "first": 1,
    "second": 2,
    "third": 3,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
}
_DIGIT = r"[0-9一二三四]"
_NOT_A_TERM = r"(?!\s*(?:[\u0370-\u03ff*%×·(+]|/\s*[^\d\s])|\.\d|[\da-z])"  # "ZeRO-1, 2Φ" names one stage
_MORE = rf"(?:\s*(?:,|、|/|&|-|~|到|至|and|to|和|与|及)\s*-?{_DIGIT}{_NOT_A_TERM})*"
_ORDINAL = r"(?:first|second|third|1st|2nd|3rd)"
_STRONG = (
    rf"\b(?P<family>FAMILY)\s*[- ]?\s*(?:stages?\s*|阶段\s*|第)?(?P<n1>{_DIGIT}(?!\.?\d|[a-z]){_MORE})",
    rf"\bz-?(?P<n2>[123](?!\.?\d|[a-z]){_MORE})",
    rf"\b(?:stages?|levels?)\s*-?(?P<n3>(?:{_DIGIT}(?!\.?\d|[a-z]){_MORE})|(?:one|two|three)\b(?:\s*(?:and|to)\s*(?:one|two|three)\b)?)",
    rf"\b(?P<n4>{_ORDINAL}(?:\s*(?:,|and)\s*{_ORDINAL})*)\s+(?:zero\s+)?(?:stages?|levels?|rungs?)\b",
    rf"(?P<n5>第?{_DIGIT}(?:[、/和与到至]第?{_DIGIT})*)\s*个?(?:阶段|级|档)",
    rf"阶段\s*(?P<n6>{_DIGIT}(?![\d.]){_MORE})",
    r"(?P<n7>\bfirst two(?: stages)?\b|前[两二]个?(?:阶段|级|步|档|者))",
)
_WEAK = re.compile(
    r"(?m)^[ \t]*(?:[-*•>][ \t]*)?(?:[(]?(?P<item>[1-9])[.):、]\s?|(?P<han>[一二三])[、.)])"
    r"|\b(?:the |in the )(?P<word>first|second|third)\b"
    r"|第(?P<step>[一二三123])(?:步|层|种|个)?"
)
_NUMBERED = re.compile(r"^([a-z]+)[- ]?(\d)$")
_JOIN = re.compile(r"\s*(?:/|&|、|和|与|及|以及|\+|\band\b|\bor\b|,\s*and\b)\s*")
_COMMA = re.compile(r"\s*[,，]\s*")

_COMPARES_BEFORE = re.compile(
    r"(?:\b(?:compared? (?:with|to)|than|unlike|against|versus|vs\.?|relative to|over|beyond|instead of|rather than"
    r"|in contrast to"
    r"|as (?:in|with|for|much as)|with that of|to that of|same as|identical to|equal to|matches|goes beyond"
    r"|orthogonal to|on top of|buil(?:ds?|t|ding) (?:up)?on|extends|after|follow(?:s|ing)"
    r"|from)\s+(?:that of |those of |the |what )*|(?:比起|相比于?|相较于?|较之?|不像|不同于|相对于?|对比|比|从|由|在)\s*)$"
)
_ON_TOP = re.compile(r"\s*(?:的基础上|相比|比起来|相较|(?:的(?:通信量|量))?(?:一样|相同|持平))")
_AT_BEFORE = re.compile(r"在\s*$")
_BELONGS = re.compile(
    r"^(?:\s|'|\))*"
    r"(?:(?:bytes?|elements?|字节|元素|each|here|per (?:card|gpu|step|rank)|on each card|only|as well|too|个)\s*){0,2}"
    r"(?:[(]\s*|\s(?:for|of|in|at|under|with|on)\s+(?:the )?|(?:is|are|=|->|→|belongs? to|是|属于|对应|来自)\s*(?:the )?)$"
)
_NEXT_TO = re.compile(r"^(?:'s|的|:|=|\s|is|at|\(|needs|sends|costs|has|为|是|约|needing)*$")
_WHICH = re.compile(r"\s*,?\s*which\s*")
_RESPECTIVELY = re.compile(
    r"\brespectively\b|\bin (?:that|this|the same) order\b|\bin order\b|\bin turn\b|分别|依次|各自?(?:为|是)"
)
_ITEM = re.compile(r"\s*(?:,\s*and\b|[,，、;；]|\band\b|和|与|以及|及)\s*")


@dataclass(frozen=True, slots=True)
class Mention:
    """A place that names one subject or several in order; `compared` ones only serve as a yardstick."""

    start: int
    end: int
    keys: tuple[str, ...]
    compared: bool = False


class Names:
    """All the spellings of the subjects of one rubric: the well-known ones, and its own as they are written in `of`."""

    def __init__(self, of_names: Iterable[str]) -> None:
        own: dict[str, str] = {}
        families = {"zero"}
        for name in dict.fromkeys(of_names):
            low = Saying(name).low.strip()
            if numbered := _NUMBERED.match(low):
                families.add(numbered.group(1))
            elif low and not any(re.fullmatch(pattern, low) for pattern in ALIASES.values()) and low != "fsdp":
                own[low] = _literal(low)
        self.family = max(families, key=lambda family: (family != "zero", family))
        alternatives = [f"(?P<{key}>{pattern})" for key, pattern in ALIASES.items()]
        self._own = list(own)
        alternatives += [f"(?P<own{i}>{pattern})" for i, pattern in enumerate(own.values())]
        strong = [pattern.replace("FAMILY", "|".join(map(re.escape, sorted(families)))) for pattern in _STRONG]
        self._pattern = re.compile("|".join([*strong, r"(?P<fsdp>\bfsdp\b)", *alternatives]))

    def of(self, name: str) -> frozenset[str]:
        """The keys of a name as a rubric writes it: `ZeRO-3 / FSDP` is one key."""
        return frozenset(key for mention in self.found(Saying(name)) for key in mention.keys)

    def found(self, saying: Saying) -> list[Mention]:
        """Every mention in a text, in order; neighbours joined by "and" are one."""
        low = saying.low
        shared = [_shared(match) for pattern in (_SHARED_EN, _SHARED_ZH) for match in pattern.finditer(low)]
        shared = sorted(shared, key=lambda mention: mention.start)[:MAX_MENTIONS]
        starts = [mention.start for mention in shared]
        single = []
        for match in self._pattern.finditer(low):
            i = bisect_right(starts, match.start()) - 1
            if i < 0 or match.start() >= shared[i].end:
                single.append(Mention(match.start(), match.end(), self._keys(match)))
            if len(single) == MAX_MENTIONS:
                break
        return _joined(sorted([*shared, *single], key=lambda mention: mention.start), low)

    def _keys(self, match: re.Match[str]) -> tuple[str, ...]:
        kind = match.lastgroup or ""
        if kind == "fsdp":
            return ("zero-3",)
        if kind.startswith("own"):
            return (self._own[int(kind.removeprefix("own"))],)
        if kind in ALIASES:
            return (kind,)
        groups = match.groupdict()
        family = groups["family"] or self.family
        if groups["n7"]:
            return (f"{family}-1", f"{family}-2")
        text = next(groups[f"n{i}"] for i in range(1, 7) if groups[f"n{i}"])
        return tuple("dp" if (family, n) == ("zero", 0) else f"{family}-{n}" for n in _numbers(text))


def _literal(name: str) -> str:
    parts = re.findall(r"[a-z0-9\u0370-\u03ff]+|[^\sa-z0-9\-_]", name)
    return r"(?<![a-z0-9])" + r"[\s\-_]*".join(map(re.escape, parts)) + r"(?![a-z0-9])" if parts else r"(?!)"


def _shared(match: re.Match[str]) -> Mention:
    keys = tuple(_SHORT[word] for word in re.findall("|".join(_SHORT), match.group()))
    return Mention(match.start(), match.end(), keys)


def _numbers(text: str) -> list[int]:
    found = [int(w) if w.isdigit() else _NUMBER[w] for w in re.findall("[0-9]|" + "|".join(_NUMBER), text)]
    is_range = (
        re.search(r"\d\s*(?:-|~|to|到|至)\s*\d", text) is not None or re.search("[一二三][到至]", text) is not None
    )
    if is_range and len(found) == 2 and found[0] < found[1]:
        return list(range(found[0], found[1] + 1))
    return found


def _joined(mentions: Sequence[Mention], low: str) -> list[Mention]:
    out: list[Mention] = []
    i = 0
    while i < len(mentions):
        j = i
        real_join = False
        while j + 1 < len(mentions):
            gap = low[mentions[j].end : mentions[j + 1].start]
            joins = _JOIN.fullmatch(gap)
            if joins is None and not _COMMA.fullmatch(gap):
                break
            real_join = real_join or joins is not None
            j += 1
        if real_join:
            keys = tuple(dict.fromkeys(key for mention in mentions[i : j + 1] for key in mention.keys))
            out.append(Mention(mentions[i].start, mentions[j].end, keys))
        else:
            out.extend(mentions[i : j + 1])
        i = j + 1
    return [_as_compared(mention, low) for mention in out]


def _as_compared(mention: Mention, low: str) -> Mention:
    before = low[max(0, mention.start - 30) : mention.start]
    compares = _COMPARES_BEFORE.search(before)
    after = _ON_TOP.match(low, mention.end)
    if compares and _AT_BEFORE.search(before) and not after:
        compares = None  # 在 ZeRO-2 中 speaks of it; 在 ZeRO-1 的基础上 builds on it
    return (
        replace(mention, compared=True) if compares or (after and before.rstrip()[-1:] in "与和跟同比在") else mention
    )


class SaidOf:
    """The subjects of one answer: `at(span)` gives what a stretch of it is said of."""

    def __init__(self, saying: Saying, names: Names, *, weak: bool = False) -> None:
        self.saying = saying
        self.mentions = names.found(saying)
        strong = any("-" in key and key[-1:].isdigit() for mention in self.mentions for key in mention.keys)
        if weak and not strong:
            items = [_weak(match, names.family) for match in _WEAK.finditer(saying.low)]
            self.mentions = sorted([*self.mentions, *items], key=lambda mention: mention.start)
        self._starts = [mention.start for mention in self.mentions]
        self.in_order: list[tuple[Span, str]] = []

    @cached_property
    def main(self) -> list[Mention]:
        return [mention for mention in self.mentions if not mention.compared]

    @cached_property
    def _main_starts(self) -> list[int]:
        return [mention.start for mention in self.main]

    def inside(self, span: Span) -> Mention | None:
        """The mention that a span lies in."""
        i = bisect_right(self._starts, span[0]) - 1
        return self.mentions[i] if i >= 0 and span[1] <= self.mentions[i].end else None

    def at(self, span: Span) -> frozenset[str]:
        """The keys that a stretch of the answer is said of; empty where nothing was named yet."""
        for region, key in self.in_order:
            if region[0] <= span[0] and span[1] <= region[1]:
                return frozenset((key,))
        mention = self._in_clause(span) or self._in_sentence(span) or self._before(span)
        return frozenset(mention.keys) if mention is not None else frozenset()

    def about(self, span: Span) -> frozenset[str]:
        """As `at`; but where the sentence names nobody, all that the sentence before named."""
        start, end = self.saying.sentence(span[0])
        keys = self.at(span)
        before = self._before(span)
        if before is None or any(start <= mention.start < end for mention in self.main):
            return keys
        opening, close = self.saying.sentence(before.start)
        return keys.union(*(mention.keys for mention in self.main if opening <= mention.start < close))

    def next_to(self, span: Span) -> Mention | None:
        """The mention that stands right beside: "4Φ for ZeRO-1", "ZeRO-1: 4Φ"."""
        low = self.saying.low
        start, _ = self.saying.clause(span[0])
        i = bisect_left(self._starts, span[1])
        if i < len(self.mentions):
            after = self.mentions[i]
            close = after.start - span[1] <= 40 and not after.compared
            if close and _BELONGS.match(low[span[1] : after.start]) and not re.match(r"\s*:", low[after.end :][:3]):
                return after
        if i > 0:
            before = self.mentions[i - 1]
            gap = low[before.end : span[0]][:40]
            announces = before.compared and ":" in gap  # "A goes beyond B: ..." is about A
            if before.start >= start and _NEXT_TO.match(gap) and not announces:
                return before
        return None

    def _in_clause(self, span: Span) -> Mention | None:
        beside = self.next_to(span)
        if beside is not None:
            return beside
        start, end = self.saying.clause(span[0])
        k = bisect_right(self._main_starts, span[0]) - 1
        if k >= 0 and self.main[k].start >= start:
            return self.main[k]
        if k + 1 < len(self.main) and self.main[k + 1].start < end:
            return self.main[k + 1]
        return None

    def _in_sentence(self, span: Span) -> Mention | None:
        start, end = self.saying.sentence(span[0])
        clause, _ = self.saying.clause(span[0])
        i = bisect_left(self._starts, clause) - 1
        if i >= 0 and _WHICH.fullmatch(self.saying.low[self.mentions[i].end : clause][:20]):
            return self.mentions[i]  # "unlike ZeRO-2, which leaves ..."
        k = bisect_right(self._main_starts, span[0]) - 1
        if k >= 0 and self.main[k].start >= start:
            return self.main[k]
        if k + 1 < len(self.main) and self.main[k + 1].start < end:
            after = self.main[k + 1]
            if _COMMA.fullmatch(self.saying.low[span[1] : after.start]):
                return after
        return None

    def _before(self, span: Span) -> Mention | None:
        """What the text before the sentence was about: the subject of its last clause that has one of its own."""
        start, _ = self.saying.sentence(span[0])
        k = bisect_left(self._main_starts, start) - 1
        if k < 0:
            return None
        last = self.main[k]
        opening, _ = self.saying.sentence(last.start)
        for mention in reversed(self.main[max(0, k - 8) : k + 1]):
            clause, _ = self.saying.clause(mention.start)
            if mention.start < opening:
                break
            leads = self.saying.low[clause : mention.start]
            if len(leads) <= 14 and not re.search(r"\b(?:while|whereas|which)\s*$", self.saying.low[:clause][-10:]):
                return mention
        return last

    def match_in_order(self, spans: Sequence[Span]) -> None:
        """Bind what is listed in the order of its subjects: with "respectively" (分别), or a bare list of as many formulas."""
        for i, group in enumerate(self.mentions):
            if len(group.keys) < 2:
                continue
            _, end = self.saying.sentence(group.start)
            begin, _ = self.saying.sentence(group.start)
            if i + 1 < len(self.mentions):
                end = min(end, self.mentions[i + 1].start)
            body = self.saying.low[group.end : end]
            marked = _RESPECTIVELY.search(self.saying.low[begin:end]) is not None
            listed = [span for span in spans if group.end <= span[0] and span[1] <= end]
            if len(listed) == len(group.keys) and (marked or self._is_list(listed)):
                self.in_order += list(zip(listed, group.keys, strict=True))
            elif marked:
                self._items_in_order(group, body)

    def _is_list(self, spans: Sequence[Span]) -> bool:
        gaps = [self.saying.low[a[1] : b[0]] for a, b in pairwise(spans)]
        return all(
            re.fullmatch(
                r"\s*(?:bytes?|elements?|字节|B)?\s*(?:,|，|、|/|;|\band\b|和|与|,\s*and\b|以及|及|\|)\s*", gap
            )
            for gap in gaps
        )

    def _items_in_order(self, group: Mention, body: str) -> None:
        plain = _RESPECTIVELY.sub(lambda match: " " * len(match.group()), body)
        bounds = [
            0,
            *(place for match in _ITEM.finditer(plain.rstrip(" .。,，")) for place in match.span()),
            len(plain),
        ]
        items = [(a, b) for a, b in zip(bounds[::2], bounds[1::2], strict=True) if plain[a:b].strip()]
        if len(items) == len(group.keys):
            for (a, b), key in zip(items, group.keys, strict=True):
                self.in_order.append(((group.end + a, group.end + b), key))


def _weak(match: re.Match[str], family: str) -> Mention:
    text = next(group for group in match.groups() if group)
    number = int(text) if text.isdigit() else _NUMBER[text]
    return Mention(match.start(), match.end(), (f"{family}-{number}",))
