"""The command line: options in, messages and exit codes out; the work is done elsewhere.

Modules that take long to import are imported inside the commands that need them.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec import __version__
from dsgec.errors import DsgecError, printable, reason

if TYPE_CHECKING:
    from dsgec.bnf.load import GrammarFile
    from dsgec.data.ir import Dataset

EXIT_MISTAKE, EXIT_INTERRUPTED = 1, 130
_MOST_NETWORK_BYTES = 64 << 20


def main() -> None:
    """Run the command line; a user's mistake ends with a message and never with a traceback."""
    try:
        code = commands.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except DsgecError as error:
        complain(str(error))
        code = EXIT_MISTAKE
    except (KeyboardInterrupt, click.Abort):
        complain("interrupted")
        code = EXIT_INTERRUPTED
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = EXIT_MISTAKE
    except OSError as error:
        complain(f"error: {reason(error)}")
        code = EXIT_MISTAKE
    except MemoryError:
        complain("error: there is not enough memory")
        code = EXIT_MISTAKE
    sys.exit(code if isinstance(code, int) else 0)


def complain(text: str) -> None:
    """To standard error, if there is one, and without anything that drives a terminal."""
    if sys.stderr is not None:
        click.echo(printable(text), err=True)


def say(text: str) -> None:
    """To standard output: as it is for a program, without what drives a terminal for a person."""
    if sys.stdout is not None:
        is_terminal = sys.stdout.isatty()
        click.echo(printable(text) if is_terminal else text, color=True)
        sys.stdout.flush()


class DepthLimit(click.ParamType[tuple[str, int]]):
    """`symbol=depth`."""

    name = "SYMBOL=DEPTH"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int]:
        symbol, _, depth = str(value).partition("=")
        if not symbol or not depth.isdecimal() or len(depth) > 6:
            self.fail(f"{value!r} is not like sum=4", param, ctx)
        return symbol.strip("<>"), int(depth)


