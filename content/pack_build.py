"""Turns a pack that was read without faults into cards with full ids, in the order of introduction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from content.cards import Card, Caveat, RubricPoint, Terms, Text, Topic, cloze_front, cloze_full
from content.drill_schema import DrillModel
from content.library import LoadedPack
from content.pack_check import Draft, EntryModel, marks_of
from content.pack_order import introduction_order
from content.pack_schema import ClozeModel, ConceptModel, Entry, NamedEntry, OralModel, PointModel, TextModel
from content.table_schema import TableModel, table_data
from content.tables_recall import table_lines

_ASKS_WHY = re.compile(r"\bwhy\b|为什么|为何", re.IGNORECASE)


def build(draft: Draft, signature: str) -> LoadedPack:
    """The pack that `draft` holds; the draft must be free of faults."""
    if draft.pack is None:
        raise ValueError("build() needs a draft without faults: this one has no pack file")
    maker = _Maker(draft)
    entries = {entry_id: placed.model for entry_id, placed in draft.entries.items()}
    order = introduction_order(
        draft.pack.topics,
        {entry_id: model.topic for entry_id, model in entries.items()},
        {entry_id: [_base(name) for name in model.requires] for entry_id, model in entries.items()},
        {
            entry_id: [_base(name) for point in model.rubric for name in point.cards]
            for entry_id, model in entries.items()
            if isinstance(model, OralModel)
        }
        | {entry_id: [] for entry_id, model in entries.items() if isinstance(model, TableModel)},
    )
    return LoadedPack(
        id=draft.pack.id,
        title=_text(draft.pack.title),
        folder=draft.folder,
        signature=signature,
        topics=tuple(maker.topic(topic_id) for topic_id in draft.pack.topics),
        cards=tuple(card for entry_id in order for card in maker.cards(entries[entry_id])),
    )


def _base(name: str) -> str:
    return name.partition("#")[0]


def _text(model: TextModel) -> Text:
    return Text(model.en, model.zh)


def _name(model: NamedEntry) -> Text | None:
    return None if model.name is None else _text(model.name)


class _Maker:
    """Makes cards of one pack; knows how many cards each id stands for."""

    def __init__(self, draft: Draft) -> None:
        self._pack = draft.pack.id if draft.pack else ""
        self._draft = draft
        self._marks = {entry_id: marks_of(placed.model) for entry_id, placed in draft.entries.items()}

    def topic(self, topic_id: str) -> Topic:
        model = self._draft.topics[topic_id]
        return Topic(self._full(topic_id), _text(model.title), _text(model.lesson))

    def cards(self, model: EntryModel) -> Iterator[Card]:
        """The card of an entry; one for each mark of a cloze."""
        if isinstance(model, ConceptModel):
            yield self._card(model, _text(model.front), _text(model.back))
        elif isinstance(model, ClozeModel):
            yield from (self._cloze(model, index) for index in range(1, self._marks[model.id] + 1))
        elif isinstance(model, DrillModel):
            yield self._drill(model)
        elif isinstance(model, TableModel):
            yield self._table(model)
        else:
            yield self._oral(model)

    def _full(self, name: str) -> str:
        return f"{self._pack}/{name}"

    def _all(self, names: Sequence[str]) -> tuple[str, ...]:
        """Full ids of cards: a cloze named without a number stands for all its cards."""
        full: dict[str, None] = {}
        for name in names:
            marks = self._marks.get(name, 0)  # a name with a number is in no table of entries
            for card in [f"{name}#{index}" for index in range(1, marks + 1)] or [name]:
                full[self._full(card)] = None
        return tuple(full)

    def _card(self, model: ConceptModel | ClozeModel, front: Text, back: Text, index: int | None = None) -> Card:
        caveat = model.caveat
        asked = model.invites_line
        if asked is None:
            asked = index is None and (bool(model.contrast) or _ASKS_WHY.search(f"{front.en} {front.zh}") is not None)
        return Card(
            id=self._full(model.id if index is None else f"{model.id}#{index}"),
            kind=model.kind,
            topic=self._full(model.topic),
            front=front,
            back=back,
            source=tuple(model.source),
            sibling=self._full(model.sibling or model.id),
            ideas=tuple(map(_text, model.ideas)),
            caveat=Caveat(_text(caveat), caveat.source) if caveat else None,
            requires=self._all(model.requires),
            gives_away=self._all(model.gives_away),
            contrast=self._all(model.contrast),
            tags=tuple(model.tags),
            invites_line=asked,
            lab=model.lab,
            name=_name(model),
            revision=model.revision,
            cloze=_text(model.text) if isinstance(model, ClozeModel) else None,
            cloze_index=index,
        )

    def _cloze(self, model: ClozeModel, index: int) -> Card:
        en, zh = model.text.en, model.text.zh
        front = Text(cloze_front(en, index), cloze_front(zh, index))
        return self._card(model, front, Text(cloze_full(en), cloze_full(zh)), index)

    def _oral(self, model: OralModel) -> Card:
        answer = _text(model.model_answer)
        return Card(
            id=self._full(model.id),
            kind="oral",
            topic=self._full(model.topic),
            front=_text(model.question),
            back=answer,
            source=tuple(model.source),
            sibling=self._full(model.sibling or model.id),
            requires=self._all(model.requires),
            gives_away=self._all(model.gives_away),
            contrast=self._all(model.contrast),
            tags=tuple(model.tags),
            revision=model.revision,
            minutes=model.minutes,
            rubric=tuple(map(self._point, model.rubric)),
            traps=tuple(map(_text, model.traps)),
            model_answer=answer,
            name=_name(model),
        )

    def _drill(self, model: DrillModel) -> Card:
        data = model.model_dump(exclude_none=True, exclude_defaults=True)
        shared = set(Entry.model_fields) | {"kind", "tests"}
        return Card(
            id=self._full(model.id),
            kind="drill",
            topic=self._full(model.topic),
            front=_text(model.title),
            back=_text(model.convention),
            source=tuple(model.source),
            sibling=self._full(model.sibling or model.id),
            requires=self._all(model.requires),
            gives_away=self._all(model.gives_away),
            contrast=self._all(model.contrast),
            tags=tuple(model.tags),
            revision=model.revision,
            drill={key: value for key, value in data.items() if key not in shared},
        )

    def _table(self, model: TableModel) -> Card:
        table, caveat = table_data(model), model.caveat
        return Card(
            id=self._full(model.id),
            kind="table",
            topic=self._full(model.topic),
            front=_text(model.title),
            back=Text(table_lines(table, "en"), table_lines(table, "zh")),
            source=tuple(model.source),
            sibling=self._full(model.sibling or model.id),
            requires=self._all(model.requires),
            gives_away=self._all(model.gives_away),
            contrast=self._all(model.contrast),
            tags=tuple(model.tags),
            caveat=Caveat(_text(caveat), caveat.source) if caveat else None,
            revision=model.revision,
            table=table,
            name=_name(model),
        )

    def _point(self, model: PointModel) -> RubricPoint:
        return RubricPoint(
            id=model.id,
            text=_text(model.text),
            weight=model.weight,
            key=model.key,
            terms=Terms(tuple(model.terms.en), tuple(model.terms.zh)),
            formula=model.formula,
            of=model.of,
            half_if=_text(model.half_if) if model.half_if else None,
            cards=self._all(model.cards),
        )


__all__ = ["build"]
