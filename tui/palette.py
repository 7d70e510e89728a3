"""The command palette: the actions of the screen under it and of the app, by name, in the current language."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from textual.command import DiscoveryHit, Hit, Hits, Provider

from tui.keys import key_name
from tui.words import N_, _

if TYPE_CHECKING:
    from tui.app import ShardrillApp

ALWAYS = (
    ("app.review", N_("review")),
    ("app.cards", N_("cards")),
    ("app.settings", N_("settings")),
    ("app.help", N_("help")),
    ("app.switch_language", N_("the other language")),
    ("app.quit", N_("quit")),
)


class ShardrillCommands(Provider):
    """Names and keys, so that the palette also teaches the keys."""

    def _commands(self) -> Iterator[tuple[str, str, str, object]]:
        """(name, key, action, node): the screen's own shown actions, then what works from anywhere."""
        seen = set()
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            if binding.description and binding.action not in seen and active.enabled and active.node is not self.app:
                seen.add(binding.action)
                yield _(binding.description), key_name(key), binding.action, active.node
        for action, name in ALWAYS:
            if action.removeprefix("app.") not in seen:
                yield _(name), "", action, self.app

    def _run(self, action: str, node: object) -> None:
        app: ShardrillApp = self.app  # type: ignore[assignment]
        app.call_later(partial(app.run_action, action, node))  # type: ignore[arg-type]

    async def discover(self) -> Hits:
        for name, key, action, node in self._commands():
            yield DiscoveryHit(name, partial(self._run, action, node), help=key or None)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(unicodedata.normalize("NFKC", query))
        for name, key, action, node in self._commands():
            if (score := matcher.match(name)) > 0:
                yield Hit(score, matcher.highlight(name), partial(self._run, action, node), help=key or None)
