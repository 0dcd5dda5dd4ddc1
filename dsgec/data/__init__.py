"""A table file to a Dataset."""
