"""`dsgec predict`, `dsgec show` and `dsgec report`: what a finished run holds."""

import sys
from pathlib import Path

import click

from dsgec.cli.complete import complete_table
from dsgec.cli.help import GroupedCommand
from dsgec.cli.output import hand_over, say
from dsgec.cli.tables import TableOptions, reading_options


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data", shell_complete=complete_table)
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: standard output.")
@reading_options
def predict(run: Path, data: str, out: Path | None, table: TableOptions) -> None:
    """Predict every row of DATA with the network of RUN, as CSV."""
    from dsgec.folder import open_folder, write_whole
    from dsgec.run.folder import read_model
    from dsgec.run.predict import predictions

    with open_folder(run) as folder:
        model, _ = read_model(folder)
    names = tuple(column.name for column in model.columns)
    text = predictions(model, table.read(data, names))
    if out is None:
        hand_over(text.removesuffix("\n"))
    else:
        write_whole(out, text)
        say(str(out))


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the network to this file.")
@click.option(
    "--dot",
    type=click.Path(path_type=Path),
    help="Write it to this file for Graphviz; - prints it.",
)
def show(run: Path, svg: Path | None, dot: Path | None) -> None:
    """Print the network of RUN, or draw it.

    What is printed are its equations and the inputs of each neuron. In a file, it is a network that
    `dsgec compile` reads back.
    """
    from dsgec.cli.terminal.portrait import file_lines, page
    from dsgec.cli.terminal.styled import coloured, encodable, is_capable, palette, size_of
    from dsgec.errors import clean
    from dsgec.export.artefact import model_id
    from dsgec.folder import open_folder, write_whole
    from dsgec.report.dot import graph
    from dsgec.report.svg import svg as drawn
    from dsgec.run.folder import read_model, read_record

    with open_folder(run) as folder:
        model, name = read_model(folder)
        ranges = read_record(folder).ranges
    for path, make in ((svg, drawn), (dot, graph)):
        if path == Path("-"):
            hand_over(make(model).removesuffix("\n"))
        elif path is not None:
            write_whole(path, make(model))
            say(str(path))
    if svg is not None or dot is not None:
        return
    source = f"model {model_id(model)}; `dsgec export` makes code of {clean(str(run))}"
    if not is_capable(sys.stdout):
        lines = "\n".join(file_lines(model, name, source, ranges))
        if encodable(lines, sys.stdout) != lines:  # then escapes keep the names what they are
            lines = "\n".join(file_lines(model, name, source, ranges, ascii_only=True))
        say(encodable(lines, sys.stdout))
        return
    colours = palette()
    drawn_lines = page(model, name, source, size_of(sys.stdout)[0] - 1, ranges)
    sys.stdout.write("".join(f"{coloured(line, colours)}\n" for line in drawn_lines))
    sys.stdout.flush()


@click.command(cls=GroupedCommand)
@click.argument("folder", metavar="RUN|STUDY", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: report.html in it.")
def report(folder: Path, out: Path | None) -> None:
    """Write the report of a run or a study, one HTML page.

    RUN or STUDY is its folder. The page needs nothing else.
    """
    from dsgec.study.page import write_report

    say(str(write_report(folder, out)))
