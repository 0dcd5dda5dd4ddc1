"""Phenotype text to a checked, flat Network."""
