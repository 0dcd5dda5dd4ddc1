"""The result of an evolution, in memory; to a folder and back."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dsgec.api.hall import HallOfFame, frame
from dsgec.api.network import Network
from dsgec.api.notebook import picture_data
from dsgec.api.words import in_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.errors import DsgecError, clean, counted
from dsgec.folder import locked, open_folder
from dsgec.pipeline import write_folder
from dsgec.plain_data import as_plain
from dsgec.rendering import render_markup
from dsgec.report.format import metric_label
from dsgec.report.hall_charts import hall_rows
from dsgec.report.page import write_report
from dsgec.report.summary import metric_table, verdict
from dsgec.run.checkpoint import remove_checkpoint
from dsgec.run.folder import read_result, refuse_other_run
from dsgec.run.record import RunRecord
from dsgec.run.result import Rest, Result
from dsgec.search.evolver import HistoryRow

_LONGEST_FORMULA = 300

OTHER_FOLDER = "Choose another folder, or pass overwrite=True."


class History(tuple[HistoryRow, ...]):
    """A row for each generation: a tuple that prints in one line and can also be a data frame."""

    __slots__ = ()

    def to_frame(self) -> Any:
        """A pandas data frame, a row for each generation, with the columns of history.csv."""
        return frame([asdict(row) for row in self])

    def __repr__(self) -> str:
        if not self:
            return "<dsgec.History: no generations>"
        first, last = self[0], self[-1]
        return (
            f"<dsgec.History: generations {first.generation} to {last.generation};"
            f" best fitness {first.best:.4g} to {last.best:.4g}>"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that has ended.

    :param network: The network, which predicts and is exported.
    :param history: A row for each generation.
    :param details: The typed record, which `record` gives as run.json has it.
    :param timing: What timing.json has: how long it took.
    :param notes: What a person should know: remarks on the data, and warnings.
    :param config: The text of config.toml, with which `dsgec evolve --config` repeats the run;
        empty where the data was in memory.
    :param rest: The hall of fame and what the report draws, where they are still to be made.
    """

    network: Network
    history: tuple[HistoryRow, ...]
    details: RunRecord
    timing: dict[str, Any]
    notes: tuple[str, ...] = ()
    config: str = ""
    rest: Rest = field(default_factory=Rest)

    @classmethod
    def of(cls, result: Result, notes: tuple[str, ...] = (), rest: Rest | None = None) -> "Run":
        """A result as programs use it; `rest` makes what it lacks.

        :param result: The result.
        :param notes: What a person should know.
        :param rest: Makes the hall of fame and what the report draws, where the result lacks them.
        """
        network = Network(result.model, result.name, result.record.ranges)
        rest = rest or Rest(result.hall, result.evidence)
        warnings = map(in_keywords, result.result.warnings or ())
        measured = (result.record, result.timing, (*notes, *warnings), result.config, rest)
        return cls(network, History(result.history), *measured)

    @property
    def record(self) -> dict[str, Any]:
        """The content of run.json: settings and result."""
        return self.details.as_json()

    @property
    def _result(self) -> Result:
        network, measured = self.network, (*self.rest(), self.config)
        return Result(
            self.details, network.model, network.name, self.history, self.timing, *measured
        )

    @property
    @standard_arithmetic()
    def hall_of_fame(self) -> HallOfFame:
        """The best network of each size that the run has seen, by size."""
        return HallOfFame.of(self._result, self.network)

    @property
    @standard_arithmetic()
    def evidence(self) -> dict[str, Any]:
        """What the report draws, as report.json has it."""
        found: dict[str, Any] = as_plain(self.rest()[1] or {})
        return found

    @property
    def ended(self) -> str:
        """Why: `generations`, `stop-at`, `patience`, `stopped` by a callback, or interrupted."""
        return self.details.result.ended

    @property
    def metrics(self) -> dict[str, dict[str, float | None]]:
        """Accuracy and the like, or RMSE, MAE and R², of the `train` rows and the `test` rows."""
        return {part: dict(self.details.result.part(part)) for part in ("train", "test")}

    @property
    def score(self) -> float:
        """The objective's value on the training rows, as people read it."""
        return float(self.details.result.score)

    @property
    def fitness(self) -> float:
        """What evolution minimised."""
        return float(self.details.result.fitness)

    @property
    def objective(self) -> str:
        """The name of what was optimised."""
        return self.details.result.objective

    @property
    def generations(self) -> int:
        """The number of the last generation; the first, random one is 0."""
        return self.details.result.generations

    def predict(self, X: Any) -> Any:
        """The label or the value of each row, as `Network.predict` gives it.

        :param X: The rows: an array, a data frame, a dictionary of columns, a dictionary that is
            one row, a list of such rows, or a table's file.
        """
        return self.network.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, as `Network.predict_proba` gives it.

        :param X: The rows, as `predict` takes them.
        """
        return self.network.predict_proba(X)

    def export(
        self,
        to: str | Sequence[str],
        folder: str | Path,
        *,
        name: str = "",
        dtype: str = "double",
        package: str | Sequence[str] = (),
        wheel: bool = False,
        range: Mapping[str, tuple[float, float]] | None = None,
        check: bool = True,
    ) -> list[Path]:
        """Write the network as code; gives the files' paths.

        :param to: Targets such as `"c"` or `["c", "numpy"]`; docs/reference/targets.md has all.
            Empty with a `package` that is to be alone.
        :param folder: Where the files go.
        :param name: Name of the module and prefix of its C symbols; default: that of the data.
        :param dtype: The numbers that the code computes with: `"double"`, `"float"` or, in fixed
            point, `"q15"` or `"q7"`.
        :param package: Packages such as `"arduino"` or `["cmake", "zephyr"]`, each an archive.
        :param wheel: With the target `cffi`: also a wheel that pip installs.
        :param range: For fixed point, the low and the high number of columns by name, beyond which
            they saturate; `"*"` stands for all others. Default: those of the training rows,
            widened.
        :param check: Run the self-tests of the files before they are written, as far as this
            machine can: that of C compiled. Where one fails nothing is written.
        """
        return self.network.export(
            to,
            folder,
            name=name,
            dtype=dtype,
            package=package,
            wheel=wheel,
            range=range,
            check=check,
        )

    @standard_arithmetic()
    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the folder that `dsgec evolve` would.

        :param folder: The folder; one with another run is left as it is.
        :param overwrite: Write over another run.
        """
        with locked(Path(folder), "run") as opened:
            if not overwrite:
                refuse_other_run(opened, self.record, OTHER_FOLDER)
            _, wrong = write_folder(opened, self._result)
            remove_checkpoint(opened)  # of the same run, which has now ended, or of one given up
        if wrong:
            raise wrong
        return Path(folder)

    @standard_arithmetic()
    def report(self, path: str | Path) -> Path:
        """Write the page about the run, one HTML file that needs nothing else.

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
        """The formula, if the run was one for a formula."""
        return "; ".join((self.details.result.formula or "").splitlines())

    def _repr_html_(self) -> str:
        """For notebooks: metrics beside the baselines', the network drawn, the hall of fame."""
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
            picture=picture_data(self.network.svg()),
            metric=metric_label(result.metrics[0]),
            hall=[one for one in hall_rows(result) if one["first"]],
        )


@standard_arithmetic()
def load(path: str | Path) -> Run:
    """The run in a folder, of `Run.save` or of `dsgec evolve`; none of its code is executed.

    :param path: The folder.
    """
    with open_folder(Path(path)) as folder:
        return Run.of(read_result(folder))
