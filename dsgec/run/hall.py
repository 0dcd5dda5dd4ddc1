"""The hall of fame to a table, and back to models: accuracy against size."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from typing import Any

from dsgec.errors import DsgecError
from dsgec.export.artefact import identity_digest, model_id
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.description import header_identity
from dsgec.network.ir import check
from dsgec.network.model import Model, in_target_units
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import Size
from dsgec.plain_data import MOST_BYTES, is_count
from dsgec.run.record import network_scale
from dsgec.search.individual import Champion, CrossScore
from dsgec.search.measure import Figures, Measurer, Taken
from dsgec.search.objectives import OBJECTIVES
from dsgec.search.problem import Problem

_SIZES = ("connections", "neurons", "layers", "features")
_MOST_NETWORKS = 1_002  # as many sizes as are kept, and the best


@dataclass(frozen=True, slots=True)
class HallRow:
    """The best network of its number of connections or, where a cost is minimised, of its cost.

    `flash` and `cycles` are what its C takes of a chip, as far as that is known. `front` is whether
    no network that costs less is as good, where a cost is minimised. `validated` is its score in
    cross-validation, if it has one.
    """

    size: dict[str, int]
    score: float
    train: dict[str, float | None]
    test: dict[str, float | None]
    model_id: str
    phenotype: str
    threshold: float
    flash: int | None = None
    cycles: int | None = None
    front: bool = False
    validated: CrossScore | None = None

    def cost(self, what: str) -> int | None:
        """Its connections, flash or cycles."""
        return {**self.size, "flash": self.flash, "cycles": self.cycles}[what]

    @property
    def connections(self) -> int:
        return self.size["connections"]


def hall_text(
    problem: Problem,
    champions: Iterable[Champion],
    best: Champion,
    measurer: Measurer,
    *,
    is_chosen: bool = False,
) -> str:
    """hall_of_fame.csv: for each number of connections that are left, the best, by size; where a
    cost is minimised, for each cost.

    What was written in different sizes can be left with the same, so there can be fewer rows than
    champions. `best` is the best of the last generation, which may be too large to be a champion;
    one that `is_chosen` is there however good others of its size are.
    """
    everybody = (best, *champions)
    taken = measurer.costs([champion.phenotype for champion in everybody])
    found: dict[int, tuple[Champion, Size, str, Taken]] = {}
    for champion, cost in zip(everybody, taken, strict=True):
        size, text = measurer.describe(champion.phenotype)
        key = _minimised(problem, size, cost)
        rival = found.get(key)
        if rival is None or (
            champion.fitness < rival[0].fitness and not (is_chosen and rival[0] is best)
        ):
            found[key] = champion, size, text, cost
    dataset = problem.dataset
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    keys = sorted(found)
    rows = [found[key] for key in keys]
    phenotypes = [champion.phenotype for champion, *_ in rows]
    measured = measurer.figures(phenotypes)
    scores = (
        [problem.natural(champion.fitness) for champion, *_ in rows]
        if problem.is_fitness_read
        else measurer.scores(phenotypes)
    )
    has_thresholds = problem.threshold != DEFAULT_THRESHOLD
    has_validated = any(champion.validated for champion, *_ in rows)
    usual = [DEFAULT_THRESHOLD] * len(rows)
    thresholds = measurer.thresholds(phenotypes) if has_thresholds else usual
    around = {
        each: header_identity(dataset.inputs, dataset.classes, each) for each in {*thresholds}
    }
    rises = OBJECTIVES[problem.objective].rises
    on_front = front([*zip(keys, scores, strict=True)], rises=rises)
    for place, ((champion, size, text, cost), figures, score, threshold) in enumerate(
        zip(rows, measured, scores, thresholds, strict=True)
    ):
        written = problem.complete(champion.phenotype)
        identity = identity_digest(text + around[threshold])
        row = _row(champion, written, size, score, figures, identity)
        if not has_validated:
            del row["cv_score"], row["cv_error"]
        if has_thresholds:
            row["threshold"] = threshold
        row["flash"], row["cycles"] = cost or ("", "")
        if problem.minimises:
            row["front"] = int(place in on_front)
        if writer is None:
            writer = csv.DictWriter(out, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    return out.getvalue()


def picked_name(name: str, chosen: HallRow, rows: Sequence[HallRow]) -> str:
    """Return the name of a network's exports: with its id where others have as many connections."""
    alike = sum(row.connections == chosen.connections for row in rows)
    return f"{name}_{chosen.connections}" + (f"_{chosen.model_id[:6]}" if alike > 1 else "")


