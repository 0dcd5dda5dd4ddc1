"""A phenotype as the grammar wrote it, beside the network that is left of it: what was dropped."""

import itertools
from dataclasses import dataclass

from dsgec.errors import DsgecError
from dsgec.network.ir import Network
from dsgec.network.model import Model, TargetScale, in_target_units
from dsgec.network.parse import parse_phenotype
from dsgec.network.simplify import canonicalise, fold_constants, neuron_fates
from dsgec.network.text import expression_text

_LONGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class Dropped:
    """A neuron of the phenotype that is none of the network: its name there, formula, and why."""

    name: str
    formula: str
    why: str


@dataclass(frozen=True, slots=True)
class Written:
    """For each layer of the phenotype how many neurons stay, and those that do not."""

    kept: tuple[int, ...]
    dropped: tuple[tuple[Dropped, ...], ...]

    @property
    def count(self) -> int:
        return sum(map(len, self.dropped))


def as_written(phenotype: str, model: Model, scale: TargetScale | None = None) -> Written | None:
    """What the grammar wrote; None where the phenotype is not that of the network.

    `scale` is that of the target, if it was scaled.

    A record does not say how its texts are read: the way that gives the network is taken.
    """
    if len(phenotype) > _LONGEST:
        return None
    likely = "--" in phenotype
    for layered, output in itertools.product((likely, not likely), ("", "sigmoid")):
        try:
            raw = parse_phenotype(
                phenotype, layered=layered, output=output, inputs=len(model.features)
            )
        except DsgecError:
            continue
        rebuilt = fold_constants(in_target_units(raw, scale))
        if canonicalise(rebuilt) == model.network:
            return _compared(raw, rebuilt, model)
    return None


def _compared(raw: Network, rebuilt: Network, model: Model) -> Written:
    names: dict[int, str] = {}
    features = model.features
    for position, node in enumerate(raw.nodes):
        if hasattr(node, "column"):
            names[position] = features[node.column]
    kept, dropped = [], []
    for number, (layer, fates) in enumerate(zip(raw.layers, neuron_fates(rebuilt), strict=True), 1):
        gone = [
            Dropped(f"neuron {index} of layer {number}", expression_text(raw, position, names), why)
            for index, (position, why) in enumerate(zip(layer, fates, strict=True), 1)
            if why
        ]
        for index, position in enumerate(layer, 1):
            names.setdefault(position, f"n_{number}_{index}")
        kept.append(len(layer) - len(gone))
        dropped.append(tuple(gone))
    return Written(tuple(kept), tuple(dropped))
