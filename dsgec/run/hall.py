"""The hall of fame to a table, and back to models: accuracy against size."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from dsgec.codegen.artefact import identity_digest, model_id
from dsgec.errors import DsgecError
from dsgec.evolution.individual import Champion
from dsgec.evolution.measure import Figures, Measurer
from dsgec.evolution.problem import Problem
from dsgec.network.check import check
from dsgec.network.decide import USUAL_THRESHOLD
from dsgec.network.description import surroundings
from dsgec.network.measure import Size
from dsgec.network.model import Model
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.units import in_own_units
from dsgec.plain_data import MOST_BYTES, is_count
from dsgec.run.record import network_scale

_SIZES = ("connections", "neurons", "layers", "features")
_MOST_NETWORKS = 1_002  # as many sizes as are kept, and the best


@dataclass(frozen=True, slots=True)
class Famous:
    """The best network of its number of connections."""

    size: dict[str, int]
    score: float
    train: dict[str, float | None]
    test: dict[str, float | None]
    model_id: str
    phenotype: str
    threshold: float

    @property
    def connections(self) -> int:
        return self.size["connections"]


def hall_text(
    problem: Problem, champions: Iterable[Champion], best: Champion, measurer: Measurer
) -> str:
    """hall_of_fame.csv: for each number of connections that are left, the best, by size.

    What was written in different sizes can be left with the same, so there can be fewer rows than
    champions. `best` is the best of the last generation, which may be too large to be a champion.
    """
    found: dict[int, tuple[Champion, Size, str]] = {}
    for champion in (best, *champions):
        size, text = measurer.describe(champion.phenotype)
        rival = found.get(size.connections)
        if rival is None or champion.fitness < rival[0].fitness:
            found[size.connections] = champion, size, text
    dataset = problem.dataset
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    rows = [found[connections] for connections in sorted(found)]
    phenotypes = [champion.phenotype for champion, _, _ in rows]
    measured = measurer.figures(phenotypes)
    scores = (
        [problem.natural(champion.fitness) for champion, _, _ in rows]
        if problem.is_fitness_read
        else measurer.scores(phenotypes)
    )
    has_thresholds = problem.threshold != USUAL_THRESHOLD
    usual = [USUAL_THRESHOLD] * len(rows)
    thresholds = measurer.thresholds(phenotypes) if has_thresholds else usual
    for (champion, size, text), figures, score, threshold in zip(
        rows, measured, scores, thresholds, strict=True
    ):
        written = problem.complete(champion.phenotype)
        around = surroundings(dataset.inputs, dataset.classes, threshold)
        identity = identity_digest(text + around)
        row = _row(champion, written, size, score, figures, identity)
        if has_thresholds:
            row["threshold"] = threshold
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()


def _row(
    champion: Champion, written: str, size: Size, score: float, figures: Figures, identity: str
) -> dict[str, Any]:
    sizes = asdict(size)
    metrics = {
        f"{part}_{name}": value for part, own in figures.items() for name, value in own.items()
    }
    return {
        **{name: sizes[name] for name in _SIZES},
        "written": champion.size,
        "fitness": champion.fitness,
        "score": score,
        **{
            name: "" if value is None or not math.isfinite(value) else value
            for name, value in metrics.items()
        },
        "model_id": identity,
        "phenotype": written,
    }


def parse_hall(text: str, source: str, metrics: Sequence[str] = ()) -> list[Famous]:
    """The networks of hall_of_fame.csv, by size; a DsgecError where it is not that of a run."""
    csv.field_size_limit(MOST_BYTES)
    try:
        rows = csv.DictReader(io.StringIO(text), strict=True)
        found = [_famous(row, metrics) for row in islice(rows, _MOST_NETWORKS)]
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise DsgecError(f"{source} is not the hall of fame of a run") from error
    if not found:
        raise DsgecError(f"{source} is not the hall of fame of a run")
    return sorted(found, key=lambda one: one.connections)


def _famous(row: dict[str, str], metrics: Sequence[str]) -> Famous:
    sizes = {name: int(row[name]) for name in _SIZES}
    score = float(row["score"])
    # A line that ends too early leaves what is behind it None.
    if not (all(map(is_count, sizes.values())) and math.isfinite(score) and row["phenotype"]):
        raise ValueError
    train, test = (
        {
            name.removeprefix(f"{part}_"): _figure(value)
            for name, value in row.items()
            if name.startswith(f"{part}_")
        }
        for part in ("train", "test")
    )
    threshold = float(row.get("threshold", USUAL_THRESHOLD))
    if not train.keys() & test.keys() >= {*metrics} or not math.isfinite(threshold):
        raise ValueError
    return Famous(sizes, score, train, test, row["model_id"], row["phenotype"], threshold)


def _figure(text: str) -> float | None:
    value = float(text) if text else math.nan
    return value if math.isfinite(value) else None


def famous_model(chosen: Famous, record: dict[str, Any], best: Model, source: str) -> Model:
    """The model of a network of the hall of fame, by the record and the best model of its run."""
    grammar = record.get("grammar")
    form = grammar if isinstance(grammar, dict) else {}
    written = parse_phenotype(
        chosen.phenotype,
        layered=form.get("layered") is True,
        output="sigmoid" if form.get("output") == "sigmoid" else "",
        inputs=best.network.inputs,
        source=source,
    )
    network = check(simplify(in_own_units(written, network_scale(record))))
    # Of other networks no threshold is meant; then the model_id differs.
    threshold = chosen.threshold if len(best.classes) == 2 else best.threshold
    model = replace(best, network=network, threshold=threshold)
    if model_id(model) != chosen.model_id:
        raise DsgecError(
            f"in {source}, the network of {chosen.connections} connections does not match its"
            " model_id",
            "Has the file been changed? `dsgec evolve … --overwrite` makes it again.",
        )
    return model
