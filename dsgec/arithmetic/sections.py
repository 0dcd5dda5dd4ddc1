"""Sections of the printed files: functions that can be copied one by one."""

import re

from dsgec.program.ir import Real


def choose(text: str, dtype: Real) -> str:
    """Replace `{a|b}` by `a` in double and by `b` in single precision."""
    choice = 1 if dtype == "double" else 2
    return re.sub(r"\{([^{}|]*)\|([^{}]*)\}", rf"\{choice}", text)


def section(name: str, needs: set[str], lines: list[str]) -> str:
    """Return a section of a file, which `source.py` can copy on its own."""
    heading = f"{name}: needs {', '.join(sorted(needs))}" if needs else name
    return "\n".join([f"/* == {heading} == */", *lines]) + "\n"


def sections(text: str) -> dict[str, str]:
    """Return the sections of a file by name."""
    found = re.split(r"^(?=/\* == (\w+))", text, flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))
