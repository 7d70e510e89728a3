"""What there is to learn (packs) and the learner's own record of it (SQLite)."""
