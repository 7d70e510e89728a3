"""One sitting: the card on screen, its four outcomes, durable answers, undo and redo of every step.

Each call is handed the instant of the key press; nothing here reads a clock. What is written is on the disk before the
next card is shown. The words it speaks in (items, Answered, Progress, Finish ...) are in content.sitting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from content.actions import Change, response_text
from content.asking import Asking
from content.cards import card_from_json
from content.events import SCHEDULING, Kind, NewEvent, Purpose
from content.history import fold_card
from content.rows import CardState, MemoryRow
from content.sitting import (
    SKIP_MS,
    Answered,
    CardItem,
    DayTurned,
    Finish,
    LessonItem,
    NotNow,
    Place,
    Progress,
    Shown,
    Undone,
)
from content.today import counted_ms
from content.undo import Step
from grading import schedule
from grading.days import Instant
from grading.memory import Outcomes, Phase, Rating

if TYPE_CHECKING:
    from content.drilling import Graded
    from content.tables_recall import TableGraded


class Session(Asking):
    """One sitting over today's queue, or (with another purpose) practice that leaves the schedule alone.

    `item` is what is on screen: a card, a lesson, or None when the sitting has ended; `finish` then says why. `outcomes`
    is None until `reveal`. `topic` (a full topic id) narrows the sitting to one topic.
    """

    # -- what is on screen

    @property
    def progress(self) -> Progress:
        """How far along the sitting is."""
        place = self._place
        return Progress(
            done=place.done,
            new_left=place.left[Shown.NEW],
            steps_left=place.left[Shown.STEP] + len(place.steps),
            reviews_left=place.left[Shown.REVIEW],
            hidden_siblings=place.queue.hidden_siblings,
            spent_ms=place.spent_ms,
            budget_ms=self._budget_ms,
        )

    @property
    def has_drills(self) -> bool:
        """Whether a drill may come up in what is left of this sitting."""
        return self._place.queue.has_drills

    @property
    def moves_schedule(self) -> bool:
        """Whether rating the revealed card moves its schedule; if not, the answer is logged as practice."""
        return self.purpose in SCHEDULING and self.outcomes is not None and self.outcomes.on_schedule

    def reveal(self, now: Instant, graded: Graded | TableGraded | None = None) -> Outcomes:
        """Show the answer: the four outcomes of rating it at this moment; for a drill or table, of what was typed.

        Raises NotNow when no card is on screen, or a drill or table whose answer is still to be graded.
        """
        item = self._card_on_screen()
        asked = item.ask is not None or item.table is not None
        if asked and (graded is None or graded.rating is None):
            raise NotNow("Grade the answer, or give up, before it is shown.")
        self._turn_day(now)
        self._turned_ms = None
        self._place.keep_graded(graded)
        self.outcomes = self._outcomes_of(item, now)
        self._look_ahead()
        return self.outcomes

    def tick(self, now: Instant) -> bool:
        """Notice a new study day, or on the finish line a card whose time has come; True when the screen must be drawn.

        A card on screen stays there; if its answer is shown, its intervals are computed anew.
        """
        turned = self._turn_day(now)
        if self.item is not None:
            return turned
        steps = self._place.steps
        came_due = bool(steps) and steps[0][0] <= now.at_ms and not self._minutes_spent()
        if turned or came_due:
            self._show_next(now)
        return turned or came_due

    def go_on(self, now: Instant) -> None:
        """Continue past the finish line: past the day's minutes, or with more cards than the daily limits allow."""
        if self.finish is None:
            return
        self._turn_day(now)
        if self.finish.reason != "enough":
            self._place = self._place.on_queue(self._queue(now, beyond=True))
        self._place.beyond = True
        self._show_next(now)

    # -- answering

    def answer(self, rating: Rating, now: Instant, *, took_ms: int, response: dict[str, Any] | None = None) -> Answered:
        """Store an answer and go on to the next card.

        Raises NotNow before `reveal`, and DayTurned (nothing is stored, draw again) when the study day changed since.
        """
        item, rating = self._card_on_screen(), Rating(rating)
        if self.outcomes is None:
            raise NotNow("Show the answer before rating it.")
        if self._turn_day(now) or self._turned_ms == now.at_ms:
            self._turned_ms = None
            raise DayTurned
        outcome, moves, row_before = self.outcomes.of(rating), self.moves_schedule, self._shown_state().row
        changes = self._attempt(rating, now, took_ms, response or {})
        made_due = self._made_due(now)
        self._write_answer([*(made.change for made in made_due), *changes])
        before, oral = self._place.copy(), self._place.oral
        counts = moves or self._drills is not None
        self._count(item, rating, counted_ms(took_ms) if counts else 0, changes[-1].row if moves else None)
        self._bring_up(made_due)
        self._show_next(now)
        step = self._step(
            Kind.ATTEMPT, before, item.card.id, changes, row_before, revealed=True, rating=rating, also=made_due
        )
        self._steps.add(step)
        if oral is not None:
            oral.drop()
        return Answered(
            card_id=item.card.id,
            rating=rating,
            phase=outcome.phase if moves else item.memory.phase,
            delay_s=outcome.delay_s if moves else None,
            interval_days=outcome.interval_days if moves else None,
            leech_now=moves and outcome.leech_now,
            suspended_by_leech=any(change.event.kind is Kind.SUSPEND for change in changes),
            first_try=rating is Rating.AGAIN and item.memory.phase is Phase.NEW,
            practice=not moves,
            made_due=tuple(made.card_id for made in made_due),
        )

    def _attempt(self, rating: Rating, now: Instant, took_ms: int, response: dict[str, Any]) -> list[Change]:
        """The attempt, the suspension that a leech gets with it if the settings say so, and the learner's dispute."""
        assert self.outcomes is not None
        response = {**self._kept(), **response}
        state, outcome, moves = self._shown_state(), self.outcomes.of(rating), self.moves_schedule
        row = state.row
        if moves:
            row = replace(row, memory=schedule.after(row.memory, outcome, now, self._plan))
        purpose = Purpose.PRACTICE if self.purpose in SCHEDULING and not moves else self.purpose
        attempt = self._actions.event(
            Kind.ATTEMPT,
            now,
            state=state,
            rating=int(rating),
            proposed_rating=response.get("proposed_rating"),
            took_ms=took_ms,
            purpose=purpose,
            response=response_text({key: value for key, value in response.items() if key != "proposed_rating"}),
            **self._actions.moved(state.row, row),
        )
        changes = [Change(attempt, row)]
        if moves and outcome.leech_now and self.settings.leech_action == "suspend":
            changes.append(self._actions.change(Kind.SUSPEND, replace(state, row=row), now))
        if self._place.graded is not None and self._place.graded.dispute:
            said = response_text({"note": self._place.graded.dispute})
            event = self._actions.event(Kind.DISPUTE, now, state=state, target_id=attempt.event_id, response=said)
            changes.append(Change(event, changes[-1].row))
        return changes

    def _count(self, item: CardItem, rating: Rating, spent_ms: int, moved: MemoryRow | None) -> None:
        """Count an answer, and let the card wait where it now belongs; `moved` is its row if the schedule moved."""
        waiting = self._place.answer(item.card.id, rating, spent_ms)
        if self._selection is not None and not self._selection.repeats:
            return
        if moved is not None and moved.memory.due_ms is not None and not moved.suspended:
            self._place.put_in_steps(moved.memory.due_ms, item.card_key)
        elif self.purpose not in SCHEDULING and rating is Rating.AGAIN and self._drills is None:
            self._place.come_later(waiting)

    # -- other steps

    def lesson_read(self, now: Instant) -> None:
        """Log that the lesson on screen was read, and go on to the topic's first card."""
        if not isinstance(self.item, LessonItem):
            raise NotNow("There is no lesson on screen.")
        event = self._actions.event(Kind.LESSON, now, response=response_text({"topic": self.item.topic.id}))
        self.record.append(event)
        self._pass_lesson(self.item, Kind.LESSON, (event.event_id,), now)

    def skip(self, now: Instant) -> None:
        """Let the card on screen come back later in this sitting; pass over a lesson without having read it."""
        if isinstance(self.item, LessonItem):
            self._pass_lesson(self.item, None, (), now)
            return
        item, revealed = self._card_on_screen(), self.outcomes is not None
        self._turn_day(now)
        place = self._place
        before = place.copy()
        if place.shown is Shown.STEP:
            place.put_in_steps(now.at_ms + SKIP_MS, item.card_key)
        elif place.waiting is not None:
            place.come_later(place.waiting)
        place.consume()
        self._show_next(now)
        self._steps.add(self._step(None, before, item.card.id, revealed=revealed))

    def bury(self, now: Instant) -> None:
        """Hide the card on screen for the rest of the study day."""
        self._turn_day(now)
        self._leave(self._actions.change(Kind.BURY, self._shown_state(), now), now)

    def suspend(self, now: Instant) -> None:
        """Take the card on screen out of rotation."""
        self._turn_day(now)
        self._leave(self._actions.change(Kind.SUSPEND, self._shown_state(), now), now)

    def suspend_card(self, card_id: str, now: Instant) -> None:
        """Suspend any card, such as a leech that was just answered; a step of this sitting like the others."""
        if isinstance(self.item, CardItem) and self.item.card.id == card_id:
            self.suspend(now)
            return
        state, revealed = self._state_of(card_id), self.outcomes is not None
        change = self._actions.change(Kind.SUSPEND, state, now)
        self._write([change])
        before = self._place.copy()
        self._place.steps = [step for step in self._place.steps if step[1] != state.card.card_key]
        if self.item is None:
            self._show_next(now)
        self._steps.add(self._step(Kind.SUSPEND, before, card_id, [change], state.row, revealed=revealed))

    def flag(self, now: Instant) -> bool:
        """Flag the card on screen or take its flag away; returns whether it is flagged now."""
        change = self._actions.toggle_flag(self._shown_state(), now)
        self._stay(change, now)
        return bool(change.row.flag)

    def note(self, text: str, now: Instant) -> None:
        """Set the private note of the card on screen; an empty text removes it."""
        self._stay(self._actions.change(Kind.NOTE, self._shown_state(), now, note=text), now)

    def set_due(self, in_days: int, now: Instant) -> None:
        """Give the card on screen a date. Due today it stays on screen, unless it was scheduled today already."""
        self._turn_day(now)
        change = self._actions.change(Kind.SET_DUE, self._shown_state(), now, in_days=in_days)
        fresh = schedule.outcomes(change.row.memory, now, self._plan, self._card_on_screen().card.id).on_schedule
        if in_days <= 0 and fresh:
            self._stay(change, now, Shown.REVIEW)
        else:
            self._leave(change, now)

    def reset(self, now: Instant) -> None:
        """Make the card on screen new again; it stays on screen, question side up."""
        self._turn_day(now)
        self._stay(self._actions.change(Kind.RESET, self._shown_state(), now), now, Shown.NEW)

    def edited(self, now: Instant) -> None:
        """Take over a new text of the card on screen, after its pack was brought into the record; a step undo names."""
        item, revealed = self._card_on_screen(), self.outcomes is not None
        state = self.record.state(item.card_key)
        if state is None or state.card.rev == item.rev:
            return
        named = response_text({"from": item.rev, "to": state.card.rev})
        event = self._actions.event(Kind.EDIT, now, state=state, response=named)
        self.record.append(event)
        before = self._place.copy()
        self._show_again(now, revealed=revealed)
        step = self._step(Kind.EDIT, before, item.card.id, revealed=revealed)
        texts = (item.card, card_from_json(state.card.body))
        self._steps.add(replace(step, event_ids=(event.event_id,), texts=texts))

    def refresh(self, now: Instant) -> bool:
        """Read the card on screen anew after it was changed outside this sitting (card info); True when it differs.

        A card that was suspended, or given a later day, makes room for the next.
        """
        before, revealed = self._state, self.outcomes is not None
        state = None if before is None else self.record.state(before.card.card_key)
        if state is None or state == before:
            return False
        memory = state.row.memory
        if self.purpose in SCHEDULING and before is not None and memory != before.row.memory:
            if memory.due_day is not None and memory.due_day > self._place.queue.day:
                self._place.consume()
            elif memory.phase is Phase.NEW:
                self._place.count_as(Shown.NEW)
        self._show_again(now, revealed=revealed)
        return True

    def _pass_lesson(self, lesson: LessonItem, kind: Kind | None, event_ids: tuple[str, ...], now: Instant) -> None:
        before = self._place.copy()
        self._place.passed_topics |= {lesson.topic.id}
        self._show_again(now)
        self._steps.add(replace(self._step(kind, before, None), event_ids=event_ids))

    def _leave(self, change: Change, now: Instant) -> None:
        """Write a step after which the card on screen is gone for now."""
        item, row_before, revealed = self._card_on_screen(), self._shown_state().row, self.outcomes is not None
        self._write([change])
        before = self._place.copy()
        self._place.consume()
        self._show_next(now)
        self._steps.add(self._step(change.event.kind, before, item.card.id, [change], row_before, revealed=revealed))

    def _stay(self, change: Change, now: Instant, shown: Shown | None = None) -> None:
        """Write a step after which the card stays on screen; question side up if it now counts as something else."""
        item, row_before, revealed = self._card_on_screen(), self._shown_state().row, self.outcomes is not None
        self._write([change])
        before = self._place.copy()
        if shown is not None:
            self._place.count_as(shown)
        self._show_again(now, revealed=revealed and shown is None)
        self._steps.add(self._step(change.event.kind, before, item.card.id, [change], row_before, revealed=revealed))

    def _state_of(self, card_id: str) -> CardState:
        row = self.record.card(card_id)
        state = None if row is None else self.record.state(row.card_key)
        if state is None:
            raise LookupError(f"There is no card {card_id} in the record.")
        return state

    # -- back and forth

    def undo(self, now: Instant) -> Undone | None:
        """Take the newest step of this sitting back; None when there is none. An undone answer is on screen again with
        its answer shown. Works on the finish line and across the turn of the day."""
        step = self._steps.last
        if step is None:
            return None
        self._rewrite(step, now, back=True)
        self._steps.moved_back()
        self._go_to(step.before, now, revealed=step.revealed)
        if self._place.oral is not None:
            self._place.oral.keep(now)
        return Undone(step.kind, step.card_id, step.rating, step.texts[0] if step.texts else None)

    def redo(self, now: Instant) -> Undone | None:
        """Do again what was undone last; None when there is nothing, or something else was done since."""
        step = self._steps.next
        if step is None:
            return None
        self._rewrite(step, now, back=False)
        self._steps.moved_forward()
        if step.before.oral is not None and step.kind is Kind.ATTEMPT:
            step.before.oral.drop()
        self._go_to(step.after, now, revealed=False)
        return Undone(step.kind, step.card_id, step.rating, step.texts[1] if step.texts else None)

    def _rewrite(self, step: Step, now: Instant, *, back: bool) -> None:
        """Log that a step did not happen, or did after all, and put its card's row (or text) in place, durably."""
        state = None if step.card_id is None else self._state_of(step.card_id)

        def speak_of(kind: Kind, target_id: str) -> NewEvent:
            return self._actions.event(kind, now, state=state, target_id=target_id)

        events: Sequence[NewEvent] = step.events(speak_of, back=back)
        if step.texts is not None and state is not None:
            card = step.texts[0 if back else 1]
            self.record.set_revision(state.card.card_key, card.rev, card.to_json(), now.at_ms, events)
        elif events:
            rows = []
            if state is not None and step.row_after is not None:
                key = state.card.card_key
                rows = [step.rewritten(state.row, back=back) or fold_card(self.record, key, self._plan, events)]
            others = self._speak_of_others(step, now, back=back)
            self.record.write([*events, *(o.event for o in others)], [*rows, *(o.row for o in others)])

    def _go_to(self, place: Place, now: Instant, *, revealed: bool) -> None:
        """Stand where the sitting stood; on another study day by then, with that day's queue around the same card."""
        self._place = place.copy()
        if self._place.queue.day != self._actions.day(now):
            self._place = self._place.on_queue(self._queue(now))
        self._turned_ms = None
        self._show_again(now, revealed=revealed)


__all__ = ["Answered", "CardItem", "DayTurned", "Finish", "LessonItem", "NotNow", "Progress", "Session", "Undone"]
