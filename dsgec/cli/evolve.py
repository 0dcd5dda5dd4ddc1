"""`dsgec evolve`."""

import re
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click

from dsgec.cli.complete import complete_grammar, complete_table
from dsgec.cli.config import config_option, named_inputs
from dsgec.cli.help import GroupedCommand
from dsgec.cli.options import Migration, collecting, option, options_of, warn
from dsgec.cli.output import complain
from dsgec.cli.session import SessionOptions, run_options, session_options
from dsgec.cli.tables import TableOptions, table_options
from dsgec.engine.processors import processors
from dsgec.errors import DsgecError, wrong
from dsgec.grammar.genome.ir import REPRESENTATIONS
from dsgec.resources import GRAMMARS, shipped_names
from dsgec.search.settings import DTYPES, SETTINGS, Preset, Settings, make_settings
from dsgec.setting import make

_PERCENTS = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?) ?%")


def share_or_table(test: str | None, folds: int | None, runs: int) -> tuple[float, str | None]:
    """What `--test` says: a share of the rows, or a table."""
    if folds and (test is not None or runs > 1):
        raise DsgecError(
            "--cv goes with neither --runs nor --test", "It tests with every row of DATA once."
        )
    if test is None:
        return Settings().test, None
    try:
        return float(test), None
    except ValueError:
        pass
    percents = _PERCENTS.fullmatch(test)
    if percents and not Path(test).exists():
        share = float(percents[1]) / 100
        raise wrong("test", f"is `{test}`, neither a share nor a table", f"Write --test {share:g}.")
    return 0.0, test


# What these take is more than their setting: a table, too, and nothing at all.
_OTHERWISE: dict[str, dict[str, Any]] = {
    "test": {
        "type": str,
        "default": None,
        "show_default": False,
        "metavar": "SHARE|FILE",
    },
    "folds": {"type": click.IntRange(2), "default": None, "show_default": False},
    "dtype": {"type": str, "metavar": f"[{'|'.join(DTYPES)}]"},  # others get advice of their own
}
_OPTIONS = (
    *(option(one, **_OTHERWISE.get(one.name, {})) for one in SETTINGS if one.name != "fold"),
    *options_of(Preset),
    click.option("--engine", type=click.Choice(REPRESENTATIONS), hidden=True),
    click.option("--migrate", type=Migration(), hidden=True),
)


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """What was given, whether by today's options or by those of before."""
    engine, migrate = values.pop("engine"), values.pop("migrate")
    if engine:
        values["representation"] = engine
    if migrate:
        values["migrate_every"], values["migrants"] = migrate
    return values


def _no_grammar(data: str) -> str:
    """A table that was named without a grammar; it is easily the other way round."""
    if data in shipped_names(GRAMMARS, ".bnf") and not Path(data).exists():
        raise DsgecError(f"{data} is a grammar", f"Name a table, too: dsgec evolve {data} DATA.")
    return data


_COMMON = (
    "target",
    "ignore",
    "group",
    "test",
    "effort",
    "minimise",
    "runs",
    "out",
    "name",
    "overwrite",
)
"""The options that `--help` shows; `--help-all` has the others, too."""
_EXAMPLES = (
    ("dsgec evolve wdbc --effort quick", "a shipped table, in about a second"),
    ("dsgec evolve data.csv --target state", "your own table and the column to predict"),
    ("dsgec evolve data.csv --minimise flash", "networks for a small chip"),
)


@click.command(cls=GroupedCommand, common=_COMMON, examples=_EXAMPLES)
@click.argument("grammar", required=False, shell_complete=complete_grammar)
@click.argument("data", required=False, metavar="DATA", shell_complete=complete_table)
@config_option
@partial(collecting, name="settings", make=_given, options=_OPTIONS)
@run_options
@session_options
@table_options
def evolve(
    grammar: str | None,
    data: str | None,
    runs: int,
    jobs: int | None,
    out: Path | None,
    name: str,
    overwrite: bool,
    settings: dict[str, Any],
    table: TableOptions,
    session: SessionOptions,
) -> None:
    """Evolve a network on a table and write it to a folder, as code too.

    DATA is a table: a CSV, TSV, ARFF or Parquet file, packed with gzip or not, `-` for standard
    input, or the name of a shipped one. GRAMMAR is a BNF file or the name of a shipped grammar;
    without one, it is chosen by the task.

    A run that was interrupted or killed is resumed by the same command.
    """
    named, data = named_inputs(grammar, data)
    test, folds = settings.pop("test"), settings.pop("folds")
    share, test_table = share_or_table(test, folds, runs)
    count = folds or runs
    workers = None
    with ExitStack() as held:
        if count > 1:  # processes start while this one imports and reads
            from dsgec.study.processes import Processes

            workers = Processes(min(jobs or processors(), count), "dsgec.study.many")
            held.callback(workers.close)
        from dsgec.cli.start import reference, start, start_many
        from dsgec.cli.terminal.display import choices
        from dsgec.grammar.load import load_grammar
        from dsgec.pipeline import prepare, refuse_other
        from dsgec.run.config import Inputs
        from dsgec.search.budget import with_budget
        from dsgec.search.usual import usual_grammar
        from dsgec.study.many import cross_validated, seeded

        preset = make(Preset, settings)
        if preset.effort != Preset().effort and not preset.learns and not session.quiet:
            complain("note: --effort has no effect with --preset paper; --generations has")
        chosen = make_settings({**settings, "test": share}, preset)
        file = None if named is None else load_grammar(named)
        table = table.with_defaults(learned=preset.learns)
        dataset = table.dataset(data if named else _no_grammar(data), test_table)
        grammar = named or usual_grammar(len(dataset.classes))
        file = file or load_grammar(grammar)
        chosen = with_budget(chosen, settings, preset, dataset)
        inputs = Inputs(grammar, data, test_table, preset.preset)
        job = prepare(file, dataset, chosen, out=out, name=name, inputs=inputs)
        if named is None and not session.quiet:
            complain(choices(job))
        each = [partial(seeded, job, chosen.seed + number) for number in range(runs)]
        if folds:
            each = [partial(cross_validated, job, dataset, folds, fold) for fold in range(folds)]
            job = each[0]()
        for one in each:  # every error is found before a run begins
            single = one() if workers else job
            if not overwrite:
                refuse_other(single)
        warn(job.grammar)
        arguments = {
            "grammar": reference(grammar),
            "data": reference(data),
            "test": reference(test_table) if test_table else None,
            "table": table.as_json(),
            "inputs": inputs.as_json(),
        }
        if workers:
            start_many(
                each, job, session, arguments, workers, overwrite=overwrite, folds=bool(folds)
            )
        else:
            start(job, session, arguments, overwrite=overwrite)