def _minimised(problem: Problem, size: Size, taken: Taken) -> int:
    """By what a network of the hall of fame is the best of its kind."""
    if not problem.has_prices:
        return size.connections
    assert taken is not None  # or the run would not have begun
    return taken[("flash", "cycles").index(problem.minimise)]


def front(points: Sequence[tuple[int, float | None]], *, rises: bool) -> list[int]:
    """The places of the points, a cost and a score, that nothing cheaper equals; by cost."""
    kept: list[int] = []
    sign = -1.0 if rises else 1.0
    best = math.inf
    known = [
        (cost, sign * score, at) for at, (cost, score) in enumerate(points) if score is not None
    ]
    for _, score, place in sorted(known):
        if score < best:
            best = score
            kept.append(place)
    return kept


def _row(
    champion: Champion, written: str, size: Size, score: float, figures: Figures, identity: str
) -> dict[str, Any]:
    sizes, validated = asdict(size), champion.validated
    metrics = {
        f"{part}_{name}": value for part, own in figures.items() for name, value in own.items()
    }
    return {
        **{name: sizes[name] for name in _SIZES},
        "written": champion.size,
        "fitness": champion.fitness,
        "score": score,
        "cv_score": validated.score if validated else "",
        "cv_error": validated.error if validated else "",
        **{
            name: "" if value is None or not math.isfinite(value) else value
            for name, value in metrics.items()
        },
        "model_id": identity,
        "phenotype": written,
    }


def parse_hall(text: str, source: str, metrics: Sequence[str] = ()) -> list[HallRow]:
    """The networks of hall_of_fame.csv, by size; a DsgecError where it is not that of a run."""
    csv.field_size_limit(MOST_BYTES)
    try:
        rows = csv.DictReader(io.StringIO(text), strict=True)
        found = [_parse_row(row, metrics) for row in islice(rows, _MOST_NETWORKS)]
    except (ValueError, KeyError, TypeError, AttributeError, csv.Error) as error:
        raise DsgecError(f"{source} is not the hall of fame of a run") from error
    if not found:
        raise DsgecError(f"{source} is not the hall of fame of a run")
    return sorted(found, key=lambda one: one.connections)


def _parse_row(row: dict[str, str], metrics: Sequence[str]) -> HallRow:
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
    threshold = float(row.get("threshold", DEFAULT_THRESHOLD))
    if not train.keys() & test.keys() >= {*metrics} or not math.isfinite(threshold):
        raise ValueError
    flash, cycles = (_cost(row.get(name) or "") for name in ("flash", "cycles"))
    return HallRow(
        *(sizes, score, train, test, row["model_id"], row["phenotype"], threshold),
        *(flash, cycles, row.get("front") == "1", _validated(row)),
    )


def _validated(row: dict[str, str]) -> CrossScore | None:
    """The score in cross-validation, which some networks have, and none of older runs."""
    if not row.get("cv_score"):
        return None
    score, error = float(row["cv_score"]), float(row["cv_error"])
    if not math.isfinite(score) or not 0.0 <= error < math.inf:
        raise ValueError
    return CrossScore(score, error)


def _cost(text: str) -> int | None:
    """A cost; older runs, and functions that are not in the table of prices, have none."""
    if not text:
        return None
    if not is_count(int(text)):
        raise ValueError
    return int(text)


def _figure(text: str) -> float | None:
    value = float(text) if text else math.nan
    return value if math.isfinite(value) else None


def hall_model(chosen: HallRow, record: dict[str, Any], best: Model, source: str) -> Model:
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
    network = check(simplify(in_target_units(written, network_scale(record))))
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
