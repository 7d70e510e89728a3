"""How a typed answer says things: widths folded, sentences and clauses, what is denied and what is only repeated.

Nothing is understood here. A word counts as said where no negation reaches it; all that is found keeps its place in the typed
text, so that a screen can show it. Chinese and English have their own signs, and one text may mix both.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

MAX_READ = 40_000
"""Characters of an answer that are looked at; what comes after earns nothing."""
_DASHES = dict.fromkeys("\u2010\u2011\u2012\u2212\ufe63\uff0d", "-")
_SIGNS = {**_DASHES, "’": "'", "‘": "'", "`": "'", "。": "。", "⁄": "/", "∕": "/", "÷": "/"}
_HAN_NUMERALS = str.maketrans("一二两三四五六七八九〇零", "112345678900"[:1] + "22" + "345678900")
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[a-z0-9\u0370-\u03ff_]+|[\u3400-\u9fff]")

MAX_DENIALS = 64
"""Negations looked at in one sentence."""

Span = tuple[int, int]


def folded_width(text: str) -> str:
    """The text in half width, character for character: every place stays what it was."""
    return text.translate(_WIDTHS)


class _Widths(dict[int, str]):
    """Filled as characters come."""

    def __missing__(self, code: int) -> str:
        self[code] = _one(chr(code))
        return self[code]


_WIDTHS = _Widths()


def _one(ch: str) -> str:
    if ch.isascii():
        return ch if ch.isprintable() or ch == "\n" else " "
    if ch in _SIGNS:
        return _SIGNS[ch]
    category = unicodedata.category(ch)
    if category in ("Cf", "Zs", "Cc"):
        return " "
    if category in ("Zl", "Zp"):
        return "\n"
    plain = unicodedata.normalize("NFKC", ch)
    return plain if len(plain) == 1 else ch


def lowered(text: str) -> str:
    """Lower case, character for character."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(one if len(one := ch.lower()) == 1 else ch for ch in text)


def numerals_folded(text: str) -> str:
    """Chinese numerals as digits, character for character, so that 两次 and 2 次 are the same."""
    return text.translate(_HAN_NUMERALS)


def has_han(text: str) -> bool:
    """Whether Chinese characters occur."""
    return _HAN.search(text) is not None


# --- sentences and clauses --------------------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"[\n;；。！？!?]+|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)\.(?=\s|$|[\u3400-\u9fff\"')）])")
_CLAUSE_END = re.compile(
    r"[,，|]"
    r"|\b(?:but|while|whereas|although|though|because|since|however|so that|which)\b"
    r"|但是|但|然而|而(?![是不非且])|因为|由于|所以|因此|却"
)
_CONJUNCTION = re.compile(r"\b(?:and|then|so|when|if|as)\b|并且|而且|且|并(?![不非没未])|时|则|就|才|、")


@dataclass(frozen=True)
class Saying:
    """A typed answer with its sentences and clauses. `wide` keeps the case, `low` does not, `matched` has digits for 一二三."""

    typed: str

    @cached_property
    def wide(self) -> str:
        return folded_width(self.typed[:MAX_READ])

    @cached_property
    def low(self) -> str:
        return lowered(self.wide)

    @cached_property
    def matched(self) -> str:
        return numerals_folded(self.low)

    @cached_property
    def sentence_starts(self) -> list[int]:
        return [0, *(found.end() for found in _SENTENCE_END.finditer(self.low))]

    @cached_property
    def clause_starts(self) -> list[int]:
        # a comma between digits groups thousands
        marks = (m for m in _CLAUSE_END.finditer(self.low) if not re.match(r"\d,\d{3}", self.low[m.start() - 1 :][:5]))
        return sorted({*self.sentence_starts, *(m.end() for m in marks)})

    @cached_property
    def phrase_starts(self) -> list[int]:
        return sorted({*self.clause_starts, *(m.end() for m in _CONJUNCTION.finditer(self.low))})

    def sentence(self, at: int) -> Span:
        return _around(self.sentence_starts, at, len(self.low))

    def clause(self, at: int) -> Span:
        return _around(self.clause_starts, at, len(self.low))

    def phrase(self, at: int) -> Span:
        return _around(self.phrase_starts, at, len(self.low))

    def words(self, start: int = 0, end: int | None = None) -> list[re.Match[str]]:
        """Latin words and single Chinese characters, in order."""
        return list(_WORD.finditer(self.low, start, len(self.low) if end is None else end))

    @cached_property
    def all_words(self) -> list[re.Match[str]]:
        return self.words()

    @cached_property
    def denials(self) -> list[Denial]:
        return _denials(self.low)

    def is_denied(self, span: Span) -> bool:
        """Whether a negation reaches what stands at `span`; a negation inside of it is part of what is said."""
        return any(denial.reaches(span, self) for denial in self._near(span))

    def _near(self, span: Span) -> list[Denial]:
        start, end = self.sentence(span[0])
        starts = self._denial_starts
        return self.denials[bisect_right(starts, start - 1) : bisect_right(starts, end)][:MAX_DENIALS]

    @cached_property
    def _denial_starts(self) -> list[int]:
        return [denial.start for denial in self.denials]

    def is_question(self, at: int) -> bool:
        """Whether the sentence at a place asks instead of saying."""
        start, end = self.sentence(at)
        body = self.low[start:end]
        return "?" in body[-3:] and _ASKING.match(body) is not None


_ASKING = re.compile(
    r"\s*(?:what|which|how|why|when|where|who|is|are|do|does|did|can|could|should)\b|.*(?:什么|是否|为何|吗|哪|多少|怎么)"
)


