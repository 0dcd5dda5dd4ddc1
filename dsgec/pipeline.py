"""The pipeline: how a grammar and a table become a run.

`prepare` reads and checks everything, `dsgec.search.choose` compiles the engine, `evolve` searches
and measures, and `run` does so in a folder, with checkpoints, and writes it. All callers go through
`evolve`. `prepare_search` and `evolve_texts` do the same for texts of any grammar.
The stages, in order; one imports only those above it and modules that import none of them:
program     values and loops      → source        checked, interpreted, printed
arithmetic  a definition          → functions     the same bits in every language
signal      samples               → features      the same bits in training and on the board
network     phenotype             → Network       flat, checked, simplified; also from ONNX files
grammar     a grammar file        → Grammar       rules as values, and the phenotypes they derive
engine      Grammar               → functions     C, compiled, cached, loaded
data        a table file          → Dataset       features and target as numbers
export      Network               → files         source code in every language, floats or integers
search      scores                → generations   select, cross, mutate, learn
run         generations           → a folder      record, history, network, hall of fame
report      a folder              → a page        figures, and the network running in the browser
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from dsgec.background import beside
from dsgec.data.dataset import Dataset
from dsgec.data.prepare import make_dataset
from dsgec.data.read import read_table
from dsgec.engine.toolchain import quickest_toolchain
from dsgec.errors import DsgecError
from dsgec.export.artefact import QUICK, Artefact
from dsgec.export.check import run_selftests
from dsgec.export.files import exported_paths, make_exports, run_artefact
from dsgec.export.names import is_portable, safe_name
from dsgec.folder import Folder, open_folder, open_locked
from dsgec.grammar.load import GrammarFile, load_grammar
from dsgec.manifest import MANIFEST, NETWORK, PAGE, POPULATIONS, TIMING, read_manifest
from dsgec.network.model import unnamed_model
from dsgec.network.parse import parse
from dsgec.plain_data import to_json
from dsgec.report.page import prepare_page, report_page, run_page, write_page
from dsgec.report.search_page import search_page
from dsgec.run.baselines import check_rivals, make_baselines
from dsgec.run.checkpoint import Checkpoints, has_checkpoint, remove_checkpoint
from dsgec.run.config import Inputs
from dsgec.run.folder import has_record, read_model, read_record, read_timing
from dsgec.run.job import Job, WrittenRun
from dsgec.run.record import is_same_run
from dsgec.run.result import Result, make_result
from dsgec.run.result_folder import refuse_other_run, write_result
from dsgec.run.search import INTERRUPTED, MAX_SECONDS, Outcome, Search
from dsgec.run.session import TUNING, Session, Stages, ignore, with_stages
from dsgec.run.text_result import (
    TextResult,
    WrittenSearch,
    make_text_result,
    read_text_result,
    write_text_result,
)
from dsgec.search.defaults import check_walk
from dsgec.search.evolver import ENDS, Evolver, Generation
from dsgec.search.fitness import Evaluator
from dsgec.search.operators import NO_OPERATORS, Operators
from dsgec.search.problem import make_problem
from dsgec.search.settings import Settings
from dsgec.search.signal_features import name_features
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import TextSettings

EndedRun = WrittenRun | WrittenSearch
EXPORTED = ("numpy", "c")
"""The targets that are exported into the folder of every run."""

DEFAULT_SESSION = Session()

_OTHER_NAME = "Choose another --name, or overwrite it with --overwrite."


def prepare(
    grammar: str | GrammarFile,
    data: str | Dataset,
    settings: Settings,
    *,
    target: str | None = None,
    out: Path | None = None,
    name: str = "",
    inputs: Inputs | None = None,
) -> Job:
    """Read and check everything that a run needs, so that no mistake is found later."""
    _check_name(name)
    file = load_grammar(grammar) if isinstance(grammar, str) else grammar
    dataset = make_dataset(read_table(data), target) if isinstance(data, str) else data
    file, dataset = name_features(file, dataset)
    check_rivals(settings.compare)
    problem = make_problem(file.grammar, dataset, settings)
    check_walk(settings, file.grammar, dataset)
    folder = (out or Path("build")) / (name or f"{dataset.name}-{file.name}-seed{settings.seed}")
    return Job(file, problem, settings, folder, inputs=inputs)


def _check_name(name: str) -> None:
    if name and not is_portable(name):
        raise DsgecError(
            f"`{name}` cannot name a folder everywhere",
            "Use letters, digits, `_`, `.` and `-`; say where it is to be with --out.",
        )


def prepare_search(
    grammar: str | GrammarFile,
    evaluate: Evaluator,
    settings: TextSettings,
    *,
    function: str,
    digest: str,
    operators: Operators = NO_OPERATORS,
    out: Path | None = None,
    name: str = "",
) -> Job:
    """Read and check everything that a search with a user's fitness, `function`, needs."""
    _check_name(name)
    file = load_grammar(grammar, any_text=True) if isinstance(grammar, str) else grammar
    problem = make_text_problem(
        *(file.grammar, evaluate, settings), name=function, digest=digest, operators=operators
    )
    names = dict.fromkeys(map(safe_name, (function.partition(":")[0], file.name)))
    folder = name or f"{'-'.join(names)}-seed{settings.seed}"
    return Job(file, problem, settings, (out or Path("build")) / folder)


