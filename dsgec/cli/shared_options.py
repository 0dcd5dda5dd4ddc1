"""Options that several commands share: how tables are read, how runs go, and `--config`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import click

from dsgec.cli.options import Command, Decorator, GroupedOption, collect, option, options_of
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.errors import DsgecError, Fault, setting_error
from dsgec.manifest import POPULATIONS
from dsgec.search.presets import Execution, Preset
from dsgec.search.settings import Settings
from dsgec.setting import Setting, make, names_of, setting, settings_of

if TYPE_CHECKING:
    from dsgec.data.dataset import Dataset
    from dsgec.data.table import Table

_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "blank": " ", "space": " "}
_FILES = ("grammar", "data")
_CONFIG_FILES = "dsgec.files"  # the key in the context's `meta` of these two, if a file names them

_target_option: Decorator = click.option(
    "--target",
    metavar="COLUMN",
    help="The column to predict, by name or number; default: the last.",
    cls=GroupedOption,
    group="data",
)


@dataclass(frozen=True, slots=True)
class TableOptions:
    """The options for reading a table and for the roles of its columns."""

    reading: ReadingOptions
    preprocessing: Preprocessing
    target: str | None = None
    defaults: frozenset[str] = frozenset()  # settings of the preprocessing that were not given

    @classmethod
    def make(cls, values: Mapping[str, Any]) -> "TableOptions":
        """Return the table options of a command line, or of what `as_json` returned."""
        separator = values.get("separator")
        if separator == "":
            raise setting_error(
                "separator", "is empty", "It is one character; without it, it is detected."
            )
        sign = _SEPARATORS.get(separator, separator) if isinstance(separator, str) else separator
        target = values.get("target")
        if target is not None and not isinstance(target, str):
            raise setting_error("target", "is not a string")
        names = names_of(settings_of(Preprocessing))
        defaults = frozenset(name for name in names if values.get(name) is None)
        reading = make(ReadingOptions, {**values, "separator": sign})
        return cls(reading, make(Preprocessing, values), target, defaults)

    def with_defaults(self, *, learned: bool) -> "TableOptions":
        """Return the options with the defaults of the learning or of the paper preset."""
        values = asdict(self.preprocessing)
        given = {name: value for name, value in values.items() if name not in self.defaults}
        return replace(self, preprocessing=make(Preprocessing, given, learned=learned))

    def as_json(self) -> dict[str, Any]:
        """Return the options as a checkpoint keeps them."""
        values = dict(self.reading.explicit) | asdict(self.preprocessing) | {"target": self.target}
        return {name: value for name, value in values.items() if value not in (None, "")}

    def read(self, name: str, columns: tuple[str, ...] = ()) -> "Table":
        """Read a table; its first line is a header if it has all `columns`.

        Without `columns`, that is the target, if it is given by name.
        """
        has_name = self.target is not None and not self.target.lstrip("-").isdecimal()
        if has_name and not columns:
            columns = (str(self.target).strip(),)
        from dsgec.data.read import read_table

        return read_table(name, replace(self.reading, names=columns))

    def read_dataset(self, name: str, test: str | None = None) -> "Dataset":
        """Read a table as a data set, with the rows of the table `test` as its test rows."""
        from dsgec.data.prepare import add_test_table, make_dataset

        if name == "-" == test:
            raise DsgecError("standard input cannot be both tables")
        dataset = make_dataset(self.read(name), self.target, self.preprocessing)
        if test is None:
            return dataset
        names = tuple(column.name for column in dataset.columns)
        return add_test_table(dataset, self.read(test, (*names, dataset.target)))


def reading_options(function: Command) -> Command:
    """Add `--separator` and its like to a command, which gets them as `table`."""
    return collect(function, "table", TableOptions.make, options_of(ReadingOptions))


def table_options(function: Command) -> Command:
    """Add the options of how a table is read and encoded, as one argument `table`."""
    options = (_target_option, *options_of(Preprocessing), *options_of(ReadingOptions))
    return collect(function, "table", TableOptions.make, options)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The number of runs that `evolve` makes, and their folders."""

    GROUP: ClassVar = "output"

    runs: int = setting(
        1, "Number of runs, with consecutive seeds, each in its own folder.", 1, 100_000
    )
    jobs: int | None = setting(
        None, "Runs at a time; default: one per processor.", 1, 256, group="machine"
    )
    out: str | None = setting(
        None, "Folder in which the run's folder is created; default: ./build.", metavar="FOLDER"
    )
    name: str = setting(
        "", "Name of the run's folder; default: from the table, the grammar and the seed."
    )
    overwrite: bool = setting(False, "Overwrite another run of that name.")


