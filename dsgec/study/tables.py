"""Make tables of results in the paper's layout: a block of rows for each measure."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from dsgec.search.problem import make_learning
from dsgec.study.definition import Cell, Data, PrintedFigure, Row, Study, TablePlan
from dsgec.study.printed import mean_and_deviation
from dsgec.study.results import CellResult, Results
from dsgec.study.statistics import SampleSummary, compare, mark, sample

Chosen = dict[tuple[Row, Data], tuple[CellResult, ...]]
_Kinds = dict[tuple[Row, Data], list[tuple[Cell, CellResult]]]


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of a run; `better` is 1 if more is better, -1 if less is, 0 if neither."""

    name: str
    group: str
    label: str
    better: int


MEASURES = (
    Measure("fitness", "", "Fitness", -1),
    Measure("train solved", "", "Success rate", 1),
    *(
        Measure(f"{part} {name}", part.capitalize(), label, better)
        for part in ("train", "test")
        for name, label, better in (
            ("rmse", "RMSE", -1),
            ("mae", "MAE", -1),
            ("r2", "R²", 1),
            ("accuracy", "Accuracy", 1),
            ("auroc", "AUROC", 1),
            ("f1", "F-measure", 1),
        )
    ),
    Measure("layers", "", "Num. H-Ls", 0),
    Measure("neurons", "", "Num. Neurons", 0),
    Measure("features", "", "Num. Features", 0),
)


@dataclass(frozen=True, slots=True)
class TableLine:
    """A row of a measure; an entry is the text, the mark and the printed figure of a data set."""

    label: str
    entries: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class TableBlock:
    """A measure with its rows."""

    group: str
    measure: str
    lines: tuple[TableLine, ...]


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table as it is to be printed; `columns` are the labels of its data sets."""

    name: str
    title: str
    columns: tuple[str, ...]
    has_printed: bool
    blocks: tuple[TableBlock, ...]
    notes: tuple[str, ...]


def make_table(study: Study, plan: TablePlan, results: Results) -> ResultTable:
    """Compute the table of a plan from the results of a study."""
    printed = {(p.measure, p.row, p.data): p for p in study.printed if p.table == plan.name}
    chosen = choose_runs(plan, results)
    by_label = {row.label: row for row in plan.rows}
    blocks = []
    for measure in measures_of(chosen):
        lines = []
        for row in plan.rows:
            other = by_label.get(row.against)
            entries = []
            for data in plan.data:
                ours = figures(chosen[row, data], measure)
                theirs = figures(chosen[other, data], measure) if other else ()
                signs = mark(compare(ours, theirs), measure.better) if other else ""
                known = printed.get((measure.name, row.label, data.name))
                plain = any(o.task == "regression" for o in chosen[row, data])
                text = _text(sample(ours), significant_digits=plain)
                entries.append((text, signs, known.text if known else ""))
            lines.append(TableLine(row.label, tuple(entries)))
        blocks.append(TableBlock(measure.group, measure.label, tuple(lines)))
    columns = tuple(data.label for data in plan.data)
    others = {row for row, _ in _incomparable_rows(plan, _kinds(plan, results))}
    notes = (*_notes(study, plan, chosen, others), *_distances(plan, chosen, printed))
    return ResultTable(plan.name, plan.title, columns, bool(printed), tuple(blocks), notes)


def figures(outcomes: Sequence[CellResult], measure: Measure) -> tuple[float, ...]:
    """Return a figure of each run that has it."""
    values = (outcome.figure(measure.name) for outcome in outcomes)
    return tuple(float(value) for value in values if value is not None)


def choose_runs(plan: TablePlan, results: Results) -> Chosen:
    """Return the runs of each row on each data set.

    Runs that minimise something else than the first row lose their fitness, which could not be
    compared.
    """
    kinds = _kinds(plan, results)
    others = _incomparable_rows(plan, kinds)
    return {
        (row, data): tuple(
            replace(outcome, fitness=None, changes=((0, None),))
            if (row, data) in others
            else outcome
            for _, outcome in runs
            if outcome.sizes.get("layers", 0) >= row.layers
        )
        for (row, data), runs in kinds.items()
    }


def _kinds(plan: TablePlan, results: Results) -> _Kinds:
    """Return all runs of each row on each data set."""
    kinds: defaultdict[tuple[str, ...], list[tuple[Cell, CellResult]]] = defaultdict(list)
    for cell, outcome in results.items():
        kind = (cell.part, cell.settings.representation, cell.grammar.name, cell.data.name)
        kinds[kind].append((cell, outcome))
    return {
        (row, data): kinds[row.part, row.representation, row.grammar, data.name]
        for row in plan.rows
        for data in plan.data
    }


def _incomparable_rows(plan: TablePlan, kinds: _Kinds) -> set[tuple[Row, Data]]:
    """Return the rows and data sets whose runs minimise something else than the first row."""
    found = set()
    for data in plan.data:
        aims = {
            row: {_minimised_terms(*run) for run in kinds[row, data] if not run[1].fault}
            for row in plan.rows
        }
        first = next((aim for aim in aims.values() if aim), set())
        found |= {(row, data) for row, aim in aims.items() if aim - first}
    return found


def _minimised_terms(cell: Cell, outcome: CellResult) -> tuple[str, float, float]:
    """Return the objective of a run, and its penalties on weights and connections."""
    if cell.data.fitness:
        return outcome.objective, 0.0, 0.0
    learning = make_learning(cell.settings, 1)
    penalties = (learning.penalty, learning.parsimony) if learning else (0.0, 0.0)
    return outcome.objective, *penalties


def measures_of(chosen: Chosen) -> list[Measure]:
    """Return the measures that some run has; layers of 0 or 1 and neurons of 0 are left out."""
    every = [outcome for outcomes in chosen.values() for outcome in outcomes]
    kept = []
    for measure in MEASURES:
        is_size = measure.name in ("layers", "neurons", "features")
        sized = [outcome for outcome in every if outcome.task != "fitness"] if is_size else every
        values = set(figures(sized, measure))
        dull = {"layers": ({0.0}, {1.0}, {0.0, 1.0}), "neurons": ({0.0},)}.get(measure.name, ())
        if values and values not in dull:
            kept.append(measure)
    return kept


def _text(described: SampleSummary, *, significant_digits: bool) -> str:
    """Return mean ± deviation, with the paper's decimals or with three significant digits."""
    if not described.values:
        return "–"
    parts = [described.mean] + [described.deviation] * (len(described.values) > 1)
    return " ± ".join(f"{p:.3g}" if significant_digits else _number(p) for p in parts)


