"""The report of a run: one HTML page that needs nothing else, its charts and its drawings."""
