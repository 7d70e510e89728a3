"""The statements of every day are text; the tables are described once, in content.tables. Here the two are held together."""

from __future__ import annotations

import re
from typing import Any

import pytest

from content import day_sql, record_sql
from content.rows import CARD_NAMES, EVENT_NAMES, MEMORY_NAMES
from content.tables import card, card_rev, draft, event, memory, topic


def names(table: Any) -> set[str]:
    return set(table.columns.keys())


def test_every_column_of_the_log_and_of_a_memory_is_written_and_read() -> None:
    assert set(EVENT_NAMES) == names(event)
    assert {"learner", *MEMORY_NAMES} == names(memory)
    assert set(record_sql.TOPIC_NAMES) == names(topic)
    assert {"learner", *record_sql.DRAFT_NAMES} == names(draft)


def test_a_card_is_read_from_its_own_tables() -> None:
    assert set(CARD_NAMES) == names(card) | {"topic_id", "body"}
    assert "body" in names(card_rev)
    assert "topic_id" in names(topic)


STATEMENTS = {
    f"{module.__name__}.{name}": text
    for module in (record_sql, day_sql)
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str) and not name.startswith("_")
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_every_statement_can_be_run_on_a_record(desk: Any, name: str) -> None:
    """SQLite prepares it, so that no table or column is misspelt, and takes a value for each of its names."""
    statement = STATEMENTS[name]
    values: Any = dict.fromkeys(re.findall(r":(\w+)", statement))
    if "?" in statement:
        values = (None,) * statement.count("?")
    desk.record.named_rows(f"EXPLAIN {statement}", values)
