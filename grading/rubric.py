"""What a rubric asks for, and what its own sentences tell of its words: whose they are, which are denied, which belong together.

A point's text is an example of a right answer. So "no padding" in it makes a denied "padding" right, and in "FP8 wants
throughput; int8 wants memory" each word has an owner: said of the other one it earns nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grading.expr import Node
from grading.said_formulas import Letters, is_formula
from grading.said_of import Names, SaidOf
from grading.saying import Saying, Span, has_han
from grading.terms import places

LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class RubricLine:
    """One point of a rubric. `terms` by language: any one of them shows that the point was said.

    `of` names what `formula` must be said of. `text` by language is the point in full; without it the id names the subject.
    `half_if` by language says when the point is half said, as in "names the primitive, not that it runs in every layer".
    """

    id: str
    terms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    formula: str | None = None
    of: str | None = None
    weight: float = 1.0
    key: bool = False
    text: Mapping[str, str] = field(default_factory=dict)
    half_if: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Point:
    """A rubric line with what was found out from its text. `owners` holds terms that belong to some of `subjects` only."""

    line: RubricLine
    subjects: frozenset[str]
    leads: bool  # the text begins with its subject
    owners: Mapping[str, frozenset[str]]
    denied: frozenset[str]
    parts: Mapping[str, int]  # term -> which part of the text it belongs to
    half: frozenset[str]  # terms that alone are half of it, by `half_if`
    whole: frozenset[str]  # terms of the text that `half_if` misses
    figures: frozenset[str]  # FP32, 1:1, 14: what is exact in the text
    words: tuple[str, ...]
    formula_terms: tuple[str, ...]
    formula: Node | None
    of: frozenset[str]
    is_split: bool  # whether the text is about dividing something up

    def owner(self, term: str) -> frozenset[str]:
        """Whom a term must be said of; empty where it does not matter."""
        return self.owners.get(term, self.subjects if self.leads or self.owners else frozenset())


class Rubric:
    """All the points of a question, read once for one answer."""

    def __init__(self, lines: Sequence[RubricLine], question: Mapping[str, str], names: Mapping[str, str]) -> None:
        self.names = Names(line.of for line in lines if line.of)
        written = [line.formula for line in lines if line.formula]
        self.letters = Letters(written, names)
        self.points = [self._point(line) for line in lines]
        self.question = question

    @cached_property
    def contrasts(self) -> bool:
        """Whether points are told apart by whom they speak of (TP or PP), so that a word without a subject earns nothing."""
        return len({point.subjects for point in self.points if point.leads}) > 1

    @cached_property
    def yardstick(self) -> frozenset[str]:
        """Subjects that the question only compares with; what is said of them alone is no point without a subject."""
        text = self.question.get("en", "")
        mentions = self.names.found(Saying(text))
        compared = {key for mention in mentions if mention.compared for key in mention.keys}
        owned = {key for point in self.points if point.leads and len(point.subjects) == 1 for key in point.subjects}
        return frozenset(compared & owned)

    @cached_property
    def is_staged(self) -> bool:
        """Whether the points are numbered stages, so that the numbers of a list may stand for them."""
        return sum(any(key[-1:].isdigit() and "-" in key for key in point.subjects) for point in self.points) > 1

    def _point(self, line: RubricLine) -> Point:
        heard = _Heard()
        for lang in LANGUAGES:
            heard.read(line, lang, self.names)
        terms = {canonical(term): term for lang in reversed(LANGUAGES) for term in line.terms.get(lang, ())}.values()
        formulas = tuple(term for term in terms if is_formula(term, self.letters))
        of = self.names.of(line.of) if line.of else frozenset()
        return Point(
            line=line,
            subjects=frozenset(heard.subjects) | of,
            leads=heard.leads or bool(line.of),
            owners={term: keys for term, keys in heard.owners.items() if keys},
            denied=frozenset(heard.denied),
            parts=heard.parts,
            half=frozenset(heard.half),
            whole=frozenset(term for term in heard.whole - heard.half if canonical(term) in heard.parts),
            figures=frozenset(_figures(line)),
            words=tuple(term for term in terms if term not in formulas),
            formula_terms=formulas,
            formula=self.letters.read(line.formula) if line.formula else None,
            of=of,
            is_split=any(_SPLITS.search(Saying(text).low) for text in line.text.values()),
        )


class _Heard:
    """What a point's texts tell, gathered over both languages."""

    def __init__(self) -> None:
        self.subjects: set[str] = set()
        self.owners: dict[str, frozenset[str]] = {}
        self.denied: set[str] = set()
        self.parts: dict[str, int] = {}
        self.half: set[str] = set()
        self.whole: set[str] = set()
        self.leads = False

    def read(self, line: RubricLine, lang: str, names: Names) -> None:
        """Read one language's text; without any text, the words of the id."""
        text = Saying(line.text.get(lang, "") or ("" if line.text else re.sub(r"[-_.]", " ", line.id)))
        said = SaidOf(text, names)
        self.subjects |= {key for mention in said.mentions for key in mention.keys}
        first = said.mentions[0].start if said.mentions else None
        self.leads = self.leads or (first is not None and text.clause(first)[0] == 0 and _is_first(text, first))
        found = {term: places(term, text) or _loosely(term, text) for term in line.terms.get(lang, ())}
        found = {term: spans for term, spans in found.items() if spans}
        _parts(text, {canonical(term): spans for term, spans in found.items()}, self.parts)
        self.denied |= {term for term, spans in found.items() if all(text.is_denied(span) for span in spans)}
        if _contrasts(text, said):
            for term, spans in found.items():
                self.owners[term] = frozenset().union(*(said.at(span) for span in spans))
        granted, missing = _half(line, lang)
        self.half |= granted
        self.whole |= missing


