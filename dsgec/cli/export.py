"""`dsgec export` and `dsgec compile`: write networks as source code."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.cli.options import GroupedCommand, collect
from dsgec.cli.output import print_message, print_result
from dsgec.errors import DsgecError
from dsgec.export.packages import DESCRIPTIONS as PACKAGE_DESCRIPTIONS
from dsgec.export.targets import DESCRIPTIONS
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP

if TYPE_CHECKING:
    from dsgec.network.model import Model
    from dsgec.network.ranges import Range

_DEFAULT_TARGETS = "c,numpy"


def _describe(descriptions: dict[str, str]) -> str:
    return "; ".join(f"{name}: {what}" for name, what in descriptions.items())


_OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--to",
        "targets",
        metavar="TARGET[,…]",
        help=f"{_describe(DESCRIPTIONS)}; default: {_DEFAULT_TARGETS}, or none with --package.",
    ),
    click.option("--name", help="Name of the module and prefix of its C symbols."),
    click.option(
        "--package",
        "packages",
        default="",
        metavar="PACKAGE[,…]",
        help=f"{_describe(PACKAGE_DESCRIPTIONS)}.",
    ),
    click.option(
        "--dtype",
        type=click.Choice(["double", "float", "q15", "q7"]),
        default="double",
        help="Type of the numbers in the exported code; q15 and q7 are fixed point: integers of 16"
        " and 8 bits; default: double.",
    ),
    click.option(
        "--range",
        "ranges",
        multiple=True,
        metavar="COLUMN=LO:HI",
        help="For fixed point: range of a column, which saturates outside it; `*` stands for all"
        " other columns; can be given more than once; default: the range of the training rows,"
        " widened.",
    ),
    click.option(
        "--layout",
        type=click.Choice(["auto", "flat", "packed"]),
        default="auto",
        help="How source code is laid out: flat, straight-line code (in Verilog, a pipeline);"
        " packed, tables that one loop reads, which takes less flash, or fewer cells, from some ten"
        " connections on; auto, for C in fixed point what takes less flash by dsgec's estimate, and"
        " otherwise flat. The results are the same; default: auto.",
    ),
    click.option(
        "--no-check",
        "unchecked",
        is_flag=True,
        help="Write the files without running their self-tests first (C is compiled for them).",
    ),
)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The options for exporting a network, the same for both commands."""

    targets: str | None
    name: str | None
    packages: str
    dtype: str
    ranges: tuple[str, ...]
    layout: str
    unchecked: bool

    def parse(self) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, "Range"]]:
        """Return the targets, the packages and the ranges; packages alone need no target."""
        from dsgec.export.files import parse_packages, parse_targets
        from dsgec.network.ranges import parse_ranges

        packages, named = parse_packages(self.packages), self.targets
        is_alone = bool(packages) and named is None
        targets = () if is_alone else parse_targets(_DEFAULT_TARGETS if named is None else named)
        return targets, packages, parse_ranges(self.ranges)

    def write(self, model: "Model", name: str, folder: Path, **more: Any) -> None:
        """Export a model to a folder, and print the paths of the files."""
        from dsgec.export.files import export as write
        from dsgec.export.files import is_checked
        from dsgec.export.packages.registry import package_notes

        targets, packages, ranges = self.parse()
        more |= {"packages": packages, "ranges": ranges}
        more |= {"layout": self.layout}
        paths = write(model, targets, name, folder, self.dtype, check=not self.unchecked, **more)
        for note in package_notes(packages, self.dtype):
            print_message(note)
        if not self.unchecked and is_checked(targets, packages) is False:
            print_message(
                "note: there is no C compiler here, so the self-test of the C was not run;"
                f" {name}_README.md has the commands"
            )
        for path in paths:
            print_result(str(path))


