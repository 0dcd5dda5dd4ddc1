"""Indented lines from a text with PonyGE2's `{:` and `:}`.

A grammar cannot know how deep a line is indented. So `{:` starts a new line one level deeper, and
`:}` starts a new line one level less deep; `{::}` ends a line. Lines without text are left out.
"""

import re

_BRACKET = re.compile(r"\{:|:\}")
_STEP = "  "


def indent_lines(text: str) -> str:
    """Return the text with its brackets replaced by line ends and indentation."""
    level = 0

    def start_line(bracket: re.Match[str]) -> str:
        nonlocal level
        level += 1 if bracket.group() == "{:" else -1
        return "\n" + _STEP * level

    lines = _BRACKET.sub(start_line, text).split("\n")
    return "\n".join(line for line in lines if line.strip())
