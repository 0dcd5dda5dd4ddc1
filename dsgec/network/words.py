"""The words that stand for a missing value, in tables and in the rows that an export is given."""

MARKS = frozenset({"", "?"})
"""What is never a text."""
UNKNOWN = frozenset({"na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan", "null", "<null>"})
NOTHING = frozenset({"none", "nil", "missing"})
"""Which a class may well be called."""
MISSING = MARKS | UNKNOWN | NOTHING
