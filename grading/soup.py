"""Words without a sentence: a bare list of terms earns nothing, however many it hits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grading.said_of import Mention
from grading.saying import Saying, Span

MANY = 4
"""So many different terms side by side are a list."""
MANY_LABELLED = 7
"""Where the list begins with its subject and a colon ("DP: ...") it may be longer: that is a short answer."""
POINTS = 3
"""Of so many different points; a list of one point's own words is an answer."""
_GLUE = re.compile(
    r"(?:[\s,，、;；/|+&*•()（）\[\]·.。\"'\-–—]|\b(?:and|or|the|etc|with|plus|also|a|an)\b|和|与|及|以及|还有|等|跟)*"
)
_LABEL = re.compile(r"\s*(?:[:：=]|->|→|—|–|\|)")


@dataclass(frozen=True, slots=True)
class _Item:
    start: int
    end: int
    points: frozenset[str]
    labels: bool  # a subject and a colon


def soup(saying: Saying, hits: Sequence[tuple[Span, str]], mentions: Sequence[Mention]) -> list[Span]:
    """The stretches that only list terms. `hits` are places of terms, each with the id of its point."""
    found: list[Span] = []
    run: list[_Item] = []
    for item in _items(saying, hits, mentions):
        if run and (item.labels or not _GLUE.fullmatch(saying.low[run[-1].end : item.start])):
            found += _as_list(saying, run)
            run = []
        run.append(item)
    return [*found, *_as_list(saying, run)]


def _items(saying: Saying, hits: Sequence[tuple[Span, str]], mentions: Sequence[Mention]) -> list[_Item]:
    """Terms and subjects in order, those that overlap as one."""
    out: list[_Item] = []
    named = [((mention.start, mention.end), "") for mention in mentions]
    for (start, end), point in sorted([*hits, *named]):
        points = frozenset((point,)) if point else frozenset()
        if out and start < out[-1].end:
            last = out[-1]
            out[-1] = _Item(last.start, max(last.end, end), last.points | points, last.labels)
        else:
            out.append(_Item(start, end, points, not point and _LABEL.match(saying.low, end) is not None))
    return out


def _as_list(saying: Saying, run: Sequence[_Item]) -> list[Span]:
    terms = {saying.low[item.start : item.end] for item in run if item.points}
    points = {point for item in run for point in item.points}
    enough = MANY_LABELLED if run and run[0].labels else MANY
    return [(run[0].start, run[-1].end)] if len(terms) >= enough and len(points) >= POINTS else []
