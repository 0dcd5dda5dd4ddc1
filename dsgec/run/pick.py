"""The choice of a network from a hall of fame: by size, score or cost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from itertools import groupby

from dsgec.errors import DsgecError, counted
from dsgec.export.artefact import Artefact, with_smaller_layout
from dsgec.export.fixed.ir import STORED_BITS
from dsgec.export.streams.cost import deployed_cost
from dsgec.manifest import HALL
from dsgec.network.cost.chips import DEFAULT_CHIP, Cost
from dsgec.network.in_use import columns_in_use, in_use
from dsgec.network.model import Model
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges
from dsgec.run.hall import HallRow, hall_model
from dsgec.run.record import RISING, Footprint, FrontRecord, Proposal, RunRecord
from dsgec.search.budget import CYCLES, FLASH, RAM, parse_amount
from dsgec.search.individual import ERROR_RATE
from dsgec.search.objectives import OBJECTIVES

SMALLER = ("smallest-within", "10%")
"""The pick that a run proposes: the smallest network whose score is at most 10 % worse."""
DTYPES = ("q7", "float", "double")
_ANY_NAME = "network"
_MOST_COSTS = 4_096  # that are remembered
_FIGURES = {FLASH: "flash", RAM: "ram", CYCLES: "longest"}
_UNITS = {FLASH: "bytes of flash", RAM: "bytes of RAM", CYCLES: "cycles a row"}


@dataclass(frozen=True, slots=True)
class Hall:
    """The hall of fame of a run, with the chip and the type that its networks are picked for.

    Fixed point needs the `ranges` of the columns.
    """

    rows: Sequence[HallRow]
    record: RunRecord
    best: Model
    source: str
    chip: str = DEFAULT_CHIP
    dtype: str = "double"
    ranges: tuple[Range | None, ...] = ()

    def rank(self, row: HallRow) -> tuple[bool, float]:
        """Return a key that sorts networks by their score on the training rows, the best first.

        Networks with more connections than the one that cross-validation chose come last: their
        scores are better because they are overfitted. With a budget, or if trees are among them,
        the score in cross-validation counts: trees fit the training rows better than networks do.
        """
        result = self.record.result
        measure = result.validation.measure if result.validation else ""
        if measure == ERROR_RATE or (measure and self.record.settings.get("trees")):
            return self.validated_rank(row)
        is_larger = bool(result.validation) and row.connections > result.network.connections
        return is_larger, self._score_rank(row)

    def validated_rank(self, row: HallRow) -> tuple[bool, float]:
        """Return a key that sorts networks by their score in cross-validation, the best first.

        Networks without such a score come last, by their score on the training rows.
        """
        if not row.validated:
            return True, self._score_rank(row)
        validation = self.record.result.validation
        rises = validation is not None and validation.measure == RISING
        return False, -row.validated.score if rises else row.validated.score

    def _score_rank(self, row: HallRow) -> float:
        objective = OBJECTIVES.get(self.record.result.objective)
        return -row.score if objective and objective.rises else row.score

    def model(self, row: HallRow) -> Model:
        return hall_model(row, self.record, self.best, self.source)

    def cost(self, row: HallRow) -> Cost | None:
        """Return the cost of a network on the chip, or None if it cannot be estimated."""
        return _cost(_Priced(row.model_id, self.chip, self.dtype, self.ranges, self.model(row)))


@dataclass(frozen=True, slots=True)
class _Priced:
    """A model by its id, with the chip, the type and the ranges of its cost."""

    model_id: str
    chip: str
    dtype: str
    ranges: tuple[Range | None, ...]
    model: Model = field(compare=False)

    def artefact(self) -> Artefact:
        """Return the model in the type, as it would be exported for the chip.

        Raise a DsgecError if the type cannot compute it.
        """
        return _artefact(self.model, self.dtype, self.ranges, self.chip)


@lru_cache(maxsize=_MOST_COSTS)
def _cost(priced: _Priced) -> Cost | None:
    try:
        return deployed_cost(priced.artefact(), priced.chip)
    except DsgecError:
        return None


def _artefact(model: Model, dtype: str, ranges: tuple[Range | None, ...], chip: str) -> Artefact:
    """Return a model as it is exported for a chip; of a signal, with the features in use."""
    own = tuple(ranges[number] for number in columns_in_use(model)) if ranges else ()
    return with_smaller_layout(Artefact(in_use(model), _ANY_NAME, dtype, ranges=own), chip)


def pick(hall: Hall, way: str, value: str) -> HallRow:
    """Return the network that `--pick WAY VALUE` asks for."""
    return _CHOOSE[way](hall, value)


def export_name(name: str, chosen: HallRow, rows: Sequence[HallRow]) -> str:
    """Return the name of a network's exports: with its id if others have as many connections."""
    alike = sum(row.connections == chosen.connections for row in rows)
    return f"{name}_{chosen.connections}" + (f"_{chosen.model_id[:6]}" if alike > 1 else "")