def max_depth_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--max-depth`, the same for every command that has it."""
    return click.option(
        "--max-depth",
        "max_depth",
        type=DepthLimit(),
        multiple=True,
        help="How deep a symbol may recurse, such as sum=4; can be given several times.",
    )(function)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="dsgec")
def commands() -> None:
    """Compile a grammar and a table into a small neural network as source code."""


@commands.command()
@click.argument("grammar")
@click.option("--data", metavar="FILE", help="Check against this table, too.")
@click.option("--target", metavar="COLUMN", help="The target column of the table.")
@max_depth_option
def check(
    grammar: str, data: str | None, target: str | None, max_depth: tuple[tuple[str, int], ...]
) -> None:
    """Tell what is wrong with GRAMMAR, or what networks it describes."""
    from dsgec.evolution.summary import summary

    file = _grammar(grammar)
    dataset = None if data is None else _dataset(data, target)
    say(summary(file, dataset, dict(max_depth)))


@commands.command()
@click.argument("grammar")
@click.option("-n", "count", default=5, show_default=True, type=click.IntRange(1, 1_000_000))
@click.option("--data", metavar="FILE", help="Take features and classes from this table.")
@click.option("--target", metavar="COLUMN", help="The target column of the table.")
@click.option("--features", default=4, show_default=True, type=click.IntRange(1, 100_000))
@click.option("--classes", default=2, show_default=True, type=click.IntRange(1, 10_000))
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0, 2**64 - 1))
@click.option("--connect", type=click.Choice(["all", "previous"]), default="all", show_default=True)
@max_depth_option
def sample(
    grammar: str,
    count: int,
    data: str | None,
    target: str | None,
    features: int,
    classes: int,
    seed: int,
    connect: str,
    max_depth: tuple[tuple[str, int], ...],
) -> None:
    """Print random phenotypes of GRAMMAR."""
    from dsgec.bnf.expand import expand
    from dsgec.evolution.settings import Settings
    from dsgec.genome.dsge import express
    from dsgec.genome.random import Stream
    from dsgec.genome.tables import tabulate

    if data is not None:
        dataset = _dataset(data, target)
        features, classes = len(dataset.features), max(len(dataset.classes), 1)
    expanded = expand(_grammar(grammar).grammar, features, classes)
    tables = tabulate(expanded, dict(max_depth))
    for individual in range(count):
        stream = Stream(seed, 0, individual)
        derivation = express(tables, {}, stream, connect, Settings().max_size)
        say(derivation.phenotype if not derivation.fault else f"# {derivation.fault}")


@commands.command()
@click.argument("grammar")
@click.argument("data")
@click.option("--target", metavar="COLUMN", help="The target, by name or number; default: last.")
@click.option("--engine", type=click.Choice(["dsge"]), default="dsge", show_default=True)
@click.option("--population", type=int, default=100, show_default=True)
@click.option("--generations", type=int, default=500, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@max_depth_option
@click.option(
    "--connect",
    type=click.Choice(["all", "previous"]),
    default="all",
    show_default=True,
    help="What a neuron may read: all layers before its own, or the previous one.",
)
@click.option(
    "--test", type=float, default=0.3, show_default=True, help="Share of the rows kept aside."
)
@click.option("--split-seed", type=int, default=1, show_default=True, help="Draws that share.")
@click.option(
    "--backend",
    type=click.Choice(["auto", "engine", "c", "numpy", "reference"]),
    default="auto",
    show_default=True,
    help="What runs the generations; all give the same run.",
)
@click.option(
    "--threads", type=click.IntRange(1, 256), help="Of the engine; default: by the table's size."
)
@click.option(
    "--runs",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    help="Runs with seeds that follow on, each in a folder of its own.",
)
@click.option(
    "--jobs", type=click.IntRange(1, 256), help="Runs side by side; default: one a processor."
)
@click.option("--out", type=click.Path(path_type=Path), help="Where runs go; default: ./build.")
@click.option("--name", default="", help="The name of the run's folder.")
@click.option("--overwrite", is_flag=True, help="Write over another run of that name.")
@click.option("--quiet", is_flag=True, help="Only errors.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def evolve(
    grammar: str,
    data: str,
    target: str | None,
    backend: str,
    threads: int | None,
    runs: int,
    jobs: int | None,
    out: Path | None,
    name: str,
    overwrite: bool,
    quiet: bool,
    as_json: bool,
    max_depth: tuple[tuple[str, int], ...],
    **settings: Any,
) -> None:
    """Evolve a network with GRAMMAR on DATA and write it, with all that belongs to it, to a folder.

    GRAMMAR is a BNF file or the name of a shipped grammar, DATA a CSV file or a shipped table.
    """
    from dsgec.evolution.choose import choose, sensible_threads
    from dsgec.evolution.settings import Settings
    from dsgec.pipeline import prepare, refuse_other_run, run, run_many, seeded
    from dsgec.run.display import Progress, result_lines, summary_lines
    from dsgec.run.record import to_json

    chosen = Settings(max_depth=tuple(sorted(dict(max_depth).items())), **settings)
    job = prepare(grammar, data, chosen, target=target, out=out, name=name)
    each = [job] if runs == 1 else [seeded(job, chosen.seed + number) for number in range(runs)]
    if not overwrite:
        for single in each:
            refuse_other_run(single)
    _warn(job.grammar)
    if threads is None:
        threads = sensible_threads(job.problem) if runs == 1 else 1
    evolver = choose(job.problem, chosen, backend, threads)
    for remark in (job.problem.remark, evolver.remark):
        if remark and not quiet:
            complain(f"note: {remark}")
    progress = Progress(job, evolver.description, quiet=quiet or as_json)
    if runs == 1:
        finished = [run(job, evolver, progress)]
        progress.close()
    else:
        finished = run_many(
            each,
            jobs or os.cpu_count() or 1,
            lambda single: choose(single.problem, single.settings, evolver.name, threads),
            progress.run_ended,
        )
    if as_json:
        records = [{**one.record, "timing": one.timing} for one in finished]
        say(to_json(records[0] if runs == 1 else records).removesuffix("\n"))
    elif not quiet:
        lines = result_lines(finished[0]) if runs == 1 else summary_lines(finished)
        say("\n".join(lines))
    if any(one.interrupted for one in finished):
        complain("interrupted: what was reached by then is written")
        sys.exit(EXIT_INTERRUPTED)


@commands.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--to", "targets", default="c,numpy", show_default=True, metavar="TARGET[,…]")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: the run's folder.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
def export(run: Path, targets: str, out: Path | None, name: str | None) -> None:
    """Write the network of RUN, a run's folder, as source code."""
    from dsgec.run.export import export as write
    from dsgec.run.export import parse_targets
    from dsgec.run.record import read_model

    model, own_name = read_model(run)
    for path in write(model, parse_targets(targets), name or own_name, out or run):
        say(str(path))


@commands.command("compile")
@click.argument("net", type=click.Path(path_type=Path))
@click.option("--to", "targets", default="c,numpy", show_default=True, metavar="TARGET[,…]")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: beside NET.")
@click.option("--name", help="Name of the module and prefix of its C symbols.")
@click.option("--layered", is_flag=True, help="In NET, `-` and `--` separate neurons and layers.")
def compile_(net: Path, targets: str, out: Path | None, name: str | None, layered: bool) -> None:
    """Write the network in the text file NET as source code; `-` reads standard input."""
    from dsgec.codegen.names import safe_name
    from dsgec.network.model import unnamed
    from dsgec.network.parse import parse, parse_phenotype
    from dsgec.network.simplify import simplify
    from dsgec.resources import read_bytes
    from dsgec.run.export import export as write
    from dsgec.run.export import parse_targets

    source = str(net)
    if source != "-":
        data = read_bytes(net, source, _MOST_NETWORK_BYTES)
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
    for path in write(unnamed(simplify(network)), parse_targets(targets), name or own_name, folder):
        say(str(path))


@commands.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("data")
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Default: standard output.")
def predict(run: Path, data: str, out: Path | None) -> None:
    """Predict every row of DATA with the network of RUN, as CSV."""
    from dsgec.data.table import read_table
    from dsgec.run.files import write_whole
    from dsgec.run.predict import predictions
    from dsgec.run.record import read_model

    model, _ = read_model(run)
    text = predictions(model, read_table(data))
    if out is None:
        say(text.removesuffix("\n"))
    else:
        write_whole(out, text)
        say(str(out))


@commands.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the network to this file.")
def show(run: Path, svg: Path | None) -> None:
    """Print the equations of the network of RUN, or draw it."""
    from dsgec.network.text import text
    from dsgec.run.drawing import draw
    from dsgec.run.files import write_whole
    from dsgec.run.record import read_model

    model, _ = read_model(run)
    if svg is not None:
        write_whole(svg, draw(model))
        say(str(svg))
        return
    for number, name in enumerate(model.features, 1):
        say(f"# x_{number} is {name!a}")
    if model.classes:
        say(f"# classes: {', '.join(ascii(label) for label in model.classes)}")
    say(text(model.network).removesuffix("\n"))


@commands.command()
def doctor() -> None:
    """Tell which compiler and which backend are used here, and why, and test them."""
    from dsgec.run.doctor import diagnosis

    for line in diagnosis():
        say(line)


@commands.command()
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def bench(as_json: bool) -> None:
    """Measure this machine in a minute and a half: speeds, growth, threads, compiling."""
    from dsgec.run.bench import bench as measurements
    from dsgec.run.bench import table_lines
    from dsgec.run.record import to_json

    reports = {}
    for name, report in measurements():
        reports[name] = report
        if not as_json:
            say("\n".join(table_lines(name, report)))
    if as_json:
        say(to_json(reports).removesuffix("\n"))


def _dataset(name: str, target: str | None) -> "Dataset":
    from dsgec.data.dataset import make_dataset
    from dsgec.data.table import read_table

    return make_dataset(read_table(name), target)


def _grammar(name: str) -> "GrammarFile":
    from dsgec.bnf.load import load_grammar

    file = load_grammar(name)
    _warn(file)
    return file


def _warn(file: "GrammarFile") -> None:
    for warning in file.warnings:
        complain(str(warning))
