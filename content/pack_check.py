"""Reads a pack folder into models and finds every fault: of each file, of each entry, and across the pack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from content.cards import cloze_parts
from content.drill_check import check_drill
from content.drill_schema import DrillModel
from content.faults import Fault, ordered
from content.library import PACK_FILE, SHIPPED_PACKS, pack_files
from content.pack_schema import (
    CARD_MODELS,
    ClozeModel,
    ConceptModel,
    OralModel,
    PackModel,
    TopicModel,
    lesson_faults,
    validate,
)
from content.pack_words import word_faults
from content.safe_yaml import Document, Key, load, load_text
from content.table_schema import TableModel, check_table

ENTRY_KEYS = ("cards", "oral", "drills", "tables")

EntryModel = ConceptModel | ClozeModel | OralModel | DrillModel | TableModel


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry of a pack and where it stands."""

    model: EntryModel
    document: Document
    path: tuple[Key, ...]

    def fault(self, key: tuple[Key, ...], rule: str, what_to_do: str, *, warning: bool = False) -> Fault:
        """A fault at `key` of this entry."""
        return Fault(self.document.file, self.document.line_of((*self.path, *key)), rule, what_to_do, warning)


@dataclass(slots=True)
class Draft:
    """What a pack folder holds, as far as it could be read, and its faults."""

    folder: Path
    pack: PackModel | None = None
    pack_document: Document | None = None
    topics: dict[str, TopicModel] = field(default_factory=dict)
    entries: dict[str, Placed] = field(default_factory=dict)
    places: dict[str, tuple[Path, int]] = field(default_factory=dict)  # every id that is written, of faulty entries too
    topic_places: dict[str, tuple[Path, int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_draft(
    folder: Path,
    instead: Mapping[Path, str] | None = None,
    *,
    lab_ids: frozenset[str] | None = None,
    trust: bool = False,
) -> Draft:
    """Read and check a pack folder; `instead` gives texts in place of files, to try an edit before it is written.

    `lab_ids` are the labs that drills may name (None: not known to the caller). With `trust` the drills' draws and tests,
    which take longest, are left to `pack check`.
    """
    draft = Draft(folder)
    if not (folder / PACK_FILE).is_file():
        draft.faults.append(
            Fault(folder / PACK_FILE, 1, "no-pack-file", f"write a {PACK_FILE} with id, title and topics")
        )
    whole = True
    for file in pack_files(folder):
        text = (instead or {}).get(file)
        document = load(file) if text is None else load_text(text, file)
        draft.faults += document.faults
        if document.root is None:
            whole = False
            continue
        if file.name == PACK_FILE:
            _read_pack_file(draft, document)
        else:
            _read_entries(draft, document)
    for file in sorted(folder.glob("*.yml")):
        draft.faults.append(Fault(file, 1, "file-name", "rename it to .yaml, else it is not read", warning=True))
    if whole:  # what a file that cannot be read would have held is not called missing
        _check_topics(draft)
        _check_references(draft)
    for placed in draft.entries.values():
        draft.faults += word_faults(placed)
        draft.faults += _lab_faults(placed, lab_ids)
        if isinstance(placed.model, DrillModel) and not trust:
            draft.faults += _drill_faults(placed, lab_ids)
        elif isinstance(placed.model, TableModel) and not trust:
            draft.faults += (placed.fault(*found) for found in check_table(placed.model))
    draft.faults += cycle_faults(draft.entries)
    draft.faults = ordered(_without_echoes(draft.faults))
    return draft


def _lab_faults(placed: Placed, lab_ids: frozenset[str] | None) -> Iterator[Fault]:
    lab = placed.model.lab if isinstance(placed.model, ConceptModel | ClozeModel) else None
    if lab is not None and lab_ids is not None and lab not in lab_ids:
        yield placed.fault(("lab",), "unknown-lab", f"name a lab that there is: {', '.join(sorted(lab_ids))}")


def _drill_faults(placed: Placed, lab_ids: frozenset[str] | None) -> Iterator[Fault]:
    data = placed.model.model_dump(exclude_none=True)
    for path, rule, what_to_do, is_warning in check_drill(placed.model.id, data, lab_ids):
        yield placed.fault(path, rule, what_to_do, warning=is_warning)


def _without_echoes(faults: list[Fault]) -> Iterator[Fault]:
    """Drops what the models say of a value that the YAML reader refused already."""
    refused = {(fault.file, fault.line) for fault in faults if fault.rule in ("unquoted-value", "empty-value")}
    for fault in faults:
        if fault.rule not in ("empty-text", "wrong-type", "bad-id") or (fault.file, fault.line) not in refused:
            yield fault


def _read_pack_file(draft: Draft, document: Document) -> None:
    draft.pack_document = document
    made = validate(PackModel, document, (), document.value)
    if isinstance(made, PackModel):
        draft.pack = made
    else:
        draft.faults += made


def _read_entries(draft: Draft, document: Document) -> None:
    value = document.value
    if not isinstance(value, dict):
        advice = "write the keys topics, cards, oral, drills or tables, each with a list"
        draft.faults.append(Fault(document.file, document.line_of(()), "wrong-type", advice))
        return
    for key, items in value.items():
        line = document.line_of((key,))
        if key not in ("topics", *ENTRY_KEYS):
            advice = f"remove `{key}` or correct its spelling: a file holds topics, cards, oral, drills, tables"
            draft.faults.append(Fault(document.file, line, "unknown-key", advice))
        elif not isinstance(items, list):
            draft.faults.append(Fault(document.file, line, "wrong-type", f"make `{key}` a list"))
        else:
            for index, item in enumerate(items):
                _read_entry(draft, document, (key, index), item)


def _read_entry(draft: Draft, document: Document, path: tuple[Key, ...], item: Any) -> None:
    is_topic = path[0] == "topics"
    known_id = _note_id(draft, document, path, item, draft.topic_places if is_topic else draft.places)
    model: type[BaseModel]
    if is_topic:
        model = TopicModel
    elif path[0] == "oral":
        model = OralModel
    elif path[0] == "drills":
        model = DrillModel
    elif path[0] == "tables":
        model = TableModel
    else:
        kind = item.get("kind") if isinstance(item, dict) else None
        if not isinstance(kind, str) or kind not in CARD_MODELS:
            advice = f"write `kind: concept` or `kind: cloze`{f', not {kind}' if kind else ''}"
            draft.faults.append(Fault(document.file, document.line_of((*path, "kind")), "unknown-kind", advice))
            return
        model = CARD_MODELS[kind]
    made = validate(model, document, path, item)
    if isinstance(made, list):
        draft.faults += made
    elif not known_id:
        return
    elif isinstance(made, TopicModel):
        draft.topics[made.id] = made
        draft.faults += _lesson_faults(draft, document, path, made)
    elif isinstance(made, EntryModel):
        draft.entries[made.id] = Placed(made, document, path)


def _lesson_faults(draft: Draft, document: Document, path: tuple[Key, ...], topic: TopicModel) -> Iterator[Fault]:
    """Lessons have a length that reads well; in a learner's own pack another one is only warned of."""
    own = draft.folder.absolute().parent != SHIPPED_PACKS
    for language, advice in lesson_faults(topic.lesson):
        line = document.line_of((*path, "lesson", language))
        yield Fault(document.file, line, "lesson-length", advice, warning=own)


def _note_id(
    draft: Draft, document: Document, path: tuple[Key, ...], item: Any, places: dict[str, tuple[Path, int]]
) -> bool:
    """Remember where an id stands; False (and a fault that names both places) when it stands elsewhere already."""
    entry_id = item.get("id") if isinstance(item, dict) else None
    if not isinstance(entry_id, str):
        return True  # the model says what is wrong with it
    line = document.line_of((*path, "id"))
    if entry_id in places:
        file, first = places[entry_id]
        both = f"{file.name}:{first} and {document.file.name}:{line}"
        advice = f"give one of the two another id: `{entry_id}` stands at {both}"
        draft.faults.append(Fault(document.file, line, "duplicate-id", advice))
        return False
    places[entry_id] = (document.file, line)
    return True


def _check_topics(draft: Draft) -> None:
    for placed in draft.entries.values():
        topic = placed.model.topic
        if topic not in draft.topic_places:
            draft.faults.append(placed.fault(("topic",), "unknown-topic", f"write a topic `{topic}` or name another"))
    if draft.pack is None or draft.pack_document is None:
        return
    file, listed = draft.pack_document.file, draft.pack.topics
    for index, topic in enumerate(listed):
        line = draft.pack_document.line_of(("topics", index))
        if topic not in draft.topic_places:
            draft.faults.append(Fault(file, line, "unknown-topic", f"write a topic `{topic}` or take it off this list"))
        if topic in listed[:index]:
            draft.faults.append(Fault(file, line, "duplicate-topic", f"list `{topic}` once"))
    for topic, (where, line) in draft.topic_places.items():
        if topic not in listed:
            draft.faults.append(Fault(where, line, "unlisted-topic", f"add `{topic}` to the topics of {PACK_FILE}"))


def references(model: EntryModel) -> Iterator[tuple[tuple[Key, ...], str]]:
    """Every id that an entry refers to, with the path of the reference inside the entry."""
    for key, names in (
        ("requires", model.requires),
        ("gives_away", model.gives_away),
        ("contrast", model.contrast),
    ):
        for index, name in enumerate(names):
            yield (key, index), name
    if isinstance(model, OralModel):
        for number, point in enumerate(model.rubric):
            for index, name in enumerate(point.cards):
                yield ("rubric", number, "cards", index), name


def _check_references(draft: Draft) -> None:
    for placed in draft.entries.values():
        for key, name in references(placed.model):
            base, _, mark = name.partition("#")
            if base not in draft.places:
                advice = f"write a card `{base}` or correct the id: no card of this pack has it"
                draft.faults.append(placed.fault(key, "unknown-card", advice))
            elif base == placed.model.id:
                draft.faults.append(placed.fault(key, "refers-to-itself", f"remove `{name}`: it is this card"))
            elif mark and base in draft.entries and int(mark) > marks_of(draft.entries[base].model):
                advice = f"correct the number: `{base}` has {marks_of(draft.entries[base].model)} marks"
                draft.faults.append(placed.fault(key, "unknown-card", advice))


def marks_of(model: EntryModel) -> int:
    """How many `{{marks}}` a cloze has; 0 for other kinds."""
    return sum(part.mark > 0 for part in cloze_parts(model.text.en)) if model.kind == "cloze" else 0


def cycle_faults(entries: Mapping[str, Placed]) -> Iterator[Fault]:
    """A fault for each loop of `requires`, with the loop printed, at the card where it was entered."""
    done: set[str] = set()
    for start in entries:
        trail: list[str] = [start]
        open_edges = [iter(_needs(entries, start))]
        while open_edges and start not in done:
            needed = next(open_edges[-1], None)
            if needed is None:
                open_edges.pop()
                done.add(trail.pop())
            elif needed in trail:
                loop = [*trail[trail.index(needed) :], needed]
                advice = f"take one `requires` out of the loop {' -> '.join(loop)}"
                yield entries[trail[-1]].fault(("requires",), "requires-cycle", advice)
            elif needed not in done:
                trail.append(needed)
                open_edges.append(iter(_needs(entries, needed)))


def _needs(entries: Mapping[str, Placed], entry_id: str) -> Iterable[str]:
    names = (name.partition("#")[0] for name in entries[entry_id].model.requires)
    return [name for name in names if name in entries and name != entry_id]


__all__ = ["Draft", "Placed", "cycle_faults", "marks_of", "read_draft", "references"]
