"""Give a classifier a further class for rows whose greatest probability is too small.

The further class is the last one, and its output is the constant `unknown` of the model: a row has
it if no class is more probable than that. Every export computes it as it computes any class, so all
targets and number types agree. The outputs of a softmax are written out for that.
"""

from dataclasses import replace

from dsgec.network.decide import DEFAULT_THRESHOLD
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, Node, group_layers
from dsgec.network.model import Label, Model
from dsgec.network.simplify import canonicalise, renumber

UNKNOWN = "unknown"
"""The label of rows that are of no class; classes that are numbers have `UNKNOWN_NUMBER`."""
UNKNOWN_NUMBER = -1


def unknown_label(classes: tuple[Label, ...]) -> Label:
    """Return the label of rows that are of none of these classes."""
    are_numbers = all(isinstance(label, int) for label in classes)
    return UNKNOWN_NUMBER if are_numbers else UNKNOWN


def can_be_unknown(classes: tuple[Label, ...], threshold: float, limit: float) -> bool:
    """Return whether a classifier may have this limit: its own threshold is another rule."""
    is_free = unknown_label(classes) not in classes
    are_plain = not any(isinstance(label, bool) for label in classes)
    return (
        bool(classes)
        and is_free
        and are_plain
        and threshold == DEFAULT_THRESHOLD
        and 0.0 <= limit <= 1.0
    )


def with_unknown(model: Model) -> Model:
    """Return a model whose last class is the unknown one; without a limit it stays as it is."""
    if model.unknown is None:
        return model
    return replace(
        model,
        network=_with_constant(model.network, model.unknown),
        classes=(*model.classes, unknown_label(model.classes)),
        unknown=None,
    )


def without_unknown(network: Network) -> tuple[Network, float] | None:
    """Return a network that ends in a softmax, and the constant behind it, or None.

    It is the network from which `with_unknown` made this one.
    """
    *shares, last = [network.nodes[position] for position in network.outputs]
    if network.softmax or not isinstance(last, Constant) or len(shares) < 2:
        return None
    sums = [_sum_of(network, share) for share in shares]
    found = [position for position in sums if position is not None]
    if len(found) < len(shares):
        return None
    inner = canonicalise(replace(network, outputs=tuple(found), softmax=True))
    return (inner, last.value) if _with_constant(inner, last.value) == network else None


def _sum_of(network: Network, share: Node) -> int | None:
    """Return s of a share e^min(s - most, 0) / total, or None if it is none."""
    for function in ("div", "exp", "min", "sub"):
        if not isinstance(share, Apply) or share.function != function:
            return None
        first, share = share.arguments[0], network.nodes[share.arguments[0]]
    return first


def _with_constant(network: Network, limit: float) -> Network:
    """Return a network whose last output is a constant; the others are probabilities."""
    builder = Builder()
    new = []
    for node in network.nodes:
        match node:
            case Constant(value):
                new.append(builder.constant(value))
            case Input(column):
                new.append(builder.input(column))
            case _:
                new.append(builder.apply(node.function, tuple(new[a] for a in node.arguments)))
    renumbered = renumber(network, builder, new)
    outputs = [*renumbered.outputs]
    if network.softmax:
        outputs = _softmax(builder, outputs)
    elif len(outputs) == 1:
        outputs = [builder.apply("sub", (builder.constant(1.0), outputs[0])), *outputs]
    outputs.append(builder.constant(limit))
    nodes = tuple(builder.nodes)
    powers = {at for at, node in enumerate(nodes) if _is_power(node)}
    neurons = powers | {position for layer in renumbered.layers for position in layer}
    layers = group_layers(nodes, neurons - {*outputs})
    return canonicalise(Network(network.inputs, nodes, layers, tuple(outputs)))


def _is_power(node: Node) -> bool:
    return isinstance(node, Apply) and node.function == "exp"


def _softmax(builder: Builder, sums: list[int]) -> list[int]:
    """Return the probabilities; limits that change nothing tell fixed point the ranges."""
    most = _fold(builder, "max", sums)
    zero, one = builder.constant(0.0), builder.constant(1.0)
    below = [builder.apply("sub", (each, most)) for each in sums]
    powers = [builder.apply("exp", (builder.apply("min", (each, zero)),)) for each in below]
    total = builder.apply("max", (_fold(builder, "add", powers), one))
    return [builder.apply("div", (power, total)) for power in powers]


def _fold(builder: Builder, function: str, values: list[int]) -> int:
    """Apply a function of two arguments to all values, from the first to the last."""
    first, *others = values
    for other in others:
        first = builder.apply(function, (first, other))
    return first
