"""`dsgec inspect`, `verify`, `predict`, `show`, `report` and `doctor`: look at what there is."""

import sys
from pathlib import Path

import click

from dsgec.cli.options import GroupedCommand, complete_table
from dsgec.cli.output import print_data, print_result
from dsgec.cli.shared_options import TableOptions, reading_options, table_options
from dsgec.search.settings import OPTIONS


@click.command("inspect", cls=GroupedCommand)
@click.argument("what", shell_complete=complete_table)
@table_options
def inspect_(what: str, table: TableOptions) -> None:
    """Show what a table, an exported file or a run contains.

    If WHAT is a table: its columns and their kinds, the task, and which grammars fit; if it is a
    log of samples, its rate, recordings and gaps, and windows that would fit. If it is an
    exported file, a folder of them, or a run: what it is, and what it costs per row.
    """
    from dsgec.cli.terminal.signal import signal_lines
    from dsgec.cli.terminal.table import table_lines
    from dsgec.data.log import is_log
    from dsgec.data.prepare import make_dataset
    from dsgec.data.recordings import holds_recordings
    from dsgec.data.source import is_shipped
    from dsgec.errors import DsgecError
    from dsgec.export.read import is_exported_name
    from dsgec.run.inspect import holds_artefacts, inspect_artefact

    path = Path(what)
    is_table = path.is_dir() and not holds_artefacts(path)
    is_table = is_table and (is_shipped(what) or holds_recordings(path))
    if not is_table and (path.is_dir() or is_exported_name(path.name)):
        print_result("\n".join(inspect_artefact(path)))
        return
    table = table.with_defaults(learned=True)
    read = table.read(what)
    as_signal = signal_lines(read, table.target, table.preprocessing)
    dataset, problem = None, ""
    if not (as_signal and is_log(read, table.preprocessing)):
        try:
            dataset = make_dataset(read, table.target, table.preprocessing)
        except DsgecError as error:
            problem = error.rendered(OPTIONS)
    lines = [*table_lines(read, dataset), *problem.splitlines()]
    print_result("\n".join([*lines, *([""] if as_signal else []), *as_signal]))


@click.command(cls=GroupedCommand)
@click.argument("artefact", type=click.Path(path_type=Path))
@click.option("--data", metavar="FILE", help="Also run it on this table, and compare the bits.")
def verify(artefact: Path, data: str | None) -> None:
    """Prove that exported files are what dsgec makes of their model.

    ARTEFACT is an exported file or a folder of them, which contains the model that it was made
    from; it is read as text. Code is run only with --data, and only if it is, byte for byte, what
    dsgec makes of that model.
    """
    from dsgec.data.read import read_table
    from dsgec.run.verify import verify as prove

    for line in prove(artefact, None if data is None else read_table(data)):
        print_result(line)


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data", shell_complete=complete_table)
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="Output file; default: standard output."
)
@reading_options
def predict(run: Path, data: str, out: Path | None, table: TableOptions) -> None:
    """Predict every row of DATA with the network of RUN, as CSV.

    If RUN was evolved on a log of samples, DATA is one, too: every window is predicted.
    """
    from dsgec.folder import open_folder, write_whole
    from dsgec.run.folder import parse_model, read_record
    from dsgec.run.predict import expected_columns, predictions

    with open_folder(run) as folder:
        record = read_record(folder)
        model, _ = parse_model(folder, record)
    group = str(record.data.options.get("group", ""))
    text = predictions(model, table.read(data, expected_columns(model)), group)
    if out is None:
        print_data(text.removesuffix("\n"))
    else:
        write_whole(out, text)
        print_result(str(out))


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the network to this file.")
@click.option(
    "--dot",
    type=click.Path(path_type=Path),
    help="Write the network to this file for Graphviz; `-` prints it.",
)
def show(run: Path, svg: Path | None, dot: Path | None) -> None:
    """Print the network or the best text of RUN, or draw it.

    It is printed as equations, with the inputs of each neuron. Redirected to a file, it is a
    network that `dsgec compile` reads.
    """
    from dsgec.cli.terminal.network import network_file, network_page
    from dsgec.cli.terminal.styled import colour_line, is_capable, make_encodable, palette, size_of
    from dsgec.errors import clean
    from dsgec.export.artefact import model_id
    from dsgec.folder import open_folder, write_whole
    from dsgec.report.dot import network_dot
    from dsgec.report.network_drawing import network_svg
    from dsgec.run.folder import read_model, read_record
    from dsgec.run.text_result import is_text_run, read_text_record

    with open_folder(run) as folder:
        if is_text_run(folder):
            print_data(read_text_record(folder).result.best.phenotype)
            return
        model, name = read_model(folder)
        ranges = read_record(folder).ranges
    for path, make in ((svg, network_svg), (dot, network_dot)):
        if path == Path("-"):
            print_data(make(model).removesuffix("\n"))
        elif path is not None:
            write_whole(path, make(model))
            print_result(str(path))
    if svg is not None or dot is not None:
        return
    source = f"model {model_id(model)}; `dsgec export` makes code of {clean(str(run))}"
    if not is_capable(sys.stdout):
        text = "\n".join(network_file(model, name, source, ranges))
        if make_encodable(text, sys.stdout) != text:  # then escapes preserve the names
            text = "\n".join(network_file(model, name, source, ranges, ascii_only=True))
        print_result(make_encodable(text, sys.stdout))
        return
    colours = palette()
    lines = network_page(model, name, source, size_of(sys.stdout)[0] - 1, ranges)
    sys.stdout.write("".join(f"{colour_line(line, colours)}\n" for line in lines))
    sys.stdout.flush()


@click.command(cls=GroupedCommand)
@click.argument("folder", metavar="RUN|STUDY", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Output file; default: report.html in the folder.",
)
def report(folder: Path, out: Path | None) -> None:
    """Write the report of a run or a study, one HTML page.

    RUN or STUDY is its folder. The page is self-contained.
    """
    from dsgec.report.page import write_report
    from dsgec.study.page import folder_page

    print_result(str(write_report(folder, out, folder_page)))


@click.command(cls=GroupedCommand)
def doctor() -> None:
    """Show and test the compiler and the backend used here."""
    from dsgec.cli.terminal.doctor import doctor_lines

    for line in doctor_lines():
        print_result(line)
