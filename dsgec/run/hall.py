"""hall_of_fame.csv: the best network of each size that a run has seen, written and read."""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from dsgec.errors import DsgecError
from dsgec.export.artefact import identity_digest, model_id
from dsgec.network.cost.chips import Cost
from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.description import header_identity
from dsgec.network.ir import check
from dsgec.network.model import Model, in_target_units
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import simplify
from dsgec.network.structure import Size
from dsgec.plain_data import MOST_BYTES, csv_text, is_count
from dsgec.run.record import RunRecord
from dsgec.search.individual import Champion, CrossScore
from dsgec.search.models import complete_phenotype, make_model
from dsgec.search.objectives import OBJECTIVES

if TYPE_CHECKING:  # a folder is read without what makes one
    from dsgec.search.measure import Measurement, Measurer
    from dsgec.search.problem import Problem

_SIZES = ("connections", "neurons", "layers", "features")
_MOST_NETWORKS = 1_002  # as many sizes as are kept, and the best


@dataclass(frozen=True, slots=True)
class HallRow:
    """The best network of its number of connections or, where a cost is minimised, of its cost.

    `flash` and `cycles` are the estimated cost of its C, if it is known. `front` is whether no
    cheaper network is as good, where a cost is minimised. `validated` is its score in
    cross-validation, if it has one. A row is of no class below the probability `unknown`.
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
    unknown: float | None = None

    def cost(self, what: str) -> int | None:
        """Return its `connections`, `flash` or `cycles`."""
        return {**self.size, "flash": self.flash, "cycles": self.cycles}[what]

    @property
    def connections(self) -> int:
        return self.size["connections"]


@dataclass(frozen=True, slots=True)
class _Candidate:
    champion: Champion
    size: Size
    text: str
    cost: Cost | None


def hall_text(
    problem: "Problem",
    champions: Iterable[Champion],
    best: Champion,
    measurer: "Measurer",
    *,
    is_chosen: bool = False,
) -> str:
    """Return the text of hall_of_fame.csv: the best network of each size or cost, by size or cost.

    Champions of different sizes can be simplified to the same size, so there can be fewer rows
    than champions. `best` is the best of the last generation, which may be too large to be a
    champion; if it `is_chosen`, it is there however good others of its size are.
    """
    found = _best_by_cost(problem, (best, *champions), measurer, keep=best if is_chosen else None)
    costs, rows = zip(*sorted(found.items()), strict=True)
    measured = [measurer.measure(row.champion.phenotype) for row in rows]
    scores = (
        [problem.as_score(row.champion.fitness) for row in rows]
        if problem.has_plain_fitness
        else [one.score for one in measured]
    )
    columns, classes = problem.dataset.inputs, problem.dataset.classes
    is_changed = problem.dataset.windows is not None or bool(problem.unknown)
    thresholds = set() if is_changed else {one.threshold for one in measured}
    headers = {each: header_identity(columns, classes, each) for each in thresholds}
    on_front = front(
        [*zip((cost for cost, _ in costs), scores, strict=True)],
        OBJECTIVES[problem.objective].rises,
    )
    has_validated = any(row.champion.validated for row in rows)
    lines = []
    for place, (row, one) in enumerate(zip(rows, measured, strict=True)):
        lines.append(
            {
                **{name: getattr(row.size, name) for name in _SIZES},
                "written": row.champion.size,
                "fitness": row.champion.fitness,
                "score": scores[place],
                **(_validation_cells(row.champion) if has_validated else {}),
                **_metric_cells(one.figures),
                "model_id": _exported_id(problem, row.champion.phenotype, one)
                if is_changed
                else identity_digest(row.text + headers[one.threshold]),
                "phenotype": complete_phenotype(problem, row.champion.phenotype),
                **({"threshold": one.threshold} if problem.has_own_threshold else {}),
                **({} if one.unknown is None else {"unknown": one.unknown}),
                "flash": row.cost.flash if row.cost else "",
                "cycles": row.cost.cycles if row.cost else "",
                **({"front": int(place in on_front)} if problem.cost.is_minimised else {}),
            }
        )
    return csv_text([*lines[0]], ([line[name] for name in lines[0]] for line in lines))


def _exported_id(problem: "Problem", phenotype: str, one: "Measurement") -> str:
    """Return the id of a model that is exported with other classes or features."""
    model = make_model(problem, phenotype)
    return model_id(replace(model, threshold=one.threshold, unknown=one.unknown))


def _best_by_cost(
    problem: "Problem", champions: Sequence[Champion], measurer: "Measurer", keep: Champion | None
) -> dict[tuple[int, str], _Candidate]:
    """Return the best champion of each size, or of each cost that is minimised.

    Those that were cross-validated stay beside others of their size.
    """
    found: dict[tuple[int, str], _Candidate] = {}
    for champion in champions:
        size, text = measurer.describe(champion.phenotype)
        cost = measurer.cost(champion.phenotype)
        key = _hall_key(problem, size, cost), text if champion.validated else ""
        rival = found[key].champion if key in found else None
        if rival is None or (champion.fitness < rival.fitness and rival is not keep):
            found[key] = _Candidate(champion, size, text, cost)
    return found


def _hall_key(problem: "Problem", size: Size, cost: Cost | None) -> int:
    if not problem.cost.has_prices:
        return size.connections
    assert cost is not None  # or the run would not have begun
    value: int = getattr(cost, problem.cost.minimise)
    return value


def _validation_cells(champion: Champion) -> dict[str, Any]:
    own = champion.validated
    return {"cv_score": own.score if own else "", "cv_error": own.error if own else ""}


def _metric_cells(figures: dict[str, dict[str, float | None]]) -> dict[str, Any]:
    return {
        f"{part}_{name}": "" if value is None or not math.isfinite(value) else value
        for part, own in figures.items()
        for name, value in own.items()
    }


def front(points: Sequence[tuple[int, float | None]], rises: bool) -> list[int]:
    """Return the places of the points (cost, score) that no cheaper one equals, by cost."""
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


def parse_hall(text: str, source: str, metrics: Sequence[str] = ()) -> list[HallRow]:
    """Return the networks of hall_of_fame.csv, by size; raise a DsgecError if it is damaged."""
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
            name.removeprefix(f"{part}_"): _metric(value)
            for name, value in row.items()
            if name.startswith(f"{part}_")
        }
        for part in ("train", "test")
    )
    threshold = float(row.get("threshold", DEFAULT_THRESHOLD))
    if not train.keys() & test.keys() >= {*metrics} or not math.isfinite(threshold):
        raise ValueError
    unknown = float(row["unknown"]) if row.get("unknown") else None
    if unknown is not None and not 0.0 <= unknown <= 1.0:
        raise ValueError
    flash, cycles = (_cost(row.get(name) or "") for name in ("flash", "cycles"))
    return HallRow(
        *(sizes, score, train, test, row["model_id"], row["phenotype"], threshold),
        *(flash, cycles, row.get("front") == "1", _read_cross_score(row), unknown),
    )


def _read_cross_score(row: dict[str, str]) -> CrossScore | None:
    """Return the score in cross-validation, which only some networks have."""
    if not row.get("cv_score"):
        return None
    score, error = float(row["cv_score"]), float(row["cv_error"])
    if not math.isfinite(score) or not 0.0 <= error < math.inf:
        raise ValueError
    return CrossScore(score, error)


def _cost(text: str) -> int | None:
    """Return a cost, or None for runs of earlier versions and functions without a price."""
    if not text:
        return None
    if not is_count(int(text)):
        raise ValueError
    return int(text)


def _metric(text: str) -> float | None:
    value = float(text) if text else math.nan
    return value if math.isfinite(value) else None


def hall_model(chosen: HallRow, record: RunRecord, best: Model, source: str) -> Model:
    """Return the model of a row, given the record and the best model of its run.

    Raise a DsgecError if its phenotype does not give the network of its model_id.
    """
    phenotype = parse_phenotype(
        chosen.phenotype,
        layered=record.grammar.layered is True,
        output="sigmoid" if record.grammar.output == "sigmoid" else "",
        inputs=best.network.inputs,
        source=source,
    )
    network = check(simplify(in_target_units(phenotype, record.network_scale)))
    # With more or fewer classes than two there is no threshold; then the model_id differs.
    threshold = chosen.threshold if len(best.classes) == 2 else best.threshold
    model = replace(best, network=network, threshold=threshold, unknown=chosen.unknown)
    if model_id(model) != chosen.model_id:
        raise DsgecError(
            f"in {source}, the network of {chosen.connections} connections does not match its"
            " model_id",
            "Has the file been changed? `dsgec evolve … --overwrite` makes it again.",
        )
    return model
