"""The output of the command line on a terminal: progress, results and pages of text."""
