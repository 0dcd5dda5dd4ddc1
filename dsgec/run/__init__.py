"""A run: its search, its record, its hall of fame and its folder."""
