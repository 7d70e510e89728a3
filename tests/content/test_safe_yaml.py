"""The YAML reader takes nothing on trust, and says for each fault on which line it is and what to do."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from content.safe_text import MAX_BYTES
from content.safe_yaml import Document, Limits, load, load_text, other_reading

HERE = Path("cards.yaml")


def rules(document: Document) -> list[tuple[str, int]]:
    return [(fault.rule, fault.line) for fault in document.faults]


def read(source: str | bytes, **limits: int) -> Document:
    return load_text(source, HERE, Limits(**limits))


def test_plain_data_is_read_with_the_line_of_every_key_and_item() -> None:
    document = read(
        'cards:\n  - id: a\n    minutes: 8\n    weight: 1.5\n    key: true\n\n  - id: "b"\n    tags: [x, y-z]\n'
    )
    assert document.faults == ()
    assert document.value == {
        "cards": [{"id": "a", "minutes": 8, "weight": 1.5, "key": True}, {"id": "b", "tags": ["x", "y-z"]}]
    }
    assert document.line_of(("cards", 0, "key")) == 5
    assert document.line_of(("cards", 1)) == 7
    assert document.line_of(("cards", 1, "tags", 1)) == 8
    assert document.line_of(("cards", 1, "source")) == 7, "a key that is missing is missing where its entry begins"


# -- hostile files


def test_an_alias_bomb_is_refused_before_it_grows() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 9)]
    document = read("\n".join(levels))
    assert [rule for rule, _ in rules(document)] == ["too-many-aliases"]
    assert document.root is None


def test_what_an_alias_repeats_counts_at_its_full_size() -> None:
    document = read(f"a: &a [{', '.join('x' * 60)}]\nb: [*a, *a]\n", nodes=100)
    assert rules(document) == [("too-many-nodes", 2)]


def test_a_few_aliases_are_fine_but_none_into_itself() -> None:
    assert read("a: &a {en: x, zh: y-z}\nb: *a\n").value["b"] == {"en": "x", "zh": "y-z"}
    assert rules(read("a: &a [*a]\n")) == [("alias", 1)]


def test_a_file_of_50_mb_is_not_even_read(tmp_path: Path) -> None:
    file = tmp_path / "big.yaml"
    with file.open("wb") as stream:
        stream.truncate(50_000_000)
    started = time.perf_counter()
    assert rules(load(file)) == [("too-large", 1)]
    assert time.perf_counter() - started < 1
    assert rules(read(b"#" * (MAX_BYTES + 1))) == [("too-large", 1)]


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['echo no']",
        "!!str 12",
        "!mine {a: x}",
        "!!python/name:os.system",
        "!!binary aGk=",
    ],
)
def test_tags_are_refused(tag: str) -> None:
    assert ("tag", 2) in rules(read(f"a: x\nb: {tag}\n"))


def test_duplicate_keys_name_the_first() -> None:
    document = read("a: x\nb: z\na: w\n")
    assert rules(document) == [("duplicate-key", 3)]
    assert "line 1" in document.faults[0].what_to_do
    assert document.value == {"a": "x", "b": "z"}


def test_deep_nesting_is_refused(tmp_path: Path) -> None:
    assert rules(read("[" * 20 + "]" * 20)) == [("too-deep", 1)]
    assert rules(read("- " * 50_000)) == [("too-deep", 1)]
    assert read("[" * 100_000).root is None
    assert [rule for rule, _ in rules(read("{a: " * 5_000))] == ["too-deep"]


def test_a_value_that_is_far_too_long_is_refused() -> None:
    assert rules(read(f"a: x\nb: {'w' * 30_000}\n")) == [("too-long", 2)]


def test_merge_keys_are_refused() -> None:
    assert rules(read("a: &a {b: c}\nd:\n  <<: *a\n")) == [("merge-key", 3)]


def test_keys_are_words() -> None:
    assert rules(read("? [a, b]\n: c\nd: e\n")) == [("key-not-text", 1)]
    assert rules(read("on: x\n010: z\n8: w\nn: fine\n")) == [("unquoted-value", line) for line in (1, 2, 3)]


def test_more_than_one_document_and_directives_are_refused() -> None:
    assert rules(read("---\na: x\n---\nb: z\n")) == [("more-than-one-document", 3)]
    assert ("directive", 1) in rules(read("%YAML 1.1\n---\na: x\n"))


@pytest.mark.parametrize("source", ["", "\n\n", "# only a remark\n", "\ufeff"])
def test_an_empty_file_is_a_fault(source: str) -> None:
    assert rules(read(source)) == [("empty-file", 1)]


# -- encodings and hidden characters


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    document = read("\ufeffa: 显存\r\nb:\r\n  - x\r\n  - NO\r\n".encode())
    assert document.value == {"a": "显存", "b": ["x", "NO"]}
    assert rules(document) == [("unquoted-value", 4)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_is_named_and_not_guessed_at(encoding: str) -> None:
    document = read("a: 显存 is memory\n".encode(encoding))
    assert document.root is None
    assert document.faults[0].rule in ("not-utf-8", "control-character")
    assert "UTF-8" in document.faults[0].what_to_do


def test_gb18030_is_refused_on_the_line_where_it_begins() -> None:
    source = b"a: x\nb: z\n" + "c: 显存".encode("gb18030") + b"\n"
    assert rules(read(source)) == [("not-utf-8", 3)]


@pytest.mark.parametrize("char", ["\0", "\x1b", "\x07", "\x9b", "\u202e", "\u2028", "\x85", "\ufeff"])
def test_characters_that_steer_a_terminal_are_refused(char: str) -> None:
    assert ("control-character", 2) in rules(read(f"a: x\nb: 'z{char}w'\n"))


@pytest.mark.parametrize("escape", [r"\e[31m", r"\x1b]0;", r"\0", r"a\tb", r"\u202e"])
def test_escapes_cannot_smuggle_them_in(escape: str) -> None:
    assert ("control-character", 2) in rules(read(f'a: x\nb: "{escape}"\n'))


def test_tabs_are_refused_line_by_line() -> None:
    assert rules(read("a: x\nb:\tz\nc: w\te\n")) == [("tab", 2), ("tab", 3)]
    assert rules(read("a:\n\tb: x\n")) == [("tab", 2)]


# -- values that change type between readers


@pytest.mark.parametrize(
    "value",
    [
        *("NO", "no", "On", "off", "yes", "False", "~", "null", "Null", "12:30", "1:2:3", "010", "0o17"),
        *("0x1F", "0b11", "1e5", "6E01", "1.0e2", "1_000", "+5", ".5", "5.", "08", ".inf", "-.INF", ".nan", "="),
        *("2026-01-02", "2026-01-02T10:00:00Z", "123456789012345678901"),
    ],
)
def test_plain_values_that_readers_disagree_on_are_refused(value: str) -> None:
    document = read(f"a: x\nb: {value}\nc: [{value}]\nd: '{value}'\n")
    assert rules(document) == [("unquoted-value", 2), ("unquoted-value", 3)]
    assert document.value["d"] == value


@pytest.mark.parametrize(
    "value", ["ZeRO", "1F1B", "13B", "4Φ + 12Φ/N", "v1.2.3", "a:b", "non", "yes, it is", "5 %", "-", "e5"]
)
def test_plain_text_is_left_alone(value: str) -> None:
    assert other_reading(value) is None


def test_an_empty_value_is_a_fault() -> None:
    assert rules(read("a:\nb: x\nc: ''\n")) == [("empty-value", 1)]


@given(st.from_regex(r"[-+.0-9a-fnoytruls:_~eE=]{1,8}", fullmatch=True))
def test_whatever_pyyaml_would_convert_is_refused_or_read_the_same(value: str) -> None:
    try:
        theirs = yaml.safe_load(f"[{value}]")
    except (yaml.YAMLError, ValueError):
        return
    if not isinstance(theirs, list) or len(theirs) != 1 or isinstance(theirs[0], str | dict):
        return
    document = read(f"[{value}]")
    assert document.faults or document.value == theirs


# -- going on after a fault


def test_all_faults_of_a_file_are_reported() -> None:
    document = read("a: NO\na: x\nb: !!str z\nc:\nd: 'w\x07'\n")
    assert rules(document) == [
        ("control-character", 5),
        ("unquoted-value", 1),
        ("duplicate-key", 2),
        ("tag", 3),
        ("empty-value", 4),
    ]


@pytest.mark.parametrize(
    ("source", "line", "advice"),
    [
        ("a: x\nfront: note: this\n", 2, "quotes"),
        ("a: x\nb: [c, d\ne: f\n", 3, "bracket"),
        ("a:\n  b: x\n   c: z\n", 3, "quotes"),
        ("a: x\nb: %z\n", 2, "quotes"),
        ("a: *nobody\n", 1, "write the text out"),
        ('a: "\\q"\n', 1, "backslash"),
    ],
)
def test_what_is_not_yaml_is_named_with_its_line(source: str, line: int, advice: str) -> None:
    document = read(source)
    assert document.faults[-1].line == line
    assert advice in document.faults[-1].what_to_do


def test_a_fault_prints_as_file_line_rule_and_advice() -> None:
    assert (
        str(read("a: x\na: z\n").faults[0]) == "cards.yaml:2: duplicate-key: remove one: `a` stands on line 1 already"
    )


def test_what_is_no_file_is_a_fault(tmp_path: Path) -> None:
    assert rules(load(tmp_path / "none.yaml")) == [("unreadable", 1)]
    assert rules(load(tmp_path)) == [("not-a-file", 1)]
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.yaml")
        assert rules(load(tmp_path / "pipe.yaml")) == [("not-a-file", 1)]


@settings(max_examples=300)
@given(st.binary(max_size=80) | st.text(alphabet="ab:-[]{}&*!|>'\"%@`#?, \n\t\\~", max_size=60).map(str.encode))
def test_no_bytes_make_the_reader_raise(source: bytes) -> None:
    document = read(source)
    assert document.faults or document.root is not None
    assert all(1 <= fault.line <= source.count(b"\n") + source.count(b"\r") + 2 for fault in document.faults)
