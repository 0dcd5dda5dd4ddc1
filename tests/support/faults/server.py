"""A process whose system calls can be made to fail: sweeps over every point of a command.

It is started with inject.c preloaded, has dsgec imported once, and forks a child for each command.
A line of JSON in is a sweep, a line out what came of it: how many points were tried of each kind,
and what was wrong.
"""

import contextlib
import ctypes
import errno
import gc
import io
import json
import os
import shutil
import sys
import time
import traceback
from concurrent.futures import Future
from functools import cache
from pathlib import Path

import pytest

from dsgec.__main__ import main
from dsgec.export import number_format
from dsgec.search import problem
from dsgec.search.evolver import LoopEvolver
from dsgec.study import outputs, processes
from tests.support.compilers import cache_engine_sources

_KINDS = {
    "open": (1, (errno.EMFILE, errno.EACCES)),
    "read": (2, (errno.EIO,)),
    "write": (4, (errno.ENOSPC,)),
    "half": (8, (errno.ENOSPC,)),
    "fsync": (16, (errno.EIO,)),
    "rename": (32, (errno.ENOSPC,)),
    "mkdir": (64, (errno.ENOSPC,)),
    "unlink": (128, (errno.EIO,)),
    "stat": (256, (errno.EIO,)),
    "close": (512, (errno.EIO,)),
}
_CHANGES = ("open", "write", "fsync", "rename", "mkdir", "unlink")
_KILLED = 137
_MOST_PROBLEMS = 12
_library = ctypes.CDLL(None)


class Inline:
    """A substitute for the processes of a study, which makes each call at once."""

    threads, want = 1, ""

    def __init__(self, *_):
        pass

    def __str__(self):
        return "1 process"

    def submit(self, function, *arguments):
        future = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def close(self):
        pass


def called(words):
    """Run a command in this process and return its exit code and what it printed."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    sys.argv = ["dsgec", *words]
    code = 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as ended:
            code = ended.code or 0
        except BaseException:
            traceback.print_exc()
            code = -1
    return code, err.buffer.getvalue().decode()


def forked(commands, root="", kind=0, number=0, failure=0, persistent=False):
    """Run commands in a child until one fails; return its code, messages and if a call failed."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        code, text = _KILLED, ""
        try:
            _library.dsgec_inject(root.encode(), kind, ctypes.c_long(number), failure, persistent)
            for words in commands:
                code, text = called(words)
                if code:
                    break
            failed = bool(_library.dsgec_failed())
            _library.dsgec_inject(b"", 0, ctypes.c_long(0), 0, 0)
            os.write(sender, json.dumps([code, text[-4000:], failed]).encode())
        finally:
            os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else [_KILLED, "", True]


def content(folder):
    """Return all that is beneath a folder, with the bytes of files."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def put_back(folder, before):
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in ({".": None} | before).items() if before is not None else ():
        if data is None:
            (folder / name).mkdir(parents=True, exist_ok=True)
        else:
            (folder / name).write_bytes(data)


def difference(folder, wanted):
    """Describe what differs from a folder that nothing disturbed; empty if nothing does."""
    there = content(folder)
    names = sorted(there.keys() | wanted.keys())
    differ = [name for name in names if there.get(name, 0) != wanted.get(name, 0)]
    return ", ".join(f"{name} {'differs' if name in there else 'is missing'}" for name in differ)


def points(sweep):
    """Yield each fault: name, kinds of calls, error (0 kills), and if all later calls fail."""
    for name, (kind, failures) in _KINDS.items():
        if name in sweep["kinds"]:
            for failure in failures:
                for persistent in (False, True):
                    until = " and all after" if persistent else ""
                    yield (
                        name,
                        f"{name} {errno.errorcode[failure]}{until}",
                        kind,
                        failure,
                        persistent,
                    )
    if "kill" in sweep["kinds"]:
        changes = sum(_KINDS[name][0] for name in _CHANGES)
        yield "kill", "kill before the call", changes, 0, False
        yield "kill", "kill half way through the write", _KINDS["half"][0], 0, False


def swept(sweep):
    """Try every `every`-th point of a command from the `first`; return counts and problems."""
    root, folder = Path(sweep["root"]), Path(sweep["folder"])
    for words in sweep["before"]:
        code, text = called(words)
        assert code == 0, text
    before = content(folder) if folder.exists() else None
    code, text = called(sweep["command"])  # here, so that children find all caches filled
    assert code == 0, text
    wanted = content(folder)
    for words in (sweep["again"][-1], *_verify(sweep)):
        code, text = called(words)
        assert code == 0, text
    final = content(folder)
    gc.freeze()  # a child that collects would copy all of it
    counts, problems, mended = {}, [], {}
    for name, told, kind, failure, persistent in points(sweep):
        number, failed = sweep["first"], True
        while failed and len(problems) < _MOST_PROBLEMS:
            put_back(folder, before)
            code, text, failed = forked(
                [sweep["command"]], str(root), kind, number, failure, persistent
            )
            if failed:
                counts[name] = counts.get(name, 0) + 1
                wrong = _wrong(sweep, code, text, wanted, killed=failure == 0)
                left = folder.exists(), frozenset(content(folder).items())
                if not wrong and left not in mended:
                    mended[left] = _not_mended(sweep, final)
                wrong = wrong or (mended[left] and f"{mended[left]}; the first said: {text}")
                if wrong:
                    problems.append(f"{told}, call {number}: {wrong}")
            number += sweep["every"]
    shutil.rmtree(folder, ignore_errors=True)
    return {"counts": counts, "problems": problems, "states": len(mended)}


def _verify(sweep):
    return [["verify", sweep["folder"]]] if sweep["verify"] else []


def _wrong(sweep, code, text, wanted, *, killed):
    """Describe what is wrong with the result of a disturbed command; empty if nothing is."""
    expected = (_KILLED,) if killed else (0, 1)
    if code not in expected or "Traceback" in text or "Exception ignored" in text:
        return f"exit code {code}: {text}"
    if code == 1 and sweep["root"] not in text:
        return f"no file is named: {text}"
    differs = difference(Path(sweep["folder"]), wanted)
    if code == 0 and differs and "note:" not in text and "warning:" not in text:
        return f"it says that it succeeded, but {differs}: {text}"
    return ""


def _not_mended(sweep, final):
    """Describe what is wrong after the next start, which depends only on the folder's bytes."""
    for words in sweep["again"]:  # the first that has anything to do is enough
        code, said, _ = forked([words, *_verify(sweep)])
        if code == 0:
            break
    differs = difference(Path(sweep["folder"]), final)
    return f"then, exit code {code}; {differs}: {said}" if code or differs else ""


def remember():
    """Cache slow functions that touch no file of a run; they take most of a child's time."""
    cache_engine_sources(pytest.MonkeyPatch())
    problem.make_language = cache(problem.make_language)
    number_format.golden = cache(number_format.golden)
    outputs.figure_png = cache(outputs.figure_png)
    tuned, made = LoopEvolver.refine, {}

    def tuned_once(evolver):
        state = evolver.save()  # which says of what problem it is
        if state not in made:
            made[state] = tuned(evolver)
        return [*made[state]]

    LoopEvolver.refine = tuned_once


def serve():
    processes.Processes = Inline
    remember()
    time.perf_counter = lambda: 1.0  # whatever holds seconds is the same each time, too
    for line in sys.stdin:
        answer = json.dumps(swept(json.loads(line)))
        sys.__stdout__.write(answer + "\n")
        sys.__stdout__.flush()


if __name__ == "__main__":
    serve()
