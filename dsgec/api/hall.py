"""The hall of fame as a program uses it: the best network of each size, to compare and to take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dsgec.api.network import Network
from dsgec.api.settings import one_of
from dsgec.api.words import says_keywords
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
    """The best network of its number of connections that a run has seen.

    :param size: How many connections, neurons, layers and features it has.
    :param score: The objective's value on the training rows, as people read it.
    :param train: The metrics on the training rows, by name; None where there is no value.
    :param test: The metrics on the test rows.
    :param model_id: What its exports carry, to be told apart.
    :param phenotype: The network as the grammar wrote it.
    :param threshold: From which probability on the second of two classes is predicted.
    :param flash: The estimated bytes of flash that its C takes of the run's chip.
    :param cycles: The estimated cycles that it takes for a row.
    :param front: Whether no cheaper network is as good, in a run that minimises a cost.
    :param validated: Its `score` in cross-validation and the standard `error` of that, if it was
        one of the networks that the run chose from; `record["result"]["validation"]["measure"]`
        names what it is.
    :param details: The record of its run.
    :param best: The network of its run.
    """

    details: RunRecord = field(kw_only=True, repr=False, compare=False)
    best: Network = field(kw_only=True, repr=False, compare=False)

    @property
    def record(self) -> dict[str, Any]:
        """The content of run.json of its run."""
        return self.details.as_json()

    @property
    @standard_arithmetic()
    def network(self) -> Network:
        """The network, which predicts and is exported as that of the run."""
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
    """The entries, by size: a tuple that can also be a data frame."""

    __slots__ = ()

    @classmethod
    def of(cls, result: Result, best: Network) -> "HallOfFame":
        """That of a result; empty where it has none.

        :param result: The result of a run.
        :param best: The network of that run.
        """
        return cls(
            HallEntry(
                *(one.size, one.score, one.train, one.test, one.model_id, one.phenotype),
                *(one.threshold, one.flash, one.cycles, one.front, one.validated),
                details=result.record,
                best=best,
            )
            for one in result.hall_rows
        )

    @says_keywords
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
        """The entry that `dsgec export --pick` takes.

        :param way: `"smallest-within"`, `"at-most"`, `"size"`, `"flash"` or `"cycles"`.
        :param value: Such as `"1%"`; a number of connections; such as `"4KB"`; or of cycles.
        :param chip: What flash and cycles are estimated for.
        :param dtype: The numbers that the code computes with there, as `Network.export` takes it.
        :param range: For fixed point, the ranges of columns, as `Network.export` takes them.
        """
        one_of("way", way, WAYS)
        one_of("chip", chip, tuple(CHIPS))
        one_of("dtype", dtype, DTYPES)
        if not self:
            raise DsgecError("the hall of fame is empty")
        first = self[0]
        best = first.best
        ranges = choose_ranges(best.model.columns, best.ranges, range or NO_RANGES)
        hall = Hall(list(self), first.details, best.model, HALL, chip, dtype, ranges)
        chosen = pick(hall, way, str(value))
        return next(entry for entry in self if entry is chosen)

    def to_frame(self) -> Any:
        """A pandas data frame, a row for each entry, with the columns of hall_of_fame.csv."""
        has_validated = any(one.validated for one in self)
        return frame([_row(one, has_validated) for one in self])

    def __repr__(self) -> str:
        if not self:
            return "<dsgec.HallOfFame: empty>"
        head, rows = self._table()
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in (head, *rows[:_MOST_ROWS])
        ]
        return "\n".join([f"<dsgec.HallOfFame: {self._title()}>", *lines, *self._more()])

    def _repr_html_(self) -> str:
        """For notebooks: a table of sizes and scores."""
        head, rows = self._table() if self else ([], [])
        return render_markup(
            "html/hall.html.j2",
            title=self._title(),
            head=head,
            rows=rows[:_MOST_ROWS],
            more="".join(self._more()),
        )

    def _title(self) -> str:
        what = counted(len(self), "network")
        return f"{what}, the best of each size; * is the run's" if self else "empty"

    def _more(self) -> list[str]:
        """What to do for the entries that are not shown."""
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


def frame(rows: list[dict[str, Any]]) -> Any:
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