def _around(starts: list[int], at: int, end: int) -> Span:
    i = bisect_right(starts, at)
    return starts[i - 1], starts[i] if i < len(starts) else end


# --- what is denied ---------------------------------------------------------------------------------------------------

_NOT = re.compile(
    r"\b(?:cannot|not|never|neither|nor|[a-z]+n't|(?:do|does|did|is|are|was|were|ca|wo|need|should|would|could)nt)\b"
    r"|\b(?P<of>no|nothing|none|nobody|without|instead of|rather than|unlike|lacks?|free of|excluding|fails? to|"
    r"(?:wrong|false|incorrect|a mistake|a myth|untrue) (?:to|that|way|answer|idea))\b"
    r"|(?P<zhof>而不是|而非|错误的?(?:做法|说法|答案))"
    r"|(?P<zh>并不是|并不|并非|并没有|并未|不是|没有|无需|无须|无关|不需要|不用|不会|不能|不可|不必|不再|不要|不应|不含|不包括|不算"
    r"|误以为|错误地|不|未|没|无|非)"
)
_NO_DENIAL = re.compile(
    r"\bnot (?:only|just|merely|simply|until|least)\b|\bno (?:matter|doubt|less than|more than|later than)\b|\bwhether or not\b"
    r"|\bnothing but\b|\bnot zero\b|\bwithout (?:doubt|question)\b"
    r"|不仅|不只|不但|不光|不单|不过|不断|不少|不同|不管|不论|不得不|不可避免|不到|不等|不久|不错|不妨|不变|不稳|不均|不平衡|不一|不足|不够"
    r"|不如|差不多|无论|无非|无穷|无限|非常|除非|未来|没准|毫无疑问|是不是|有没有|能不能|要不要|会不会"
)
_STOPS = re.compile(
    r"[,，;；:：。.!?！？()（）|\n]|\b(?:but|because|since|until|unless|while|when|whereas|however|only|except|if|instead|so|just)\b"
    r"|而是|但|而(?![是不非])|只|因为|由于|所以|却|除非|直到|才|就|则"
)
_BECAUSE = re.compile(r"\s*(?:because|since|due|only)\b|\s*因为")
_BAD_THING = re.compile(
    r"\s*(?:be|been|to|a|an|the|entirely|fully|wholly|completely|quite|really)*\s*"
    r"(?:be |entirely |fully |wholly |completely |quite )*"
    r"(?:vanish|disappear|zero(?![- ]?\d|[- ]stage)|gone|eliminat|remov|hid|avoid|free\b|ignor|negligible|escape|go away|deni)"
    r"|\s*(?:完全|全部|被|能|会|可以|是|为|有|真正|彻底)*(?:消失|零|0(?![\d.])|消除|避免|隐藏|藏|免费|去掉|忽略|小看)"
)
_BEFORE_EN = 14
_BEFORE_ZH = 3


@dataclass(frozen=True, slots=True)
class Denial:
    """One negation: where its word stands, how far it reaches forward, and whether it denies the subject before it too."""

    start: int
    end: int
    until: int
    backward: int  # so many characters before it are denied as well

    def reaches(self, span: Span, saying: Saying) -> bool:
        if span[0] < self.end and self.start < span[1]:
            return False
        if span[0] >= self.end:
            return span[0] < self.until
        near = self.backward and self.start - span[1] <= self.backward
        return bool(near) and saying.phrase(span[0]) == saying.phrase(self.start)


def _denials(low: str) -> list[Denial]:
    spared = [found.span() for found in _NO_DENIAL.finditer(low)]
    starts = [start for start, _ in spared]
    stops = [found.start() for found in _STOPS.finditer(low)]
    found = []
    for match in _NOT.finditer(low):
        i = bisect_right(starts, match.start()) - 1
        if i >= 0 and match.start() < spared[i][1]:
            continue
        because = _BECAUSE.match(low, match.end())
        j = bisect_right(stops, (because or match).end() - 1)
        until = stops[j] if j < len(stops) else len(low)
        if _BAD_THING.match(low, match.end()):  # "is not gone", 并没有消失: what is said of it stands
            until, backward = match.end(), 0
        elif match.group("of") or match.group("zhof") or because is not None:
            backward = 0
        else:
            backward = _BEFORE_ZH if match.group("zh") else _BEFORE_EN
        found.append(Denial(match.start(), match.end(), until, backward))
    return found


# --- what is only repeated --------------------------------------------------------------------------------------------

SHINGLE = 8
"""So many words (a Chinese character counts as half a word) in the question's own order are a copy of it."""


def copied(saying: Saying, question: str) -> list[Span]:
    """The stretches of an answer that repeat the question word for word."""
    asked = [match.group() for match in Saying(question).words()]
    said = saying.all_words
    written = [match.group() for match in said]
    length = SHINGLE if sum(map(has_han, asked)) * 2 > len(asked) else SHINGLE - 3
    if len(asked) < length:
        return []
    known = {tuple(asked[i : i + length]) for i in range(len(asked) - length + 1)}
    first = {words[0] for words in known}
    spans: list[Span] = []
    for i in range(len(said) - length + 1):
        if written[i] in first and tuple(written[i : i + length]) in known:
            start, end = said[i].start(), said[i + length - 1].end()
            if spans and start <= spans[-1][1]:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
    return spans


def inside(span: Span, spans: list[Span]) -> bool:
    """Whether a span lies within one of several, which are in order."""
    i = bisect_right(spans, span[0], key=lambda other: other[0]) - 1
    return i >= 0 and span[1] <= spans[i][1]
