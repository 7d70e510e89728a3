"""A record in a temporary folder with as many cards and oral questions as a test asks for, a clock that the test turns, and
the drills of one file of the shipped pack."""

from __future__ import annotations

import datetime
import itertools
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from content.actions import Actions
from content.cards import Card, RubricPoint, Terms, Text, Topic
from content.drill_check import check_drill
from content.drill_schema import DrillModel
from content.drills import make_drill, solve
from content.events import Kind, NewEvent, Purpose
from content.exam import ExamSession
from content.library import SHIPPED_PACKS, LoadedPack
from content.pack_rows import sync
from content.rows import MemoryRow
from content.safe_yaml import load
from content.session import CardItem, LessonItem, Session
from content.settings import Settings
from content.store import Record
from grading.days import Instant, study_day
from grading.drill import Drill, Problem
from grading.memory import Memory, Phase, Rating


class Clock:
    """An instant that moves only when told to, in one time zone."""

    def __init__(self, local: str = "2026-03-10 10:00", zone: str = "Asia/Shanghai") -> None:
        self.zone = zone
        self.set(local)

    def set(self, local: str) -> Instant:
        """Turn to a local time, such as "2026-03-10 23:50"."""
        when = datetime.datetime.fromisoformat(local).replace(tzinfo=ZoneInfo(self.zone))
        offset = when.utcoffset() or datetime.timedelta()
        self.now = Instant(int(when.timestamp() * 1000), int(offset.total_seconds() // 60))
        return self.now

    def pass_s(self, seconds: float) -> Instant:
        """Let time go by."""
        self.now = replace(self.now, at_ms=self.now.at_ms + int(seconds * 1000))
        return self.now

    @property
    def day(self) -> int:
        """The study day at the default rollover hour."""
        return study_day(self.now)


def point(name: str, *words: str, key: bool = False, cards: tuple[str, ...] = (), weight: float = 1.0) -> RubricPoint:
    """A point of a rubric that is proposed as said where one of its words is found."""
    said = Text(f"{name}: {', '.join(words)}", f"{name}：{'、'.join(words)}")
    return RubricPoint(name, said, weight, key, Terms(words, words), cards=cards)


RUBRIC = (
    point("gradients", "all-reduce", key=True, cards=("p/a", "p/b")),
    point("links", "NVLink", cards=("p/b", "p/c")),
    point("bubble", "bubble", cards=("p/c", "p/fresh", "p/gone")),
    point("stages", "stages", cards=("p/d",)),
)
ANSWER = "DP does an all-reduce of the gradients. TP needs NVLink."
"""What has the first two points of the rubric and not the others."""


def oral(name: str = "q", rubric: tuple[RubricPoint, ...] = RUBRIC, **fields: object) -> Card:
    """An oral question of pack "p"."""
    question, answer = Text(f"{name}: what moves where?", f"{name}：什么在哪里移动？"), Text("All.", "全部。")
    values = {"minutes": 8, "rubric": rubric, "model_answer": answer, **fields}
    return Card(f"p/{name}", "oral", "p/t", question, answer, ("course",), f"p/{name}", **values)


class Desk:
    """A learner's desk: record, settings, clock, and short ways to put cards on it."""

    oral, point, rubric, an_answer = staticmethod(oral), staticmethod(point), RUBRIC, ANSWER

    def __init__(self, folder: Path, clock: Clock, **settings: object) -> None:
        self.clock = clock
        self.folder = folder
        self.settings = replace(Settings(fuzz=False), **settings)
        self.record = Record.open(folder)
        self.cards: list[Card] = []
        self.topics: dict[str, Topic] = {}
        self._ids = itertools.count(1)
        self.actions = Actions(self.record, self.settings, self.new_id)

    @property
    def driver(self) -> sqlite3.Connection:
        """The record's own connection, for tests that look at what it is asked."""
        with self.record.writing() as driver:
            return driver

    def new_id(self, at_ms: int) -> str:
        """Event ids that differ although the clock stands still."""
        return f"{at_ms:012x}{next(self._ids):020x}"

    def set(self, **settings: object) -> None:
        """Change settings."""
        self.settings = replace(self.settings, **settings)
        self.actions = Actions(self.record, self.settings, self.new_id)

    def add(self, *names: str, topic: str = "t", lesson: str = "", **fields: object) -> None:
        """Cards with these ids in pack "p"; put into the record by `sync`."""
        self.topics.setdefault(topic, Topic(f"p/{topic}", Text(topic, topic), Text(lesson, lesson)))
        for name in names:
            values = {"sibling": f"p/{name}", **fields}
            sides = (Text(f"{name}?", f"{name}？"), Text(f"{name}!", f"{name}！"))
            self.cards.append(Card(f"p/{name}", "concept", f"p/{topic}", *sides, ("course",), **values))

    def sync(self) -> Desk:
        """Bring the cards into the record."""
        pack = LoadedPack(
            "p", Text("Pack", "包"), self.folder, str(next(self._ids)), tuple(self.topics.values()), tuple(self.cards)
        )
        sync(self.record, pack, self.clock.now.at_ms)
        return self

    def key(self, name: str) -> int:
        """The key of a card."""
        row = self.record.card(f"p/{name}")
        assert row is not None
        return row.card_key

    def row(self, name: str) -> MemoryRow:
        """What the record says of a card."""
        row = self.record.memory(self.key(name))
        assert row is not None
        return row

    def put(self, *names: str, due_in: int = 0, stability: float = 10.0, **fields: object) -> None:
        """Let cards be in review, due this many days from today."""
        for name in names:
            due = self.clock.day + due_in
            memory = Memory(Phase.REVIEW, 0, stability, 5.0, due, None, 10, due - 10, self.clock.now.at_ms, 4)
            self.record.write((), [replace(self.row(name), memory=replace(memory, **fields))])

    def put_in_steps(self, *names: str, due_in_s: int = 0) -> None:
        """Let cards be in their first learning step, due after this many seconds."""
        now = self.clock.now.at_ms
        for name in names:
            memory = Memory(
                Phase.LEARNING, 2, 0.2, 6.0, None, now + due_in_s * 1000, 0, self.clock.day, now, attempts=1
            )
            self.record.write((), [replace(self.row(name), memory=memory)])

    def logged(self, name: str, phase_before: Phase, *, took_s: float = 12, **fields: object) -> None:
        """Log an answer given now, without touching the memory."""
        values = {"purpose": Purpose.REVIEW, "rating": 3, **fields}
        now = self.clock.now
        event = NewEvent(
            self.record.ordered_id(self.new_id(now.at_ms)),
            Kind.ATTEMPT,
            now.at_ms,
            now.utc_offset_min,
            study_day(now),
            card_key=self.key(name),
            took_ms=int(took_s * 1000),
            phase_before=int(phase_before),
            phase_after=2,
            **values,
        )
        self.record.append(event)

    def sit(self, **how: object) -> Session:
        """Start a sitting."""
        return Session(self.record, self.settings, self.clock.now, new_id=self.new_id, **how)

    def answer(self, session: Session, rating: Rating, took_s: float = 10) -> str:
        """Reveal and rate the card on screen; lessons before it are read. Returns the card's short id."""
        while isinstance(session.item, LessonItem):
            session.lesson_read(self.clock.now)
        item = session.item
        assert isinstance(item, CardItem)
        session.reveal(self.clock.now)
        session.answer(rating, self.clock.pass_s(took_s), took_ms=int(took_s * 1000))
        return item.card.id.removeprefix("p/")

    def answer_all(self, session: Session, rating: Rating = Rating.GOOD, most: int = 1000) -> list[str]:
        """Answer until nothing is on screen."""
        seen = []
        while session.item is not None and len(seen) < most:
            seen.append(self.answer(session, rating))
        return seen

    def exam(self, **how: object) -> ExamSession:
        """Start an oral exam."""
        return ExamSession(self.record, self.settings, self.clock.now, new_id=self.new_id, **how)

    def submit(self, exam: ExamSession, text: str = ANSWER) -> None:
        """Answer the question on screen within a minute; its marks are open."""
        assert exam.ask is not None
        exam.ask.write(text, self.clock.pass_s(30))
        exam.ask.submit(self.clock.pass_s(30))

    def due_in(self, name: str) -> int | None:
        """In how many days a card is due."""
        due = self.row(name).memory.due_day
        return None if due is None else due - self.clock.day

    def events(self, *kinds: Kind) -> Sequence[NewEvent]:
        """All events about cards, oldest first, or those of some kinds."""
        found = [event for card in self.cards for event in self.record.events_of(self.key(card.id.partition("/")[2]))]
        return sorted((e for e in found if not kinds or e.kind in kinds), key=lambda e: e.event_id)


class Drills:
    """The drills of one file of the shipped pack, and what each says is right for the values that a test gives."""

    def __init__(self, file_name: str) -> None:
        document = load(SHIPPED_PACKS / "distributed-training-map" / file_name)
        assert not document.faults
        self.models = {spec["id"]: DrillModel.model_validate(spec) for spec in document.value["drills"]}
        self._data = {drill_id: model.model_dump(exclude_none=True) for drill_id, model in self.models.items()}
        self._made: dict[str, Drill] = {}

    def faults(self, drill_id: str) -> list[object]:
        """What the pack's check finds wrong with a drill."""
        return list(check_drill(drill_id, self._data[drill_id]))

    def drill(self, drill_id: str) -> Drill:
        """A drill as it is drawn and graded."""
        if drill_id not in self._made:
            self._made[drill_id] = make_drill(drill_id, self._data[drill_id])
        return self._made[drill_id]

    def problem(self, drill_id: str, /, *, unknown: str | None = None, **values: object) -> Problem:
        """A drill with these values; bare numbers are in the units of their parameters."""
        return solve(self.drill(drill_id), {key: str(value) for key, value in values.items()}, unknown=unknown)

    def base(self, drill_id: str, /, **values: object) -> float:
        """What the drill says is right, in base units."""
        return float(self.problem(drill_id, **values).answer)

    def answer(self, drill_id: str, /, **values: object) -> float:
        """What the drill says is right, in the unit it asks for."""
        problem = self.problem(drill_id, **values)
        return float(Fraction(problem.answer) / problem.drill.unit.factor)


drills_of = cache(Drills)


def shown(session: Session) -> str:
    """The short id of the card on screen."""
    assert isinstance(session.item, CardItem), session.finish
    return session.item.card.id.removeprefix("p/")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def new_desk(tmp_path: Path, clock: Clock) -> Iterator[Callable[..., Desk]]:
    """Makes desks, each with a record of its own."""
    desks: list[Desk] = []

    def make(**settings: object) -> Desk:
        desks.append(Desk(tmp_path / f"record{len(desks)}", clock, **settings))
        return desks[-1]

    yield make
    for desk in desks:
        desk.record.close()


@pytest.fixture
def desk(new_desk: Callable[..., Desk]) -> Desk:
    return new_desk()


@pytest.fixture
def exam_desk(desk: Desk) -> Desk:
    """Cards a, b and c in review, due in some days; d was never met, nor was fresh; and one oral question, q."""
    desk.add("a", "b", "c", "d", "fresh")
    desk.cards.append(oral())
    desk.sync()
    desk.put("a", "b", "c", due_in=5)
    return desk


@pytest.fixture
def on_screen() -> Callable[[Session], str]:
    """The short id of the card on screen."""
    return shown


@pytest.fixture
def drills(request: pytest.FixtureRequest) -> Drills:
    """The drills of the file that the test's module names as PACK_FILE."""
    return drills_of(request.module.PACK_FILE)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `every_drill` runs for each drill of its module's PACK_FILE."""
    if "every_drill" in metafunc.fixturenames:
        metafunc.parametrize("every_drill", drills_of(metafunc.module.PACK_FILE).models)
