"""Model to what its features, neurons and outputs are called where people look at it."""

from dsgec.network.ir import Input
from dsgec.network.model import Model


def node_labels(model: Model) -> dict[int, str]:
    """Features by the user's names, neurons by their layers and places."""
    network = model.network
    features = model.features
    names = {p: features[n.column] for p, n in enumerate(network.nodes) if isinstance(n, Input)}
    return names | neuron_labels(model)


def neuron_labels(model: Model) -> dict[int, str]:
    """Of a neuron that stands in several layers, the first place."""
    names: dict[int, str] = {}
    for number, layer in enumerate(model.network.layers, 1):
        for index, position in enumerate(layer, 1):
            names.setdefault(position, f"h_{number}_{index}")
    return names


def output_label(model: Model, index: int) -> str:
    """The probability of a class, or the number of a value."""
    if not model.classes:
        return f"y_{index + 1}"
    single = len(model.network.outputs) == 1
    return f"p({model.classes[1 if single else index]})"