@dataclass(frozen=True, slots=True)
class Hooks:
    """The callbacks by which a caller takes part in a run.

    `on_search` gets the search before its first generation, and may resume it from a saved state.
    `on_slice` gets the search and the generations of a slice of time; if it returns a reason, the
    search ends early. `on_outcome` gets the outcome of the search before it is measured.
    """

    on_search: Callable[[Search], None] = ignore
    on_slice: Callable[[Search, Sequence[Generation]], str] = lambda search, generations: ""
    on_outcome: Callable[[Outcome], None] = ignore


DEFAULT_HOOKS = Hooks()


def evolve(
    job: Job,
    evolver: Evolver,
    hooks: Hooks = DEFAULT_HOOKS,
    stages: Stages | None = None,
    *,
    in_full: bool = True,
) -> tuple[Outcome, Result]:
    """Search for the network of a job; return the outcome of the search and the measured result.

    Without `in_full`, the result has no baselines, no hall of fame and nothing for a report.
    """
    stages = stages or Stages()
    search = Search(evolver)
    hooks.on_search(search)
    baselines = beside(make_baselines, job.problem, job.settings.compare) if in_full else None
    outcome = _search(search, hooks, stages)
    return outcome, make_result(job, outcome, stages, baselines=baselines)


def evolve_texts(
    job: Job, evolver: Evolver, hooks: Hooks = DEFAULT_HOOKS, stages: Stages | None = None
) -> TextResult:
    """Search for the best text of a job whose fitness is a user's."""
    search = Search(evolver)
    hooks.on_search(search)
    return make_text_result(job, _search(search, hooks, stages or Stages()), evolver)


def _search(search: Search, hooks: Hooks, stages: Stages) -> Outcome:
    outcome = search.run(
        lambda generations: hooks.on_slice(search, generations), lambda: stages.on_stage(TUNING)
    )
    hooks.on_outcome(outcome)
    return outcome


def run(
    job: Job,
    evolver: Evolver,
    on_generation: Callable[[Generation], None],
    session: Session = DEFAULT_SESSION,
    stop: threading.Event | None = None,
) -> EndedRun:
    """Evolve a job in its folder, from the checkpoint there if it has one, and write the folder.

    When `stop` is set, the current generation is finished and the run ends with what it has; it
    can be resumed later, as it can after a kill.
    """
    stages = Stages(session.on_stage)
    written: EndedRun
    failure: DsgecError | None = None
    with _open_for(job, on_generation, session, stages, stop) as (folder, hooks, checkpoints):
        if job.is_search:
            found = evolve_texts(job, evolver, hooks, stages)
            write_text_result(folder, found, search_page)
            written = WrittenSearch(folder.path, found)
        else:
            _ = beside(_warm_up)
            _, result = evolve(job, evolver, hooks, stages)
            timing, failure = write_folder(folder, result, stages)
            files = exported_paths(EXPORTED, result.name, folder)
            written = WrittenRun(folder.path, result.record, timing, tuple(files))
        if written.ended in ENDS:
            remove_checkpoint(folder)
        if failure:
            raise failure
        checkpoints.raise_trouble()
        return written


@contextlib.contextmanager
def _open_for(
    job: Job,
    on_generation: Callable[[Generation], None],
    session: Session,
    stages: Stages,
    stop: threading.Event | None,
) -> Iterator[tuple[Folder, Hooks, Checkpoints]]:
    """Open and lock the folder of a job, with hooks that write its checkpoints."""
    with open_locked(job.named, "run", job.fold) as folder:
        if not session.overwrite:  # what was there a while ago may have been another
            refuse_other_run(folder, job.identity, _OTHER_NAME)
        checkpoints = Checkpoints(job, folder, session)

        def on_slice(search: Search, generations: Sequence[Generation]) -> str:
            for generation in generations:
                on_generation(generation)
            return _reason_to_stop(search, checkpoints, on_generation, stop)

        def on_outcome(outcome: Outcome) -> None:
            if outcome.ended not in ENDS:
                with stages("checkpoint"):
                    checkpoints.save_last()

        def on_search(search: Search) -> None:
            checkpoints.resume(search)
            is_logged = search.evolver.next_generation > 0 and folder.has_folder(POPULATIONS)
            if session.logs or is_logged:
                search.log_populations(folder)

        yield folder, Hooks(on_search, on_slice, on_outcome), checkpoints


