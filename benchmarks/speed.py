"""Measure the speed of dsgec on this machine: `python -m benchmarks.speed [--exports] [--json]`.

Machines differ and are shared, so what to read are the ratios; what is compared is measured in
turns, and of repeated measurements the fastest counts.
"""

import argparse
import itertools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from benchmarks.limit import emit_limit
from dsgec.cli.terminal.live import LiveDisplay
from dsgec.cli.terminal.progress import ProgressDisplay
from dsgec.data.dataset import Dataset
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.engine import cache
from dsgec.engine.engine import NATIVE
from dsgec.engine.library import load
from dsgec.engine.toolchain import find_toolchain
from dsgec.grammar.genome.genotype import REPRESENTATIONS
from dsgec.grammar.load import load_grammar
from dsgec.network.simplify import simplify
from dsgec.plain_data import to_json
from dsgec.run.job import Job
from dsgec.search.choose import choose_evolver
from dsgec.search.native import EngineEvolver
from dsgec.search.problem import Problem, make_problem
from dsgec.search.settings import Settings

Report = dict[str, Any]

_ROWS = (100, 1_000, 10_000, 100_000, 1_000_000)
_POPULATIONS = (10, 100, 1_000, 10_000)
_BACKENDS = ("engine", "c", "numpy", "reference")
_LIMIT_FLAGS = ("-O3", "-march=native", "-fno-trapping-math")


def bench() -> Iterator[tuple[str, Report]]:
    """The measurements one by one: a name, and figures by their names."""
    one_layer = _problem("one_layer", make_dataset(read_table("wdbc")))
    many_layers = _problem("multi_layer", random_table(208, 60))
    yield "one_layer on wdbc", speeds(one_layer, Settings(generations=20), _BACKENDS)
    sonar = speeds(many_layers, Settings(generations=2), _BACKENDS)
    yield "multi_layer on 208 × 60, the shape of sonar", sonar
    yield "one_layer on wdbc, 500 generations of 100, one thread", _whole_run(one_layer)
    yield "individuals a second with one_layer on wdbc, by engine", _representations(one_layer)
    yield "the same 100 networks on more and more rows (× 20 features)", _growth_with_rows()
    yield "microseconds an individual, by population", _growth_with_population(one_layer)
    large = _problem("one_layer", random_table(200_000, 20), test=0.0)
    yield "threads on 200,000 × 20", threads(large, Settings(population=20, generations=2))
    yield "dsgec evolve one_layer wdbc --runs 30, 500 generations each", _runs()
    yield "watching 2,000 generations on a terminal", _watching(one_layer)
    yield "compiling the engine", _compile(one_layer)
    yield "starting", {"dsgec --version, ms": rounded(_start_up() * 1e3)}


def speeds(problem: Problem, settings: Settings, backends: Sequence[str]) -> Report:
    """Evaluations a second over the same generations, every backend in its turn."""
    best: dict[str, float] = {}
    for name in (*backends, *backends):
        for _ in range(20 if name == "engine" else 1):  # it is done before others disturb it
            evolver = choose_evolver(problem, settings, name)
            start = time.perf_counter()
            *_, last = evolver.generations()
            speed = last.evaluations / (time.perf_counter() - start)
            best[name] = max(best.get(name, 0.0), speed)
    report: Report = {f"{name}, evaluations/s": rounded(speed) for name, speed in best.items()}
    report["engine / reference"] = rounded(best["engine"] / best["reference"])
    return report


def _whole_run(problem: Problem) -> Report:
    """A whole run, and beside it a loop that does nothing but the arithmetic."""
    seconds, limit = [], []
    report: Report = {}
    for _ in range(3):
        engine = EngineEvolver(problem, Settings())
        start = time.perf_counter()
        *_, last = engine.step(engine.settings.generations + 1)
        seconds.append((time.perf_counter() - start) / last.evaluations)
        limit.append(_limit(problem, engine))
        report = {"evaluations": last.evaluations, "reused": last.reused}
    return {
        "evaluations/s": rounded(1.0 / min(seconds)),
        "µs an evaluation": rounded(min(seconds) * 1e6),
        "µs, a plain loop over the last population": rounded(min(limit) * 1e6),
        **report,
        **time_split(problem, Settings(), "evaluate"),
    }


def _representations(problem: Problem) -> Report:
    """Individuals, valid or not, a second in 500 generations, the engines in turns."""
    best: dict[str, float] = {}
    for name in REPRESENTATIONS * 3:
        settings = Settings(representation=name)
        engine = EngineEvolver(problem, settings)
        start = time.perf_counter()
        engine.step(settings.generations + 1)
        speed = settings.population * settings.generations / (time.perf_counter() - start)
        best[name] = max(best.get(name, 0.0), speed)
    return {
        **{f"{name}, individuals/s": rounded(speed) for name, speed in best.items()},
        **{f"{name} / dsge": rounded(best[name] / best["dsge"]) for name in REPRESENTATIONS[1:]},
    }