def _connections(value: str, way: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise DsgecError(
            f"--pick {way} takes a number of connections, not `{value}`", f"Write --pick {way} 12."
        ) from None


def _of_size(hall: Hall, value: str) -> HallRow:
    """Return the best network of exactly so many connections."""
    wanted = _connections(value, "size")
    found = [row for row in hall.rows if row.connections == wanted]
    if not found:
        near = sorted((row.connections for row in hall.rows), key=lambda c: (abs(c - wanted), c))
        raise DsgecError(
            f"the run has seen no network of {counted(wanted, 'connection')}",
            f"Try --pick size {near[0]}, or --pick at-most {max(wanted, near[0])}.",
        )
    return min(found, key=hall.rank)


def _at_most(hall: Hall, value: str) -> HallRow:
    """Return the best network of at most so many connections, the smallest of equals.

    It is not larger than the network that cross-validation chose.
    """
    most = _connections(value, "at-most")
    small = [row for row in hall.rows if row.connections <= most]
    if not small:
        least = min(row.connections for row in hall.rows)
        raise DsgecError(
            f"the smallest network of the run has {counted(least, 'connection')}",
            f"Try --pick at-most {least}.",
        )
    return min(small, key=lambda row: (hall.rank(row), row.connections))


def _smallest_within(hall: Hall, value: str) -> HallRow:
    """Return the smallest network whose score is at most so many per cent worse than the best.

    Scores are those of cross-validation if there are any, and of the training rows otherwise.
    An R² is worse by as many per cent as its root mean squared error is greater.
    """
    try:
        share = float(value.removesuffix("%")) / 100
        if not 0.0 <= share < math.inf or (0.0 < share < 0.01 and "%" not in value):
            raise ValueError  # 0.05 is likely to mean 5 %
    except ValueError:
        raise DsgecError(
            f"--pick smallest-within takes a share, not `{value}`",
            "Write --pick smallest-within 1%.",
        ) from None
    is_other, best = min(map(hall.validated_rank, hall.rows))
    validation = hall.record.result.validation
    if validation and validation.measure == RISING and not is_other:
        most = (1.0 + best) * (1.0 + share) ** 2 - 1.0  # best is -R², and 1 - R² a squared error
    else:
        most = best + share * abs(best)
    good = [row for row in hall.rows if hall.validated_rank(row) <= (is_other, most)]
    return min(good, key=lambda row: (row.connections, hall.validated_rank(row)))


def _within(hall: Hall, value: str, of: str) -> HallRow:
    """Return the best network that costs at most so much, the cheapest of equals.

    Raise a DsgecError if there is none.
    """
    most = _parse_pick(value, of)
    figure = _FIGURES[of]
    seen: list[int] = []
    best_first = sorted(hall.rows, key=hall.rank)
    for _, equals in groupby(best_first, key=hall.rank):
        found = [(getattr(own, figure), row) for row in equals if (own := hall.cost(row))]
        price, cheapest = min(found, key=lambda pair: pair[0], default=(math.inf, None))
        if cheapest is not None and price <= most:
            return cheapest
        seen += (price for price, _ in found)
    if not seen:
        # This raises what is wrong with all of them.
        best = best_first[0]
        priced = _Priced(best.model_id, hall.chip, hall.dtype, hall.ranges, hall.model(best))
        deployed_cost(priced.artefact(), hall.chip)
    least, unit = min(seen), _UNITS[of]
    raise DsgecError(
        f"the cheapest network of the run takes {least:,} {unit}"
        f" (estimate for {hall.chip}, {hall.dtype})",
        f"Try --pick {of} {least}, another --chip, or another --dtype.",
    )


def _parse_pick(value: str, of: str) -> int:
    """Return the amount that a pick gives."""
    found = parse_amount(value, of)
    if found is None:
        unit, example = ("cycles", "2000") if of == CYCLES else ("bytes", "1KB")
        raise DsgecError(
            f"--pick {of} takes a number of {unit}, not `{value}`", f"Write --pick {of} {example}."
        )
    return found


_CHOOSE: dict[str, Callable[[Hall, str], HallRow]] = {
    "smallest-within": _smallest_within,
    "at-most": _at_most,
    "size": _of_size,
    FLASH: partial(_within, of=FLASH),
    RAM: partial(_within, of=RAM),
    CYCLES: partial(_within, of=CYCLES),
}

WAYS = tuple(_CHOOSE)


def footprint(
    model: Model, ranges: tuple[Range | None, ...], chip: str, dtypes: Sequence[str] = DTYPES
) -> Footprint | None:
    """Return the estimated cost of a model on a chip, in the first type that can compute it."""
    for dtype in dtypes:
        try:
            own = deployed_cost(
                _artefact(model, dtype, ranges if dtype in STORED_BITS else (), chip), chip
            )
        except DsgecError:
            continue
        return Footprint(chip=chip, dtype=dtype, **asdict(own))
    return None


def footprints(
    record: RunRecord,
    model: Model,
    rows: Sequence[HallRow],
    chip: str,
    dtypes: Sequence[str] = DTYPES,
) -> tuple[Footprint | None, Proposal | None]:
    """Return the footprint of a run's network, and the network that it proposes to export.

    That is a smaller one, if one is nearly as good.
    """
    ranges = choose_ranges(model.columns, record.ranges, NO_RANGES) if record.ranges else ()
    own = footprint(model, ranges, chip, dtypes)
    if own is None or not rows:
        return own, None
    hall = Hall(rows, record, model, HALL)
    way, chosen, cost = SMALLER, pick(hall, *SMALLER), None
    # Without cross-validation nothing says that a smaller one is nearly as good; a mean of networks
    # is not one of them.
    if record.result.validation:
        cost = footprint(hall.model(chosen), ranges, chip, dtypes)
    if cost is None or cost.flash >= own.flash:
        way = ("size", str(record.result.network.connections))
        same = [one for one in rows if one.model_id == record.model.id]
        if not same or pick(hall, *way) != same[0]:
            return own, None
        chosen, cost = same[0], own
    return own, Proposal(**asdict(cost), pick=way, connections=chosen.connections, test=chosen.test)


def make_front(hall: Hall, recommended: str) -> tuple[FrontRecord, ...]:
    """Return the front of the networks of a hall of fame that were cross-validated, by their cost.

    Each has a better score than all that take fewer bytes. `recommended` is the id of the model
    that the run chose, which is always among them.
    """
    costs = [(row, hall.cost(row)) for row in hall.rows if row.validated]
    costs.sort(key=lambda pair: (pair[1].flash if pair[1] else 0, hall.validated_rank(pair[0])))
    found: list[FrontRecord] = []
    best = (True, math.inf)
    for row, cost in costs:
        rank = hall.validated_rank(row)
        if row.validated and (rank < best or row.model_id == recommended):
            best = min(best, rank)
            found.append(
                FrontRecord(
                    connections=row.connections,
                    flash=cost.flash if cost else None,
                    score=row.score,
                    validation=row.validated.score,
                    error=row.validated.error,
                    recommended=row.model_id == recommended,
                )
            )
    return tuple(found)
