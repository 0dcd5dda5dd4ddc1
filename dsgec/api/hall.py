"""`dsgec.HallOfFame`: the best network of each size that a run has found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgec.api.network import Network
from dsgec.api.settings import check_choice, raise_with_keywords
from dsgec.arithmetic.environment import standard_arithmetic
from dsgec.errors import DsgecError, counted
from dsgec.export.artefact import DTYPES
from dsgec.export.names import safe_name
from dsgec.manifest import HALL
from dsgec.network.cost.chips import CHIPS, DEFAULT_CHIP
from dsgec.network.ranges import NO_RANGES, choose_ranges
from dsgec.rendering import render_markup
from dsgec.run.hall import HallRow, hall_model
from dsgec.run.pick import WAYS, Hall, pick
from dsgec.run.record import RunRecord
from dsgec.run.result import Result

_MOST_ROWS = 30


@dataclass(frozen=True, slots=True, repr=False)
class HallEntry(HallRow):
    """The best network with its number of connections that a run has found.

    :param size: The number of connections, neurons, layers and features.
    :param score: The value of the objective on the training rows.
    :param train: The metrics on the training rows by name; None if a metric is undefined.
    :param test: The metrics on the test rows.
    :param model_id: The identifier of the model, which its exports contain.
    :param phenotype: The network as the grammar wrote it.
    :param threshold: The probability from which the second of two classes is predicted.
    :param flash: The estimated bytes of flash of its C on the run's chip.
    :param cycles: The estimated cycles per row.
    :param front: Whether no cheaper network is as good, in a run that minimises a cost.
    :param validated: The `score` and its standard `error` in cross-validation, if the run chose
        from this network; `record["result"]["validation"]["measure"]` names the score.
    :param unknown: The probability below which a row is of no class, if there is one.
    :param details: The record of its run.
    :param best: The network of its run.
    """

    details: RunRecord = field(kw_only=True, repr=False, compare=False)
    best: Network = field(kw_only=True, repr=False, compare=False)

    @property
    def record(self) -> dict[str, Any]:
        """Return the content of run.json of its run."""
        return self.details.as_json()

    @property
    @standard_arithmetic()
    def network(self) -> Network:
        """Return the network, which predicts and is exported."""
        model = hall_model(self, self.details, self.best.model, HALL)
        name = safe_name(f"{self.best.name}_{self.connections}")
        return Network(model, name, self.best.ranges)

    def __repr__(self) -> str:
        sizes = ", ".join(
            counted(self.size[f"{what}s"], what) for what in ("connection", "neuron", "feature")
        )
        metric = next(iter(self.train))
        figures = "; ".join(
            f"{part} {metric.replace('_', ' ')} {_figure(own[metric])}"
            for part, own in (("train", self.train), ("test", self.test))
            if own[metric] is not None
        )
        return f"<dsgec.HallEntry: {sizes}; {figures}>"


class HallOfFame(tuple[HallEntry, ...]):
    """The entries of a hall of fame by size: a tuple, which can become a data frame."""

    __slots__ = ()

    @classmethod
    def of(cls, result: Result, best: Network) -> "HallOfFame":
        """Return the hall of fame of a result, which may be empty.

        :param result: The result of a run.
        :param best: The network of that run.
        """
        return cls(
            HallEntry(
                *(one.size, one.score, one.train, one.test, one.model_id, one.phenotype),
                *(one.threshold, one.flash, one.cycles, one.front, one.validated, one.unknown),
                details=result.record,
                best=best,
            )
            for one in result.hall_rows
        )

    @raise_with_keywords
    @standard_arithmetic()
    def pick(
        self,
        way: str,
        value: str | int,
        *,
        chip: str = DEFAULT_CHIP,
        dtype: str = "double",
        range: Mapping[str, tuple[float, float]] | None = None,
    ) -> HallEntry:
        """Return the entry that `dsgec export --pick` chooses.

        :param way: `"smallest-within"`, `"at-most"`, `"size"`, `"flash"` or `"cycles"`.
        :param value: A share such as `"1%"`, a number of connections or cycles, or bytes such as
            `"4KB"`.
        :param chip: The chip for which flash and cycles are estimated.
        :param dtype: The type of the numbers in the code, as in `Network.export`.
        :param range: For fixed point, the ranges of columns, as in `Network.export`.
        """
        check_choice("way", way, WAYS)
        check_choice("chip", chip, tuple(CHIPS))
        check_choice("dtype", dtype, DTYPES)
        if not self:
            raise DsgecError("the hall of fame is empty")
        first = self[0]
        best = first.best
        ranges = choose_ranges(best.model.columns, best.ranges, range or NO_RANGES)
        hall = Hall(list(self), first.details, best.model, HALL, chip, dtype, ranges)
        chosen = pick(hall, way, str(value))
        return next(entry for entry in self if entry is chosen)

    def to_frame(self) -> Any:
        """Return a pandas data frame of the entries with the columns of hall_of_fame.csv."""
        has_validated = any(one.validated for one in self)
        return make_frame([_row(one, has_validated) for one in self])

    def __repr__(self) -> str:
        if not self:
            return "<dsgec.HallOfFame: empty>"
        head, rows = self._table()
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in (head, *rows[:_MOST_ROWS])
        ]
        return "\n".join([f"<dsgec.HallOfFame: {self._title()}>", *lines, *self._more_lines()])

    def _repr_html_(self) -> str:
        """Return a table of sizes and scores for a notebook."""
        head, rows = self._table() if self else ([], [])
        return render_markup(
            "html/hall.html.j2",
            title=self._title(),
            head=head,
            rows=rows[:_MOST_ROWS],
            more="".join(self._more_lines()),
        )

    def _title(self) -> str:
        what = counted(len(self), "network")
        return f"{what}, the best of each size; * is the run's" if self else "empty"

    def _more_lines(self) -> list[str]:
        """Return a line on how to see the entries that are not shown, if there are any."""
        more = len(self) - _MOST_ROWS
        return [f"… {more} more: to_frame() has all, [-1] is the largest"] if more > 0 else []

    def _table(self) -> tuple[list[str], list[list[str]]]:
        first = self[0]
        own = first.details.model.id
        metric = next(iter(first.train))
        label = metric.replace("_", " ")
        objective = first.details.result.objective
        scores = [objective] if objective != metric else []
        head = ["", "connections", "neurons", "features", *scores]
        head += [f"train {label}", f"test {label}", "flash", "cycles"]
        rows = [
            [
                "*" if one.model_id == own else "",
                *(str(one.size[name]) for name in ("connections", "neurons", "features")),
                *(_figure(one.score) for _ in scores),
                *(_figure(value) for value in (one.train[metric], one.test[metric])),
                *("" if cost is None else f"{cost:,}" for cost in (one.flash, one.cycles)),
            ]
            for one in self
        ]
        return head, rows


def make_frame(rows: list[dict[str, Any]]) -> Any:
    """Return a pandas data frame of rows, if pandas is installed."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame needs pandas: `pip install pandas` installs it") from error
    return pandas.DataFrame(rows)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


def _row(one: HallEntry, has_validated: bool) -> dict[str, Any]:
    validated = {
        "cv_score": one.validated.score if one.validated else None,
        "cv_error": one.validated.error if one.validated else None,
    }
    figures = {
        f"{part}_{name}": value
        for part, own in (("train", one.train), ("test", one.test))
        for name, value in own.items()
    }
    return {
        **one.size,
        "score": one.score,
        **(validated if has_validated else {}),
        **figures,
        "model_id": one.model_id,
        "phenotype": one.phenotype,
        "flash": one.flash,
        "cycles": one.cycles,
        **({"front": one.front} if "minimise" in one.details.settings else {}),
    }
