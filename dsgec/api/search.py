"""`dsgec.search`: evolve any texts of a grammar by a fitness of your own."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsgec import pipeline
from dsgec.api.evolve import Callback, collect_notes, make_hooks, reserved_folder
from dsgec.api.individuals import LoggedIndividual, Populations, no_populations
from dsgec.api.notebook import live_curve
from dsgec.api.run import OTHER_FOLDER, History
from dsgec.api.settings import check_choice, refuse_unknown
from dsgec.errors import DsgecError, clean, setting_error
from dsgec.folder import open_folder, open_locked, write_whole
from dsgec.grammar.load import GrammarFile, load_grammar, parse_grammar
from dsgec.report.search_page import search_page
from dsgec.run.checkpoint import remove_checkpoint
from dsgec.run.populations import population_of
from dsgec.run.result_folder import refuse_other_run
from dsgec.run.text_result import (
    FailureRecord,
    TextEntry,
    TextResult,
    read_text_result,
    write_text_result,
)
from dsgec.search.choose import choose_evolver
from dsgec.search.diversity import Diversity
from dsgec.search.fitness import LocalEvaluator
from dsgec.search.operators import make_operators
from dsgec.search.text_problem import make_text_problem
from dsgec.search.text_settings import (
    SEARCH_BACKENDS,
    TEXT_SETTINGS,
    TextSettings,
    make_text_settings,
)
from dsgec.setting import names_of
from dsgec.study.evaluators import CallableSource, close_evaluator, functions_digest, make_evaluator

Fitness = Callable[[Any], Any]
Operator = Callable[..., Any]


@dataclass(frozen=True, slots=True, eq=False)
class SearchRun:
    """A search that has ended.

    :param details: The record, the history and the hall of fame.
    :param notes: Notes and warnings.
    :param population: Makes the individuals of a generation.
    """

    details: TextResult
    notes: tuple[str, ...] = ()
    population: Callable[[int | None], tuple[LoggedIndividual, ...]] = no_populations

    @classmethod
    def load(cls, path: str | Path, grammar: Any = None) -> "SearchRun":
        """Load the search in a folder that `save` or `dsgec search` wrote.

        :param path: The folder.
        :param grammar: The grammar of the search, for `individuals` of logged populations.
        """
        with open_folder(Path(path)) as folder:
            details = read_text_result(folder)
        if grammar is None:
            return cls(details)
        settings = TextSettings.from_json(dict(details.record.settings))
        file = _load(grammar)
        if file.digest != details.record.grammar.sha256:
            raise DsgecError("this is not the grammar of the search in that folder")
        problem = make_text_problem(
            file.grammar, LocalEvaluator(len), settings, name=details.record.data.name, digest=""
        )
        return cls(details, (), Populations(problem, settings, details.logged))

    @property
    def best(self) -> str:
        """Return the best phenotype; of equals, the shortest."""
        return self.details.result.best.phenotype

    @property
    def score(self) -> float:
        """Return the fitness of the best phenotype, as the function gave it."""
        return self.details.result.score

    @property
    def values(self) -> tuple[float, ...]:
        """Return the cases or the objectives of the best phenotype; empty for one number."""
        return self.details.result.best.values or ()

    @property
    def genotype(self) -> dict[str, tuple[int, ...]]:
        """Return the integers of the best individual, by symbol."""
        return dict(self.details.result.best.genotype)

    @property
    def history(self) -> History:
        """Return a row for each generation; its fitness is minimised."""
        return History(self.details.history)

    @property
    def hall_of_fame(self) -> tuple[TextEntry, ...]:
        """Return the phenotypes of which no shorter one is as good, or the Pareto front."""
        return self.details.hall

    @property
    def failures(self) -> tuple[FailureRecord, ...]:
        """Return why phenotypes had no fitness, how often, and the first of each kind."""
        return self.details.result.failures

    @property
    def diversity(self) -> tuple[Diversity, ...]:
        """Return the diversity of each generation, if `diversity=True` asked for it."""
        return self.details.diversity

    def individuals(self, generation: int | None = None) -> tuple[LoggedIndividual, ...]:
        """Return the individuals of a generation; those of islands follow one another.

        :param generation: A generation of a run with `log="populations"`. Default: the last.
        """
        return self.population(generation)

    @property
    def generations(self) -> int:
        """Return the number of the last generation; the random one at the start is 0."""
        return self.details.result.generations

    @property
    def ended(self) -> str:
        """Return why it ended: `generations`, `stop-at`, `patience`, `stopped`, `interrupted`."""
        return self.details.result.ended

    @property
    def record(self) -> dict[str, Any]:
        """Return the content of run.json: settings and result."""
        return self.details.record.as_json()

    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run to a folder, as `dsgec search` does, and return its path.

        :param folder: The folder; if it has another run, an error is raised.
        :param overwrite: Overwrite another run.
        """
        with open_locked(Path(folder), "run") as opened:
            if not overwrite:
                refuse_other_run(opened, self.record, OTHER_FOLDER)
            write_text_result(opened, self.details, search_page)
            remove_checkpoint(opened)
        return Path(folder)

    def report(self, path: str | Path) -> Path:
        """Write the report of the run, a self-contained HTML page.

        :param path: The file.
        """
        write_whole(Path(path), search_page(self.details))
        return Path(path)

    def __repr__(self) -> str:
        record = self.details.record
        head = (
            f"<dsgec.SearchRun {record.grammar.name} by {record.data.name}: {self.score:.6g}"
            f" after {self.generations} generations; {self.best!r:.300}>"
        )
        lines = [f"  note: {clean(note)}" for note in self.notes]
        lines += [f"  failures: {one.count:,} by {clean(one.reason)}" for one in self.failures[:3]]
        return "\n".join([clean(head), *lines])


