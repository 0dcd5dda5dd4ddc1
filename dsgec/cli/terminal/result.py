"""Print the result of a run, with its metrics, its front and how to use it."""

import shlex
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from dsgec.errors import clean, counted
from dsgec.folder import open_folder
from dsgec.manifest import BEST, CONFIG, EVIDENCE, HALL, HISTORY, NETWORK, PAGE, RECORD, TIMING
from dsgec.run.cost_text import cycles_text, ram_text, time_text
from dsgec.run.folder import read_hall
from dsgec.run.job import WrittenRun
from dsgec.run.record import RISING, ModelRecord, Proposal, ResultRecord, RunRecord
from dsgec.run.text_result import WrittenSearch
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.settings import NOTHING

MOST_CLASSES_SHOWN = 10
_FILES = (RECORD, CONFIG, HISTORY, HALL, NETWORK, TIMING, EVIDENCE, PAGE)
_WIDEST_LABEL = 12
_LONGEST_FORMULA = 1000
_MOST_OF_FRONT = 8
_UNITS = {"connections": "connections", "flash": "bytes of flash", "cycles": "cycles a row"}


def run_line(run: WrittenRun) -> str:
    """Return the line of one of several runs that has ended."""
    result, settings = run.record.result, run.record.settings
    main = next(iter(result.train))
    figures = "  ".join(
        f"{part} {main} {_figure(result.part(part)[main])}" for part in ("train", "test")
    )
    is_fold = settings.get("folds")
    which = f"fold {settings.get('fold', 0) + 1}" if is_fold else f"seed {settings['seed']}"
    return f"{which}  {result.objective} {plain_number(result.score)}  {figures}"


def result_lines(run: WrittenRun) -> list[str]:
    """Return the result of a run, and how to use it."""
    result = run.record.result
    parts = [
        f"{count} {key.removesuffix('s') if count == 1 else key}"
        for key, count in asdict(result.network).items()
        if count or not result.formula
    ]
    names = [path.name for path in run.files]
    perfect = OBJECTIVES[result.objective].perfect
    module = run.record.model.name
    return [
        f"best {result.kind}: {result.objective} {plain_number(result.score)} ({perfect} is"
        f" perfect){'; ' if parts else ''}{', '.join(parts)}",
        *_formula_lines(result),
        *_threshold_lines(run.record.model),
        *_validation_lines(result),
        *_metric_lines(result),
        *_integer_lines(result),
        *_comparison_lines(result),
        *_confusion_lines(run.record),
        *_decision_lines(result),
        *_front_lines(run),
        *_cost_lines(run.record),
        f"written to {clean(str(run.folder))}: {' '.join((*_FILES, *names))}",
        *_untested_lines(run),
        f"look at it: {clean(str(run.folder / PAGE))}",
        f"import it:  PYTHONPATH={shlex.quote(clean(str(run.folder)))} python -c "
        f'"import {module}; help({module})"',
        *_next_lines(run),
    ]


def _cost_lines(record: RunRecord) -> list[str]:
    """Return the cost of the network on a chip; runs of earlier versions have none."""
    cost = record.result.cost
    if not cost:
        return []
    own = cost.cost
    parts = ", ".join(filter(None, [f"about {own.flash:,} bytes of flash", ram_text(own)]))
    line = f"on a chip: {parts} and {cycles_text(own)} ({cost.chip}, {cost.dtype}, estimated)"
    rate = record.signal_rate
    times = [f"            {time_text(own, cost.chip, rate)}"] if rate else []
    return [clean(line), *map(clean, times)]


def _front_lines(run: WrittenRun) -> list[str]:
    """Return networks of the front, from the cheapest to the best; empty without a front."""
    settings, result = run.record.settings, run.record.result
    what = settings.get("minimise", NOTHING)
    if what == NOTHING:
        return _validated_lines(result)
    with open_folder(run.folder) as folder:
        front = [one for one in read_hall(folder) if one.front]
    front.sort(key=lambda one: one.cost(what) or 0)
    metric = next(iter(result.test))
    head = (_UNITS[what], result.objective, f"test {metric.replace('_', ' ')}")
    widths = [max(len(word), 9) + 2 for word in head]
    shown = _choose_evenly(front)
    some = f", {len(shown)} of them" if len(shown) < len(front) else ""
    title = f"front: {counted(len(front), 'network')} that no cheaper one is as good as{some}"
    if what != "connections" and "chip" in settings:
        title += f" ({settings['chip']}, {settings['dtype']})"
    rows = [head]
    for one in shown:
        test = one.test.get(metric)
        cells = (f"{one.cost(what):,}", f"{one.score:.4f}", "-" if test is None else f"{test:.4f}")
        rows.append(cells)
    return [
        title,
        *("".join(f"{c:>{width}}" for c, width in zip(row, widths, strict=True)) for row in rows),
    ]


