"""A model to files that work without dsgec, and such files back to what they are."""
