"""What a study is: parts that are run, and tables that compare them."""

from dataclasses import dataclass, field, replace

from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.search.settings import Settings


@dataclass(frozen=True, slots=True)
class Data:
    """A table of data: what the study calls it, where it is, what its columns are headed by, how it
    is read and what is made of its columns."""

    name: str
    file: str
    target: str | None
    label: str
    reading: ReadingOptions = field(default_factory=ReadingOptions)
    preprocessing: Preprocessing = field(default_factory=Preprocessing)


@dataclass(frozen=True, slots=True)
class StudyGrammar:
    """A grammar: what the study calls it, and where it is."""

    name: str
    file: str


@dataclass(frozen=True, slots=True)
class StudyPart:
    """Every representation with every grammar on every table.

    `settings` are those of each representation, without what differs between runs: generations and
    seed.
    """

    name: str
    representations: tuple[str, ...]
    grammars: tuple[StudyGrammar, ...]
    data: tuple[Data, ...]
    generations: tuple[int, ...]
    """For each table."""
    settings: tuple[Settings, ...]
    """For each representation."""


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
class Printed:
    """A figure that was printed elsewhere, beside which ours is put."""

    table: str
    measure: str
    row: str
    data: str
    text: str


@dataclass(frozen=True, slots=True)
class Quick:
    """What a quick look makes of a study."""

    runs: int = 5
    generations: int = 50


@dataclass(frozen=True, slots=True)
class Study:
    """`shortened` says what a quick look has left of it."""

    name: str
    runs: int
    seed: int
    quick: Quick
    parts: tuple[StudyPart, ...]
    tables: tuple[TablePlan, ...]
    printed: tuple[Printed, ...] = ()
    shortened: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a study."""

    part: str
    grammar: StudyGrammar
    data: Data
    settings: Settings


def shorten(study: Study) -> Study:
    """The study with fewer runs and generations."""
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
