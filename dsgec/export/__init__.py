"""A Network to source text."""
