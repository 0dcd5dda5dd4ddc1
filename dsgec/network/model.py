"""A Network with what goes in and comes out: raw columns, their encoding, classes."""

from dataclasses import dataclass
from typing import assert_never

from dsgec.errors import DsgecError, counted
from dsgec.network.canonical import canonical
from dsgec.network.decide import USUAL_THRESHOLD, has_threshold
from dsgec.network.ir import Apply, Builder, Constant, Input, Network

Label = str | int
"""Of a class. Two may also be False and True, which are whole numbers to Python."""

KINDS = ("number", "boolean", "category", "constant")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the raw row, and how it becomes features of the network.

    `categories` are the texts of a category, or of a boolean the false one and the true one; in a
    row of numbers a text is its number among them, and -1 if it is none of them. `fill` stands for
    a missing value, which without it is refused; one that is `marked` has a further feature, which
    is 1 where it is missing. A number becomes (value - center) / scale. A constant, the same in
    every training row, is read by nobody: it has its place in the row, and no feature.
    """

    name: str
    kind: str = "number"
    categories: tuple[str, ...] = ()
    fill: float | None = None
    center: float = 0.0
    scale: float = 1.0
    marked: bool = False

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the inputs of the network that it becomes."""
        mark = (self.mark,) if self.marked else ()
        match self.kind:
            case "constant":
                return ()
            case "category":
                return (*(f"{self.name}={category}" for category in self.categories), *mark)
            case _:
                return (self.name, *mark)

    @property
    def mark(self) -> str:
        """The name of the feature that tells missing values."""
        return f"{self.name} is missing"


@dataclass(frozen=True, slots=True)
class Model:
    """`classes` are the labels in the order of their numbers; without any, outputs are values.

    The inputs of `network` are the features of the columns, in order; `target` is the name of what
    is predicted, if it has one. Of two classes, the second is predicted where its output reaches
    the `threshold`: see `dsgec.network.decide`.
    """

    network: Network
    columns: tuple[Column, ...]
    classes: tuple[Label, ...] = ()
    target: str = ""
    threshold: float = USUAL_THRESHOLD

    def __post_init__(self) -> None:
        check_classes(len(self.classes), len(self.network.outputs))

    @property
    def has_threshold(self) -> bool:
        """Whether its class depends on the last output alone."""
        return self.is_classifier and has_threshold(len(self.network.outputs), self.threshold)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the network's inputs."""
        return tuple(name for column in self.columns for name in column.features)

    @property
    def is_classifier(self) -> bool:
        return bool(self.classes)


def check_classes(classes: int, outputs: int) -> None:
    """Raise a DsgecError unless so many outputs can tell so many classes apart; 0 is of values."""
    if classes == 1:
        raise DsgecError(
            "the model has only one class",
            "A classifier tells two or more classes apart; fit it on rows of two classes, or name"
            " both of them.",
        )
    if classes and outputs != classes and (outputs, classes) != (1, 2):
        raise DsgecError(
            f"the model has {counted(outputs, 'output')} for"
            f" {counted(classes, 'class', 'classes')}",
            "A classifier has an output for each class, or one for two classes.",
        )


def plain(names: tuple[str, ...]) -> tuple[Column, ...]:
    """Columns of numbers that are features as they are."""
    return tuple(map(Column, names))


def unnamed(network: Network) -> Model:
    """A network alone: features called as its text calls them, outputs as they are."""
    return Model(network, plain(tuple(f"x_{i}" for i in range(1, network.inputs + 1))))


def prologue(columns: tuple[Column, ...]) -> Network:
    """Raw columns in, all their features out."""
    builder = Builder()
    outputs = _features(builder, columns)
    return Network(len(columns), tuple(builder.nodes), (), tuple(outputs))


def composed(model: Model) -> Network:
    """The network over raw columns, which every export prints: the prologue, then the evolved one.

    The steps of the prologue stay as they are: folded into weights they would round differently
    from what evolution saw.
    """
    builder = Builder()
    features = _features(builder, model.columns)
    network = model.network
    new: list[int] = []
    for node in network.nodes:
        match node:
            case Constant(value):
                new.append(builder.constant(value))
            case Input(column):
                new.append(features[column])
            case Apply(function, arguments):
                new.append(builder.apply(function, tuple(new[a] for a in arguments)))
            case _:
                assert_never(node)
    layers = tuple(tuple(new[p] for p in layer) for layer in network.layers)
    outputs = tuple(new[p] for p in network.outputs)
    nodes = tuple(builder.nodes)
    return canonical(Network(len(model.columns), nodes, layers, outputs, network.softmax))


def _features(builder: Builder, columns: tuple[Column, ...]) -> list[int]:
    found: list[int] = []
    for number, column in enumerate(columns):
        if column.kind == "constant":
            continue
        value = given = builder.input(number)
        if column.fill is not None:
            value = builder.apply("fill", (value, builder.constant(column.fill)))
        match column.kind:
            case "category":
                found += [_is(builder, value, k) for k in range(len(column.categories))]
            case "boolean":
                found.append(_is(builder, value, 1))
            case _:
                found.append(_scaled(builder, value, column))
        if column.marked:  # only what is missing does not equal itself
            found.append(_is(builder, builder.apply("is", (given, given)), 0))
    return found


def _is(builder: Builder, value: int, number: int) -> int:
    return builder.apply("is", (value, builder.constant(float(number))))


def _scaled(builder: Builder, value: int, column: Column) -> int:
    if column.center != 0.0:
        value = builder.apply("sub", (value, builder.constant(column.center)))
    if column.scale != 1.0:
        value = builder.apply("div", (value, builder.constant(column.scale)))
    return value
