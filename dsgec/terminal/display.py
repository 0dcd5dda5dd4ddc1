"""A run to what a person sees of it: progress while it goes, the result when it ends."""

import shlex
import statistics
import sys
import time
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol, TextIO

from dsgec.errors import clean, counted
from dsgec.evolution.evolver import Generation
from dsgec.evolution.problem import Problem
from dsgec.fitness.objectives import OBJECTIVES
from dsgec.run.compared import chance
from dsgec.run.job import Job, WrittenRun
from dsgec.run.names import CONFIG, EVIDENCE, HALL, HISTORY, NETWORK, PAGE, RECORD, TIMING
from dsgec.run.record import test_interval
from dsgec.run.validation import RISING
from dsgec.terminal.front import front_lines
from dsgec.terminal.styled import is_capable

_SECONDS_BETWEEN_LINES = 10.0
_MOST_CLASSES_SHOWN = 10
_FILES = (RECORD, CONFIG, HISTORY, HALL, NETWORK, TIMING, EVIDENCE, PAGE)
_WIDEST_LABEL = 12
_LONGEST_FORMULA = 1000


class ProgressDisplay(Protocol):
    """What standard error shows of a run; no failure to show it can stop the run."""

    def __call__(self, state: Generation) -> None:
        """Called with every generation."""

    def stage(self, words: str) -> None:
        """Called with what is being done after the last generation."""

    def run_ended(self, run: WrittenRun) -> None:
        """Called with every run where there are several."""

    def note(self, text: str) -> None:
        """A remark on a line of its own; may be called at any time, by a signal's handler too."""

    def close(self) -> None:
        """The end: what is printed next stands on a line of its own."""


def progress(
    job: Job,
    description: str,
    quiet: bool,
    *,
    runs: int = 1,
    max_seconds: float | None = None,
) -> ProgressDisplay:
    """What suits whoever reads standard error: a live display, plain lines, or nothing.

    `description` is the backend's. With `max_seconds` the run ends then, if not before.
    """
    if quiet or sys.stderr is None:
        return Silence()
    if not is_capable(sys.stderr):
        return Lines(job, description, sys.stderr, max_seconds=max_seconds)
    from dsgec.terminal.watch import Watch

    return Watch(job, description, sys.stderr, runs=runs, max_seconds=max_seconds)


class Silence:
    """Tells nothing."""

    def __call__(self, state: Generation) -> None:
        pass

    def stage(self, words: str) -> None:
        pass

    def run_ended(self, run: WrittenRun) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def close(self) -> None:
        pass


