"""`dsgec.Run`: the result of an evolution in memory, which is saved to a folder and loaded."""

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from dsgec.api.hall import HallOfFame, make_frame
from dsgec.api.individuals import LoggedIndividual, no_populations
from dsgec.api.network import Network
from dsgec.api.notebook import encode_picture
from dsgec.api.settings import options_to_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.errors import DsgecError, clean, counted
from dsgec.folder import open_folder, open_locked
from dsgec.pipeline import write_folder
from dsgec.plain_data import as_plain
from dsgec.rendering import render_markup
from dsgec.report.format import metric_label
from dsgec.report.hall_charts import hall_rows
from dsgec.report.page import write_report
from dsgec.report.summary import metric_table, verdict
from dsgec.run.checkpoint import remove_checkpoint
from dsgec.run.record import RunRecord
from dsgec.run.result import Rest, Result
from dsgec.run.result_folder import read_result, refuse_other_run
from dsgec.search.evolver import HistoryRow

P = ParamSpec("P")
T = TypeVar("T")

_LONGEST_FORMULA = 300

OTHER_FOLDER = "Choose another folder, or pass overwrite=True."


class History(tuple[HistoryRow, ...]):
    """The generations of a run: a tuple with a row for each, which can become a data frame."""

    __slots__ = ()

    def to_frame(self) -> Any:
        """Return a pandas data frame of the generations with the columns of history.csv."""
        return make_frame([asdict(row) for row in self])

    def __repr__(self) -> str:
        if not self:
            return "<dsgec.History: no generations>"
        first, last = self[0], self[-1]
        return (
            f"<dsgec.History: generations {first.generation} to {last.generation};"
            f" best fitness {first.best:.4g} to {last.best:.4g}>"
        )


