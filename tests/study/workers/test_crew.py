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
from dsgec.study.workers import process
from dsgec.study.workers.calls import MOST_RESTARTS, PendingCall
from dsgec.study.workers.crew import MOST_HELD, Crew
from dsgec.study.workers.pipe import unpacked
from tests.clusters import ROOT, wait_until
from tests.command import hears_interrupts


@pytest.fixture
def crew():
    with closing(Crew(2)) as found:
        found.remarks = []
        found.on_remark = found.remarks.append
        yield found


def results(crew, calls):
    """What calls gave, in their order."""
    left = set(calls)
    while left:
        left -= set(crew.ended(60.0))
    return [call.result() for call in calls]


# What the processes do.


def shown(*arguments):
    print("this is no answer")
    return os.getpid(), arguments


def failing(error):
    raise error


def waiting(path):
    path.write_text(str(os.getpid()))
    process.remark("begun")
    process.stop.wait(60.0)
    return "stopped" if process.stop.is_set() else "not stopped"


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


def test_calls_are_made_by_processes_of_their_own(crew):
    crew.share("one")
    two = crew.share(["two"])
    found = results(crew, [crew.submit(shown, number, two) for number in range(20)])

    assert [arguments for _, arguments in found] == [(n, ["two"]) for n in range(20)]
    pids = {pid for pid, _ in found}
    assert 1 <= len(pids) <= 2
    assert os.getpid() not in pids
    assert crew.ended(0.0) == []
    assert str(crew) == "2 processes"


def test_no_more_processes_than_calls():
    with closing(Crew(50)) as crew:
        assert results(crew, [crew.submit(length, "abc")]) == [3]
        assert len(crew._processes) == 1


def imported(name):
    return name in sys.modules


def test_processes_can_start_before_there_are_calls():
    with closing(Crew(2, "dsgec.study.figure")) as crew:
        wait_until(lambda: len(crew._processes) == 2)
        assert results(crew, [crew.submit(imported, "dsgec.study.figure")]) == [True]
    with closing(Crew(1, "no.such.module")) as crew:
        assert results(crew, [crew.submit(length, "ab")]) == [2]


def test_an_error_of_a_call_is_told_by_it(crew):
    mistake, bug = crew.submit(failing, DsgecError("no", "Yes.")), crew.submit(failing, KeyError(1))
    good = crew.submit(length, "ab")
    while not (mistake.error and bug.error and good.value):
        crew.ended(60.0)
    with pytest.raises(DsgecError) as told:
        mistake.result()
    assert told.value.faults[0].advice == "Yes."
    assert str(told.value) == "error: no\n  Yes."
    with pytest.raises(KeyError) as told:
        bug.result()
    assert "in failing" in told.value.__notes__[0]  # a line of the traceback


class Unreadable(Exception):
    """One that is pickled, but not unpickled: it takes more than its text."""

    def __init__(self, one, two):
        super().__init__(one)


def unreadable():
    raise Unreadable(1, 2)


def test_what_cannot_be_sent_or_read_is_told_and_harms_no_other_call():
    with closing(Crew(1)) as crew:
        with pytest.raises(RuntimeError, match="cannot be sent"):
            results(crew, [crew.submit(unsendable)])
        with pytest.raises((AttributeError, TypeError), match="pickle"):
            results(crew, [crew.submit(length, lambda: None)])
        with pytest.raises(RuntimeError, match="an answer cannot be read"):
            results(crew, [crew.submit(unreadable)])
        with pytest.raises(ValueError, match="could not convert"):
            results(crew, [crew.submit(length, Unmakeable())])
        assert results(crew, [crew.submit(length, "ab")]) == [2]
        assert len(crew._processes) == 1


class Unmakeable:
    """Its pickle cannot be unpickled where it arrives."""

    def __reduce__(self):
        return float, ("no number",)


def test_mistakes_of_all_kinds_come_as_they_were(crew):
    mistake = PhenotypeError("x_1 + ?", "net", 6, "expected a number", "Write one.")
    with pytest.raises(PhenotypeError) as told:
        results(crew, [crew.submit(failing, mistake)])
    assert str(told.value) == str(mistake)
    assert told.value.offset == 6


