"""A pack's evidence template: its text with the places to fill, and the lab and metrics that may fill them.

What is filled goes by the key, not by the words between the brackets, so that a template with other modules, metrics and
commands needs no code: `commit`, `verified_at`, `environment`, `seed`, the items of `commands` and `artifacts`, and `actual` of
each metric. Everything else is the template's own and stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from content.cards import Text
from content.faults import Fault
from content.library import PACK_FILE, find_packs
from content.safe_yaml import Document, Key, Listing, Node, Scalar, load
from content.safe_yaml import Mapping as YamlMapping
from evidence.errors import TemplateRefused
from evidence.lab import lab_ids

TEMPLATE_FILE = "evidence.template.yaml"
BINDING_FILE = "evidence.yaml"
LISTS = ("commands", "artifacts")
PLACEHOLDER = re.compile(r"<[^<>\n]+>")
NOTHING_FAILED = "none"

Path_ = tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """A place to fill: the characters `start` to `end` of a line (counted from 0), the value at `path`."""

    line: int
    start: int
    end: int
    path: Path_

    @property
    def is_item(self) -> bool:
        """Whether it is the item of a list, which may become several."""
        return isinstance(self.path[-1], int)


@dataclass(frozen=True, slots=True)
class Template:
    """What one pack asks to be filled. `metrics` leads from the document's names to those of the lab."""

    pack_id: str
    title: Text
    folder: Path
    document: Document
    slots: tuple[Slot, ...]
    lab: str | None
    metrics: Mapping[str, str] = field(default_factory=dict)

    @property
    def lines(self) -> list[str]:
        return self.document.text.removesuffix("\n").split("\n")

    @property
    def value(self) -> dict[str, Any]:
        """The document as plain data, placeholders as they are written."""
        found: dict[str, Any] = self.document.value
        return found

    @property
    def module(self) -> str:
        return str(self.value["module"])

    @property
    def metric_names(self) -> tuple[str, ...]:
        """The document's metrics in their order."""
        return tuple(one["name"] for one in self.value.get("metrics", []))


def is_placeholder(value: object) -> bool:
    """Whether a value is still `<...>`."""
    return isinstance(value, str) and PLACEHOLDER.fullmatch(value.strip()) is not None


def find_templates(folders: Iterable[Path]) -> list[Template]:
    """The templates of all packs in these folders of packs; of two packs with one id the first. Faulty ones are left out."""
    found: dict[str, Template] = {}
    for pack in find_packs(folders):
        if (pack.folder / TEMPLATE_FILE).is_file():
            try:
                template = load_template(pack.folder)
            except TemplateRefused:
                continue
            found.setdefault(template.pack_id, template)
    return list(found.values())


def load_template(folder: Path) -> Template:
    """The template of the pack in `folder`.

    Raises:
        TemplateRefused: naming file and line of the first fault.
    """
    template, faults = read_template(folder)
    if template is None or faults:
        first = faults[0] if faults else Fault(folder / TEMPLATE_FILE, 1, "unreadable", "write a template")
        raise TemplateRefused(Text(f"The evidence template cannot be used: {first}.", f"证据模板不能使用：{first}。"))
    return template


def read_template(folder: Path) -> tuple[Template | None, list[Fault]]:
    """The template and every fault of it and of its bindings; for a pack without one, nothing and no fault."""
    file = folder / TEMPLATE_FILE
    if not file.is_file():
        return None, []
    document = load(file)
    faults = list(document.faults) or list(_shape_faults(document))
    if faults:
        return None, faults
    slots = tuple(_slots(document, faults))
    lab, metrics = _binding(folder / BINDING_FILE, document, faults)
    pack_id, title = _pack(folder)
    return Template(pack_id, title, folder, document, slots, lab, metrics), faults


def _shape_faults(document: Document) -> Iterator[Fault]:
    value = document.value
    if not isinstance(value, dict):
        yield Fault(document.file, 1, "wrong-type", "write keys and values, as in an evidence document")
        return
    for key in ("schema", "module"):
        if not isinstance(value.get(key), str):
            yield Fault(document.file, document.line_of((key,)), "missing-key", f"give `{key}` a text")
    for key in (*LISTS, "metrics", "known_failures"):
        if key in value and not isinstance(value[key], list):
            yield Fault(document.file, document.line_of((key,)), "wrong-type", f"make `{key}` a list")
    metrics = value.get("metrics", [])
    for index, one in enumerate(metrics if isinstance(metrics, list) else []):
        if (
            not isinstance(one, dict)
            or not isinstance(one.get("name"), str)
            or not {"expected", "actual"} <= one.keys()
        ):
            line = document.line_of(("metrics", index))
            yield Fault(document.file, line, "wrong-type", "give each metric a name, expected and actual")


