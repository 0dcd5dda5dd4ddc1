"""Model to its nodes as people know them: features, neurons and outputs with their names."""

from dataclasses import dataclass

from dsgec.network.ir import Input, Network
from dsgec.network.model import Model
from dsgec.network.text import expression_text


@dataclass(frozen=True, slots=True)
class NamedNode:
    """A feature, a neuron or an output; `place` is its number among all of them."""

    position: int
    kind: str
    name: str
    formula: str
    place: int


def input_positions(network: Network) -> list[int]:
    """The features that are read, in the order of the table."""
    found = [(n.column, p) for p, n in enumerate(network.nodes) if isinstance(n, Input)]
    return [position for _, position in sorted(found)]


def named_nodes(model: Model) -> list[NamedNode]:
    """Features by the user's names, neurons by their layers and places, then the outputs."""
    network = model.network
    names: dict[int, str] = {}
    found: list[NamedNode] = []
    for position in input_positions(network):
        names[position] = feature_name(model, position)
        found.append(NamedNode(position, "feature", names[position], "", len(found)))
    for number, layer in enumerate(network.layers, 1):
        for index, position in enumerate(layer, 1):
            formula = expression_text(network, position, names)
            name = f"h_{number}_{index}"
            found.append(NamedNode(position, "neuron", name, formula, len(found)))
        names |= {p: f"h_{number}_{index}" for index, p in enumerate(layer, 1)}
    for index, position in enumerate(network.outputs):
        formula = expression_text(network, position, names)
        if network.softmax:
            formula = f"softmax, of {formula}"
        found.append(NamedNode(position, "output", output_name(model, index), formula, len(found)))
    return found


def feature_name(model: Model, position: int) -> str:
    """What the user calls the feature at a position."""
    node = model.network.nodes[position]
    assert isinstance(node, Input)
    return model.features[node.column]


def neuron_names(model: Model) -> dict[int, str]:
    """Of a neuron that stands in several layers, the first place."""
    names: dict[int, str] = {}
    for number, layer in enumerate(model.network.layers, 1):
        for index, position in enumerate(layer, 1):
            names.setdefault(position, f"h_{number}_{index}")
    return names


def output_name(model: Model, index: int) -> str:
    """The probability of a class, the target, or the number of a value."""
    single = len(model.network.outputs) == 1
    if not model.classes:
        return (model.target if single else "") or f"y_{index + 1}"
    return f"p({model.classes[1 if single else index]})"
