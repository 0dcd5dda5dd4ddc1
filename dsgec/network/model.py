"""A Network with the names of what goes in and comes out: all that an export needs."""

from dataclasses import dataclass

from dsgec.network.ir import Network
from dsgec.network.text import text

Label = str | int


@dataclass(frozen=True, slots=True)
class Model:
    """`classes` are the labels in the order of their numbers; without any, outputs are values."""

    network: Network
    features: tuple[str, ...]
    classes: tuple[Label, ...] = ()

    @property
    def is_classifier(self) -> bool:
        return bool(self.classes)


def unnamed(network: Network) -> Model:
    """A network alone: features called as its text calls them, outputs as they are."""
    return Model(network, tuple(f"x_{i}" for i in range(1, network.inputs + 1)))


def identity(model: Model) -> str:
    """The text that the model's digest is taken of: what it computes, not how it is written."""
    lines = [text(model.network), f"features {model.features!r}", f"classes {model.classes!r}"]
    return "\n".join(lines)
