"""A bounded YAML reader that keeps line numbers and takes nothing on trust.

It builds its own small tree from PyYAML's events, so no tag can make an object and no reader's idea of `NO` or `12:30`
applies: a plain value is a whole number, a decimal number, `true`, `false` or text, and any other plain value that some
YAML reader would take for something else is a fault. All faults of a file are collected, not only the first, as far as
reading can go on.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from content.faults import Fault
from content.safe_text import MAX_BYTES, decode, is_control, read_text

_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C parser is fifteen times faster where it is built


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a file is taken. `nodes` counts what aliases repeat as well, so a bomb is counted at full size."""

    bytes: int = MAX_BYTES
    nodes: int = 100_000
    depth: int = 16
    scalar_chars: int = 20_000
    aliases: int = 8


@dataclass(slots=True)
class Scalar:
    """A value without parts. Lines count from 1; `plain` means written without quotes and not as a block."""

    line: int
    column: int
    last_line: int
    text: str
    plain: bool
    nodes: int = 1


@dataclass(slots=True)
class Listing:
    """Values in order."""

    line: int
    column: int
    last_line: int
    items: list[Node] = field(default_factory=list)
    nodes: int = 1


@dataclass(slots=True)
class Mapping:
    """Values by name; `keys` keeps each name's own line."""

    line: int
    column: int
    last_line: int
    items: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    pending: str | None = None
    skipping: bool = False  # the pending key is a duplicate or no text: its value is read and dropped
    nodes: int = 1


Node = Scalar | Listing | Mapping
Key = str | int


@dataclass(frozen=True, slots=True)
class Document:
    """What was read from a file. `root` is None where nothing could be read; then `faults` says why."""

    file: Path
    text: str
    root: Node | None
    faults: tuple[Fault, ...]

    @property
    def value(self) -> Any:
        """The tree as dicts, lists, str, int, float and bool."""
        return None if self.root is None else _value(self.root)

    def node(self, path: Sequence[Key]) -> Node | None:
        """The node at `path`, or None."""
        node = self.root
        for key in path:
            node = _child(node, key)
        return node

    def line_of(self, path: Sequence[Key]) -> int:
        """The line of the key (or list item) at `path`; where it is missing, of the deepest part that is there."""
        node, line = self.root, 1 if self.root is None else self.root.line
        for key in path:
            child = _child(node, key)
            if child is None:
                break
            line = node.keys[str(key)] if isinstance(node, Mapping) else child.line
            node = child
        return line


def load(file: Path, limits: Limits = Limits()) -> Document:
    """Read one YAML file; never raises for what the file holds."""
    text, faults = read_text(file, limits.bytes)
    return _load(text, file, faults, limits)


def load_text(source: str | bytes, file: Path, limits: Limits = Limits()) -> Document:
    """Read YAML from memory; `file` is named in faults."""
    raw = source.encode("utf-8", "surrogatepass") if isinstance(source, str) else source
    if len(raw) > limits.bytes:
        return Document(file, "", None, (Fault(file, 1, "too-large", f"at most {limits.bytes} bytes are read"),))
    text, faults = decode(raw, file)
    return _load(text, file, faults, limits)


def _load(text: str | None, file: Path, faults: list[Fault], limits: Limits) -> Document:
    if text is None:
        return Document(file, "", None, tuple(faults))
    builder = _Builder(file, limits, faults)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            builder.take(event)
    except yaml.YAMLError as error:
        faults.append(_syntax_fault(error, file))
        builder.root = None  # half an entry would only raise faults of its own
    except _EnoughError:
        builder.root = None
    else:
        if builder.documents == 0:
            faults.append(Fault(file, 1, "empty-file", "write something in the file or remove it"))
    return Document(file, text, builder.root, tuple(faults))


class _EnoughError(Exception):
    """A limit was passed: the rest of the file is not read."""


