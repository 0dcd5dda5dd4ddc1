"""Printed from the source: see `dsgec/search/generate.py`."""
