"""The pipeline: what the command line and a program that uses dsgec call.

The stages, in order. A stage imports only those above it, and any of them may import `errors`,
`folder`, `random` and `resources`, which import nothing of these.

arithmetic  a definition          → functions     the same bits in C, numpy, Python, JavaScript
bnf         a grammar file        → Grammar       rules as values, every error of the file found
genome      Grammar, integers     → phenotype     a text that the grammar derives
network     phenotype             → Network       flat, checked, simplified
codegen     Network               → source text   C, numpy and others, one operation a line
native      source text           → functions     compiled, cached, loaded
targets     Network               → files         a folder for each: emit, read back, run
workers     calls                 → results       by processes here, or by a dask cluster's
data        a table file          → Dataset       features and target as numbers
fitness     outputs               → a score       what is minimised, what people read
evolution   scores                → generations   select, cross, mutate
drawing     Network, numbers      → pictures      SVG, Graphviz, charts
run         generations           → a folder      record, history, network, hall of fame
artefacts   a model               → exports       written, read back, verified
study       many runs             → tables        representations × grammars × data sets × seeds
report      a folder              → a page        figures, and the network running in the browser
terminal    any of these          → a terminal    progress, results, portraits
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from dsgec.artefacts.export import artefact_files, exported
from dsgec.bnf.load import GrammarFile, load_grammar
from dsgec.codegen.artefact import QUICK, Artefact
from dsgec.codegen.names import is_portable
from dsgec.data.dataset import make_dataset
from dsgec.data.ir import Dataset
from dsgec.data.table import read_table
from dsgec.errors import DsgecError
from dsgec.evolution.choose import choose
from dsgec.evolution.evolver import ENDS, Evolver, Generation, with_best
from dsgec.evolution.problem import make_problem
from dsgec.evolution.scoring import Champion
from dsgec.evolution.settings import Settings
from dsgec.folder import Folder, locked, open_folder
from dsgec.network.model import Model, unnamed
from dsgec.network.parse import parse
from dsgec.report import prepare_page, write_page
from dsgec.run.checkpoint import is_begun, read_checkpoint, refuse_other_version, remove_checkpoint
from dsgec.run.evidence import evidence
from dsgec.run.hall import hall_text
from dsgec.run.history import HistoryRow
from dsgec.run.job import Job, Run
from dsgec.run.manifest import NAME as MANIFEST
from dsgec.run.manifest import read_manifest
from dsgec.run.record import (
    EVIDENCE,
    HALL,
    PAGE,
    best_model,
    clear_run,
    has_record,
    identity,
    is_same_run,
    make_record,
    make_timing,
    read_model,
    read_record,
    read_timing,
    to_json,
    with_stages,
    write_run,
    write_timing,
)
from dsgec.run.stages import Stages
from dsgec.run.under_way import USUAL_SITTING, Sitting, UnderWay, ignore
from dsgec.workers import process
from dsgec.workers.crew import Crew

EXPORTED = ("numpy", "c")
"""The targets that every run's folder has."""

_SECONDS_BETWEEN_LOOKS = 0.2  # at whether several runs are to stop


def prepare(
    grammar: str | GrammarFile,
    data: str | Dataset,
    settings: Settings,
    *,
    target: str | None = None,
    out: Path | None = None,
    name: str = "",
) -> Job:
    """Read and check everything that a run needs, so that no mistake is found later."""
    if name and not is_portable(name):
        raise DsgecError(
            f"`{name}` cannot name a folder everywhere",
            "Use letters, digits, `_`, `.` and `-`; say where it is to be with --out.",
        )
    grammar_file = load_grammar(grammar) if isinstance(grammar, str) else grammar
    dataset = make_dataset(read_table(data), target) if isinstance(data, str) else data
    problem = make_problem(grammar_file.grammar, dataset, settings)
    folder = (out or Path("build")) / (
        name or f"{dataset.name}-{grammar_file.name}-seed{settings.seed}"
    )
    return Job(grammar_file, problem, settings, folder)


def run(
    job: Job,
    evolver: Evolver,
    on_generation: Callable[[Generation], None],
    sitting: Sitting = USUAL_SITTING,
    stop: threading.Event | None = None,
) -> Run:
    """Evolve, from the folder's checkpoint if it has one, and write the folder.

    When `stop` is set, the generation under way is finished, and the run ends with what it has; it
    can be gone on with later, as it can after a kill.
    """
    with locked(job.named, "run", job.fold) as folder:
        if not sitting.anew:
            _refuse_other(folder, job)  # what was there a while ago may have been another
        under_way = UnderWay(job, folder, evolver, sitting)
        threading.Thread(target=_warm_up, daemon=True).start()

        def tell(states: Sequence[Generation]) -> None:
            for state in states:
                on_generation(state)

        stopped = False
        for states in evolver.slices(under_way.ending):
            under_way.add(states)
            tell(states)
            stopped = stop is not None and stop.is_set()
            is_over, is_due = stopped or under_way.is_over, under_way.is_due
            if stopped:
                sitting.on_stop()
            if is_over or is_due:
                tell(under_way.finish_generation())
            if is_over:
                break
            if is_due and not under_way.ending.reason:
                under_way.try_to_save()
        return _write(job, folder, evolver, under_way, stopped)


