"""Random grammars, tables and networks with one shared hidden layer."""

import random

import numpy as np

from dsgec.search.walk.descent import make_walk_table
from dsgec.search.walk.layer import ACTIVATIONS, LayerShape, Numerals, dense_layer, make_layer

_NUMBERS = (
    "<number> ::= <digit>.<digit><digit> | -<digit>.<digit><digit>\n<digit> ::= 0 | ... | 9",
    "<number> ::= -<digit> | <digit> | -<digit>.<digit> | <digit>.<digit>\n<digit> ::= 0 | ... | 4",
    "<number> ::= -7 | -6 | -5 | -4 | -3 | -2 | -1 | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7",
)


def random_shared_grammar(seed: int, classes: int) -> str:
    """Return a grammar of networks with one shared hidden layer, written in one of many ways."""
    rng = random.Random(seed)
    activation = rng.choice(ACTIVATIONS)
    is_binary = rng.random() < 0.5
    lists = {
        "nodes": rng.choice([3, 5]) if is_binary else rng.choice([2, 15, 40]),
        "sum": rng.choice([3, 6]) if is_binary else rng.choice([4, 30]),
    }
    start = "<hidden> -- <output-layer>" if rng.random() < 0.5 else "<layer> -- <output-layer>"
    linear = "\n  | <output-layer>" if rng.random() < 0.7 else ""
    output = "sig( <sum> + <bias> )"
    outputs = ""
    if classes > 2 or rng.random() < 0.3:
        output = "softmax( <output> , ... , <output> )"
        outputs = "<output> ::= <sum> + <bias>" + (" | <bias>" if rng.random() < 0.7 else "")
    sums = (
        rng.choice(["<weight> * <features> | <sum> + <sum>", "<term> | <sum> + <sum>"])
        if is_binary
        else rng.choice(
            ["<term> | <term> + <sum>", "<weight> * <features> | <weight> * <features> + <sum>"]
        )
    )
    nodes = "<node> | <nodes> - <nodes>" if is_binary else "<node> | <node> - <nodes>"
    depths = " ".join(f"{name}={depth}" for name, depth in lists.items())
    rules = [
        f"%max-depth {depths}",
        f"<start> ::= {start}{linear}",
        "<hidden> ::= <layer>" if "<hidden>" in start else "",
        f"<output-layer> ::= {output}",
        outputs,
        "<layer> ::= <nodes>",
        f"<nodes> ::= {nodes}",
        f"<node> ::= {activation}(<sum> + <bias>)",
        f"<sum> ::= {sums}",
        "<term> ::= <weight> * <features>" if "<term>" in sums else "",
        "<features> ::= x_1 | ... | x_n",
        "<weight> ::= <number>",
        "<bias> ::= <number>",
        rng.choice(_NUMBERS),
    ]
    return "\n".join(filter(None, rules)) + "\n"


def random_layer(seed, activation="clip", outputs=3, share=0.7):
    """Return a random table with few rows, and a random network with some of its connections."""
    rng = np.random.default_rng(seed)
    inputs, hidden, rows = (int(rng.integers(*ends)) for ends in ((1, 9), (1, 7), (5, 200)))
    classes = rng.integers(0, max(outputs, 2), rows)
    targets = (classes == np.arange(outputs)[:, None]) if outputs > 1 else classes[None] == 1
    table = make_walk_table(
        rng.normal(size=(inputs, rows)), targets.astype(float), rng.uniform(0.2, 1.8, rows)
    )
    shape = LayerShape(inputs, outputs, activation, 1e-3, ((-1.5, 1.5), (-2, 2), (-3, 3), (-1, 1)))
    neurons, sources = dense_layer(shape, hidden)
    net = make_layer(
        shape, hidden, neurons, sources, rng.normal(size=len(neurons) + hidden + outputs)
    )
    return table, net.keep(rng.random(net.size) < share)


def random_numerals(seed):
    """Return random numerals, among them sets of one and two numbers."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 8, 4)
    levels = [np.arange(-end, end + 1) * 2.0 ** rng.integers(-4, 1) for end in ends]
    levels[rng.integers(4)] = np.array([-1.5, -0.25, 0.0, 0.5])
    return Numerals((levels[0], levels[1], levels[2], levels[3]), 3, 3.5)


def outputs_of(net, columns, rounded=lambda values: values):
    """Return the outputs before softmax or sigmoid, one row for each, by matrix products.

    Values of hidden neurons are rounded first.
    """
    functions = {
        "clip": lambda x: np.clip(x, 0, 4),
        "relu": lambda x: np.maximum(x, 0),
        "sig": lambda x: 1 / (1 + np.exp(-x)),
        "tanh": np.tanh,
    }
    inputs, hidden = net.shape.inputs, net.hidden
    matrix = np.zeros((net.count, inputs + hidden))
    matrix[net.neurons, net.sources] = net.weights
    inner = functions[net.shape.activation](
        matrix[:hidden, :inputs] @ columns + net.biases[:hidden, None]
    )
    inner = rounded(inner)
    return matrix[hidden:] @ np.concatenate([columns, inner]) + net.biases[hidden:, None]
