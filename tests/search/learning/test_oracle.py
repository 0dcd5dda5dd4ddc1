"""The gradients of the reference are those of the exact loss: differences of 60 digits.

A network is made here as a tree, written as text, and computed from the tree with mpmath, so
neither the parser nor the arithmetic of dsgec has a part in what is expected.
"""

import random
from dataclasses import dataclass, field

import mpmath as mp
import pytest
from mpmath import mpf

from dsgec.search.gradient import loss_and_gradient, weighted_network
from dsgec.search.objectives import OBJECTIVES, objectives_of
from tests.support.engine_runs import make, make_data
from tests.support.example_grammars import LAYERED
from tests.support.gradients import SETTINGS

DIGITS = 60
ROWS = 9
EXACT = ("exp-rmse", "rmse", "mse", "mae", "huber", "log-loss", "accuracy", "r2")
"""The objectives of `exact_loss`; `accuracy` is learned by log-loss."""
FUNCTIONS = {
    "sig": lambda x: 1 / (1 + mp.exp(-x)),
    "tanh": mp.tanh,
    "sin": mp.sin,
    "cos": mp.cos,
    "exp": mp.exp,
}


@dataclass
class Made:
    """A phenotype in pieces, with the values and places of its weights."""

    rng: random.Random
    text: str = ""
    values: list[float] = field(default_factory=list)
    spans: list[tuple[int, int]] = field(default_factory=list)

    def weight(self):
        """Add a numeral, at times behind a minus that is not part of it."""
        numeral = f"{self.rng.uniform(-2, 2):.2f}"
        minus = self.rng.random() < 0.2 and numeral[0] != "-"
        self.text += "-" * minus
        self.spans.append((len(self.text), len(numeral)))
        self.text += numeral
        self.values.append(float(numeral))
        number = len(self.values) - 1
        return ("neg", ("w", number)) if minus else ("w", number)

    def join(self, *parts):
        """Add texts as they are, and what the functions among them add; return their trees."""
        trees = []
        for part in parts:
            if callable(part):
                trees.append(part())
            else:
                self.text += part
        return trees

    def source(self, sources):
        name, tree = self.rng.choice(sources)
        self.text += name
        return tree

    def total(self, sources):
        """Add a sum of products and a number."""
        tree = None
        for _ in range(self.rng.randint(1, 10)):
            self.text += " + " if tree else ""
            w, x = self.join(self.weight, "*", lambda: self.source(sources))
            product = ("mul", w, x)
            tree = ("add", tree, product) if tree else product
        (bias,) = self.join(" + ", self.weight)
        return ("add", tree, bias)

    def expression(self, depth, sources):
        kind = self.rng.random()

        def inner():
            return self.expression(depth - 1, sources)

        if depth == 0 or kind < 0.4:
            return self.total(sources)
        if kind < 0.7:
            name = self.rng.choice([*FUNCTIONS])
            # exp stays small
            shrink = "0.1*" if name == "exp" else ""
            (tree,) = self.join(f"{name}({shrink}(", inner, "))")
            return (name, ("mul", ("c", "0.1"), tree) if shrink else tree)
        if kind < 0.8:
            sign = self.rng.choice("+-*")
            a, b = self.join("((", inner, f"){sign}(", inner, "))")
            return ({"+": "add", "-": "sub", "*": "mul"}[sign], a, b)
        if kind < 0.87:
            w, b = self.join("(", self.weight, " * (", inner, "))")
            return ("mul", w, b)
        if kind < 0.94:
            a, w = self.join("((", inner, ")/", self.weight, ")")
            return ("div", a, w)
        exponent = self.rng.choice([2, 3, 5])
        (tree,) = self.join("((", inner, f")^{exponent})")
        return ("pow", tree, exponent)

    def neuron(self, function, depth, sources):
        (tree,) = self.join(f"{function}(", lambda: self.expression(depth, sources), ")")
        return (function, tree) if function else tree


def compute(tree, row, values, neurons):
    match tree:
        case ("w", number):
            return values[number]
        case ("c", text):
            return mpf(text)
        case ("x", column):
            return row[column]
        case ("h", number):
            return neurons[number]
        case ("pow", base, exponent):
            return compute(base, row, values, neurons) ** exponent
    name, *arguments = tree
    numbers = [compute(argument, row, values, neurons) for argument in arguments]
    match name, numbers:
        case "add", (a, b):
            return a + b
        case "sub", (a, b):
            return a - b
        case "mul", (a, b):
            return a * b
        case "div", (a, b):
            return a / b
        case "neg", (a,):
            return -a
    return FUNCTIONS[name](*numbers)


def make_network(rng, outputs):
    """Return a random phenotype, the trees of its neurons and outputs, and if it has a softmax."""
    made = Made(rng)
    sources = [(f"x_{i + 1}", ("x", i)) for i in range(3)]
    hidden = []
    for layer in range(1, rng.randint(1, 4)):
        names = []
        for number in range(1, rng.randint(1, 4) + 1):
            made.text += " - " if number > 1 else ""
            hidden.append(made.neuron(rng.choice(["sig", "tanh"]), rng.randint(0, 1), sources))
            names.append((f"h_{layer}_{number}", ("h", len(hidden) - 1)))
        sources += names
        made.text += " -- "
    softmax = outputs > 1 and rng.random() < 0.7
    made.text += "softmax(" if softmax else ""
    trees = []
    for number in range(outputs):
        made.text += (", " if softmax else " - ") if number else ""
        # Probabilities, for log-loss.
        trees.append(made.neuron("" if softmax else "sig", rng.randint(0, 1), sources[-5:]))
    made.text += ")" if softmax else ""
    return made, hidden, trees, softmax