def run_options(function: Command, *, left_out: tuple[str, ...] = ()) -> Command:
    """Add `--runs`, `--out` and their like to a command, which gets them one by one."""
    others: dict[str, dict[str, Any]] = {
        "out": {"type": click.Path(path_type=Path)},
        "name": {"default": ""},
    }
    for one in reversed([one for one in settings_of(RunOptions) if one.name not in left_out]):
        more = others.get(one.name, {})
        if one.kind is int:
            more = {"type": click.IntRange(int(one.low), int(one.high))}
        function = option(one, **more)(function)
    return function


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions(Execution):
    """The options of one session of a run, which do not change its result."""

    max_seconds: float | None = setting(
        None,
        "Stop cleanly after this many seconds; `dsgec resume` continues.",
        0.0,
        metavar="SECONDS",
    )
    save_every: float = setting(
        30.0,
        "Seconds between checkpoints, from which a killed run is resumed.",
        0.0,
        metavar="SECONDS",
    )
    cluster: str | None = setting(
        None,
        "Evolve the islands on the dask cluster whose scheduler has this address.",
        metavar="ADDRESS",
    )
    log: str | None = setting(
        None,
        "Log all individuals of all generations, in the folder of the run.",
        choices=(POPULATIONS,),
        group="output",
    )
    quiet: bool = setting(False, "Print errors only.", group="output")
    as_json: bool = setting(False, "Print the result as JSON.", option="json", group="output")

    @property
    def shows_progress(self) -> bool:
        """Return whether standard error shows the progress."""
        return not (self.quiet or self.as_json)


def session_options(function: Command) -> Command:
    """Add `--backend`, `--max-seconds` and their like to a command, which gets `session`."""
    options = options_of(SessionOptions)
    return collect(function, "session", lambda values: SessionOptions(**values), options)


def config_settings() -> dict[str, Setting]:
    """Return the settings that a configuration file can have, by key."""
    kinds = (Preset, Settings, Preprocessing, ReadingOptions, RunOptions, SessionOptions)
    arguments = (Setting(name=name, default=None, help="") for name in (*_FILES, "target"))
    settings = (one for kind in kinds for one in settings_of(kind))
    return {one.word: one for one in (*arguments, *settings) if one.name != "fold"}


def config_option(function: Command) -> Command:
    """Add `--config`, which is read before any other option."""
    return click.option(
        "--config",
        cls=GroupedOption,
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_read_config,
        help="Take options that are not given here from this TOML file, such as a run's"
        " config.toml.",
    )(function)


def _read_config(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    from dsgec.toml import read_toml

    values = parse_config(read_toml(path, str(path)), path)
    # Not by click: one argument alone is DATA, whatever the file has.
    ctx.meta[_CONFIG_FILES] = {key: values.pop(key, None) for key in _FILES}
    ctx.default_map = values


def parse_config(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return the options in a file as click takes them, or raise all errors at once."""
    from dsgec.study.toml_reader import STUDY, TomlReader

    faults: list[Fault] = []
    reader = TomlReader(table, str(path), faults)
    values: dict[str, Any] = {}
    for key, one in config_settings().items():
        reader.asked.append(key)
        if key not in table:
            continue
        try:
            value = _convert(replace(one, name=key), table[key])
        except DsgecError as error:
            faults += [fault.at(str(path), STUDY) for fault in error.faults]
            continue
        if key in (*_FILES, "test") and isinstance(value, str):
            value = _find_file(value, path.parent)
        values[one.name] = value
    reader.close()
    if faults:
        raise DsgecError(faults)
    return values


def _convert(one: Setting, value: Any) -> Any:
    """Check the value of a setting, and return it as click takes it."""
    if one.name == "test" and isinstance(value, str):
        return value
    value = one.read(value)
    one.check(value)
    return [f"{symbol}={depth}" for symbol, depth in value] if one.kind is dict else value


def _find_file(name: str, folder: Path) -> str:
    """Return the path of a file beside the configuration, but not of the tables of a run there."""
    from dsgec.manifest import HALL, HISTORY
    from dsgec.resources import beside

    return name if name in (HALL, HISTORY) else beside(name, folder)


def find_inputs(grammar: str | None, data: str | None) -> tuple[str | None, str]:
    """Return GRAMMAR and DATA, of the command line or `--config`; one argument alone is DATA."""
    context = click.get_current_context()
    files: dict[str, str | None] = context.meta.get(_CONFIG_FILES, {})
    if data is None:
        grammar, data = None, grammar
    data = files.get("data") if data is None else data
    if data is None:
        raise click.UsageError("Missing argument 'DATA'.", context)
    return files.get("grammar") if grammar is None else grammar, data


def absolute(name: str) -> str:
    """Return the absolute path of a file, so that `resume` finds it, or the name as it is."""
    return str(Path(name).absolute()) if name != "-" and Path(name).exists() else name
