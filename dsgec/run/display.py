"""A run to what a person sees of it: progress while it goes, the result when it ends."""

import shlex
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from dsgec.errors import printable
from dsgec.evolution.choose import Generation
from dsgec.run.job import Job, Run

_SECONDS_BETWEEN_LINES = 2.0
_SECONDS_BETWEEN_UPDATES = 0.2


class Progress:
    """Called with every generation; on a terminal one line is kept fresh, else lines follow."""

    def __init__(self, job: Job, backend: str, *, quiet: bool) -> None:
        self.job = job
        self.quiet = quiet or sys.stderr is None
        self.terminal = sys.stderr is not None and sys.stderr.isatty()
        self.started = time.monotonic()
        self.shown = -_SECONDS_BETWEEN_LINES
        if not self.quiet:
            problem, dataset = job.problem, job.problem.dataset
            train, test = len(problem.split.train), len(problem.split.test)
            goal = ", ".join(map(str, dataset.classes)) or f"the value of {dataset.target}"
            text = (
                f"{job.grammar.name} on {dataset.name}: {len(dataset.features)} features -> {goal};"
                f" {train} rows to learn from, {test} to test\nbackend {backend}"
            )
            print(printable(text), file=sys.stderr)

    def __call__(self, state: Generation) -> None:
        now = time.monotonic() - self.started
        is_last = state.generation == self.job.settings.generations
        pause = _SECONDS_BETWEEN_UPDATES if self.terminal else _SECONDS_BETWEEN_LINES
        if self.quiet or (now - self.shown < pause and not is_last):
            return
        self.shown = now
        total = self.job.settings.generations
        left = now / state.generation * (total - state.generation) if state.generation else 0.0
        line = (
            f"generation {state.generation:>{len(str(total))}}/{total}"
            f"  best {_number(state.best.fitness)}  mean {_number(state.mean)}"
            f"  {state.evaluations / now if now else 0.0:,.0f} evaluations/s"
            f"  {f'{left:.0f} s left' if not is_last else f'{now:.1f} s'}"
        )
        end = "\n" if is_last or not self.terminal else ""
        print(f"\r\x1b[K{line}" if self.terminal else line, end=end, file=sys.stderr, flush=True)

    def run_ended(self, run: Run) -> None:
        """Called with every run where there are several."""
        if not self.quiet:
            result = run.record["result"]
            figures = "  ".join(
                f"{part} {name} {_figure(result[part][name]).strip()}"
                for part in ("train", "test")
                for name in list(result[part])[:1]
            )
            seed = run.record["settings"]["seed"]
            print(f"seed {seed}  fitness {_number(result['fitness'])}  {figures}", file=sys.stderr)

    def close(self) -> None:
        """End the line that was kept fresh."""
        if self.terminal and not self.quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def result_lines(run: Run) -> list[str]:
    """What came of a run, and how to use it."""
    result = run.record["result"]
    network = result["network"]
    parts = [
        f"{network[key]} {key.removesuffix('s') if network[key] == 1 else key}"
        for key in ("layers", "neurons", "features", "connections")
    ]
    perfect = "1 is" if result["objective"] == "exp-rmse" else "0 is"
    names = list(result["train"])
    lines = [
        f"best network: fitness {_number(result['fitness'])} ({perfect} perfect);"
        f" {', '.join(parts)}",
        "       " + "".join(f"{name:>10}" for name in names),
        *(
            f"{part:<7}" + "".join(map(_figure, result[part].values()))
            for part in ("train", "test")
        ),
        f"written to {printable(str(run.folder))}: run.json history.csv best.net timing.json "
        + " ".join(path.name for path in run.files),
    ]
    module = run.record["model"]["name"]
    lines.append(
        f"import it:  PYTHONPATH={shlex.quote(printable(str(run.folder)))} python -c "
        f'"import {module}; help({module})"'
    )
    return lines


def summary_lines(runs: Sequence[Run]) -> list[str]:
    """The mean and the standard deviation over several runs."""
    results = [run.record["result"] for run in runs]
    rows = {"fitness": [result["fitness"] for result in results]}
    for part in ("train", "test"):
        for name in results[0][part]:
            rows[f"{part} {name}"] = [result[part][name] for result in results]
    for name in ("layers", "neurons", "features", "connections"):
        rows[name] = [result["network"][name] for result in results]
    lines = [f"{len(runs)} runs, mean ± standard deviation:"]
    for name, values in rows.items():
        defined = [value for value in values if value is not None]
        if defined:
            spread = statistics.stdev(defined) if len(defined) > 1 else 0.0
            lines.append(f"  {name:<16}{statistics.fmean(defined):>9.4f} ± {spread:.4f}")
    lines.append(f"written to {runs[0].folder.parent}")
    return lines


def _figure(value: Any) -> str:
    return f"{_number(value):>10}" if value is not None else f"{'-':>10}"


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}"
