"""How a sitting moves: building the day's queue, showing the next card, turning the day, ending."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from content.actions import Actions, Change
from content.cards import Card, Topic, card_from_json, topic_from_json
from content.day_sql import ANY_IN_QUEUE, ANY_SUSPENDED, NEXT_DUE_DAY
from content.errors import DamagedMemory
from content.events import SCHEDULING, Kind, Purpose, Queue
from content.queue import DayQueue, DrillRun, Waiting, build_queue, drill_queue, practice_queue, rows_of
from content.rows import CardState, MemoryRow, TopicRow
from content.sitting import CardItem, Finish, LessonItem, NotNow, Place, Shown
from content.undo import Step, Steps
from grading import schedule
from grading.days import Instant
from grading.memory import Outcomes, Rating

if TYPE_CHECKING:
    from content.drilling import DrillAsk
    from content.missed_points import MadeDue
    from content.practice import Selection
    from content.settings import Settings
    from content.store import Record
    from content.tables_recall import TableAsk


class Sitting:
    """The state of one sitting and what all of its steps need. `content.session.Session` adds the steps."""

    def __init__(
        self,
        record: Record,
        settings: Settings,
        now: Instant,
        *,
        new_id: Callable[[int], str],
        purpose: Purpose = Purpose.REVIEW,
        topic: str | None = None,
        lang: str = "en",
        drills: DrillRun | None = None,
        selection: Selection | None = None,
    ) -> None:
        self.record = record
        self.settings = settings
        self.purpose = purpose
        self.lang = lang
        self.item: CardItem | LessonItem | None = None
        self.outcomes: Outcomes | None = None
        self.finish: Finish | None = None
        self._actions = Actions(record, settings, new_id)
        self._new_id = new_id
        self._at_ms = now.at_ms
        self._drills = drills
        self._selection = selection
        self._selected: tuple[Waiting, ...] | None = None
        self._last_asked = {} if drills is None else dict(drills.unlike)  # the numbers of a drill's last problem here
        self._seeds: list[int] = []  # of a run of drills whose seed was named: the problems to come, last one first
        self._plan = self._actions.plan
        self._topics: dict[str, TopicRow] = {row.topic_id: row for row in record.topics(absent_too=True)}
        self._topic_key = self._key_of(topic)
        self._read_lessons = record.lessons_read()
        self._steps = Steps()
        self._state: CardState | None = None
        self._turned_ms: int | None = None
        self._ahead: tuple[int, CardState, Card] | None = None
        self.damaged: dict[int, DamagedMemory] = {}  # the cards that this sitting had to pass over, by key
        self._damage_told = 0
        self._place = Place.start(self._queue(now))
        if purpose in SCHEDULING:
            _ = self._actions.params_id  # may write, and must not do so within the first answer
        self._show_next(now)

    # -- the day

    def _key_of(self, topic: str | None) -> int | None:
        if topic is None:
            return None
        if topic not in self._topics:
            raise LookupError(f"There is no topic {topic} in the record; see `shardrill pack check` for its pack.")
        return self._topics[topic].topic_key

    def _queue(self, now: Instant, *, beyond: bool = False) -> DayQueue:
        if self._drills is not None:
            queue, self._seeds = drill_queue(self.record, self.settings, now, self._drills, self._topic_key)
            return queue
        if self._selection is not None:
            return self._selection_queue(now, self._selection)
        if self.purpose in SCHEDULING:
            return build_queue(self.record, self.settings, now, self._topic_key, beyond=beyond)
        return practice_queue(self.record, self.settings, now, self._topic_key)

    def _selection_queue(self, now: Instant, selection: Selection) -> DayQueue:
        """What is left of the selection; it is made once."""
        from content.practice import selected, selection_queue

        if self._selected is None:
            self._selected = selected(self.record, self.settings, now, selection, self._topic_key)
            return selection_queue(self.settings, now, self._selected)
        place = self._place
        return selection_queue(self.settings, now, (*place.queue.main[place.position :], *place.later))

    def _turn_day(self, now: Instant) -> bool:
        """Go over to another study day's queue if one has begun; the card on screen stays."""
        if self._actions.day(now) == self._place.queue.day:
            return False
        self._place = self._place.on_queue(self._queue(now))
        if self.outcomes is not None and isinstance(self.item, CardItem):
            self.outcomes = self._outcomes_of(self.item, now)
            self._turned_ms = now.at_ms
        return True

    @property
    def _budget_ms(self) -> int:
        has_budget = self.purpose in SCHEDULING and self._selection is None
        return self.settings.minutes_per_day * 60_000 if has_budget else 0

    def _minutes_spent(self) -> bool:
        return 0 < self._budget_ms <= self._place.spent_ms and not self._place.beyond

    # -- what is on screen

    def _show_next(self, now: Instant) -> None:
        """Put the next card on screen, or end the sitting."""
        self._at_ms = now.at_ms
        self._clear()
        place = self._place
        while place.next_card(now.at_ms, over=self._minutes_spent()):
            if self._show():
                return
            place.consume()  # suspended, buried or gone from its pack since the queue was made
        self.finish = self._finished()

    def _clear(self) -> None:
        self.item = self.outcomes = self.finish = self._state = None

    def _show_again(self, now: Instant, *, revealed: bool = False) -> None:
        """Show what the place holds, read anew; the next card when that can no longer be shown."""
        self._at_ms = now.at_ms
        self._clear()
        if self._place.waiting is None:
            self._show_next(now)
        elif not self._show():
            self._place.consume()
            self._show_next(now)
        elif revealed and isinstance(self.item, CardItem) and self._is_graded(self.item):
            self.outcomes = self._outcomes_of(self.item, now)

    def _is_graded(self, item: CardItem) -> bool:
        """Whether the answer of what is typed was given, so that its back may be shown."""
        if item.table is not None:
            return self._place.table_graded is not None
        return item.ask is None or self._place.graded is not None

    def _outcomes_of(self, item: CardItem, now: Instant) -> Outcomes:
        """What each rating would do; a drill that was missed while sure comes back soon whatever its memory says."""
        found = schedule.outcomes(item.memory, now, self._plan, item.card.id)
        if item.ask is None:
            return found
        from content.drilling import sure_miss_pending
        from content.history import effective
        from grading.proposal import within_days

        graded = self._place.graded
        sure_miss = graded is not None and graded.sure_miss
        if not sure_miss and item.in_steps:
            sure_miss = sure_miss_pending(effective(self.record.events_of(item.card_key)))
        return within_days(found) if sure_miss else found

    def _show(self) -> bool:
        """Make the item of the place's card, or the lesson before it; False when the card is not to be shown today."""
        place = self._place
        state, card = (None, None) if place.waiting is None else self._read(place.waiting.card_key)
        if state is None or card is None or state.row.queue in (Queue.SUSPENDED, Queue.ABSENT):
            return False
        if state.row.buried_day == place.queue.day and self.purpose in SCHEDULING:
            return False
        row = state.row
        topic = self._unread(card.topic) if place.shown is Shown.NEW else None
        self._state = state
        if topic is not None:
            self.item = LessonItem(topic)
        else:
            is_new = place.shown is Shown.NEW
            ask = self._ask(state, card) if card.kind == "drill" else None
            if card.kind == "drill" and ask is None:
                return False
            table = self._table(state, card) if card.kind == "table" else None
            self.item = CardItem(card, row.card_key, state.card.rev, row.memory, is_new, row.flag, row.note, ask, table)
        return True

    def _table(self, state: CardState, card: Card) -> TableAsk | None:
        raise NotImplementedError  # content.asking

    def _ask(self, state: CardState, card: Card) -> DrillAsk | None:
        """The problem of the drill on screen: the same one until the drill is dealt with, of a fresh seed each time."""
        place = self._place
        if place.ask is not None and (place.ask.card_id, place.ask.rev) == (card.id, state.card.rev):
            return place.ask
        from content.drilling import ask_for, seed_from

        if place.ask is not None and place.ask.card_id == card.id:  # its text was edited
            seed = place.ask.seed
        else:
            seed = self._seeds.pop() if self._seeds else seed_from(self._new_id(self._at_ms))
        vary = self._drills is None or self._drills.seed is None
        place.ask = ask_for(
            card,
            state.card.rev,
            state.row.memory,
            seed,
            vary=vary,
            unlike=self._last_asked.get(card.id),
            cluster=self.settings.cluster,
        )
        place.graded = None
        if place.ask is not None:
            self._last_asked[card.id] = place.ask.numbers
        return place.ask

    def _drill_response(self) -> dict[str, Any]:
        """What is kept of a graded answer, the rating it proposed included."""
        graded, item = self._place.graded, self.item
        if graded is None or not isinstance(item, CardItem) or item.ask is None:
            return {}
        from content.drilling import response_of

        return {**response_of(item.ask, graded), "proposed_rating": graded.rating}

    def _look_ahead(self) -> None:
        """Read the card that most likely comes next while the learner looks at this answer."""
        place = self._place
        if place.position < len(place.queue.main):
            state, card = self._read(place.queue.main[place.position].card_key)
            self._ahead = None if state is None or card is None else (self.record.writes, state, card)

    def _read(self, card_key: int) -> tuple[CardState | None, Card | None]:
        """A card as it stands: as it was read ahead, if nothing was written since."""
        ahead, self._ahead = self._ahead, None
        if ahead is not None and ahead[0] == self.record.writes and ahead[1].row.card_key == card_key:
            return ahead[1], ahead[2]
        try:
            state = self.record.state(card_key)
        except DamagedMemory as fault:  # passed over, and told: what a rating made of it could only be wrong
            self.damaged.setdefault(card_key, fault)
            return None, None
        return state, None if state is None else card_from_json(state.card.body)

    def _write_answer(self, changes: Sequence[Change]) -> None:
        """Store an answer; it changes no other card, so what was read ahead before it still holds."""
        ahead = self._ahead if self._ahead is not None and self._ahead[0] == self.record.writes else None
        self._write(changes)
        self._ahead = None if ahead is None else (self.record.writes, ahead[1], ahead[2])

    def _unread(self, topic_id: str) -> Topic | None:
        """The topic, if it has a lesson that was neither read nor passed over."""
        if (
            self.purpose not in SCHEDULING
            or self._selection is not None
            or topic_id in self._read_lessons | self._place.passed_topics
        ):
            return None
        row = self._topics.get(topic_id)
        topic = None if row is None else topic_from_json(row.topic_id, row.body)
        return topic if topic is not None and topic.lesson.en.strip() else None

    def _card_on_screen(self) -> CardItem:
        if not isinstance(self.item, CardItem):
            raise NotNow("There is no card on screen.")
        return self.item

    def _shown_state(self) -> CardState:
        self._card_on_screen()
        assert self._state is not None
        return self._state

    def newly_damaged(self) -> list[DamagedMemory]:
        """The cards passed over since this was last asked."""
        found = list(self.damaged.values())[self._damage_told :]
        self._damage_told = len(self.damaged)
        return found

    # -- steps

    def _write(self, changes: Sequence[Change]) -> None:
        """Everything of one step, durable when this returns."""
        rows = {change.row.card_key: change.row for change in changes}  # of each card the last
        self.record.write([change.event for change in changes], list(rows.values()))

    def _step(
        self,
        kind: Kind | None,
        before: Place,
        card_id: str | None,
        changes: Sequence[Change] = (),
        row_before: MemoryRow | None = None,
        *,
        revealed: bool = False,
        rating: Rating | None = None,
        also: Sequence[MadeDue] = (),
    ) -> Step:
        return Step(
            kind=kind,
            before=before,
            after=self._place.copy(),
            card_id=card_id,
            rating=rating,
            event_ids=tuple(change.event.event_id for change in changes),
            row_before=row_before,
            row_after=changes[-1].row if changes else None,
            revealed=revealed,
            also=tuple((made.change.event.event_id, made.before, made.change.row) for made in also),
        )

    # -- the end

    def _finished(self) -> Finish:
        from content.stats import due_by

        place, queue = self._place, self._place.queue
        if self._drills is not None or self._selection is not None:
            return Finish("practice", place.done, place.missed, place.again_count, place.spent_ms)
        left = place.position < len(queue.main) or bool(place.later) or bool(place.steps)
        more_new = queue.more_new or any(waiting.is_new for waiting in queue.main[place.position :])
        next_due_ms = place.steps[0][0] if place.steps else None
        due_day = rows_of(self.record)(NEXT_DUE_DAY, {"learner": self.settings.learner, "day": queue.day})
        return Finish(
            reason="enough" if left and self._minutes_spent() else self._why_empty(),
            answered=place.done,
            missed=place.missed,
            again_count=place.again_count,
            spent_ms=place.spent_ms,
            next_due_ms=next_due_ms,
            next_due_day=due_day[0][0] if due_day else None,
            tomorrow_count=due_by(self.record, self.settings, queue.day + 1, self.settings.reviews_per_day),
            more_due=queue.more_due or place.left[Shown.REVIEW] > 0,
            more_new=more_new,
        )

    def _why_empty(self) -> str:
        if self._place.queue.more_due:
            return "limit"
        if any(self._any(query) for query in ANY_IN_QUEUE.values()):
            return "all-done"
        return "all-suspended" if self._any(ANY_SUSPENDED) else "no-cards"

    def _any(self, query: str) -> bool:
        return bool(rows_of(self.record)(query, {"learner": self.settings.learner}))
