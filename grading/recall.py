"""What a typed oral answer seems to say of each point of its rubric: proposals, for the learner to decide; and the score.

A word counts where it is said, not denied; of the right subject; in a sentence, not in a bare list; and not where it only repeats
the question. A formula counts where it equals the asked one in any form and is said of the right stage. Where in doubt nothing is
proposed: a wrong credit teaches an error, a missing one costs a key press.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from grading.expr import Node
from grading.memory import Rating
from grading.rubric import LANGUAGES, Point, Rubric, RubricLine, canonical
from grading.said_formulas import equals, formulas_in
from grading.said_of import SaidOf
from grading.saying import Saying, Span, copied, inside
from grading.soup import soup
from grading.terms import places, shows_han

__all__ = ["Proposal", "RubricLine", "Score", "Why", "propose", "score"]


class Why(StrEnum):
    """Why a share is proposed; the interface has a sentence for each."""

    TERMS = "terms"
    FORMULA = "formula"
    FORMULA_ELSEWHERE = "formula-elsewhere"  # the right formula, said of another subject
    NEGATED = "negated"
    SWAPPED = "swapped"  # the right words, said of another subject
    PASTED = "pasted"
    SOUP = "soup"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The share of one point that an answer seems to earn. `spans` are the places in the typed text that speak for it, or, at
    share 0, those that were found and do not count for the reason `why`."""

    point_id: str
    share: float
    why: Why
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Hit:
    span: Span
    term: str  # empty for the formula itself
    why: Why  # TERMS or FORMULA where it counts, else why it does not

    @property
    def counts(self) -> bool:
        return self.why in (Why.TERMS, Why.FORMULA)


def propose(
    typed: str, rubric: Sequence[RubricLine], question: Mapping[str, str], names: Mapping[str, str] | None = None
) -> tuple[Proposal, ...]:
    """A proposal for every point, in order. Never raises for anything typed.

    `question` is the question by language; `names` maps spellings of parameters to the keys of the rubric's formulas (the keys
    themselves, other cases, Φ, Ψ and N_d are known anyway).
    """
    answer = _Answer(Saying(typed), Rubric(rubric, question, names or {}))
    return tuple(answer.proposal(point) for point in answer.rubric.points)


