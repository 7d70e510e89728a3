"""The smallest Textual app that paints a line: what every first paint is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Bare(App[None]):
    def compose(self) -> ComposeResult:
        yield Static("MARK-FIRST-PAINT")


if __name__ == "__main__":
    Bare().run()
