"""`dsgec export` and `dsgec compile`: networks to source code."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import complain, say
from dsgec.errors import DsgecError
from dsgec.export.packages import DESCRIPTIONS as PACKAGE_DESCRIPTIONS
from dsgec.export.targets import DESCRIPTIONS
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP

if TYPE_CHECKING:
    from dsgec.network.model import Model

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


def check_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--no-check`, the same for both commands."""
    return click.option(
        "--no-check",
        "unchecked",
        is_flag=True,
        help="Write the files without running their self-tests first (of C, compiled here).",
    )(function)


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@to_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: the run's folder.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
@click.option(
    "--pick",
    type=(click.Choice(["smallest-within", "at-most", "size", "flash", "cycles"]), str),
    metavar="smallest-within SHARE | at-most N | size N | flash BYTES | cycles N",
    help="Not the best network but one of the hall of fame: the smallest whose score is within such"
    " as 1% of the best, the best of at most N connections, that of N, or the best whose C takes at"
    " most such as 4KB of flash or 20000 cycles a row of a --chip, by dsgec's estimate.",
)
@click.option(
    "--chip",
    type=click.Choice(list(CHIPS)),
    default=DEFAULT_CHIP,
    show_default=True,
    help="What --pick flash and --pick cycles are for.",
)
@package_option
@dtype_option
@range_option
@wheel_option
@check_option
def export(
    run: Path,
    targets: str | None,
    out: Path | None,
    name: str | None,
    pick: tuple[str, str] | None,
    packages: str,
    chip: str,
    dtype: str,
    ranges: tuple[str, ...],
    wheel: bool,
    unchecked: bool,
) -> None:
    """Write the network of RUN, a run's folder, as source code."""
    from dsgec.folder import open_folder
    from dsgec.network.ranges import parse_ranges
    from dsgec.run.folder import read_model, read_picked, read_record

    given = parse_ranges(ranges)
    with open_folder(run) as folder:
        model, own_name = (
            read_picked(folder, *pick, chip, dtype, given) if pick else read_model(folder)
        )
        recorded = read_record(folder).ranges
    to, package = _requested(targets, packages)
    more: dict[str, Any] = {"ranges": given, "recorded": recorded, "check": not unchecked}
    _write(model, name or own_name, out or run, to, package, dtype, wheel=wheel, **more)


@click.command("compile", cls=GroupedCommand)
@click.argument("net", type=click.Path(path_type=Path))
@to_option
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: beside NET.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
@click.option("--layered", is_flag=True, help="In NET, `-` and `--` separate neurons and layers.")
@click.option("--features", metavar="NAME[,…]", help="Of an ONNX file: the names of the features.")
@click.option("--classes", metavar="NAME[,…]", help="Of an ONNX file: the names of the classes.")
@click.option("--page", is_flag=True, help="Also write NAME.html, with the network running in it.")
@package_option
@dtype_option
@range_option
@wheel_option
@check_option
def compile_(
    net: Path,
    targets: str | None,
    out: Path | None,
    name: str | None,
    layered: bool,
    features: str | None,
    classes: str | None,
    page: bool,
    packages: str,
    dtype: str,
    ranges: tuple[str, ...],
    wheel: bool,
    unchecked: bool,
) -> None:
    """Write a network of your own as source code.

    NET is an ONNX file, or a text file with the network's equations; `-` reads standard input.
    """
    from dsgec.export.files import file_names
    from dsgec.export.names import safe_name
    from dsgec.folder import write_whole
    from dsgec.network.ranges import parse_ranges
    from dsgec.report import model_page

    to, package = _requested(targets, packages)
    given = parse_ranges(ranges)
    named = name or safe_name(net.name.split(".")[0])
    folder = out or (Path() if str(net) == "-" else net.parent)
    if net.resolve() in {(folder / file).resolve() for file in file_names(to, named)}:
        raise DsgecError(f"the export would overwrite {net}", "Use another --name or --out.")
    agreement = ""
    is_onnx = net.suffix.lower() == ".onnx"
    if layered if is_onnx else features or classes:
        raise DsgecError("--features and --classes are for ONNX files, --layered for equations")
    if is_onnx:
        model, agreement = _read_onnx(net, features, classes)
    else:
        model = _read_equations(net, layered=layered)
    shown = model_page(model, named, agreement) if page else ""
    more: dict[str, Any] = {"ranges": given, "check": not unchecked}
    _write(model, named, folder, to, package, dtype, wheel=wheel, **more)
    if page:
        write_whole(folder / f"{named}.html", shown)
        say(str(folder / f"{named}.html"))
    if agreement:
        say(f"The network {agreement}.")


def _read_onnx(path: Path, features: str | None, classes: str | None) -> tuple["Model", str]:
    """The model in a file, and how it agrees with the file."""
    from dsgec.network.readers.foreign import measure_agreement
    from dsgec.network.readers.onnx.read import read_onnx_file

    names = [None if text is None else text.split(",") for text in (features, classes)]
    foreign = read_onnx_file(path, *names)
    return foreign.model, str(measure_agreement(foreign))


def _read_equations(net: Path, *, layered: bool) -> "Model":
    """The model of a text of equations, or of a phenotype."""
    from dsgec.network.model import unnamed_model
    from dsgec.network.model_text import MOST_NETWORK_BYTES, decode_model, decode_text
    from dsgec.network.parse import parse_phenotype
    from dsgec.network.simplify import simplify
    from dsgec.resources import read_bytes

    source = str(net)
    if source != "-":
        data = read_bytes(net, source, MOST_NETWORK_BYTES, pipe=True)
    else:
        data = sys.stdin.buffer.read(MOST_NETWORK_BYTES) if sys.stdin is not None else b""
    if layered:
        phenotype = decode_text(data, source)
        return unnamed_model(simplify(parse_phenotype(phenotype, layered=True, source=source)))
    return decode_model(data, source)


def _requested(to: str | None, package: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The targets and the packages of two lists; packages alone need no target."""
    from dsgec.export.files import parse_packages, parse_targets

    packages = parse_packages(package)
    targets = () if packages and to is None else parse_targets(_USUAL if to is None else to)
    return targets, packages


def _write(
    model: "Model",
    name: str,
    folder: Path,
    targets: tuple[str, ...],
    packages: tuple[str, ...],
    dtype: str,
    *,
    check: bool,
    **more: Any,
) -> None:
    """The files that were asked for, and their paths to standard output."""
    from dsgec.export.files import export as write
    from dsgec.export.files import is_checked
    from dsgec.export.packages.registry import package_notes

    paths = write(model, targets, name, folder, dtype, packages=packages, check=check, **more)
    for note in package_notes(packages, dtype):
        complain(note)
    if check and is_checked(targets, packages) is False:
        complain(
            "note: there is no C compiler here, so the self-test of the C was not run;"
            f" {name}_README.md has the commands"
        )
    for path in paths:
        say(str(path))