class _Answer:
    """One answer taken apart: what it names, its formulas, what it copies, where it only lists."""

    def __init__(self, saying: Saying, rubric: Rubric) -> None:
        self.saying = saying
        self.rubric = rubric
        self.said = SaidOf(saying, rubric.names, weak=rubric.is_staged)
        self.formulas = formulas_in(saying, rubric.letters, [(m.start, m.end) for m in self.said.mentions])
        self.said.match_in_order([found.span for found in self.formulas])
        self.copied = sorted(span for text in rubric.question.values() for span in copied(saying, text))
        self.raw = {point.line.id: self._raw(point) for point in rubric.points}
        hits = [(span, point) for point, found in self.raw.items() for span, _ in found]
        self.soup = sorted(soup(saying, hits, self.said.mentions))
        self.exchanged = _exchanged(saying, self.said)

    def _raw(self, point: Point) -> list[tuple[Span, str]]:
        """Every place that could speak for a point, good or not."""
        found = [(span, term) for term in point.words for span in places(term, self.saying)]
        for term in point.formula_terms if point.formula is None else ():
            node = self.rubric.letters.read(term)
            if node is not None:
                found += [(span, term) for span in self._equal_to(node)]
        if point.formula is not None:
            found += [(span, "") for span in self._equal_to(point.formula)]
        return sorted(found)

    def _equal_to(self, asked: Node) -> list[Span]:
        known: dict[tuple[str, bool], bool] = {}
        for found in self.formulas:
            if (found.text, found.summed) not in known:
                known[found.text, found.summed] = equals(found, asked)
        return [found.span for found in self.formulas if known[found.text, found.summed]]

    def proposal(self, point: Point) -> Proposal:
        hits = [_Hit(span, term, self._worth(point, span, term)) for span, term in self.raw[point.line.id]]
        good = [hit for hit in hits if hit.counts]
        if not good:
            why = next((why for why in _ORDER if any(hit.why is why for hit in hits)), Why.NOTHING)
            shown = [hit.span for hit in hits if hit.why is why and why is not Why.NOTHING]
            return Proposal(point.line.id, 0.0, why, _merged(shown))
        right = [hit for hit in good if hit.why is Why.FORMULA]
        if right:
            return Proposal(point.line.id, 1.0, Why.FORMULA, _merged(hit.span for hit in right))
        return Proposal(point.line.id, self._share(point, good), Why.TERMS, _merged(hit.span for hit in good))

    def _share(self, point: Point, good: Sequence[_Hit]) -> float:
        """Half where a formula was asked and only words came, or where a point that has a half mark was said in part.

        What is missing is read off `half_if` where that names a term ("not that it runs in every layer"); elsewhere one of
        several parts of the point's text is half, two are the whole.
        """
        if point.formula is not None:
            return 0.5
        said = {hit.term for hit in good}
        if not point.line.half_if or said & point.whole:
            return 1.0
        if said <= point.half:
            return 1.0 if self._is_exact(point, good) else 0.5
        misses = {shows_han(term) for term in point.whole}
        if misses >= {shows_han(term) for term in said} and all(canonical(term) in point.parts for term in said):
            return 0.5
        return self._share_of_parts(point, good)

    def _is_exact(self, point: Point, good: Sequence[_Hit]) -> bool:
        """Whether a figure of the point's text (FP32) stands beside one of its words, where the text has no further word."""
        if not point.parts.keys() <= {canonical(term) for term in point.half}:
            return False
        bounds = [self.saying.clause(hit.span[0]) for hit in good]
        return any(word.group() in point.figures for start, end in bounds for word in self.saying.words(start, end))

    def _share_of_parts(self, point: Point, good: Sequence[_Hit]) -> float:
        said = {canonical(hit.term) for hit in good}
        for lang in LANGUAGES:
            terms = {canonical(term) for term in point.line.terms.get(lang, ())}
            known = {point.parts[term] for term in terms if term in point.parts}
            found = {point.parts.get(term, -1) for term in said & terms}
            if len(found) >= 2 or (found and len(known) < 2):
                return 1.0
        places_apart = {self.saying.clause(hit.span[0]) for hit in good}
        scripts = {shows_han(hit.term) for hit in good}
        return 1.0 if len(scripts) > 1 and len(places_apart) > 1 else 0.5

    def _worth(self, point: Point, span: Span, term: str) -> Why:
        """Whether one place counts, and if not, why."""
        if inside(span, self.copied):
            return Why.PASTED
        if self.saying.is_question(span[0]):
            return Why.NOTHING
        if inside(span, self.soup):
            return Why.SOUP
        mention = self.said.inside(span)
        if (
            term
            and mention is not None
            and span != (mention.start, mention.end)
            and "parallel" in self._text(mention.start, mention.end)
        ):
            return Why.NOTHING  # the "expert" of expert parallelism
        if term and mention is not None and span == (mention.start, mention.end) and point.owners:
            return Why.NOTHING  # where two are told apart, a name alone says nothing of it
        return self._formula_worth(point, span) if not term else self._term_worth(point, span, term)

    def _text(self, start: int, end: int) -> str:
        return self.saying.low[start:end].replace("并行", "parallel")

    def _formula_worth(self, point: Point, span: Span) -> Why:
        other = self._other_subject(span)
        if not other and self.saying.is_denied(span):
            return Why.NEGATED
        if not point.of:
            return Why.FORMULA
        bound = other or self.said.at(span)
        if not bound & point.of:
            return Why.FORMULA_ELSEWHERE if bound else Why.NOTHING
        others = [
            p for p in self.rubric.points if p.of and p.of & bound and not p.of & point.of and p.formula is not None
        ]
        return Why.FORMULA_ELSEWHERE if others else Why.FORMULA

    def _other_subject(self, span: Span) -> frozenset[str]:
        """In "3Φ against 2Φ" the second formula is said of the other of the two subjects that are compared."""
        subjects = {point.of for point in self.rubric.points if point.of}
        against = _AGAINST.search(self.saying.low[max(0, span[0] - 20) : span[0]])
        if len(subjects) != 2 or not against or self.said.next_to(span) is not None:
            return frozenset()
        first, second = subjects
        bound = self.said.at(span)
        return second if bound & first else first if bound & second else frozenset()

    def _term_worth(self, point: Point, span: Span, term: str) -> Why:
        bound = self.said.at(span)
        if self._is_denied(point, span, term):
            return Why.NEGATED
        if inside(span, self.exchanged):
            return Why.SWAPPED
        owner = point.owner(term)
        if not owner:
            about = self.said.about(span)
            return Why.SWAPPED if about and about <= self.rubric.yardstick else Why.TERMS
        if bound & owner:
            return Why.TERMS
        if term in point.owners or (self.rubric.contrasts and point.leads and not point.owners):
            return Why.SWAPPED if bound else Why.NOTHING
        return Why.TERMS

    def _is_denied(self, point: Point, span: Span, term: str) -> bool:
        start, end = self.saying.clause(span[0])
        clause = self.saying.low[max(start, span[0] - CLAUSE_WINDOW) : min(end, span[1] + CLAUSE_WINDOW)]
        denied = self.saying.is_denied(span)
        if term not in point.denied:
            return denied or (point.is_split and _WHOLE.search(clause) is not None and _SPLIT.search(clause) is None)
        if denied or _LEFT_OUT.search(clause):
            return False
        return _COUNTED.search(clause) is not None or _IF.search(clause) is None


