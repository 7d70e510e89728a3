"""Every text of the interface is there in Chinese."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from content.errors import CorruptRecord, LockedRecord, Reason
from tui import words
from tui.record_keeper import RecordUnavailable

SOURCE = Path(__file__).parents[2] / "tui"  # an installed package has the compiled catalogues only
CATALOGUES = SOURCE / "locale" / "zh" / "LC_MESSAGES"
MARKS = {"_", "N_", "ngettext"}


def marked(path: Path) -> Iterator[tuple[str, ...]]:
    """The texts that a module marks for translation: one, or singular and plural."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            texts = node.args[:2] if node.func.id == "ngettext" else node.args[:1]
            if all(isinstance(text, ast.Constant) and isinstance(text.value, str) for text in texts):
                yield tuple(text.value for text in texts if isinstance(text, ast.Constant))


def translations() -> dict[str, list[str]]:
    """Every message id of every catalogue, with its Chinese texts."""
    found: dict[str, list[str]] = {}
    for po in sorted(CATALOGUES.glob("*.po")):
        with po.open("rb") as stream:
            for message in read_po(stream, locale="zh", abort_invalid=True):
                if message.id:
                    name = message.id if isinstance(message.id, str) else message.id[0]
                    texts = [message.string] if isinstance(message.string, str) else list(message.string)
                    found[name] = texts
    return found


MODULES = sorted(path for path in SOURCE.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_marked_text_has_a_chinese_one(module: Path) -> None:
    known = translations()
    missing = [texts[0] for texts in marked(module) if texts[0] and not all(known.get(texts[0], [""]))]
    assert not missing


def templates(path: Path) -> Iterator[str]:
    """The templates of the record's refusals that a module makes: literal, in the call that makes the error."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args and ast.unparse(node.func) in REFUSALS:
            yield from (part.value for part in ast.walk(node.args[-1]) if isinstance(part, ast.Constant))


REFUSALS = {"Reason", "RecordError", "super().__init__", "named"}
"""Whatever of the record is made from a template; `named` takes it last."""
RECORD_MODULES = [
    path
    for path in sorted((SOURCE.parent / "content").glob("*.py"))
    if "RecordError" in path.read_text(encoding="utf-8") or "record_file" in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("module", RECORD_MODULES, ids=lambda path: path.name)
def test_every_refusal_of_the_record_has_a_chinese_text(module: Path) -> None:
    known = translations()
    missing = [text for text in templates(module) if not all(known.get(text, [""]))]
    assert not missing


def test_a_refusal_made_in_one_language_is_told_in_the_one_shown() -> None:
    refusal = CorruptRecord(Path("r.sqlite3"), Reason("it lacks the table {table}", table="event"), None, ())
    fault = RecordUnavailable(refusal)
    assert "it lacks the table event" in str(fault)
    words.set_language("zh")
    assert str(fault) == "r.sqlite3 无法使用：缺少表 event。没有备份；把它移走就会从空记录开始。"
    assert "正被另一个 shardrill（进程 7）使用" in str(RecordUnavailable(LockedRecord(Path("folder"), 7)))


def test_the_places_to_fill_are_the_same_in_chinese() -> None:
    def fields(text: str) -> set[str]:
        return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name}

    wrong = [
        english
        for english, texts in translations().items()
        for text in texts
        if text and fields(text) - fields(english)
    ]
    assert not wrong


def test_an_area_uses_no_two_chinese_words_for_one_english_text() -> None:
    said: dict[str, set[str]] = {}
    for po in sorted(CATALOGUES.glob("*.po")):
        with po.open("rb") as stream:
            for message in read_po(stream, locale="zh"):
                if isinstance(message.id, str) and message.id:
                    said.setdefault(message.id, set()).add(str(message.string))
    assert not {english: texts for english, texts in said.items() if len(texts) > 1}


def test_guides_exist_in_both_languages_and_say_as_much() -> None:
    english = {path.name: path for path in (SOURCE / "docs" / "en").glob("*.md")}
    chinese = {path.name: path for path in (SOURCE / "docs" / "zh").glob("*.md")}
    assert english.keys() == chinese.keys()
    for name, path in english.items():
        headings = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        others = [line for line in chinese[name].read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        assert len(headings) == len(others), name


def test_a_text_without_translation_stays_english_and_an_unknown_language_is_refused() -> None:
    words.set_language("zh")
    assert words._("no such text anywhere") == "no such text anywhere"
    assert words._("") == ""
    with pytest.raises(ValueError, match="is not one of"):
        words.set_language("fr")


@pytest.mark.parametrize(
    ("asked", "setting", "locale", "chosen"),
    [
        ("zh", "en", "en_US.UTF-8", "zh"),
        (None, "zh", "en_US.UTF-8", "zh"),
        (None, "auto", "zh_CN.UTF-8", "zh"),
        (None, "auto", "de_DE.UTF-8", "en"),
        (None, "auto", "C", "en"),
    ],
)
def test_language_comes_from_option_then_setting_then_locale(
    monkeypatch: pytest.MonkeyPatch, asked: str | None, setting: str, locale: str, chosen: str
) -> None:
    monkeypatch.setenv("LANG", locale)
    assert words.choose_language(asked, setting) == chosen
