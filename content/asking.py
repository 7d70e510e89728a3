"""What a sitting does differently for drills, tables and oral questions: what is asked, graded, and kept of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from content.actions import Change
from content.cards import Card
from content.events import SCHEDULING, Kind
from content.history import effective, fold_card
from content.queue import Waiting
from content.sitting import Answered, CardItem, DayTurned, NotNow
from content.sitting_core import Sitting
from content.undo import rewritten
from grading.days import Instant
from grading.memory import Rating

if TYPE_CHECKING:
    from content.drafts import Form
    from content.drilling import Graded
    from content.missed_points import MadeDue
    from content.oral import OralAsk
    from content.rows import CardState
    from content.tables_recall import TableAsk, TableGraded
    from content.undo import Step
    from grading.table_cells import Share

TABLE_EVENTS = 100
"""So many of a table's latest events say which cells were missed."""


class Asking(Sitting):
    """A sitting that knows the kinds of cards that are answered by typing."""

    @property
    def day(self) -> int:
        """The study day of the sitting."""
        return self._place.queue.day

    @property
    def graded(self) -> Graded | None:
        """What was answered to the drill on screen, once its answer is shown."""
        return self._place.graded

    @property
    def table_graded(self) -> TableGraded | None:
        """What was typed into the table on screen, once its answer is shown."""
        return self._place.table_graded

    def dispute(self, note: str) -> None:
        """Set the learner's word against the verdict on screen; it is stored with the answer. Empty takes it back."""
        if self._place.graded is None or self.outcomes is None:
            raise NotNow("There is no verdict on screen.")
        from content.drilling import with_dispute

        self._place.graded = with_dispute(self._place.graded, note)

    @property
    def judged(self) -> Rating | None:
        """The rating of the judged answer on screen where that follows by itself: in a run of drills, whose verdict is
        all there is to it. None for one that undo took back, until it is disputed."""
        graded, undone = self._place.graded, self._steps.next
        if self._drills is None or self.outcomes is None or graded is None:
            return None
        taken_back = undone is not None and undone.kind is Kind.ATTEMPT and undone.before.graded == graded
        return None if taken_back else graded.rating

    def keep_judged(self, now: Instant, *, took_ms: int, response: dict[str, Any]) -> bool:
        """Store the judged answer on screen, as going on would, before the sitting is left; False where there is none."""
        rating = self.judged
        if rating is None:
            return False
        try:
            self.answer(rating, now, took_ms=took_ms, response=response)
        except DayTurned:  # only intervals are drawn anew, and practice has none
            self.answer(rating, now, took_ms=took_ms, response=response)
        return True

    def answer(self, rating: Rating, now: Instant, *, took_ms: int, response: dict[str, Any] | None = None) -> Answered:
        raise NotImplementedError  # content.session

    @property
    def oral_begun(self) -> OralAsk | None:
        """The answer to the oral question on screen, if one was begun in this sitting."""
        return self._place.oral

    def oral(self, now: Instant, form: Form = "skeleton") -> OralAsk:
        """The oral question on screen, to be answered in this form; the same one until it is dealt with."""
        item = self._card_on_screen()
        if item.card.kind != "oral":
            raise NotNow("There is no oral question on screen.")
        from content.oral import OralAsk

        place = self._place
        if place.oral is None or (place.oral.form, place.oral.rev) != (form, item.rev):
            place.oral = OralAsk(self.record, item.card, item.card_key, item.rev, form, now)
        return place.oral

    def pass_over(self, now: Instant) -> None:
        """Leave the card on screen out of this sitting; a step that undo takes back."""
        item = self._card_on_screen()
        before = self._place.copy()
        self._place.consume()
        self._show_next(now)
        self._steps.add(self._step(None, before, item.card.id))

    def _table(self, state: CardState, card: Card) -> TableAsk | None:
        """The table on screen with its blanks: the same ones until it is dealt with."""
        place = self._place
        if place.table is not None and (place.table.card_id, place.table.rev) == (card.id, state.card.rev):
            return place.table
        from content.drilling import seed_from
        from content.tables_recall import ask_table, cell_history

        same = place.table is not None and place.table.card_id == card.id
        seed = place.table.seed if same and place.table is not None else seed_from(self._new_id(self._at_ms))
        misses = cell_history(effective(self.record.events_of(state.row.card_key, limit=TABLE_EVENTS)))
        place.table_graded = None
        place.table = ask_table(card, state.card.rev, seed, memory=state.row.memory, misses=misses)
        return place.table

    def blank(self, share: Share) -> TableAsk:
        """Blank another share of the table on screen; what was typed belongs to the former blanks."""
        item, state, place = self._card_on_screen(), self._shown_state(), self._place
        if item.table is None or place.table is None or self.outcomes is not None:
            raise NotNow("There is no table to fill in on screen.")
        from content.tables_recall import ask_table, cell_history

        misses = cell_history(effective(self.record.events_of(state.row.card_key, limit=TABLE_EVENTS)))
        place.table = ask_table(item.card, item.rev, place.table.seed, misses=misses, share=share)
        self.item = replace(item, table=place.table)
        return place.table

    def _kept(self) -> dict[str, Any]:
        """What is kept of a typed answer, the rating it proposed included."""
        place, item = self._place, self.item
        if not isinstance(item, CardItem):
            return {}
        if item.ask is not None:
            return self._drill_response()
        if item.table is not None and place.table_graded is not None:
            from content.tables_recall import response_of

            return {**response_of(item.table, place.table_graded), "proposed_rating": place.table_graded.rating}
        if place.oral is not None and place.oral.submitted:
            return place.oral.response()
        return {}

    def _made_due(self, now: Instant) -> list[MadeDue]:
        """The cards that the answer on screen makes due today: those of the points it missed."""
        oral, item = self._place.oral, self.item
        if oral is None or not oral.submitted or not isinstance(item, CardItem):
            return []
        from content.missed_points import due_changes

        return list(due_changes(self._actions, item.card, oral.missed, now))

    def _bring_up(self, made_due: Iterable[MadeDue]) -> None:
        """Let cards that became due come in this sitting, after the rest of the queue."""
        if self.purpose not in SCHEDULING or self._selection is not None:
            return
        for made in made_due:
            if made.before.memory.last_day != self._place.queue.day:
                self._place.come_later(Waiting(made.before.card_key, is_new=False))

    def _speak_of_others(self, step: Step, now: Instant, *, back: bool) -> list[Change]:
        """What takes back (or does again) what a step did to other cards than the one on screen."""
        kind = Kind.RETRACT if back else Kind.RESTORE
        found = []
        for event_id, before, after in step.also:
            state = self.record.state(before.card_key)
            event = self._actions.event(kind, now, state=state, target_id=event_id)
            row = None if state is None else rewritten(state.row, before, after, back=back)
            found.append(Change(event, row or fold_card(self.record, before.card_key, self._plan, [event])))
        return found
