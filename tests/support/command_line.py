"""Run the command line as a user does."""

import io
import json
import os
import signal
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from dsgec.__main__ import main

COMMAND = [sys.executable, "-m", "dsgec"]
NO_COMPILER = {"PATH": "", "CC": "", "DSGEC_NO_TCC": "1"}
QUICK_OPTIONS = [
    *("--generations", "4", "--population", "12"),
    *("--pruning", "2", "--tuning", "6"),
]


def restore_signals():
    """Let a child process react to interrupts, which nohup and background shells make it ignore."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def dsgec(*arguments, cwd=None, code=0, env=None, **options):
    """Run a command and return what it printed; in its own process only if options need it.

    `code` is the expected exit code, or a tuple of allowed ones."""
    words = list(map(str, arguments))
    if env is None and not options:
        answer = _called(words, cwd or Path.cwd())
    else:
        answer = subprocess.run(
            [*COMMAND, *words],
            cwd=cwd,
            stdout=options.pop("stdout", subprocess.PIPE),
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **(env or {})},
            **options,
        )
    assert answer.returncode in (code if isinstance(code, tuple) else (code,)), answer.stderr
    assert "Traceback" not in answer.stderr
    return answer


def _called(words, folder):
    """Run a command in this process, which saves the second that starting one takes."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    before, sys.argv = sys.argv, ["dsgec", *words]
    try:
        with redirect_stdout(out), redirect_stderr(err), chdir(folder):
            main()
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv = before
    texts = [stream.buffer.getvalue().decode().replace("\r\n", "\n") for stream in (out, err)]
    return subprocess.CompletedProcess(words, code, *texts)


def read_json(folder, name):
    return json.loads((folder / name).read_text())
