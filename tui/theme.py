"""Colours: the terminal's own, or a dark or light set. Nothing depends on them: words, signs, weight carry meaning."""

from __future__ import annotations

from textual.theme import Theme

_STOCK = (
    *("border", "border-blurred", "ansi-background", "ansi-foreground", "block-hover-background"),
    *("block-cursor-blurred-background", "block-cursor-blurred-foreground", "footer-background", "footer-foreground"),
    *("input-cursor-background", "input-cursor-foreground", "scrollbar-background", "scrollbar-background-active"),
    *("scrollbar-background-hover", "scrollbar-corner-color"),
)
"""What a stock widget may ask for is the terminal's own: with NO_COLOR nothing is left to go black on black."""

_TERMINAL_VARIABLES = dict.fromkeys(_STOCK, "ansi_default") | {
    "block-cursor-background": "ansi_default",
    "block-cursor-foreground": "ansi_default",
    "block-cursor-text-style": "reverse",
    "input-cursor-text-style": "reverse",
    "input-selection-background": "ansi_bright_blue",
    "input-selection-foreground": "ansi_black",
    "screen-selection-background": "ansi_bright_blue",
    "screen-selection-foreground": "ansi_black",
    "scrollbar": "ansi_bright_black",
    "scrollbar-hover": "ansi_blue",
    "scrollbar-active": "ansi_blue",
}

TERMINAL = Theme(
    name="shardrill-terminal",
    ansi=True,
    dark=True,
    primary="ansi_blue",
    secondary="ansi_cyan",
    warning="ansi_yellow",
    error="ansi_red",
    success="ansi_green",
    accent="ansi_cyan",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables=_TERMINAL_VARIABLES,
)

COLOURLESS = Theme(
    name="shardrill-colourless",
    ansi=True,
    dark=True,
    primary="ansi_default",
    secondary="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    success="ansi_default",
    accent="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables={
        name: value if value in {"reverse", "none"} else "ansi_default" for name, value in _TERMINAL_VARIABLES.items()
    },
)
"""For NO_COLOR: nothing but the terminal's own foreground and background, bold, underline and reverse."""

DARK = Theme(
    name="shardrill-dark",
    dark=True,
    primary="#7fb4e6",
    secondary="#8ecfc0",
    warning="#e6c07b",
    error="#e88388",
    success="#98c98a",
    accent="#8ecfc0",
    foreground="#d9dde3",
    background="#16191d",
    surface="#1c2025",
    panel="#23282e",
)

LIGHT = Theme(
    name="shardrill-light",
    dark=False,
    primary="#1f5f99",
    secondary="#1d6b5c",
    warning="#7a5200",
    error="#a3262c",
    success="#2f6b22",
    accent="#1d6b5c",
    foreground="#22262b",
    background="#fafaf7",
    surface="#f3f3ef",
    panel="#e8e8e2",
)


def theme_for(setting: str, no_color: bool) -> Theme:
    """The theme for the setting `terminal`, `dark` or `light`; NO_COLOR wins."""
    if no_color:
        return COLOURLESS
    return {"dark": DARK, "light": LIGHT}.get(setting, TERMINAL)
