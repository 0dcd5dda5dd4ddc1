"""`dsgec init`, `check`, `sample`, `grammars` and `tables`: what to start from."""

import shlex
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dsgec.cli.options import (
    Decorator,
    GroupedCommand,
    complete_grammar,
    complete_table,
    connect_option,
    max_depth_option,
)
from dsgec.cli.output import print_message, print_result
from dsgec.cli.shared_options import TableOptions, table_options
from dsgec.errors import DsgecError

PHENOTYPES = ("networks", "any")
_phenotypes_option: Decorator = click.option(
    "--phenotypes",
    type=click.Choice(PHENOTYPES),
    default=PHENOTYPES[0],
    help="What GRAMMAR derives: networks, or any texts, for `dsgec search`; default: networks.",
)

if TYPE_CHECKING:
    from dsgec.grammar.load import GrammarFile


@click.command(cls=GroupedCommand)
@click.argument("folder", type=click.Path(path_type=Path), default=".", metavar="[FOLDER]")
def init(folder: Path) -> None:
    """Write a grammar, a configuration and a study to start from.

    network.bnf, run.toml and study.toml are written to FOLDER; default: the working folder. They
    have comments and work as they are. Existing files are never overwritten.
    """
    from dsgec.folder import open_writable
    from dsgec.resources import START

    advice = "Choose another folder: `dsgec init FOLDER`."
    files = {file.name: file.read_bytes() for file in START.iterdir()}
    names = sorted(files)
    with ExitStack() as exits:
        try:
            opened = exits.enter_context(open_writable(folder))
        except DsgecError as error:
            raise DsgecError(error.faults[0].message, advice) from error
        if there := [name for name in names if opened.has(name)]:
            raise DsgecError(f"{folder} already has {', '.join(there)}", advice)
        for name in names:
            opened.write(name, files[name])
    print_result("\n".join(str(folder / name) for name in names))
    print_message(f"try: dsgec evolve --config {shlex.quote(str(folder / 'run.toml'))}")


@click.command(cls=GroupedCommand)
@click.argument("grammar", shell_complete=complete_grammar)
@click.option(
    "--data", shell_complete=complete_table, metavar="FILE", help="Check against this table, too."
)
@_phenotypes_option
@max_depth_option
@table_options
def check(
    grammar: str,
    data: str | None,
    phenotypes: str,
    max_depth: tuple[tuple[str, int], ...],
    table: TableOptions,
) -> None:
    """List the errors of GRAMMAR, or describe what it derives."""
    from dsgec.cli.terminal.grammar import describe_grammar, describe_text_grammar

    if phenotypes == "any":
        print_result(describe_text_grammar(_load_grammar(grammar, any_text=True), dict(max_depth)))
        return
    file = _load_grammar(grammar)
    dataset = None if data is None else table.with_defaults(learned=True).read_dataset(data)
    print_result(describe_grammar(file, dataset, dict(max_depth)))


@click.command(cls=GroupedCommand)
@click.argument("grammar", shell_complete=complete_grammar)
@click.option(
    "-n",
    "count",
    default=5,
    type=click.IntRange(1, 1_000_000),
    help="Number of phenotypes; default: 5.",
)
@click.option(
    "--data",
    shell_complete=complete_table,
    metavar="FILE",
    help="Take features and classes from this table.",
)
@click.option(
    "--features",
    default=4,
    type=click.IntRange(1, 100_000),
    help="Number of features; default: 4.",
)
@click.option(
    "--classes", default=2, type=click.IntRange(1, 10_000), help="Number of classes; default: 2."
)
@click.option(
    "--seed", default=1, type=click.IntRange(0, 2**64 - 1), help="Random seed; default: 1."
)
@_phenotypes_option
@connect_option
@max_depth_option
@table_options
def sample(
    grammar: str,
    count: int,
    data: str | None,
    features: int,
    classes: int,
    seed: int,
    phenotypes: str,
    connect: str,
    max_depth: tuple[tuple[str, int], ...],
    table: TableOptions,
) -> None:
    """Print random phenotypes of GRAMMAR."""
    from dsgec.grammar.expand import expand
    from dsgec.grammar.genome.dsge import Dsge
    from dsgec.grammar.genome.rule_tables import make_rule_tables
    from dsgec.grammar.indentation import indent_lines
    from dsgec.random import Stream
    from dsgec.search.settings import Settings
    from dsgec.search.text_problem import expand_text_grammar

    if data is not None:
        dataset = table.with_defaults(learned=True).read_dataset(data)
        features, classes = len(dataset.features), max(len(dataset.classes), 1)
    any_text = phenotypes == "any"
    own = _load_grammar(grammar, any_text=any_text).grammar
    expand_own = expand_text_grammar if any_text else expand
    expanded = expand_own(own, features, classes)
    tables = make_rule_tables(expanded, dict(max_depth))
    dsge = Dsge(tables, connect, Settings().max_size)
    for individual in range(count):
        derivation = dsge.express({}, Stream(seed, 0, individual))
        text = derivation.phenotype if not derivation.fault else f"# {derivation.fault}"
        print_result(indent_lines(text) if expanded.directives.indent else text)


def _load_grammar(name: str, *, any_text: bool = False) -> "GrammarFile":
    """Load a grammar, and print its warnings."""
    from dsgec.grammar.load import load_grammar

    file = load_grammar(name, any_text=any_text)
    for warning in file.warnings:
        print_message(str(warning))
    return file


@click.command(cls=GroupedCommand)
def grammars() -> None:
    """List the shipped grammars and the tables that they fit."""
    from dsgec.cli.terminal.shipped import shipped_grammars

    _print_list(shipped_grammars())


@click.command(cls=GroupedCommand)
def tables() -> None:
    """List the shipped tables with their sizes."""
    from dsgec.cli.terminal.shipped import shipped_tables

    _print_list(shipped_tables())


def _print_list(entries: Iterator[tuple[str, str]]) -> None:
    from dsgec.cli.terminal.shipped import list_lines
    from dsgec.cli.terminal.styled import make_encodable, size_of

    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    columns = size_of(sys.stdout)[0] if is_terminal else None
    print_result(make_encodable("\n".join(list_lines(entries, columns)), sys.stdout))
