"""The result of a run to the lines that a person reads when it has ended."""

import shlex
import statistics
from collections.abc import Sequence
from typing import Any

from dsgec.cli.terminal.front import front_lines
from dsgec.errors import clean, counted
from dsgec.manifest import CONFIG, EVIDENCE, HALL, HISTORY, NETWORK, PAGE, RECORD, TIMING
from dsgec.run.compared import chance
from dsgec.run.job import WrittenRun
from dsgec.run.record import test_interval
from dsgec.run.validation import RISING
from dsgec.search.objectives import OBJECTIVES

MOST_CLASSES_SHOWN = 10
_FILES = (RECORD, CONFIG, HISTORY, HALL, NETWORK, TIMING, EVIDENCE, PAGE)
_WIDEST_LABEL = 12
_LONGEST_FORMULA = 1000


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
        score = f"test {metric.replace('_', ' ')} {plain_number(value or 0.0)} in double precision"
        about += [] if value is None else [score]
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
    if not counts or len(classes) > MOST_CLASSES_SHOWN or not any(map(sum, counts)):
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
