"""Processes of this machine make calls, and none of them outlives whoever asked."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from dsgec.errors import DsgecError
from dsgec.network.syntax import PhenotypeError
from dsgec.study import processes
from dsgec.study.processes import MOST_RESTARTS, Processes
from tests.support.clusters import ROOT, wait_until
from tests.support.command_line import restore_signals
from tests.support.processes import wait_for_stop


@pytest.fixture
def workers():
    with closing(Processes(2)) as found:
        found.remarks = []
        found.on_remark = found.remarks.append
        yield found


def results(calls):
    """The results of calls, in their order."""
    return [call.result(60.0) for call in calls]


# What the processes do.


def shown(*arguments):
    print("this is no answer")
    return os.getpid(), arguments


def failing(error):
    raise error


def dying(path, times):
    """End the process so many times, and then do not."""
    done = len(list(path.iterdir()))
    if done < times:
        (path / str(done)).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return done


def length(value):
    return len(value)


def unsendable():
    return lambda: None


def test_calls_are_made_by_processes_of_their_own(workers):
    found = results([workers.submit(shown, number, ["two"]) for number in range(20)])

    assert [arguments for _, arguments in found] == [(n, ["two"]) for n in range(20)]
    pids = {pid for pid, _ in found}
    assert 1 <= len(pids) <= 2
    assert os.getpid() not in pids
    assert str(workers) == "2 processes"


def test_no_more_processes_than_calls():
    with closing(Processes(50)) as workers:
        assert results([workers.submit(length, "abc")]) == [3]
        assert len(workers._processes) == 1


def imported(name):
    return name in sys.modules


def test_processes_can_start_before_there_are_calls():
    with closing(Processes(2, "dsgec.study.evidence")) as workers:
        wait_until(lambda: len(workers._processes) == 2)
        assert results([workers.submit(imported, "dsgec.study.evidence")]) == [True]
    with closing(Processes(1, "no.such.module")) as workers:
        assert results([workers.submit(length, "ab")]) == [2]


def test_an_error_of_a_call_is_told_by_it(workers):
    mistake, bug = (
        workers.submit(failing, DsgecError("no", "Yes.")),
        workers.submit(failing, KeyError(1)),
    )
    assert workers.submit(length, "ab").result(60.0) == 2
    with pytest.raises(DsgecError) as told:
        mistake.result(60.0)
    assert told.value.faults[0].advice == "Yes."
    assert str(told.value) == "error: no\n  Yes."
    with pytest.raises(KeyError) as told:
        bug.result(60.0)
    assert "in failing" in told.value.__notes__[0]  # a line of the traceback


class Unreadable(Exception):
    """One that is pickled, but not unpickled: it takes more than its text."""

    def __init__(self, one, two):
        super().__init__(one)


def unreadable():
    raise Unreadable(1, 2)


def test_what_cannot_be_sent_or_read_is_told_and_harms_no_other_call():
    with closing(Processes(1)) as workers:
        with pytest.raises(RuntimeError, match="cannot be sent"):
            results([workers.submit(unsendable)])
        with pytest.raises((AttributeError, TypeError), match="pickle"):
            results([workers.submit(length, lambda: None)])
        with pytest.raises(RuntimeError, match="an answer cannot be read"):
            results([workers.submit(unreadable)])
        with pytest.raises(ValueError, match="could not convert"):
            results([workers.submit(length, Unmakeable())])
        assert results([workers.submit(length, "ab")]) == [2]
        assert len(workers._processes) == 1


class Unmakeable:
    """Its pickle cannot be unpickled where it arrives."""

    def __reduce__(self):
        return float, ("no number",)


def test_mistakes_of_all_kinds_come_as_they_were(workers):
    mistake = PhenotypeError("x_1 + ?", "net", 6, "expected a number", "Write one.")
    with pytest.raises(PhenotypeError) as told:
        results([workers.submit(failing, mistake)])
    assert str(told.value) == str(mistake)
    assert told.value.offset == 6


def remarking(number):
    processes.remark("listen")
    return number


def test_who_hears_remarks_badly_does_not_mix_up_the_answers():
    def bad(text):
        raise OSError("gone")

    with closing(Processes(1)) as workers:
        workers.on_remark = bad
        calls = [
            workers.submit(remarking, 1),
            workers.submit(length, "ab"),
            workers.submit(length, "abc"),
        ]
        assert isinstance(calls[0].exception(60.0), OSError)
        assert results(calls[1:]) == [2, 3]


def test_one_thread_is_enough(monkeypatch):
    started = []
    start = threading.Thread.start

    def few(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", few)
    with closing(Processes(2)) as workers:
        assert results([workers.submit(length, text) for text in ("a", "ab")]) == [1, 2]
    with closing(Processes(2)) as workers, pytest.raises(DsgecError, match="no thread"):
        workers.submit(length, "a")


def test_a_call_is_made_again_when_its_process_is_killed(workers, tmp_path):
    assert results([workers.submit(dying, tmp_path, MOST_RESTARTS)]) == [MOST_RESTARTS]


def test_a_call_that_always_dies_is_given_up(workers, tmp_path):
    call = workers.submit(dying, tmp_path, 99)
    with pytest.raises(DsgecError, match=r"was killed \(SIGKILL\)") as told:
        results([call])
    assert "fewer --jobs" in told.value.faults[0].advice
    assert results([workers.submit(length, "ab")]) == [2]


def test_stop_reaches_the_calls_under_way_and_ends_the_others(workers, tmp_path):
    calls = [workers.submit(wait_for_stop, tmp_path / str(number)) for number in range(5)]
    wait_until(lambda: len(workers.remarks) == 2)
    assert [call.cancel() for call in calls] == [False, False, True, True, True]
    workers.stop()

    assert results(calls[:2]) == ["stopped"] * 2
    assert workers.remarks == ["begun"] * 2
    assert len(list(tmp_path.iterdir())) == 2


def waiting_for(path):
    while not path.exists():
        time.sleep(0.01)
    return "there"


def test_what_is_cancelled_is_never_made(tmp_path):
    with closing(Processes(1)) as workers:
        first = workers.submit(waiting_for, tmp_path / "there")
        wait_until(first.running)
        second = workers.submit(Path.touch, tmp_path / "made")
        third = workers.submit(length, "ab")
        assert second.cancel()
        (tmp_path / "there").touch()
        assert results([first, third]) == ["there", 2]
    assert not (tmp_path / "made").exists()


def test_closing_ends_the_processes_at_once(tmp_path):
    workers = Processes(2)
    for number in range(4):
        workers.submit(wait_for_stop, tmp_path / str(number))
    wait_until(lambda: sum(1 for path in tmp_path.iterdir() if path.read_text()) == 2)
    pids = [int(path.read_text()) for path in tmp_path.iterdir()]
    start = time.monotonic()
    workers.close()
    assert time.monotonic() - start < 30.0  # they would have waited for a minute
    assert not any(map(is_alive, pids))


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_is_printed_at_the_start_is_no_answer(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text("print('(hello there)' * 100)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with closing(Processes(1)) as workers:
        assert results([workers.submit(length, "ab")]) == [2]


def begin_late(seconds):
    time.sleep(1.0)
    processes.begin()
    time.sleep(seconds)
    return seconds


def test_the_time_of_a_call_begins_when_it_says_so():
    with closing(Processes(1)) as workers:
        assert results([workers.submit_within(0.8, begin_late, 0.0)]) == [0.0]
        with pytest.raises(TimeoutError):
            workers.submit_within(0.8, begin_late, 60.0).result(60.0)


PROGRAM = """
import sys
from pathlib import Path
from dsgec.study.processes import Processes
from tests.support.processes import wait_for_stop
workers = Processes(2)
calls = [workers.submit(wait_for_stop, Path(sys.argv[1]) / str(number)) for number in range(2)]
calls[0].result(60.0)
"""


@pytest.mark.parametrize(
    "how", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.campaign)]
)
def test_processes_end_with_the_one_that_asked(tmp_path, how):
    """However it ends: Ctrl-C itself, which reaches them all, is for that one to answer."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tmp_path],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=restore_signals,
        process_group=0,
    ) as asking:
        wait_until(lambda: sum(1 for p in tmp_path.iterdir() if p.read_text()) == 2)
        pids = [int(path.read_text()) for path in tmp_path.iterdir()]
        if how == signal.SIGKILL:
            os.kill(pids[0], signal.SIGSTOP)  # it cannot see that its input ends
            asking.kill()
        else:
            os.killpg(asking.pid, how)
        _, errors = asking.communicate()
    wait_until(lambda: not any(map(is_alive, pids)))
    assert errors.count("Traceback") == (how == signal.SIGINT)  # that of the program itself


def test_processes_import_nothing_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("signal", "socket", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported')\n")
    with closing(Processes(1)) as workers:
        assert results([workers.submit(length, "ab")]) == [2]
