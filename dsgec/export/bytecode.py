"""A file that Python cached to the module that it is of, and the proof that it is that module's.

Importing an exported module leaves `__pycache__/net.cpython-311.pyc` beside it, and the next import
loads that file instead of the source. It is ours if this Python makes the same bytes of our source.
"""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

_CACHED = re.compile(r"((?:[^/]+/)?)__pycache__/([^/.]+)\.([^/.]+)(?:\.opt-([12]))?\.pyc")
_HEADER = 16  # bytes: the version of the format, flags, and the time and size of the source
_SECONDS = 60
# As importlib does it, in a process of its own: what is compiled is not run.
_SCRIPT = """
import marshal, sys
code = compile(sys.stdin.buffer.read(), sys.argv[1], "exec", 0, True, int(sys.argv[2]))
sys.stdout.buffer.write(marshal.dumps(code))
"""


def source_of(name: str) -> str:
    """The name of the module that a file in `__pycache__` is of; empty for any other file."""
    cached = _CACHED.fullmatch(name)
    return f"{cached[1]}{cached[2]}.py" if cached else ""


def is_bytecode_of(name: str, data: bytes, source: str, path: Path) -> bool:
    """Whether a cached file of this name holds what this Python makes of the source at `path`."""
    cached = _CACHED.fullmatch(name)
    if cached is None or cached[3] != sys.implementation.cache_tag:
        return False
    level = cached[4] or "0"
    command = [sys.executable, "-I", "-c", _SCRIPT, str(path.absolute()), level]
    try:
        # An argument list without a shell; the source is text that dsgec itself has made.
        made = subprocess.run(  # noqa: S603
            command, input=source.encode(), capture_output=True, timeout=_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    return data[:4] == importlib.util.MAGIC_NUMBER and data[_HEADER:] == made
