"""Options that say how a table is read and what its columns are, the same for every command."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.help import GroupedOption
from dsgec.cli.options import Command, collecting, options_of
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.errors import DsgecError, wrong
from dsgec.setting import make, names_of, settings_of

if TYPE_CHECKING:
    from dsgec.data.dataset import Dataset
    from dsgec.data.table import Table

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blank": " ", "space": " "}
_TARGET: Callable[[Command], Command] = click.option(
    "--target",
    metavar="COLUMN",
    help="The target, by name or number; default: the last.",
    cls=GroupedOption,
    group="data",
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a user said about a table."""

    reading: ReadingOptions
    preprocessing: Preprocessing
    target: str | None = None
    unsaid: frozenset[str] = frozenset()  # settings of the preprocessing that were not given

    @classmethod
    def make(cls, given: Mapping[str, Any]) -> "TableOptions":
        """Of the values of options, or of what `as_json` gave."""
        separator = given.get("separator")
        if separator == "":
            raise wrong("separator", "is empty", "It is one character; without it, it is detected.")
        named = _SEPARATORS.get(separator, separator) if isinstance(separator, str) else separator
        target = given.get("target")
        if target is not None and not isinstance(target, str):
            raise wrong("target", "is not a string")
        unsaid = frozenset(
            name for name in names_of(settings_of(Preprocessing)) if given.get(name) is None
        )
        reading = make(ReadingOptions, {**given, "separator": named})
        return cls(reading, make(Preprocessing, given), target, unsaid)

    def with_defaults(self, *, learned: bool) -> "TableOptions":
        """With the defaults of a run that learns, or of the paper's, for what was not given."""
        said = {
            name: v for name, v in asdict(self.preprocessing).items() if name not in self.unsaid
        }
        return replace(self, preprocessing=make(Preprocessing, said, learned=learned))

    def as_json(self) -> dict[str, Any]:
        """As a checkpoint keeps it."""
        said = dict(self.reading.explicit) | asdict(self.preprocessing) | {"target": self.target}
        return {name: value for name, value in said.items() if value not in (None, "")}

    def read(self, name: str, names: tuple[str, ...] = ()) -> "Table":
        """The table that a user named; `names` are of columns that it should have, at least the
        target, if that is not a number.
        """
        is_named = self.target is not None and not self.target.lstrip("-").isdecimal()
        if is_named and not names:
            names = (str(self.target).strip(),)
        from dsgec.data.read import read_table

        return read_table(name, replace(self.reading, names=names))

    def of(self, read: "Table") -> "Dataset":
        """A table as a data set."""
        from dsgec.data.prepare import make_dataset

        return make_dataset(read, self.target, self.preprocessing)

    def dataset(self, name: str, test: str | None = None) -> "Dataset":
        """The table that a user named, and the rows of another to test with, if there is one."""
        from dsgec.data.prepare import add_test_table

        if name == "-" == test:
            raise DsgecError("standard input cannot be both tables")
        dataset = self.of(self.read(name))
        if test is None:
            return dataset
        names = tuple(column.name for column in dataset.columns)
        return add_test_table(dataset, self.read(test, (*names, dataset.target)))


def reading_options(function: Command) -> Command:
    """`--separator` and its like; the command gets them as `table`."""
    return collecting(function, "table", TableOptions.make, options_of(ReadingOptions))


def table_options(function: Command) -> Command:
    """What `reading_options` has, and `--target` and its like."""
    options = (_TARGET, *options_of(Preprocessing), *options_of(ReadingOptions))
    return collecting(function, "table", TableOptions.make, options)
