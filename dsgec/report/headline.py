"""A run to what its page says first: figures, baselines beside them, the verdict and warnings."""

from dataclasses import dataclass

from dsgec.errors import counted
from dsgec.report.figures import metric_label
from dsgec.report.scales import figure
from dsgec.run.record import BaselineFigures
from dsgec.run.result import Result

_HEADLINES = {"rmse": ("r2", "rmse")}


@dataclass(frozen=True, slots=True)
class Rival:
    """A row of the comparison: a model, and its figures in the order of the columns."""

    name: str
    figures: tuple[str, ...]
    own: bool


@dataclass(frozen=True, slots=True)
class Rivals:
    """The network and the baselines, by the metrics that come first."""

    head: tuple[str, ...]
    rows: tuple[Rival, ...]


def tiles(run: Result, read: int) -> list[tuple[str, str, str]]:
    """The figures that come first: a name, a number, and what it is of."""
    size, data = run.result.network, run.record.data
    found = []
    for part, count, words in (
        ("test", data.test_rows, "test row"),
        ("train", data.train_rows, "training row"),
    ):
        rows = f"of {counted(count, words)}"
        for name in headlines(run):
            value = run.result.part(part)[name]
            if value is None:
                continue
            interval = run.result.test_interval(name) if part == "test" else None
            about = rows
            if interval is not None:
                about = f"95\u00a0%: {figure(interval[0])} to {figure(interval[1])}, {rows}"
            found.append((f"{part} {metric_label(name)}", figure(value), about))
    validated = run.result.validation
    if validated is not None and validated.score is not None:
        label = metric_label(validated.measure)
        about = f"± {figure(validated.error)}, of {validated.rows:,} held-out training rows"
        found.append((f"cross-validated {label}", figure(validated.score), about))
    layers = size.layers
    if run.result.kind == "network":
        neurons = f"{counted(size.neurons, 'neuron')} in {counted(layers, 'layer')}"
        about = f"weights of {neurons}" if layers else "weights, no hidden layer"
        found.append(("connections", f"{size.connections:,}", about))
    else:
        found.append(("connections", f"{size.connections:,}", "mentions of features"))
    found.append(("features", f"{read:,}", f"of {len(run.model.columns):,} are read"))
    if cost := run.result.cost:
        about = f"bytes and {cost.cycles:,} cycles a row on {cost.chip}, {cost.dtype}"
        found.append(("flash (estimated)", f"{cost.flash:,}", about))
    return found


def headlines(run: Result) -> tuple[str, ...]:
    """The metrics that come first: the main one, and beside an RMSE the R²."""
    main = run.metrics[0]
    return tuple(name for name in _HEADLINES.get(main, (main,)) if name in run.metrics)


def rivals(run: Result) -> Rivals | None:
    """The comparison with the baselines, if the run has any."""
    result = run.result
    if not result.baselines:
        return None
    part = "test" if run.record.data.test_rows else "train"
    own = f"this {result.kind}"
    models = [BaselineFigures(own, result.train, result.test), *reversed(result.baselines)]
    return Rivals(
        tuple(f"{part} {metric_label(name)}" for name in headlines(run)),
        tuple(
            Rival(
                model.name,
                tuple(figure(getattr(model, part).get(name)) for name in headlines(run)),
                model.name == own,
            )
            for model in models
        ),
    )


def verdict(run: Result) -> tuple[str, str]:
    """How the network compares, in a sentence, and the test behind it."""
    found = run.result.comparison
    if not found:
        return "", ""
    return f"The {run.result.kind} is {found.verdict}", found.evidence.replace(" ", "\u00a0")
