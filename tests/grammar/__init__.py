"""Tests of grammars and of the representations of individuals."""