class Voice:
    """A stream, until nobody hears it any more.

    What a signal's handler says during a write follows after it.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.heard = True
        self._busy = False
        self._waiting: deque[str] = deque()

    def __call__(self, text: str) -> None:
        self._waiting.append(text)
        if self._busy:
            return
        self._busy = True
        try:
            while self._waiting and self.heard:
                self.stream.write(self._waiting.popleft())
                self.stream.flush()
        except (OSError, ValueError):  # gone, or closed
            self.heard = False
        except IndexError:  # another thread has said it
            pass
        finally:
            self._busy = False


class Lines:
    """Plain lines, one every ten seconds: for files, pipes and terminals that cannot do more."""

    def __init__(
        self, job: Job, description: str, stream: TextIO, *, max_seconds: float | None = None
    ) -> None:
        self.job = job
        self.max_seconds = max_seconds
        self.started = time.monotonic()
        self.due = self.started
        self.first: Generation | None = None
        self.unsaid: Generation | None = None  # the latest, where it has no line
        self._say = Voice(stream)
        self._say(heading(job, description) + "\n")

    def __call__(self, state: Generation) -> None:
        now = time.monotonic()
        self.first = self.first or state  # of this session
        is_last = state.generation == self.job.settings.generations
        if now < self.due and not is_last:
            self.unsaid = state
            return
        self.due = now + _SECONDS_BETWEEN_LINES
        self._tell(state, self.first, now, is_last=is_last)

    def _tell(self, state: Generation, first: Generation, now: float, *, is_last: bool) -> None:
        self.unsaid = None
        total = self.job.settings.generations
        spent = now - self.started
        done = state.generation - first.generation
        left = spent / done * (total - state.generation) if done else float("inf")
        speed = (state.evaluations - first.evaluations) / spent if spent else 0.0
        left = sooner(left, spent, self.max_seconds)
        when = f"{left:.0f} s left" if left < float("inf") else ""
        problem = self.job.problem
        self._say(
            f"generation {state.generation:>{len(str(total))}}/{total}"
            f"  best {score(problem, state.best)}  mean {score(problem, state.mean)}"
            f"  {speed:,.0f} evaluations/s"
            f"  {when if not is_last else f'{spent:.1f} s'}".rstrip()
            + "\n"
        )

    def stage(self, words: str) -> None:
        """A line of its own, after that of the last generation."""
        self._tell_last()
        self._say(f"{words}\n")

    def _tell_last(self) -> None:
        """The figures of a run that ended before its last generation."""
        if self.unsaid is not None and self.first is not None:
            self._tell(self.unsaid, self.first, time.monotonic(), is_last=True)

    def run_ended(self, run: WrittenRun) -> None:
        """A line of its own."""
        self._say(run_line(run) + "\n")

    def note(self, text: str) -> None:
        """A line of its own."""
        self._say(clean(text) + "\n")

    def close(self) -> None:
        """What is still to be said."""
        self._tell_last()
        self._say("")


def sooner(left: float, spent: float, max_seconds: float | None) -> float:
    """Seconds that are left of a run that also ends after `max_seconds`."""
    return left if max_seconds is None else max(0.0, min(left, max_seconds - spent))


def heading(job: Job, description: str) -> str:
    """What is about to run, in two lines."""
    problem, dataset = job.problem, job.problem.dataset
    train, test = len(problem.split.train), len(problem.split.test)
    labels = ", ".join(map(str, dataset.classes[:_MOST_CLASSES_SHOWN]))
    more = len(dataset.classes) - _MOST_CLASSES_SHOWN
    goal = f"{labels} and {more} more" if more > 0 else labels or "a number"
    what = (
        f"predicting {dataset.target} ({goal}) from {counted(len(dataset.features), 'feature')} of"
        f" {dataset.name}; {counted(train, 'training row')}, {counted(test, 'test row')}"
        f"{_groups(problem)}"
    )
    return f"{clean(what)}\ngrammar {clean(job.grammar.name)}, backend {clean(description)}"


def _groups(problem: Problem) -> str:
    """Return how many groups the training and the test rows are of, where they have groups."""
    groups, split = problem.dataset.groups, problem.split
    if groups is None:
        return ""
    counts = [len({*groups[rows].tolist()} - {-1}) for rows in (split.train, split.test)]
    return f" (of {counts[0]:,} and {counts[1]:,} groups)"


def choices(job: Job) -> str:
    """What was chosen by the table, and how to choose otherwise."""
    settings, dataset = job.settings, job.problem.dataset
    task = f"{len(dataset.classes)} classes" if dataset.classes else "a numeric target"
    scaled = "" if dataset.plan.scale == "none" else f", {dataset.plan.scale} scaling"
    each = f"an ensemble of {settings.ensemble}, each " if settings.ensemble > 1 else ""
    return (
        f"chosen for {task}: grammar {job.grammar.name}, objective {job.problem.objective}{scaled},"
        f" {each}{settings.generations} generations of {settings.population}\n"
        "choose otherwise with dsgec evolve GRAMMAR DATA, --objective, --scale, --effort, --target"
    )


def score(problem: Problem, fitness: float) -> str:
    """A fitness as people read it."""
    return plain_number(problem.natural(fitness))


def run_line(run: WrittenRun) -> str:
    """One of several runs that has ended."""
    result = run.record["result"]
    figures = "  ".join(
        f"{part} {name} {_figure(result[part][name]).strip()}"
        for part in ("train", "test")
        for name in list(result[part])[:1]
    )
    seed = run.record["settings"]["seed"]
    fold = run.record["settings"].get("fold", 0)
    which = f"fold {fold + 1}" if run.record["settings"].get("folds") else f"seed {seed}"
    return f"{which}  {result['objective']} {plain_number(result['score'])}  {figures}"


def duration(seconds: float) -> str:
    """A time as people say it."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02} min"


