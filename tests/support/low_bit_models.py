"""Models whose weights are small integers times a power of two."""

import numpy as np

from dsgec.network.model import Column, Model
from dsgec.network.parse import parse
from dsgec.network.simplify import simplify

TERNARY = (-1, 1)
NIBBLES = tuple(w for w in range(-7, 8) if w)
POWERS = tuple(sign << place for place in range(5) for sign in (-1, 1))


def low_bit_model(
    weights: tuple[int, ...], inputs: int, hidden: int, classes: int, terms: int, seed: int = 1
) -> Model:
    """Return a network of one hidden layer whose neurons have so many random inputs each."""
    rng = np.random.RandomState(seed)

    def total(names: list[str]) -> str:
        chosen = rng.choice(weights, len(names)) / 16.0
        parts = [f"{weight} * {name}" for weight, name in zip(chosen, names, strict=True)]
        return " + ".join([*parts, str(rng.randint(-30, 30) / 16.0)])

    lines = [f"inputs = {inputs}"]
    for number in range(1, hidden + 1):
        chosen = np.sort(rng.choice(inputs, terms, replace=False)) + 1
        lines.append(f"h_1_{number} = clip({total([f'x_{c}' for c in chosen])})")
    neurons = [f"h_1_{number}" for number in range(1, hidden + 1)]
    outputs = [total(neurons) for _ in range(classes if classes > 2 else 1)]
    names = ", ".join(f"y_{number + 1}" for number in range(len(outputs)))
    lines.append(f"{names} = {'softmax' if classes > 2 else 'sig'}({', '.join(outputs)})")
    columns = tuple(Column(f"c{number}") for number in range(inputs))
    labels = tuple(f"k{number}" for number in range(classes))
    return Model(simplify(parse("\n".join(lines))), columns, labels)
