"""A rebuild puts right whatever the memories claim, and lets no event, however odd, say anything of another card."""

from __future__ import annotations

from typing import Any

import pytest

from content.errors import DamagedEvent
from content.history import fold_card
from content.params import body_of, id_of
from content.rebuilding import rebuild
from grading.memory import Phase, Rating

WRONG = {
    "another queue": "UPDATE memory SET queue = 0 WHERE card_key = 1",
    "out of rotation": "UPDATE memory SET queue = -1 WHERE card_key = 1",
    "a queue there is not": "UPDATE memory SET queue = 3 WHERE card_key = 3",
    "another place": "UPDATE memory SET position = 77 WHERE card_key = 1",
    "no memory of an answered card": "DELETE FROM memory WHERE card_key = 1",
    "no memory of a new card": "DELETE FROM memory WHERE card_key = 3",
    "a phase there is not": "UPDATE memory SET phase = 9 WHERE card_key = 1",
    "a stability there is not": "UPDATE memory SET stability = -1 WHERE card_key = 1",
    **{
        f"{column} of a new card": f"UPDATE memory SET {column} = 3 WHERE card_key = 3"
        for column in (
            "leech",
            "lapses",
            "step",
            "last_day",
            "last_ms",
            "scheduled_days",
            "difficulty",
            "due_ms",
            "flag",
        )
    },
}


def changed_by_hand(desk: Any, statement: str) -> None:
    with desk.record.writing() as driver:
        driver.execute(statement)


@pytest.fixture
def lived(desk: Any) -> Any:
    """Three cards: a learnt one, one in its steps, a new one."""
    desk.add("a", "b", "c")
    desk.sync()
    session = desk.sit()
    desk.answer(session, Rating.EASY)
    desk.answer(session, Rating.GOOD)
    return desk


@pytest.mark.parametrize("what", WRONG)
def test_whatever_a_memory_claims_the_log_is_right(lived: Any, what: str) -> None:
    plan = lived.settings.plan()
    assert rebuild(lived.record, plan).changed == 0
    right = lived.record.named_rows("SELECT * FROM memory ORDER BY card_key")
    changed_by_hand(lived, WRONG[what])
    assert rebuild(lived.record, plan).changed == 1
    assert lived.record.named_rows("SELECT * FROM memory ORDER BY card_key") == right
    assert rebuild(lived.record, plan).changed == 0


ODD = {
    "a day before 1970": "day = -1",
    "a day beyond any calendar": "day = 3000000",
    "more steps than there are": "step_after = 200",
    "an instant beyond any clock": "at_ms = 9100000000000000",
    "a due day beyond any interval": "due_day = 900000000",
}


@pytest.mark.parametrize("what", ODD)
def test_an_odd_event_says_nothing_of_another_card(lived: Any, what: str) -> None:
    changed_by_hand(lived, f"UPDATE event SET {ODD[what]} WHERE card_key = 1")
    others = "SELECT * FROM memory WHERE card_key > 1 ORDER BY card_key"
    right = lived.record.named_rows(others)
    rebuild(lived.record, lived.settings.plan())
    assert lived.record.named_rows(others) == right
    assert lived.record.memory(1) == fold_card(lived.record, 1, lived.settings.plan())


def test_more_plans_than_there_are_numbers_for_all_count(lived: Any) -> None:
    """Every answer counts under its own plan, also the one that is kept as the last of very many."""
    other = body_of(lived.settings.plan()).replace("0.9,", "0.8,", 1)
    with lived.record.writing() as driver:
        for number in range(1200):
            driver.execute("INSERT INTO params VALUES (?, ?)", (f"{number:016x}", other))
        driver.execute("UPDATE event SET params_id = ? WHERE card_key = 1", (f"{1199:016x}",))
    rebuild(lived.record, lived.settings.plan())
    assert lived.record.memory(1) == fold_card(lived.record, 1, lived.settings.plan())
    assert id_of(other) not in {row[0] for row in lived.record.named_rows("SELECT params_id FROM params")}
    assert lived.row("a").memory.phase is Phase.REVIEW


def test_a_plan_that_cannot_be_read_is_as_if_it_were_unknown(lived: Any) -> None:
    right = lived.record.memories()
    changed_by_hand(lived, "UPDATE params SET body = '{oops'")
    assert rebuild(lived.record, lived.settings.plan()).changed == 0
    assert lived.record.memories() == right


@pytest.mark.parametrize(
    "damage", ["rating = NULL", "rating = 9", "kind = 'weird'", "purpose = 'weird'", "phase_after = 7"]
)
def test_an_event_that_cannot_be_read_is_named_and_nothing_is_changed(lived: Any, damage: str) -> None:
    changed_by_hand(lived, f"UPDATE event SET {damage} WHERE card_key = 1")
    right = lived.record.memories()
    with pytest.raises(DamagedEvent, match="shardrill restore"):
        rebuild(lived.record, lived.settings.plan())
    assert lived.record.memories() == right