def _number(value: float) -> str:
    size = abs(value)
    if size >= 1e5:
        return f"{value:.2e}"
    # 9.996 is 10.0 to three digits.
    return f"{value:.2f}" if size < 9.995 else f"{value:.1f}" if size < 99.95 else f"{value:.0f}"


def _notes(study: Study, plan: TablePlan, chosen: Chosen, others: Collection[Row]) -> Iterator[str]:
    if study.shortened:
        yield study.shortened
    counts = {(row, data): len(runs) for (row, data), runs in chosen.items()}
    most = max(counts.values(), default=0)
    kind = "phenotype" if all(data.fitness for data in plan.data) else "network"
    yield (
        f"Mean ± standard deviation of the best {kind} of each of {most} runs, seeds"
        f" {study.seed} to {study.seed + study.runs - 1}."
    )
    if others:
        labels = ", ".join(row.label for row in plan.rows if row in others)
        yield (
            f"Fitness is what {plan.rows[0].label} minimises. Not comparable, because something"
            f" else is minimised: {labels}."
        )
    for row in plan.rows:
        own = [counts[row, data] for data in plan.data]
        if any(count != most for count in own):
            words = ", ".join(
                f"{count} ({data.label})" for count, data in zip(own, plan.data, strict=True)
            )
            yield f"Runs that count for {row.label}: {words}."
    for (row, data), runs in chosen.items():
        if failed := sum(bool(outcome.fault) for outcome in runs):
            yield (
                f"{failed} of {len(runs)} runs of {row.label} on {data.label} had no valid"
                " individual to begin with, and count in no figure."
            )
        elif lacking := [
            f"{measure.group} {measure.label}".strip()
            for measure in measures_of(chosen)
            if 0 < len(figures(runs, measure)) < len(runs)
        ]:
            yield f"Not defined for every run of {row.label} on {data.label}: {', '.join(lacking)}."
    yield from _rivals(plan, chosen)
    pairs = [f"{row.label} with {row.against}" for row in plan.rows if row.against]
    if pairs:
        yield (
            f"Signs compare {', '.join(pairs)} by Mann-Whitney U (two-sided, 0.05): ~ no"
            " difference; + ++ +++ better with a small (r ≥ 0.1), medium (≥ 0.3), large (≥ 0.5)"
            " effect; - -- --- worse."
        )


def _rivals(plan: TablePlan, chosen: Chosen) -> Iterator[str]:
    """Yield a sentence on each data set with the scores of the models to compare with."""
    for data in plan.data:
        runs = (outcome for row in plan.rows for outcome in chosen[row, data])
        rivals = next((outcome.rivals for outcome in runs if outcome.rivals), ())
        for measure in ("accuracy", "r2"):
            words = [
                f"{name} {_number(figure)}"
                for name, test in rivals
                if (figure := test.get(measure)) is not None
            ]
            if words:
                name = {"accuracy": "accuracy", "r2": "R²"}[measure]
                yield f"Test {name} of other models on {data.label}: {', '.join(words)}."


def _distances(
    plan: TablePlan,
    chosen: Chosen,
    printed: dict[tuple[str, str, str], PrintedFigure],
) -> Iterator[str]:
    """Yield how far our mean fitness is from the printed one, in printed standard deviations."""
    for row in plan.rows:
        words = []
        for data in plan.data:
            known = printed.get((MEASURES[0].name, row.label, data.name))
            ours = sample(figures(chosen[row, data], MEASURES[0]))
            if known and ours.values:
                mean, deviation = mean_and_deviation(known.text)
                if deviation:
                    words.append(f"{data.label} {(ours.mean - mean) / deviation:+.1f}")
        if words:
            yield (
                f"Mean fitness of {row.label} less the printed one, in printed standard deviations:"
                f" {', '.join(words)}."
            )
