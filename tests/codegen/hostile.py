"""Names and labels that want to be code."""

import random

KNOWN = [
    'x"}; int main(){',
    "*/ evil /*",
    "// \\",
    "line\nbreak",
    "\r",
    "'''; import os; '''",
    '"""',
    "__import__('os')",
    "%s%n",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "??/",
    "\\",
    "é ü 漢字 \U0001f600",
    "\u2028\u202e",
    "\0",
    "",
    "int",
    "def",
    "a b",
    "a_b",
    "a-b",
    "`${process.exit()}`",
    "</script><script>alert(1)</script>",
    "#define double int",
    "metadata",
    "a" * 5000,
]
PIECES = [
    *KNOWN[:-1],
    '"',
    "'",
    "\n",
    "\t",
    "\x7f",
    "\x1b[31m",
    "0",
    "x",
    "_",
    "\\n",
    "\\x41",
    "\\0",
]


def hostile_names(count, seed=1):
    """So many different names, among them the known ones."""
    rng = random.Random(seed)
    names = dict.fromkeys(KNOWN)
    while len(names) < count:
        names["".join(rng.choice(PIECES) for _ in range(rng.randint(1, 4)))] = None
    return tuple(names)[:count]