def _validated_lines(result: ResultRecord) -> list[str]:
    """Return the front by cross-validation on the training rows; empty without one."""
    cost, found = result.cost, result.front
    if not found or not cost or result.validation is None:
        return []
    shown = _choose_evenly(found)
    shown += [one for one in found if one.recommended and one not in shown]
    measure = "R²" if result.validation.measure == RISING else clean(result.validation.measure)
    rows = [("connections", "bytes", f"train {result.objective}", f"cross-validated {measure}")]
    marks = [""]
    for one in sorted(shown, key=lambda one: (one.flash or 0, one.connections)):
        flash = "-" if one.flash is None else f"{one.flash:,}"
        validated = f"{one.validation:.4f} ± {one.error:.4f}"
        rows.append((str(one.connections), flash, f"{one.score:.4f}", validated))
        marks.append("  recommended" if one.recommended else "")
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    title = f"front, without the test rows ({cost.chip}, {cost.dtype}, estimated):"
    lines = [
        "".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) + mark
        for row, mark in zip(rows, marks, strict=True)
    ]
    return [clean(title), *lines]


_Row = TypeVar("_Row")


def _choose_evenly(front: Sequence[_Row]) -> list[_Row]:
    """Return a few networks of a front, evenly spaced, with the first and the last."""
    last = len(front) - 1
    if last < _MOST_OF_FRONT:
        return [*front]
    return [front[round(number * last / (_MOST_OF_FRONT - 1))] for number in range(_MOST_OF_FRONT)]


def _integer_lines(result: ResultRecord) -> list[str]:
    """Return in which number type the figures were measured, unless it is double precision."""
    if not result.is_of_integers or result.cost is None:
        return []
    return [clean(f"these are the figures of the exported integers, in {result.cost.dtype}")]


def _next_lines(run: WrittenRun) -> list[str]:
    """Return the command that exports the network for a chip, with its cost there."""
    chosen = run.record.result.proposed or run.record.result.cost
    if not chosen:
        return []
    words = ["dsgec", "export", str(run.folder), "--to", "c"]
    about = [f"{chosen.flash:,} bytes on {chosen.chip}"]
    if isinstance(chosen, Proposal):
        words += ["--pick", *chosen.pick]
        metric, value = next(iter(chosen.test.items()))
        about.insert(0, counted(chosen.connections, "connection"))
        of = chosen.dtype if run.record.result.is_of_integers else "double precision"
        score = f"test {metric.replace('_', ' ')} {plain_number(value or 0.0)} in {of}"
        about += [] if value is None else [score]
    if chosen.dtype != "double":
        words += ["--dtype", chosen.dtype]
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


def _formula_lines(result: ResultRecord) -> list[str]:
    """Return the formula of a run for one, unless it is too long to read."""
    formula = result.formula or ""
    return (
        [clean(line) for line in formula.splitlines()] if len(formula) <= _LONGEST_FORMULA else []
    )


def _threshold_lines(model: ModelRecord) -> list[str]:
    threshold = model.description.get("threshold")
    if threshold is None:  # it is 0.5
        return []
    label = clean(str(model.classes[1]))
    return [f"threshold: {label} is predicted at a probability of {threshold:.4g} or more"]


def _decision_lines(result: ResultRecord) -> list[str]:
    """Return what is unknown, and what smoothing changes; empty without settings for them."""
    lines = []
    if unknown := result.unknown:
        parts = [("training", unknown.train), ("test", unknown.test)]
        shares = [
            f"{one.unknown:.1%} of the {n} rows" for n, one in parts if one.unknown is not None
        ]
        rest = [f"{one.accuracy:.4f} ({n})" for n, one in parts if one.accuracy is not None]
        lines.append(
            f"unknown below a probability of {unknown.limit:.4g}: {' and '.join(shares)};"
            f" accuracy of the others {', '.join(rest)}"
        )
    if found := result.smoothing:
        lines.append(f"test windows, and the {counted(found.events, 'event')} that they are of:")
        for name, part in (("alone", found.alone), (f"{found.votes} votes", found.smoothed)):
            delay = "" if part.delay is None else f", right after {part.delay:.1f} windows"
            if found.seconds and part.delay is not None:
                delay += f" ({part.delay * found.seconds:.2g} s)"
            lines.append(
                f"  {name:<9} accuracy {part.windows:.4f} of windows, {part.events:.4f} of"
                f" events{delay}"
            )
    return lines


def _validation_lines(result: ResultRecord) -> list[str]:
    """Return how cross-validation chose the network; empty if it did not."""
    found = result.validation
    if found is None or found.score is None:
        return []
    measure = "R²" if found.measure == RISING else clean(found.measure)
    return [
        f"chosen from {counted(found.candidates, 'size')} by cross-validation on the training"
        f" rows: {measure} {found.score:.4f} ± {found.error:.4f}"
    ]


