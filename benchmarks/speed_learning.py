"""Where the time goes in runs that learn: the measurements of `benchmarks.speed`, for these."""

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchmarks.speed import Report, by_rows, random_table, rounded, speeds, threads, time_split
from dsgec.data.dataset import Dataset
from dsgec.data.options import Preprocessing
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.grammar.load import load_grammar
from dsgec.random import Stream
from dsgec.search.native import EngineEvolver
from dsgec.search.presets import Preset, make_settings
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings
from dsgec.setting import make

_ROWS = (100, 1_000, 10_000, 100_000)
_LARGE = 200_000
_GENERATIONS = 600
_NETWORKS = 20
_SHORT = 200
_ROUNDS = 15

Text = tuple[str, list[tuple[int, int]]]
"""A phenotype, and the offsets and lengths of its numbers."""


def bench_learning() -> Iterator[tuple[str, Report]]:
    """The measurements one by one: a name, and figures by their names."""
    wdbc = make_dataset(read_table("wdbc"), preprocessing=make(Preprocessing, {}, learned=True))
    problem = _problem(wdbc)
    run = f"{_GENERATIONS} generations of {_settings().population}"
    backends = ("engine", "reference")
    yield "learning, network on wdbc", speeds(problem, _settings(generations=2), backends)
    yield f"learning, network on wdbc, {run}, one thread", _whole_run(problem)
    yield "learning, the same networks with and without a gradient", _gradients(problem)
    yield "learning, the same networks on more and more rows (× 20 features)", _growth_with_rows()
    large = _problem(random_table(_LARGE, 20), test=0.0)
    settings = _settings(population=20, generations=2)
    yield f"learning, threads on {_LARGE:,} × 20", threads(large, settings)


def _whole_run(problem: Problem) -> Report:
    """A whole run, without its end; a step of a child is an evaluation more."""
    settings = _settings(generations=_GENERATIONS)
    seconds, evaluations, individuals = [], 0, settings.population * _GENERATIONS
    for _ in range(3):
        engine = EngineEvolver(problem, settings)
        start = time.perf_counter()
        *_, last = engine.step(_GENERATIONS + 1)
        seconds.append(time.perf_counter() - start)
        evaluations = last.evaluations
    return {
        "evaluations/s": rounded(evaluations / min(seconds)),
        "µs an evaluation": rounded(min(seconds) / evaluations * 1e6),
        "µs an individual": rounded(min(seconds) / individuals * 1e6),
        "evaluations": evaluations,
        **_time_split(problem, settings),
    }


def _time_split(problem: Problem, settings: Settings) -> Report:
    """Shares of the time, by a build that looks at the clock (and is a little slower for it)."""
    passes = "forward and backward passes"
    report = time_split(problem, settings, passes)
    outside = 100 - report[f"{passes}, % of the time"]
    return {**report, "outside the passes, % of the time": rounded(outside)}


def _gradients(problem: Problem) -> Report:
    """Loss and gradient against the loss alone, both with the parsing of the text."""
    report: Report = {}
    small, large = (_problem(random_table(rows, 20), test=0.0) for rows in (1_000, 10_000))
    tables = (("wdbc", problem, problem), ("10,000 × 20", large, small))
    for name, one, evolved in tables:
        found = _in_turns(one, _evolved(evolved))
        loss, both = found["loss"], found["loss and gradient"]
        report[f"{name}, loss alone, µs"] = rounded(loss * 1e6)
        report[f"{name}, loss and gradient, µs"] = rounded(both * 1e6)
        report[f"{name}, (loss and gradient) / loss alone"] = rounded(both / loss)
    return report


def _growth_with_rows() -> Report:
    """Loss and gradient on tables of the same columns and ever more rows."""
    spent = {}
    networks = _evolved(_problem(random_table(1_000, 20), test=0.0))
    for rows in _ROWS:
        problem = _problem(random_table(rows, 20), test=0.0)
        spent[rows] = _in_turns(problem, networks)["loss and gradient"]
    return by_rows(spent, "a loss and gradient")


def _evolved(problem: Problem) -> list[Text]:
    """Networks that a short run has come to: their texts, and the places of their numbers."""
    settings = _settings(population=_NETWORKS, generations=_SHORT)
    engine = EngineEvolver(problem, settings)
    engine.step(_SHORT + 1)
    individuals = problem.represent(settings)
    views = map(engine.individual, range(_NETWORKS))
    derivations = [individuals.express(view.genotype, Stream(0, 0, 0)) for view in views]
    return [(d.phenotype, [(n.offset, n.length) for n in d.constants]) for d in derivations]


def _passes(problem: Problem) -> dict[str, Callable[..., object]]:
    """What is measured of a network: the loss, and the loss with its gradient."""
    native = EngineEvolver(problem, _settings()).native
    return {"loss": native.loss, "loss and gradient": native.gradient}


def _in_turns(problem: Problem, networks: Sequence[Text]) -> dict[str, float]:
    """Seconds a network: of each the least, the passes in turns, so that nothing else counts."""
    passes = _passes(problem)
    total = dict.fromkeys(passes, 0.0)
    for text in networks:
        best = dict.fromkeys(passes, float("inf"))
        for name in itertools.chain.from_iterable([tuple(passes)] * _ROUNDS):
            start = time.perf_counter()
            passes[name](*text)
            best[name] = min(best[name], time.perf_counter() - start)
        for name, seconds in best.items():
            total[name] += seconds / len(networks)
    return total


def _settings(**given: int) -> Settings:
    return make_settings(given, Preset())


def _problem(dataset: Dataset, test: float = 0.3) -> Problem:
    return make_problem(load_grammar("network").grammar, dataset, replace(_settings(), test=test))
