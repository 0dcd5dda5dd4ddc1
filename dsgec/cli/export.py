"""`dsgec export` and `dsgec compile`: networks to source code."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import complain, say
from dsgec.errors import DsgecError
from dsgec.packages import DESCRIPTIONS as PACKAGE_DESCRIPTIONS
from dsgec.targets import DESCRIPTIONS

if TYPE_CHECKING:
    from dsgec.network.model import Model

_MOST_NETWORK_BYTES = 64 << 20
_USUAL = "c,numpy"


def to_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--to`, the same for both commands."""
    return click.option(
        "--to",
        "targets",
        metavar="TARGET[,…]",
        help="; ".join(f"{name}: {what}" for name, what in DESCRIPTIONS.items())
        + f".  [default: {_USUAL}; with --package, none]",
    )(function)


def package_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--package`, the same for both commands."""
    return click.option(
        "--package",
        "packages",
        default="",
        metavar="PACKAGE[,…]",
        help="; ".join(f"{name}: {what}" for name, what in PACKAGE_DESCRIPTIONS.items()) + ".",
    )(function)


def dtype_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--dtype`, the same for both commands."""
    return click.option(
        "--dtype",
        type=click.Choice(["double", "float", "q15", "q7"]),
        default="double",
        show_default=True,
        help="The numbers that the exported code computes with; q15 and q7 are fixed point:"
        " integers of 16 and 8 bits.",
    )(function)


def range_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--range`, the same for both commands."""
    return click.option(
        "--range",
        "ranges",
        multiple=True,
        metavar="COLUMN=LO:HI",
        help="For fixed point: the range of a column, beyond which it saturates; `*` stands for all"
        " other columns. Repeatable. Default: that of the training rows, widened.",
    )(function)


def wheel_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--wheel`, the same for both commands."""
    return click.option(
        "--wheel", is_flag=True, help="With the target cffi: also a wheel that pip installs."
    )(function)


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@to_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: the run's folder.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
@click.option(
    "--pick",
    type=(click.Choice(["smallest-within", "at-most", "size"]), str),
    metavar="smallest-within SHARE | at-most N | size N",
    help="Not the best network but one of the hall of fame: the smallest whose score is within such"
    " as 1% of the best, the best of at most N connections, or that of N.",
)
@package_option
@dtype_option
@range_option
@wheel_option
def export(
    run: Path,
    targets: str | None,
    out: Path | None,
    name: str | None,
    pick: tuple[str, str] | None,
    packages: str,
    dtype: str,
    ranges: tuple[str, ...],
    wheel: bool,
) -> None:
    """Write the network of RUN, a run's folder, as source code."""
    from dsgec.fixed.ranges import parse_ranges
    from dsgec.folder import open_folder
    from dsgec.run.folder import read_model, read_picked, read_record
    from dsgec.run.record import record_ranges

    with open_folder(run) as folder:
        model, own_name = read_picked(folder, *pick) if pick else read_model(folder)
        recorded = record_ranges(read_record(folder), model)
    more = {"ranges": parse_ranges(ranges), "recorded": recorded}
    _write(model, name or own_name, out or run, targets, packages, dtype, wheel=wheel, **more)


@click.command("compile", cls=GroupedCommand)
@click.argument("net", type=click.Path(path_type=Path))
@to_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: beside NET.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
@click.option("--layered", is_flag=True, help="In NET, `-` and `--` separate neurons and layers.")
@package_option
@dtype_option
@range_option
@wheel_option
def compile_(
    net: Path,
    targets: str | None,
    out: Path | None,
    name: str | None,
    layered: bool,
    packages: str,
    dtype: str,
    ranges: tuple[str, ...],
    wheel: bool,
) -> None:
    """Write a network of your own as source code.

    NET is a text file with its equations; `-` reads standard input.
    """
    from dsgec.codegen.names import safe_name
    from dsgec.fixed.ranges import parse_ranges
    from dsgec.network.model import unnamed
    from dsgec.network.parse import parse, parse_phenotype
    from dsgec.network.simplify import simplify
    from dsgec.resources import read_bytes

    source = str(net)
    if source != "-":
        data = read_bytes(net, source, _MOST_NETWORK_BYTES, pipe=True)
    else:
        data = sys.stdin.buffer.read(_MOST_NETWORK_BYTES) if sys.stdin is not None else b""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DsgecError(f"{source} is not UTF-8 text") from error
    network = (
        parse_phenotype(text, layered=True, source=source)
        if layered
        else parse(text, source=source)
    )
    own_name = safe_name(net.name.split(".")[0])
    folder = out or (Path() if source == "-" else net.parent)
    model = unnamed(simplify(network))
    more = {"ranges": parse_ranges(ranges)}
    _write(model, name or own_name, folder, targets, packages, dtype, wheel=wheel, **more)


def _write(
    model: "Model",
    name: str,
    folder: Path,
    to: str | None,
    package: str,
    dtype: str,
    **more: Any,
) -> None:
    """The files that were asked for, and their paths to standard output."""
    from dsgec.artefacts.export import export as write
    from dsgec.artefacts.export import parse_packages, parse_targets
    from dsgec.packages.registry import package_notes

    packages = parse_packages(package)
    targets = () if packages and to is None else parse_targets(_USUAL if to is None else to)
    paths = write(model, targets, name, folder, dtype, packages=packages, **more)
    for note in package_notes(packages, dtype):
        complain(note)
    for path in paths:
        say(str(path))
