"""`--config`: a TOML file to the values of options that the command line does not give."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dsgec.cli.help import GroupedOption
from dsgec.cli.options import Command
from dsgec.cli.session import RunOptions, SessionOptions
from dsgec.data.options import Preprocessing, ReadingOptions
from dsgec.errors import DsgecError, Fault
from dsgec.search.settings import Preset, Settings
from dsgec.setting import Setting, settings_of

_KINDS = (Preset, Settings, Preprocessing, ReadingOptions, RunOptions, SessionOptions)
_FILES = ("grammar", "data")
_PATHS = "dsgec.paths"  # in the context's `meta`: those of these two


def _own() -> Iterator[Setting]:
    """What no table of settings has."""
    for name in (*_FILES, "target"):
        yield Setting(name=name, default=None, help="")


def known() -> dict[str, Setting]:
    """What a file can say, by its key."""
    tables = (one for kind in _KINDS for one in settings_of(kind))
    return {one.word: one for one in (*_own(), *tables) if one.name != "fold"}


def config_option(function: Command) -> Command:
    """`--config`, which is read before any other option."""
    return click.option(
        "--config",
        cls=GroupedOption,
        type=click.Path(path_type=Path),
        metavar="FILE",
        is_eager=True,
        expose_value=False,
        callback=_read,
        help="Take what is not given here from this TOML file, such as a run's config.toml.",
    )(function)


def _read(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    if path is None:
        return
    from dsgec.toml import read_toml

    values = parse_config(read_toml(path, str(path)), path)
    # Not by click: one argument alone is DATA, whatever the file says.
    ctx.meta[_PATHS] = {key: values.pop(key, None) for key in _FILES}
    ctx.default_map = values


def parse_config(table: dict[str, Any], path: Path) -> dict[str, Any]:
    """The options that a file gives, as click takes them."""
    from dsgec.study.reader import STUDY, TomlReader

    faults: list[Fault] = []
    reader = TomlReader(table, str(path), faults)
    values: dict[str, Any] = {}
    for key, one in known().items():
        reader.asked.append(key)
        if key not in table:
            continue
        try:
            value = _value(replace(one, name=key), table[key])
        except DsgecError as error:
            faults += [fault.at(str(path), STUDY) for fault in error.faults]
            continue
        if key in (*_FILES, "test") and isinstance(value, str):
            value = _beside(value, path.parent)
        values[one.name] = value
    reader.close()
    if faults:
        raise DsgecError(faults)
    return values


def _value(one: Setting, given: Any) -> Any:
    """A value, checked by the table of settings, in the form in which click takes it."""
    if one.name == "test" and isinstance(given, str):
        return given
    value = one.read(given)
    one.check(value)
    return [f"{symbol}={depth}" for symbol, depth in value] if one.kind is dict else value


def _beside(given: str, folder: Path) -> str:
    """A file beside the configuration; a table is not confused with those of the run there."""
    from dsgec.manifest import HALL, HISTORY
    from dsgec.resources import beside

    return given if given in (HALL, HISTORY) else beside(given, folder)


def named_inputs(grammar: str | None, data: str | None) -> tuple[str | None, str]:
    """GRAMMAR and DATA, of the command line or of the file; one alone is DATA."""
    context = click.get_current_context()
    by_file: dict[str, str | None] = context.meta.get(_PATHS, {})
    if data is None:
        grammar, data = None, grammar
    data = by_file.get("data") if data is None else data
    if data is None:
        raise click.UsageError("Missing argument 'DATA'.", context)
    return by_file.get("grammar") if grammar is None else grammar, data