def _reason_to_stop(
    search: Search,
    checkpoints: Checkpoints,
    on_generation: Callable[[Generation], None],
    stop: threading.Event | None,
) -> str:
    """Return why the run ends after this slice, or nothing; save a checkpoint if one is due."""
    session = checkpoints.session
    if search.walker:
        session.on_walk(search.walker.progress)
    is_asked = stop is not None and stop.is_set()
    is_over = search.session_seconds >= session.max_seconds
    if not (is_asked or is_over or checkpoints.is_due):
        return ""
    if is_asked:
        session.on_stop()
    for generation in search.finish_generation():
        on_generation(generation)
    if is_asked or is_over:
        return INTERRUPTED if is_asked else MAX_SECONDS
    if search.walker or not search.ending.reason:
        checkpoints.try_to_save()
    return ""


@cache
def _warm_up() -> None:
    """Compile the templates beside the engine, by a small export: it takes a third of a second."""
    small = Artefact(unnamed_model(parse("sig(x_1)")), "net", selftest=QUICK)
    make_exports(small, EXPORTED)
    quickest_toolchain()
    prepare_page()


def write_folder(
    folder: Folder, result: Result, stages: Stages | None = None
) -> tuple[dict[str, Any], DsgecError | None]:
    """Write the folder of a run, over what an earlier one left; the page comes last.

    Gives the timing as it was written, with that of all stages; and an error to be raised if the
    self-test of an export fails. That one is not written: everything else is.
    """
    stages = stages or Stages()
    artefact = run_artefact(result.model, result.name)
    with stages("self_test"):
        _ = artefact.golden  # which all exports share
    with stages("exports"):
        exports = make_exports(artefact, EXPORTED)
    with stages("checks"):
        checks = run_selftests(artefact, exports.made)
    with stages("files"):
        timing = {**result.timing, "self_tests": checks.lines}
        timed = replace(result, timing=with_stages(timing, stages.seconds))
        write_result(folder, timed, exports.without(checks.failed))
    if result.evidence:
        with stages("report"):
            try_report(folder, timed)
    timing = with_stages(timing, stages.seconds)
    folder.write(TIMING, to_json(timing))
    return timing, checks.error(folder.path, NETWORK)


def try_report(folder: Folder, result: Result | None = None) -> None:
    """Write the page of a run, unless the run is too long for one."""
    try:
        write_page(folder, report_page(folder) if result is None else run_page(result))
    except DsgecError as error:
        if isinstance(error.__cause__, OSError):
            raise  # a full disk, say: the page is written when the run is started again


@contextlib.contextmanager
def _open_if_there(job: Job) -> Iterator[Folder | None]:
    """Open the folder of a job, if there is one already."""
    with contextlib.ExitStack() as held:
        folder: Folder | None = None
        if job.named.exists():
            folder = held.enter_context(open_folder(job.named))
            if job.fold:
                outer, has_fold = folder, folder.has(job.fold)
                folder = held.enter_context(outer.below(job.fold)) if has_fold else None
        yield folder


def finished_run(job: Job) -> EndedRun | None:
    """Return the run of a job if its folder has it, complete and made by this version."""
    with _open_if_there(job) as folder:
        if folder is None or has_checkpoint(folder):
            return None
        if not (has_record(folder) and folder.has(MANIFEST)):
            return None
        try:
            found = read_text_result(folder) if job.is_search else read_record(folder)
        except DsgecError:  # it is damaged: the run is made again
            return None
        record = found.record if isinstance(found, TextResult) else found
        asked, timing = job.identity, read_timing(folder)
        if not is_same_run(record.as_json(), asked) or record.dsgec != asked["dsgec"]:
            return None
        if record.result.ended not in ENDS or timing is None:
            return None
        if isinstance(found, TextResult):
            return WrittenSearch(folder.path, found)
        _, name = read_model(folder)
        if PAGE not in read_manifest(folder):  # where it is entered last
            try_report(folder)
        return WrittenRun(folder.path, found, timing, tuple(exported_paths(EXPORTED, name, folder)))


def refuse_other(job: Job) -> None:
    """Raise an error if the folder of a job holds another run."""
    with _open_if_there(job) as folder:
        if folder is not None:
            refuse_other_run(folder, job.identity, _OTHER_NAME)
