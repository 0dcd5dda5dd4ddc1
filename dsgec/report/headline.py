"""A run to what its page says first: figures, baselines beside them, the verdict and warnings."""

from dataclasses import dataclass
from typing import Any

from dsgec.drawing.scales import figure
from dsgec.errors import counted
from dsgec.report.figures import metric_label
from dsgec.run.compared import chance
from dsgec.run.result import Result

_HEADLINES = {"rmse": ("r2", "rmse")}
_OWN = "this network"


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
    size, data = run.result["network"], run.record["data"]
    found = []
    for part, words in (("test", "test"), ("train", "training")):
        rows = f"of {counted(data[f'{part}_rows'], f'{words} row')}"
        found += [
            (f"{part} {metric_label(name)}", figure(run.result[part][name]), rows)
            for name in headlines(run)
            if run.result[part][name] is not None
        ]
    validated = run.result.get("validation", {})
    if "score" in validated:
        label = metric_label(validated["measure"])
        value = f"{figure(validated['score'])} ± {figure(validated['error'])}"
        rows = counted(validated["rows"], "held-out training row")
        found.append((f"cross-validated {label}", value, f"of {rows}"))
    layers = size["layers"]
    where = f"in {counted(layers, 'layer')}" if layers else "no hidden layer"
    found.append(("neurons", f"{size['neurons']:,}", where))
    found.append(("connections", f"{size['connections']:,}", "weights that count"))
    found.append(("features", f"{read:,}", f"of {len(run.model.columns):,} are read"))
    return found


def headlines(run: Result) -> tuple[str, ...]:
    """The metrics that come first: the main one, and beside an RMSE the R²."""
    main = run.metrics[0]
    return tuple(name for name in _HEADLINES.get(main, (main,)) if name in run.metrics)


def rivals(run: Result) -> Rivals | None:
    """The comparison with the baselines, if the run has any."""
    baselines: list[dict[str, Any]] = run.result.get("baselines", [])
    if not baselines:
        return None
    part = "test" if run.record["data"]["test_rows"] else "train"
    models = [{"name": _OWN, **run.result}, *reversed(baselines)]
    return Rivals(
        tuple(f"{part} {metric_label(name)}" for name in headlines(run)),
        tuple(
            Rival(
                model["name"],
                tuple(figure(model[part].get(name)) for name in headlines(run)),
                model["name"] == _OWN,
            )
            for model in models
        ),
    )


def verdict(run: Result) -> tuple[str, str]:
    """How the network compares, in a sentence, and the test behind it."""
    found = run.result.get("comparison")
    if not found:
        return "", ""
    return f"The network is {found['verdict']}", chance(found).replace(" ", "\u00a0")
