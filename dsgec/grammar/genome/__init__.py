"""Represent individuals as integers, map them to phenotypes, and vary them."""