def _by_network(
    method: "Callable[Concatenate[Network, P], T]",
) -> "Callable[Concatenate[Run, P], T]":
    """Return the method of a run that calls this method of its network."""

    @wraps(method)
    def call(run: "Run", /, *arguments: P.args, **keywords: P.kwargs) -> T:
        return method(run.network, *arguments, **keywords)

    return call


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that has ended.

    :param network: The network, which predicts and is exported.
    :param history: A row for each generation.
    :param details: The typed record, which `record` returns as in run.json.
    :param timing: The content of timing.json: how long the run took.
    :param notes: Notes on the data, and warnings.
    :param config: The text of config.toml, with which `dsgec evolve --config` repeats the run;
        empty if the data was in memory.
    :param rest: The hall of fame and the data of the report, which may still have to be made.
    :param population: Makes the individuals of a generation.
    :param logged: The files of logged populations and of the genealogy of the best.
    """

    network: Network
    history: tuple[HistoryRow, ...]
    details: RunRecord
    timing: dict[str, Any]
    notes: tuple[str, ...] = ()
    config: str = ""
    rest: Rest = field(default_factory=Rest)
    population: Callable[[int | None], tuple[LoggedIndividual, ...]] | None = None
    logged: Mapping[str, bytes] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result, notes: tuple[str, ...] = (), rest: Rest | None = None) -> "Run":
        """Return the run of a result.

        :param result: The result.
        :param notes: Notes on the data.
        :param rest: Makes the hall of fame and the data of the report, if the result lacks them.
        """
        network = Network(result.model, result.name, result.record.ranges)
        rest = rest or Rest(result.hall, result.evidence)
        warnings = map(options_to_keywords, result.result.warnings or ())
        measured = (result.record, result.timing, (*notes, *warnings), result.config, rest)
        return cls(network, History(result.history), *measured, logged=result.logged)

    def individuals(self, generation: int | None = None) -> tuple[LoggedIndividual, ...]:
        """Return the individuals of a generation of a run with `log="populations"`.

        :param generation: Its number. Default: the last one.
        """
        return (self.population or no_populations)(generation)

    @property
    def record(self) -> dict[str, Any]:
        """Return the content of run.json: settings and result."""
        return self.details.as_json()

    @property
    def _result(self) -> Result:
        network, measured = self.network, (*self.rest(), self.config)
        return Result(
            self.details,
            network.model,
            network.name,
            self.history,
            self.timing,
            *measured,
            self.logged,
        )

    @property
    @standard_arithmetic()
    def hall_of_fame(self) -> HallOfFame:
        """Return the best network of each size that the run has found, sorted by size."""
        return HallOfFame.of(self._result, self.network)

    @property
    @standard_arithmetic()
    def evidence(self) -> dict[str, Any]:
        """Return the data of the report, the content of report.json."""
        found: dict[str, Any] = as_plain(self.rest()[1] or {})
        return found

    @property
    def ended(self) -> str:
        """Return why it ended: `generations`, `stop-at`, `patience`, `stopped` or `interrupted`."""
        return self.details.result.ended

    @property
    def metrics(self) -> dict[str, dict[str, float | None]]:
        """Return the metrics of the `train` and the `test` rows, such as accuracy or RMSE."""
        return {part: dict(self.details.result.part(part)) for part in ("train", "test")}

    @property
    def score(self) -> float:
        """Return the value of the objective on the training rows."""
        return float(self.details.result.score)

    @property
    def fitness(self) -> float:
        """Return the fitness, which evolution minimised."""
        return float(self.details.result.fitness)

    @property
    def objective(self) -> str:
        """Return the name of the objective."""
        return self.details.result.objective

    @property
    def generations(self) -> int:
        """Return the number of the last generation; the random one at the start is 0."""
        return self.details.result.generations

    predict = _by_network(Network.predict)
    predict_proba = _by_network(Network.predict_proba)
    export = _by_network(Network.export)

    @standard_arithmetic()
    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the run to a folder, as `dsgec evolve` does, and return its path.

        :param folder: The folder; if it has another run, an error is raised.
        :param overwrite: Overwrite another run.
        """
        with open_locked(Path(folder), "run") as opened:
            if not overwrite:
                refuse_other_run(opened, self.record, OTHER_FOLDER)
            _, error = write_folder(opened, self._result)
            remove_checkpoint(opened)  # of this run, or of one that is overwritten
        if error:
            raise error
        return Path(folder)

    @standard_arithmetic()
    def report(self, path: str | Path) -> Path:
        """Write the report of the run, a self-contained HTML page.

        :param path: The file.
        """
        if not self.evidence:
            raise DsgecError(
                "this run does not have what a report draws",
                "A pickled estimator has no training rows: write its report before.",
            )
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            return write_report(Path(folder), Path(path))

    def __repr__(self) -> str:
        data, grammar = self.details.data.name, self.details.grammar.name
        figures = "; ".join(
            f"{part} {name} {value:.4g}"
            for part, found in self.metrics.items()
            for name, value in list(found.items())[:1]
            if value is not None
        )
        is_short = len(self._formula) <= _LONGEST_FORMULA
        made = (self._formula if is_short else "") or ", ".join(
            counted(n, what.removesuffix("s")) for what, n in self.network.size.items()
        )
        shown = clean(
            f"<dsgec.Run {grammar} on {data}: {self.objective} {self.score:.6g}"
            f" after {self.generations} generations; {figures}; {made}>"
        )
        return "\n".join([shown, *(f"  note: {clean(note)}" for note in self.notes)])

    @property
    def _formula(self) -> str:
        """Return the formula on one line, if the run evolved one."""
        return "; ".join((self.details.result.formula or "").splitlines())

    def _repr_html_(self) -> str:
        """Return the metrics, the drawing and the hall of fame for a notebook."""
        result = self._result
        baselines, metrics = metric_table(result)
        return render_markup(
            "html/run.html.j2",
            target=self.network.model.target,
            data=self.details.data.name,
            grammar=self.details.grammar.name,
            columns=len(self.network.model.columns),
            objective=self.objective,
            score=f"{self.score:.6g}",
            generations=self.generations,
            verdict=verdict(result),
            notes=self.notes,
            formula=self._formula,
            baselines=baselines,
            metrics=metrics,
            picture=encode_picture(self.network.svg()),
            metric=metric_label(result.metrics[0]),
            hall=[one for one in hall_rows(result) if one["first"]],
        )


@standard_arithmetic()
def load(path: str | Path) -> Run:
    """Load the run in a folder that `Run.save` or `dsgec evolve` wrote; no code in it is executed.

    :param path: The folder.
    """
    with open_folder(Path(path)) as folder:
        return Run.of(read_result(folder))