@cache
def _warm_up() -> None:
    """Compile the templates beside the engine, by a small export: it takes a third of a second."""
    small = Artefact(unnamed(parse("sig(x_1)")), "net", selftest=QUICK)
    artefact_files(small, EXPORTED)
    prepare_page()


def _write(job: Job, folder: Folder, evolver: Evolver, under_way: UnderWay, stopped: bool) -> Run:
    seconds = under_way.seconds
    stages = Stages(under_way.sitting.on_stage)
    champions = evolver.champions
    last = with_best(under_way.last, champions)
    ended = under_way.ending.reason or ("interrupted" if stopped else "max-seconds")
    is_finished = bool(under_way.ending.reason)
    trouble = ""
    if not is_finished:
        with stages("checkpoint"):
            trouble = _last_save(under_way)
    timing = make_timing(evolver.name, seconds, last.evaluations)
    with stages("results"):
        record = make_record(job.problem, job.settings, job.grammar, last, ended)
        model = best_model(job.problem, last)
        drawn = evidence(job.problem, model)
    with stages("hall_of_fame"):
        best = Champion(last.size, last.best.fitness, last.best.derivation.phenotype)
        hall = hall_text(job.problem, champions, best, evolver.measurer())
    timing = write_folder(folder, record, model, under_way.history, timing, hall, drawn, stages)
    if is_finished:
        remove_checkpoint(folder)
    if trouble:
        raise DsgecError(
            trouble,
            f"The best network so far is in {job.folder}, but to go on from here there is only the"
            " checkpoint before, if there is one.",
        )
    files = exported(EXPORTED, record["model"]["name"], folder)
    return Run(folder.path, record, timing, tuple(files))


def _last_save(under_way: UnderWay) -> str:
    """Before anything else: this is what must not be lost. What is wrong, if it cannot be done."""
    try:
        under_way.save()
    except DsgecError as error:
        return error.faults[0].message
    return ""


def write_folder(
    folder: Folder,
    record: dict[str, Any],
    model: Model,
    history: Sequence[HistoryRow],
    timing: dict[str, Any],
    hall: str,
    drawn: dict[str, Any],
    stages: Stages | None = None,
) -> dict[str, Any]:
    """All that a run leaves, in the place of what an earlier one left; the page comes last.

    Gives the timing as it was written: with that of all stages.
    """
    stages = stages or Stages()
    # A run does not wait for the last of the self-test; `dsgec export` searches on.
    artefact = Artefact(model, record["model"]["name"], selftest=QUICK)
    with stages("self_test"):
        _ = artefact.golden  # which all exports share
    with stages("exports"):
        files = artefact_files(artefact, EXPORTED)
        if hall:
            files[HALL] = hall
        if drawn:
            files[EVIDENCE] = to_json(drawn)
        clear_run(folder)
        timed = with_stages(timing, stages.seconds)
        write_run(folder, record, model.network, history, timed, files)
    if drawn:
        with stages("report"):
            try_report(folder)
    timing = with_stages(timing, stages.seconds)
    write_timing(folder, timing)
    return timing


def try_report(folder: Folder) -> None:
    """Write the page; a run that is too long for one has ended all the same."""
    try:
        write_page(folder)
    except DsgecError as error:
        if isinstance(error.__cause__, OSError):
            raise  # a full disk, say: the page is written when the run is started again


