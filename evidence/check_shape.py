"""A document's keys, their order and its fixed values, held against the template it came from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from content.cards import Text
from content.safe_yaml import Document, Key, Listing, Mapping, Node, Scalar
from evidence import check_words as words
from evidence.check_words import Finding
from evidence.document import written
from evidence.template import LISTS, Template, is_placeholder, may_fill

Path_ = tuple[Key, ...]
_FREE_LISTS = (*LISTS, "known_failures")
_TEXTS = (("commit",), ("verified_at",), ("environment",))


def shape_findings(template: Template, document: Document) -> Iterator[Finding]:
    """Every place where the document is not laid out as its template, and every place that is still open."""
    assert template.document.root is not None
    assert document.root is not None
    yield from _compare(template.document.root, document.root, ())


def _compare(wanted: Node, found: Node, path: Path_) -> Iterator[Finding]:
    if isinstance(wanted, Mapping):
        if isinstance(found, Mapping):
            yield from _keys(wanted, found)
            for key in wanted.items:
                if key in found.items:
                    yield from _compare(wanted.items[key], found.items[key], (*path, key))
        else:
            yield words.wrong_type(found.line, Text("write keys and values here", "这里应写键和值"))
    elif isinstance(wanted, Listing):
        yield from _lists(wanted, found, path)
    elif not isinstance(found, Scalar):
        yield words.wrong_type(found.line, Text("write one value here", "这里应写一个值"))
    else:
        yield from _scalars(wanted, found, path)


def _keys(wanted: Mapping, found: Mapping) -> Iterator[Finding]:
    for key in wanted.items:
        if key not in found.items:
            yield words.missing_key(found.line, key)
    for key, line in found.keys.items():
        if key not in wanted.items:
            yield words.unknown_key(line, key)
    common = [key for key in found.items if key in wanted.items]
    right = [key for key in wanted.items if key in found.items]
    for is_key, should_be in zip(common, right, strict=True):
        if is_key != should_be:
            yield words.key_order(found.keys[is_key], is_key, list(wanted.items))
            return


def _lists(wanted: Listing, found: Node, path: Path_) -> Iterator[Finding]:
    if not isinstance(found, Listing):
        yield words.wrong_type(
            found.line, Text("write a list here, each item after `- `", "这里应写列表，每项以 `- ` 开头")
        )
    elif len(path) == 1 and path[0] in _FREE_LISTS:
        if not found.items:
            yield words.list_length(found.line, len(wanted.items))
        for item in found.items:
            if not isinstance(item, Scalar) or not _is_text(item):
                yield words.wrong_type(item.line, Text("write a text in quotes", "这里应写带引号的文本"))
            elif is_placeholder(item.text):
                yield words.placeholder(item.line, item.text)
    elif len(found.items) != len(wanted.items):
        yield words.list_length(found.line, len(wanted.items))
    else:
        for index, (one, other) in enumerate(zip(wanted.items, found.items, strict=True)):
            yield from _compare(one, other, (*path, index))


def _scalars(wanted: Scalar, found: Scalar, path: Path_) -> Iterator[Finding]:
    if is_placeholder(found.text):
        yield words.placeholder(found.line, found.text)
    elif may_fill(path):
        if path in _TEXTS and not _is_text(found):
            yield words.wrong_type(found.line, Text("write a text in quotes", "这里应写带引号的文本"))
    elif _value(wanted) != _value(found) or type(_value(wanted)) is not type(_value(found)):
        shown = wanted.text if isinstance(_value(wanted), str) else written(_value(wanted))
        yield words.changed(found.line, shown)


def _is_text(node: Scalar) -> bool:
    return isinstance(_value(node), str)


def _value(node: Scalar) -> Any:
    return Document(Path(), "", node, ()).value


__all__ = ["shape_findings"]
