"""What the command line shows on a terminal: progress, results and pages of text."""
