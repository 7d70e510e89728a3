"""The version of the record that this program writes, for what must start without a database library."""

RECORD_VERSION = 4
"""Equal to `content.migrations.latest()`, which a test holds."""
