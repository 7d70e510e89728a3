"""What an answer is worth, and when to ask again. Pure: no files, no database, no clock, no interface."""
