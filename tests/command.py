"""The command line as a user runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

COMMAND = [sys.executable, "-m", "dsgec"]
NO_COMPILER = {"PATH": "", "CC": "", "DSGEC_NO_TCC": "1"}
QUICK = ["--generations", "4", "--population", "12"]


def hears_interrupts():
    """For a child: a job in the background of a shell would inherit that it ignores them."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def dsgec(*arguments, cwd=None, code=0, env=None, **options):
    answer = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), **(env or {})},
        **options,
    )
    assert answer.returncode == code, answer.stderr
    assert "Traceback" not in answer.stderr
    return answer


def read(folder, name):
    return json.loads((folder / name).read_text())
