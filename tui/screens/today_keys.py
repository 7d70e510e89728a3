"""The keys of Today: to begin, and to every other screen."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui.screens.base import ShardScreen
from tui.words import N_


class TodayKeys(ShardScreen[None]):
    """What can be opened from Today; `TodayScreen` shows the day."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,f5", "start", N_("start"), id="start"),
        Binding("d,f9", "drills", N_("drills"), id="drills"),
        Binding("o,f10", "exam", N_("oral exam"), id="exam"),
        Binding("m,f11", "map", N_("map"), id="map"),
        Binding("p,ctrl+b", "practice", N_("practice"), id="practice"),
        Binding("c,f6", "cards", N_("cards"), id="cards"),
        Binding("e,f2", "evidence", N_("evidence"), id="evidence"),
        Binding("s,f4", "settings", N_("settings"), id="settings"),
        Binding("f,f7", "faults", N_("faults"), id="faults"),
    ]

    def action_drills(self) -> None:
        """Practise drills, whatever is due."""
        self.shard.action_drills()

    def action_exam(self) -> None:
        """Oral questions, one or several."""
        self.shard.action_exam()

    def action_map(self) -> None:
        """The whole page as topics and nodes."""
        self.shard.action_map()

    def action_practice(self) -> None:
        """Any cards, without touching the schedule."""
        self.shard.action_practice()

    def action_cards(self) -> None:
        """All cards."""
        self.shard.action_cards()

    def action_evidence(self) -> None:
        """The document that recorded runs fill."""
        self.shard.action_evidence()

    def action_settings(self) -> None:
        """The settings."""
        self.shard.action_settings()

    def action_faults(self) -> None:
        """What is wrong with packs that were refused."""
        self.shard.action_pack_faults()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        return bool(self.shard.faults) if action == "faults" else True


__all__ = ["TodayKeys"]