def result_lines(run: WrittenRun) -> list[str]:
    """The result of a run, and how to use it."""
    result = run.record["result"]
    network = result["network"]
    parts = [
        f"{network[key]} {key.removesuffix('s') if network[key] == 1 else key}"
        for key in ("layers", "neurons", "features", "connections")
        if network[key] or not result.get("formula")
    ]
    objective = result["objective"]
    names = [path.name for path in run.files]
    perfect = OBJECTIVES[objective].perfect
    what = "formula" if result.get("formula") else "network"
    lines = [
        f"best {what}: {objective} {plain_number(result['score'])} ({perfect} is perfect);"
        f" {', '.join(parts)}",
        *_formula_lines(result),
        *_threshold_lines(run.record["model"]),
        *_validation_lines(result),
        *_metric_lines(result),
        *_comparison_lines(result),
        *_confusion_lines(run.record),
        *front_lines(run),
        *_cost_lines(result),
        f"written to {clean(str(run.folder))}: {' '.join((*_FILES, *names))}",
        *_untested_lines(run),
    ]
    lines.append(f"look at it: {clean(str(run.folder / PAGE))}")
    module = run.record["model"]["name"]
    lines.append(
        f"import it:  PYTHONPATH={shlex.quote(clean(str(run.folder)))} python -c "
        f'"import {module}; help({module})"'
    )
    return [*lines, *_next_lines(run)]


def _cost_lines(result: dict[str, Any]) -> list[str]:
    """The line with what the network takes of a chip; none in runs of earlier versions."""
    cost = result.get("cost")
    return [f"on a chip: {_footprint(cost)}"] if cost else []


def _footprint(cost: dict[str, Any]) -> str:
    return clean(
        f"about {cost['flash']:,} bytes of flash and {cost['cycles']:,} cycles a row"
        f" ({cost['chip']}, {cost['dtype']}, estimated)"
    )


def _next_lines(run: WrittenRun) -> list[str]:
    """The command that exports the network for a chip, with what it takes there."""
    result = run.record["result"]
    chosen = result.get("proposed", result.get("cost"))
    if not chosen:
        return []
    words = ["dsgec", "export", str(run.folder), "--to", "c"]
    about = [f"{chosen['flash']:,} bytes on {chosen['chip']}"]
    if "pick" in chosen:
        words += ["--pick", *chosen["pick"]]
        metric, value = next(iter(chosen["test"].items()))
        about.insert(0, counted(chosen["connections"], "connection"))
        about += [f"test {metric.replace('_', ' ')} {plain_number(value)}"] if value else []
    if chosen["dtype"] != "double":
        words += ["--dtype", chosen["dtype"]]
    command = shlex.join([*words, "-o", "firmware"])
    return [clean(f"next: {command}  # {', '.join(about)}")]


def _untested_lines(run: WrittenRun) -> list[str]:
    """Return a line for each export whose self-test was not run, such as C without a compiler."""
    checks = run.timing.get("self_tests")
    return [
        clean(f"{target}: {what}")
        for target, what in (checks.items() if isinstance(checks, dict) else ())
        if str(what).startswith("self-test not run")
    ]


def _formula_lines(result: dict[str, Any]) -> list[str]:
    """The formula of a run for one, if it is short enough to be read."""
    formula = result.get("formula", "")
    return (
        [clean(line) for line in formula.splitlines()] if len(formula) <= _LONGEST_FORMULA else []
    )


def _threshold_lines(model: dict[str, Any]) -> list[str]:
    if "threshold" not in model:  # it is 0.5
        return []
    label = clean(str(model["classes"][1]))
    return [f"threshold: {label} is predicted at a probability of {model['threshold']:.4g} or more"]


