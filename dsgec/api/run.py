"""The result of an evolution, in memory; to a folder and back."""

import base64
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsgec.api.network import Network
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.codegen.markup import render_markup
from dsgec.errors import DsgecError, clean, counted
from dsgec.evolution.evolver import HistoryRow
from dsgec.folder import locked, open_folder
from dsgec.pipeline import write_folder
from dsgec.report import write_report
from dsgec.run.checkpoint import remove_checkpoint
from dsgec.run.folder import read_result, refuse_other_run
from dsgec.run.result import Result

OTHER_FOLDER = "Choose another folder, or pass overwrite=True."


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A run that has ended.

    `network` predicts; `history` has a row for each generation; `record` is what run.json has,
    `hall_of_fame` the text of the table of that name, `evidence` what the report draws (both are
    empty of an estimator's run); `notes` are what a person should know.
    """

    network: Network
    history: tuple[HistoryRow, ...]
    record: dict[str, Any]
    timing: dict[str, Any]
    hall_of_fame: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    config: str = ""

    @classmethod
    def of(cls, result: Result, notes: tuple[str, ...] = ()) -> "Run":
        """A result as programs use it."""
        network = Network(result.model, result.name)
        measured = (result.record, result.timing, result.hall, result.evidence)
        return cls(network, result.history, *measured, notes, result.config)

    @property
    def ended(self) -> str:
        """Why: `generations`, `stop-at`, `patience`, `stopped` by a callback, or interrupted."""
        return str(self.record["result"]["ended"])

    @property
    def metrics(self) -> dict[str, dict[str, float | None]]:
        """Accuracy and the like, or RMSE, MAE and R², of the `train` rows and the `test` rows."""
        return {part: dict(self.record["result"][part]) for part in ("train", "test")}

    @property
    def score(self) -> float:
        """The objective's value on the training rows, as people read it."""
        return float(self.record["result"]["score"])

    @property
    def fitness(self) -> float:
        """What evolution minimised."""
        return float(self.record["result"]["fitness"])

    @property
    def objective(self) -> str:
        return str(self.record["result"]["objective"])

    @property
    def generations(self) -> int:
        """The number of the last generation; the first, random one is 0."""
        return int(self.record["result"]["generations"])

    def predict(self, X: Any) -> Any:
        """The label or the value of each row, as `Network.predict` gives it."""
        return self.network.predict(X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, as `Network.predict_proba` gives it."""
        return self.network.predict_proba(X)

    def export(
        self,
        to: str | Sequence[str],
        folder: str | Path,
        *,
        name: str = "",
        dtype: str = "double",
        wheel: bool = False,
    ) -> list[Path]:
        """Write the network as code, for targets such as `c` or `numpy`; gives the files' paths."""
        return self.network.export(to, folder, name=name, dtype=dtype, wheel=wheel)

    @standard_arithmetic()
    def save(self, folder: str | Path, *, overwrite: bool = False) -> Path:
        """Write the folder that `dsgec evolve` would; one with another run is left as it is."""
        with locked(Path(folder), "run") as opened:
            if not overwrite:
                refuse_other_run(opened, self.record, OTHER_FOLDER)
            result = Result(
                self.record,
                self.network.model,
                self.network.name,
                self.history,
                self.timing,
                self.hall_of_fame,
                self.evidence,
                self.config,
            )
            write_folder(opened, result)
            remove_checkpoint(opened)  # of the same run, which has now ended, or of one given up
        return Path(folder)

    @standard_arithmetic()
    def report(self, path: str | Path) -> Path:
        """Write the page about the run, one HTML file that needs nothing else."""
        if not self.evidence:
            raise DsgecError(
                "this run does not have what a report draws",
                "An estimator does not keep it; dsgec.evolve does.",
            )
        with tempfile.TemporaryDirectory() as folder:
            self.save(folder)
            return write_report(Path(folder), Path(path))

    def __repr__(self) -> str:
        data, grammar = self.record["data"]["name"], self.record["grammar"]["name"]
        figures = "; ".join(
            f"{part} {name} {value:.4g}"
            for part, found in self.metrics.items()
            for name, value in list(found.items())[:1]
            if value is not None
        )
        size = ", ".join(
            counted(n, what.removesuffix("s")) for what, n in self.network.size.items()
        )
        return clean(
            f"<dsgec.Run {grammar} on {data}: {self.objective} {self.score:.6g}"
            f" after {self.generations} generations; {figures}; {size}>"
        )

    def _repr_html_(self) -> str:
        """For notebooks: the figures, and the network drawn."""
        picture = base64.b64encode(self.network.svg().encode("utf-8")).decode("ascii")
        return render_markup(
            "html/run.html.j2",
            title=f"{self.record['grammar']['name']} on {self.record['data']['name']}",
            objective=self.objective,
            score=f"{self.score:.6g}",
            generations=self.generations,
            names=[name.replace("_", " ") for name in self.metrics["train"]],
            parts=[
                (part, [f"{v:.4f}" if v is not None else "–" for v in found.values()])
                for part, found in self.metrics.items()
            ],
            picture=picture,
        )


@standard_arithmetic()
def load(path: str | Path) -> Run:
    """The run in a folder, of `Run.save` or of `dsgec evolve`; none of its code is executed."""
    with open_folder(Path(path)) as folder:
        return Run.of(read_result(folder))
