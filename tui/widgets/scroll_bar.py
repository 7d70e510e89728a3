"""Scroll bars of whole cells, where signs of doubtful width are not wanted."""

from __future__ import annotations

from textual.scrollbar import ScrollBar, ScrollBarRender


class WholeCells(ScrollBarRender):
    """The thumb without the part blocks at its ends."""

    VERTICAL_BARS = [" "] * 8
    HORIZONTAL_BARS = [" "] * 8


def use_whole_cells(wanted: bool) -> None:
    """Draw every scroll bar of whole cells, or as the framework does."""
    ScrollBar.renderer = WholeCells if wanted else ScrollBarRender


__all__ = ["WholeCells", "use_whole_cells"]
