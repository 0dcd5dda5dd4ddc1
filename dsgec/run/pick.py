"""A hall of fame to the one network of it that was asked for: by size, score or cost."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from dsgec.errors import DsgecError, counted
from dsgec.export.artefact import Artefact
from dsgec.network.cost.chips import DEFAULT_CHIP, Cost
from dsgec.network.model import Model
from dsgec.network.ranges import Range
from dsgec.plain_data import is_count
from dsgec.run.hall import HallRow, hall_model
from dsgec.run.validation import RISING
from dsgec.search.objectives import OBJECTIVES

_ANY_NAME = "network"
_NUMBER = r"(\d{1,9}(?:\.\d{1,9})?) ?"
_AMOUNT = {
    "flash": re.compile(_NUMBER + r"(?:([kKM])i?)?B?", re.ASCII),
    "cycles": re.compile(_NUMBER + r"([kKM])?", re.ASCII),
}


@dataclass(frozen=True, slots=True)
class Hall:
    """The networks of a run, what makes models of them, and what their costs are for.

    Fixed point needs the `ranges` of the columns.
    """

    rows: Sequence[HallRow]
    record: dict[str, Any]
    best: Model
    source: str
    chip: str = DEFAULT_CHIP
    dtype: str = "double"
    ranges: tuple[Range | None, ...] = ()

    def rank(self, row: HallRow) -> tuple[bool, float]:
        """Return what sorts networks that fit, the best first: by their score on the training rows.

        Networks with more connections than the one that cross-validation chose come last: their
        scores are better because they have learned the training rows by heart.
        """
        return row.connections > self._most_connections, _sign(self.record) * row.score

    def validated_rank(self, row: HallRow) -> tuple[bool, float]:
        """Return what sorts networks by their score in cross-validation; those without come last,
        by their score on the training rows."""
        if row.validated:
            return False, _validation_sign(self.record) * row.validated.score
        return True, _sign(self.record) * row.score

    @property
    def _most_connections(self) -> float:
        """The connections of the network that cross-validation chose, if it did."""
        result = self.record.get("result")  # which is untrusted
        if not isinstance(result, dict) or "validation" not in result:
            return math.inf
        size = result.get("network")
        found = size.get("connections") if isinstance(size, dict) else None
        return float(found) if isinstance(found, int) and is_count(found) else math.inf

    def model(self, row: HallRow) -> Model:
        return hall_model(row, self.record, self.best, self.source)

    def artefact(self, model: Model) -> Artefact:
        """A model as numbers of the type; a DsgecError where these cannot compute it."""
        return Artefact(model, _ANY_NAME, self.dtype, ranges=self.ranges)

    def cost(self, row: HallRow) -> Cost | None:
        """What its C takes of the chip; None where it cannot be exported in the type."""
        model = self.model(row)
        try:
            artefact = self.artefact(model)
        except DsgecError:
            return None
        return artefact.cost(self.chip)


def pick(hall: Hall, way: str, value: str) -> HallRow:
    """The network of a hall of fame that was asked for."""
    return _CHOOSE[way](hall, value)


def _connections(value: str, way: str) -> int:
    try:
        return int(value)
    except ValueError:
        raise DsgecError(
            f"--pick {way} takes a number of connections, not `{value}`", f"Write --pick {way} 12."
        ) from None


def _of_size(hall: Hall, value: str) -> HallRow:
    """The best of exactly so many connections."""
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
    """The best of at most so many connections; of equals, the smallest.

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
    """The smallest whose score is worse than the best one by so many hundredths at most.

    Scores are those of cross-validation if there are any, and of the training rows otherwise.
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
    ranks = [hall.validated_rank(row) for row in hall.rows]
    is_other, best = min(ranks)
    most = best + share * abs(best)
    good = [row for row in hall.rows if hall.validated_rank(row) <= (is_other, most)]
    return min(good, key=lambda row: (row.connections, hall.validated_rank(row)))


def _within(hall: Hall, value: str, of: str) -> HallRow:
    """The best whose cost is at most so much; of equals, the cheapest."""
    most = _amount(value, of)
    seen: list[int] = []
    best_first = sorted(hall.rows, key=hall.rank)
    for _, equals in groupby(best_first, key=hall.rank):
        found = [(getattr(own, of), row) for row in equals if (own := hall.cost(row))]
        price, cheapest = min(found, key=lambda pair: pair[0], default=(math.inf, None))
        if cheapest is not None and price <= most:
            return cheapest
        seen += (price for price, _ in found)
    if not seen:
        hall.artefact(hall.model(best_first[0]))  # raises what is wrong with all of them
    least, unit = min(seen), "bytes of flash" if of == "flash" else "cycles a row"
    raise DsgecError(
        f"the cheapest network of the run takes {least:,} {unit}"
        f" (estimate for {hall.chip}, {hall.dtype})",
        f"Try --pick {of} {least}, another --chip, or another --dtype.",
    )


def _amount(value: str, of: str) -> int:
    """A number of bytes or of cycles; a K of bytes is 1,024 of them, one of cycles 1,000."""
    parts = _AMOUNT[of].fullmatch(value.strip())
    if parts is None:
        unit, example = ("bytes", "1KB") if of == "flash" else ("cycles", "2000")
        raise DsgecError(
            f"--pick {of} takes a number of {unit}, not `{value}`", f"Write --pick {of} {example}."
        )
    thousand = 1024 if of == "flash" else 1000
    times = {"": 1, "k": thousand, "m": thousand**2}
    return int(float(parts[1]) * times[(parts[2] or "").lower()])


_CHOOSE: dict[str, Callable[[Hall, str], HallRow]] = {
    "smallest-within": _smallest_within,
    "at-most": _at_most,
    "size": _of_size,
    "flash": partial(_within, of="flash"),
    "cycles": partial(_within, of="cycles"),
}

WAYS = tuple(_CHOOSE)


def _validation_sign(record: dict[str, Any]) -> float:
    """Return -1 if a higher score in cross-validation is better, otherwise 1."""
    result = record.get("result")
    found = result.get("validation") if isinstance(result, dict) else None
    return -1.0 if isinstance(found, dict) and found.get("measure") == RISING else 1.0


def _sign(record: dict[str, Any]) -> float:
    """-1 where the score is the better the higher it is."""
    result = record.get("result")
    objective = OBJECTIVES.get(str(result.get("objective"))) if isinstance(result, dict) else None
    return -1.0 if objective and objective.rises else 1.0
