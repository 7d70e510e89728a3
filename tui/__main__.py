"""`python -m tui` is `shardrill`."""

from tui.cli import main

main()