def remarking(number):
    process.remark("listen")
    return number


def test_who_hears_remarks_badly_does_not_mix_up_the_answers():
    def bad(text):
        raise OSError("gone")

    with closing(Crew(1)) as crew:
        crew.on_remark = bad
        calls = [crew.submit(remarking, 1), crew.submit(length, "ab"), crew.submit(length, "abc")]
        left = set(calls)
        while left:
            left -= set(crew.ended(60.0))
    assert isinstance(calls[0].error, OSError)
    assert [call.value for call in calls] == [None, 2, 3]


def test_one_thread_is_enough(monkeypatch):
    started = []
    start = threading.Thread.start

    def few(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", few)
    with closing(Crew(2)) as crew:
        assert results(crew, [crew.submit(length, text) for text in ("a", "ab")]) == [1, 2]
    with closing(Crew(2)) as crew, pytest.raises(DsgecError, match="no thread"):
        crew.submit(length, "a")


def test_a_value_is_sent_once_and_goes_when_there_are_many(crew):
    values = [str(number) * number for number in range(MOST_HELD + 3)]
    handles = [crew.share(value) for value in values]
    assert crew.share(values[5]) == handles[5]
    for _ in range(2):
        calls = [crew.submit(length, handle) for handle in handles]
        assert results(crew, calls) == [len(value) for value in values]
    assert all(len(one._held) <= MOST_HELD for one in crew._processes)

    one = next(iter(crew._processes))
    asked = [one.question(PendingCall(length, ()), {f"new {n}": values[n]}) for n in (0, 0, 1)]
    sent = [unpacked(data).values for data in asked]
    assert sent == [{"new 0": values[0]}, {}, {"new 1": values[1]}]


def test_a_call_is_made_again_when_its_process_is_killed(crew, tmp_path):
    assert results(crew, [crew.submit(dying, tmp_path, MOST_RESTARTS)]) == [MOST_RESTARTS]


def test_a_call_that_always_dies_is_given_up(crew, tmp_path):
    call = crew.submit(dying, tmp_path, 99)
    with pytest.raises(DsgecError, match=r"was killed \(SIGKILL\)") as told:
        results(crew, [call])
    assert "fewer --jobs" in told.value.faults[0].advice
    assert results(crew, [crew.submit(length, "ab")]) == [2]


def test_stop_reaches_the_calls_under_way_and_ends_the_others(crew, tmp_path):
    calls = [crew.submit(waiting, tmp_path / str(number)) for number in range(5)]
    wait_until(lambda: len(crew.remarks) == 2)
    given_up = crew.stop()

    assert given_up == calls[2:]
    assert results(crew, calls[:2]) == ["stopped"] * 2
    assert crew.remarks == ["begun"] * 2
    assert len(list(tmp_path.iterdir())) == 2


def waiting_for(path):
    while not path.exists():
        time.sleep(0.01)
    return "there"


def test_what_is_cancelled_is_never_made_or_told(tmp_path):
    with closing(Crew(1)) as crew:
        first = crew.submit(waiting_for, tmp_path / "there")
        second = crew.submit(Path.touch, tmp_path / "made")
        third = crew.submit(length, "ab")
        crew.cancel([second])
        (tmp_path / "there").touch()
        told = []
        while third not in told:
            told += crew.ended(60.0)
    assert told == [first, third]
    assert not (tmp_path / "made").exists()


def test_closing_ends_the_processes_at_once(tmp_path):
    crew = Crew(2)
    for number in range(4):
        crew.submit(waiting, tmp_path / str(number))
    wait_until(lambda: sum(1 for path in tmp_path.iterdir() if path.read_text()) == 2)
    pids = [int(path.read_text()) for path in tmp_path.iterdir()]
    start = time.monotonic()
    crew.close()
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
    with closing(Crew(1)) as crew:
        assert results(crew, [crew.submit(length, "ab")]) == [2]


PROGRAM = """
import sys
from pathlib import Path
from dsgec.study.workers.crew import Crew
from tests.study.workers.test_crew import waiting
crew = Crew(2)
for number in range(2):
    crew.submit(waiting, Path(sys.argv[1]) / str(number))
crew.ended(60.0)
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
        preexec_fn=hears_interrupts,
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
