"""A Model: a Network with its raw columns, their encoding, its classes and its target."""

from dataclasses import dataclass, replace
from typing import assert_never

from dsgec.errors import DsgecError, counted
from dsgec.network.decide import DEFAULT_THRESHOLD, has_threshold
from dsgec.network.ir import Apply, Builder, Constant, Input, Network, Node
from dsgec.network.simplify import canonicalise, renumber
from dsgec.network.thresholds import unscaled_threshold
from dsgec.signal.description import Signal

Label = str | int
"""The label of a class. Two may also be False and True, which are whole numbers to Python."""

TargetScale = tuple[float, float]
"""The mean and the deviation of a target that is learned as (value - mean) / deviation."""

KINDS = ("number", "boolean", "category", "constant")

BLANK_WORDS = frozenset({"", "?"})
"""Words that are never a text, in tables and in the rows that an export is given."""
UNKNOWN_WORDS = frozenset(
    {"na", "n/a", "n.a.", "#n/a", "#na", "<na>", "nan", "-nan", "null", "<null>"}
)
NOTHING_WORDS = frozenset({"none", "nil", "missing"})
"""Words that stand for a missing value, but may well be the name of a class."""
MISSING_WORDS = BLANK_WORDS | UNKNOWN_WORDS | NOTHING_WORDS
"""All words that stand for a missing value."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the raw row, and how it becomes features of the network.

    `categories` are the texts of a category, or the false and the true text of a boolean; in a row
    of numbers a text is its index among them, and -1 if it is none of them. `fill` replaces a
    missing value, which is refused without it; a column that is `marked` has a further feature,
    which is 1 where the value is missing. A number becomes (value - center) / scale. A constant,
    the same in every training row, keeps its place in the row but has no feature.
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
        """The names of the network's inputs that the column becomes."""
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
        """The name of the feature that marks missing values."""
        return f"{self.name} is missing"


@dataclass(frozen=True, slots=True)
class Model:
    """A network with the columns that it reads and the classes that it predicts.

    `classes` are the labels in the order of their numbers; without any, the outputs are numeric
    targets. The inputs of `network` are the features of the columns, in order; `target` is the name
    of what is predicted, if it has one. The second of two classes is predicted where its output
    reaches the `threshold`: see `dsgec.network.decide`. The columns of a model of a `signal` are
    features of its windows. If its greatest probability is below `unknown`, a row is of no class:
    see `dsgec.network.unknown`.
    """

    network: Network
    columns: tuple[Column, ...]
    classes: tuple[Label, ...] = ()
    target: str = ""
    threshold: float = DEFAULT_THRESHOLD
    signal: Signal | None = None
    unknown: float | None = None

    def __post_init__(self) -> None:
        check_classes(len(self.classes), len(self.network.outputs))

    @property
    def has_threshold(self) -> bool:
        """True if the class depends on the last output alone."""
        return self.is_classifier and has_threshold(len(self.network.outputs), self.threshold)

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the network's inputs."""
        return tuple(name for column in self.columns for name in column.features)

    @property
    def is_classifier(self) -> bool:
        return bool(self.classes)

    @property
    def has_lone_probability(self) -> bool:
        """True if the only output is the probability of the second of two classes."""
        return self.is_classifier and len(self.network.outputs) == 1


def check_classes(classes: int, outputs: int) -> None:
    """Raise a DsgecError unless so many outputs can tell so many classes apart.

    0 classes mean numeric targets.
    """
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


def plain_columns(names: tuple[str, ...]) -> tuple[Column, ...]:
    """Return columns of numbers that are features as they are."""
    return tuple(map(Column, names))


def unnamed_model(network: Network) -> Model:
    """Return a model of a network alone, whose features are called x_1, x_2 …"""
    return Model(network, plain_columns(tuple(f"x_{i}" for i in range(1, network.inputs + 1))))


def prologue(columns: tuple[Column, ...]) -> Network:
    """Return the network that makes all features of the raw columns."""
    builder = Builder()
    outputs = _features(builder, columns)
    return Network(len(columns), tuple(builder.nodes), (), tuple(outputs))


def compose(model: Model, *, folds_tests: bool = True) -> Network:
    """Return the network over raw columns that every export prints: prologue and evolved network.

    The steps of the prologue stay as they are: folded into weights they would round differently
    from what evolution saw. Only a test of a scaled column, which has no rounding, becomes one of
    the column itself, unless `folds_tests` is false: a search counts the work as it is written.
    """
    builder = Builder()
    features = _features(builder, model.columns)
    unscaled = _unscaled(builder, model.columns, features) if folds_tests else {}
    new: list[int] = []
    for node in model.network.nodes:
        match node:
            case Constant(value):
                new.append(builder.constant(value))
            case Input(column):
                new.append(features[column])
            case Apply("le", (tested, limit)) if new[tested] in unscaled and isinstance(
                threshold := model.network.nodes[limit], Constant
            ):
                given, scaling = unscaled[new[tested]]
                own = unscaled_threshold(threshold.value, scaling.center, scaling.scale)
                new.append(builder.apply("le", (given, builder.constant(own))))
            case Apply(function, arguments):
                new.append(builder.apply(function, tuple(new[a] for a in arguments)))
            case _:
                assert_never(node)
    renumbered = renumber(model.network, builder, new)
    return canonicalise(replace(renumbered, inputs=len(model.columns)))


def _unscaled(
    builder: Builder, columns: tuple[Column, ...], features: list[int]
) -> dict[int, tuple[int, Column]]:
    """Return, for the scaled feature of a number, the node before scaling and its column."""
    found: dict[int, tuple[int, Column]] = {}
    place = 0
    for number, column in enumerate(columns):
        if column.kind == "number" and column.scale > 0.0:
            given = builder.input(number)
            if column.fill is not None:
                given = builder.apply("fill", (given, builder.constant(column.fill)))
            found[features[place]] = given, column
        place += len(column.features)
    return found


def in_target_units(network: Network, scale: TargetScale | None) -> Network:
    """Return the network with outputs mean + deviation * output, not yet simplified.

    Without a scale it stays as it is. Its nodes keep their positions. The softmax of a lone output
    is 1, whatever its argument.
    """
    if scale is None:
        return network
    mean, deviation = scale
    nodes: list[Node] = [*network.nodes, Constant(mean), Constant(deviation), Constant(1.0)]
    first = len(network.nodes)
    outputs = []
    for position in network.outputs:
        scaled = Apply("mul", (first + 1, first + 2 if network.softmax else position))
        nodes += [scaled, Apply("add", (first, len(nodes)))]
        outputs.append(len(nodes) - 1)
    return replace(network, nodes=tuple(nodes), outputs=tuple(outputs), softmax=False)


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
                found += [_equals(builder, value, k) for k in range(len(column.categories))]
            case "boolean":
                found.append(_equals(builder, value, 1))
            case _:
                found.append(_scale(builder, value, column))
        if column.marked:  # only a missing value, NaN, does not equal itself
            found.append(_equals(builder, builder.apply("is", (given, given)), 0))
    return found


def _equals(builder: Builder, value: int, number: int) -> int:
    return builder.apply("is", (value, builder.constant(float(number))))


def _scale(builder: Builder, value: int, column: Column) -> int:
    if column.center != 0.0:
        value = builder.apply("sub", (value, builder.constant(column.center)))
    if column.scale != 1.0:
        value = builder.apply("div", (value, builder.constant(column.scale)))
    return value
