"""A grammar and integers to phenotype text."""
