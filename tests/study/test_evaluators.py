"""Whatever a fitness function does, in this process or in others, the search goes on."""

import multiprocessing
import os
import signal
import threading
import time

import pytest

import dsgec
from dsgec.errors import DsgecError
from tests.support import hostile_fitness as hostile

SETTINGS = {"population": 30, "generations": 4, "backend": "reference"}


def search(function, **more):
    return dsgec.search(hostile.grammar, function, **SETTINGS, **more)


@pytest.fixture(scope="module")
def good():
    """The search in which all that is bad is NaN."""
    return search(hostile.nan)


def same(run, good, reason):
    """The search is the same, but for the reason of its failures."""
    ours, theirs = run.details.result, good.details.result
    assert ours.best == theirs.best and run.history == good.history
    assert [(one.count, one.phenotype) for one in ours.failures] == [
        (one.count, one.phenotype) for one in theirs.failures
    ]
    (failure,) = ours.failures
    assert failure.count > 0 and failure.phenotype.count("c") == 3
    assert failure.reason == reason


IN_PROCESS = {
    "raises": "RuntimeError: three",
    "nan": "the fitness is nan",
    "exits": "SystemExit: 3",
    "words": "the fitness is str, not a number",
}


@pytest.mark.parametrize("name", IN_PROCESS)
def test_a_failure_in_this_process_makes_one_individual_invalid(name, good):
    same(search(getattr(hostile, name)), good, IN_PROCESS[name])


def test_a_function_that_hangs_in_this_process_is_interrupted(good):
    run = search(hostile.hangs, seconds_per_evaluation=0.05)
    same(run, good, "it took longer than allowed")


def test_a_fork_in_this_process_does_not_run_the_search_twice(good, tmp_path):
    before = os.getpid()
    run = search(hostile.forks, out=tmp_path / "run")
    assert os.getpid() == before
    assert run.best == search(hostile.fitness).best


def test_a_batch_is_asked_again_one_by_one(good):
    same(search(hostile.batch, batched=True), good, "RuntimeError: three")
    run = search(hostile.short_batch, batched=True)
    assert run.failures[0].reason == "0 values for 1 phenotypes"


ELSEWHERE = {
    **IN_PROCESS,
    "hangs": "it took longer than allowed",
    "exits_at_once": "the process ended by itself, with exit code 3",
    "crashes": "the process was killed (SIGABRT), and so were those that tried again",
}


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_failure_in_another_process_makes_one_individual_invalid(name):
    more = {"population": 14, "generations": 2}
    runs = [
        dsgec.search(hostile.grammar, function, **more, **places)
        for function, places in (
            (getattr(hostile, name), {"processes": 2, "seconds_per_evaluation": 0.3}),
            (hostile.nan, {"backend": "reference"}),
        )
    ]
    same(*runs, ELSEWHERE[name])


def test_what_forks_prints_or_starts_programs_elsewhere_changes_nothing(capfd):
    expected = search(hostile.fitness)
    for function in (hostile.forks, hostile.prints, hostile.starts_programs):
        run = search(function, processes=2)
        assert run.history == expected.history and not run.failures
    assert capfd.readouterr().out == ""


def test_a_function_that_no_signal_stops_is_killed(monkeypatch):
    monkeypatch.setattr("dsgec.study.evaluators._GRACE", 0.2)
    more = {"population": 6, "generations": 1}
    run = dsgec.search(
        hostile.grammar, hostile.hangs_in_c, **more, processes=1, seconds_per_evaluation=0.3
    )
    expected = dsgec.search(hostile.grammar, hostile.nan, **more)
    assert run.failures and run.history == expected.history


def test_results_do_not_depend_on_the_number_of_processes():
    runs = [search(hostile.raises, processes=count) for count in (0, 1, 3)]
    runs.append(search(hostile.batch, batched=True, processes=2))
    assert len({str(run.history) for run in runs}) == 1
    assert runs[0].record == runs[1].record == runs[2].record


def test_a_function_that_another_process_cannot_find_is_refused():
    with pytest.raises(DsgecError, match="another process cannot call this fitness function"):
        search(lambda phenotype: len(phenotype), processes=1)


def test_ctrl_c_ends_a_search_with_what_it_has():
    interrupt = threading.Timer(0.6, signal.raise_signal, (signal.SIGINT,))

    def function(phenotype):
        time.sleep(0.001)
        return hostile.fitness(phenotype)

    interrupt.start()
    run = dsgec.search(hostile.grammar, function, population=40, generations=100_000)
    assert run.ended == "interrupted" and 0 < run.generations < 100_000
    again = dsgec.search(
        hostile.grammar, hostile.fitness, population=40, generations=run.generations
    )
    assert again.history == run.history


def test_a_first_generation_without_any_fitness_is_an_error():
    def function(phenotype):
        raise KeyError("nothing")

    with pytest.raises(DsgecError, match="no individual of the first generation is valid: KeyErr"):
        search(function)


def test_the_number_of_values_must_stay_the_same():
    def function(phenotype):
        return [1.0] * (3 if hostile.is_bad(phenotype) else 2)

    run = search(function)
    assert [one.reason for one in run.failures] == [
        "the fitness is 3 values, but it was 2 values before"
    ]
    with pytest.raises(DsgecError, match="lexicase selects by cases"):
        search(hostile.fitness, selection="lexicase")
    with pytest.raises(DsgecError, match="there are 3 objectives"):
        search(function, objectives=3)


def test_every_phenotype_is_evaluated_once():
    seen = []

    def function(phenotype):
        seen.append(phenotype)
        return hostile.fitness(phenotype)

    run = search(function)
    assert len(seen) == len(set(seen)) == run.details.result.evaluations
    assert run.details.result.reused > 0


def test_a_worker_that_something_else_kills_costs_nothing():
    killed = []

    def kill():
        for child in multiprocessing.active_children()[:1]:
            child.kill()
            killed.append(child)

    def callback(progress):
        if not killed:
            timer = threading.Timer(0.02, kill)  # while the next generation is evaluated
            timer.start()
            timer.join(0.01)

    more = {"generations": 25}
    run = dsgec.search(
        hostile.grammar, hostile.slow, population=60, processes=2, callback=callback, **more
    )
    assert killed
    expected = dsgec.search(hostile.grammar, hostile.fitness, population=60, **more)
    assert run.history == expected.history and not run.failures


@pytest.mark.timeout(300)
def test_a_cluster_evaluates_with_the_same_result():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None, protocol="tcp"
    ) as cluster:
        run = search(hostile.raises, cluster=cluster.scheduler_address)
    assert run.record == search(hostile.raises).record
    assert run.failures