def time_split(problem: Problem, settings: Settings, passes: str) -> Report:
    """Shares of the time, by a build that looks at the clock (and is a little slower for it)."""
    engine = EngineEvolver(problem, settings, flags=(*NATIVE, "-DDSGEC_TIMED"))
    start = time.perf_counter()
    engine.step(settings.generations + 1)
    whole = time.perf_counter() - start
    parts = engine.native.times()
    shares = {
        "map": parts["mapping"],
        "operators": parts["breeding"] - parts["mapping"],
        "parse": parts["parsing"],
        passes: parts["evaluating"],
    }
    shares["other"] = whole - sum(shares.values())
    return {f"{name}, % of the time": rounded(100 * part / whole) for name, part in shares.items()}


def _limit(problem: Problem, engine: EngineEvolver) -> float:
    """Seconds that the arithmetic of an individual of the last population takes by itself."""
    toolchain = find_toolchain()
    assert toolchain is not None
    texts = [engine.individual(n).phenotype for n in range(0, engine.settings.population, 5)]
    networks = [simplify(problem.language.parse(text)) for text in texts]
    declarations = "".join(
        f"void net{n}_limit(const double *, size_t, double *);" for n in range(len(networks))
    )
    source = f"{emit_limit(networks)}\n{declarations}"
    library = load(source, declarations, toolchain, _LIMIT_FLAGS)
    columns = np.ascontiguousarray(problem.rows.T)
    outputs = np.empty(len(problem.rows))
    x = library.ffi.cast("const double *", columns.ctypes.data)
    y = library.ffi.cast("double *", outputs.ctypes.data)
    functions = [getattr(library.functions, f"net{n}_limit") for n in range(len(networks))]

    def work() -> None:
        for function in functions:
            function(x, len(outputs), y)

    return _fastest(work, 20) / len(functions)


def _growth_with_rows() -> Report:
    """The same networks on tables of the same columns and ever more rows."""
    spent = {}
    for rows in _ROWS:
        problem = _problem("one_layer", random_table(rows, 20), test=0.0)
        first = EngineEvolver(problem, Settings(population=100, generations=0))
        first.step(1)
        texts = [first.individual(number).phenotype for number in range(100)]
        best = float("inf")
        for _ in range(2 if rows > 100_000 else 5):
            engine = EngineEvolver(problem, Settings())  # a new one: it remembers neurons
            start = time.perf_counter()
            for text in texts:
                engine.native.score(text)
            best = min(best, time.perf_counter() - start)
        spent[rows] = best / len(texts)
    return by_rows(spent, "an evaluation")


def by_rows(spent: dict[int, float], what: str) -> Report:
    """Of the seconds by the number of rows, and of those that each row takes more."""
    report: Report = {}
    before = 0
    for rows, seconds in spent.items():
        report[f"{rows:,} rows, µs {what}"] = rounded(seconds * 1e6)
        if before:
            each = (seconds - spent[before]) / (rows - before)
            report[f"  each row more than {before:,}, ns"] = rounded(each * 1e9)
        before = rows
    return report