def _metric_lines(result: ResultRecord) -> list[str]:
    """Return a table of the metrics of the network and of the baselines."""
    names = [name.replace("_", " ") for name in result.train]
    rows: dict[str, Mapping[str, Any]] = {"train": result.train, "test": result.test}
    intervals = {name: result.test_interval(name) for name in result.test}
    if any(intervals.values()):
        rows["test, 95 % interval"] = intervals
    part = "test" if any(value is not None for value in result.test.values()) else "train"
    for baseline in result.baselines or ():
        rows[f"{part}, {baseline.name}"] = baseline.test if part == "test" else baseline.train
    first = max(map(len, rows)) + 1
    least = 13 if len(rows) > 2 else 10
    cells = [names, *([*map(_figure, values.values())] for values in rows.values())]
    widths = [max(least, max(map(len, column)) + 2) for column in zip(*cells, strict=True)]
    return [
        f"{row:<{first}}" + "".join(f"{c:>{w}}" for c, w in zip(figures, widths, strict=True))
        for row, figures in zip(("", *rows), cells, strict=True)
    ]


def _comparison_lines(result: ResultRecord) -> list[str]:
    verdict = []
    if comparison := result.comparison:
        test = comparison.significance
        verdict.append(f"the {result.kind} is {comparison.verdict}{test and f' ({test})'}")
    return [*map(clean, (*verdict, *(f"warning: {one}" for one in result.warnings or ())))]


def _confusion_lines(record: RunRecord) -> list[str]:
    """Return the confusion matrix of the test rows."""
    classes = [clean(str(label))[:_WIDEST_LABEL] for label in record.model.classes]
    counts = (record.result.confusion or {}).get("test", ())
    if not counts or len(classes) > MOST_CLASSES_SHOWN or not any(map(sum, counts)):
        return []
    width = max(6, *map(len, classes)) + 2
    lines = ["test rows by class, and what was predicted:"]
    lines.append(" " * width + "".join(f"{label:>{width}}" for label in classes))
    for label, row in zip(classes, counts, strict=True):
        lines.append(f"{label:>{width}}" + "".join(f"{count:>{width}}" for count in row))
    return lines


def summary_lines(runs: Sequence[WrittenRun], what: str = "runs") -> list[str]:
    """Return the mean and the standard deviation of each figure over several runs."""
    results = [run.record.result for run in runs]
    first = results[0]
    rows: dict[str, list[float | None]] = {first.objective: [result.score for result in results]}
    for part in ("train", "test"):
        for name in first.train:
            rows[f"{part} {name}"] = [result.part(part)[name] for result in results]
    for number, baseline in enumerate(first.baselines or ()):
        main = next(iter(baseline.test))
        rows[f"test {main}, {baseline.name}"] = [
            (result.baselines or ())[number].test[main] for result in results
        ]
    for name in asdict(first.network):
        rows[name] = [getattr(result.network, name) for result in results]
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
        return "–".join(f"{end:.3f}" if abs(end) < 1e3 else _whole(end) for end in value)
    return "-" if value is None else plain_number(value)


def _whole(value: float) -> str:
    return f"{value:.0f}" if abs(value) < 1e6 else f"{value:.3g}"


def plain_number(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 1e5 else f"{value:.3g}"


_SEARCH_FILES = (RECORD, HISTORY, HALL, BEST, TIMING, PAGE)
_MOST_LINES, _LONGEST_LINE, _MOST_FAILURES = 20, 200, 3


def search_lines(run: WrittenSearch) -> list[str]:
    """Return the best phenotype, its score and where everything is."""
    result, settings = run.result.result, run.result.record.settings
    goal = "maximised" if settings.get("maximise") else "minimised"
    lines = result.best.phenotype.split("\n")
    shown = [f"  {clean(line)[:_LONGEST_LINE]}" for line in lines[:_MOST_LINES]]
    if len(lines) > _MOST_LINES:
        shown.append(f"  … and {counted(len(lines) - _MOST_LINES, 'more line')}")
    found = [
        f"best phenotype: {plain_number(result.score)} ({goal}), {result.best.length:,} characters",
        *shown,
    ]
    if result.solved is not None:
        count = len(result.best.values or ())
        found.append(f"cases solved: {result.solved:,} of {count:,}")
    elif result.best.values:
        values = ", ".join(map(plain_number, result.best.values))
        found.append(f"its objectives: {values}; front: {counted(len(run.result.hall), 'text')}")
    found += [
        f"failures: {one.count:,} × {clean(one.reason)}; first `{clean(one.phenotype)[:80]}`"
        for one in result.failures[:_MOST_FAILURES]
    ]
    return [
        *found,
        f"written to {clean(str(run.folder))}: {' '.join(_SEARCH_FILES)}",
        f"look at it: {clean(str(run.folder / PAGE))}",
    ]
