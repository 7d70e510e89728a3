"""The report of a mock exam as Markdown, in either language. What learner and pack wrote is text in it, never markup."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from content.cards import Text
from grading.memory import Rating

if TYPE_CHECKING:
    from content.exam import Result

RATINGS = {
    Rating.AGAIN: Text("Again", "重来"),
    Rating.HARD: Text("Hard", "困难"),
    Rating.GOOD: Text("Good", "良好"),
    Rating.EASY: Text("Easy", "容易"),
}
_W = {
    "title": Text("Mock exam", "模拟口试"),
    "questions": Text("{n} questions, {answered} answered", "{n} 道题，答了 {answered} 道"),
    "clock": Text("{used} of {total} min", "用时 {used} / {total} 分钟"),
    "clock alone": Text("{used} min", "用时 {used} 分钟"),
    "mean": Text("Mean share of the points: {share}", "得分点平均：{share}"),
    "predicted mean": Text("predicted {share}", "预估 {share}"),
    "head": Text("Question|Predicted|Points|Rating|Time", "题目|预估|得分点|评分|用时"),
    "skipped": Text("not answered", "未作答"),
    "key": Text(" (key point)", "（关键点）"),
    "answer": Text("The answer as submitted:", "提交的回答："),
    "spoken": Text("Spoken aloud; nothing was typed.", "口头作答，没有输入文字。"),
    "back": Text("Said this time, missed last time: {points}", "上次漏掉、这次说到：{points}"),
    "again": Text("Missed again: {points}", "又一次漏掉：{points}"),
    "due": Text("Due today because of missed points: {cards}", "因漏掉的得分点今天到期：{cards}"),
    "marks": Text(
        "[x] said, [~] half, [ ] missed. Marked by the learner.", "[x] 说到，[~] 一半，[ ] 漏掉。由学习者自评。"
    ),
}
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&~])")


def report(
    results: Sequence[Result],
    date: datetime.date,
    lang: str,
    *,
    elapsed_ms: int,
    minutes: float | None = None,
    names: Mapping[str, str] | None = None,
) -> str:
    """The whole report; `date` is the study day, `minutes` the total clock where there was one.

    `names` are those of cards by their ids; a card that has none is named by its id.
    """
    return "\n".join(_lines(results, date, lang, elapsed_ms, minutes, names or {})) + "\n"


def _lines(
    results: Sequence[Result],
    date: datetime.date,
    lang: str,
    elapsed_ms: int,
    minutes: float | None,
    names: Mapping[str, str],
) -> Iterator[str]:
    answered = [result for result in results if result.score is not None]
    yield f"# {_say('title', lang)} {date.isoformat()}"
    yield ""
    used = f"{elapsed_ms / 60_000:.0f}"
    clock = _say("clock alone", lang, used=used)
    if minutes is not None:
        clock = _say("clock", lang, used=used, total=f"{minutes:g}")
    yield f"{_say('questions', lang, n=len(results), answered=len(answered))}; {clock}."
    if answered:
        yield ""
        yield _means(answered, lang)
    yield ""
    yield f"| {' | '.join(_say('head', lang).split('|'))} |"
    yield "|---|---|---|---|---|"
    yield from (_row(number, result, lang) for number, result in enumerate(results, start=1))
    yield ""
    yield _say("marks", lang)
    for number, result in enumerate(results, start=1):
        yield from _question(number, result, lang, names)


def _means(answered: Sequence[Result], lang: str) -> str:
    shares = [result.score.share for result in answered if result.score is not None]
    text = _say("mean", lang, share=_percent(sum(shares) / len(shares)))
    sure = [result.confidence for result in answered if result.confidence is not None]
    if sure:
        predicted = _say("predicted mean", lang, share=f"{sum(sure) / len(sure):.0f} %")
        text += f"（{predicted}）" if lang == "zh" else f" ({predicted})"
    return text


def _row(number: int, result: Result, lang: str) -> str:
    question = f"{number}. {_plain(result.card.front.of(lang))}"
    if result.score is None or result.rating is None:
        return f"| {question} | | {_say('skipped', lang)} | | |"
    predicted = "" if result.confidence is None else f"{result.confidence} %"
    rating = RATINGS[result.rating].of(lang)
    return f"| {question} | {predicted} | {_percent(result.score.share)} | {rating} | {_clock(result.elapsed_ms)} |"


def _question(number: int, result: Result, lang: str, names: Mapping[str, str]) -> Iterator[str]:
    yield ""
    yield f"## {number}. {_plain(result.card.front.of(lang))}"
    yield ""
    if result.marks is None:
        yield _say("skipped", lang)
        return
    for point in result.card.rubric:
        mark = {1.0: "x", 0.5: "~"}.get(result.marks.get(point.id, 0.0), " ")
        yield f"- \\[{mark}\\] {_plain(point.text.of(lang))}{_say('key', lang) if point.key else ''}"
    yield ""
    if result.text.strip():
        yield _say("answer", lang)
        yield ""
        yield from _fenced(result.text)
    else:
        yield _say("spoken", lang)
    texts = {point.id: point.text.of(lang) for point in result.card.rubric}
    for name, points in (("back", result.came_back.back), ("again", result.came_back.missing)):
        if points:
            yield ""
            yield _say(name, lang, points="; ".join(_plain(texts[point]) for point in points))
    if result.made_due:
        yield ""
        cards = (_plain(names[card]) if names.get(card) else f"`{card}`" for card in result.made_due)
        yield _say("due", lang, cards=("；" if lang == "zh" else "; ").join(cards))


def _fenced(text: str) -> Iterator[str]:
    """The text in a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text"
    yield from text.replace("\r\n", "\n").rstrip("\n").split("\n")
    yield fence


def _plain(text: str) -> str:
    """A pack's words on one line, with nothing in them that Markdown would read."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"


def _clock(ms: int) -> str:
    return f"{ms // 60_000}:{ms // 1000 % 60:02d}"


def _say(name: str, lang: str, **values: object) -> str:
    return _W[name].of(lang).format(**values)


__all__ = ["RATINGS", "report"]
