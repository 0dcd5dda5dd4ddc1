"""A run to what a person sees of it: progress while it goes, the result when it ends."""

import shlex
import statistics
import sys
import time
from collections.abc import Sequence
from typing import Any

from dsgec.errors import printable
from dsgec.evolution.choose import Generation
from dsgec.fitness.objectives import natural, perfect
from dsgec.run.job import Job, Run

_SECONDS_BETWEEN_LINES = 2.0
_SECONDS_BETWEEN_UPDATES = 0.2
_MOST_CLASSES_SHOWN = 10
_WIDEST_LABEL = 12


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
            f"  best {self._natural(state.best.fitness)}  mean {self._natural(state.mean)}"
            f"  {state.evaluations / now if now else 0.0:,.0f} evaluations/s"
            f"  {f'{left:.0f} s left' if not is_last else f'{now:.1f} s'}"
        )
        end = "\n" if is_last or not self.terminal else ""
        print(f"\r\x1b[K{line}" if self.terminal else line, end=end, file=sys.stderr, flush=True)

    def _natural(self, fitness: float) -> str:
        return _number(natural(self.job.problem.objective, fitness))

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
            fold = run.record["settings"].get("fold", 0)
            which = f"fold {fold + 1}" if run.record["settings"].get("folds") else f"seed {seed}"
            score = f"{result['objective']} {_number(result['score'])}"
            print(f"{which}  {score}  {figures}", file=sys.stderr)

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
    objective = result["objective"]
    lines = [
        f"best network: {objective} {_number(result['score'])} ({perfect(objective)} is perfect);"
        f" {', '.join(parts)}",
        *_metric_lines(result),
        *_confusion_lines(run.record),
        f"written to {printable(str(run.folder))}: run.json history.csv best.net timing.json "
        "report.json report.html " + " ".join(path.name for path in run.files),
    ]
    lines.append(f"look at it: {printable(str(run.folder / 'report.html'))}")
    module = run.record["model"]["name"]
    lines.append(
        f"import it:  PYTHONPATH={shlex.quote(printable(str(run.folder)))} python -c "
        f'"import {module}; help({module})"'
    )
    return lines


def _metric_lines(result: dict[str, Any]) -> list[str]:
    names = [name.replace("_", " ") for name in result["train"]]
    widths = [max(len(name) + 2, 10) for name in names]
    lines = ["       " + "".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))]
    for part in ("train", "test"):
        figures = zip(map(_figure, result[part].values()), widths, strict=True)
        lines.append(f"{part:<7}" + "".join(f"{figure:>{width}}" for figure, width in figures))
    return lines


def _confusion_lines(record: dict[str, Any]) -> list[str]:
    """How the rows kept aside were told apart."""
    classes = [printable(str(label))[:_WIDEST_LABEL] for label in record["model"]["classes"]]
    counts = record["result"].get("confusion", {}).get("test", [])
    if not counts or len(classes) > _MOST_CLASSES_SHOWN or not any(map(sum, counts)):
        return []
    width = max(6, *map(len, classes)) + 2
    lines = ["test rows by class, and what was predicted:"]
    lines.append(" " * width + "".join(f"{label:>{width}}" for label in classes))
    for label, row in zip(classes, counts, strict=True):
        lines.append(f"{label:>{width}}" + "".join(f"{count:>{width}}" for count in row))
    return lines


def summary_lines(runs: Sequence[Run], what: str = "runs") -> list[str]:
    """The mean and the standard deviation over several runs."""
    results = [run.record["result"] for run in runs]
    rows = {results[0]["objective"]: [result["score"] for result in results]}
    for part in ("train", "test"):
        for name in results[0][part]:
            rows[f"{part} {name}"] = [result[part][name] for result in results]
    for name in ("layers", "neurons", "features", "connections"):
        rows[name] = [result["network"][name] for result in results]
    lines = [f"{len(runs)} {what}, mean ± standard deviation:"]
    for name, values in rows.items():
        defined = [value for value in values if value is not None]
        if defined:
            spread = statistics.stdev(defined) if len(defined) > 1 else 0.0
            lines.append(
                f"  {name.replace('_', ' '):<24}{statistics.fmean(defined):>9.4f} ± {spread:.4f}"
            )
    lines.append(f"written to {runs[0].folder.parent}")
    return lines


def _figure(value: Any) -> str:
    return f"{_number(value):>10}" if value is not None else f"{'-':>10}"


def _number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}"