def search(
    grammar: Any,
    fitness: Fitness,
    *,
    select: Operator | None = None,
    cross: Operator | None = None,
    mutate: Operator | None = None,
    batched: bool = False,
    processes: int = 0,
    cluster: str | None = None,
    seconds_per_evaluation: float = 0.0,
    backend: str = "auto",
    name: str = "",
    out: str | Path | None = None,
    overwrite: bool = False,
    callback: Callback | None = None,
    log: str = "",
    **settings: Any,
) -> SearchRun:
    """Evolve a text of `grammar` that `fitness` finds good, and return the run.

    The phenotype is any text that the grammar derives; dsgec does not execute it. A phenotype
    whose fitness is NaN, infinite or an exception is invalid; the run goes on without it. Each
    phenotype is evaluated once. Ctrl-C ends the run with what it has.

    :param grammar: A file, the text of a grammar, or a grammar from `parse_grammar`.
    :param fitness: A function from a phenotype to a number, which is minimised, or to a list of
        numbers: the errors of cases, whose sum is minimised, or `objectives`.
    :param select: A function `select(population, random)` that returns the number of a parent.
    :param cross: A function `cross(mother, father, random)` that returns two children: derivation
        trees with `variation="trees"`, otherwise lists of integers by rule and part.
    :param mutate: A function `mutate(individual, random)` that returns a mutant of the same kind.
    :param batched: The function takes a list of phenotypes and returns a list.
    :param processes: Number of processes that evaluate; 0: this process does. Others go on when an
        evaluation hangs in C code, exits or crashes.
    :param cluster: The address of a dask scheduler on whose workers to evaluate.
    :param seconds_per_evaluation: An evaluation that takes longer is a failure; 0: no limit.
    :param backend: `engine`, `reference` or `auto`; both give the same results.
    :param name: The name of the problem. Default: that of the function.
    :param out: The folder to write the run to. Default: nothing is written.
    :param overwrite: Overwrite another run in that folder.
    :param callback: A function that gets a `Progress` a few times a second; if it returns True,
        the run stops.
    :param log: `populations` keeps all generations, for `individuals` and the folder.
    :param settings: See `dsgec search --help`: population, generations, seed, selection, …
    """
    if not callable(fitness):
        raise setting_error("fitness", f"is {fitness!r:.60}", "It must be a function.")
    refuse_unknown("search", settings, names_of(TEXT_SETTINGS), _SYNONYMS)
    check_choice("backend", backend, SEARCH_BACKENDS)
    chosen = make_text_settings(settings)
    operators = make_operators({"select": select, "cross": cross, "mutate": mutate})
    own = [one for one in (fitness, select, cross, mutate) if one is not None]
    file = _load(grammar)
    source = CallableSource(fitness)
    evaluator = make_evaluator(
        source,
        processes=processes,
        cluster=cluster,
        batched=batched,
        seconds=seconds_per_evaluation,
    )
    try:
        function = getattr(fitness, "__name__", type(fitness).__name__)
        job = pipeline.prepare_search(
            *(file, evaluator, chosen),
            function=f"{name or getattr(fitness, '__module__', 'fitness')}:{function}",
            digest=functions_digest(own),
            operators=operators,
        )
        with reserved_folder(out, job, overwrite=overwrite):
            evolver = choose_evolver(job.problem, chosen, backend)
            hooks = make_hooks(callback or live_curve(), log)
            result = pipeline.evolve_texts(job, evolver, hooks)
    finally:
        close_evaluator(evaluator)
    population = Populations(job.problem, chosen, result.logged, population_of(evolver))
    run = SearchRun(result, collect_notes(job, evolver), population)
    if out is not None:
        run.save(out, overwrite=True)
    return run


_SYNONYMS = {
    "random_state": "seed",
    "n_jobs": "processes",
    "max_iter": "generations",
    "n_generations": "generations",
    "population_size": "population",
    "maximize": "maximise",
}


def _load(grammar: Any) -> GrammarFile:
    if isinstance(grammar, GrammarFile):
        return grammar
    if isinstance(grammar, str) and ("::=" in grammar or "\n" in grammar):
        return parse_grammar(grammar, any_text=True)
    return load_grammar(str(grammar), any_text=True)