def _growth_with_population(problem: Problem) -> Report:
    report = {}
    for population in _POPULATIONS:
        settings = Settings(population=population, generations=max(1, 20_000 // population))
        report[f"{population:,}"] = rounded(_seconds(problem, settings) * 1e6)
    return report


def _seconds(problem: Problem, settings: Settings, threads: int = 1) -> float:
    """Seconds an evaluation."""
    engine = EngineEvolver(problem, settings, threads)
    start = time.perf_counter()
    *_, last = engine.step(engine.settings.generations + 1)
    return (time.perf_counter() - start) / last.evaluations


def threads(problem: Problem, settings: Settings) -> Report:
    """What a second thread gains, in turns."""
    best = {1: float("inf"), 2: float("inf")}
    for count in (1, 2, 1, 2):
        best[count] = min(best[count], _seconds(problem, settings, count))
    return {
        "1 thread, ms an evaluation": rounded(best[1] * 1e3),
        "2 threads, ms an evaluation": rounded(best[2] * 1e3),
        "gain": rounded(best[1] / best[2]),
    }


def _runs() -> Report:
    """The whole command, in turns: what it writes and what its processes take to start included."""
    best = {1: float("inf"), 2: float("inf")}
    with tempfile.TemporaryDirectory() as folder:
        for jobs in (1, 2, 1, 2):
            command = [sys.executable, "-m", "dsgec", "evolve", "one_layer", "wdbc", "--overwrite"]
            command += ["--runs", "30", "--jobs", str(jobs), "--out", folder, "--quiet"]
            start = time.perf_counter()
            subprocess.run(command, check=True)  # noqa: S603
            best[jobs] = min(best[jobs], time.perf_counter() - start)
    return {
        "1 job, s": rounded(best[1]),
        "2 jobs, s": rounded(best[2]),
        "gain": rounded(best[1] / best[2]),
    }


def _watching(problem: Problem) -> Report:
    """A run with the live display on a terminal that somebody reads, and one without, in turns.

    On a busy machine the two differ by chance; what the display takes of the processor does not.
    """
    settings = Settings(generations=2_000)
    job = Job(load_grammar("one_layer"), problem, settings, Path())
    best: dict[str, float] = {}
    shares = []
    with _terminal() as stream:
        for name in itertools.chain.from_iterable([("watched", "quiet")] * 5):
            engine = EngineEvolver(problem, settings)
            watch = LiveDisplay(job, "", stream) if name == "watched" else ProgressDisplay()
            start, begun, inside = time.perf_counter(), time.thread_time(), 0.0
            for state in engine.generations():
                before = time.thread_time()
                watch(state)
                inside += time.thread_time() - before
            best[name] = min(best.get(name, float("inf")), time.perf_counter() - start)
            if name == "watched":
                shares.append(inside / (time.thread_time() - begun))
    return {
        "watched, s": rounded(best["watched"]),
        "quiet, s": rounded(best["quiet"]),
        "watched / quiet": rounded(best["watched"] / best["quiet"]),
        "watching, % of the processor's time": rounded(100 * statistics.median(shares)),
    }


@contextmanager
def _terminal() -> Iterator[TextIO]:
    """A terminal whose other end a process reads."""
    import pty  # not on every system

    master, slave = pty.openpty()
    code = "import os\nwhile os.read(0, 65536): pass"
    reader = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", code], stdin=master, stderr=subprocess.DEVNULL
    )
    os.close(master)
    try:
        with os.fdopen(slave, "w", encoding="utf-8") as stream:
            yield stream
    finally:
        reader.kill()
        reader.wait()


def _compile(problem: Problem) -> Report:
    with _empty_cache():
        start = time.perf_counter()
        EngineEvolver(problem, Settings())
        cold = time.perf_counter() - start
        cached = _fastest(lambda: EngineEvolver(problem, Settings()), 5)
    return {"cold, s": rounded(cold), "cached, ms": rounded(cached * 1e3)}


@contextmanager
def _empty_cache() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder, cache.elsewhere(Path(folder)):
        yield


def _start_up() -> float:
    command = [sys.executable, "-m", "dsgec", "--version"]
    return _fastest(lambda: subprocess.run(command, check=True, capture_output=True), 7)  # noqa: S603


def _fastest(work: Callable[[], object], times: int) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def _problem(grammar: str, dataset: Dataset, test: float = 0.3) -> Problem:
    return make_problem(load_grammar(grammar).grammar, dataset, Settings(test=test))


def random_table(rows: int, features: int) -> Dataset:
    """Two classes that two of the features tell apart, nearly."""
    rng = np.random.default_rng(1)
    x = rng.random((rows, features))
    y = (x[:, 0] + x[:, 1] + 0.3 * rng.random(rows) > 1.15).astype(np.float64)
    names = tuple(f"x_{i}" for i in range(1, features + 1))
    return Dataset("random", names, "y", (0, 1), x, y, "")


def rounded(value: float) -> float:
    """Three digits are more than such a measurement has."""
    return float(f"{value:.3g}")


def table_lines(name: str, report: Report) -> Sequence[str]:
    """One measurement, for people."""
    figures = ((key, v if isinstance(v, str) else f"{v:,}") for key, v in report.items())
    return ["", name, *(f"  {key:<52}  {figure:>10}" for key, figure in figures)]


def main() -> None:
    """Print every measurement, of exports beside those of others with `--exports`."""
    from benchmarks.speed_exports import bench_exports
    from benchmarks.speed_learning import bench_learning

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--exports", action="store_true", help="measure exported networks")
    arguments = parser.parse_args()
    reports = {}
    measured = bench_exports() if arguments.exports else itertools.chain(bench(), bench_learning())
    for name, report in measured:
        reports[name] = report
        if not arguments.json:
            print("\n".join(table_lines(name, report)), flush=True)
    if arguments.json:
        print(to_json(reports).removesuffix("\n"))


if __name__ == "__main__":
    main()