_export_options = partial(
    collect, name="options", make=lambda values: ExportOptions(**values), options=_OPTIONS
)


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Output folder; default: the run's folder."
)
@click.option(
    "--pick",
    type=(click.Choice(["smallest-within", "at-most", "size", "flash", "cycles"]), str),
    metavar="smallest-within SHARE | at-most N | size N | flash BYTES | cycles N",
    help="Export a network of the hall of fame: the smallest whose score is within a share (such as"
    " 1%) of the best, the best with at most N connections, the one with N connections, or the best"
    " whose C takes at most so many bytes of flash (such as 4KB) or cycles per row on a --chip, by"
    " dsgec's estimate; default: the network that the run chose.",
)
@click.option(
    "--chip",
    type=click.Choice(list(CHIPS)),
    default=DEFAULT_CHIP,
    help=f"Chip for --pick flash, --pick cycles and --layout auto; default: {DEFAULT_CHIP}.",
)
@_export_options
def export(
    run: Path, out: Path | None, pick: tuple[str, str] | None, chip: str, options: ExportOptions
) -> None:
    """Write the network of a run as source code.

    RUN is the folder of the run.
    """
    from dsgec.folder import open_folder
    from dsgec.run.folder import read_model, read_picked, read_record

    _, _, ranges = options.parse()
    with open_folder(run) as folder:
        if pick:
            model, own_name = read_picked(folder, *pick, chip, options.dtype, ranges)
        else:
            model, own_name = read_model(folder)
        recorded = read_record(folder).ranges
    options.write(model, options.name or own_name, out or run, recorded=recorded, chip=chip)


@click.command("compile", cls=GroupedCommand)
@click.argument("net", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Output folder; default: that of NET."
)
@click.option("--layered", is_flag=True, help="In NET, `-` and `--` separate neurons and layers.")
@click.option("--features", metavar="NAME[,…]", help="Names of the features of an ONNX file.")
@click.option("--classes", metavar="NAME[,…]", help="Names of the classes of an ONNX file.")
@click.option("--page", is_flag=True, help="Also write NAME.html, with the network running in it.")
@_export_options
def compile_(
    net: Path,
    out: Path | None,
    layered: bool,
    features: str | None,
    classes: str | None,
    page: bool,
    options: ExportOptions,
) -> None:
    """Write a network of your own as source code.

    NET is an ONNX file, or a text file with the network's equations; `-` reads standard input.
    """
    from dsgec.export.files import file_names
    from dsgec.export.names import safe_name
    from dsgec.folder import write_whole
    from dsgec.report.page import model_page

    targets, _, _ = options.parse()
    name = options.name or safe_name(net.name.split(".")[0])
    folder = out or (Path() if str(net) == "-" else net.parent)
    if net.resolve() in {(folder / file).resolve() for file in file_names(targets, name)}:
        raise DsgecError(f"the export would overwrite {net}", "Use another --name or --out.")
    agreement = ""
    is_onnx = net.suffix.lower() == ".onnx"
    if layered if is_onnx else features or classes:
        raise DsgecError("--features and --classes are for ONNX files, --layered for equations")
    if is_onnx:
        model, agreement = _read_onnx(net, features, classes)
    else:
        model = _read_equations(net, layered=layered)
    text = model_page(model, name, agreement) if page else ""
    options.write(model, name, folder)
    if page:
        write_whole(folder / f"{name}.html", text)
        print_result(str(folder / f"{name}.html"))
    if agreement:
        print_result(f"The network {agreement}.")


def _read_onnx(path: Path, features: str | None, classes: str | None) -> tuple["Model", str]:
    """Read an ONNX file, and return how the model agrees with it as well."""
    from dsgec.network.readers.foreign import measure_agreement
    from dsgec.network.readers.onnx.read import read_onnx_file

    names = [None if text is None else text.split(",") for text in (features, classes)]
    foreign = read_onnx_file(path, *names)
    return foreign.model, str(measure_agreement(foreign))


def _read_equations(net: Path, *, layered: bool) -> "Model":
    """Read the equations of a model, or a phenotype."""
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
