"""A study: the parts that are run, as cells, and the tables that compare them."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.search.settings import Settings


@dataclass(frozen=True, slots=True)
class Data:
    """A table: its name in the study, its file, the label of its columns, and how it is read.

    With a `fitness`, it is a problem of any texts instead: `module:function`, or a shipped one.
    """

    name: str
    file: str
    target: str | None
    label: str
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    fitness: str = ""


@dataclass(frozen=True, slots=True)
class StudyGrammar:
    """A grammar: its name in the study, and its file; without a file, each problem has its own."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class StudyPart:
    """Every representation with every grammar on every table.

    The settings of a representation leave out what differs between runs: generations and seed.
    """

    name: str
    representations: tuple[str, ...]
    grammars: tuple[StudyGrammar, ...]
    data: tuple[Data, ...]
    generations: tuple[int, ...]
    """For each table."""
    settings: tuple[tuple[Settings, ...], ...]
    """For each table, for each representation."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row of each measure of a table: the runs of one representation and grammar of one part.

    Only runs whose best network has at least so many `layers` count. `against` is the label of the
    row that it is compared with, if any.
    """

    label: str
    part: str
    representation: str
    grammar: str
    layers: int = 0
    against: str = ""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table to be made, and the names of the data sets that a figure is drawn of."""

    name: str
    title: str
    rows: tuple[Row, ...]
    data: tuple[Data, ...]
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PrintedFigure:
    """A figure that was printed elsewhere, such as in the paper, to be put beside ours."""

    table: str
    measure: str
    row: str
    data: str
    text: str


@dataclass(frozen=True, slots=True)
class Quick:
    """The runs and generations of `--quick`."""

    runs: int = 5
    generations: int = 50


@dataclass(frozen=True, slots=True)
class Study:
    """A whole study; `shortened` is a sentence on what `--quick` has left of it."""

    name: str
    runs: int
    seed: int
    quick: Quick
    parts: tuple[StudyPart, ...]
    tables: tuple[TablePlan, ...]
    printed: tuple[PrintedFigure, ...] = ()
    shortened: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study."""

    part: str
    grammar: StudyGrammar
    data: Data
    settings: Settings


def shorten(study: Study) -> Study:
    """Return the study that `--quick` runs, with fewer runs and generations."""
    runs = min(study.runs, study.quick.runs)
    parts = tuple(
        replace(part, generations=tuple(min(g, study.quick.generations) for g in part.generations))
        for part in study.parts
    )
    most = max(generation for part in study.parts for generation in part.generations)
    return replace(
        study,
        runs=runs,
        parts=parts,
        shortened=(
            f"A quick look: {runs} {'run' if runs == 1 else 'runs'} of at most"
            f" {study.quick.generations} generations,"
            f" instead of {study.runs} runs of up to {most}. These are not the study's results."
        ),
    )


def cells(study: Study) -> Iterator[Cell]:
    """Yield the cell of every run, seed by seed, so that one of each kind is run first."""
    for number in range(study.runs):
        for part in study.parts:
            kinds = zip(part.data, part.generations, part.settings, strict=True)
            for data, generations, each in kinds:
                for grammar in part.grammars:
                    file = grammar.file or data.fitness.rpartition(":")[0]
                    for settings in each:
                        own = replace(settings, generations=generations, seed=study.seed + number)
                        yield Cell(part.name, replace(grammar, file=file), data, own)


def default_tables(parts: tuple[StudyPart, ...]) -> tuple[TablePlan, ...]:
    """Return the tables of a study that does not define any.

    Each part has a table for each grammar with the representations as rows or, with a single
    representation, one table with the grammars as rows. A row is compared with the one above.
    """
    plans = []
    for part in parts:
        names = [grammar.name for grammar in part.grammars]
        if len(part.representations) == 1:
            (only,) = part.representations
            plans.append(_table_plan(part, part.name, [(name, only, name) for name in names]))
            continue
        for name in names:
            title = part.name if len(names) == 1 else f"{part.name}, {name}"
            plans.append(
                _table_plan(part, title, [(e.upper(), e, name) for e in part.representations])
            )
    return tuple(plans)


def _table_plan(part: StudyPart, title: str, choices: list[tuple[str, str, str]]) -> TablePlan:
    above = ["", *(label for label, _, _ in choices)]
    rows = tuple(
        Row(label, part.name, representation, grammar, against=before)
        for (label, representation, grammar), before in zip(choices, above, strict=False)
    )
    return TablePlan(title, title, rows, part.data, tuple(d.name for d in part.data))
