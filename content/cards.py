"""Cards and topics as the rest of the app sees them: frozen values, read from and written to canonical JSON.

Nothing here needs YAML or pydantic, so that showing the first card of the day costs one `json.loads`.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Language = Literal["en", "zh"]
CardKind = Literal["concept", "cloze", "oral", "drill", "table"]

HOLE = "[...]"
"""What stands in a cloze question where the answer is hidden."""

_MARK = re.compile(r"\{\{(.+?)\}\}(?!\})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Text:
    """The same words in both languages."""

    en: str
    zh: str

    def of(self, lang: str) -> str:
        """The words in `lang`; English for anything but "zh"."""
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True, slots=True)
class Caveat:
    """Where the literature is more exact than the course: what to add, and who says so."""

    text: Text
    source: str


@dataclass(frozen=True, slots=True)
class Terms:
    """Words that show that a rubric point was said, in each language; any one of them is enough."""

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()

    def of(self, lang: str) -> tuple[str, ...]:
        """The words in `lang`; English for anything but "zh"."""
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True, slots=True)
class RubricPoint:
    """One thing that a good oral answer says. A missed `key` point makes the whole answer Again.

    `of` ties `formula` to what it must be said of; `cards` are the full ids of the cards that teach the point.
    """

    id: str
    text: Text
    weight: float = 1.0
    key: bool = False
    terms: Terms = Terms()
    formula: str | None = None
    of: str | None = None
    half_if: Text | None = None
    cards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClozePart:
    """A stretch of a cloze text: `mark` is 0 for plain words, else the number (from 1) of the mark it stood in."""

    text: str
    mark: int


def cloze_parts(text: str) -> tuple[ClozePart, ...]:
    """Split a text with `{{answer}}` marks into its plain and marked stretches, in order."""
    parts: list[ClozePart] = []
    start = 0
    for mark, match in enumerate(_MARK.finditer(text), start=1):
        if match.start() > start:
            parts.append(ClozePart(text[start : match.start()], 0))
        parts.append(ClozePart(match[1], mark))
        start = match.end()
    if start < len(text):
        parts.append(ClozePart(text[start:], 0))
    return tuple(parts)


def cloze_front(text: str, index: int) -> str:
    """The question of the card that hides mark `index` (from 1): that mark is a hole, all others are plain words."""
    return "".join(HOLE if part.mark == index else part.text for part in cloze_parts(text))


def cloze_full(text: str) -> str:
    """The text with every mark filled in and no braces."""
    return "".join(part.text for part in cloze_parts(text))


def cloze_answer(text: str, index: int) -> str:
    """The words that stood in mark `index` (from 1); empty when there is no such mark."""
    return next((part.text for part in cloze_parts(text) if part.mark == index), "")


@dataclass(frozen=True, slots=True)
class Card:
    """One thing that is scheduled.

    `id` is "<pack>/<id>"; the k-th card of a cloze adds "#k". `requires`, `gives_away` and `contrast` hold full ids of
    cards. Cards with the same `sibling` are kept apart. For a cloze, `front` has a hole where mark `cloze_index` of
    `cloze` stood and `back` is the whole text; for an oral question `front` is the question, `back` its model answer; for
    a drill `front` is its title, `back` its convention and `drill` the rest, as `content.drills` reads it; for a table
    `front` is its title, `back` the whole of it as lines and `table` what `content.tables_recall` reads.
    """

    id: str
    kind: CardKind
    topic: str
    front: Text
    back: Text
    source: tuple[str, ...]
    sibling: str
    ideas: tuple[Text, ...] = ()
    caveat: Caveat | None = None
    requires: tuple[str, ...] = ()
    gives_away: tuple[str, ...] = ()
    contrast: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    invites_line: bool = False
    revision: int = 1
    cloze: Text | None = None
    cloze_index: int | None = None
    minutes: float | None = None
    rubric: tuple[RubricPoint, ...] = ()
    traps: tuple[Text, ...] = ()
    model_answer: Text | None = None
    drill: Mapping[str, Any] | None = None
    lab: str | None = None  # the lab that proves what the card says; a drill keeps its own in `drill`
    table: Mapping[str, Any] | None = None
    name: Text | None = None  # a few words for where there is no room for the question; a drill has its title

    @property
    def pack_id(self) -> str:
        """The pack the card belongs to."""
        return self.id.partition("/")[0]

    def called(self, lang: str) -> str:
        """What to call the card in a few words: its name or title, with the number of its mark where a text has several.

        Empty where its pack gives it no name.
        """
        name = self.front if self.kind == "drill" else self.name
        if name is None:
            return ""
        several = self.cloze is not None and sum(part.mark > 0 for part in cloze_parts(self.cloze.en)) > 1
        return f"{name.of(lang)} #{self.cloze_index}" if several else name.of(lang)

    def answer(self, lang: str) -> str:
        """What is asked for, alone: the words of the hidden mark of a cloze, else the back."""
        if self.cloze is not None and self.cloze_index is not None:
            return cloze_answer(self.cloze.of(lang), self.cloze_index)
        return self.back.of(lang)

    def to_json(self) -> str:
        """The canonical body: sorted keys, no spaces, empty fields left out so that a new field changes no old hash."""
        body: dict[str, Any] = {
            "id": self.id,
            "kind": self.kind,
            "topic": self.topic,
            "sibling": self.sibling,
            "source": list(self.source),
            "ideas": [_plain_text(idea) for idea in self.ideas],
            "requires": list(self.requires),
            "gives_away": list(self.gives_away),
            "contrast": list(self.contrast),
            "tags": list(self.tags),
            "invites_line": self.invites_line,
            "lab": self.lab,
            "revision": self.revision if self.revision != 1 else None,
        }
        if self.name is not None:
            body["name"] = _plain_text(self.name)
        if self.caveat is not None:
            body["caveat"] = {**_plain_text(self.caveat.text), "source": self.caveat.source}
        if self.kind == "cloze" and self.cloze is not None:
            body |= {"cloze": _plain_text(self.cloze), "cloze_index": self.cloze_index}
        elif self.table is not None:
            body |= {"front": _plain_text(self.front), "table": {k: v for k, v in self.table.items() if k != "title"}}
        else:
            body |= {"front": _plain_text(self.front), "back": _plain_text(self.back)}
        if self.kind == "oral":
            body |= {
                "minutes": self.minutes,
                "rubric": [_plain_point(point) for point in self.rubric],
                "traps": [_plain_text(trap) for trap in self.traps],
            }
        if self.drill is not None:
            # a list of pairs: the order of parameters is part of a drill, and canonical JSON sorts keys
            rest = {key: value for key, value in self.drill.items() if key not in ("title", "convention")}
            body["drill"] = {**rest, "params": [[key, spec] for key, spec in self.drill["params"].items()]}
        return _canonical({key: value for key, value in body.items() if value not in (None, [], False)})

    @property
    def rev(self) -> str:
        """The revision of the text: the first 16 hex digits of the SHA-256 of the canonical body."""
        return rev_of(self.to_json())


@dataclass(frozen=True, slots=True)
class Topic:
    """A part of the map, taught by its lesson before its first cards. `id` is "<pack>/<topic>"."""

    id: str
    title: Text
    lesson: Text

    def to_json(self) -> str:
        """The canonical body as `topic.body` stores it; the id stands in a column of its own."""
        return _canonical({"title": _plain_text(self.title), "lesson": _plain_text(self.lesson)})


def rev_of(body: str) -> str:
    """The revision that belongs to a canonical body."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def card_from_json(body: str) -> Card:
    """The card whose canonical body this is.

    Raises KeyError or ValueError for text that `Card.to_json` did not write.
    """
    data: dict[str, Any] = json.loads(body)
    shown = _sides(data)
    caveat = data.get("caveat")
    return Card(
        id=data["id"],
        kind=data["kind"],
        topic=data["topic"],
        sibling=data["sibling"],
        source=tuple(data.get("source", ())),
        ideas=tuple(map(_text, data.get("ideas", ()))),
        caveat=Caveat(_text(caveat), caveat["source"]) if caveat else None,
        requires=tuple(data.get("requires", ())),
        gives_away=tuple(data.get("gives_away", ())),
        contrast=tuple(data.get("contrast", ())),
        tags=tuple(data.get("tags", ())),
        invites_line=data.get("invites_line", False),
        revision=data.get("revision", 1),
        minutes=data.get("minutes"),
        rubric=tuple(map(_point, data.get("rubric", ()))),
        traps=tuple(map(_text, data.get("traps", ()))),
        model_answer=_text(data["back"]) if data["kind"] == "oral" else None,
        drill=_drill(data),
        lab=data.get("lab"),
        name=_text(data["name"]) if "name" in data else None,
        **shown,
    )


