"""`dsgec evolve` and `dsgec resume`."""

import re
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dsgec.background import processors
from dsgec.cli.options import (
    GroupedCommand,
    collect,
    complete_grammar,
    complete_table,
    option,
    options_of,
)
from dsgec.cli.output import print_message
from dsgec.cli.shared_options import (
    SessionOptions,
    TableOptions,
    absolute,
    config_option,
    find_inputs,
    run_options,
    session_options,
    table_options,
)
from dsgec.errors import DsgecError, setting_error
from dsgec.resources import GRAMMARS, shipped_names
from dsgec.search.presets import Preset, make_settings
from dsgec.search.settings import DTYPES, SETTINGS, Settings
from dsgec.setting import make

if TYPE_CHECKING:
    from dsgec.data.dataset import Dataset
    from dsgec.run.checkpoint import Checkpoint
    from dsgec.run.config import Inputs
    from dsgec.run.job import Job

_PERCENTS = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?) ?%")

# Options that take other values than their settings.
_OTHERS: dict[str, dict[str, Any]] = {
    "test": {"type": str, "default": None, "metavar": "SHARE|FILE"},
    "folds": {
        "type": click.IntRange(2),
        "default": None,
        "help": "Folds of a cross-validation, each of which is a run.",
    },
    "dtype": {"type": str, "metavar": f"[{'|'.join(DTYPES)}]"},  # advice for fixed point follows
}
_OPTIONS = (
    *(option(one, **_OTHERS.get(one.name, {})) for one in SETTINGS if one.name != "fold"),
    *options_of(Preset),
)
# The options that `--help` shows; `--help-all` shows all.
_COMMON = (
    *("target", "ignore", "test", "effort", "flash", "chip"),
    *("runs", "out", "name", "overwrite"),
)
_EXAMPLES = (
    ("dsgec evolve wdbc --effort quick", "a shipped table, in about a second"),
    ("dsgec evolve data.csv --target state", "your own table and the column to predict"),
    ("dsgec evolve data.csv --flash 1KB --chip avr", "the best network that fits"),
)


def _parse_test(test: str | None, folds: int | None, runs: int) -> tuple[float, str | None]:
    """Return what `--test` gives: a share of the rows, or the name of a table."""
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
        raise setting_error(
            "test", f"is `{test}`, neither a share nor a table", f"Write --test {share:g}."
        )
    return 0.0, test


def _refuse_grammar(data: str) -> str:
    """Return the name of a table that is the only argument, unless it is that of a grammar."""
    if data in shipped_names(GRAMMARS, ".bnf") and not Path(data).exists():
        raise DsgecError(f"{data} is a grammar", f"Name a table, too: dsgec evolve {data} DATA.")
    return data


@click.command(cls=GroupedCommand, common=_COMMON, examples=_EXAMPLES)
@click.argument("grammar", required=False, shell_complete=complete_grammar)
@click.argument("data", required=False, metavar="DATA", shell_complete=complete_table)
@config_option
@partial(collect, name="settings", make=dict, options=_OPTIONS)
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
    """Evolve a network on a table and export it to a folder.

    DATA is a table: a CSV, TSV, ARFF or Parquet file, which may be compressed with gzip, `-` for
    standard input, or the name of a shipped table. GRAMMAR is a BNF file or the name of a shipped
    grammar; default: chosen by the task.

    The same command resumes a run that was interrupted or killed.
    """
    named, data = find_inputs(grammar, data)
    test, folds = settings.pop("test"), settings.pop("folds")
    share, test_table = _parse_test(test, folds, runs)
    count = folds or runs
    workers = None
    with ExitStack() as exits:
        if count > 1:  # processes start while this one imports and reads
            from dsgec.study.processes import Processes

            workers = Processes(min(jobs or processors(), count), "dsgec.study.many")
            exits.callback(workers.close)
        from dsgec.cli.jobs import run_job, run_jobs
        from dsgec.cli.terminal.progress import describe_choices
        from dsgec.pipeline import refuse_other
        from dsgec.study.many import cross_validated, with_seed

        preset = _make_preset(settings, session)
        chosen = make_settings({**settings, "test": share}, preset)
        table = table.with_defaults(learned=preset.learns)
        files = (named, data, test_table)
        job, dataset, inputs = _prepare(files, chosen, settings, preset, table, out=out, name=name)
        if named is None and not session.quiet:
            print_message(describe_choices(job))
        each = [partial(with_seed, job, job.settings.seed + number) for number in range(runs)]
        if folds:
            each = [partial(cross_validated, job, dataset, folds, fold) for fold in range(folds)]
            job = each[0]()
        for make_job in each:  # every error is found before a run begins
            single = make_job() if workers else job
            if not overwrite:
                refuse_other(single)
        for warning in job.grammar.warnings:
            print_message(str(warning))
        arguments = {
            "grammar": absolute(inputs.grammar),
            "data": absolute(data),
            "test": absolute(test_table) if test_table else None,
            "table": table.as_json(),
            "inputs": inputs.as_json(),
        }
        if workers:
            what = "folds" if folds else "runs"
            run_jobs(each, job, session, arguments, workers, overwrite=overwrite, what=what)
        else:
            run_job(job, session, arguments, overwrite=overwrite)


