"""An own card is edited as the text it is; a faulty edit leaves the pack as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from content.library import PackRefused, check_pack, load_pack
from content.pack_edit import NoSource, replace_source, source_of

SMALL = Path(__file__).parent / "packs" / "small"
IDS = ("zero.stage-1", "zero.stage-2", "memory.bytes", "memory.accounts", "zero.early", "oral.accounts")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SMALL, tmp_path / "small"))


def test_the_source_of_a_card_is_its_own_lines(small: Path) -> None:
    source = source_of(small, "small/zero.stage-2")
    assert source.file == small / "cards.yaml"
    lines = source.file.read_text("utf-8").splitlines()
    assert "\n".join(lines[source.start_line - 1 : source.end_line]) + "\n" == source.text
    assert source.text.startswith("  - id: zero.stage-2\n")
    assert source.text.endswith('    source: "course §3"\n')


def test_a_cloze_card_is_edited_as_the_text_that_makes_it(small: Path) -> None:
    assert source_of(small, "small/memory.bytes#2") == source_of(small, "memory.bytes")


@pytest.mark.parametrize("entry_id", IDS)
def test_putting_a_source_back_changes_nothing(small: Path, entry_id: str) -> None:
    before = {file.name: file.read_bytes() for file in small.iterdir()}
    source = source_of(small, entry_id)
    replace_source(source.file, source.start_line, source.end_line, source.text, was=source.text)
    assert {file.name: file.read_bytes() for file in small.iterdir()} == before


def test_an_entry_that_ends_in_a_block_text(small: Path) -> None:
    file = small / "cards.yaml"
    text = file.read_text("utf-8").rstrip("\n").replace('    source: ["course §3"]', "", 1)
    text = text.replace("  - id: zero.stage-1\n", '  - id: zero.stage-1\n    source: ["course §3"]\n')
    text = text.replace("    revision: 1\n", "    tags:\n      - |\n        # not a remark\n\n\n", 1)
    file.write_text(text + "\n", "utf-8")
    assert check_pack(small) == []
    assert source_of(small, "zero.stage-1").text.endswith("      - |\n        # not a remark\n")


def test_an_edit_is_written_and_loads(small: Path) -> None:
    source = source_of(small, "zero.early")
    replace_source(
        source.file, source.start_line, source.end_line, source.text.replace("whole", "entire"), was=source.text
    )
    card = next(card for card in load_pack(small).cards if card.id == "small/zero.early")
    assert card.back.en == "The entire training state."


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("kind: concept", "kind: NO", "unquoted-value"),
        ("    kind: concept\n", "", "unknown-kind"),
        ("front: {", "front: [", "syntax"),
        ("id: zero.early", "id: zero.late", "id-lost"),
        ("id: zero.early", "id: zero.stage-1", "duplicate-id"),
    ],
)
def test_a_faulty_edit_is_refused_and_the_file_is_as_it_was(small: Path, old: str, new: str, rule: str) -> None:
    source = source_of(small, "zero.early")
    before = source.file.read_bytes()
    with pytest.raises(PackRefused) as refused:
        replace_source(source.file, source.start_line, source.end_line, source.text.replace(old, new))
    assert rule in {fault.rule for fault in refused.value.faults}
    assert source.file.read_bytes() == before
    assert sorted(file.name for file in small.iterdir()) == sorted(file.name for file in SMALL.iterdir())


def test_what_was_saved_meanwhile_is_not_overwritten(small: Path) -> None:
    source = source_of(small, "zero.early")
    source.file.write_text("# a remark\n" + source.file.read_text("utf-8"), "utf-8")
    with pytest.raises(PackRefused, match="changed-meanwhile"):
        replace_source(source.file, source.start_line, source.end_line, source.text, was=source.text)


def test_a_file_with_hidden_characters_is_not_written_back(small: Path) -> None:
    source = source_of(small, "zero.early")
    source.file.write_bytes(source.file.read_bytes() + b"# \x1b\n")
    before = source.file.read_bytes()
    with pytest.raises(PackRefused, match="control-character"):
        replace_source(source.file, source.start_line, source.end_line, source.text)
    assert source.file.read_bytes() == before


def test_line_ends_and_byte_order_mark_stay(small: Path) -> None:
    file = small / "cards.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    source = source_of(small, "zero.early")
    replace_source(file, source.start_line, source.end_line, source.text.replace("whole", "entire"))
    assert file.read_bytes() == before.replace(b"whole", b"entire")


def test_an_entry_without_lines_of_its_own_cannot_be_edited_alone(small: Path) -> None:
    (small / "more.yaml").write_text("cards: [{id: a}, {id: b}]\n")
    for card_id in ("a", "b"):
        with pytest.raises(NoSource, match="does not stand on lines of its own"):
            source_of(small, card_id)
    with pytest.raises(NoSource, match="No file"):
        source_of(small, "nobody")