def _slots(document: Document, faults: list[Fault]) -> Iterator[Slot]:
    lines = document.text.split("\n")
    for path, node in _scalars(document.root, ()):
        fillable = is_placeholder(node.text) or path == ("seed",) or path[0] == "known_failures"
        if not fillable:
            continue
        line = lines[node.line - 1]
        written = node.text if node.plain else f"{line[node.column]}{node.text}{line[node.column]}"
        end = node.column + len(written)
        whole_item = not isinstance(path[-1], int) or re.fullmatch(r"\s*- ", line[: node.column]) is not None
        if not may_fill(path):
            faults.append(Fault(document.file, node.line, "placeholder", f"write a value: nothing fills `{path[0]}`"))
        elif line[node.column : end] != written or not _is_rest(line[end:]) or not whole_item:
            advice = "write the placeholder alone on its line, list items as `- <...>`"
            faults.append(Fault(document.file, node.line, "layout", advice))
        else:
            yield Slot(node.line - 1, node.column, end, path)


def _is_rest(rest: str) -> bool:
    """Whether nothing or only a comment follows."""
    return not rest.strip() or re.match(r"\s+#", rest) is not None


def may_fill(path: Path_) -> bool:
    """Whether the value at `path` comes from a run."""
    if path[0] == "metrics":
        return len(path) == 3 and path[2] == "actual"
    return path in (("commit",), ("verified_at",), ("environment",), ("seed",)) or (
        len(path) == 2 and path[0] in (*LISTS, "known_failures")
    )


def _scalars(node: Node | None, path: Path_) -> Iterator[tuple[Path_, Scalar]]:
    if isinstance(node, Scalar):
        yield path, node
    elif isinstance(node, Listing):
        for index, item in enumerate(node.items):
            yield from _scalars(item, (*path, index))
    elif isinstance(node, YamlMapping):
        for key, item in node.items.items():
            yield from _scalars(item, (*path, key))


def _binding(file: Path, template: Document, faults: list[Fault]) -> tuple[str | None, dict[str, str]]:
    names = [one["name"] for one in template.value.get("metrics", [])]
    same = {name: name for name in names}
    if not file.is_file():
        return None, same
    document = load(file)
    faults += document.faults
    value = document.value
    if not isinstance(value, dict) or document.faults:
        return None, same
    for key in value:
        if key not in ("lab", "metrics"):
            faults.append(
                Fault(file, document.line_of((key,)), "unknown-key", f"remove `{key}`: write lab and metrics")
            )
    lab, metrics = value.get("lab"), value.get("metrics", same)
    if lab is not None and lab not in lab_ids():
        listed = ", ".join(sorted(lab_ids()))
        faults.append(Fault(file, document.line_of(("lab",)), "unknown-lab", f"name one of {listed}"))
    if not isinstance(metrics, dict) or not all(isinstance(one, str) for one in metrics.values()):
        faults.append(
            Fault(file, document.line_of(("metrics",)), "wrong-type", "write `name: metric of the lab` lines")
        )
        return lab, same
    for name in sorted(metrics.keys() ^ set(names)):
        advice = f"name the metrics of {TEMPLATE_FILE}, each once: see `{name}`"
        faults.append(Fault(file, document.line_of(("metrics", name)), "unknown-metric", advice))
    return lab, metrics


def _pack(folder: Path) -> tuple[str, Text]:
    value = load(folder / PACK_FILE).value
    value = value if isinstance(value, dict) else {}
    pack_id, title = str(value.get("id") or folder.name), value.get("title")
    if isinstance(title, dict) and {"en", "zh"} <= title.keys():
        return pack_id, Text(str(title["en"]), str(title["zh"]))
    return pack_id, Text(pack_id, pack_id)


__all__ = [
    "BINDING_FILE",
    "LISTS",
    "NOTHING_FAILED",
    "TEMPLATE_FILE",
    "Slot",
    "Template",
    "find_templates",
    "is_placeholder",
    "load_template",
    "may_fill",
    "read_template",
]
