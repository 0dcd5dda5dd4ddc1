"""Options that say how a table is read and what its columns are, the same for every command."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from dsgec.cli.options import Command, collecting
from dsgec.data.plan import CONSTANT_WAYS, DEFAULT, MISSING_WAYS, SCALES, TASKS, Plan
from dsgec.errors import DsgecError

if TYPE_CHECKING:
    from dsgec.data.ir import Dataset, Table

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blank": " ", "space": " "}
_READING = (
    click.option("--separator", metavar="SIGN", help="Between cells: `;`, tab, blank …"),
    click.option("--quote", metavar="SIGN", help="Around texts; default: found out."),
    click.option("--decimal", type=click.Choice([".", ","]), help="Default: found out."),
    click.option("--encoding", help="Such as utf-8, cp1252, utf-16; default: found out."),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line has the names."
    ),
)
_COLUMNS = (
    click.option(
        "--target", metavar="COLUMN", help="The target, by name or number; default: the last."
    ),
    click.option(
        "--ignore",
        metavar="COLUMN",
        multiple=True,
        help="Leave it out; can be given again.",
    ),
    click.option(
        "--task",
        type=click.Choice(TASKS),
        help="Default: by what the target holds.",
    ),
    click.option(
        "--missing",
        type=click.Choice(MISSING_WAYS),
        default=DEFAULT.missing,
        show_default=True,
        help="Missing values: refused, filled (texts by the most frequent), or their rows dropped.",
    ),
    click.option(
        "--scale",
        type=click.Choice(SCALES),
        default=DEFAULT.scale,
        show_default=True,
        help="Numbers to mean 0 and deviation 1, or to 0 … 1.",
    ),
    click.option(
        "--constant",
        type=click.Choice(CONSTANT_WAYS),
        default=DEFAULT.constant,
        show_default=True,
        help="Columns that are the same in every row.",
    ),
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a user said about a table."""

    separator: str | None = None
    quote: str | None = None
    decimal: str | None = None
    encoding: str | None = None
    header: bool | None = None
    target: str | None = None
    ignore: tuple[str, ...] = ()
    task: str | None = None
    missing: str = DEFAULT.missing
    scale: str = DEFAULT.scale
    constant: str = DEFAULT.constant

    def read(self, name: str, names: tuple[str, ...] = ()) -> "Table":
        """The table that a user named; `names` are of columns that it should have."""
        from dsgec.data.dialect import Reading
        from dsgec.data.table import read_table

        if self.separator == "":
            raise DsgecError(
                "the separator is empty", "It is one character; without --separator it is found."
            )
        separator = self.separator or ""
        reading = Reading(
            _SEPARATORS.get(separator, separator),
            self.quote or "",
            self.decimal or "",
            self.encoding or "",
            self.header,
            names,
        )
        return read_table(name, reading)

    def make(self, read: "Table") -> "Dataset":
        """A table as a data set."""
        from dsgec.data.dataset import make_dataset

        plan = Plan(self.ignore, self.task or "", self.missing, self.scale, self.constant)
        return make_dataset(read, self.target, plan)

    def dataset(self, name: str, test: str | None = None) -> "Dataset":
        """The table that a user named, and the rows of another to test with, if there is one."""
        from dsgec.data.dataset import with_test

        if name == "-" == test:
            raise DsgecError("standard input cannot be both tables")
        dataset = self.make(self.read(name))
        if test is None:
            return dataset
        names = tuple(column.name for column in dataset.columns)
        return with_test(dataset, self.read(test, (*names, dataset.target)))


def reading_options(function: Command) -> Command:
    """`--separator` and its like; the command gets them as `table`."""
    return collecting(function, "table", TableOptions, _READING)


def table_options(function: Command) -> Command:
    """What `reading_options` has, and `--target` and its like."""
    return collecting(function, "table", TableOptions, _COLUMNS + _READING)