CLAUSE_WINDOW = 200
"""Characters on either side of a word in which its clause is looked at."""
_ORDER = (Why.FORMULA_ELSEWHERE, Why.SWAPPED, Why.NEGATED, Why.PASTED, Why.SOUP)
_AGAINST = re.compile(
    r"(?:\b(?:against|versus|vs\.?|compared (?:with|to)|instead of|up from|rather than|not)|对比?|而不是|而非|比)\s*$"
)
_WHOLE = re.compile(
    r"\breplicat|\bwhole\b|\bunsharded|\bfull (?:copy|copies|set)|\bintact\b|完整|复制|各存一份|每卡一份"
)
_SPLIT = re.compile(r"\bshard|\bsplit|\bpartition|\bcut|切|分片|分到")
_LEFT_OUT = re.compile(
    r"exclud|ignor|\bmask|skip|\bdrop|remov|left out|leav\w+ out|排除|去掉|剔除|除去|除外|屏蔽|扣除|不计|不算"
)
_COUNTED = re.compile(r"\b(?:includ|count|assum|requir|hold|need|even|also)|包括|包含|计入|算上|也算|前提|假设|要求")
_IF = re.compile(r"\b(?:with|when|if|under|once|during)\b|时|若|如果|一旦|有")

_FAR = re.compile(
    r"\b(?:across|between|cross(?:es|ing)?)\s+(?:the )?(?:machine|node|server|host)s?\b|跨(?:机|节点|服务器)"
)
_NEAR = re.compile(
    r"\b(?:must|needs?|has to|have to|requires?|only|belongs?)\b.*(?:nvlink|inside|within|fastest|same (?:node|machine))"
    r"|(?:必须|只能|要放|需要|得).*(?:nvlink|机内|节点内|同一台|最快|高速)"
)


def _exchanged(saying: Saying, said: SaidOf) -> list[Span]:
    """Sentences that put tensor parallelism across machines or pipeline parallelism on the fastest links: the usual exchange."""
    far = [match.span() for match in _FAR.finditer(saying.low)]
    found = [saying.sentence(at[0]) for at in far if said.at(at) == {"tp"} and not saying.is_denied(at)]
    for mention in said.main:
        _, end = saying.sentence(mention.start)
        if mention.keys == ("pp",) and (near := _NEAR.search(saying.low[mention.end : min(end, mention.end + 80)])):
            at = mention.end + near.start(), mention.end + near.end()
            if said.at(at) == {"pp"} and not saying.is_denied((at[1] - 1, at[1])):
                found.append(saying.sentence(mention.start))
    return sorted(set(found))


def _merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    out: list[Span] = []
    for start, end in sorted(set(spans)):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(out[-1][1], end))
        else:
            out.append((start, end))
    return tuple(out)


# --- the score --------------------------------------------------------------------------------------------------------

AGAIN_BELOW = 0.60
HARD_BELOW = 0.85
_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Score:
    """The weighted share of the points, the key points that are missing, and the rating that follows: proposed, never imposed."""

    share: float
    missed_keys: tuple[str, ...]
    rating: Rating


def score(points: Mapping[str, float], rubric: Sequence[RubricLine]) -> Score:
    """Sum of weight x share over the sum of weights. Below 60 % or with a key point missed Again, below 85 % Hard, else Good.

    `points` holds shares from 0 to 1 by point id; a point that is not in it was missed. Half of a key point is not a miss.
    """
    shares = {line.id: min(1.0, max(0.0, points.get(line.id, 0.0))) for line in rubric}
    total = math.fsum(line.weight for line in rubric)
    share = math.fsum(line.weight * shares[line.id] for line in rubric) / total if total > 0 else 0.0
    missed = tuple(line.id for line in rubric if line.key and shares[line.id] == 0)
    if missed or share < AGAIN_BELOW - _SLACK:
        return Score(share, missed, Rating.AGAIN)
    return Score(share, missed, Rating.HARD if share < HARD_BELOW - _SLACK else Rating.GOOD)
