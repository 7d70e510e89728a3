"""Compiles the gettext catalogues when a wheel or an editable install is built.

The tree keeps one `.po` file per area of the interface; each language gets one `shardrill.mo` from all of them.
Run by hand after a change of translations: `python .build/catalogues.py`.
"""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "tui" / "locale"


def compile_catalogues() -> list[Path]:
    """Write `<language>/LC_MESSAGES/shardrill.mo` for every language folder; returns the files written."""
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    written = []
    for folder in sorted(LOCALE.glob("*/LC_MESSAGES")):
        merged = Catalog(locale=folder.parent.name)
        for po in sorted(folder.glob("*.po")):
            with po.open("rb") as stream:
                for message in read_po(stream, locale=folder.parent.name, abort_invalid=True):
                    if message.id and message.string:
                        merged.add(message.id, message.string, context=message.context)
        target = folder / "shardrill.mo"
        with target.open("wb") as stream:
            write_mo(stream, merged)
        written.append(target)
    return written


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, without the build backend
    pass
else:

    class CatalogueHook(BuildHookInterface):  # type: ignore[type-arg]
        """Called by the build backend before files are collected."""

        PLUGIN_NAME = "custom"

        def initialize(self, version: str, build_data: dict[str, object]) -> None:
            compile_catalogues()


if __name__ == "__main__":
    for path in compile_catalogues():
        print(path.relative_to(ROOT))
