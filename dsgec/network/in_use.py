"""The part of a model that is exported: what its network reads, and all that it may answer."""

from dataclasses import replace

from dsgec.network.ir import Input
from dsgec.network.model import Column, Model
from dsgec.network.unknown import with_unknown


def columns_in_use(model: Model) -> tuple[int, ...]:
    """Return the columns that are exported: of a signal, those that the network reads.

    A network that reads none keeps the first one.
    """
    if model.signal is None:
        return tuple(range(len(model.columns)))
    read = {node.column for node in model.network.nodes if isinstance(node, Input)}
    found, first = [], 0
    for number, column in enumerate(model.columns):
        after = first + len(column.features)
        if read & {*range(first, after)}:
            found.append(number)
        first = after
    return tuple(found or (0,))


def in_use(model: Model) -> Model:
    """Return the model that is exported: its unknown class is one of its classes.

    A model of a signal has no features that its network does not read.
    """
    model = with_unknown(model)
    kept = columns_in_use(model)
    if model.signal is None or len(kept) == len(model.columns):
        return model
    places = {old: new for new, old in enumerate(_inputs_of(model.columns, kept))}
    nodes = tuple(
        Input(places[node.column]) if isinstance(node, Input) else node
        for node in model.network.nodes
    )
    return replace(
        model,
        network=replace(model.network, nodes=nodes, inputs=len(places)),
        columns=tuple(model.columns[number] for number in kept),
        signal=replace(
            model.signal, features=tuple(model.signal.features[number] for number in kept)
        ),
    )


def _inputs_of(columns: tuple[Column, ...], kept: tuple[int, ...]) -> list[int]:
    """Return the inputs of a network that these columns become."""
    found: list[int] = []
    first = 0
    for number, column in enumerate(columns):
        after = first + len(column.features)
        if number in kept:
            found += range(first, after)
        first = after
    return found
