"""What the learner sees: the command line, the Textual app, its screens and widgets, translations."""