def _half(line: RubricLine, lang: str) -> tuple[set[str], set[str]]:
    """The terms that `half_if` grants, and those it says are missing."""
    text = Saying(line.half_if.get(lang, ""))
    granted: set[str] = set()
    missing: set[str] = set()
    for term in line.terms.get(lang, ()):
        for span in places(term, text):
            (missing if text.is_denied(span) else granted).add(term)
    return granted, missing


def _loosely(term: str, text: Saying) -> list[Span]:
    """Where a Chinese term stands with other characters in between (训练后 in 训练结束后)."""
    if len(term) < 2 or not all(map(has_han, term)):
        return []
    return [match.span() for match in re.finditer(".{0,3}?".join(map(re.escape, term)), text.low)]


def _figures(line: RubricLine) -> list[str]:
    return [word for text in line.text.values() for word in re.findall(r"[a-z]*\d+", Saying(text).low)]


_SPLITS = re.compile(r"\b(?:shard|partition|split)|切")


def _lead(text: Saying, start: int) -> int:
    """Characters between the clause's beginning (or its colon) and a place."""
    opening, _ = text.clause(start)
    before = text.low[opening:start]
    return len(before[max(before.rfind(":"), before.rfind("：")) + 1 :].strip())


def _is_first(text: Saying, start: int) -> bool:
    return _lead(text, start) <= (4 if has_han(text.low[:start]) else 14)


def canonical(term: str) -> str:
    """A term without case and hyphens: All-Reduce is all-reduce in either language's list."""
    return re.sub(r"[\s\-_]", "", Saying(term).low)


def _contrasts(text: Saying, said: SaidOf) -> bool:
    leading = {text.clause(m.start)[0] for m in said.main if _lead(text, m.start) <= 6}
    return len(leading) > 1 and len({key for mention in said.main for key in mention.keys}) > 1


_SAME_PART = re.compile(r"[\s,、(（/]*(?:and|or|和|或|与|省)?\s*")


def _parts(text: Saying, found: Mapping[str, list[Span]], parts: dict[str, int]) -> None:
    """Which part of the text each term belongs to: terms that overlap or are only listed side by side are one."""
    together: list[list[str]] = []
    end = -1
    for (start, stop), term in sorted((spans[0], term) for term, spans in found.items()):
        if end < 0 or (start >= end and not _SAME_PART.fullmatch(text.low[end:start])):
            together.append([])
        together[-1].append(term)
        end = max(end, stop)
    for terms in together:
        known = [parts[term] for term in terms if term in parts]
        number = known[0] if known else max(parts.values(), default=-1) + 1
        for term in terms:
            parts.setdefault(term, number)