def _drill(data: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if "drill" not in data:
        return None
    body = {**data["drill"], "params": dict(data["drill"]["params"])}
    return {**body, "title": data["front"], "convention": data["back"]}


def _sides(data: Mapping[str, Any]) -> dict[str, Any]:
    """Both sides of a card, where they are worked out from what it holds."""
    if "cloze" in data:
        return _cloze_sides(data)
    if "table" not in data:
        return {"front": _text(data["front"]), "back": _text(data["back"])}
    from content.tables_recall import table_lines

    table = {**data["table"], "title": data["front"]}
    back = Text(table_lines(table, "en"), table_lines(table, "zh"))
    return {"front": _text(data["front"]), "back": back, "table": table}


def topic_from_json(topic_id: str, body: str) -> Topic:
    """The topic whose `topic.body` this is; raises KeyError or ValueError for any other text."""
    data = json.loads(body)
    return Topic(topic_id, _text(data["title"]), _text(data["lesson"]))


def text_from_json(body: str) -> Text:
    """Words stored as JSON `{"en", "zh"}`, such as a pack's title."""
    return _text(json.loads(body))


def text_to_json(text: Text) -> str:
    """Words as canonical JSON `{"en", "zh"}`."""
    return _canonical(_plain_text(text))


def _canonical(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _text(data: Mapping[str, str]) -> Text:
    return Text(data["en"], data["zh"])


def _plain_text(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}


def _cloze_sides(data: Mapping[str, Any]) -> dict[str, Any]:
    cloze, index = _text(data["cloze"]), data["cloze_index"]
    return {
        "cloze": cloze,
        "cloze_index": index,
        "front": Text(cloze_front(cloze.en, index), cloze_front(cloze.zh, index)),
        "back": Text(cloze_full(cloze.en), cloze_full(cloze.zh)),
    }


def _point(data: Mapping[str, Any]) -> RubricPoint:
    terms = data.get("terms", {})
    return RubricPoint(
        id=data["id"],
        text=_text(data["text"]),
        weight=data.get("weight", 1.0),
        key=data.get("key", False),
        terms=Terms(tuple(terms.get("en", ())), tuple(terms.get("zh", ()))),
        formula=data.get("formula"),
        of=data.get("of"),
        half_if=_text(data["half_if"]) if "half_if" in data else None,
        cards=tuple(data.get("cards", ())),
    )


def _plain_point(point: RubricPoint) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "id": point.id,
        "text": _plain_text(point.text),
        "weight": point.weight if point.weight != 1.0 else None,
        "key": point.key,
        "terms": {"en": list(point.terms.en), "zh": list(point.terms.zh)} if point.terms != Terms() else None,
        "formula": point.formula,
        "of": point.of,
        "half_if": _plain_text(point.half_if) if point.half_if else None,
        "cards": list(point.cards),
    }
    return {key: value for key, value in plain.items() if value not in (None, [], False)}


__all__ = [
    "HOLE",
    "Card",
    "CardKind",
    "Caveat",
    "ClozePart",
    "Language",
    "RubricPoint",
    "Terms",
    "Text",
    "Topic",
    "card_from_json",
    "cloze_answer",
    "cloze_front",
    "cloze_full",
    "cloze_parts",
    "rev_of",
    "text_from_json",
    "text_to_json",
    "topic_from_json",
]
