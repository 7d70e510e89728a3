"""What was run and the document that says so: labs, runs, template, export, check."""