def exact_outputs(network, rows, values):
    _, hidden, trees, softmax = network
    for row in rows:
        neurons = []
        for tree in hidden:
            neurons.append(compute(tree, row, values, neurons))
        outputs = [compute(tree, row, values, neurons) for tree in trees]
        if softmax:
            powers = [mp.exp(z) for z in outputs]
            outputs = [p / mp.fsum(powers) for p in powers]
        yield outputs


def exact_loss(objective, outputs, targets, groups):
    errors = [
        [o - mpf(t) for o, t in zip(row, wanted, strict=True)]
        for row, wanted in zip(outputs, targets, strict=True)
    ]
    squares = [mp.fsum(e * e for e in row) for row in errors]
    count = len(errors) * len(errors[0])
    match objective:
        case "mse":
            return mp.fsum(squares) / count
        case "rmse":
            return mp.sqrt(mp.fsum(squares) / count)
        case "r2":
            mean = mp.fsum(mpf(t[0]) for t in targets) / len(targets)
            return mp.fsum(squares) / mp.fsum((mpf(t[0]) - mean) ** 2 for t in targets)
        case "mae":
            return mp.fsum(abs(e) for row in errors for e in row) / count
        case "huber":
            sizes = [abs(e) for row in errors for e in row]
            return mp.fsum(e * e / 2 if e <= 1 else e - mpf(1) / 2 for e in sizes) / count
        case "exp-rmse":
            width = len(errors[0])
            roots = [mp.sqrt(mp.fsum(squares[i] for i in g) / (len(g) * width)) for g in groups]
            return mp.exp(mp.fsum(roots))
    assert objective == "log-loss"
    chosen = [
        (row[0] if wanted[0] == 1 else 1 - row[0])
        if len(row) == 1
        else mp.fsum(o for o, t in zip(row, wanted, strict=True) if t == 1)
        for row, wanted in zip(outputs, targets, strict=True)
    ]
    return -mp.fsum(mp.log(p) for p in chosen) / len(chosen)


def compare(seed):
    """Compare the gradients by all weights of a phenotype, and return how many there are."""
    rng = random.Random(seed)
    classes = rng.choice([0, 2, 3])
    known = objectives_of("classification" if classes else "regression")
    objective = rng.choice([name for name in known if name in EXACT])
    problem = make(LAYERED, SETTINGS, make_data(seed % 99, ROWS, 3, classes), objective)
    outputs = rng.choice([1, 2]) if classes == 2 else max(classes, 1)
    network = make_network(rng, outputs)
    made, penalty = network[0], rng.choice([0.0, 0.01])
    graph = weighted_network(made.text, made.spans, inputs=3, layered=True)
    targets = problem.targets(outputs)
    loss, slopes = loss_and_gradient(graph, graph.values, problem.rows, targets, objective, penalty)
    with mp.workdps(DIGITS):
        rows = [[mpf(x) for x in row] for row in problem.rows.tolist()]

        def exact(values):
            found = [*exact_outputs(network, rows, values)]
            squares = mp.fsum(v * v for v in values)
            kind = "log-loss" if objective == "accuracy" else objective
            return exact_loss(kind, found, targets.values.tolist(), targets.groups) + (
                mpf(penalty) * squares
            )

        values = [mpf(v) for v in made.values]
        if objective in ("log-loss", "accuracy") and exact(values) > 1.2:
            return 0  # a probability may be so near to 0 that it is kept from it
        assert abs(mpf(loss) - exact(values)) <= 1e-10 * abs(loss)
        differences = []
        for number, sign in enumerate(graph.signs):
            step = mpf(10) ** -25
            up, down = [
                exact([v + side * step * (i == number) for i, v in enumerate(values)])
                for side in (1, -1)
            ]
            differences.append((up - down) / (2 * step) if sign else mpf(0))
        scale = max([1e-6, *map(abs, slopes)])
        for slope, difference in zip(slopes, differences, strict=True):
            assert abs(mpf(slope) - difference) <= 1e-9 * scale, (seed, made.text)
    return len(slopes)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_gradients_of_every_objective_agree_with_finite_differences(objective):
    step, compared = 1e-6, 0
    for classes in (0, 2, 3):
        if objective not in objectives_of("classification" if classes else "regression"):
            continue
        problem = make(LAYERED, SETTINGS, make_data(classes, ROWS, 3, classes), objective)
        for seed in range(6):
            made = make_network(random.Random(seed), max(classes, 1))[0]
            graph = weighted_network(made.text, made.spans, inputs=3, layered=True)
            rows, targets = problem.rows, problem.targets(max(classes, 1))

            def loss(values, graph=graph, rows=rows, targets=targets):
                return loss_and_gradient(graph, values, rows, targets, objective, 0.0)

            _, gradient = loss(graph.values)
            for number, derivative in enumerate(gradient):
                up, down = (
                    loss([v + side * (i == number) for i, v in enumerate(graph.values)])[0]
                    for side in (step, -step)
                )
                assert derivative == pytest.approx((up - down) / (2 * step), rel=1e-4, abs=1e-6)
            compared += len(gradient)
    assert compared > 40


def test_gradients_of_a_sample_of_networks_are_exact():
    assert sum(compare(seed) for seed in range(4)) > 35


@pytest.mark.campaign
@pytest.mark.timeout(3600)
def test_gradients_of_1000_networks_are_exact():
    assert sum(compare(seed) for seed in range(1000, 2000)) > 8000