class _Builder:
    """Makes the tree of the first document from parser events, with a stack of its own instead of recursion."""

    def __init__(self, file: Path, limits: Limits, faults: list[Fault]) -> None:
        self.root: Node | None = None
        self.documents = 0
        self._file, self._limits, self._faults = file, limits, faults
        self._stack: list[Listing | Mapping] = []
        self._anchors: dict[str, Node] = {}
        self._nodes = self._aliases = 0

    def take(self, event: Any) -> None:
        """Handle one event; raises _EnoughError when a limit is passed."""
        match event:
            case yaml.DocumentStartEvent():
                self._document(event)
            case yaml.ScalarEvent():
                self._node(event, self._scalar(event))
            case yaml.AliasEvent():
                self._alias(event)
            case yaml.SequenceStartEvent():
                self._open(event, Listing(*_where(event)))
            case yaml.MappingStartEvent():
                self._open(event, Mapping(*_where(event)))
            case yaml.CollectionEndEvent():
                self._close(event)

    def _fault(self, line: int, rule: str, what_to_do: str) -> None:
        self._faults.append(Fault(self._file, line, rule, what_to_do))

    def _document(self, event: Any) -> None:
        self.documents += 1
        line = event.start_mark.line + 1
        if self.documents > 1:
            self._fault(line, "more-than-one-document", "put what follows in a file of its own, without the `---`")
            raise _EnoughError
        if event.version or event.tags:
            self._fault(line, "directive", "remove the lines that begin with %")

    def _scalar(self, event: Any) -> Scalar:
        text, plain = event.value, not event.style
        start, _, last = _where(event)
        if len(text) > self._limits.scalar_chars:
            self._fault(start, "too-long", f"shorten this value to {self._limits.scalar_chars} characters")
            text = text[: self._limits.scalar_chars]
        hidden = sorted({char for char in text if is_control(char)}) if not text.isprintable() else []
        if hidden:
            names = ", ".join(f"U+{ord(char):04X}" for char in hidden)
            self._fault(start, "control-character", f"remove {names} from this value")
        if event.style in ("|", ">") and event.end_mark.column == 0:
            last -= 1
        return Scalar(start, event.start_mark.column, max(start, last), text, plain)

    def _node(self, event: Any, node: Node) -> None:
        if event.tag is not None:
            self._fault(node.line, "tag", f"remove the tag {event.tag}: values are plain data")
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._count(node.line, 1)
        self._attach(node)

    def _count(self, line: int, nodes: int) -> None:
        self._nodes += nodes
        if self._nodes > self._limits.nodes:
            self._fault(line, "too-many-nodes", f"split the file: at most {self._limits.nodes} values are read")
            raise _EnoughError

    def _open(self, event: Any, node: Listing | Mapping) -> None:
        self._node(event, node)
        self._stack.append(node)
        if len(self._stack) > self._limits.depth:
            self._fault(node.line, "too-deep", f"flatten this: at most {self._limits.depth} levels are read")
            raise _EnoughError

    def _close(self, event: Any) -> None:
        node = self._stack.pop()
        children = node.items.values() if isinstance(node, Mapping) else node.items
        node.nodes = 1 + sum(child.nodes for child in children)
        flow_end = event.end_mark.line + 1 if event.end_mark.index > event.start_mark.index else node.line
        node.last_line = max([flow_end, *(child.last_line for child in children)])

    def _alias(self, event: Any) -> None:
        line = event.start_mark.line + 1
        node = self._anchors.get(event.anchor)
        self._aliases += 1
        if self._aliases > self._limits.aliases:
            self._fault(
                line, "too-many-aliases", f"write the text out: at most {self._limits.aliases} aliases are read"
            )
            raise _EnoughError
        if node is None or any(node is parent for parent in self._stack):
            self._fault(line, "alias", f"write the text out: *{event.anchor} names nothing that is complete here")
            node = Scalar(line, event.start_mark.column, line, "", plain=False)
        self._count(line, node.nodes)
        self._attach(node)

    def _attach(self, node: Node) -> None:
        if not self._stack:
            self.root = node
            return
        parent = self._stack[-1]
        if isinstance(parent, Listing):
            self._check_plain(node)
            parent.items.append(node)
        elif parent.pending is None and not parent.skipping:
            self._take_key(parent, node)
        else:
            if not parent.skipping and parent.pending is not None:
                self._check_plain(node)
                parent.items[parent.pending] = node
            parent.pending, parent.skipping = None, False

    def _take_key(self, parent: Mapping, node: Node) -> None:
        if not isinstance(node, Scalar):
            self._fault(node.line, "key-not-text", "use a plain word as the key")
            parent.skipping = True
        elif node.plain and node.text == "<<":
            self._fault(node.line, "merge-key", "write the keys out instead of merging with <<")
            parent.skipping = True
        elif node.text in parent.keys:
            first = parent.keys[node.text]
            self._fault(node.line, "duplicate-key", f"remove one: `{node.text}` stands on line {first} already")
            parent.skipping = True
        else:
            kind = other_reading(node.text) if node.plain else None
            if kind or (node.plain and isinstance(_plain_value(node.text), bool | int | float)):
                self._fault(node.line, "unquoted-value", f"put quotes around the key `{node.text}`")
            parent.pending = node.text
            parent.keys[node.text] = node.line

    def _check_plain(self, node: Node) -> None:
        if not isinstance(node, Scalar) or not node.plain:
            return
        if not node.text:
            self._fault(node.line, "empty-value", "give a value or remove the key")
        elif kind := other_reading(node.text):
            self._fault(node.line, "unquoted-value", f'write "{node.text}" with quotes: some readers see {kind}')