def _make_preset(given: dict[str, Any], session: SessionOptions) -> Preset:
    preset = make(Preset, given)
    if preset.effort != Preset().effort and not preset.learns and not session.quiet:
        print_message("note: --effort has no effect with --preset paper; --generations has")
    return preset


def _prepare(
    files: tuple[str | None, str, str | None],
    chosen: Settings,
    given: dict[str, Any],
    preset: Preset,
    table: TableOptions,
    *,
    out: Path | None,
    name: str,
) -> "tuple[Job, Dataset, Inputs]":
    """Read the grammar, the table and the test table; return the job, its data set and their names.

    The settings are `chosen` from those that were `given`; some defaults follow from the table.
    """
    from dsgec.grammar.load import load_grammar
    from dsgec.pipeline import prepare
    from dsgec.run.config import Inputs
    from dsgec.search.defaults import default_grammar, with_defaults
    from dsgec.search.signal_features import name_features

    named, data, test = files
    file = None if named is None else load_grammar(named)
    dataset = table.read_dataset(data if named else _refuse_grammar(data), test)
    grammar = named or default_grammar(dataset, given)
    file, dataset = name_features(file or load_grammar(grammar), dataset)
    context = (chosen, given, preset, dataset, file.grammar)
    settings = with_defaults(*context, is_default=named is None)
    inputs = Inputs(grammar, data, test, preset.preset)
    job = prepare(file, dataset, settings, out=out, name=name, inputs=inputs)
    return job, dataset, inputs


@click.command(cls=GroupedCommand)
@click.argument("run", type=click.Path(path_type=Path))
@session_options
def resume(run: Path, session: SessionOptions) -> None:
    """Resume the interrupted run in the folder RUN.

    The result is the same, byte for byte, as without the interruption. `dsgec evolve` with the same
    arguments as before also resumes a run.
    """
    from dsgec.cli.jobs import run_job
    from dsgec.folder import open_folder
    from dsgec.run.checkpoint import has_checkpoint, read_checkpoint, refuse_other_version
    from dsgec.run.folder import read_record
    from dsgec.run.text_result import is_text_run, read_text_record
    from dsgec.search.evolver import ENDS

    with open_folder(run) as folder:
        if not has_checkpoint(folder):
            record = read_text_record if is_text_run(folder) else read_record
            if record(folder).result.ended in ENDS:
                raise DsgecError(f"the run in {run} has ended: there is nothing to resume")
            raise DsgecError(
                f"{run} has no checkpoint to resume from",
                "Start the run again with `dsgec evolve`.",
            )
        checkpoint = read_checkpoint(folder)
        refuse_other_version(folder, checkpoint)
    if "search" in checkpoint.arguments:
        from dsgec.cli.search import resume_search

        resume_search(run, checkpoint, session)
        return
    run_job(_read_job(run, checkpoint), session, checkpoint.arguments)


def _read_job(run: Path, checkpoint: "Checkpoint") -> "Job":
    """Return the job of a checkpoint; its grammar and table are read again."""
    from dsgec.cli.jobs import refuse_changed
    from dsgec.grammar.load import load_grammar
    from dsgec.pipeline import prepare
    from dsgec.run.config import Inputs

    arguments = checkpoint.arguments
    grammar, data, test = (arguments.get(name) for name in ("grammar", "data", "test"))
    if not isinstance(grammar, str) or not isinstance(data, str) or "-" in (data, test):
        raise DsgecError(
            f"the checkpoint in {run} does not say where its table is",
            "Start the run again as it was started, with the same arguments: that resumes it.",
        )
    settings = Settings.from_json(checkpoint.asked.get("settings", {}))
    file = load_grammar(grammar)
    table = _table_options(arguments.get("table"))
    dataset = table.read_dataset(data, test if isinstance(test, str) else None)
    inputs = Inputs.read(arguments.get("inputs"))
    job = replace(prepare(file, dataset, settings, inputs=inputs), named=run)
    refuse_changed(run, checkpoint, job, {"grammar": grammar, "data": data}, "run", "evolve")
    return job


def _table_options(values: Any) -> TableOptions:
    try:
        return TableOptions.make(values if isinstance(values, dict) else {})
    except DsgecError as error:
        raise DsgecError("the checkpoint does not say how its table was read") from error
