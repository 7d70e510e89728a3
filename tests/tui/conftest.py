"""An app over a small record in a temporary folder, and a clock that the test turns; nothing of the developer's own."""

from __future__ import annotations

import datetime
import os
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from textual import events
from textual.pilot import Pilot

from content.cards import Card, Caveat, RubricPoint, Text, Topic, cloze_front, cloze_full
from content.events import Kind, NewEvent
from content.library import LoadedPack
from content.pack_rows import sync
from content.runs_store import Run, all_runs
from content.settings import Settings
from content.store import Record
from evidence.lab import Findings, Lab, LabParam, MetricSpec, Progress, Tolerance, _Registry, recorded
from evidence.picture import Picture, still
from grading.days import Instant
from tui import opening, words
from tui.app import ShardrillApp
from tui.clock import Clock
from tui.paths import find_places
from tui.screens.lab_run import LabScreen
from tui.screens.review import ReviewScreen


class HandClock(Clock):
    """Stands still until the test turns it."""

    def __init__(self, text: str = "2026-11-30T10:00:00+08:00") -> None:
        super().__init__(text + "!")
        self.set(text)

    def set(self, text: str) -> None:
        when = datetime.datetime.fromisoformat(text)
        offset = when.utcoffset() or datetime.timedelta()
        self.instant = Instant(int(when.timestamp() * 1000), int(offset.total_seconds() // 60))

    def pass_ms(self, ms: int) -> None:
        self.instant = Instant(self.instant.at_ms + ms, self.instant.utc_offset_min)

    def now(self) -> Instant:
        return self.instant


def concept(name: str, front: str, back: str, *, topic: str = "zero", **fields: object) -> Card:
    """A card of the sample pack, `|` between the English and the Chinese words."""
    return Card(
        f"sample/{name}",
        "concept",
        f"sample/{topic}",
        _two(front),
        _two(back),
        ("course §3",),
        f"sample/{name}",
        **fields,
    )


def cloze(name: str, text: str, *, topic: str = "zero") -> Card:
    """A cloze card that hides its first mark."""
    en, zh = text.split("|")
    return replace(
        concept(name, "-|-", "-|-", topic=topic),
        id=f"sample/{name}#1",
        kind="cloze",
        cloze=Text(en, zh),
        cloze_index=1,
        front=Text(cloze_front(en, 1), cloze_front(zh, 1)),
        back=Text(cloze_full(en), cloze_full(zh)),
    )


def _two(text: str) -> Text:
    en, _bar, zh = text.partition("|")
    return Text(en, zh or en)


FREE = concept(
    "why-free",
    "Why does the memory that ZeRO-1 and ZeRO-2 save cost no extra communication?|为什么 ZeRO-1/2 省下的显存不用多付通信？",
    "An all-reduce already is a reduce-scatter followed by an all-gather."
    "|一次 All-Reduce 本来就是 Reduce-Scatter 加 All-Gather。",
    ideas=(Text("reduce-scatter leaves each card its slice", "Reduce-Scatter 留下自己的一片"), Text("2Φ", "2Φ")),
    caveat=Caveat(Text("Once per optimizer step.", "以每步规约一次为前提。"), "fairscale issue 1041"),
    invites_line=True,
)
PLAIN = concept("ranks", "What does N count?|N 数的是什么？", "The data-parallel ranks.|数据并行的卡数。")
FLIGHT = cloze("in-flight", "1F1B keeps at most {{p}} micro-batches in flight.|1F1B 至多挂着 {{p}} 个 micro-batch。")
MATH = concept("math", r"What is $\frac{12\Phi}{N}$?", r"The shard of $12\Phi$ bytes.")
ORAL = replace(
    concept("ladder", "Walk up the ZeRO ladder.|把 ZeRO 三个阶段讲一遍。", "First the states.|先切优化器状态。"),
    kind="oral",
    minutes=8,
    rubric=(
        RubricPoint("stage-1", Text("ZeRO-1 shards the optimizer states only", "ZeRO-1 只切优化器状态"), key=True),
        RubricPoint("bytes", Text("4Φ + 12Φ/N per card", "每卡 4Φ + 12Φ/N")),
    ),
    traps=(Text("right formula on the wrong stage", "公式对了，阶段说反"),),
    model_answer=Text("First the states.", "先切优化器状态。"),
)
LESSON = Text("Stage 1 shards the optimizer states. " * 20, "第一阶段把优化器状态切成 N 份，每卡一份。" * 20)


def simulated(run: Callable[[Progress], bool]) -> Lab:
    """A lab whose one metric is what `run` says."""

    def simulate(_values: Mapping[str, Any], _seed: int, progress: Progress) -> Findings:
        is_true = run(progress)
        about = Text("To the last bit.", "逐比特相等。")
        return Findings(
            {"it_holds": is_true}, {"loss": recorded(0.5)}, Tolerance(0.0, "exact", about), Picture((still(["Φ·█"]),))
        )

    number = LabParam("n", Text("Cards", "卡数"), "int", 8, 2, 64)
    word = LabParam("how", Text("How", "方式"), "choice", "fast", choices=("fast", "slow"))
    metric = MetricSpec("it_holds", Text("It holds", "成立"))
    return Lab("ring", 1, Text("A lab", "一个实验"), Text("About.", "说明。"), (number, word), (metric,), simulate)


class Desk:
    """A data folder with the sample pack in it, and the app over it."""

    free, plain, flight, math, oral, a_lesson = FREE, PLAIN, FLIGHT, MATH, ORAL, LESSON
    concept = staticmethod(concept)

    def __init__(self, folder: Path) -> None:
        self.places = find_places(folder)
        self.places.data.mkdir(parents=True, exist_ok=True)
        self.places.settings.write_text("", encoding="utf-8")  # not the first run
        self.clock = HandClock()
        self.cards: list[Card] = [self.plain, self.free, self.flight]
        self.lesson = Text("", "")
        self.settings = Settings(fuzz=False)

    def set(self, **settings: object) -> None:
        self.settings = replace(self.settings, **settings)  # type: ignore[arg-type]

    def sync(self, record: Record) -> None:
        """Put the cards into the record, in their order."""
        topics = (Topic("sample/zero", Text("ZeRO", "ZeRO：切开冗余"), self.lesson),)
        title = Text("Sample", "样例")
        pack = LoadedPack("sample", title, self.places.packs / "sample", "s", topics, tuple(self.cards))
        sync(record, pack, self.clock.now().at_ms)

    def app(self, lang: str = "en", start: str = "review") -> ShardrillApp:
        return ShardrillApp(self.places, self.settings, clock=self.clock, lang=lang, start=start)

    @asynccontextmanager
    async def review(self, lang: str = "en", size: tuple[int, int] = (80, 24)) -> AsyncIterator[Sitting]:
        """The app on Review, its first card on screen."""
        app = self.app(lang)
        async with app.run_test(size=size) as pilot:
            sitting = Sitting(app, pilot, self.clock)
            await sitting.until_ready()
            yield sitting

    def sitting(self, app: ShardrillApp, pilot: Pilot[object]) -> Sitting:
        """The app of a running pilot."""
        return Sitting(app, pilot, self.clock)

    def events(self) -> list[NewEvent]:
        """The log as it is on disk, oldest first, read by another connection."""
        from content.rows import EVENT_NAMES, event_from

        with Record.open(self.places.data, read_only=True) as record:
            rows = record.named_rows(f"SELECT {', '.join(EVENT_NAMES)} FROM event ORDER BY event_id")
        return [event_from(row) for row in rows]

    def attempts(self) -> list[NewEvent]:
        return [event for event in self.events() if event.kind is Kind.ATTEMPT]

    def runs(self) -> list[Run]:
        """The runs of labs and scripts as they are on disk."""
        with Record.open(self.places.data, read_only=True) as record:
            return all_runs(record)

    def count_ids(self) -> None:
        """Ids that are the same in every test run."""
        numbers = iter(range(1, 1000))
        self.clock.new_event_id = lambda at_ms: f"{at_ms:012x}{next(numbers):020x}"  # type: ignore[method-assign]


class Sitting:
    """A running app; keys are pressed a second apart unless a test says otherwise."""

    def __init__(self, app: ShardrillApp, pilot: Pilot[object], clock: HandClock) -> None:
        self.app, self.pilot, self.clock = app, pilot, clock

    async def until_ready(self) -> None:
        for _ in range(200):
            await self.pilot.pause(0.01)
            screen = self.app.screen
            if isinstance(screen, ReviewScreen) and screen.session is not None:
                await self.pilot.pause()
                return
        raise AssertionError(f"no card came up: {self.text}")

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for what comes about in its own time."""
        for _ in range(500):
            await self.pilot.pause(0.01)
            if holds():
                await self.pilot.pause()
                return
        raise AssertionError(f"did not happen: {self.text}")

    async def until_run(self) -> None:
        """Wait for the end of the lab's run on screen."""
        await self.until(lambda: self.app.screen.job is None and self.app.screen.has_class("-result"))  # type: ignore[attr-defined]

    async def press(self, *keys: str, apart_ms: int = 1000) -> None:
        for key in keys:
            self.clock.pass_ms(apart_ms)
            await self.pilot.press(key)
            await self.pilot.pause()

    async def send(self, character: str, *, apart_ms: int = 1000) -> None:
        """A key as an input method sends it: the character is its own name."""
        self.clock.pass_ms(apart_ms)
        self.app.post_message(events.Key(character, character))
        await self.pilot.pause()
        await self.pilot.pause()

    async def type(self, text: str) -> None:
        for character in text:
            self.app.post_message(events.Key(character, character))
        await self.pilot.pause()

    def review_messages_gone(self) -> None:
        """Take the passing message off the screen."""
        self.app.screen.say("")  # type: ignore[attr-defined]

    @property
    def review(self) -> ReviewScreen:
        screen = self.app.screen
        assert isinstance(screen, ReviewScreen), screen
        return screen

    @property
    def card(self) -> str:
        """The id of the card on screen, without the pack."""
        item = self.review.card_item
        return item.card.id.partition("/")[2] if item is not None else ""

    @property
    def rows(self) -> list[str]:
        """What is on screen, row by row."""
        strips = self.app.screen._compositor.render_strips()
        return ["".join(segment.text for segment in strip) for strip in strips]

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.rows)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No setting of the developer's terminal or language reaches a test."""
    exactly = {"NO_COLOR", "COLUMNS", "LINES", "LANG", "TZ", "SHARDRILL_HOME", "SHARDRILL_NOW", "EDITOR", "VISUAL"}
    for name in list(os.environ):
        framework = name.startswith(("TEXTUAL_", "LC_")) and not name.startswith("TEXTUAL_SNAPSHOT")
        if name in exactly or framework:
            monkeypatch.delenv(name)
    monkeypatch.setenv("TERM", "xterm-256color")
    yield
    words.set_language("en")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A desk whose only pack is the sample."""
    made = Desk(tmp_path / "home")

    def sync_sample(record: Record, *_more: object) -> tuple[()]:
        made.sync(record)
        return ()

    monkeypatch.setattr(opening, "sync_packs", sync_sample)
    return made


@pytest.fixture
def no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is run is not run in the developer's repository."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def lab(desk: Desk) -> Callable[..., AbstractAsyncContextManager[Sitting]]:
    """Opens one lab over Today."""
    desk.count_ids()

    @asynccontextmanager
    async def opened(
        lab_id: str = "ring", lang: str = "en", size: tuple[int, int] = (80, 40), **drill: float | Fraction
    ) -> AsyncIterator[Sitting]:
        app = desk.app(lang, start="today")
        async with app.run_test(size=size) as pilot:
            sitting = desk.sitting(app, pilot)
            screen = LabScreen(lab_id, drill or None)
            app.push_screen(screen)
            await sitting.until(lambda: app.screen is screen and screen.lab is not None)
            await sitting.until(lambda: screen.job is None)
            yield sitting

    return opened


@pytest.fixture
def only_lab(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Progress], bool]], None]:
    """Puts a lab whose one metric is what a function says in the place of all."""

    def put(run: Callable[[Progress], bool]) -> None:
        one = simulated(run)
        monkeypatch.setattr(_Registry, "__getitem__", lambda _self, _key: one)

    return put