_OTHER_READINGS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("nothing", r"~|null"),
        # A single y or n is left alone: no reader in use takes it for a truth value, and a drill has a parameter `n`.
        ("true or false", r"yes|no|on|off|true|false"),
        ("a time or a number to base 60", r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?"),
        ("a date", r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([t ].*)?"),
        ("an octal number", r"[-+]?0o?[0-7_]+"),
        ("a number to another base", r"[-+]?0(x[0-9a-f_]+|b[01_]+)"),
        ("a number", r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9_]*)?)(e[-+]?[0-9]+)?"),
        ("a number", r"[-+]?\.inf|\.nan"),
        ("a default value", r"="),
    )
)
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}")


def other_reading(plain: str) -> str | None:
    """What some YAML reader would take this unquoted value for, where readers differ or text was surely meant.

    None for plain text, and for what every reader sees alike: `8`, `-1.5`, `true`, `false`.
    """
    if not isinstance(_plain_value(plain), str):
        return None
    return next((kind for kind, pattern in _OTHER_READINGS if pattern.fullmatch(plain)), None)


def _plain_value(text: str) -> str | int | float | bool:
    if text in ("true", "false"):
        return text == "true"
    if _WHOLE.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _value(node: Node) -> Any:
    if isinstance(node, Scalar):
        return _plain_value(node.text) if node.plain else node.text
    if isinstance(node, Listing):
        return [_value(item) for item in node.items]
    return {key: _value(item) for key, item in node.items.items()}


def _child(node: Node | None, key: Key) -> Node | None:
    if isinstance(node, Mapping):
        return node.items.get(str(key))
    if isinstance(node, Listing) and isinstance(key, int) and key < len(node.items):
        return node.items[key]
    return None


def _where(event: Any) -> tuple[int, int, int]:
    return event.start_mark.line + 1, event.start_mark.column, event.end_mark.line + 1


_HINTS = (
    ("mapping values are not allowed", "put quotes around the text: a colon and a space start a new key"),
    ("expected ',' or", "close the bracket, or put quotes around a text that holds brackets, commas or colons"),
    ("expected <block end>", "line the keys up: this line is indented unlike the ones above it"),
    ("could not find expected ':'", "write `key: value`, or put quotes around the text above"),
    ("cannot start any token", "put quotes around the text: it begins with a character that YAML uses itself"),
    ("undefined alias", "write the text out, or quote it: a leading * names an alias"),
    ("did not find expected alphabetic", "put quotes around the text: a leading * or & has a meaning in YAML"),
    ("unknown escape", "use single quotes, or double the backslash"),
    ("unexpected end of stream", "close the quote that was opened above"),
)


def _syntax_fault(error: yaml.YAMLError, file: Path) -> Fault:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    said = " ".join(str(part) for part in _said(error)) or "not YAML"
    hint = next((advice for words, advice in _HINTS if words in said), "see whether quotes are missing around a text")
    return Fault(file, mark.line + 1 if mark else 1, "syntax", f"{hint} ({said})")


def _said(error: yaml.YAMLError) -> Iterator[str]:
    for name in ("context", "problem", "reason"):
        if part := getattr(error, name, None):
            yield part


__all__ = ["Document", "Key", "Limits", "Listing", "Mapping", "Node", "Scalar", "load", "load_text", "other_reading"]