def run_many(
    each: Sequence[Callable[[], Job]],
    crew: Crew,
    backend: str,
    threads: int,
    on_run: Callable[[Run], None],
    sitting: Sitting = USUAL_SITTING,
    stop: threading.Event | None = None,
) -> list[Run]:
    """Several runs over the processes of a crew; `on_run` is called in their order.

    A job is made when its turn comes, where it runs, as each may hold a table of its own: by a
    function that a process can import. One whose folder has its result already is not run again.
    When `stop` is set, or one fails, those under way end with what they have, and no more begin.
    """
    stop = stop or threading.Event()
    # Which are for this process.
    quiet = replace(sitting, on_stop=ignore, on_trouble=ignore, on_stage=ignore)
    ended: dict[int, Run] = {}
    failures: list[Exception] = []
    told = 0
    is_stopped = False
    crew.on_remark = sitting.on_trouble
    shared = crew.share(tuple(each))
    calls = {
        crew.submit(_one_of, shared, number, backend, threads, quiet): number
        for number in range(0 if stop.is_set() else len(each))
    }
    while calls:
        for call in crew.ended(_SECONDS_BETWEEN_LOOKS):
            number = calls.pop(call)
            try:
                ended[number] = call.result()
            except DsgecError as error:
                failures.append(error.of(f"run {number + 1} of {len(each)}"))
            except Exception as error:
                failures.append(error)
        while told in ended:
            on_run(ended[told])
            told += 1
        if (failures or stop.is_set()) and not is_stopped:
            is_stopped = True  # those under way end soon, and then a failure is told
            if not failures:
                sitting.on_stop()
            for call in crew.stop():
                del calls[call]
    if failures:
        raise failures[0]
    in_order = [ended[number] for number in sorted(ended)]
    for single in in_order[told:]:
        on_run(single)
    return in_order


def _one_of(
    each: Sequence[Callable[[], Job]], number: int, backend: str, threads: int, sitting: Sitting
) -> Run:
    """What a process of the crew does."""
    job = each[number]()
    found = None if sitting.anew else finished_run(job)
    if found is not None:
        return found
    evolver = choose(job.problem, job.settings, backend, threads)
    here = replace(sitting, on_trouble=process.remark)
    return run(job, evolver, lambda _: None, here, process.stop)


def seeded(job: Job, seed: int) -> Job:
    """The same job with another seed, in a folder of its own."""
    name = job.named.name.removesuffix(f"-seed{job.settings.seed}")
    folder = job.named.with_name(f"{name}-seed{seed}")
    return replace(job, settings=replace(job.settings, seed=seed), named=folder)


def cross_validated(job: Job, dataset: Dataset, folds: int, fold: int) -> Job:
    """The job of one of so many folds, in a folder of its own within the job's."""
    folder = job.named.with_name(f"{job.named.name}-cv{folds}")
    settings = replace(job.settings, folds=folds, fold=fold)
    problem = make_problem(job.grammar.grammar, dataset, settings)
    return Job(job.grammar, problem, settings, folder, f"fold{fold + 1}")


@contextlib.contextmanager
def _opened(job: Job) -> Iterator[Folder | None]:
    """The folder of a job, if there is one already."""
    with contextlib.ExitStack() as held:
        folder: Folder | None = None
        if job.named.exists():
            folder = held.enter_context(open_folder(job.named))
            if job.fold:
                outer, has_fold = folder, folder.has(job.fold)
                folder = held.enter_context(outer.below(job.fold)) if has_fold else None
        yield folder


def finished_run(job: Job) -> Run | None:
    """The run of this job, if its folder has it, whole and of this version."""
    with _opened(job) as folder:
        if folder is None or is_begun(folder) or not (has_record(folder) and folder.has(MANIFEST)):
            return None
        record = read_record(folder)
        asked = identity(job.grammar, job.problem.dataset, job.settings)
        if not is_same_run(record, asked) or record.get("dsgec") != asked["dsgec"]:
            return None
        result, timing = record.get("result"), read_timing(folder)
        if not isinstance(result, dict) or result.get("ended") not in ENDS or timing is None:
            return None
        if PAGE not in read_manifest(folder):  # where it is entered last
            try_report(folder)
        _, name = read_model(folder)
        return Run(folder.path, record, timing, tuple(exported(EXPORTED, name, folder)))


def refuse_other_run(job: Job) -> None:
    """A folder with another run, finished or under way, is not written over unasked."""
    with _opened(job) as folder:
        if folder is not None:
            _refuse_other(folder, job)


def _refuse_other(folder: Folder, job: Job) -> None:
    advice = "Choose another --name, or write over it with --overwrite."
    asked = identity(job.grammar, job.problem.dataset, job.settings)
    if is_begun(folder):
        checkpoint = read_checkpoint(folder)
        if not is_same_run(checkpoint.asked, asked):
            raise DsgecError(f"{folder.path} holds another run, which has not ended", advice)
        refuse_other_version(folder, checkpoint)
        if not checkpoint.arguments.get("overwrites"):
            _refuse_other_result(folder, asked, advice)
    else:
        _refuse_other_result(folder, asked, advice)


def _refuse_other_result(folder: Folder, asked: dict[str, Any], advice: str) -> None:
    if has_record(folder) and not is_same_run(read_record(folder), asked):
        raise DsgecError(f"{folder.path} holds another run", advice)
