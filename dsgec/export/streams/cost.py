"""State what a stream costs on a chip: flash, RAM and cycles, estimated without a compiler.

A signal's plan has what is kept of each sample, the filters and the features, each of them
once. Each has prices, which `python -m benchmarks.streams --fit` measures on chips.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dsgec.errors import DsgecError, join_names, mention
from dsgec.export.artefact import Artefact
from dsgec.export.streams.view import StreamView
from dsgec.export.targets.c.stream import CStream
from dsgec.network.cost.chips import Cost
from dsgec.signal.description import Call, Signal
from dsgec.signal.lower import places_of
from dsgec.signal.plan import (
    Delay,
    Kept,
    Plan,
    channels_of,
    make_plan,
    numbers_of,
    streams_of,
)
from dsgec.toml import read_toml

_TABLE = "prices.toml"
_LEAST_ALIKE = {"kept section": 5, "part": 3, "autocorrelation": 99, "kept apart": 99}
"""So many alike steps make a loop; steps with delays never do."""
_BYTES = {"int8": 1, "int16": 2, "int32": 4}


Prices = Mapping[str, Mapping[str, int]]
"""The prices of each kind of work, by `flash`, `stack`, `sample` and `window`."""


@dataclass(frozen=True, slots=True)
class StreamWork:
    """The work of a stream by kind: what its code has, and what a sample and a window take."""

    code: Counter[str]
    sample: Counter[str]
    window: Counter[str]

    @property
    def kinds(self) -> set[str]:
        return {*self.code, *self.sample, *self.window}


def deployed_cost(artefact: Artefact, chip: str) -> Cost:
    """Return what the C of an artefact costs on a chip, of a signal with its stream.

    Raise a DsgecError if there is no estimate.
    """
    network = artefact.cost(chip)
    if artefact.model.signal is None:
        return network
    stream = stream_of(artefact)
    prices = stream_prices().get(chip)
    if prices is None:
        known = join_names([*stream_prices()])
        raise DsgecError(f"there is no estimate of streams on {chip}", f"There is one on {known}.")
    work = stream_work(stream)
    if artefact.dtype == "double":
        raise DsgecError(
            "there is no estimate of streams in double",
            f"There is one for {mention('dtype', 'float', 'q15', 'q7')}.",
        )
    unknown = sorted(work.kinds - {kind for own in prices.values() for kind in own})
    if unknown:
        raise DsgecError(
            f"there is no estimate of {join_names(unknown)} on {chip}",
            "In a clone of the project, `python -m benchmarks.streams --fit` measures features.",
        )
    return combined_cost(network, stream, work, prices)


def stream_of(artefact: Artefact) -> StreamView:
    """Return the stream of an artefact, or raise a DsgecError if it has none."""
    if artefact.model.signal is None:
        raise DsgecError("the model has no stream", "Its columns are not features of a signal.")
    return StreamView(artefact, artefact.model.signal)


def combined_cost(network: Cost, stream: StreamView, work: StreamWork, prices: Prices) -> Cost:
    """Return the cost of a network and its stream."""
    return Cost(
        network.flash + _sum(prices["flash"], work.code),
        network.stack + _sum(prices["stack"], work.code),
        network.cycles + _sum(prices["window"], work.window),
        CStream(stream, stream.artefact.name).bytes,
        _sum(prices["sample"], work.sample),
    )


def _sum(prices: Mapping[str, int], counts: Mapping[str, int]) -> int:
    return sum(count * prices.get(kind, 0) for kind, count in counts.items())


@cache
def stream_prices() -> Mapping[str, Prices]:
    """Return the prices of all chips."""
    found: Mapping[str, Prices] = read_toml(files("dsgec.export.streams").joinpath(_TABLE), _TABLE)
    return found


def stream_work(stream: StreamView) -> StreamWork:
    """Return the work of a stream."""
    signal, dtype = stream.signal, stream.artefact.dtype
    plan = make_plan(signal.features)
    steps = _step_kinds(signal, plan)
    read = {name for call in signal.features for name in channels_of(call)}
    features = Counter(part.function for parts in plan.features for part in parts)
    columns = len(signal.features)

    code = _rolled(plan, steps + features)
    code.update(f"uses {one.name}" for one in stream.window_program.procedures if one.result)
    code.update(stream=1, overlaps=int(stream.overlap > 1), channel=len(read), column=columns)
    code[f"row {dtype}"] = 1
    code["data"] = sum(len(table.values) * _BYTES[table.type] for table in stream.program.tables)
    active = signal.window / signal.step
    sample = Counter({kind: round(count * active) for kind, count in steps.items()})
    sample.update(push=1, axis=stream.channels, state=stream.overlap)
    sample.update(following=round(active), channel=round(len(read) * active))
    window = Counter({"window": 1, f"column {dtype}": columns, f"row {dtype}": 1, **features})
    return StreamWork(+code, +sample, +window)


def _rolled(plan: Plan, code: Counter[str]) -> Counter[str]:
    """Return the work of code in which alike steps are turns of a loop; see `roll.py`."""
    alike: Counter[tuple[str, object]] = Counter()
    for step in plan.kept:
        if step.numbers:
            alike[f"kept {step.name}", step.streams] += 1
    for parts in plan.features:
        for part in parts:
            if numbers_of(part):
                alike[part.function, streams_of(part)] += 1
    found = Counter(code)
    for (kind, _), count in alike.items():
        if count >= _LEAST_ALIKE.get(kind, 2):
            found[kind] -= count - 1
            found[f"more {kind}"] += count - 1
    return found


def _step_kinds(signal: Signal, plan: Plan) -> Counter[str]:
    """Count the steps of a sample by kind: what is kept, the types of its places, and filters."""
    counts: Counter[str] = Counter()
    places = places_of(signal)
    for step in plan.steps:
        match step:
            case Kept(name):
                counts[f"kept {name}"] += 1
                counts[f"{places[step].type}" if step in places else "passing"] += 1
                counts["bits"] += dict(step.numbers).get("shift", 0)
            case Delay():
                counts["delay"] += 1
            case Call(function):
                counts[f"filter {function}"] += 1
                counts["bits"] += dict(numbers_of(step)).get("shift", 0)
    return counts