def _validation_lines(result: dict[str, Any]) -> list[str]:
    """How the network was chosen; nothing if by its fitness, or if it is the mean of several."""
    found = result.get("validation", {})
    if "score" not in found:
        return []
    measure = "R²" if found["measure"] == RISING else clean(found["measure"])
    return [
        f"chosen from {counted(found['candidates'], 'size')} by cross-validation on the training"
        f" rows: {measure} {found['score']:.4f} ± {found['error']:.4f}"
    ]


def _metric_lines(result: dict[str, Any]) -> list[str]:
    """The figures of the network on either part, and those of the baselines on the test rows."""
    names = [name.replace("_", " ") for name in result["train"]]
    rows: dict[str, dict[str, Any]] = {part: result[part] for part in ("train", "test")}
    intervals = {name: test_interval(result, name) for name in result["test"]}
    if any(intervals.values()):
        rows["test, 95 % interval"] = intervals
    part = "test" if any(value is not None for value in result["test"].values()) else "train"
    for baseline in result.get("baselines", ()):
        rows[f"{part}, {baseline['name']}"] = baseline[part]
    first = max(map(len, rows)) + 1
    widths = [max(len(name) + 2, 13 if len(rows) > 2 else 10) for name in names]
    lines = [" " * first + "".join(f"{n:>{w}}" for n, w in zip(names, widths, strict=True))]
    for row, values in rows.items():
        figures = zip(map(_figure, values.values()), widths, strict=True)
        lines.append(f"{row:<{first}}" + "".join(f"{figure:>{width}}" for figure, width in figures))
    return lines


def _comparison_lines(result: dict[str, Any]) -> list[str]:
    comparison = result.get("comparison")
    verdict = []
    if comparison:
        test = chance(comparison)
        what = "formula" if result.get("formula") else "network"
        verdict.append(f"the {what} is {comparison['verdict']}{test and f' ({test})'}")
    return [*map(clean, (*verdict, *(f"warning: {one}" for one in result.get("warnings", ()))))]


def _confusion_lines(record: dict[str, Any]) -> list[str]:
    """How the test rows were classified."""
    classes = [clean(str(label))[:_WIDEST_LABEL] for label in record["model"]["classes"]]
    counts = record["result"].get("confusion", {}).get("test", [])
    if not counts or len(classes) > _MOST_CLASSES_SHOWN or not any(map(sum, counts)):
        return []
    width = max(6, *map(len, classes)) + 2
    lines = ["test rows by class, and what was predicted:"]
    lines.append(" " * width + "".join(f"{label:>{width}}" for label in classes))
    for label, row in zip(classes, counts, strict=True):
        lines.append(f"{label:>{width}}" + "".join(f"{count:>{width}}" for count in row))
    return lines


def summary_lines(runs: Sequence[WrittenRun], what: str = "runs") -> list[str]:
    """The mean and the standard deviation over several runs."""
    results = [run.record["result"] for run in runs]
    rows = {results[0]["objective"]: [result["score"] for result in results]}
    for part in ("train", "test"):
        for name in results[0][part]:
            rows[f"{part} {name}"] = [result[part][name] for result in results]
    for number, baseline in enumerate(results[0].get("baselines", ())):
        main = next(iter(baseline["test"]))
        rows[f"test {main}, {baseline['name']}"] = [
            result["baselines"][number]["test"][main] for result in results
        ]
    for name in ("layers", "neurons", "features", "connections"):
        rows[name] = [result["network"][name] for result in results]
    width = max(24, *(len(name) + 2 for name in rows))
    lines = [f"{len(runs)} {what}, mean ± standard deviation:"]
    for name, values in rows.items():
        defined = [value for value in values if value is not None]
        if defined:
            spread = statistics.stdev(defined) if len(defined) > 1 else 0.0
            words, mean = name.replace("_", " "), statistics.fmean(defined)
            lines.append(f"  {words:<{width}}{mean:>9.4f} ± {spread:.4f}")
    lines.append(f"written to {runs[0].folder.parent}")
    return lines


def _figure(value: Any) -> str:
    if isinstance(value, tuple):  # an interval
        return "–".join(f"{end:.3f}" if abs(end) < 1e3 else f"{end:.2g}" for end in value)
    return f"{plain_number(value):>10}" if value is not None else f"{'-':>10}"


def plain_number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}"
