"""A result to what its C takes of a chip, and which network to export for one."""

from collections.abc import Sequence
from typing import Any

from dsgec.errors import DsgecError
from dsgec.export.artefact import Artefact
from dsgec.manifest import HALL
from dsgec.network.model import Model
from dsgec.network.ranges import NO_RANGES, Range, choose_ranges
from dsgec.run.hall import HallRow
from dsgec.run.pick import Hall, pick
from dsgec.run.record import record_ranges

SMALLER = ("smallest-within", "10%")
"""The pick that a run proposes: the smallest network whose score is at most 10 % worse."""
DTYPES = ("q7", "float", "double")
_COSTS = ("flash", "stack", "cycles")
_ANY_NAME = "network"


def footprint(
    model: Model, ranges: tuple[Range | None, ...], chip: str, dtypes: Sequence[str] = DTYPES
) -> dict[str, Any]:
    """Return the estimated cost of a model on a chip as run.json has it; empty if there is none.

    It is that of the first of the `dtypes` that the model can be exported in.
    """
    for dtype in dtypes:
        try:
            artefact = Artefact(model, _ANY_NAME, dtype, ranges=ranges if dtype == "q7" else ())
            own = artefact.cost(chip)
        except DsgecError:
            continue
        return {"chip": chip, "dtype": dtype, **{cost: getattr(own, cost) for cost in _COSTS}}
    return {}


def footprints(
    record: dict[str, Any],
    model: Model,
    hall_rows: Sequence[HallRow],
    chip: str,
    dtypes: Sequence[str] = DTYPES,
) -> dict[str, Any]:
    """Return the cost of the network and of the one that the run proposes to export, for run.json.

    That is a smaller one, if one is nearly as good.
    """
    recorded = record_ranges(record, model)
    ranges = choose_ranges(model.columns, recorded, NO_RANGES) if recorded else ()
    own = footprint(model, ranges, chip, dtypes)
    if not own or not hall_rows:
        return {"cost": own} if own else {}
    hall = Hall(hall_rows, record, model, HALL)
    way, chosen, cost = SMALLER, pick(hall, *SMALLER), {}
    # Without cross-validation nothing says that a smaller one is nearly as good; a mean of networks
    # is not one of them.
    if "measure" in record["result"].get("validation", {}):
        cost = footprint(hall.model(chosen), ranges, chip, dtypes)
    if not cost or cost["flash"] >= own["flash"]:
        way = ("size", str(record["result"]["network"]["connections"]))
        same = [one for one in hall_rows if one.model_id == record["model"]["id"]]
        if not same or pick(hall, *way) != same[0]:
            return {"cost": own}
        chosen, cost = same[0], own
    described = {"pick": list(way), "connections": chosen.connections, "test": chosen.test}
    return {"cost": own, "proposed": {**cost, **described}}
